"""Measuring of reports against their database's normal, in order of time; a late one remeasures all after it.

A database is marked due in the transaction that changes its reports, so nothing is lost; repeats write the same.
Thinned days keep what was measured while whole; else they are unknown (`by`), never quiet.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.db.models import Case, F, Min, Q, QuerySet, When
from django.utils import timezone

from awrdiff.analysis.metrics.binary_storage import figure_in, load_largest, unpack_figures
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION
from awrdiff.analysis.normal.load_breakdown import Carried, carried_in, largest_parts
from awrdiff.analysis.normal.report_deviation import HISTORY, Hour, departure_of, tell_themselves
from awrdiff.databases.models import Database
from awrdiff.fleet.database_status import as_a_whole
from awrdiff.fleet.models import Departure, Standing
from awrdiff.processing.models import State
from awrdiff.reports import metrics
from awrdiff.reports.models import Report, ReportMetrics
from parsers.model import Value
from parsers.storage.compressed_blocks import unpack

DEPARTURES_VERSION = 8  # one higher where a departure would be another; all are then made anew
VERSION = 1000 * METRICS_VERSION + DEPARTURES_VERSION
BATCH = 60  # reports, and those that began with the last of them
MOST = 500  # reports before one that are looked at, the latest
MINUTES = (5, 10, 15, 30, 60, 120, 240, 480, 1440, 10_080)  # of a window, roundly
LEASE = timedelta(seconds=60)
_SESSIONS = "db_time"
TAKEN_UP = 100  # databases at once
THINNED = "thinned"  # `by`: what was normal had been thinned out when it was measured
_JUDGEMENT_FIELDS = ("normal", "deviation", "of", "by", "above", "is_alarm", "nearest", "parts")

logger = logging.getLogger(__name__)


def reports_moved(databases: Iterable[int], begin: str) -> None:
    """Mark due from `begin` on, in the transaction that changes their reports."""
    for pk in databases:
        if _mark(pk, begin):
            continue
        _, is_new = Standing.objects.get_or_create(database_id=pk, defaults={"version": VERSION})
        if is_new and metrics.outdated().filter(database=pk).exists():
            Standing.objects.filter(pk=pk).update(version=0)
        _mark(pk, (_first_begin(pk) if is_new else begin) or begin)


def reports_placed(reports: Sequence[UUID], database: int | None) -> None:
    """Move departures with their reports, same transaction."""
    for at in range(0, len(reports) if database is not None else 0, 500):
        departures = Departure.objects.filter(pk__in=reports[at : at + 500])
        departures.exclude(database=database).update(database=database)


def _mark(database: int, begin: str) -> bool:
    """False where it has no standing, or nothing begins."""
    own = Standing.objects.filter(pk=database)
    return bool(begin and own.update(**{column: _earlier(column, begin) for column in ("due_from", "marked_from")}))


def _earlier(column: str, begin: str) -> Case:
    """Computed by the database: another worker may mark it now."""
    return Case(When(Q((column, "")) | Q((f"{column}__gt", begin)), then=models.Value(begin)), default=F(column))


def _first_begin(database: int) -> str:
    own = Report.objects.filter(database=database).exclude(begin_at="")
    return own.aggregate(first=Min("begin_at"))["first"] or ""


def take_up() -> int:
    """Mark databases unmeasured or of an older version."""
    if metrics.outdated().exists():
        return 0
    without = Database.objects.filter(merged_into=None, standing=None).values_list("pk", flat=True)
    Standing.objects.bulk_create([Standing(database_id=pk) for pk in without[:TAKEN_UP]], ignore_conflicts=True)
    older = list(Standing.objects.filter(version__lt=VERSION)[:TAKEN_UP])
    for standing in older:
        with transaction.atomic():
            _mark(standing.pk, _first_begin(standing.pk))
            Standing.objects.filter(pk=standing.pk).update(version=VERSION)
    return len(older)


def due() -> QuerySet[Standing]:
    now = timezone.now()
    free = Q(lease_until=None) | ~Q(lease_until__range=(now, now + 2 * LEASE))  # later: the clock was put back
    return Standing.objects.filter(free).exclude(due_from="").order_by("pk")


def measure(database: int) -> bool:
    """Measure a batch; True where more are due, False while another worker does."""
    if not due().filter(pk=database).update(lease_until=timezone.now() + LEASE, marked_from=""):
        return False
    standing = Standing.objects.get(pk=database)
    batch = _batch(standing)
    thinned = _thinned_days(database, batch)
    departures = _departures(database, batch.rows, thinned)
    with transaction.atomic():
        mine = Standing.objects.select_for_update().filter(pk=database, lease_until=standing.lease_until).first()
        if mine is None:
            return False  # it took so long that another began
        if _thinned_days(database, batch) != thinned:  # meanwhile: it may have been measured by what was left
            Standing.objects.filter(pk=database).update(lease_until=None, marked_from="")
            return True
        still = set(
            Report.objects.filter(
                pk__in=[departure.report_id for departure in departures], database=database
            ).values_list("pk")
        )
        departures = [departure for departure in departures if (departure.report_id,) in still]
        Departure.objects.filter(
            batch.covers(database) | Q(report__in=[departure.report_id for departure in departures])
        ).delete()
        Departure.objects.bulk_create(departures, batch_size=100)
        next_due = min(filter(None, (batch.next, mine.marked_from)), default="")
        Standing.objects.filter(pk=database).update(
            lease_until=None, due_from=next_due, marked_from="", **as_a_whole(database)
        )
    return bool(next_due)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Reports begun from `first` to before `next` ("" for none)."""

    rows: Sequence[ReportMetrics]
    first: str
    next: str

    def covers(self, database: int) -> Q:
        """Departures it replaces, wherever their reports are now."""
        within = Q(database=database, begin_at__gte=self.first)
        return within & Q(begin_at__lt=self.next) if self.next else within


