"""Have we seen this before? What the team knows already of a comparison's, or an incident's, databases and files, and
comparisons whose change is made of the same parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name
from awrdiff.analysis.model.ranked import Subject
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.verdict.movers import label
from awrdiff.analysis.words import number
from awrdiff.comparisons.placed_reports import PlacedReport, placed_reports_in
from awrdiff.comparisons.similar import Similar
from awrdiff.incidents.models import Incident
from awrdiff.incidents.remembered import JudgedBefore, Remembered, RememberedOf, remembered_of
from awrdiff.web import format as fmt
from awrdiff.web import links
from awrdiff.web.presenters.incident.clock import Clock
from awrdiff.web.presenters.page import titles

MOST_JUDGED = 20  # of a similar hour


@dataclass(frozen=True, slots=True)
class JudgedLine:
    state: str
    title: str
    url: str
    why: str
    by: str
    at: str
    is_agreed: bool
    incidents: Sequence[tuple[str, str]]  # title and address of each


@dataclass(frozen=True, slots=True)
class IncidentSeen:
    title: str
    url: str
    status: str
    window: str


@dataclass(frozen=True, slots=True)
class SimilarLine:
    """`share`: of the change, that both have. `turned`: what rose in one fell in the other. `incidents` have it, and
    `judged` was what it says."""

    comparison: UUID
    title: str
    url: str
    share: str
    turned: bool
    alike: str
    unlike: str
    incidents: Sequence[tuple[str, str]]
    judged: Sequence[JudgedLine]


@dataclass(frozen=True, slots=True)
class Seen:
    """`said` counts what is folded below it."""

    said: str
    incidents: Sequence[tuple[str, Sequence[IncidentSeen]]]  # by what they have in common
    judged: Sequence[JudgedLine]
    similar: Sequence[SimilarLine]


def present(found: Remembered, similar: Sequence[SimilarLine] = ()) -> Seen | None:
    """None where there is nothing."""
    states = [one.verdict.state for one in found.judged]
    confirmed, rejected = (states.count(state) for state in ("confirmed", "rejected"))
    counts = (
        (len(found.same_files), f"the same files in {fmt.count_text(len(found.same_files), 'incident')}"),
        (len(found.incidents), f"{fmt.count_text(len(found.incidents), 'incident')} of this database"),
        (confirmed, f"{fmt.count_text(confirmed, 'finding')} confirmed"),
        (rejected, f"{fmt.count_text(rejected, 'finding')} rejected"),
        (len(similar), fmt.count_text(len(similar), "similar hour")),
    )
    said = ", ".join(text for number, text in counts if number)
    if not said:
        return None
    groups = (("Incidents with the same files", found.same_files), ("Incidents of this database", found.incidents))
    incidents = [(heading, [_incident(one) for one in some]) for heading, some in groups if some]
    beside = {one.comparison for one in similar}  # what was judged there stands there
    judged = [_judged(one) for one in found.judged if one.verdict.comparison_id not in beside]
    return Seen(said, incidents, judged, similar)


def similar_lines(access: AccessContext, found: Sequence[Similar]) -> list[SimilarLine]:
    places = placed_reports_in(one.comparison for one in found)
    shown = [one for one in found if one.comparison.pk in places]
    known = remembered_of(access, [one.comparison.pk for one in shown])
    return [
        _similar(access, one, places[one.comparison.pk], known.get(one.comparison.pk, RememberedOf())) for one in shown
    ]


def _similar(access: AccessContext, found: Similar, places: Sequence[PlacedReport], known: RememberedOf) -> SimilarLine:
    """Read up to its incident's hour, where one has it."""
    alike, way = found.likeness, -1 if known.is_turned else 1
    both = [f"{_called(s.key)} ({_sessions(s.mine)} here, {_sessions(way * s.other)} there)" for s in alike.shared]
    alone = [
        f"{where}: {', '.join(f'{_called(key)} ({_sessions(sign * change)})' for key, change in some)}"
        for where, some, sign in (("only here", alike.mine, 1), ("only there", alike.others, way))
        if some
    ]
    return SimilarLine(
        comparison=found.comparison.pk,
        title=titles.comparison_title(found.comparison, split_traces(places)[0]),
        url=links.comparison(access, found.comparison),
        share=f"{100 * alike.overlap:.0f} %",
        turned=alike.turned != known.is_turned,
        alike=", ".join(both),
        unlike="; ".join(alone),
        incidents=_addresses(known.incidents),
        judged=[_judged(one) for one in known.judged[:MOST_JUDGED]],
    )


def _addresses(found: Sequence[Incident]) -> list[tuple[str, str]]:
    return [(one.title, reverse("incident", args=[one.pk])) for one in found]


def _called(key: str) -> str:
    kind, _, name = key.partition(" ")
    return label(Subject(kind, name))  # type: ignore[arg-type] # as likeness.py wrote it


def _sessions(change: float) -> str:
    return f"{'+' if change > 0 else '−'}{number(abs(change))}"


def _incident(found: Incident) -> IncidentSeen:
    window = f"{Clock.of(found).window(found.begins_at, found.ends_at)} {found.time_zone}"
    return IncidentSeen(found.title, reverse("incident", args=[found.pk]), found.status, window)


def _judged(found: JudgedBefore) -> JudgedLine:
    verdict = found.verdict
    return JudgedLine(
        state=verdict.get_state_display(),
        title=found.told.named if found.told else verdict.title,
        url=links.place(verdict.comparison_id, verdict.pair),
        why=verdict.why,
        by=shown_name(verdict.user),
        at=f"{verdict.at:%d %b %Y}",
        is_agreed=found.is_agreed,
        incidents=_addresses(found.incidents),
    )
