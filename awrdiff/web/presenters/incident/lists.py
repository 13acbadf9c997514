"""Incidents in a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.names import shown_name
from awrdiff.incidents.models import Incident, Severity
from awrdiff.postmortems.second import stages_of
from awrdiff.web.presenters.incident.clock import Clock, duration


@dataclass(frozen=True, slots=True)
class IncidentLine:
    id: str
    title: str
    url: str
    severity: int
    severity_said: str
    status: str
    window: str
    zone: str
    duration: str
    lead: str
    lead_name: str
    tags: tuple[str, ...]
    comparisons: int
    open_actions: int
    postmortem: str = ""  # how far it is published; "" of what has none

    def as_dict(self) -> dict[str, Any]:
        names = ("id", "title", "url", "severity", "status", "comparisons", "open_actions")
        kept = {name: getattr(self, name) for name in names}
        kept |= {"lead": self.lead_name, "lead_shown": self.lead}
        return {**kept, "tags": list(self.tags), "postmortem": self.postmortem or None}


def line(incident: Incident, postmortem: str = "") -> IncidentLine:
    """Of a query that counts its comparisons and open action items."""
    clock = Clock.of(incident)
    leads = [role.user for role in incident.roles.all() if role.role == "lead"]
    return IncidentLine(
        id=str(incident.pk),
        title=incident.title,
        url=reverse("incident", args=[incident.pk]),
        severity=incident.severity,
        severity_said=Severity(incident.severity).label,
        status=incident.status,
        window=clock.window(incident.begins_at, incident.ends_at),
        zone=incident.time_zone,
        duration=duration(incident.begins_at, incident.ends_at) if incident.ends_at else "",
        lead=", ".join(map(shown_name, leads)),
        lead_name=", ".join(user.get_username() for user in leads),
        tags=tuple(tag.name for tag in incident.tags.all()),
        comparisons=incident.comparisons,  # type: ignore[attr-defined] # queries.listed counts them
        open_actions=incident.open_actions,  # type: ignore[attr-defined]
        postmortem=postmortem,
    )


def lines(found: Sequence[Incident]) -> list[IncidentLine]:
    stages = stages_of([one.pk for one in found])
    return [line(one, stages.get(one.pk, "")) for one in found]
