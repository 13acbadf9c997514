"""Printed cells to numbers in base units with their resolution.

Suffixes are binary for bytes (2,130,255,134,720 is `1.9T`), decimal for counts (92,374 is `92.4K`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters

from parsers.model import Value

_NUMBER = re.compile(r"([-+]?)(\d{1,45}|\d{1,3}(?:,\d{3}){1,15})?(?:\.(\d{0,60}))?(?:[eE]([-+]?\d{1,3}))?\s*$")
_LETTERS = f"{ascii_letters}µ"
_MOST_SUFFIX = 3
_FEW_DIGITS = 15
_HALVES = tuple(0.5 * 10.0**-digits for digits in range(_FEW_DIGITS))  # of the last digit, by digits behind the point
_TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "cs": 1e-2}
_DECIMAL = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_BINARY = {"b": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40, "p": 2.0**50}
_NOT_PRINTED = frozenset(("", "n/a", "null", "-", "--", "none", "nan", "n/a%"))
_MOST_EXPONENT = 126  # of Oracle's NUMBER: what is computed of such figures stays finite
_MEMO_LIMIT, _MEMO_LENGTH = 20_000, 40  # texts and characters of each

BYTE_UNITS = frozenset(("bytes", "bytes_per_s", "bytes_per_txn"))
EXACT_UNITS = frozenset(("count", "bytes", "as_labelled"))


def read_number(text: str, unit: str, scale: float = 1.0, *, exact: bool = False) -> Value | None:
    """None if not a number.

    `scale`: printed unit of cells without suffix. `exact`: integers without suffix are not rounded.
    """
    whole, point, decimals = text.partition(".")
    if "," in whole and whole[-4::-4] == "," * whole.count(",") and whole[0] != ",":  # each fourth from the end
        whole = whole.replace(",", "")
    # Nearly all have few digits, commas and a point, and nothing else: these take half the time of a pattern.
    if not whole.isdecimal() or len(whole) > _FEW_DIGITS:
        return _read_any(text, unit, scale, exact=exact)
    if not point:
        number: float = int(whole)
    elif decimals.isdecimal() and len(decimals) < _FEW_DIGITS:
        number = float(f"{whole}.{decimals}")
    else:
        return _read_any(text, unit, scale, exact=exact)
    half = _HALVES[len(decimals)]
    if scale != 1.0:
        number = number * scale if scale >= 1 else number / round(1 / scale)
        half *= scale
    elif exact and not point:
        half = 0
    return tuple.__new__(Value, (number, half))  # as Value(number, half), in a quarter less time


def _read_any(text: str, unit: str, scale: float, *, exact: bool) -> Value | None:
    printed = text.rstrip(_LETTERS)
    if printed != text:
        suffix = text[len(printed) :]
        factor = _factor(suffix, unit, scale) if len(suffix) <= _MOST_SUFFIX else None
        return None if factor is None else read_number(printed, unit, factor)
    match = _NUMBER.match(text)
    if not match:
        return None
    sign, whole, decimals, power = match.groups()
    if not whole and not decimals:
        return None
    digits = len(decimals or "")
    exponent = int(power or 0)
    if exponent > _MOST_EXPONENT:
        return None
    plain = int((whole or "0").replace(",", ""))
    if not decimals and not power and scale == 1:
        return Value(-plain if sign == "-" else plain, 0 if exact else 0.5)
    number = float(f"{sign}{plain}.{decimals or 0}e{exponent}")
    number = number * scale if scale >= 1 else number / round(1 / scale)
    return Value(number, 0.5 * 10.0 ** (exponent - digits) * scale)


def _factor(suffix: str, unit: str, scale: float) -> float | None:
    low = suffix.lower()
    if unit == "s":
        # A thousand seconds is `1K`, in capitals; a small m would be minutes, which no release prints.
        return _TIMES.get(low) or (_DECIMAL[low] * scale if suffix.isupper() and low in _DECIMAL else None)
    if unit in BYTE_UNITS:
        return _BINARY.get(low[0]) if low in _BINARY or low.rstrip("b") in _BINARY else None
    return _DECIMAL[low] * scale if low in _DECIMAL else None


def is_overflow(text: str) -> bool:
    """`####`: the number was wider than the column."""
    return bool(text) and not text.strip("#")


class NumberReader(dict[str, "Value | None"]):
    """Cached reader; `unreadable`: neither numbers nor empty."""

    __slots__ = ("exact", "scale", "unit", "unreadable")

    def __init__(self, unit: str, scale: float, *, exact: bool) -> None:
        super().__init__()
        self.unit, self.scale, self.exact = unit, scale, exact
        self.unreadable: set[str] = set()

    def __missing__(self, text: str) -> Value | None:
        value = read_number(
            text.rstrip("%") if self.unit == "percent" else text, self.unit, self.scale, exact=self.exact
        )
        if len(self) > _MEMO_LIMIT or len(self.unreadable) > _MEMO_LIMIT:
            self.clear()
            self.unreadable.clear()
        if value is None and (len(text) > _MEMO_LENGTH or text.lower() not in _NOT_PRINTED):
            self.unreadable.add(text)
        if len(text) <= _MEMO_LENGTH:
            self[text] = value
        return value


_READERS: dict[tuple[str, float, bool], NumberReader] = {}


def number_reader(unit: str, scale: float, *, exact: bool) -> NumberReader:
    key = (unit, scale, exact)
    if key not in _READERS:
        _READERS[key] = NumberReader(unit, scale, exact=exact)
    return _READERS[key]


_IN_LABEL = re.compile(
    r"(?:^|[\s(\-/])(ns|us|usec|ms|msec|cs|s|secs?|seconds|mins?|hrs?|[KMG]|"
    r"[kKMGT][bB]|[KMG]bytes|M bytes|[Mm]egabytes|[Gg]igabytes|thousands|b|bytes)(?=$|[\s)/])"
)
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "cs": 1e-2,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "min": 60.0, "mins": 60.0, "hr": 3600.0, "hrs": 3600.0,
}  # fmt: skip


@lru_cache(maxsize=2048)
def label_scale(label: str, unit: str) -> float | None:
    """Printed unit in "Avg wait (ms)", "Size (M)"; else None."""
    for word in _IN_LABEL.findall(label):
        if unit == "s" and word in _SECONDS:
            return _SECONDS[word]
        first = word[0].lower()
        if unit in BYTE_UNITS and (word in ("b", "bytes") or (first in "kmg" and word not in _SECONDS)):
            return 1.0 if word in ("b", "bytes") else _BINARY[first]
        if unit not in BYTE_UNITS and unit != "s" and word in ("K", "thousands"):
            return 1e3
    return None
