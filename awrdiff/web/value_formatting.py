"""Numbers, times and changes as text; the only place that formats numbers.

No digit below printed resolution: `half` is half the last printed one, 0 for exact counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from django.conf import settings

MINUS = "−"
NONE = "–"
FIGURE_SPACE = "\u2007"
POINT_SPACE = "\u2008"
FIXED = "\u00a0"  # the unit of a heading never stands alone on a line

Direction = Literal["up", "down", "same"]


@dataclass(frozen=True, slots=True)
class Scale:
    """`number * factor` is printed with `suffix`."""

    factor: float
    suffix: str


SECONDS = (Scale(1e9, "ns"), Scale(1e6, "µs"), Scale(1e3, "ms"), Scale(1.0, "s"))
BYTES = tuple(Scale(1.0 / 1024**i, s) for i, s in enumerate(("B", "kB", "MB", "GB", "TB", "PB")))
BYTE_RATES = tuple(Scale(s.factor, f"{s.suffix}/s") for s in BYTES)
COUNTS = (Scale(1.0, ""), Scale(1e-6, "M"), Scale(1e-9, "G"))
PLAIN = Scale(1.0, "")
_LADDERS = {"s": SECONDS, "bytes": BYTES, "bytes_per_s": BYTE_RATES}
# Spread of a column (largest over smallest decile) beyond which one unit for all its cells reads badly.
ONE_UNIT_SPREAD = 500.0


def scale_of(number: float, unit: str | None) -> Scale:
    """One to four digits before the point."""
    size = abs(number)
    if unit == "s":
        for scale, top in zip(SECONDS, (0.9995e-6, 0.9995e-3, 0.9995), strict=False):
            if 0 < size < top:
                return scale
        return SECONDS[-1]
    if unit in ("bytes", "bytes_per_s"):
        ladder = BYTES if unit == "bytes" else BYTE_RATES
        return ladder[min(int(math.log(size, 1024)) if size >= 1 else 0, len(ladder) - 1)]
    if unit == "percent":
        return Scale(1.0, "%")
    if unit in (None, "count", "per_s", "per_txn", "ratio"):
        return COUNTS[0] if size < 1e10 else COUNTS[1] if size < 1e13 else COUNTS[2]
    return PLAIN


def decimals_justified(half: float, factor: float = 1.0) -> int:
    """Justified by ± `half`; a large number if exact."""
    step = 2 * half * factor
    if step <= 0:
        return 9
    return max(0, math.ceil(-math.log10(step) - 1e-6))


def decimals_wanted(number: float, digits: int = 3) -> int:
    """For `digits` significant digits."""
    size = abs(number)
    if size == 0:
        return 0
    return max(0, digits - 1 - math.floor(math.log10(size)))


def plain(number: float, decimals: int = 0) -> str:
    """`-1234.5` as `−1,234.5`; nonzero that rounds to zero: `<0.01`."""
    text = f"{abs(number):,.{decimals}f}"
    if number and not text.strip("0.,"):
        return "<" + f"{10**-decimals:.{decimals}f}"
    return MINUS + text if number < 0 else text


def count_text(number: int, singular: str, many: str = "") -> str:
    """`1 report`, `2 reports`; `many`: irregular plural."""
    return f"{plain(number)} {singular if number == 1 else many or f'{singular}s'}"


def significant(number: float, digits: int = 3, most: int = 6) -> str:
    return plain(number, min(most, decimals_wanted(number, digits)))


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """One unit for all cells, or (None) one each."""

    unit: str | None
    scale: Scale | None
    decimals: int

    @property
    def suffix(self) -> str:
        """For the head; "" if cells carry it, as percent."""
        return self.scale.suffix if self.scale and self.unit != "percent" else ""

    def cell(self, number: float, half: float = 0.0) -> str:
        if self.scale is None:
            return quantity(number, self.unit, half)
        justified = decimals_justified(half, self.scale.factor)
        if self.unit == "count" and half == 0 and float(number).is_integer() and self.scale is COUNTS[0]:
            justified = 0
        decimals_shown = min(self.decimals, justified)
        text = plain(number * self.scale.factor, decimals_shown)
        missing = 0 if text.startswith("<") else self.decimals - decimals_shown
        if missing:
            text += (POINT_SPACE if not decimals_shown else "") + FIGURE_SPACE * missing
        return f"{text} %" if self.unit == "percent" else text


def column_format(unit: str | None, numbers: Iterable[float]) -> ColumnFormat:
    """One unit for similar sizes, else one per cell."""
    sizes = sorted(abs(n) for n in numbers if n)
    if not sizes:
        return ColumnFormat(unit, scale_of(0, unit), 0)
    low, middle, high = sizes[len(sizes) // 10], sizes[len(sizes) // 2], sizes[-1]
    if unit in ("s", "bytes", "bytes_per_s") and high > low * ONE_UNIT_SPREAD:
        return ColumnFormat(unit, None, 0)
    if all(n == int(n) for n in sizes) and unit not in ("s", "bytes"):
        return ColumnFormat(unit, scale_of(high, unit), 0 if high < 1e10 else 1)
    scale = scale_of(middle, unit)
    wanted = max(decimals_wanted(middle * scale.factor), decimals_wanted(low * scale.factor, 2))
    return ColumnFormat(unit, scale, min(1 if unit == "percent" else 2, wanted))


def printed_scale(number: float, unit: str | None, half: float) -> Scale:
    """A larger unit if the last printed digit is worth more than one: 0.3 s stays `0.3 s`, never `300 ms`."""
    scale = scale_of(number or 2 * half, unit)
    ladder = _LADDERS.get(unit or "", ())
    if not half or not ladder:
        return scale
    for larger in ladder[ladder.index(scale) + 1 :] if scale in ladder else ():
        if 2 * half * scale.factor <= 1.01:
            break
        scale = larger
    return scale


@lru_cache(maxsize=4096)  # a page says a figure in its chart and in its table
def quantity(number: float, unit: str | None, half: float = 0.0, digits: int = 3) -> str:
    """`3.31 ms`, `5.65 s`, `1.9 GB`, `1,234`."""
    scale = printed_scale(number, unit, half)
    if number == 0:
        return f"0 {scale.suffix}".strip()
    wanted = decimals_wanted(number * scale.factor, digits)
    if unit in (None, "count") and half == 0 and float(number).is_integer() and scale is COUNTS[0]:
        wanted = 0
    text = plain(number * scale.factor, min(wanted, 6, decimals_justified(half, scale.factor)))
    return f"{text} {scale.suffix}" if scale.suffix else text


_BYTE_WORDS = r"[KMGT]|[KMGT]B|[KMGT]bytes|M bytes|b|bytes"
_IN_PARENTHESES = {
    "s": re.compile(r"\s*\((?:ns|us|usec|ms|msec|cs|s|secs?|seconds|mins?|hrs?)\)", re.I),
    "bytes": re.compile(rf"\s*\((?:{_BYTE_WORDS})\)", re.I),
    "bytes_per_s": re.compile(rf"\s*\((?:{_BYTE_WORDS})\)", re.I),
    "count": re.compile(r"\s*\((?:K|thousands)\)", re.I),
}
_BARE_BYTES = re.compile(r"\b(?:[kKMGT][bB]|[KMG]bytes|M bytes)\b")
_A_SECOND = re.compile(r"\s*/\s*s(?:ec)?\b|\bper s(?:ec(?:ond)?)?\b", re.I)


def label(printed: str, unit: str | None) -> str:
    """Without its unit: `Tun Ret (mins)` is stored in seconds, `Physical Reads (K)` as whole, `W/A MB Processed` in
    bytes.
    """
    text = _IN_PARENTHESES[unit].sub(" ", printed) if unit in _IN_PARENTHESES else printed
    if unit in ("bytes", "bytes_per_s"):
        text = _BARE_BYTES.sub(" ", text)
    if unit == "bytes_per_s":
        text = _A_SECOND.sub(" ", text)
    return " ".join(text.split()) or ("Data" if printed else "")


def title_of(printed: str, unit: str | None, column_id: str) -> str:
    """By default from the column's id."""
    return label(printed, unit) or column_id.replace("_", " ").strip().capitalize()


