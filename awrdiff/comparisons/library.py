"""A team's own work by database: comparisons and reports, newest first. Demos are none of it, nor what a swap made."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value, When, Window
from django.db.models.functions import DenseRank, RowNumber
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE
from awrdiff.comparisons import days
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.processing.models import State
from awrdiff.processing.storable import storable_text
from awrdiff.reports.models import LEFT_OUT, SEVERAL, Report
from awrdiff.reports.queries import reports_for
from awrdiff.search.of import comparisons_with

MOST_TERMS = 12
_UNREAD = Q(state=State.FAILED)
_TEXTS = ("name", "archive", "db_name", "instance_name", "host_name")  # of a report, that are searched


@dataclass(frozen=True, slots=True)
class Database:
    """What there is of one database; `name` is "" for reports that name none, or are not read. `unread` of
    the `reports` could not be."""

    name: str
    reports: int
    comparisons: int
    latest: datetime
    unread: int = 0


def own_comparisons(access: AccessContext) -> QuerySet[Comparison]:
    return comparisons_for(access).filter(is_demo=False)


def own_reports(access: AccessContext) -> QuerySet[Any]:
    """Those that can be chosen from, with their `label`, newest window first: instead of a file of several what it
    holds, and no trace that a comparison has."""
    found = reports_for(access).filter(is_demo=False).exclude(kind=SEVERAL).exclude(error_code=LEFT_OUT)
    attached = ComparisonReport.objects.filter(report=OuterRef("pk"))
    found = found.exclude(Q(kind=TRACE) & Exists(attached)).annotate(label=_label())
    return found.order_by("-begin_at", "-created_at")


def databases(access: AccessContext) -> list[Database]:
    """Those with the latest work first; what names none comes last."""
    reports = own_reports(access).order_by().values("label")
    reports = reports.annotate(n=Count("pk"), unread=Count("pk", filter=_UNREAD), at=Max("created_at"))
    places = _places(access).values("label")
    compared = places.annotate(n=Count("comparison", distinct=True), at=Max("comparison__created_at"))
    of_reports, of_comparisons = ({row["label"]: row for row in found} for found in (reports, compared))
    found = [_joined(name, of_reports.get(name), of_comparisons.get(name)) for name in {**of_reports, **of_comparisons}]
    return sorted(found, key=lambda one: (bool(one.name), one.latest), reverse=True)


def _joined(name: str, reports: dict[str, Any] | None, comparisons: dict[str, Any] | None) -> Database:
    latest = max(row["at"] for row in (reports, comparisons) if row)
    unread = reports["unread"] if reports else 0
    return Database(name, reports["n"] if reports else 0, comparisons["n"] if comparisons else 0, latest, unread)


def newest(access: AccessContext, names: Collection[str], *, each: int) -> dict[str, list[UUID]]:
    """By database: its latest comparisons, at most `each`. One between two databases is of both."""
    order = [F("comparison__created_at").desc(), F("comparison_id").asc()]
    rank = Window(DenseRank(), partition_by=[F("label")], order_by=order)
    ranked = _places(access).filter(label__in=names).annotate(rank=rank).filter(rank__lte=each)
    found: dict[str, dict[UUID, None]] = {name: {} for name in names}
    for name, pk in ranked.order_by("label", "rank").values_list("label", "comparison_id"):
        found[name][pk] = None
    return {name: list(pks) for name, pks in found.items()}


def latest_reports(access: AccessContext, names: Collection[str], *, each: int) -> list[Any]:
    """Of each database the reports of its latest windows, at most `each`."""
    order = [F("begin_at").desc(), F("created_at").desc()]
    rank = Window(RowNumber(), partition_by=[F("label")], order_by=order)
    return list(own_reports(access).filter(label__in=names).annotate(rank=rank).filter(rank__lte=each))


def of_database(access: AccessContext, name: str) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    """All there is of one database."""
    here = _places(access).filter(label=name, comparison=OuterRef("pk"))
    return own_comparisons(access).filter(Exists(here)), own_reports(access).filter(label=name)


def matching(access: AccessContext, text: str) -> tuple[QuerySet[Comparison], QuerySet[Any]]:
    """What has every word of `text` in its title or note, in a file's, database's, instance's or host's name; a
    comparison also in what it says (indexed.py), what people say of it, or in the name of who made it. A day (`11 Jan
    2018`, `yesterday`) is that of a report's window, or the one it was made on (UTC)."""
    comparisons, reports = own_comparisons(access), own_reports(access)
    for term in terms(text):
        here = ComparisonReport.objects.filter(_in_report(term, "report__"), comparison=OuterRef("pk"))
        own = Q(title__icontains=term.text) | Q(note__icontains=term.text) | on_day(term)
        own |= comparisons_with(access, term.text)
        if access.can_read:
            own |= Q(created_by__username__icontains=term.text) | Q(created_by__shown_name__icontains=term.text)
        comparisons = comparisons.filter(own | Exists(here))
        reports = reports.filter(_in_report(term) | on_day(term))
    return comparisons, reports