def _batch(standing: Standing) -> _Batch:
    metrics_rows = ReportMetrics.objects.filter(report__database=standing.pk, report__state=State.READY)
    metrics_rows = metrics_rows.filter(report__begin_at__gte=standing.due_from).order_by("report__begin_at", "pk")
    columns = ("begin_at", "end_at", "instance_number", "instance_name", "kind", "elapsed_s", "thinned_at")
    metrics_rows = metrics_rows.select_related("report").only(
        "era", "figures", "largest", *(f"report__{c}" for c in columns)
    )
    rows = list(metrics_rows[: BATCH + 1])
    if len(rows) <= BATCH:
        return _Batch(rows, standing.due_from, "")
    first, later = rows[0].report.begin_at, rows[-1].report.begin_at
    if first == later:  # more of one moment than a batch has
        rows = list(metrics_rows.filter(report__begin_at=first))
        later = metrics_rows.filter(report__begin_at__gt=first).values_list("report__begin_at", flat=True).first() or ""
    return _Batch([row for row in rows if row.report.begin_at != later], standing.due_from, later)


def _thinned_days(database: int, batch: _Batch) -> list[str]:
    if not batch.rows:
        return []
    first, last = batch.rows[0].report.begin_at, batch.rows[-1].report.begin_at
    thinned = Report.objects.filter(database=database, begin_at__gte=_eight_weeks_before(first)[:10])
    thinned = thinned.filter(begin_at__lt=f"{last[:10]}U").exclude(thinned_at=None)  # a T is after the day
    return sorted({begin[:10] for begin in thinned.values_list("begin_at", flat=True)})


def _eight_weeks_before(begin: str) -> str:
    """ "" where no calendar has that day."""
    try:
        return (datetime.fromisoformat(begin) - HISTORY).isoformat()
    except (ValueError, OverflowError):
        return ""


def _departures(database: int, rows: Sequence[ReportMetrics], thinned: Sequence[str]) -> list[Departure]:
    """Thinned days keep their measurements and are no history of others."""
    reaching = {row.pk for row in rows if _reaches(row.report.begin_at, thinned)}
    thinned_pks = {row.pk for row in rows if row.report.thinned_at is not None}
    earlier = Departure.objects.in_bulk(reaching | thinned_pks) if reaching or thinned_pks else {}
    histories: dict[tuple[str, str], _History] = {}
    departures = []
    for row in rows:
        report, former = row.report, earlier.get(row.pk)
        if row.pk in thinned_pks:
            if former is not None:
                former.database_id, former.begin_at, former.end_at = database, report.begin_at, report.end_at
                departures.append(former)
            continue
        own = instance, interval = instance_of(report), interval_of(report)
        if own not in histories:
            histories[own] = _History(database, instance, interval, report.begin_at)
        departure = Departure(report=report, database_id=database, instance=instance, interval=interval, era=row.era)
        departure.begin_at, departure.end_at = report.begin_at, report.end_at
        if former is not None and former.above is not None:
            for name in _JUDGEMENT_FIELDS:
                setattr(departure, name, getattr(former, name))
        elif row.pk in reaching:
            departure.by = THINNED
        departures.append(departure)
        try:
            histories[own].measure(departure, row, is_judged=row.pk in reaching)
        except Exception:  # what is stored is damaged: the others go on
            logger.exception("the metrics of report %s cannot be measured", report.pk)
    return departures


