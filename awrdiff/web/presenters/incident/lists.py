"""Incidents in a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from uuid import UUID

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name
from awrdiff.comparisons.comparisons_by_database import terms
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.comparisons_and_reports import accounts_of
from awrdiff.incidents.models import Incident, Severity
from awrdiff.postmortems.second_reviews import stages_of
from awrdiff.search.models import Indexed
from awrdiff.web import links
from awrdiff.web.presenters.incident.json_types import IncidentGist, ListedIncident
from awrdiff.web.presenters.incident.time_zone_clock import Clock, impact_text


class IncidentLine(ListedIncident, kw_only=True):
    severity_label: str
    window: str
    zone: str
    duration: str
    what: WhatHappened

    @property
    def happened(self) -> list[str]:
        """Confirmed causes, else the comparison's summary."""
        return [cause.title for cause in self.what.causes] or list(filter(None, [self.what.headline]))


def line(incident: Incident, postmortem: str = "", what: WhatHappened | None = None) -> IncidentLine:
    """Needs counts of comparisons and open items annotated."""
    clock, what = Clock.of(incident), what or WhatHappened()
    causes = [cause.title for cause in what.causes]
    leads = [role.user for role in incident.roles.all() if role.role == "lead"]
    return IncidentLine(
        id=incident.pk,
        title=incident.title,
        url=reverse("incident", args=[incident.pk]),
        severity=incident.severity,
        severity_label=Severity(incident.severity).label,
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


PLACES_EACH = 2
_BEFORE, _LONGEST = 60, 200  # of an excerpt


def matching_lines(
    access: AccessContext, incidents: Sequence[Incident], text: str
) -> list[tuple[IncidentLine, list[tuple[str, str, str]]]]:
    """With places of the words: kind and author, text around, address."""
    words = [term.text for term in terms(text)]
    there = queries.matching_places(access, words, [incident.pk for incident in incidents]) if incidents else {}

    def word_count(row: Indexed) -> int:
        line = " ".join(row.text.split())
        return sum(_at(line, word) >= 0 for word in words)

    return [
        (
            line(incident),
            [
                _place(incident.pk, row, words)
                for row in sorted(there.get(incident.pk, ()), key=word_count, reverse=True)[:PLACES_EACH]
            ],
        )
        for incident in incidents
    ]


def _place(incident: UUID, row: Indexed, words: Sequence[str]) -> tuple[str, str, str]:
    own, by = reverse("incident", args=[incident]), None
    if row.action is not None:
        what, by, url = "Action item", row.action.owner, f"{own}#action-{row.action_id}"
    elif row.evidence is not None:
        what, by, url = "Evidence", row.evidence.added_by, f"{own}#evidence-{row.evidence_id}"
    elif row.verdict is not None:
        what, by = row.verdict.get_state_display().capitalize(), row.verdict.user
        url = links.place(row.verdict.comparison_id, row.verdict.pair)
    elif row.comment is not None:
        what, url = f"Comment, {row.comment.author_name}", own
    elif row.section is not None:
        what, url = f"Post-mortem, {row.section.title}", reverse("postmortem", args=[incident])
    else:
        what, by, url = "Timeline", row.event.user if row.event is not None else None, f"{own}#event-{row.event_id}"
    return f"{what}, {shown_name(by)}" if by is not None else what, excerpt(row.text, words), url


def excerpt(text: str, words: Sequence[str]) -> str:
    """One line around the first match."""
    line = " ".join(text.split())
    ats = [at for word in words for at in [_at(line, word)] if at >= 0]
    begin = max(0, min(ats, default=0) - _BEFORE)
    begin = line.find(" ", begin) + 1 if begin else 0
    cut = line[begin : begin + _LONGEST]
    return f"{'… ' if begin else ''}{cut}{' …' if begin + len(cut) < len(line) else ''}"


def _at(line: str, word: str) -> int:
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", word)]
    hit = re.search(r"(?<![^\W_])" + r"[\W_]+".join(parts), line, re.IGNORECASE) if parts else None
    return hit.start() if hit else -1
