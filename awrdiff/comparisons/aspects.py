"""Parts of reports in the places of a comparison: what can be chosen, what is computed of it, what exists already."""

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
    """What a read report can be looked at as; nothing where there is no choice."""
    instances = report.header.get("instances", []) if report.kind == "awr_global" else []
    return choices(report.kind, [i["number"] for i in instances])


def seen_places(places: Sequence[ComparisonReport], parsed: Mapping[UUID, Parsed]) -> list[Parsed]:
    """What stands in each place. Refuses a part that the report turns out not to have."""
    try:
        return [seen_as(parsed[p.report_id], p.aspect) for p in places]
    except LookupError as missing:
        raise Refused(f"The report does not hold the part that was chosen: {missing}.", NO_SUCH_PART) from missing


def check_differences(
    first: ComparisonReport, second: ComparisonReport, parsed: Parsed, computed: Computed
) -> Computed:
    """Both periods of one of Oracle's compare reports: with what became of Oracle's own differences."""
    both = first.report_id == second.report_id and {first.aspect, second.aspect} == {FIRST, SECOND}
    return with_check(parsed, computed) if both else computed


def same_places(team: int, wanted: Sequence[tuple[Report, str]], *, by_time: bool = False) -> Comparison | None:
    """The team's comparison of these parts of reports in this order, if there is one; it may have more traces.

    `by_time`: their order is not known yet, as they are still read: it is that of another which waits for the same.
    """
    heavy = ("report__head", "report__header", "report__issues", "report__assessment")
    places = Prefetch("places", ComparisonReport.objects.select_related("report").order_by("position").defer(*heavy))
    found = Comparison.objects.filter(team=team, places__report=wanted[0][0]).defer("overview").distinct()
    for one in found.prefetch_related(places).order_by("created_at"):
        settled = one.order_by_time == by_time or (one.is_ready and not by_time)
        if settled and _stands_in(one, wanted):
            return one
    return None


def _stands_in(one: Comparison, wanted: Sequence[tuple[Report, str]]) -> bool:
    """Whether it compares these, with at least the traces that are among them."""
    own, attached = split_traces(one.places.all())
    traces = {report.pk for report, _ in wanted if report.kind == TRACE}
    reports = [(report.pk, aspect) for report, aspect in wanted if report.kind != TRACE]
    return [(p.report_id, p.aspect) for p in own] == reports and traces <= {p.report_id for p in attached}