def _reaches(begin: str, thinned: Sequence[str]) -> bool:
    at = bisect_left(thinned, _eight_weeks_before(begin)[:10])
    return at < len(thinned) and thinned[at] <= begin[:10]


def instance_of(report: Report) -> str:
    """Number or name, "" for a whole database; only equals compare."""
    return str(report.instance_number) if report.instance_number is not None else report.instance_name.lower()


def interval_of(report: Report) -> str:
    """Kind and nearest usual length, such as `awr 60`."""
    took_s = report.elapsed_s or 0.0
    if not took_s and report.begin_at and report.end_at:
        took_s = (datetime.fromisoformat(report.end_at) - datetime.fromisoformat(report.begin_at)).total_seconds()
    minutes = max(took_s / 60, 1.0)
    return f"{report.kind} {min(MINUTES, key=lambda length: max(length / minutes, minutes / length))}"


@dataclass(slots=True)
class _History:
    """One instance and interval."""

    database: int
    instance: str
    interval: str
    first: str
    since: list[Hour[UUID]] = field(default_factory=list)
    stored: dict[str, list[Hour[UUID]]] = field(default_factory=dict)  # by hour, "" for all
    carried: dict[UUID, Carried] = field(default_factory=dict)

    def before(self, hour: Hour[UUID]) -> Sequence[Hour[UUID]]:
        """Hours defining its normal, by time; of equal ones the last."""
        own = [earlier for earlier in self._all_of(f"T{hour.begin:%H}:") if earlier.begin.hour == hour.begin.hour]
        if tell_themselves(own, hour):
            return own
        every = {(earlier.begin, earlier.era): earlier for earlier in (*own, *self._all_of(""))}
        return sorted(every.values(), key=lambda earlier: earlier.begin)

    def _all_of(self, part: str) -> list[Hour[UUID]]:
        if part not in self.stored:
            self.stored[part] = self._load(part)
        return list(
            {
                (stored_hour.begin, stored_hour.era): stored_hour for stored_hour in (*self.stored[part], *self.since)
            }.values()
        )

    def _load(self, part: str) -> list[Hour[UUID]]:
        own = {"database": self.database, "instance": self.instance, "interval": self.interval}
        departures = Departure.objects.filter(**own, begin_at__contains=part, report__thinned_at=None).exclude(
            sessions=None
        )
        departures = departures.filter(begin_at__gte=_eight_weeks_before(self.first), begin_at__lt=self.first)
        rows = departures.order_by("-begin_at", "-pk").values_list("report_id", "begin_at", "era", "sessions", "half")[
            :MOST
        ]
        hours = (Hour(pk, datetime.fromisoformat(at), era, Value(n or 0.0, half)) for pk, at, era, n, half in rows)
        return list(hours)[::-1]

    def measure(self, departure: Departure, row: ReportMetrics, *, is_judged: bool) -> None:
        """`is_judged`: its deviation is already there."""
        sessions = figure_in(bytes(row.figures), _SESSIONS)
        if sessions is None:
            return
        hour = Hour(row.pk, datetime.fromisoformat(departure.begin_at), row.era, sessions)
        self.carried[row.pk] = _carried(row.figures, row.largest)
        departure.sessions, departure.half = sessions.number, sessions.half
        if not is_judged:
            self._fill(departure, hour)
        self.since.append(hour)

    def _fill(self, departure: Departure, hour: Hour[UUID]) -> None:
        deviation = departure_of(hour, self.before(hour))
        if deviation is None:
            return
        departure.normal, departure.deviation = (
            deviation.normal.median.number,
            max(deviation.normal.deviation, 2 * departure.half),
        )
        departure.of, departure.by = deviation.normal.of, deviation.normal.by
        departure.above, departure.is_alarm = deviation.above, deviation.is_alarm
        departure.nearest = deviation.nearest
        if deviation.above > deviation.normal.deviation:  # else nothing is to be explained
            parts = largest_parts(self.carried[hour.key], self._carried_by(deviation.alike), deviation.above)
            departure.parts = [[part.kind, part.name, part.above, part.at_least] for part in parts]

    def _carried_by(self, pks: Sequence[UUID]) -> list[Carried]:
        missing = [pk for pk in pks if pk not in self.carried]
        if missing:
            rows = ReportMetrics.objects.filter(pk__in=missing).values_list("pk", "figures", "largest")
            self.carried |= {pk: _carried(figures, largest) for pk, figures, largest in rows}
        return [self.carried[pk] for pk in pks if pk in self.carried]


def _carried(figures: Any, largest: Any) -> Carried:
    return carried_in(unpack_figures(bytes(figures)), *load_largest(unpack(bytes(largest))))
