"""Wait event histograms, one line per side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.kinds import refs
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.rows.histogram_percentiles import PERCENTILES, Below, bucket_range, cumulative_shares
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, round_ticks
from awrdiff.web.charts.frame import SIDES, Chart, Frame, Label, fitting, levels, rules
from awrdiff.web.charts.shapes import Mark, bar, line
from awrdiff.web.presenters.section import missing_rows
from awrdiff.web.presenters.section.columns_and_cells import Cell, number_of
from awrdiff.web.presenters.section.compared_section import Options, shown_rows
from awrdiff.web.presenters.section.row_limits import WINDOW, Compared, fit_rows, start_of, window_of
from parsers.model import Column, Value

_GAP = 0.25  # of a bucket's place, between it and the next
_MOST_TICKS = 5
_LEAST = 0.25  # percent of the height: a share of almost nothing is still seen
_QUARTERS = tuple((part, f"{part:.0f}") for part in (0.0, 25.0, 50.0, 75.0, 100.0))


def chart(buckets: Sequence[str], first: Sequence[float | None], second: Sequence[float | None]) -> Chart:
    """Share of waits per bucket in percent; None: not printed."""
    begin, end = filled_buckets(first, second)
    ticks = round_ticks(max((v or 0.0 for v in (*first, *second)), default=0.0), _MOST_TICKS)
    frame = Frame(Linear(0, max(1, end - begin)), Linear(0, ticks[-1][0]))
    visible_buckets, sides = list(buckets[begin:end]), (first[begin:end], second[begin:end])
    lines = [
        mark
        for side, shares in zip(("first", "second"), sides, strict=True)
        for mark in _below(side, shares, frame)
        if any(shares)
    ]
    hits = []
    for at, bucket in enumerate(visible_buckets):
        bucket_shares = [(side, shares[at]) for side, shares in zip(("First", "Second"), sides, strict=True)]
        texts = [f"{side} {share:g} % of the waits" for side, share in bucket_shares if share is not None]
        if texts:
            hits.append(bar("hit", (frame.x(at), frame.x(at + 1)), (0, 100), "\n".join((bucket, *texts))))
    shares = levels(frame.up, ticks, " %")
    return Chart(
        marks=(*_bars(sides, frame), *lines, *hits),
        height=200,
        alt="First against second: share of waits in each latency bucket and how much took less. Tables say the same.",
        note="bars: share of the waits · lines: how much took less (right)",
        left=44,
        right=48,
        top=26,
        bottom=22,
        rules=rules(shares),
        levels=shares,
        right_levels=levels(Linear(0, 100), _QUARTERS, " %"),
        names=fitting([Label(frame.x(at + 0.5), name) for at, name in enumerate(visible_buckets)]),
        keys=SIDES,
    )


def filled_buckets(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[int, int]:
    """With one empty bucket before."""
    full = [at for at, pair in enumerate(zip(first, second, strict=True)) if any(pair)]
    return (max(full[0] - 1, 0), min(full[-1] + 2, len(first))) if full else (0, 0)


def _bars(sides: Sequence[Sequence[float | None]], frame: Frame) -> Iterator[Mark]:
    width = (1 - _GAP) / 2
    for place, (side, shares) in enumerate(zip(("first", "second"), sides, strict=True)):
        for at, share in enumerate(shares):
            if share:
                bar_start = at + _GAP / 2 + place * width
                across = frame.x(bar_start), frame.x(bar_start + width)
                yield bar(f"fill-{side}", across, (min(frame.y(share), 100 - _LEAST), 100), key=side)


def _below(side: str, shares: Sequence[float | None], frame: Frame) -> Iterator[Mark]:
    whole, so_far, places = sum(s or 0.0 for s in shares), 0.0, [(0.0, 100.0)]
    for at, share in enumerate(shares):
        if share is not None:
            so_far += share
            places.append((frame.x(at + 1), 100 - so_far / (whole or 1.0) * 100))
    yield line("halo", places, side)
    yield line(f"edge {side}", places, side)


SECTION = "wait_event_histogram"
EVENTS = WINDOW // 2
SHADES = ((50.0, "h5"), (20.0, "h4"), (8.0, "h3"), (2.0, "h2"), (0.0, "h1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramView(Compared):
    buckets: tuple[str, ...]
    rows: list[dict[str, Any]]
    chart: Chart | None = None
    drawn_row: str = ""
    percentiles: tuple[tuple[str, list[str]], ...] = ()  # of each side, between which buckets they lie

    @property
    def percentile_heads(self) -> tuple[str, ...]:
        return tuple(f"p{p}" for p in PERCENTILES)

    @property
    def span(self) -> int:
        return len(self.buckets) + 1


def is_histogram(section: ComparedSection) -> bool:
    return section.id.startswith(SECTION) and len(buckets_of(section)) > 3


def buckets_of(section: ComparedSection) -> list[Column]:
    return [c for c in section.columns if c.unit == "percent"]


def present(section: ComparedSection, options: Options) -> HistogramView:
    rows = shown_rows(section, options)
    hidden_count = 0 if options.text else len(section.rows) - len(rows)
    rows.sort(key=lambda r: (r.idle, -_waits_moved(r, buckets_of(section))))
    window = window_of(2 * len(buckets_of(section)), EVENTS)
    start = start_of((r.row_id for r in rows), options.row, options.start, window)
    window_rows = rows[start : start + window]
    buckets = [c for c in buckets_of(section) if any(_is_printed(r, c.id) for r in section.rows)]
    labels = tuple(bucket_label(c) for c in buckets)
    drawn_row = next((r for r in window_rows if r.row_id == options.row), window_rows[0] if window_rows else None)
    own = _own_buckets(drawn_row, buckets) if drawn_row else []
    return HistogramView(
        section=section,
        buckets=labels,
        rows=fit_rows(_event(section, r, buckets) for r in window_rows),
        total=len(section.rows),
        hidden_rows=hidden_count,
        matched=len(rows),
        start=start,
        window=window,
        step=options.step,
        chart=chart(tuple(map(bucket_label, own)), *_shares(drawn_row, own)) if drawn_row else None,
        drawn_row=drawn_row.row_id if drawn_row else "",
        percentiles=tuple(_percentiles(drawn_row, own)) if drawn_row else (),
    )


def _own_buckets(row: ComparedRow, buckets: list[Column]) -> list[Column]:
    """Without `≥512 µs` style sums that the event splits further."""
    return [c for c in buckets if c.id.startswith("pct_lt") or _is_printed(row, c.id)]


def _percentiles(row: ComparedRow, buckets: list[Column]) -> Iterator[tuple[str, list[str]]]:
    labels = [bucket_label(c) for c in buckets]
    for at, side in enumerate(("First", "Second")):
        curve = cumulative_shares([number_of(row, c.id, at) for c in buckets])
        yield side, [_range_text(curve, labels, bucket_range(curve, p)) for p in PERCENTILES]


def _range_text(curve: Sequence[Below], labels: Sequence[str], place: tuple[int, int] | None) -> str:
    """`4 – 8 ms`, `<1 ms`, `≥1 h`: range of the percentile."""
    if place is None:
        return fmt.NONE
    first, last = place
    end = labels[curve[last].at]
    if first == 0 or end[0] not in "<≤":
        return end if first == last else f"≥{_edge(labels[curve[first - 1].at])}" if first else "any"
    begin, end = _edge(labels[curve[first - 1].at]), _edge(end)
    number, _, unit = begin.partition(" ")
    return f"{number if end.endswith(f' {unit}') else begin} – {end}"


def _edge(label: str) -> str:
    return label.lstrip("<≤≥>")


def bucket_label(column: Column) -> str:
    """`pct_lt_8us` is `<8 µs`, `pct_ge_1h` is `≥1 h`."""
    text = column.id.removeprefix("pct_")
    sign = {"lt": "<", "le": "≤", "ge": "≥", "gt": ">"}.get(text[:2])
    if not sign or "_" not in text:
        return column.label
    edge = text.split("_", 1)[1]
    number = edge.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = {"us": "µs", "m": "min"}.get(edge[len(number) :], edge[len(number) :])
    return f"{sign}{number.replace('_', '.')} {unit}"


def _is_printed(row: ComparedRow, column: str) -> bool:
    return any((value := number_of(row, column, at)) is not None and value.number for at in (0, 1))


def _waits_moved(row: ComparedRow, buckets: list[Column]) -> float:
    deltas = [d for c in buckets if (d := row.values.get(c.id)) is not None]
    share = sum(abs(d.diff or 0.0) for d in deltas) / 200.0
    counts = [v.number for at in (0, 1) if (v := number_of(row, "waits", at)) is not None]
    return share * min(counts) if len(counts) == 2 else 0.0


def _event(section: ComparedSection, row: ComparedRow, buckets: list[Column]) -> dict[str, Any]:
    own, name = _own_buckets(row, buckets), section.key[0]
    shares = dict(zip(("first", "second"), _shares(row, own), strict=True))
    thing = refs(row, frozenset(section.key)).get(name)
    return {
        "id": row.row_id,
        "name": row.key.get(name, ""),
        "path": thing.path if thing else "",
        "cls": "idle" if row.idle else "",
        "first": _side(section, row, buckets, 0),
        "second": _side(section, row, buckets, 1),
        "chart": json.dumps(
            {**shares, "buckets": [bucket_label(c) for c in own]}, separators=(",", ":"), ensure_ascii=False
        ),
    }


def _shares(row: ComparedRow, buckets: list[Column]) -> tuple[list[float | None], list[float | None]]:
    first, second = (
        [round(value.number, 2) if (value := number_of(row, c.id, at)) is not None else None for c in buckets]
        for at in (0, 1)
    )
    return first, second


def _side(section: ComparedSection, row: ComparedRow, buckets: list[Column], at: int) -> dict[str, Any]:
    waits = number_of(row, "waits", at)
    absent = row.status == ("only_second", "only_first")[at]
    return {
        "waits": fmt.quantity(waits.number, "count", waits.half) if waits is not None else fmt.NONE,
        "cells": [] if absent else [_cell(number_of(row, c.id, at)) for c in buckets],
        "absent": missing_rows.absent(section, first=not at) if absent else None,
    }


def _cell(value: Value | None) -> Cell:
    if value is None:
        return Cell(c="", t="", h="")
    if value.number == 0:
        # `.0` is printed for at least one wait under 0.05 %; a blank cell is exactly none.
        return Cell(c="h0", t="<0.1" if value.half else "", h="")
    shade = next(cls for floor, cls in SHADES if value.number >= floor)
    return Cell(c=shade, t=fmt.plain(value.number, 1), h="")
