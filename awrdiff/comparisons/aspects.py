"""Parts of reports in the places of a comparison: what can be chosen, what is computed of it, what exists already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from awrdiff.analysis.aspects import FIRST, SECOND, choices, seen_as, with_check
from awrdiff.analysis.model.comparison import Comparison as Computed
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


def checked(first: ComparisonReport, second: ComparisonReport, parsed: Parsed, computed: Computed) -> Computed:
    """Both periods of one of Oracle's compare reports: with what became of Oracle's own differences."""
    both = first.report_id == second.report_id and {first.aspect, second.aspect} == {FIRST, SECOND}
    return with_check(parsed, computed) if both else computed


def same_places(team: int, wanted: Sequence[tuple[Report, str]]) -> Comparison | None:
    """The team's comparison of these parts of reports in this order, if there is one."""
    found = Comparison.objects.filter(team=team, places__report=wanted[0][0], places__position=0)
    keys = [(report.pk, aspect) for report, aspect in wanted]
    for one in found.prefetch_related("places").defer("overview").order_by("created_at").distinct():
        places = sorted(one.places.all(), key=lambda p: p.position)
        settled = one.is_ready or not one.order_by_time  # the order of others is not known yet
        if settled and [(p.report_id, p.aspect) for p in places] == keys:
            return one
    return None
