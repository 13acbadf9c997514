"""Reports in a comparison's places; a part's identity comes from the computed headers. Titles are made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.aspects import aspect_text
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.windows import window, windows
from awrdiff.comparisons.errors import GONE
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.pairs import latest_pair, places_of_pair
from awrdiff.reports.models import Report
from parsers.storage.document import unpack

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
        comparison.pk: comparison_title(comparison, split_traces(placed_reports[comparison.pk])[0])
        if comparison.pk in placed_reports
        else "Comparison"
        for comparison in comparisons
    }


def comparison_title(comparison: Comparison, reports: Sequence[PlacedReport], pair: int | None = None) -> str:
    """Own title, with Second's window unless the latest pair (None)."""
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
