"""Undo overwritten while a query needed it, or without room for more.

Source: Oracle Database Reference, V$UNDOSTAT: SSOLDERRCNT, NOSPACEERRCNT.
"""

from __future__ import annotations

import re
from math import inf
from typing import NamedTuple

from awrdiff.analysis.figures_in_words import listing, number, sentence, stretch
from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown

SUMMARY = "undo_segment_summary"
NOT_PRINTED = Unknown("Undo Segment Summary")
SUBJECT = Subject("other", "undo")
_MOST_DIGITS = 15  # of a count
_COLUMN = "snapshot_too_old_out_of_space"


class Errors(NamedTuple):
    """Queries with ORA-01555, transactions without room, and the row."""

    too_old: int
    no_room: int
    evidence: Evidence

    def text(self) -> str:
        old, full = self.too_old, self.no_room
        queries, transactions = "query" if old == 1 else "queries", "transaction" if full == 1 else "transactions"
        clauses = [f"{number(old)} {queries} failed with “snapshot too old” (ORA-01555)"] * bool(old)
        clauses += [f"{number(full)} {transactions} found no room in the undo tablespace"] * bool(full)
        return listing(clauses) or "none did"


def undo_errors(facts: Facts) -> RuleResult:
    """Queries that found their undo overwritten (ORA-01555), or transactions that found no room for more, on a side."""
    if isinstance(facts, FactsOfOne):
        errors = errors_of(facts.side)
        if errors is None or not (errors.too_old or errors.no_room):
            return QUIET if errors is not None else NOT_PRINTED
        title, text = "Undo ran short.", f"{errors.text()}."
        return Observation(title, text, (errors.evidence,), subject=SUBJECT, severity="warning")
    sides = {"First": errors_of(facts.first), "Second": errors_of(facts.second)}
    by_side = {which: errors for which, errors in sides.items() if errors is not None}
    if not by_side:
        return NOT_PRINTED
    # a failed query is one too many: no threshold
    short = {which: errors for which, errors in by_side.items() if errors.too_old or errors.no_room}
    if not short:
        return QUIET if len(by_side) == 2 else NOT_PRINTED
    text = "; ".join(f"in {which} {errors.text()}" for which, errors in {**short, **by_side}.items())
    ended = len(by_side) == 2 and "Second" not in short
    more = len(by_side) == 2 and _per_second(facts.second, by_side["Second"]) >= 1.5 * _per_second(
        facts.first, by_side["First"]
    )
    title = f"Undo ran short in {' and in '.join(short)}."
    # Clause on a query outlasting undo retention, else "".
    doubt = ""
    if ended:
        longest, retention_s = None, None
        for row in printed_rows(facts.second.report.section(SUMMARY)):
            length = row.number("max_query_length_s")
            least = row.text("tuned_retention_min_max_minutes").split("/")[0].strip()
            longest = max(longest or 0.0, length.number) if length is not None else longest
            if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", least):
                retention_s = min(retention_s or inf, float(least) * 60)
        if longest is None or retention_s is None:
            doubt = "its longest query or its retention is not printed"
        elif longest > retention_s:
            doubt = f"its longest query took {stretch(longest)}, undo is kept for {stretch(retention_s)}"
    return Observation(
        facts.end_of_trouble("Undo ran short", "Undo no longer ran short.", doubt) if ended else title,
        f"{sentence(text)}.",
        tuple(errors.evidence for errors in short.values()),
        subject=SUBJECT,
        tone=("neutral" if doubt else "better") if ended else "worse" if more else "neutral",
        severity="warning" if facts.unrelated or more or set(by_side) == {"Second"} else "note",
    )


def _per_second(side: Side, errors: Errors) -> float:
    elapsed = side.elapsed
    return (errors.too_old + errors.no_room) / elapsed.number if elapsed is not None and elapsed.number > 0 else 0.0


def errors_of(side: Side) -> Errors | None:
    """All undo tablespaces; None where not printed as numbers."""
    pairs = [(row.text(_COLUMN).split("/"), row) for row in printed_rows(side.report.section(SUMMARY))]
    counts = [
        (int(p[0]), int(p[1]), row)
        for p, row in pairs
        if len(p) == 2 and all(n.strip().isdecimal() and len(n) < _MOST_DIGITS for n in p)
    ]
    if not counts:
        return None
    _, _, most = max(counts, key=lambda each: each[0] + each[1])
    key = [most.text(c) for c in most.section.key]
    evidence = Evidence(SUMMARY, key[0] if key else "", _COLUMN, anchor(SUMMARY, *key))
    return Errors(sum(old for old, _, _ in counts), sum(full for _, full, _ in counts), evidence)
