"""Timeline events of a comparison: report windows, restarts, parameter changes, LGWR trace events, in printed local
time. Stored with the incident until recomputed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, TypedDict

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.changes import PARAMETERS, ParameterChange, parameter_changes
from awrdiff.analysis.baseline.members import positions_by_time, restarted_between
from awrdiff.analysis.words import listing
from awrdiff.comparisons import baselines, queries
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.storable import storable
from parsers.model import Instance
from parsers.model import Report as Parsed

MOST_TRACE_EVENTS = 40  # of one comparison; its page has them all
MOST_PARAMETERS = 6
LONGEST = 300
ROW_FORMAT = 4  # what the row keeps: rows of before have no story, or of one way alone, or no wait classes
UNREADABLE = (NotFound, zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError)


class ComparisonEvent(TypedDict):
    """`kind`: window, restart, parameters or trace. `side`: report place of a window, 0 is First."""

    kind: str
    at: str
    end: str
    text: str
    side: int


def version_of(comparison: Comparison) -> str:
    """Changes with what is told."""
    return f"{comparison.engine_version}.{comparison.attempt}.{ROW_FORMAT}" if comparison.is_ready else ""


def events_of(comparison: Comparison) -> list[Any]:
    """Unordered; none unless ready, complete and readable."""
    if not comparison.is_ready:
        return []
    try:
        return list(storable([*_of_reports(comparison), *_of_traces(comparison)]))
    except UNREADABLE:
        return []


def _of_reports(comparison: Comparison) -> Iterator[ComparisonEvent]:
    places = baselines.compared_places(comparison)
    heads = baselines.heads_of(places)
    for side, head in enumerate(heads):
        begin, end = head.period.begin.time, head.period.end.time
        if begin is not None:
            yield ComparisonEvent(kind="window", at=_iso(begin), end=_iso(end or begin), text="", side=side)
    order = positions_by_time(heads)
    changes = _changes(places, heads, order)
    for at, (before, after) in enumerate(pairwise(order), start=1):
        yield from _events_between(heads[before], heads[after], changes[at])


def _events_between(before: Parsed, after: Parsed, changes: Sequence[ParameterChange]) -> Iterator[ComparisonEvent]:
    for moment, instances in restarted_between(before, after).items():
        yield ComparisonEvent(kind="restart", at=_iso(moment), end="", text=_cut(_restart_text(instances)), side=0)
    begin = after.period.begin.time
    if changes and begin is not None:
        yield ComparisonEvent(kind="parameters", at=_iso(begin), end="", text=_changes_text(changes), side=0)


def _restart_text(instances: Sequence[Instance]) -> str:
    """By instance names: several databases may be involved."""
    instance_names = [i.name or ("" if i.number is None else str(i.number)) for i in instances]
    if not all(instance_names):
        return "An instance was restarted"
    several = len(instance_names) > 1
    return f"Instance{'s' * several} {listing(instance_names)} {'were' if several else 'was'} restarted"


def _changes(places: Sequence[Any], heads: Sequence[Parsed], order: Sequence[int]) -> list[tuple[ParameterChange, ...]]:
    try:
        return parameter_changes(baselines.series(places, PARAMETERS), heads, order)
    except (NotFound, ComparisonRefused):
        return [() for _ in order]


def _changes_text(changes: Sequence[ParameterChange]) -> str:
    """Changes date from before the window that shows them."""
    change_texts = [f"{c.name} {c.before or 'default'} → {c.after or 'default'}" for c in changes[:MOST_PARAMETERS]]
    more = len(changes) - len(change_texts)
    return _cut(f"Changed by now: {'; '.join(change_texts)}{f'; {more} more' if more else ''}")


def _of_traces(comparison: Comparison) -> Iterator[ComparisonEvent]:
    events = queries.overview(comparison).commit_latency.events
    if events is None:
        return
    for switch in events.switches[:MOST_TRACE_EVENTS]:
        yield ComparisonEvent(
            kind="trace", at=switch.moment, end="", text=f"Log file sync went over to {switch.mode}", side=0
        )
    for slow in events.slow_writes[: MOST_TRACE_EVENTS - len(events.switches)]:
        yield ComparisonEvent(
            kind="trace", at=slow.moment, end="", text=f"LGWR wrote for {slow.elapsed_s * 1000:,.0f} ms", side=0
        )


def _iso(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
