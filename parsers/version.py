"""Version of awrdiff, for the wheel, the command, pages and documents."""

VERSION = "1.0.0"
