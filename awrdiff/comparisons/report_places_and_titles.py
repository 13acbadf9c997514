"""Reports in a comparison's places; a part's identity comes from the computed headers. Titles are made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Prefetch

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.lgwr_traces import TRACE, split_traces
from awrdiff.analysis.report_scopes import FIRST, SECOND, WHOLE, aspect_text, seen_as, with_check
from awrdiff.analysis.report_time_windows import window, windows
from awrdiff.comparisons.errors import GONE
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.report_pairs import latest_pair, places_of_pair
from awrdiff.processing.work_claims import Refused
from awrdiff.reports.models import Report
from awrdiff.reports.queries import HEAVY_OF_REPORT
from parsers.model import Report as Parsed
from parsers.storage.compressed_blocks import unpack

Header = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlacedReport:
    """ISO times of the database's clock, "" if not printed."""

    report: Report
    position: int
    aspect: str
    name: str
    db_name: str
    instance_name: str
    begin_at: str
    end_at: str

    @property
    def kind(self) -> str:
        return self.report.kind


def places_of(comparison: Comparison) -> list[ComparisonReport]:
    """Places in order; 0 is the baseline."""
    places = comparison.places.select_related("report").order_by("position")
    return list(places.defer("report__head", "report__header"))


def placed_reports_of(comparison: Comparison) -> list[PlacedReport]:
    """Raises NotFound if deleted."""
    places = places_of(comparison)
    if not places:
        raise NotFound(GONE)
    headers = _headers([comparison.pk]) if any(p.aspect for p in places) else {}
    return _placed_reports(places, headers.get(comparison.pk, ()))


def placed_reports_in(comparisons: Iterable[Comparison]) -> dict[UUID, list[PlacedReport]]:
    """Deleted comparisons are omitted."""
    listed = list(comparisons)
    parts = [c.pk for c in listed if any(p.aspect for p in c.places.all())]
    headers = _headers(parts) if parts else {}
    return {c.pk: _placed_reports(list(places), headers.get(c.pk, ())) for c in listed if (places := c.places.all())}


def _headers(pks: Sequence[UUID]) -> dict[UUID, list[Header]]:
    """The last of several pairs repeats one; empty until computed."""
    by_comparison: dict[UUID, list[Header]] = {}
    for pk, overview in Comparison.objects.filter(pk__in=pks).values_list("pk", "overview"):
        pairs = unpack(bytes(overview)) if overview else []
        if pairs:
            by_comparison[pk] = [pairs[0]["headers"][0], *(pair["headers"][1] for pair in pairs)]
    return by_comparison


def _placed_reports(places: Sequence[ComparisonReport], headers: Sequence[Header]) -> list[PlacedReport]:
    reports, _ = split_traces(places)
    by_place = dict(zip((p.position for p in reports), headers, strict=False))
    return [_part(p, by_place.get(p.position)) if p.aspect else _whole(p.report, p.position) for p in places]


def _whole(report: Report, position: int) -> PlacedReport:
    names = (report.name, report.db_name, report.instance_name)
    return PlacedReport(report, position, "", *names, report.begin_at, report.end_at)


def _part(place: ComparisonReport, header: Header | None) -> PlacedReport:
    report, aspect = place.report, place.aspect
    name = f"{report.name}, {aspect_text(aspect)}"
    if header is None:
        return PlacedReport(report, place.position, aspect, name, report.db_name, "", "", "")
    window = header["snapshots"]
    instances = header["instances"]
    return PlacedReport(
        report=report,
        position=place.position,
        aspect=aspect,
        name=name,
        db_name=header["database"]["name"] or "",
        instance_name=(instances[0]["name"] or "") if len(instances) == 1 else "",
        begin_at=window["begin"]["time"] or "",
        end_at=window["end"]["time"] or "",
    )


def titles_of(comparisons: Collection[Comparison]) -> dict[UUID, str]:
    """Expects comparisons with places loaded."""
    placed_reports = placed_reports_in(comparisons)
    return {
        comparison.pk: comparison_title(comparison, placed_reports[comparison.pk])
        if comparison.pk in placed_reports
        else "Comparison"
        for comparison in comparisons
    }


def comparison_title(comparison: Comparison, reports: Sequence[PlacedReport], pair: int | None = None) -> str:
    """Own title, with Second's window unless the latest pair (None). Traces do not count."""
    reports, _ = split_traces(reports)
    if len(reports) < 2:
        return comparison.title or "Comparison"
    latest = latest_pair(len(reports))
    places = places_of_pair(latest if pair is None else pair, len(reports))
    first, second = (reports[at] for at in places)
    if comparison.title:
        another = f" · {window(second.begin_at, second.end_at)}" if pair not in (None, latest) else ""
        return f"{comparison.title}{another}"
    if not first.begin_at or not second.begin_at:
        further = (r for at, r in enumerate(reports) if at not in places)
        return " → ".join(r.name for r in (first, second, *further))
    names = list(dict.fromkeys(database_of(r) for r in (first, second)))
    spans = windows((first.begin_at, first.end_at), (second.begin_at, second.end_at))
    more = f" and {len(reports) - 2} more" if len(reports) > 2 else ""
    return f"{' and '.join(names)} · {spans}{more}"


def database_of(report: PlacedReport) -> str:
    """`PAY`, or `PAY instance 2`."""
    name = report.db_name or report.instance_name or "?"
    return f"{name} {aspect_text(report.aspect)}" if report.aspect.startswith("instance") else name


NO_SUCH_PART = "no-such-part"


def choices_of(report: Report) -> tuple[str, ...]:
    """Parts of a report, empty without a choice."""
    if report.kind == "awr_global":
        numbers = dict.fromkeys(i["number"] for i in report.header.get("instances", []) if i["number"] is not None)
        return (WHOLE, *(f"instance:{number}" for number in numbers)) if numbers else ()
    return (WHOLE, FIRST, SECOND) if report.kind == "awr_compare" else ()


def contents_by_place(places: Sequence[ComparisonReport], parsed: Mapping[UUID, Parsed]) -> list[Parsed]:
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
    rows = ComparisonReport.objects.select_related("report").order_by("position").defer(*HEAVY_OF_REPORT)
    places = Prefetch("places", rows)
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
