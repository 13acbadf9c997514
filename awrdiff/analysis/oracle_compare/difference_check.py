"""Oracle's own differences, recomputed from both periods' figures.

Where First rounds to 0 Oracle prints 100.0 for 0 → x; a blank period is 0 for Oracle, unknown here.
"""

from __future__ import annotations

from itertools import product

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.model.oracle_compare_check import Disagreement, OracleCheck
from awrdiff.analysis.names.names_across_releases import canonical_name
from awrdiff.analysis.oracle_compare.io_by_function_and_file import place_of
from awrdiff.analysis.oracle_compare.period_columns import Difference, PeriodColumns, figures_of
from awrdiff.analysis.oracle_compare.period_reports import differences_alone
from awrdiff.analysis.oracle_compare.period_sections import key_of
from awrdiff.analysis.oracle_compare.single_period_names import column_id, names_of
from awrdiff.analysis.rows.deltas import percent_change
from parsers.model import Report, Row, Section, Value

MOST_LISTED = 200
_ROUNDING = 1e-9
Number = tuple[float, float]


def check_of(report: Report) -> OracleCheck:
    total = OracleCheck(only_differences=differences_alone(report))
    listed: list[Disagreement] = []
    for section in report.sections:
        differences = [(f, kind, column) for f in figures_of(section) for kind, column in f.differences.items()]
        for record, (figure, kind, column) in product(section.records, differences):
            printed = section.number(record, column)
            if printed is None:
                continue
            outcome = _outcome(section, record, figure, kind, printed)
            name = "disagree" if isinstance(outcome, Disagreement) else outcome
            total = replace(total, **{"printed": total.printed + 1, name: getattr(total, name) + 1})
            if isinstance(outcome, Disagreement) and len(listed) < MOST_LISTED:
                listed.append(outcome)
    return replace(total, disagreements=tuple(listed))


AGREES, FROM_ZERO, ONE_SIDED = "agrees", "from_zero", "one_sided"


def _outcome(
    section: Section, record: Row, figure: PeriodColumns, kind: Difference, printed: Value
) -> str | Disagreement:
    first, second = section.number(record, figure.first), section.number(record, figure.second)
    if first is None or second is None:
        return ONE_SIDED
    a: Number = (first.number, first.half)
    b: Number = (second.number, second.half)
    allowed = percent_allowance(a, b) if kind == "pct" else difference_allowance(a, b)
    if allowed is None:
        return FROM_ZERO
    ours = percent_change(first.number, second.number) if kind == "pct" else second.number - first.number
    if ours is not None and abs(ours - printed.number) <= allowed + printed.half + _ROUNDING * max(1.0, abs(ours)):
        return AGREES
    place = place_of(section, figure)
    if place is not None:
        section_id, row, column = place
        key: tuple[str, ...] = (row,)
    else:
        names = names_of(section.id)
        section_id, key, column = names.section_id, key_of(section, record), column_id(names, figure.name)
    label = section.columns[section.index[figure.first]].label
    return Disagreement(
        section=section_id,
        title=section.title,
        row=" ".join(k for k in key if k),
        row_id=row_id(section_id, tuple(canonical_name(section_id, k) for k in key)),
        column=column,
        label=" ".join(label.replace("1st", "").split()) or figure.name.replace("_", " "),
        kind=kind,
        first=first.number,
        second=second.number,
        oracle=printed.number,
        ours=ours,
    )


def percent_allowance(first: Number, second: Number) -> float | None:
    """Points allowed in percent of the first; None if maybe 0."""
    least = abs(first[0]) - first[1]
    if least <= 0:
        return None
    return 100.0 * (second[1] / least + (abs(second[0]) + second[1]) * first[1] / least / least)


def difference_allowance(first: Number, second: Number) -> float:
    return first[1] + second[1]
