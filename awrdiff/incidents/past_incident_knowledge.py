"""Knowledge from earlier incidents of the same databases or files (awrdiff/analysis/report/same_database_check.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.report.same_database_check import same_database
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.databases.models import Database as DatabaseRow
from awrdiff.incidents.bad_hour_selection import Hours, Reading, is_turned
from awrdiff.incidents.finding_verdicts import agreed
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    Incident,
    IncidentComparison,
    IncidentReport,
    Verdict,
    VerdictState,
)
from awrdiff.incidents.queries import actions_for, incidents_for, with_authors, with_places
from awrdiff.reports.models import Report
from awrdiff.reports.queries import database_of
from parsers.model import Database

MOST_ROWS = 20
_MOST_VERDICTS = 2_000  # that are read for it; of more the findings are counted
_Row = TypeVar("_Row")


class BadHour(NamedTuple):
    """Report whose window is an incident's hour."""

    report: UUID
    incident: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Some(Generic[_Row]):
    """First `MOST_ROWS`, and the number beyond."""

    rows: Sequence[_Row]
    more: int


def bad_hours(
    access: AccessContext, database: DatabaseRow, begin: datetime | None, end: datetime | None
) -> list[BadHour]:
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


def confirmed_causes(access: AccessContext, database: DatabaseRow) -> Some[Verdict]:
    """Each agreed finding once, latest confirmation first."""
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
    first_causes = list(latest.values())[:MOST_ROWS]
    return Some(
        with_authors(Verdict.objects.filter(pk__in=first_causes).order_by("-at", "-pk")), max(of - len(first_causes), 0)
    )


def open_actions(access: AccessContext, database: DatabaseRow) -> Some[ActionItem]:
    """Actions of incidents with its reports, by due date."""
    places = ComparisonReport.objects.filter(database=database).order_by()
    compared = IncidentComparison.objects.filter(comparison__in=places.values("comparison")).order_by()
    alone = IncidentReport.objects.filter(report__database=database).order_by()
    incidents = {*compared.values_list("incident", flat=True), *alone.values_list("incident", flat=True)}
    actions = actions_for(access, state=ActionState.OPEN).filter(incident__in=incidents)
    first_actions = list(actions[: MOST_ROWS + 1])
    return Some(first_actions[:MOST_ROWS], actions.count() - MOST_ROWS if len(first_actions) > MOST_ROWS else 0)


MOST = 20  # of either
MOST_JUDGED = 500  # of one database
_DECIDED = (VerdictState.CONFIRMED, VerdictState.REJECTED)
_PLACES = "comparison__places__report__"  # from what is of a comparison
_COLUMNS = ("sha256", "db_name", "dbid")


@dataclass(frozen=True, slots=True)
class JudgedBefore:
    """`reading`: in the latest incident, if any. `is_agreed`: undisputed."""

    verdict: Verdict
    incidents: tuple[Incident, ...]
    reading: Reading | None
    is_agreed: bool


@dataclass(frozen=True, slots=True)
class Remembered:
    """Latest first. Incidents with the same files are not in `incidents`. `is_turned`: the latest incident of a
    comparison has its hour as First.
    """

    verdicts: tuple[JudgedBefore, ...] = ()
    incidents: tuple[Incident, ...] = ()
    same_files: tuple[Incident, ...] = ()
    is_turned: bool = False


@dataclass(frozen=True, slots=True)
class _Identity:
    files: frozenset[str]
    databases: frozenset[Database]

    def near(self, to: str) -> Q:
        """Candidates by name or DBID; names are case-insensitive."""
        names = {database.name for database in self.databases if database.name}
        names |= {name.upper() for name in names}
        wanted = {"db_name": names, "dbid": {database.dbid for database in self.databases if database.dbid}}
        condition = Q(**{f"{to}sha256__in": self.files})
        for column, values in wanted.items():
            condition |= Q(**{f"{to}{column}__in": values})
        return condition

    def is_of(self, name: str, dbid: str) -> bool:
        return any(same_database(database, database_of(name, dbid)) for database in self.databases)


def remembered(
    access: AccessContext, reports: Sequence[Report], *, comparisons: Collection[UUID], incidents: Collection[UUID]
) -> Remembered:
    """Excludes these comparisons and incidents. Members only."""
    if not access.can_read:
        return Remembered()
    compared = [report for report in reports if report.kind != TRACE]
    databases = frozenset(database_of(r.db_name, r.dbid) for r in compared if r.db_name or r.dbid)
    identity = _Identity(frozenset(r.sha256 for r in reports if r.sha256), databases)
    same, other_ids = _incidents(access, identity, incidents)
    own = Verdict.objects.filter(team=access.team, is_current=True, state__in=_DECIDED)
    verdicts = _of_databases(own.exclude(comparison__in=comparisons), identity, MOST) if own.exists() else []
    judgements = _with_readings(verdicts, _attached({verdict.comparison_id for verdict in verdicts}))
    return Remembered(judgements, other_ids, same)


