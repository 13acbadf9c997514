"""Parts of reports in a comparison's places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Prefetch

from awrdiff.analysis.aspects import FIRST, SECOND, choices, seen_as, with_check
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.traces import TRACE, split_traces
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.claims import Refused
from awrdiff.reports.models import Report
from parsers.model import Report as Parsed

NO_SUCH_PART = "no-such-part"


def choices_of(report: Report) -> tuple[str, ...]:
    """Parts of a report, empty without a choice."""
    instances = report.header.get("instances", []) if report.kind == "awr_global" else []
    return choices(report.kind, [i["number"] for i in instances])


def seen_places(places: Sequence[ComparisonReport], parsed: Mapping[UUID, Parsed]) -> list[Parsed]:
    """Refuses missing parts."""
    try:
        return [seen_as(parsed[p.report_id], p.aspect) for p in places]
    except LookupError as missing:
        raise Refused(f"The report does not hold the part that was chosen: {missing}.", NO_SUCH_PART) from missing


def check_differences(
    first: ComparisonReport, second: ComparisonReport, parsed: Parsed, computed: Computed
) -> Computed:
    """Check Oracle's own differences between the periods of its compare report."""
    is_own_pair = first.report_id == second.report_id and {first.aspect, second.aspect} == {FIRST, SECOND}
    return with_check(parsed, computed) if is_own_pair else computed


def same_places(team: int, wanted: Sequence[tuple[Report, str]], *, by_time: bool = False) -> Comparison | None:
    """Team's comparison of these in this order, maybe with more traces.

    `by_time`: order unknown while reading; matches another that waits too.
    """
    heavy = ("report__head", "report__header", "report__issues", "report__assessment")
    places = Prefetch("places", ComparisonReport.objects.select_related("report").order_by("position").defer(*heavy))
    comparisons = Comparison.objects.filter(team=team, places__report=wanted[0][0]).defer("overview").distinct()
    for comparison in comparisons.prefetch_related(places).order_by("created_at"):
        is_usable = comparison.order_by_time == by_time or (comparison.is_ready and not by_time)
        if is_usable and _stands_in(comparison, wanted):
            return comparison
    return None


def _stands_in(comparison: Comparison, wanted: Sequence[tuple[Report, str]]) -> bool:
    own, attached = split_traces(comparison.places.all())
    traces = {report.pk for report, _ in wanted if report.kind == TRACE}
    reports = [(report.pk, aspect) for report, aspect in wanted if report.kind != TRACE]
    return [(p.report_id, p.aspect) for p in own] == reports and traces <= {p.report_id for p in attached}
