"""Incidents in a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from awrdiff.accounts.names import shown_name
from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.attached import accounts_of
from awrdiff.incidents.models import Incident, Severity
from awrdiff.postmortems.second import stages_of
from awrdiff.web.presenters.incident.clock import Clock, impact_text


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
    what: WhatHappened = field(default_factory=WhatHappened)

    @property
    def happened(self) -> list[str]:
        """Confirmed causes, else what the comparison says."""
        return [cause.title for cause in self.what.causes] or list(filter(None, [self.what.headline]))

    def as_dict(self) -> dict[str, Any]:
        names = ("id", "title", "url", "severity", "status", "comparisons", "open_actions")
        document = {name: getattr(self, name) for name in names}
        document |= {"lead": self.lead_name, "lead_shown": self.lead}
        what = {name: getattr(self.what, name) for name in ("headline", "judgement", "event", "statement", "load")}
        what["causes"] = [cause.title for cause in self.what.causes]
        return {**document, "tags": list(self.tags), "postmortem": self.postmortem or None, "what_happened": what}


def line(incident: Incident, postmortem: str = "", what: WhatHappened | None = None) -> IncidentLine:
    """Needs a query with counts of comparisons and open action items."""
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
        duration=impact_text(incident),
        lead=", ".join(map(shown_name, leads)),
        lead_name=", ".join(user.get_username() for user in leads),
        tags=tuple(tag.name for tag in incident.tags.all()),
        comparisons=incident.comparisons,  # type: ignore[attr-defined] # queries.listed counts them
        open_actions=incident.open_actions,  # type: ignore[attr-defined]
        postmortem=postmortem,
        what=what or WhatHappened(),
    )


def lines(incidents: Sequence[Incident]) -> list[IncidentLine]:
    stages, accounts = stages_of([incident.pk for incident in incidents]), accounts_of(incidents)
    return [line(incident, stages.get(incident.pk, ""), accounts[incident.pk]) for incident in incidents]
