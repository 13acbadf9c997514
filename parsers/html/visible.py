"""The text that a browser shows of markup."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from parsers.tables.rawtable import AT_ONCE, stretches

_TAG: Final = re.compile(r"<[^<>]*>")
_NO_CHARACTER: Final = re.compile(r"&#[0-9]{9,}+;?")  # Python refuses to make numbers of thousands of digits
_BEFORE_ENTITIES: Final = stretches("[^&]")


def visible_text(markup: str) -> str:
    """Text of `markup`: no tags, entities decoded, hard blanks as blanks."""
    text = _NO_CHARACTER.sub("\ufffd", _TAG.sub("", markup))
    if len(text) > AT_ONCE:
        text = "".join(unescape(match[0]) for match in _BEFORE_ENTITIES.finditer(text))
    else:
        text = unescape(text)
    return text.replace("\u00a0", " ")