def terms(text: str) -> list[days.Term]:
    """What is looked for."""
    wanted = days.terms(storable_text(text), timezone.now().date())
    said = [term for term in wanted if any(map(str.isalnum, term.text))]  # not the dash in `enq: TX - row lock`
    return (said or wanted)[:MOST_TERMS]


def partners(access: AccessContext, report: Report, *, most: int) -> list[Report]:
    """Read reports it can be compared with: those of its own database and kind first, the latest windows first."""
    own = database_of(report)
    near = Case(When(label=own, kind=report.kind, then=Value(0)), When(label=own, then=Value(1)), default=Value(2))
    found = own_reports(access).filter(state=State.READY).exclude(kind=TRACE).exclude(pk=report.pk)
    return list(found.order_by(near, "-begin_at", "-created_at")[:most])


def standing_on(access: AccessContext, report: Report, *, came_from: str = "") -> QuerySet[Comparison]:
    """The comparisons the report stands in, newest first; the one of the id `came_from` before all others, also where a
    swap made it."""
    here = Exists(ComparisonReport.objects.filter(comparison=OuterRef("pk"), report=report))
    own = comparisons_for(access).filter(here)
    try:
        wanted = UUID(came_from)
    except ValueError:
        return own
    both_ways = comparisons_for(access, mirrors=True).filter(here, Q(mirror_of=None) | Q(pk=wanted))
    return both_ways.order_by(Case(When(pk=wanted, then=Value(0)), default=Value(1)), "-created_at")


def _places(access: AccessContext) -> QuerySet[Any]:
    """Reports in their places in the team's own comparisons, with their `label`."""
    own = Q(comparison__team=access.team, comparison__mirror_of=None, comparison__is_demo=False)
    found = ComparisonReport.objects.filter(own).exclude(report__kind=TRACE)
    found = found.annotate(label=_label("report__")).order_by()
    if access.is_guest:
        found = found.filter(comparison__shown__membership=access.membership)
    return found.none() if access.is_shared else found


def database_of(report: Report) -> str:
    """Its database, or its instance where it names none; of a trace none, it stands beside reports."""
    return "" if report.kind == TRACE else report.db_name or report.instance_name


def _label(to: str = "") -> Case:
    """`database_of` a report, in the database."""
    return Case(
        When(**{f"{to}kind": TRACE}, then=Value("")),
        When(**{f"{to}db_name": ""}, then=F(f"{to}instance_name")),
        default=F(f"{to}db_name"),
    )


def _in_report(term: days.Term, to: str = "") -> Q:
    wanted = _any(Q(**{f"{to}{name}__icontains": term.text}) for name in _TEXTS)
    if term.when is None:
        return wanted
    how = "startswith" if term.when.year else "contains"
    return wanted | _any(Q(**{f"{to}{end}__{how}": term.when.in_iso()}) for end in ("begin_at", "end_at"))


def on_day(term: days.Term, field: str = "created_at") -> Q:
    """Nothing is found by the time of day it was made at."""
    when = term.when
    named = {"year": when.year, "month": when.month, "day": when.day} if when else {}
    asked = {f"{field}__{part}": number for part, number in named.items() if number is not None}
    return Q(**asked) if asked else Q(pk__in=[])


def _any(found: Iterable[Q]) -> Q:
    wanted = Q(pk__in=[])
    for one in found:
        wanted |= one
    return wanted
