"""Thinning of old days to their worst hours, except reports that something holds.

Days are old ten weeks before the latest report at the earliest: normal's eight weeks stay whole. Their rest is marked
(`Report.thinned_at`) and defines no normal.

A run removes only what was there two days before its moment, so the preview shows all. Each batch is judged again under
lock; a changed rule ends the run.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import CharField, DateTimeField, ExpressionWrapper, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast, TruncDate
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team
from awrdiff.accounts.services import lock_team
from awrdiff.analysis.normal.report_deviation import HISTORY
from awrdiff.analysis.normal.worst_hours_of_day import Hour, beside_the_worst
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.audit.services import note, note_chore
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.fleet.database_status import AHEAD
from awrdiff.fleet.deviation_measurement import THINNED
from awrdiff.fleet.deviations import LONGEST
from awrdiff.fleet.models import Thinning
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from awrdiff.reports.services import HOLDS, remove
from awrdiff.whole_number_input import whole_number

# What is normal for any hour of the two weeks that the list of databases looks back is told by eight weeks before it.
LEAST_DAYS, MOST_DAYS = (HISTORY + LONGEST).days, 3650
MOST_HOURS = 24
EVERY_S, _AT_MOST_S, BATCH = 10, 2.0, 50
MOST_LISTED = 50
_A_DAY = timedelta(days=1)
_NOTICE_PERIOD = 2 * _A_DAY  # before a run, from when on it is shown what that will remove
_COLUMNS = ("pk", "database", "begin_at", "size")
_OF = ("departure__instance", "departure__interval", "departure__by")
_DEVIATION_FIELDS = ("departure__above", "departure__sessions", "departure__is_alarm")

logger = logging.getLogger(__name__)


class OtherMoment(DatabaseRefused):
    """Preview of another moment than the choice."""


class Rule(NamedTuple):
    """Keep the `hours` worst of older days, as of `at`."""

    after_days: int
    hours: int
    at: datetime

    @property
    def counts_before(self) -> datetime:
        """Reports that came later do not count."""
        return self.at - _NOTICE_PERIOD

    @property
    def before(self) -> datetime:
        return self.counts_before - timedelta(days=self.after_days)


class OldReport(NamedTuple):
    """`hold`: reason to keep it, "" for none."""

    pk: UUID
    database: int
    begin_at: str
    size: int
    of: tuple[str, str]
    above: float | None
    sessions: float | None
    is_alarm: bool
    hold: str


@dataclass(frozen=True, slots=True)
class Day:
    """Reports of a database and day; those staying include held ones."""

    database: int
    day: str
    going: list[OldReport]
    held_back: list[OldReport]
    staying: list[OldReport]


@dataclass(slots=True)
class OfDatabase:
    """`first` and `last` are days of its own clock."""

    database: int
    reports: int = 0
    bytes: int = 0
    days: int = 0
    first: str = ""
    last: str = ""


@dataclass(slots=True)
class Preview:
    """`first`, `held_first`: earliest MOST_LISTED. `unknown`: neither deviation nor active sessions; they stay."""

    rule: Rule
    reports: int = 0
    bytes: int = 0
    staying: int = 0
    unknown: int = 0
    databases: list[OfDatabase] = field(default_factory=list)
    first: list[OldReport] = field(default_factory=list)
    holds: Counter[str] = field(default_factory=Counter)
    held_first: list[OldReport] = field(default_factory=list)
    databases_by_id: dict[int, Database] = field(default_factory=dict)  # those of the first of each of the three

    @property
    def until(self) -> date:
        """First day not old, for databases that still report."""
        return self.rule.before.date()


def thinning_of(team: Team) -> Thinning | None:
    return Thinning.objects.filter(team=team).first()


def check_may_choose(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says which old reports are kept.")


def rule_for(access: AccessContext, days: str, hours: str) -> Rule:
    """Rule as of its first or next run. Raises DatabaseRefused."""
    after_days = _number(days, LEAST_DAYS, MOST_DAYS, "days")
    kept_hours = _number(hours, 1, MOST_HOURS, "hours of a day")
    own = thinning_of(access.team)
    is_chosen = own is not None and (own.after_days, own.hours) == (after_days, kept_hours)
    first_run = _midnight(timezone.now()) + _NOTICE_PERIOD  # a day later, so that preview and save agree
    return Rule(after_days, kept_hours, own.next_at if own is not None and is_chosen else first_run)


def choose(access: AccessContext, days: str, hours: str, at: str = "") -> None:
    """Effective a day later; "" days keep all. Idempotent. Raises DatabaseRefused, OtherMoment."""
    check_may_choose(access)
    with transaction.atomic():
        lock_team(access.team.pk)  # of two at once there is no other row yet
        own = Thinning.objects.select_for_update().filter(team=access.team).first()
        rule = rule_for(access, days, hours) if days else None
        if own is not None and rule is not None and (own.after_days, own.hours) == (rule.after_days, rule.hours):
            return
        if rule is not None and at and at != rule.at.isoformat():
            raise OtherMoment("A day has passed since this was shown: look at it once more, and save it then.")
        if own is not None:
            _note_removed(own)
            own.delete()
        if rule is not None:
            Thinning.objects.create(team=access.team, after_days=rule.after_days, hours=rule.hours, next_at=rule.at)
        note(access, "old reports", "team", access.team.pk)


def _number(typed: str, least: int, most: int, what: str) -> int:
    if (number := whole_number(typed, most, least)) is None:
        raise DatabaseRefused(f"The number of {what} must be from {least} to {most:,}.")
    return number


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def preview(team: Team, rule: Rule) -> Preview:
    outcome, own = Preview(rule), dict[int, OfDatabase]()
    for day in _days(_old(team.pk, rule).iterator(chunk_size=2000), rule, _latest(team.pk, rule)):
        outcome.staying += len(day.staying)
        outcome.unknown += sum(report.above is None and report.sessions is None for report in day.staying)
        outcome.holds.update(report.hold for report in day.held_back)
        outcome.held_first += day.held_back[: MOST_LISTED - len(outcome.held_first)]
        outcome.first += day.going[: MOST_LISTED - len(outcome.first)]
        if day.going:
            to = own.setdefault(day.database, OfDatabase(day.database))
            to.reports += len(day.going)
            to.bytes += sum(report.size for report in day.going)
            to.days += 1
            to.first, to.last = to.first or day.day, day.day
    outcome.databases = sorted(own.values(), key=lambda line: -line.reports)
    outcome.reports = sum(line.reports for line in outcome.databases)
    outcome.bytes = sum(line.bytes for line in outcome.databases)
    listed = {line.database for line in outcome.databases[:MOST_LISTED]}
    listed |= {report.database for report in (*outcome.first, *outcome.held_first)}
    outcome.databases_by_id = Database.objects.in_bulk(listed)
    return outcome


def thin_out() -> int:
    """Number removed. One team's failure delays no other."""
    until, done = time.monotonic() + _AT_MOST_S, 0
    for own in list(Thinning.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "pk")):
        try:
            done += _go_on(own, until)
        except Exception:
            logger.exception("the old reports of team %s cannot be thinned out", own.team_id)
            continue
        if time.monotonic() > until:
            break
    return done


