"""Databases of comparisons, and comparisons on a database's time line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import F, OuterRef, Q, Subquery

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.comparisons_by_database import places_for
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.databases.models import Database
from awrdiff.reports.models import Report

MOST_PLACES = 400
MOST = 40
BATCH, EVERY_S = 500, 3600


class ListedComparison(NamedTuple):
    """`reports` of the database, in order; `title` "" if none."""

    comparison: UUID
    title: str
    reports: tuple[UUID, ...]


def reports_placed(reports: Sequence[UUID], database: int | None) -> None:
    """Record their database in their places."""
    for first in range(0, len(reports), BATCH):
        ComparisonReport.objects.filter(report__in=reports[first : first + BATCH]).update(database=database)


def take_over() -> int:
    """Places written, or reports moved, by an older process in an upgrade."""
    of_one, is_of_one = Q(database__isnull=False), Q(report__database__isnull=False)  # as the place says, and is so
    of_another = of_one & is_of_one & ~Q(database=F("report__database"))
    wrong = of_another | of_one & ~is_of_one | is_of_one & ~of_one
    other = ComparisonReport.objects.filter(wrong).order_by()
    done = 0
    while stale := list(other.values_list("pk", flat=True)[:BATCH]):
        own = Report.objects.filter(pk=OuterRef("report")).values("database")
        done += ComparisonReport.objects.filter(pk__in=stale).update(database=Subquery(own))
    return done


def databases_of(comparison: Comparison) -> list[Database]:
    places = ComparisonReport.objects.filter(comparison=comparison).exclude(database=None)
    with_databases = places.select_related("database").only("position", "database").order_by("position")
    return list(dict.fromkeys(place.database for place in with_databases))


def comparisons_in(
    access: AccessContext, database: Database, begin: datetime | None, end: datetime | None
) -> list[ListedComparison]:
    """Newest first, at most `MOST`."""
    places = places_for(access).filter(database=database, comparison__chosen_from=None)
    places = places.filter(report__begin_at__gte=begin.isoformat()) if begin is not None else places
    places = places.filter(report__begin_at__lt=end.isoformat()) if end is not None else places
    rows = places.order_by("-comparison__created_at", "comparison", "position")
    by_comparison: dict[UUID, tuple[str, list[UUID]]] = {}
    for pk, title, report in rows.values_list("comparison", "comparison__title", "report")[:MOST_PLACES]:
        by_comparison.setdefault(pk, (title, []))[1].append(report)
    return [ListedComparison(pk, title, tuple(reports)) for pk, (title, reports) in by_comparison.items()][:MOST]
