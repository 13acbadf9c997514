"""Incidents in a list."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from awrdiff.accounts.names import shown_name
from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.attached import accounts_of
from awrdiff.incidents.models import Incident, Severity
from awrdiff.postmortems.second import stages_of
from awrdiff.web.presenters.incident.clock import Clock, impact_text
from awrdiff.web.presenters.incident.kinds import IncidentGist, ListedIncident


class IncidentLine(ListedIncident, kw_only=True):
    severity_said: str
    window: str
    zone: str
    duration: str
    what: WhatHappened

    @property
    def happened(self) -> list[str]:
        """Confirmed causes, else what the comparison says."""
        return [cause.title for cause in self.what.causes] or list(filter(None, [self.what.headline]))


def line(incident: Incident, postmortem: str = "", what: WhatHappened | None = None) -> IncidentLine:
    """Needs a query with counts of comparisons and open action items."""
    clock, what = Clock.of(incident), what or WhatHappened()
    causes = [cause.title for cause in what.causes]
    leads = [role.user for role in incident.roles.all() if role.role == "lead"]
    return IncidentLine(
        id=incident.pk,
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
        tags=[tag.name for tag in incident.tags.all()],
        comparisons=incident.comparisons,  # type: ignore[attr-defined] # queries.listed counts them
        open_actions=incident.open_actions,  # type: ignore[attr-defined]
        postmortem=postmortem or None,
        what_happened=IncidentGist(what.headline, what.judgement, what.event, what.statement, what.load, causes),
        what=what,
    )


def lines(incidents: Sequence[Incident]) -> list[IncidentLine]:
    stages, accounts = stages_of([incident.pk for incident in incidents]), accounts_of(incidents)
    return [line(incident, stages.get(incident.pk, ""), accounts[incident.pk]) for incident in incidents]
