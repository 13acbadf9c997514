"""Which versions of parsers and engine a stored comparison was made by."""

from __future__ import annotations

from awrdiff.analysis import ENGINE_VERSION
from parsers import PARSER_VERSION

CURRENT = f"{PARSER_VERSION}.{ENGINE_VERSION}"
