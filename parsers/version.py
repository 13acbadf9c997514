"""The version of awrdiff: the wheel, the command, the pages and the documents take it from here."""

VERSION = "1.0.0"