def head(text: str, unit: str | None, suffix: str) -> str:
    """`Elapsed Time, s`, `Data, MB per s`, `Misses, per s`."""
    if unit == "per_s" and not _A_SECOND.search(text):
        return f"{text},{FIXED}per{FIXED}s"
    if not suffix:
        return text
    rate = next((r for r in (" per s", " per txn") if text.endswith(r)), "")
    return f"{text.removesuffix(rate)},{FIXED}{suffix}{rate.replace(' ', FIXED)}"


def share(percent: float | None) -> str:
    """`87.4 %`, `0.1 %`; without decimals from 10 %."""
    if percent is None:
        return NONE
    decimals = 0 if abs(percent) >= 10 or percent == 0 else 1
    return f"{plain(percent, decimals)} %"


def file_size(size: int) -> str:
    """Binary: `1.2 MB`."""
    scale = scale_of(size, "bytes")
    scaled = size * scale.factor
    decimals = 0 if scale.factor == 1.0 or scaled == int(scaled) or scaled >= 100 else 1
    return f"{plain(scaled, decimals)} {scale.suffix}"


def signed(number: float, digits: int = 3, most: int = 2) -> str:
    """`+27.2`, `−0.03`; below `most` decimals `<0.01`, the sign left to its arrow."""
    text = plain(abs(number), min(most, decimals_wanted(number, digits)))
    if text.startswith("<") or not number:
        return text
    return (MINUS if number < 0 else "+") + text


