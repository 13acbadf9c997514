"""Undo that was overwritten while a query still needed it, or of which there was no room for more."""

from __future__ import annotations

import re
from math import inf
from typing import NamedTuple

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import Facts, FactsOfOne
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.words import listing, number, sentence, stretch

SUMMARY = "undo_segment_summary"
NOT_PRINTED = Unknown("Undo Segment Summary")
SUBJECT = Subject("other", "undo")
_MOST_DIGITS = 15  # of a count
_COLUMN = "snapshot_too_old_out_of_space"


class Errors(NamedTuple):
    """Of one side: queries that failed with ORA-01555, transactions that found no room; the row that tells them."""

    too_old: int
    no_room: int
    evidence: Evidence

    def said(self) -> str:
        old, full = self.too_old, self.no_room
        queries, transactions = "query" if old == 1 else "queries", "transaction" if full == 1 else "transactions"
        said = [f"{number(old)} {queries} failed with “snapshot too old” (ORA-01555)"] * bool(old)
        said += [f"{number(full)} {transactions} found no room in the undo tablespace"] * bool(full)
        return listing(said) or "none did"


def undo_errors(facts: Facts) -> RuleResult:
    """Queries that found their undo overwritten (ORA-01555), or transactions that found no room for more, on a side.

    A failed query is one too many, so that there is no threshold; a warning where Second has half as many again as
    First, or they are different databases. What a side does not print is not told of it. It ended where Second's undo
    is kept for longer than its longest query took.

    Source: Oracle Database Reference, V$UNDOSTAT: SSOLDERRCNT and NOSPACEERRCNT.
    """
    if isinstance(facts, FactsOfOne):
        return _of_one(errors_of(facts.side))
    sides = {"First": errors_of(facts.first), "Second": errors_of(facts.second)}
    told = {which: errors for which, errors in sides.items() if errors is not None}
    if not told:
        return NOT_PRINTED
    short = {which: errors for which, errors in told.items() if errors.too_old or errors.no_room}
    if not short:
        return QUIET if len(told) == 2 else NOT_PRINTED
    text = "; ".join(f"in {which} {errors.said()}" for which, errors in {**short, **told}.items())
    ended = len(told) == 2 and "Second" not in short
    more = len(told) == 2 and _per_second(facts.second, told["Second"]) >= 1.5 * _per_second(facts.first, told["First"])
    title = f"Undo ran short in {' and in '.join(short)}."
    doubt = doubt_of_retention(facts.second) if ended else ""
    return Observation(
        facts.end_of_trouble("Undo ran short", "Undo no longer ran short.", doubt) if ended else title,
        f"{sentence(text)}.",
        tuple(errors.evidence for errors in short.values()),
        subject=SUBJECT,
        tone=("neutral" if doubt else "better") if ended else "worse" if more else "neutral",
        severity="warning" if facts.unrelated or more or set(told) == {"Second"} else "note",
    )


def doubt_of_retention(side: Side) -> str:
    """A query that ran longer than undo is kept, or whose length is not printed; "" where undo outlasts all of them."""
    section = side.report.section(SUMMARY)
    longest, kept = None, None
    for record in section.records if section is not None else ():
        length = section.number(record, "max_query_length_s") if section is not None else None
        least = section.text(record, "tuned_retention_min_max_minutes").split("/")[0].strip() if section else ""
        longest = max(longest or 0.0, length.number) if length is not None else longest
        if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", least):
            kept = min(kept or inf, float(least) * 60)
    if longest is None or kept is None:
        return "its longest query or its retention is not printed"
    if longest <= kept:
        return ""
    return f"its longest query took {stretch(longest)}, undo is kept for {stretch(kept)}"


def _of_one(errors: Errors | None) -> RuleResult:
    if errors is None:
        return NOT_PRINTED
    if not errors.too_old and not errors.no_room:
        return QUIET
    return Observation("Undo ran short.", f"{errors.said()}.", (errors.evidence,), subject=SUBJECT, severity="warning")


def _per_second(side: Side, errors: Errors) -> float:
    elapsed = side.elapsed
    return (errors.too_old + errors.no_room) / elapsed.number if elapsed is not None and elapsed.number > 0 else 0.0


def errors_of(side: Side) -> Errors | None:
    """All undo tablespaces together; None where they are not printed, or not as numbers."""
    section = side.report.section(SUMMARY)
    if section is None:
        return None
    pairs = [(section.text(record, _COLUMN).split("/"), record) for record in section.records]
    found = [(int(p[0]), int(p[1]), record) for p, record in pairs if len(p) == 2 and all(map(_is_count, p))]
    if not found:
        return None
    _, _, most = max(found, key=lambda each: each[0] + each[1])
    key = [section.text(most, c) for c in section.key]
    evidence = Evidence(SUMMARY, key[0] if key else "", _COLUMN, anchor(SUMMARY, *key))
    return Errors(sum(old for old, _, _ in found), sum(full for _, full, _ in found), evidence)


def _is_count(text: str) -> bool:
    return text.strip().isdecimal() and len(text) < _MOST_DIGITS
