"""The text that a browser shows of markup."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

_TAG: Final = re.compile(r"<[^<>]*>")
_NO_CHARACTER: Final = re.compile(r"&#[0-9]{9,}+;?")  # Python refuses to make numbers of thousands of digits


def shown(markup: str) -> str:
    """`markup` without tags, its entities as characters and hard blanks as blanks."""
    text = _NO_CHARACTER.sub("\ufffd", _TAG.sub("", markup))
    return unescape(text).replace("\u00a0", " ")
