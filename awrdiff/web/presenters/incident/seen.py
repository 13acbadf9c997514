"""Have we seen this before? What the team knows already of a comparison's, or an incident's, databases and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from awrdiff.incidents.models import Incident
from awrdiff.incidents.remembered import JudgedBefore, Remembered
from awrdiff.web import format as fmt
from awrdiff.web.presenters.incident.clock import Clock
from awrdiff.web.presenters.incident.lines import name_of


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """`url` is "" where it was judged in a swapped comparison that is not there any more."""

    state: str
    title: str
    url: str
    why: str
    by: str
    at: str
    incident: str
    incident_url: str


@dataclass(frozen=True, slots=True)
class IncidentSeen:
    title: str
    url: str
    status: str
    window: str


@dataclass(frozen=True, slots=True)
class Seen:
    """`said` counts what is folded below it."""

    said: str
    same_files: Sequence[IncidentSeen]
    incidents: Sequence[IncidentSeen]
    judged: Sequence[JudgedLine]


def present(found: Remembered) -> Seen | None:
    """None where there is nothing."""
    states = [one.verdict.state for one in found.judged]
    confirmed, rejected = (states.count(state) for state in ("confirmed", "rejected"))
    counts = (
        (len(found.same_files), f"the same files in {fmt.count_text(len(found.same_files), 'incident')}"),
        (len(found.incidents), f"{fmt.count_text(len(found.incidents), 'incident')} of this database"),
        (confirmed, f"{fmt.count_text(confirmed, 'finding')} confirmed"),
        (rejected, f"{fmt.count_text(rejected, 'finding')} rejected"),
    )
    said = ", ".join(text for number, text in counts if number)
    if not said:
        return None
    same, others = ([_incident(one) for one in some] for some in (found.same_files, found.incidents))
    return Seen(said, same, others, [_judged(one) for one in found.judged])


def _incident(found: Incident) -> IncidentSeen:
    window = f"{Clock.of(found).window(found.begins_at, found.ends_at)} {found.time_zone}"
    return IncidentSeen(found.title, reverse("incident", args=[found.pk]), found.status, window)


def _judged(found: JudgedBefore) -> JudgedLine:
    verdict, incident = found.verdict, found.incident
    return JudgedLine(
        state=verdict.get_state_display(),
        title=verdict.title,
        url=reverse("comparison", args=[verdict.shown_in]) if verdict.shown_in else "",
        why=verdict.why,
        by=name_of(verdict.user),
        at=f"{verdict.at:%d %b %Y}",
        incident=incident.title if incident else "",
        incident_url=reverse("incident", args=[incident.pk]) if incident else "",
    )
