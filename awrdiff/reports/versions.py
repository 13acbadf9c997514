"""Which version of the parsers this process reads reports with."""

from __future__ import annotations

from parsers import PARSER_VERSION

__all__ = ["PARSER_VERSION"]
