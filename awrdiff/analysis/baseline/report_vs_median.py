"""Comparison of one report with the median of several, and its place among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from msgspec.structs import replace

from awrdiff.analysis.baseline.aligned_sections import (
    Lines,
    Widths,
    lines_of,
    measure,
    series_of,
    unit_of,
    width_of,
    without_looking_for_cycles,
)
from awrdiff.analysis.baseline.baseline_sentences import baseline_name, median_name, member_text, span_text, unlike_text
from awrdiff.analysis.baseline.member_selection import restarted_inside
from awrdiff.analysis.baseline.robust_statistics import position_text, spread_of, standing, standing_text
from awrdiff.analysis.baseline.section_vs_median import (
    BaselineFigure,
    BaselineSelection,
    compare_with_baseline,
    yardstick_of,
)
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.baseline_spread import Spread, Standing
from awrdiff.analysis.model.comparison import Comparison, Evidence, Finding, Lies, Median, Warning_
from awrdiff.analysis.names.truncated_names import narrower_width
from awrdiff.analysis.report.activity_over_time_slots import SLOTS
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.rows.align import merged_order
from awrdiff.analysis.rows.deltas import unit_factor
from awrdiff.analysis.rows.text_differences import texts_differ
from awrdiff.analysis.verdict.rule_registry import BY_ID
from parsers.model import (
    Cell,
    Column,
    Coverage,
    Database,
    Host,
    Instance,
    Period,
    Report,
    Row,
    Section,
    Snapshot,
    Value,
)

_TOTALS = ("total_wait_time_s", "elapsed_time_s", "time_s", "total")
_NO_HIGH = "high-coverage"  # "the figures of that report do not add up": nor need medians

Rows = Mapping[str, Mapping[str, Mapping[str, BaselineFigure]]]  # by section, row and column


def compare_with_median(members: Sequence[Report], second: Report, traces: Sequence[Report] = ()) -> Comparison:
    """First is the median of two or more interval `members`."""
    computed = compare_reports(typical_report(members, second), second, traces, of_median=True)
    rows = _rows(members, second, [*_evidence(computed)])
    measures = [measure(r) for r in (*members, second)]
    *busy, load = (m.sessions for m in measures)
    busier = standing(load, busy) if load is not None else None
    name = median_name(members, second)
    return replace(
        computed,
        warnings=(
            *_unlike(members, second),
            *(w for w in computed.warnings if not (w.code == _NO_HIGH and "First" in w.text)),
        ),
        findings=tuple(_weighed(f, rows, len(members)) for f in computed.findings),
        median=Median(
            of=len(members),
            name=name,
            description=f"{name}, {span_text(members, second)}",
            reports=tuple(map(member_text, members, measures)),
            sessions=_position_of_sessions(busier, spread_of(busy)),
            sessions_outside=busier is not None and busier.is_outside,
            lies={
                (section, row): lies
                for section, section_rows in rows.items()
                for row, figures in section_rows.items()
                if (lies := lies_of(figures)) is not None
            },
        ),
    )


def _unlike(members: Sequence[Report], second: Report) -> Iterator[Warning_]:
    warnings = unlike_text([*members, second], BaselineSelection(tuple(range(len(members))), len(members)))
    return (Warning_("unlike-second", f"Chosen by hand: {text}") for text in warnings)


def _position_of_sessions(lies: Standing | None, spread: Spread | None) -> str:
    if lies is None or spread is None:
        return ""
    return f"{standing_text(lies)} ({number(spread.low.number)} to {number(spread.high.number)})"


def lies_of(figures: Mapping[str, BaselineFigure], column: str = "") -> Lies | None:
    """Place of Second's row, by its time if any."""
    for name in (column, *_TOTALS, *figures):
        figure = figures.get(name)
        if figure is not None and figure.standing is not None and figure.spread is not None:
            text = position_text(figure.standing, figure.spread, per_s=figure.per_s)
            return Lies(name, figure.standing, figure.spread, figure.per_s, text)
    return None


def _evidence(computed: Comparison) -> Iterator[tuple[str, str]]:
    cited: list[Evidence | None] = [e for f in computed.findings for e in f.evidence]
    cited += [m.evidence for m in computed.ranked.movers] if computed.ranked is not None else []
    yield from ((e.section, e.row_id) for e in cited if e is not None and e.row_id)
    parts = computed.attribution.parts if computed.attribution is not None else ()
    yield from ((p.section, p.row_id) for p in parts if p.row_id)


