"""Releases as numbers, to tell the older from the newer."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,9}")  # what a broken file prints may be of thousands of digits
_MOST = 5


def release_numbers(release: str | None) -> tuple[int, ...]:
    """`11.2.0.4.0` as (11, 2, 0, 4, 0); empty where none is printed."""
    return tuple(int(number) for number in _NUMBER.findall((release or "")[:60])[:_MOST])
