"""The version of awrdiff; pyproject.toml takes it from here."""

VERSION = "0.1.0"