def _go_on(own: Thinning, until: float) -> int:
    rule, done = Rule(own.after_days, own.hours, own.next_at), 0
    latest = _latest(own.team_id, rule)
    for database in sorted(pk for pk in latest if pk > own.reached):
        days = _days(list(_old(own.team_id, rule).filter(database=database)), rule, latest)
        for batch in _batches(days):
            removed = _remove(own, rule, latest, batch)
            if removed is None:
                return done
            done += removed
            if time.monotonic() > until:
                return done
        if time.monotonic() > until:
            Thinning.objects.filter(pk=own.pk, next_at=own.next_at).update(reached=database)
            return done
    _end(own)
    return done


def _batches(days: Iterable[Day]) -> Iterator[list[Day]]:
    batch: list[Day] = []
    for day in days:
        for at in range(0, len(day.going), BATCH):
            batch.append(Day(day.database, day.day, day.going[at : at + BATCH], day.held_back, day.staying))
            if sum(len(report.going) for report in batch) >= BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _remove(own: Thinning, rule: Rule, latest: dict[int, str], batch: list[Day]) -> int | None:
    """None if the run has ended; judges again under lock."""
    with transaction.atomic():
        if not _of_this_run(own):
            return None
        wanted = {report.pk for day in batch for report in day.going}
        staying = {report.pk for day in batch for report in day.staying}
        every = Report.objects.select_for_update(of=("self",)).filter(pk__in=wanted | staying).order_by("pk")
        locked = list(every.values_list("pk", flat=True))
        still = _old(own.team_id, rule).filter(pk__in=locked)
        days = list(_days(still, rule, latest))
        gone = {
            removed.pk: removed.size for removed in remove(wanted & {report.pk for day in days for report in day.going})
        }
        remaining = [
            kept_report.pk
            for day in days
            if any(report.pk in gone for report in day.going)
            for kept_report in day.staying
        ]
        Report.objects.filter(pk__in=remaining, thinned_at=None).update(thinned_at=timezone.now())
        Thinning.objects.filter(pk=own.pk).update(
            removed=F("removed") + len(gone), removed_bytes=F("removed_bytes") + sum(gone.values())
        )
    return len(gone)