def relative(first: float, second: float, error: float = 0.0) -> str:
    """`×6.2` from twice up, else `+15 %`, `−65 %`. `error`: relative uncertainty, reduces decimals."""
    ratio = second / first
    if ratio >= 2:
        decimals = 0 if ratio >= 100 or error > (0.3 if ratio < 10 else 0.005) else 1
        return f"×{plain(ratio, decimals)}"
    change = (ratio - 1) * 100
    decimals = 0 if abs(change) >= 10 or error > 0.003 else 1
    if ratio < 0.01 and ratio > 0:
        decimals = 1
    text = plain(abs(change), decimals)
    sign = "" if text.startswith("<") else MINUS if change < 0 else "+"
    return f"{sign}{text} %"


def points(difference: float, half: float = 0.0) -> str:
    """Difference of two percentages."""
    decimals = min(1 if abs(difference) >= 0.1 else 2, decimals_justified(half))
    return f"{signed(difference, 3, decimals)} pt"


ARROWS: dict[Direction, str] = {"up": "▲", "down": "▼", "same": "="}


def direction(difference: float) -> Direction:
    return "up" if difference > 0 else "down" if difference < 0 else "same"


def local(at: datetime) -> datetime:
    """In the local user's clock, else UTC."""
    return at.astimezone(machine_zone() if settings.AWRDIFF_LOCAL_USER else UTC)


def zone_text() -> str:
    """` UTC`, or "" for the local clock."""
    return "" if settings.AWRDIFF_LOCAL_USER and machine_zone() is not UTC else " UTC"


def moment(at: datetime) -> str:
    """`22 Nov 2026 12:23 UTC`"""
    local_time = local(at)
    return f"{local_time.day} {local_time:%b %Y %H:%M}{zone_text()}"


@cache
def machine_zone() -> tzinfo:
    """UTC if unnamed. Ignores TZ, which Django sets."""
    name = str(Path("/etc/localtime").resolve()).partition("/zoneinfo/")[2].removeprefix("posix/")
    try:
        return ZoneInfo(name) if name not in ("", "UTC", "Etc/UTC") else UTC
    except (KeyError, ValueError, OSError):
        return UTC
