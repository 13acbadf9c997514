"""A database's incidents: bad hours, confirmed causes, open actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Count, F, Q

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import ComparisonReport
from awrdiff.databases.models import Database
from awrdiff.incidents.judgements import agreed
from awrdiff.incidents.models import ActionItem, ActionState, IncidentComparison, IncidentReport, Verdict, VerdictState
from awrdiff.incidents.queries import actions_for, with_authors

MOST = 20
_MOST_VERDICTS = 2_000  # that are read for it; of more the findings are counted
_Row = TypeVar("_Row")


class BadHour(NamedTuple):
    """Report whose window is an incident's hour."""

    report: UUID
    incident: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Some(Generic[_Row]):
    """The first `MOST`, and how many more there are."""

    rows: Sequence[_Row]
    more: int


def bad_hours(access: AccessContext, database: Database, begin: datetime | None, end: datetime | None) -> list[BadHour]:
    """Bad hours of reports that begin in this time."""
    if not access.can_read:
        return []
    compared = ComparisonReport.objects.filter(
        _in_span(begin, end),
        database=database,
        comparison__incidents__bad=F("position"),
        comparison__incidents__incident__team=access.team,
    ).order_by("position", "pk")
    fields = ("incident", "incident__title")
    of_comparisons = compared.values_list("report", *(f"comparison__incidents__{name}" for name in fields))
    alone = IncidentReport.objects.filter(
        _in_span(begin, end), report__database=database, incident__team=access.team
    ).exclude(bad=False)
    rows = [*of_comparisons, *alone.values_list("report", *fields)]
    return [BadHour(*row) for row in dict.fromkeys(rows)]


def _in_span(begin: datetime | None, end: datetime | None) -> Q:
    since = Q(report__begin_at__gte=begin.isoformat()) if begin is not None else Q()
    return since & Q(report__begin_at__lt=end.isoformat()) if end is not None else since


def confirmed_causes(access: AccessContext, database: Database) -> Some[Verdict]:
    """Agreed findings once, as last confirmed, latest first."""
    if not access.can_read:
        return Some((), 0)
    compared = ComparisonReport.objects.filter(database=database).order_by()
    causes = agreed(Verdict.objects.filter(is_current=True, state=VerdictState.CONFIRMED, team=access.team))
    causes = causes.filter(comparison__in=compared.values("comparison")).order_by("-at", "-pk")
    rows = list(causes.values_list("pk", "anchor")[:_MOST_VERDICTS])
    latest: dict[str, int] = {}
    for pk, anchor in rows:
        latest.setdefault(anchor, pk)
    is_all = len(rows) < _MOST_VERDICTS
    of = len(latest) if is_all else causes.order_by().aggregate(of=Count("anchor", distinct=True))["of"]
    first_causes = list(latest.values())[:MOST]
    return Some(
        with_authors(Verdict.objects.filter(pk__in=first_causes).order_by("-at", "-pk")), max(of - len(first_causes), 0)
    )


def open_actions(access: AccessContext, database: Database) -> Some[ActionItem]:
    """Open actions of incidents with its reports, soonest due first."""
    places = ComparisonReport.objects.filter(database=database).order_by()
    compared = IncidentComparison.objects.filter(comparison__in=places.values("comparison")).order_by()
    alone = IncidentReport.objects.filter(report__database=database).order_by()
    incidents = {*compared.values_list("incident", flat=True), *alone.values_list("incident", flat=True)}
    actions = actions_for(access, state=ActionState.OPEN).filter(incident__in=incidents)
    first_actions = list(actions[: MOST + 1])
    return Some(first_actions[:MOST], actions.count() - MOST if len(first_actions) > MOST else 0)
