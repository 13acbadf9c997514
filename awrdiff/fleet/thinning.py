"""Of old days a team keeps the worst hours: the reports of all others are removed, but for what somebody holds.

What is normal for a report is told by those of the eight weeks before it. Were these thinned out, the worst hours would
be what is normal. So a day is old ten weeks before the latest report of its database at the earliest; what is left of a
day is marked (`Report.thinned_at`), and whatever tells what is normal leaves it out; and how far its hours lay from
normal stays as it was measured while all of them were there.

A run is as of a moment, and knows what had come two days before it: all of that was there whenever somebody looked at
what it will remove, so it removes that, but for what is held, alarming, deleted or moved until then, and never more. It
goes on for seconds at a time, in batches, each in a transaction that holds the team's row and judges once more what it
has locked: another sweeper waits for it and then finds nothing of that batch, and what an owner changes ends the run.
Whoever goes on after a kill finds the same hours the worst of what is left.
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
from awrdiff.analysis.normal.departure import HISTORY
from awrdiff.analysis.normal.worst import Hour, beside_the_worst
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.audit.services import note, note_chore
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.fleet.measuring import THINNED
from awrdiff.fleet.models import Thinning
from awrdiff.fleet.night import LONGEST
from awrdiff.fleet.standings import AHEAD
from awrdiff.numbers import whole_number
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from awrdiff.reports.services import HOLDS, remove

# What is normal for any hour of the two weeks that the list of databases looks back is told by eight weeks before it.
LEAST_DAYS, MOST_DAYS = (HISTORY + LONGEST).days, 3650
MOST_HOURS = 24
EVERY_S, _AT_MOST_S, BATCH = 10, 2.0, 50
MOST_LISTED = 50
_A_DAY = timedelta(days=1)
_SHOWN = 2 * _A_DAY  # before a run, from when on it is shown what that will remove
_COLUMNS = ("pk", "database", "begin_at", "size")
_OF = ("departure__instance", "departure__interval", "departure__by")
_JUDGED = ("departure__above", "departure__sessions", "departure__is_alarm")

logger = logging.getLogger(__name__)


class OtherMoment(DatabaseRefused):
    """What was shown is of another moment than what would be chosen."""


class Rule(NamedTuple):
    """Of days older than `after_days` as of `at` the `hours` worst are kept."""

    after_days: int
    hours: int
    at: datetime

    @property
    def known(self) -> datetime:
        """What came before this moment counts."""
        return self.at - _SHOWN

    @property
    def before(self) -> datetime:
        return self.known - timedelta(days=self.after_days)


class OldReport(NamedTuple):
    """`held`: why it stays whatever its hour was; "" where nothing holds it."""

    pk: UUID
    database: int
    begin_at: str
    size: int
    of: tuple[str, str]
    above: float | None
    sessions: float | None
    is_alarm: bool
    held: str


@dataclass(frozen=True, slots=True)
class Day:
    """Of one database: what goes, what would go and is held, and all that stays, which those are among."""

    database: int
    day: str
    going: list[OldReport]
    held: list[OldReport]
    staying: list[OldReport]


@dataclass(slots=True)
class OfDatabase:
    """What goes of one: `first` and `last` are days of its own clock."""

    database: int
    reports: int = 0
    bytes: int = 0
    days: int = 0
    first: str = ""
    last: str = ""


@dataclass(slots=True)
class Preview:
    """What a run would remove. `first` and `held_first` are the earliest MOST_LISTED of each; `unknown`: reports of
    which neither their distance from normal nor their active sessions are known, and stay."""

    rule: Rule
    reports: int = 0
    bytes: int = 0
    staying: int = 0
    unknown: int = 0
    databases: list[OfDatabase] = field(default_factory=list)
    first: list[OldReport] = field(default_factory=list)
    held: Counter[str] = field(default_factory=Counter)
    held_first: list[OldReport] = field(default_factory=list)
    named: dict[int, Database] = field(default_factory=dict)  # those of the first of each of the three

    @property
    def until(self) -> date:
        """Days before this are old, of a database that still sends reports."""
        return self.rule.before.date()


def thinning_of(team: Team) -> Thinning | None:
    return Thinning.objects.filter(team=team).first()


def check_may_choose(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says which old reports are kept.")


def rule_for(access: AccessContext, days: str, hours: str) -> Rule:
    """What was typed, as of the first run if it were chosen now, or of the next where it is. Raises DatabaseRefused."""
    after_days = _number(days, LEAST_DAYS, MOST_DAYS, "days")
    kept = _number(hours, 1, MOST_HOURS, "hours of a day")
    own = thinning_of(access.team)
    is_chosen = own is not None and (own.after_days, own.hours) == (after_days, kept)
    return Rule(after_days, kept, own.next_at if own is not None and is_chosen else _first_run())


def choose(access: AccessContext, days: str, hours: str, at: str = "") -> None:
    """From then on, a day later at the earliest; without days all are kept. Twice is once. `at`: the moment of what was
    shown, "" where nothing was. Raises DatabaseRefused, OtherMoment."""
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


def _first_run() -> datetime:
    """Whoever looks and whoever saves on the same day means the same moment: a day later, at midnight (UTC)."""
    return _midnight(timezone.now()) + _SHOWN


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def preview(team: Team, rule: Rule) -> Preview:
    """All that a run as of `rule.at` would remove of what is there now."""
    found, own = Preview(rule), dict[int, OfDatabase]()
    for day in _days(_old(team.pk, rule).iterator(chunk_size=2000), rule, _latest(team.pk, rule)):
        found.staying += len(day.staying)
        found.unknown += sum(one.above is None and one.sessions is None for one in day.staying)
        found.held.update(one.held for one in day.held)
        found.held_first += day.held[: MOST_LISTED - len(found.held_first)]
        found.first += day.going[: MOST_LISTED - len(found.first)]
        if day.going:
            _add(own.setdefault(day.database, OfDatabase(day.database)), day)
    found.databases = sorted(own.values(), key=lambda one: -one.reports)
    found.reports = sum(one.reports for one in found.databases)
    found.bytes = sum(one.bytes for one in found.databases)
    listed = {one.database for one in found.databases[:MOST_LISTED]}
    listed |= {one.database for one in (*found.first, *found.held_first)}
    found.named = Database.objects.in_bulk(listed)
    return found


def _add(to: OfDatabase, day: Day) -> None:
    to.reports += len(day.going)
    to.bytes += sum(one.size for one in day.going)
    to.days += 1
    to.first, to.last = to.first or day.day, day.day


def thin_out() -> int:
    """For seconds at a time; returns how many reports were removed. It goes on at the sweeper's next round. What fails
    for one team keeps no other from its turn."""
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
    """Days from which something goes, together about BATCH reports; what is more of one day comes after it."""
    batch: list[Day] = []
    for day in days:
        for at in range(0, len(day.going), BATCH):
            batch.append(Day(day.database, day.day, day.going[at : at + BATCH], day.held, day.staying))
            if sum(len(one.going) for one in batch) >= BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _remove(own: Thinning, rule: Rule, latest: dict[int, str], batch: list[Day]) -> int | None:
    """None where the run is not this one any more. What is locked is judged once more: nothing takes hold of it
    or moves it now."""
    with transaction.atomic():
        if not _of_this_run(own):
            return None
        wanted = {one.pk for day in batch for one in day.going}
        staying = {one.pk for day in batch for one in day.staying}
        every = Report.objects.select_for_update(of=("self",)).filter(pk__in=wanted | staying).order_by("pk")
        locked = list(every.values_list("pk", flat=True))
        still = _old(own.team_id, rule).filter(pk__in=locked)
        days = list(_days(still, rule, latest))
        gone = {one.pk: one.size for one in remove(wanted & {one.pk for day in days for one in day.going})}
        left = [one.pk for day in days if any(one.pk in gone for one in day.going) for one in day.staying]
        Report.objects.filter(pk__in=left, thinned_at=None).update(thinned_at=timezone.now())
        Thinning.objects.filter(pk=own.pk).update(
            removed=F("removed") + len(gone), removed_bytes=F("removed_bytes") + sum(gone.values())
        )
    return len(gone)


def _end(own: Thinning) -> None:
    with transaction.atomic():
        for found in _of_this_run(own):
            _note_removed(found)
            after = max(_midnight(timezone.now()), own.next_at) + _A_DAY
            Thinning.objects.filter(pk=own.pk).update(next_at=after, reached=0, removed=0, removed_bytes=0)


def _of_this_run(own: Thinning) -> list[Thinning]:
    """Its row, locked; none where an owner has chosen otherwise, or another sweeper ended the run."""
    return list(Thinning.objects.select_for_update().filter(pk=own.pk, next_at=own.next_at))


def _note_removed(own: Thinning) -> None:
    """One line for all that a run removed."""
    if own.removed:
        reports = "1 report" if own.removed == 1 else f"{own.removed} reports"
        note_chore(own.team_id, "thinned out", "report", [f"{reports}, {own.removed_bytes} bytes"])


def _latest(team: int, rule: Rule) -> dict[int, str]:
    """By database, the begin of the latest report that counts: not one that claims to begin more than a day after it
    came, nor one that came to its database, or was read, too lately to have been shown."""
    came = ExpressionWrapper(F("created_at") + AHEAD + _A_DAY, output_field=DateTimeField())
    own = _known(rule).filter(database=OuterRef("pk")).exclude(begin_at="").order_by("-begin_at")
    believed = own.filter(begin_at__lt=Cast(TruncDate(came, tzinfo=UTC), CharField())).values("begin_at")
    found = Database.objects.filter(team=team).annotate(latest_begin=Subquery(believed[:1]))
    return dict(found.exclude(latest_begin=None).values_list("pk", "latest_begin"))


def _known(rule: Rule) -> QuerySet[Report]:
    found = Report.objects.filter(state=State.READY, kind__in=OF_AN_INTERVAL)
    return found.filter(created_at__lt=rule.known, placed_at__lt=rule.known)


def _old(team: int, rule: Rule) -> QuerySet[Report, tuple[Any, ...]]:
    """Reports that may be old by when they came and what they are of, in the order of databases and time. What is of no
    database, a trace, a file of several, a demo or being read is none of them."""
    found = _known(rule).filter(team=team, is_demo=False, copy_of=None, lease_until=None)
    found = found.filter(created_at__lt=rule.before, begin_at__lt=rule.before.date().isoformat())
    found = found.exclude(database=None).exclude(begin_at="").order_by("database", "begin_at", "pk")
    holds = {f"holds_{n}": condition() for n, condition in enumerate(HOLDS.values())}
    return found.annotate(**holds).values_list(*_COLUMNS, *_OF, *_JUDGED, *holds)


def _days(rows: Iterable[tuple[Any, ...]], rule: Rule, latest: dict[int, str]) -> Iterator[Day]:
    """Of those that are older than the latest report of their own database by as many days."""
    reports = (r for r in map(_old_report, rows) if r.begin_at[:10] < _until(rule, latest.get(r.database, "")))
    for (database, day), own in groupby(reports, key=lambda one: (one.database, one.begin_at[:10])):
        every = list(own)
        beside = beside_the_worst(
            (Hour(r.pk, r.of, r.begin_at, r.above, r.sessions, r.is_alarm) for r in every), rule.hours
        )
        going = [one for one in every if one.pk in beside and not one.held]
        held = [one for one in every if one.pk in beside and one.held]
        yield Day(database, day, going, held, [one for one in every if one.pk not in beside or one.held])


def _until(rule: Rule, latest: str) -> str:
    """ "" where no calendar has that day: nothing is old then."""
    try:
        return (date.fromisoformat(latest[:10]) - timedelta(days=rule.after_days)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _old_report(row: tuple[Any, ...]) -> OldReport:
    """What was not measured, or only when its normal had been thinned out, is unknown and not quiet."""
    pk, database, begin_at, size, instance, interval, by, above, sessions, is_alarm, *holds = row
    if interval is None or by == THINNED:
        above = sessions = None
    held = next((why for why, holds_it in zip(HOLDS, holds, strict=True) if holds_it), "")
    of = (instance or "", interval or "")
    return OldReport(pk, database, begin_at, size, of, above, sessions, bool(is_alarm), held)