def _incidents(
    access: AccessContext, identity: _Identity, but: Collection[UUID]
) -> tuple[tuple[Incident, ...], tuple[Incident, ...]]:
    own = incidents_for(access).exclude(pk__in=but)
    if not own.exists():
        return (), ()
    rows = list(
        _rows_with(IncidentComparison.objects.filter(identity.near(_PLACES), incident__in=own.order_by()), _PLACES)
    )
    rows += _rows_with(
        IncidentReport.objects.filter(identity.near("report__"), incident__in=own.order_by()), "report__"
    )
    same = {pk for pk, sha256, _, _ in rows if sha256 in identity.files}
    other_ids = {pk for pk, _, name, dbid in rows if identity.is_of(name, dbid)} - same
    return tuple(own.filter(pk__in=same)[:MOST]), tuple(own.filter(pk__in=other_ids)[:MOST])


def _rows_with(attached_rows: Any, to: str) -> Iterable[tuple[UUID, str, str, str]]:
    rows: Iterable[tuple[UUID, str, str, str]] = attached_rows.order_by().values_list("incident", *_of(to)).distinct()
    return rows


def _of(to: str) -> list[str]:
    return [f"{to}{column}" for column in _COLUMNS]


def remembered_of(access: AccessContext, comparisons: Collection[UUID]) -> dict[UUID, Remembered]:
    """By comparison, in constant queries. Members only."""
    if not access.can_read or not comparisons:
        return {}
    rows = _attached(comparisons)
    own = Verdict.objects.filter(team=access.team, is_current=True, state__in=_DECIDED, comparison__in=comparisons)
    verdicts = _with_readings(with_authors(own.order_by("-at", "-pk")[:MOST_JUDGED]), rows)
    return {
        pk: Remembered(
            tuple(entry for entry in verdicts if entry.verdict.comparison_id == pk),
            tuple(row.incident for row in rows.get(pk, ())),
            is_turned=pk in rows and is_turned(rows[pk][0]),
        )
        for pk in comparisons
    }


def _attached(comparisons: Collection[UUID]) -> dict[UUID, list[IncidentComparison]]:
    attached = IncidentComparison.objects.filter(comparison__in=comparisons).select_related("incident", "comparison")
    of: dict[UUID, list[IncidentComparison]] = {}
    for row in with_places(attached.defer("comparison__overview").order_by("-attached_at", "-pk")):
        of.setdefault(row.comparison_id, []).append(row)
    return of


def _with_readings(
    verdicts: Sequence[Verdict], attached: Mapping[UUID, Sequence[IncidentComparison]]
) -> tuple[JudgedBefore, ...]:
    undisputed = set(
        agreed(Verdict.objects.filter(pk__in=[verdict.pk for verdict in verdicts])).values_list("pk", flat=True)
    )
    latest = [(verdict, attached[verdict.comparison_id]) for verdict in verdicts if verdict.comparison_id in attached]
    hours = Hours.of_each([(rows[:1], [verdict], ()) for verdict, rows in latest])
    readings = {verdict.pk: hour.verdict(verdict) for (verdict, _), hour in zip(latest, hours, strict=True)}
    return tuple(
        JudgedBefore(
            verdict,
            tuple(row.incident for row in attached.get(verdict.comparison_id, ())),
            readings.get(verdict.pk),
            verdict.pk in undisputed,
        )
        for verdict in verdicts
    )


def judged_before(access: AccessContext, comparison: Comparison) -> dict[str, Verdict]:
    """Last agreed decision by anchor, in other comparisons."""
    if not access.can_read:
        return {}
    own = agreed(Verdict.objects.filter(team=access.team, is_current=True, state__in=_DECIDED))
    if not own.exists():  # as nearly always: the wide question below takes a fifth of a page that did not change
        return {}
    printed = ComparisonReport.objects.filter(comparison=comparison).values_list("report__db_name", "report__dbid")
    identity = _Identity(frozenset(), frozenset(database_of(*header) for header in printed if any(header)))
    elsewhere = own.exclude(comparison=comparison)
    return {verdict.anchor: verdict for verdict in reversed(_of_databases(elsewhere, identity, MOST_JUDGED))}


def _of_databases(verdicts: QuerySet[Verdict], identity: _Identity, most: int) -> list[Verdict]:
    """A verdict belongs to its DBID, else to any compared."""
    if not identity.databases:
        return []
    its_own = Q(dbid="") | Q(dbid=F(f"{_PLACES}dbid"))
    rows = verdicts.filter(its_own, identity.near(_PLACES)).order_by().values_list("pk", *_of(_PLACES)).distinct()
    verdict_ids = {pk for pk, _, name, dbid in rows if identity.is_of(name, dbid)}
    return with_authors(Verdict.objects.filter(pk__in=verdict_ids).order_by("-at", "-pk")[:most])
