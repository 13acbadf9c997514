"""Names in an incident and its post-mortem: of reports, people and the team."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import Q

from awrdiff.accounts.display_names import every_name
from awrdiff.accounts.models import Team, User
from awrdiff.comparisons.models import Comparison, FormerComparison
from awrdiff.incidents import queries
from awrdiff.incidents.models import Evidence, Incident, IncidentRole, Revision, TimelineEvent, Verdict
from awrdiff.incidents.services import ROLE
from awrdiff.redaction.free_text import Names
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports.models import Report
from awrdiff.reports.queries import load_report

MOST_REPORTS = 40  # are read for one link, in one request
_REMEMBERED = 4  # comparisons: whoever answers below a link often answers again


@dataclass(frozen=True, slots=True)
class KnownNames:
    """`comparisons`, `reports`: left out, as unreadable names are unknown. `readable`: other comparisons, with their
    swaps.
    """

    names: Names
    comparisons: frozenset[UUID]
    reports: frozenset[UUID]
    readable: frozenset[UUID]


def names_of(incident: Incident, rule: Redaction, also: Collection[int | None]) -> KnownNames:
    """`also`: ids of people of its post-mortem."""
    names = Names(rule)
    for person in _people(incident, also):
        for text in every_name(person):
            names.add("person", text)
    for text in _former(incident):
        names.add("person", text)
    authors = TimelineEvent.objects.filter(incident=incident).exclude(outside_author="")
    for text in authors.order_by().values_list("outside_author", flat=True).distinct():
        names.add_outside(text)
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

    comparisons = {row.comparison_id: row.comparison for row in queries.comparisons_of(incident)}
    references: list[Evidence | Verdict] = [*queries.evidence_of(incident), *queries.verdicts_of(incident)]
    for row in references:  # former ones, too
        comparisons.setdefault(row.comparison_id, row.comparison)
    for comparison in comparisons.values():
        places = [place.report for place in comparison.places.select_related("report")]
        is_whole = comparison.is_ready and all(is_read(report) for report in places)
        (readable if is_whole else without).add(comparison.pk)
    unread = [row.report_id for row in queries.reports_of(incident) if not is_read(row.report)]
    former = FormerComparison.objects.filter(comparison__in=readable).values_list("pk", flat=True)
    return KnownNames(names, frozenset(without), frozenset(unread), frozenset(readable.union(former)))


def names_hidden_in(text: str, comparison: Comparison, team: Team) -> list[str]:
    """Names in `text` that become pseudonyms, of the first MOST_REPORTS reports, mentioned people excepted."""
    places = comparison.places.select_related("report")[:MOST_REPORTS]
    read = tuple((place.report_id, place.report.parser_version) for place in places if place.report.is_ready)
    names = copy(_names_in(read, team.name))
    names.keep(())
    names.hide(text)
    return list(dict.fromkeys(name for name, _ in names.replaced))


@lru_cache(maxsize=_REMEMBERED)
def _names_in(read: tuple[tuple[UUID, int], ...], team: str) -> Names:
    """`read`: reports, and the version that parsed them."""
    names = Names(Redaction.new())
    names.add("team", team)
    for report in Report.objects.in_bulk([pk for pk, _ in read]).values():
        names.add_report(load_report(report))
    return names


def _former(incident: Incident) -> Iterable[str]:
    """Former role holders and owners: only names are left."""
    for changes in Revision.objects.filter(incident=incident).values_list("changes", flat=True):
        for field, texts in changes.items():
            if field == "owner" or field.startswith(ROLE):
                yield from (name for text in texts for name in text.split(", ") if name)


def _people(incident: Incident, also: Collection[int | None]) -> Iterable[User]:
    """Team, and authors here who have left it."""
    authors: set[int | None] = {incident.created_by_id, incident.updated_by_id, *also}
    authors.update(row.user_id for row in queries.events_of(incident))
    authors.update(row.owner_id for row in queries.actions_of(incident))
    authors.update(row.added_by_id for row in queries.evidence_of(incident))
    authors.update(IncidentRole.objects.filter(incident=incident).values_list("user", flat=True))
    authors.update(Revision.objects.filter(incident=incident).values_list("user", flat=True))
    for verdict in queries.verdicts_of(incident):
        authors.add(verdict.user_id)
        authors.update(row.user_id for row in verdict.sign_offs.all())
    return User.objects.filter(Q(membership__team=incident.team) | Q(pk__in=authors - {None})).distinct()