def _rows(members: Sequence[Report], second: Report, wanted: Iterable[tuple[str, str]]) -> Rows:
    reports = [*members, second]
    measures = [measure(r) for r in reports]
    selection = BaselineSelection(tuple(range(len(members))), len(members))
    bases, yardstick = [m.basis for m in measures], yardstick_of(measures, selection)
    by_section: dict[str, set[str]] = {}
    for section, row in wanted:
        by_section.setdefault(section, set()).add(row)
    standings: dict[str, Mapping[str, Mapping[str, BaselineFigure]]] = {}
    for section, rows in by_section.items():
        sections = [r.section(section) for r in reports]
        if any(s is not None for s in sections):
            standings[section] = compare_with_baseline(
                series_of(sections, bases, rows), bases, selection, yardstick
            ).figures
    return standings


def _weighed(finding: Finding, rows: Rows, of: int) -> Finding:
    cited = [rows.get(e.section, {}).get(e.row_id or "", {}) for e in finding.evidence]
    lies = [place for h, e in zip(cited, finding.evidence, strict=True) if (place := lies_of(h, e.column)) is not None]
    listed = max((place.standing.printed for place in lies), default=0)
    if finding.rule == "sql-entering" and listed:
        verb = "lists" if listed == 1 else "list"
        finding = replace(finding, text=f"{finding.text} {listed} of the {of} reports of First {verb} it.")
    if BY_ID[finding.rule].one_sided or not lies or any(place.standing.is_outside for place in lies):
        return finding
    return replace(finding, severity="note", folded_because="usual")


T = TypeVar("T")
Printed = tuple[Section, Row, float | None]  # a row of one report, and what its totals are multiplied by
_ADVICE = "addm"  # in the words of one hour
_HISTOGRAM = "wait_event_histogram"


def typical_report(members: Sequence[Report], second: Report) -> Report:
    """Median over a window as long as that of `second`."""
    sides = [Side(m) for m in members]
    window = Side(second).elapsed
    factors = [
        window.number / side.elapsed.number if window is not None and side.elapsed is not None else None
        for side in sides
    ]
    with without_looking_for_cycles():
        sections = tuple(_sections(members, factors))
    last = members[-1]
    times = [_scaled(side.db_time, factor) for side, factor in zip(sides, factors, strict=True)]
    return Report(
        kind=last.kind,
        format=last.format,
        encoding=last.encoding,
        release=_same([m.release for m in members]),
        database=_common(
            Database, [m.database for m in members], "name", "dbid", "unique_name", "role", "edition", "rac", "cdb"
        ),
        instances=_instances(members),
        host=_common(Host, [m.host for m in members], "name", "platform", "cpus", "cores", "sockets", "memory_bytes"),
        period=Period(
            Snapshot(sessions=_middle([m.period.begin.sessions for m in members])),
            Snapshot(sessions=_middle([m.period.end.sessions for m in members])),
            window,
            _median(times),
        ),
        sections=sections,
        issues=tuple(replace(i, text=f"{m.name}: {i.text}") for m in members for i in m.gaps),
        name=baseline_name(len(members)),
    )


def _sections(members: Sequence[Report], factors: Sequence[float | None]) -> Iterator[Section]:
    order = reduce(merged_order, ([s.id for s in m.sections] for m in reversed(members)))
    of_an_interval = members[-1].kind in OF_AN_INTERVAL
    for section_id in order:
        if of_an_interval and (section_id == SLOTS or _ADVICE in section_id):  # of the clock of one hour
            continue
        sections = [m.section(section_id) for m in members]
        if 2 * sum(s is not None for s in sections) >= len(members):
            section = _section(lines_of(sections), sections, factors)
            if section is not None:
                yield section


def _section(lines: Lines, sections: Sequence[Section | None], factors: Sequence[float | None]) -> Section | None:
    typical = _Rows(lines, factors)
    rows = [row for key in lines.order if (row := typical.row([r.get(key) for r in lines.rows])) is not None]
    if lines.latest.id.startswith(_HISTOGRAM):
        rows = [_whole(row, lines.columns) for row in rows]
    there = [s for s in sections if s is not None]
    is_top = typical.differ or any(s.coverage == "top" for s in there)
    coverage: Coverage = "top" if is_top else there[-1].coverage
    if not rows and lines.order and coverage == "top":
        return None
    latest = lines.latest
    columns = tuple(c if c.id in lines.key else _as_cut(c, lines.widths(c.id)) for c in lines.columns)
    return Section(latest.id, latest.title, latest.known, coverage, lines.key, columns, rows)


