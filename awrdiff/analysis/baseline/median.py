"""One report against the median of several: a comparison of two, with where Second lies among the several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from awrdiff.analysis.baseline.against import Chosen, Held, compare_with_baseline, yardstick_of
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

Rows = Mapping[str, Mapping[str, Mapping[str, Held]]]  # by section, row and column


def compare_with_median(members: Sequence[Report], second: Report, traces: Sequence[Report] = ()) -> Comparison:
    """`members`: two reports or more of intervals. First of what comes back is their median."""
    computed = compare_reports(typical_report(members, second), second, traces, of_median=True)
    rows = _rows(members, second, [*_evidence(computed)])
    measures = [measure(r) for r in (*members, second)]
    *busy, load = (m.sessions for m in measures)
    busier = standing(load, busy) if load is not None else None
    name = median_said(members, second)
    return replace(
        computed,
        warnings=(*_unlike(members, second), *(w for w in computed.warnings if not _is_of_sums(w))),
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
                for section, found in rows.items()
                for row, held in found.items()
                if (lies := lies_of(held)) is not None
            },
        ),
    )


def _unlike(members: Sequence[Report], second: Report) -> Iterator[Warning_]:
    said = unlike_said([*members, second], Chosen(tuple(range(len(members))), len(members)))
    return (Warning_("unlike-second", f"Chosen by hand: {text}") for text in said)


def _is_of_sums(warning: Warning_) -> bool:
    return warning.code == _NO_HIGH and "First" in warning.text


def _sessions_said(lies: Standing | None, found: Spread | None) -> str:
    """`above all 5 · z = 31 (1.9 to 2.3)`; "" where one side prints none."""
    if lies is None or found is None:
        return ""
    return f"{standing_said(lies)} ({number(found.low.number)} to {number(found.high.number)})"


def lies_of(held: Mapping[str, Held], column: str = "") -> Lies | None:
    """Where a row of Second lies, by its time if it has one."""
    for name in (column, *_TOTALS, *held):
        found = held.get(name)
        if found is not None and found.standing is not None and found.spread is not None:
            said = lies_said(found.standing, found.spread, per_s=found.per_s)
            return Lies(name, found.standing, found.spread, found.per_s, said)
    return None


def _evidence(computed: Comparison) -> Iterator[tuple[str, str]]:
    """Sections and rows that the head of the page rests on."""
    named: list[Evidence | None] = [e for f in computed.findings for e in f.evidence]
    named += [m.evidence for m in computed.ranked.movers] if computed.ranked is not None else []
    yield from ((e.section, e.row_id) for e in named if e is not None and e.row_id)
    parts = computed.attribution.parts if computed.attribution is not None else ()
    yield from ((p.section, p.row_id) for p in parts if p.row_id)


def _rows(members: Sequence[Report], second: Report, wanted: Iterable[tuple[str, str]]) -> Rows:
    reports = [*members, second]
    measures = [measure(r) for r in reports]
    chosen = Chosen(tuple(range(len(members))), len(members))
    bases, yardstick = [m.basis for m in measures], yardstick_of(measures, chosen)
    by_section: dict[str, set[str]] = {}
    for section, row in wanted:
        by_section.setdefault(section, set()).add(row)
    found: dict[str, Mapping[str, Mapping[str, Held]]] = {}
    for section, rows in by_section.items():
        sections = [r.section(section) for r in reports]
        if any(s is not None for s in sections):
            found[section] = compare_with_baseline(series_of(sections, bases, rows), bases, chosen, yardstick).held
    return found


def _weighed(finding: Finding, rows: Rows, of: int) -> Finding:
    """A claim of change is none where all that it rests on lies among what the several print."""
    held = [rows.get(e.section, {}).get(e.row_id or "", {}) for e in finding.evidence]
    lies = [one for h, e in zip(held, finding.evidence, strict=True) if (one := lies_of(h, e.column)) is not None]
    listed = max((one.standing.printed for one in lies), default=0)
    if finding.rule == "sql-entering" and listed:
        verb = "lists" if listed == 1 else "list"
        finding = replace(finding, text=f"{finding.text} {listed} of the {of} reports of First {verb} it.")
    if BY_ID[finding.rule].one_sided or not lies or any(one.standing.is_outside for one in lies):
        return finding
    return replace(finding, severity="note", folded_because="usual")


__all__ = ["compare_with_median", "lies_of"]
