"""Parser version of this process."""

from __future__ import annotations

from parsers import PARSER_VERSION

__all__ = ["PARSER_VERSION"]