class _Rows:
    """Rows of one section; `differ`: a text row was left out."""

    def __init__(self, lines: Lines, factors: Sequence[float | None]) -> None:
        self.differ = False
        self._lines, self._factors = lines, factors
        self._texts = all(c.unit is None for c in lines.columns)
        self._is_event = {"waits", "total_wait_time_s", "avg_wait_s"} <= {c.id for c in lines.columns}
        self._centiseconds = lines.latest.id == "os_statistics"  # a level there accumulates, where it is a time

    def row(self, rows: Sequence[Row | None]) -> Row | None:
        there = [(s, r, f) for s, r, f in zip(self._lines.sections, rows, self._factors, strict=True) if s and r]
        if self._texts and not self._alike(there, len(rows)):
            self.differ = True
            return None
        if 2 * len(there) < len(rows):
            return None
        unit = unit_of([r for _, r, _ in there])
        last, latest = there[-1][:2]
        cells: dict[str, Cell] = {}
        for column in self._lines.columns:
            if column.id in self._lines.key:
                cells[column.id] = last.cell(latest, column.id)
            else:
                cells[column.id] = self._cell(column, unit, there)
        if self._is_event:
            cells["avg_wait_s"] = _average(cells)
        return Row(tuple(cells[c.id] for c in self._lines.columns), unit, latest.ordinal)

    def _alike(self, there: Sequence[Printed], of: int) -> bool:
        columns = [c for c in self._lines.columns if c.id not in self._lines.key]
        return len(there) == of and all(_text(there, c)[1] for c in columns)

    def _cell(self, column: Column, unit: str | None, there: Sequence[Printed]) -> Cell:
        printed = [s.cell(r, column.id) for s, r, _ in there]
        if column.unit is None or any(isinstance(p, str) for p in printed):
            text, by_all = _text(there, column)
            return text if by_all else None
        per_cent = "percent" in (unit, column.unit)
        grows = (column.measure == "total" and not per_cent) or (self._centiseconds and unit == "cs")
        values = []
        for value, (_, row, factor) in zip(printed, there, strict=True):
            own = 1.0 if per_cent else unit_factor(row.unit, unit)
            read = _scaled(value, own) if isinstance(value, Value) else None
            values.append(_scaled(read, factor) if grows else read)
        return _median(values)


def _text(there: Sequence[Printed], column: Column) -> tuple[Cell, bool]:
    printed = [(s.cell(r, column.id), width_of(s, column.id)) for s, r, _ in there]
    text, width = next(((cell, w) for cell, w in reversed(printed) if not w), printed[-1])
    return text, not any(texts_differ(cell, text, column, narrower_width(w, width)) for cell, w in printed)


def _as_cut(column: Column, widths: Widths) -> Column:
    return replace(column, cut_at=min((w for w in widths if w), default=None)) if column.unit is None else column


def _scaled(value: Value | None, factor: float | None) -> Value | None:
    if value is None or factor is None:
        return None
    return value if factor == 1.0 else Value(value.number * factor, value.half * factor)


def _median(values: Sequence[Value | None]) -> Value | None:
    """Median between whole numbers is rounded to a digit."""
    spread = spread_of(values)
    if spread is None:
        return None
    number, half = spread.median
    return Value(number, half if half or number == int(number) or abs(number) < 1 else 0.5)


def _average(cells: dict[str, Cell]) -> Cell:
    """Total and count give it, so that a row agrees with itself."""
    total, waits = cells["total_wait_time_s"], cells["waits"]
    if isinstance(total, Value) and isinstance(waits, Value) and waits.number > 0:
        return Value(total.number / waits.number, total.half / waits.number)
    return cells["avg_wait_s"]


def _whole(row: Row, columns: Sequence[Column]) -> Row:
    """Bucket shares rescaled to 100 %."""
    shares = [c for c, column in zip(row.cells, columns, strict=True) if column.measure == "share"]
    whole = sum(c.number for c in shares if isinstance(c, Value))
    if whole <= 0:
        return row
    cells = (
        Value(c.number * 100.0 / whole, c.half) if column.measure == "share" and isinstance(c, Value) else c
        for c, column in zip(row.cells, columns, strict=True)
    )
    return row._replace(cells=tuple(cells))


def _same(values: Sequence[T]) -> T | None:
    return values[0] if all(v == values[0] for v in values) else None


def _middle(values: Sequence[int | None]) -> int | None:
    spread = spread_of([Value(float(v), 0.0) if v is not None else None for v in values])
    return round(spread.median.number) if spread is not None else None


def _common(kind: type[T], things: Sequence[T], *fields: str) -> T:
    """The fields in which all agree."""
    return kind(**{f: _same([getattr(t, f) for t in things]) for f in fields})


def _instances(members: Sequence[Report]) -> tuple[Instance, ...]:
    """Instances, without startup if any restarted inside or between members."""
    restarted = any(restarted_inside(m) for m in members)
    common = []
    for instance in members[-1].instances:
        alike = [[i for i in m.instances if i.number == instance.number] for m in members]
        if all(len(a) == 1 for a in alike):
            fields = ("number", "name", "host") if restarted else ("number", "name", "host", "startup")
            common.append(_common(Instance, [a[0] for a in alike], *fields))
    return tuple(common)
