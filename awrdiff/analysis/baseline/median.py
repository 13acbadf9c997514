"""Comparison of one report with the median of several, and its place among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from awrdiff.analysis.baseline.against import BaselineFigure, BaselineSelection, compare_with_baseline, yardstick_of
from awrdiff.analysis.baseline.series import measure, series_of
from awrdiff.analysis.baseline.spread import lies_said, spread_of, standing, standing_said
from awrdiff.analysis.baseline.typical import typical_report
from awrdiff.analysis.baseline.words import median_said, member_said, span_text, unlike_said
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Evidence, Finding, Lies, Median, Warning_
from awrdiff.analysis.model.spread import Spread, Standing
from awrdiff.analysis.verdict.table import BY_ID
from awrdiff.analysis.words import number
from parsers.model import Report

_TOTALS = ("total_wait_time_s", "elapsed_time_s", "time_s", "total")
_NO_HIGH = "high-coverage"  # "the figures of that report do not add up": nor need medians

Rows = Mapping[str, Mapping[str, Mapping[str, BaselineFigure]]]  # by section, row and column


def compare_with_median(members: Sequence[Report], second: Report, traces: Sequence[Report] = ()) -> Comparison:
    """`members`: two or more interval reports; First of the comparison is their median."""
    computed = compare_reports(typical_report(members, second), second, traces, of_median=True)
    rows = _rows(members, second, [*_evidence(computed)])
    measures = [measure(r) for r in (*members, second)]
    *busy, load = (m.sessions for m in measures)
    busier = standing(load, busy) if load is not None else None
    name = median_said(members, second)
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
            said=f"{name}, {span_text(members, second)}",
            reports=tuple(map(member_said, members, measures)),
            sessions=_sessions_said(busier, spread_of(busy)),
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
    warnings = unlike_said([*members, second], BaselineSelection(tuple(range(len(members))), len(members)))
    return (Warning_("unlike-second", f"Chosen by hand: {text}") for text in warnings)


def _sessions_said(lies: Standing | None, spread: Spread | None) -> str:
    """`above all 5 · z = 31 (1.9 to 2.3)`; "" where one side prints none."""
    if lies is None or spread is None:
        return ""
    return f"{standing_said(lies)} ({number(spread.low.number)} to {number(spread.high.number)})"


def lies_of(figures: Mapping[str, BaselineFigure], column: str = "") -> Lies | None:
    """Place of a row of Second, by its time if it has one."""
    for name in (column, *_TOTALS, *figures):
        figure = figures.get(name)
        if figure is not None and figure.standing is not None and figure.spread is not None:
            text = lies_said(figure.standing, figure.spread, per_s=figure.per_s)
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
    """A claim of change is dropped where all its evidence lies inside the baseline."""
    cited = [rows.get(e.section, {}).get(e.row_id or "", {}) for e in finding.evidence]
    lies = [place for h, e in zip(cited, finding.evidence, strict=True) if (place := lies_of(h, e.column)) is not None]
    listed = max((place.standing.printed for place in lies), default=0)
    if finding.rule == "sql-entering" and listed:
        verb = "lists" if listed == 1 else "list"
        finding = replace(finding, text=f"{finding.text} {listed} of the {of} reports of First {verb} it.")
    if BY_ID[finding.rule].one_sided or not lies or any(place.standing.is_outside for place in lies):
        return finding
    return replace(finding, severity="note", folded_because="usual")
