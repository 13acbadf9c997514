"""Statements: new ones with a large share, and those whose single execution became slower."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor, common_key
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said
from awrdiff.analysis.words import change, percent, seconds

SECTION = "sql_by_elapsed_time"
_LEAST_SHARE = 0.05


def entering(facts: Facts) -> Answer:
    """Statements of a large share of DB time that First does not list among its own top statements."""
    if not (facts.first.has(SECTION) and facts.second.has(SECTION)):
        return UNKNOWN
    before, now = _statements(facts.first), _statements(facts.second)
    if not (before and now):
        return UNKNOWN
    new = [(i, share) for i, (share, _) in now.items() if i not in before and share >= _LEAST_SHARE]
    if not new:
        return QUIET
    new.sort(key=lambda pair: -pair[1])
    said = "; ".join(f"{i} {percent(share)} of DB time" for i, share in new[:4])
    text = f"Not in First's top list: {said}."
    rows = _rows(facts)
    evidence = tuple(Evidence(SECTION, i, "elapsed_time_s", rows.get(i)) for i, _ in new[:6])
    return Said("Statements new in the top list.", text, evidence, severity="warning")


def slower(facts: Facts) -> Answer:
    """Statements listed on both sides whose single execution takes at least 1.5 times as long."""
    if not (facts.first.has(SECTION) and facts.second.has(SECTION)):
        return UNKNOWN
    before, now = _statements(facts.first), _statements(facts.second)
    found = []
    for i, (share, each) in now.items():
        earlier = before.get(i, (0.0, None))[1]
        if share >= _LEAST_SHARE and each and earlier and each >= 1.5 * earlier:
            found.append((i, share, earlier, each))
    if not found:
        return QUIET
    found.sort(key=lambda entry: -entry[1])
    said = "; ".join(f"{i} {seconds(a)} → {seconds(b)} ({change(a, b)})" for i, _, a, b in found[:4])
    rows = _rows(facts)
    evidence = tuple(Evidence(SECTION, i, "elapsed_per_exec_s", rows.get(i)) for i, _, _, _ in found[:6])
    return Said("Statements take longer per execution.", said + ".", evidence, severity="warning")


def _rows(facts: Facts) -> dict[str, str]:
    """Second's rows by SQL id; from 12.1 on the pluggable database tells rows apart too."""
    section = facts.second.report.section(SECTION)
    if section is None:
        return {}
    columns = common_key(facts.first.report.section(SECTION), section)
    found: dict[str, str] = {}
    for record in section.records:
        printed = (section.text(record, column) for column in columns)
        found.setdefault(section.text(record, "sql_id"), anchor(SECTION, *printed))
    return found


def _statements(side: Side) -> dict[str, tuple[float, float | None]]:
    """Share of DB time (0..1) and seconds per execution, by SQL id; Statspack prints none."""
    section = side.report.section(SECTION)
    found: dict[str, tuple[float, float | None]] = {}
    for record in section.records if section else ():
        elapsed = section.number(record, "elapsed_time_s") if section else None
        executions = section.number(record, "executions") if section else None
        sql_id = section.text(record, "sql_id") if section else ""
        share = side.share_of_db_time(elapsed)
        if sql_id and elapsed is not None and share is not None:
            each = elapsed.number / executions.number if executions and executions.number > 0 else None
            found.setdefault(sql_id, (share, each))
    return found
