"""What the team knows already of the databases, and of the very files, of some reports: judged findings and incidents.

Whether two reports are of one database says awrdiff/analysis/report/databases.py, of what both print.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE
from awrdiff.analysis.report.databases import same_database
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.pairs import latest_pair
from awrdiff.incidents.hours import Hours, Told, reports_count, sides_of
from awrdiff.incidents.judgements import agreed
from awrdiff.incidents.models import Incident, IncidentComparison, IncidentReport, Verdict, VerdictState
from awrdiff.incidents.queries import incidents_for, with_authors, with_places
from awrdiff.reports.models import Report
from awrdiff.reports.queries import database_of
from parsers.model import Database

MOST = 20  # of either
MOST_JUDGED = 500  # of one database
_JUDGED = (VerdictState.CONFIRMED, VerdictState.REJECTED)
_PLACES = "comparison__places__report__"  # from what is of a comparison
_COLUMNS = ("sha256", "db_name", "dbid")


@dataclass(frozen=True, slots=True)
class JudgedBefore:
    """`incidents`: all that have the comparison it was judged in, the latest first. `told`: as the latest tells it,
    which names the hour it is said of; None where there is none. `is_agreed`: nobody says otherwise."""

    verdict: Verdict
    incidents: tuple[Incident, ...]
    told: Told | None
    is_agreed: bool


@dataclass(frozen=True, slots=True)
class Remembered:
    """Each the latest first. An incident that holds the very files is none of `incidents`."""

    judged: tuple[JudgedBefore, ...] = ()
    same_files: tuple[Incident, ...] = ()
    incidents: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True)
class RememberedOf:
    """One comparison: the incidents that have it, what was judged in it, each the latest first. `is_turned`: the latest
    of them has its own hour as First."""

    incidents: tuple[Incident, ...] = ()
    judged: tuple[JudgedBefore, ...] = ()
    is_turned: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """Files and databases that are asked about."""

    files: frozenset[str]
    databases: frozenset[Database]

    def near(self, to: str) -> Q:
        """What the database can tell of it: names are spelt in either case."""
        names = {one.name for one in self.databases if one.name}
        names |= {name.upper() for name in names}
        wanted = {"db_name": names, "dbid": {one.dbid for one in self.databases if one.dbid}}
        found = Q(**{f"{to}sha256__in": self.files})
        for column, values in wanted.items():
            found |= Q(**{f"{to}{column}__in": values})
        return found

    def is_of(self, name: str, dbid: str) -> bool:
        return any(same_database(one, database_of(name, dbid)) for one in self.databases)


def remembered(
    access: AccessContext, reports: Sequence[Report], *, comparisons: Collection[UUID], incidents: Collection[UUID]
) -> Remembered:
    """Of what `reports` are of, but for these comparisons and incidents themselves. For members alone."""
    if not access.can_read:
        return Remembered()
    compared = [report for report in reports if report.kind != TRACE]
    databases = frozenset(database_of(r.db_name, r.dbid) for r in compared if r.db_name or r.dbid)
    known = _Known(frozenset(r.sha256 for r in reports if r.sha256), databases)
    same, others = _incidents(access, known, incidents)
    return Remembered(_judged(access, known, comparisons), same, others)


def _incidents(
    access: AccessContext, known: _Known, but: Collection[UUID]
) -> tuple[tuple[Incident, ...], tuple[Incident, ...]]:
    """Those that hold one of the files, and others of one of the databases."""
    own = incidents_for(access).exclude(pk__in=but)
    if not own.exists():
        return (), ()
    rows = list(_held(IncidentComparison.objects.filter(known.near(_PLACES), incident__in=own.order_by()), _PLACES))
    rows += _held(IncidentReport.objects.filter(known.near("report__"), incident__in=own.order_by()), "report__")
    same = {pk for pk, sha256, _, _ in rows if sha256 in known.files}
    others = {pk for pk, _, name, dbid in rows if known.is_of(name, dbid)} - same
    return tuple(own.filter(pk__in=same)[:MOST]), tuple(own.filter(pk__in=others)[:MOST])


def _held(found: Any, to: str) -> Iterable[tuple[UUID, str, str, str]]:
    rows: Iterable[tuple[UUID, str, str, str]] = found.order_by().values_list("incident", *_of(to)).distinct()
    return rows


def _of(to: str) -> list[str]:
    return [f"{to}{column}" for column in _COLUMNS]


def _judged(access: AccessContext, known: _Known, but: Collection[UUID]) -> tuple[JudgedBefore, ...]:
    own = Verdict.objects.filter(team=access.team, is_current=True, state__in=_JUDGED)
    verdicts = _of_databases(own.exclude(comparison__in=but), known, MOST) if own.exists() else []
    return _as_told(verdicts, _attached({one.comparison_id for one in verdicts}))


def remembered_of(access: AccessContext, comparisons: Collection[UUID]) -> dict[UUID, RememberedOf]:
    """Of each of these, with as few queries as of one. For members alone."""
    if not access.can_read or not comparisons:
        return {}
    rows = _attached(comparisons)
    own = Verdict.objects.filter(team=access.team, is_current=True, state__in=_JUDGED, comparison__in=comparisons)
    judged = _as_told(with_authors(own.order_by("-at", "-pk")[:MOST_JUDGED]), rows)
    return {
        pk: RememberedOf(
            tuple(row.incident for row in rows.get(pk, ())),
            tuple(one for one in judged if one.verdict.comparison_id == pk),
            pk in rows and sides_of(rows[pk][0], latest_pair(reports_count(rows[pk][0]))).is_turned,
        )
        for pk in comparisons
    }


def _attached(comparisons: Collection[UUID]) -> dict[UUID, list[IncidentComparison]]:
    """By comparison, what was attached last first."""
    attached = IncidentComparison.objects.filter(comparison__in=comparisons).select_related("incident", "comparison")
    of: dict[UUID, list[IncidentComparison]] = {}
    for row in with_places(attached.defer("comparison__overview").order_by("-attached_at", "-pk")):
        of.setdefault(row.comparison_id, []).append(row)
    return of


def _as_told(
    verdicts: Sequence[Verdict], attached: Mapping[UUID, Sequence[IncidentComparison]]
) -> tuple[JudgedBefore, ...]:
    undisputed = set(agreed(Verdict.objects.filter(pk__in=[one.pk for one in verdicts])).values_list("pk", flat=True))
    latest = [(one, attached[one.comparison_id]) for one in verdicts if one.comparison_id in attached]
    hours = Hours.of_each([(rows[:1], [one], ()) for one, rows in latest])
    told = {one.pk: hour.verdict(one) for (one, _), hour in zip(latest, hours, strict=True)}
    return tuple(
        JudgedBefore(
            one,
            tuple(row.incident for row in attached.get(one.comparison_id, ())),
            told.get(one.pk),
            one.pk in undisputed,
        )
        for one in verdicts
    )


def judged_before(access: AccessContext, comparison: Comparison) -> dict[str, Verdict]:
    """By anchor: the last confirmation or rejection of a finding in another comparison of the same database, where the
    team agrees."""
    if not access.can_read:
        return {}
    own = agreed(Verdict.objects.filter(team=access.team, is_current=True, state__in=_JUDGED))
    if not own.exists():  # as nearly always: the wide question below takes a fifth of a page that did not change
        return {}
    printed = ComparisonReport.objects.filter(comparison=comparison).values_list("report__db_name", "report__dbid")
    known = _Known(frozenset(), frozenset(database_of(*one) for one in printed if any(one)))
    others = own.exclude(comparison=comparison)
    return {one.anchor: one for one in reversed(_of_databases(others, known, MOST_JUDGED))}


def _of_databases(judged: QuerySet[Verdict], known: _Known, most: int) -> list[Verdict]:
    """The latest first. A verdict is of the database whose id it has, and without one of any that is compared."""
    if not known.databases:
        return []
    its_own = Q(dbid="") | Q(dbid=F(f"{_PLACES}dbid"))
    rows = judged.filter(its_own, known.near(_PLACES)).order_by().values_list("pk", *_of(_PLACES)).distinct()
    found = {pk for pk, _, name, dbid in rows if known.is_of(name, dbid)}
    return with_authors(Verdict.objects.filter(pk__in=found).order_by("-at", "-pk")[:most])
