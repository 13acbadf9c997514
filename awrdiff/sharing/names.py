"""The names that an incident and its post-mortem may hold: those of its reports, of people and of the team."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import Q

from awrdiff.accounts.models import Team, User
from awrdiff.accounts.names import every_name
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import queries
from awrdiff.incidents.models import Evidence, Incident, IncidentRole, Revision, Verdict
from awrdiff.incidents.services import ROLE
from awrdiff.redaction.prose import Names
from awrdiff.redaction.rule import Redaction
from awrdiff.reports.models import Report
from awrdiff.reports.queries import load_report

MOST_REPORTS = 40  # are read for one link, in one request
_REMEMBERED = 4  # comparisons: whoever answers below a link often answers again


@dataclass(frozen=True, slots=True)
class Known:
    """`comparisons` and `reports`: those whose names are not known, as they cannot be read: they are left out.
    `readable`: the comparisons that are not, with their swaps."""

    names: Names
    comparisons: frozenset[UUID]
    reports: frozenset[UUID]
    readable: frozenset[UUID]


def names_of(incident: Incident, rule: Redaction, also: Collection[int | None]) -> Known:
    """`also`: the ids of people of its post-mortem."""
    names = Names(rule)
    for person in _people(incident, also):
        for text in every_name(person):
            names.add("person", text)
    for text in _former(incident):
        names.add("person", text)
    names.add("team", incident.team.name)
    read, without, readable = set[UUID](), set[UUID](), set[UUID]()

    def is_read(report: Report) -> bool:
        if report.pk in read:
            return True
        if not report.is_ready or len(read) >= MOST_REPORTS:
            return False
        read.add(report.pk)
        names.add_report(load_report(Report.objects.get(pk=report.pk)))
        return True

    for one in _comparisons(incident):
        places = [place.report for place in one.places.select_related("report")]
        is_whole = one.is_ready and all(is_read(report) for report in places)
        (readable if is_whole else without).add(one.pk)
    unread = [one.report_id for one in queries.reports_of(incident) if not is_read(one.report)]
    swaps = Comparison.objects.filter(mirror_of__in=readable).values_list("pk", flat=True)
    return Known(names, frozenset(without), frozenset(unread), frozenset(readable.union(swaps)))


def told_in(text: str, comparison: Comparison, team: Team) -> list[str]:
    """The names in a text that whoever holds a redacted link to the comparison reads as pseudonyms; but for people who
    are mentioned: they become the team. Of many reports, those of the first MOST_REPORTS."""
    places = comparison.places.select_related("report")[:MOST_REPORTS]
    read = tuple((one.report_id, one.report.parser_version) for one in places if one.report.is_ready)
    names = copy(_names_in(read, team.name))
    names.keep(())
    names.hide(text)
    return list(dict.fromkeys(name for name, _ in names.replaced))


@lru_cache(maxsize=_REMEMBERED)
def _names_in(read: tuple[tuple[UUID, int], ...], team: str) -> Names:
    """`read`: reports, and by which version."""
    names = Names(Redaction.new())
    names.add("team", team)
    found = Report.objects.in_bulk([pk for pk, _ in read])
    for report in found.values():
        names.add_report(load_report(report))
    return names


def _comparisons(incident: Incident) -> list[Comparison]:
    """Those attached, and those that were, of which there is evidence or a verdict still."""
    found = {one.comparison_id: one.comparison for one in queries.comparisons_of(incident)}
    still: list[Evidence | Verdict] = [*queries.evidence_of(incident), *queries.verdicts_of(incident)]
    for kept in still:
        found.setdefault(kept.comparison_id, kept.comparison)
    return list(found.values())


def _former(incident: Incident) -> Iterable[str]:
    """Who had a role or owned an action item: of that only the name was kept."""
    for changes in Revision.objects.filter(incident=incident).values_list("changes", flat=True):
        for field, texts in changes.items():
            if field == "owner" or field.startswith(ROLE):
                yield from (name for text in texts for name in text.split(", ") if name)


def _people(incident: Incident, also: Collection[int | None]) -> Iterable[User]:
    """Of the team, and whoever has said something here and left it."""
    said: set[int | None] = {incident.created_by_id, incident.updated_by_id, *also}
    said.update(one.user_id for one in queries.events_of(incident))
    said.update(one.owner_id for one in queries.actions_of(incident))
    said.update(one.added_by_id for one in queries.evidence_of(incident))
    said.update(IncidentRole.objects.filter(incident=incident).values_list("user", flat=True))
    said.update(Revision.objects.filter(incident=incident).values_list("user", flat=True))
    for verdict in queries.verdicts_of(incident):
        said.add(verdict.user_id)
        said.update(one.user_id for one in verdict.sign_offs.all())
    return User.objects.filter(Q(membership__team=incident.team) | Q(pk__in=said - {None})).distinct()
