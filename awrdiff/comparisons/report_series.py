"""Many reports grouped by database and instance, the latest against earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.report.same_database_check import is_masked, same_database
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
    """Reports of one kind, database and instance, latest last."""

    reports: list[Report] = field(default_factory=list)

    @property
    def database(self) -> Database:
        return database_of(self.reports[0].db_name, self.reports[0].dbid)

    @property
    def compared(self) -> list[Report]:
        return self.reports[-MOST_REPORTS:]

    @property
    def older(self) -> int:
        """Number beyond a comparison's limit."""
        return max(len(self.reports) - MOST_REPORTS, 0)


@dataclass(slots=True)
class Sorted:
    """`unknown`: no database. `twice`: with its equal. `beside`: traces, Oracle compare reports. `unread`: failed or
    pending.
    """

    series: list[DatabaseSeries] = field(default_factory=list)
    unknown: list[Report] = field(default_factory=list)
    twice: list[tuple[Report, Report]] = field(default_factory=list)
    beside: list[Report] = field(default_factory=list)
    unread: int = 0

    @property
    def to_compare(self) -> list[DatabaseSeries]:
        return [group for group in self.series if len(group.reports) > 1]


def sort_out(reports: Sequence[Report]) -> Sorted:
    """The longest series first."""
    groups = Sorted()
    for report in _each_once(with_parts(reports), groups):
        if not report.is_ready:
            groups.unread += 1
        elif report.kind in (TRACE, _OF_TWO_PERIODS):
            groups.beside.append(report)
        else:
            _into_its_series(groups, report)
    for one_series in groups.series:
        one_series.reports.sort(key=lambda r: (r.begin_at, r.end_at))  # what does not say when is never the latest
    groups.series.sort(key=lambda group: -len(group.reports))
    return groups


def _each_once(reports: Iterable[Report], groups: Sorted) -> Iterator[Report]:
    """Best identified first, so bare names join them."""
    by_digest: dict[str, Report] = {}
    own = {report.pk: report for report in reports}.values()
    for report in sorted(own, key=lambda r: -(bool(r.dbid) + bool(r.db_name and not is_masked(r.db_name)))):
        first = by_digest.setdefault(report.sha256, report)
        if first is report:
            yield report
        else:
            groups.twice.append((report, first))


def _into_its_series(groups: Sorted, report: Report) -> None:
    database = database_of(report.db_name, report.dbid)
    if same_database(database, database) is None:
        groups.unknown.append(report)
        return
    its = [s for s in groups.series if same_database(s.database, database)]
    if len({s.database for s in its}) > 1:
        groups.unknown.append(report)  # a name that two databases have
        return
    own = next((s for s in its if _place(s.reports[0]) == _place(report)), None)
    if own is None:
        own = DatabaseSeries()
        groups.series.append(own)
    own.reports.append(report)


def _place(report: Report) -> tuple[str, object]:
    return report.kind, report.instance_number or report.instance_name.lower()


def compare(access: AccessContext, series: Iterable[DatabaseSeries]) -> list[Comparison]:
    """One comparison of each, new or existing."""
    return [services.create_comparison(access, group.compared, order_by_time=False) for group in series]
