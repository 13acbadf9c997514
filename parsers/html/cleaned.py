"""The text of cells: white space collapsed, entities as characters; each text is worked out once."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from parsers.tables.rawtable import AT_ONCE, collapse, stretches

MAX_SPANNED = 100_000  # cells that stand for a span; the most seen in a report are 816
_ENTITY = re.compile(r"&(?:[A-Za-z]\w{1,30}|#\w{1,8});")  # lxml, too, leaves alone what has no semicolon
_BEFORE_ENTITIES = stretches("[^&]")


class Cleaner(dict["str | None", str]):
    """Cell text with its white space collapsed; each text is cleaned once."""

    spanned = MAX_SPANNED  # cells that spans may still add to what is printed

    def __missing__(self, text: str | None) -> str:
        self[text] = kept = collapse(text) if text else ""  # one copy of each
        return kept


class Unescaper(dict[str, str]):
    """The same for cells as they are written in the page, with entities."""

    def __missing__(self, text: str) -> str:
        self[text] = kept = collapse(_with_characters(text) if "&" in text else text)
        return kept


def _with_characters(text: str) -> str:
    if len(text) <= AT_ONCE:
        return _ENTITY.sub(_character, text)
    return "".join(_ENTITY.sub(_character, found[0]) for found in _BEFORE_ENTITIES.finditer(text))


def _character(entity: re.Match[str]) -> str:
    return _meant(entity[0])


_meant = lru_cache(maxsize=1024)(unescape)
