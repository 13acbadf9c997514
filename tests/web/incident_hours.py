"""Built reports for incidents: an hour out of memory, and calm ones around it."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from parsers.model import Database, Report, Snapshot, Value
from tests.golden.test_diagnosed import both
from tests.web.conftest import store_parsed

OUTAGE = "the host recovers its memory"  # its First is out of memory, its Second no longer


def hour(at: int, *, sick: bool = False, database: Database | None = None, ends_early_min: int = 0) -> Report:
    """That from `at` o'clock on 5 Mar 2024; the sick one has 3.3 active sessions, others 1.2."""
    report = both(OUTAGE)[0 if sick else 1]
    moved = timedelta(hours=at - report.period.begin.time.hour)

    def shifted(snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, id=(snapshot.id or 0) + 100 * at, time=snapshot.time + moved)

    period = replace(report.period, begin=shifted(report.period.begin), end=shifted(report.period.end))
    if ends_early_min and period.end.time and period.elapsed_s:
        early = timedelta(minutes=ends_early_min)
        lasts = Value(period.elapsed_s.number - early.total_seconds(), period.elapsed_s.half)
        period = replace(period, end=replace(period.end, time=period.end.time - early), elapsed_s=lasts)
    named = database or report.database
    return replace(report, period=period, database=named, name=f"{named.name}-{at}.html")


def stored(owner: AccessContext, *reports: Report) -> Comparison:
    """A comparison of them, in this order, as the worker leaves it."""
    places = [store_parsed(owner, report) for report in reports]
    made = comparisons.create_comparison(owner, places, order_by_time=False, title="", note="")
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made
