"""Making values storable: PostgreSQL stores no NUL, no database a lone surrogate, no JSON column an infinity."""

from __future__ import annotations

import math
import re
from typing import Any

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def storable_text(text: str) -> str:
    """NUL becomes a space, a lone surrogate U+FFFD."""
    if text.isascii():
        return text.replace("\x00", " ")
    return _UNFIT.sub(lambda match: " " if match[0] == "\x00" else "�", text)


def one_line(text: str) -> str:
    """Storable text with single spaces between words."""
    return " ".join(storable_text(text).split())


def storable(document: Any) -> Any:
    """Storable texts, null for numbers not finite."""
    if isinstance(document, str):
        return storable_text(document)
    if isinstance(document, float):
        return document if math.isfinite(document) else None
    if isinstance(document, dict):
        return {storable(key): storable(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [storable(value) for value in document]
    return document
