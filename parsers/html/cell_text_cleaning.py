"""Text of cells: white space collapsed, entities decoded, cached."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import Final

from parsers.tables.rawtable import AT_ONCE, collapse, stretches

_TAG: Final = re.compile(r"<[^<>]*>")
_NO_CHARACTER: Final = re.compile(r"&#[0-9]{9,}+;?")  # Python refuses to make numbers of thousands of digits


def visible_text(markup: str) -> str:
    text = _NO_CHARACTER.sub("\ufffd", _TAG.sub("", markup))
    if len(text) > AT_ONCE:
        text = "".join(unescape(match[0]) for match in _BEFORE_ENTITIES.finditer(text))
    else:
        text = unescape(text)
    return text.replace("\u00a0", " ")


MAX_SPANNED = 100_000  # cells that stand for a span; the most seen in a report are 816
_ENTITY = re.compile(r"&(?:[A-Za-z]\w{1,30}|#\w{1,8});")  # lxml, too, leaves alone what has no semicolon
_BEFORE_ENTITIES = stretches("[^&]")


class Cleaner(dict["str | None", str]):
    """Cell text with collapsed white space, cached."""

    spanned = MAX_SPANNED  # cells that spans may still add to what is printed

    def __missing__(self, text: str | None) -> str:
        self[text] = cleaned = collapse(text) if text else ""  # one copy of each
        return cleaned


class Unescaper(dict[str, str]):
    """Variant of `Cleaner` for page source with entities."""

    def __missing__(self, text: str) -> str:
        self[text] = cleaned = collapse(_with_characters(text) if "&" in text else text)
        return cleaned


def _with_characters(text: str) -> str:
    if len(text) <= AT_ONCE:
        return _ENTITY.sub(_character, text)
    return "".join(_ENTITY.sub(_character, match[0]) for match in _BEFORE_ENTITIES.finditer(text))


def _character(entity: re.Match[str]) -> str:
    return _unescape(entity[0])


_unescape = lru_cache(maxsize=1024)(unescape)
