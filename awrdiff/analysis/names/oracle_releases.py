"""Releases as comparable numbers."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,9}")  # what a broken file prints may be of thousands of digits
_MOST = 5


_AI = 23
_CALLED_26 = 26  # from 23.26 on


def release_numbers(release: str | None) -> tuple[int, ...]:
    """`11.2.0.4.0` as (11, 2, 0, 4, 0); empty if not printed."""
    return tuple(int(number) for number in _NUMBER.findall((release or "")[:60])[:_MOST])


def with_product(release: str) -> str:
    """`23.26.1.0.0 (26ai)`: 23.0 may be either product."""
    major, minor, *_ = (*release_numbers(release), 0, 0)
    if major != _AI or not minor:
        return release
    return f"{release} ({'26ai' if minor >= _CALLED_26 else '23ai'})"