def _end(own: Thinning) -> None:
    with transaction.atomic():
        for run in _of_this_run(own):
            _note_removed(run)
            after = max(_midnight(timezone.now()), own.next_at) + _A_DAY
            Thinning.objects.filter(pk=own.pk).update(next_at=after, reached=0, removed=0, removed_bytes=0)


def _of_this_run(own: Thinning) -> list[Thinning]:
    """Empty if the rule changed or the run ended."""
    return list(Thinning.objects.select_for_update().filter(pk=own.pk, next_at=own.next_at))


def _note_removed(own: Thinning) -> None:
    if own.removed:
        reports = "1 report" if own.removed == 1 else f"{own.removed} reports"
        note_chore(own.team_id, "thinned out", "report", [f"{reports}, {own.removed_bytes} bytes"])


def _latest(team: int, rule: Rule) -> dict[int, str]:
    """Credible reports, old enough to have been in the preview."""
    came = ExpressionWrapper(F("created_at") + AHEAD + _A_DAY, output_field=DateTimeField())
    own = _counted_reports(rule).filter(database=OuterRef("pk")).exclude(begin_at="").order_by("-begin_at")
    believed = own.filter(begin_at__lt=Cast(TruncDate(came, tzinfo=UTC), CharField())).values("begin_at")
    databases = Database.objects.filter(team=team).annotate(latest_begin=Subquery(believed[:1]))
    return dict(databases.exclude(latest_begin=None).values_list("pk", "latest_begin"))


def _counted_reports(rule: Rule) -> QuerySet[Report]:
    reports = Report.objects.filter(state=State.READY, kind__in=OF_AN_INTERVAL)
    return reports.filter(created_at__lt=rule.counts_before, placed_at__lt=rule.counts_before)


def _old(team: int, rule: Rule) -> QuerySet[Report, tuple[Any, ...]]:
    """Excludes traces, demos, multi-report and unread files."""
    reports = _counted_reports(rule).filter(team=team, is_demo=False, copy_of=None, lease_until=None)
    reports = reports.filter(created_at__lt=rule.before, begin_at__lt=rule.before.date().isoformat())
    reports = reports.exclude(database=None).exclude(begin_at="").order_by("database", "begin_at", "pk")
    holds = {f"holds_{n}": condition() for n, condition in enumerate(HOLDS.values())}
    return reports.annotate(**holds).values_list(*_COLUMNS, *_OF, *_DEVIATION_FIELDS, *holds)


def _days(rows: Iterable[tuple[Any, ...]], rule: Rule, latest: dict[int, str]) -> Iterator[Day]:
    reports = (r for r in map(_old_report, rows) if r.begin_at[:10] < _until(rule, latest.get(r.database, "")))
    for (database, day), own in groupby(reports, key=lambda report: (report.database, report.begin_at[:10])):
        every = list(own)
        beside = beside_the_worst(
            (Hour(r.pk, r.of, r.begin_at, r.above, r.sessions, r.is_alarm) for r in every), rule.hours
        )
        going = [report for report in every if report.pk in beside and not report.hold]
        held_back = [report for report in every if report.pk in beside and report.hold]
        yield Day(
            database, day, going, held_back, [report for report in every if report.pk not in beside or report.hold]
        )


def _until(rule: Rule, latest: str) -> str:
    """ "" where the calendar has no such day: nothing is old."""
    try:
        return (date.fromisoformat(latest[:10]) - timedelta(days=rule.after_days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _old_report(row: tuple[Any, ...]) -> OldReport:
    """Unknown, not quiet, unless measured before its normal was thinned."""
    pk, database, begin_at, size, instance, interval, by, above, sessions, is_alarm, *holds = row
    if interval is None or by == THINNED:
        above = sessions = None
    hold = next((why for why, holds_it in zip(HOLDS, holds, strict=True) if holds_it), "")
    of = (instance or "", interval or "")
    return OldReport(pk, database, begin_at, size, of, above, sessions, bool(is_alarm), hold)
