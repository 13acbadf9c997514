"""Many reports at once as what they are: of each database and instance one series, its latest against those before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE
from awrdiff.analysis.report.databases import is_masked, same_database
from awrdiff.comparisons import services
from awrdiff.comparisons.files import MOST_REPORTS, with_parts
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from awrdiff.reports.queries import database_of
from parsers.model import Database

FROM = MOST_REPORTS  # files from which on nobody means one comparison of all of them
_OF_TWO_PERIODS = "awr_compare"


@dataclass(slots=True)
class DatabaseSeries:
    """Reports of one kind, database and instance, the latest last; a comparison takes as many of them as it can."""

    reports: list[Report] = field(default_factory=list)

    @property
    def database(self) -> Database:
        return database_of(self.reports[0].db_name, self.reports[0].dbid)

    @property
    def compared(self) -> list[Report]:
        return self.reports[-MOST_REPORTS:]

    @property
    def older(self) -> int:
        """How many do not go in."""
        return max(len(self.reports) - MOST_REPORTS, 0)


@dataclass(slots=True)
class Sorted:
    """`unknown`: their database cannot be told. `twice`: with the report whose bytes they have. `beside`: traces, and
    Oracle's own compare reports, which are no part of a series. `unread`: how many failed, or are not read yet."""

    series: list[DatabaseSeries] = field(default_factory=list)
    unknown: list[Report] = field(default_factory=list)
    twice: list[tuple[Report, Report]] = field(default_factory=list)
    beside: list[Report] = field(default_factory=list)
    unread: int = 0

    @property
    def to_compare(self) -> list[DatabaseSeries]:
        return [one for one in self.series if len(one.reports) > 1]


def sort_out(reports: Sequence[Report]) -> Sorted:
    """The longest series first."""
    found = Sorted()
    for report in _each_once(with_parts(reports), found):
        if not report.is_ready:
            found.unread += 1
        elif report.kind in (TRACE, _OF_TWO_PERIODS):
            found.beside.append(report)
        else:
            _into_its_series(found, report)
    for one in found.series:
        one.reports.sort(key=lambda r: (r.begin_at, r.end_at))  # what does not say when is never the latest
    found.series.sort(key=lambda one: -len(one.reports))
    return found


def _each_once(reports: Iterable[Report], found: Sorted) -> Iterator[Report]:
    """Those that say most of their database first: what prints a name alone is put beside them."""
    seen: dict[str, Report] = {}
    own = {report.pk: report for report in reports}.values()
    for report in sorted(own, key=lambda r: -(bool(r.dbid) + bool(r.db_name and not is_masked(r.db_name)))):
        first = seen.setdefault(report.sha256, report)
        if first is report:
            yield report
        else:
            found.twice.append((report, first))


def _into_its_series(found: Sorted, report: Report) -> None:
    database = database_of(report.db_name, report.dbid)
    if same_database(database, database) is None:
        found.unknown.append(report)
        return
    its = [s for s in found.series if same_database(s.database, database)]
    if len({s.database for s in its}) > 1:
        found.unknown.append(report)  # a name that two databases have
        return
    own = next((s for s in its if _place(s.reports[0]) == _place(report)), None)
    if own is None:
        own = DatabaseSeries()
        found.series.append(own)
    own.reports.append(report)


def _place(report: Report) -> tuple[str, object]:
    return report.kind, report.instance_number or report.instance_name.lower()


def compare(access: AccessContext, series: Iterable[DatabaseSeries]) -> list[Comparison]:
    """One comparison of each, or the one there is."""
    return [services.create_comparison(access, one.compared, order_by_time=False) for one in series]
