"""Objects as rows of the ranked list: the time of the waits that segments are counted for, by each object's share.

Only what the segment lists count and events time is priced: waits on rows, blocks and the interconnect, reads and
writes. Logical reads, block changes and scans have no time of their own, and stand in their sections unpriced.
"""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Sessions, Subject
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.ranked import Mover
from awrdiff.analysis.report.segments import Segments
from awrdiff.analysis.rows.align import common_key
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.objects import (
    CONTENTION,
    Contention,
    SegmentWaits,
    reads_and_writes,
    segment_row,
)
from awrdiff.analysis.words import percent


def moved_objects(facts: FactsOfTwo) -> Iterator[Mover]:
    """One row for each object: of all that is counted for it what changed by most."""
    largest: dict[str, Mover] = {}
    for contention in (*CONTENTION, *reads_and_writes(facts.first, facts.second)):
        for mover in _movers_of(facts, contention):
            held = largest.get(mover.subject.key)
            if held is None or abs(mover.change) > abs(held.change):
                largest[mover.subject.key] = mover
    yield from largest.values()


def _movers_of(facts: FactsOfTwo, contention: Contention) -> Iterator[Mover]:
    sides = SegmentWaits(facts.first, contention), SegmentWaits(facts.second, contention)
    first, second = (side.objects for side in sides)
    for name in {**second, **first}:
        sessions = Sessions(*(side.sessions_on(name) for side in sides))
        if sessions.first is None or sessions.second is None or not sessions.change:
            continue
        yield Mover(
            Subject("object", name),
            "again",
            sessions,
            sessions.change,
            sizes.tone(sessions),
            how=_how(contention, first.get(name), second.get(name)),
            evidence=_evidence(facts, contention, first.get(name), second.get(name)),
        )


def _how(contention: Contention, first: Segments | None, second: Segments | None) -> str:
    return f"its share of {contention.what}: {_share(first)} → {_share(second)}"


def _share(side: Segments | None) -> str:
    if side is None:
        return "not listed"
    return percent(side.share) if side.share > 0 or not side.at_most else f"at most {percent(side.at_most)}"


def _evidence(
    facts: FactsOfTwo, contention: Contention, first: Segments | None, second: Segments | None
) -> Evidence | None:
    side, listed = (facts.second, second) if second is not None else (facts.first, first)
    if listed is None:
        return None
    key = common_key(*(s.section(contention.counted.section) for s in (facts.first, facts.second)))
    return segment_row(side, contention, listed, key)


__all__ = ["moved_objects"]
