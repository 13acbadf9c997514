"""Parts of wait histograms cut by text columns: ends of bucket labels and K of large counts.

`<128us` is printed `<128u`, 182.8K waits `182.8`: a point means a missing suffix, as counts are whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from parsers.sections.histogram import Bucket, parse_bucket
from parsers.tables.rawtable import RawTable

_TITLE = "wait event histogram"
_CUT = re.compile(r"(<=|>=|<|>)\s*((?:1/)?\d+)\s*([a-z]{0,2})$")
_UNITS = ("us", "ms", "s", "m", "h")
_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9}
_WIDER = 12  # characters that a name may stand out of its column
_FACTORS = (("K", 1e3), ("M", 1e6), ("G", 1e9))


def mend_histograms(tables: list[RawTable]) -> list[RawTable]:
    if not any(_is_histogram(t) for t in tables):
        return tables
    waits = _Waits(_waits_by_event(tables))
    return [_mend(t, waits) if _is_histogram(t) else t for t in tables]


def _is_histogram(table: RawTable) -> bool:
    return table.heading.lower().startswith(_TITLE) and len(table.labels) > 2


def _mend(table: RawTable, waits: _Waits) -> RawTable:
    at = next((i for i, label in enumerate(table.labels) if "waits" in label.lower()), None)
    if at is not None:
        for row in table.rows:
            if "." in row[at] and row[at][-1:] in "0123456789.":
                row[at] += _suffix(row[at], waits.of(row[0], table.widths[0] if table.widths else 0))
    return replace(table, labels=whole_labels(table.labels))


def _suffix(printed: str, expected: float | None) -> str:
    try:
        number = float(printed)
    except ValueError:
        return ""
    if not expected or not number:
        return "K"
    return min(_FACTORS, key=lambda f: abs(number * f[1] / expected - 1))[0]


def whole_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Units restored: each bucket is twice the one before."""
    out: list[str] = []
    for label, following in zip(labels, _following(labels), strict=True):
        if label[:1] not in "<>=" or (parse_bucket(label) and not _is_short(label, out)):
            out.append(label)
            continue
        out.append(_whole(label, out, following))
    return tuple(out)


def _following(labels: Sequence[str]) -> list[Bucket | None]:
    out: list[Bucket | None] = [None]
    for label in reversed(labels[1:]):
        out.append(parse_bucket(label) or out[-1])
    return out[::-1][: len(labels)]


def _is_short(label: str, before: Sequence[str]) -> bool:
    """`>=32m` behind `<32ms` are milliseconds, not minutes."""
    last = parse_bucket(before[-1]) if before else None
    this = parse_bucket(label)
    return bool(last and this and label[:2] == ">=" and this.edge_us != last.edge_us)


def _whole(label: str, before: Sequence[str], following: Bucket | None) -> str:
    match = _CUT.match(label.strip())
    if not match:
        return label
    sign, amount, rest = match.groups()
    last = parse_bucket(before[-1]) if before else None
    if sign == ">=" and last and last.sign == "<":
        return f">={last.name}"
    wanted = last.edge_us * 2 if last else following.edge_us / 2 if following else None
    units = [u for u in _UNITS if u.startswith(rest)]
    if not units or "/" in amount:
        return label
    if wanted is None:
        return f"{sign}{amount}{units[0]}"
    best = min(units, key=lambda u: abs(int(amount) * _US[u] / wanted - 1))
    return f"{sign}{amount}{best}"


class _Waits:
    """Waits by event, also for names cut in either column."""

    def __init__(self, by_event: dict[str, float]) -> None:
        self._by_event = by_event
        self._by_beginning: dict[int, dict[str, float]] = {}  # by its length; of several the first

    def of(self, event: str, width: int) -> float | None:
        if event in self._by_event:
            return self._by_event[event]
        if not event or not width <= len(event) + 1 <= width + _WIDER:
            return None
        return self._beginnings(len(event)).get(event)

    def _beginnings(self, length: int) -> dict[str, float]:
        if length not in self._by_beginning:
            pairs = reversed(self._by_event.items())
            self._by_beginning[length] = {name[:length]: n for name, n in pairs if len(name) >= length}
        return self._by_beginning[length]


def _waits_by_event(tables: Sequence[RawTable]) -> dict[str, float]:
    out: dict[str, float] = {}
    for table in tables:
        heading = table.heading.lower()
        if heading not in ("foreground wait events", "background wait events"):
            continue
        labels = [label.lower() for label in table.labels]
        if "event" not in labels or "waits" not in labels:
            continue
        event, waits = labels.index("event"), labels.index("waits")
        for row in table.rows:
            try:
                out[row[event]] = out.get(row[event], 0.0) + float(row[waits].replace(",", "") or 0)
            except ValueError:
                continue
    return out
