"""Trend of a figure over a comparison's reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.baseline_sentences import unlike_text
from awrdiff.analysis.baseline.member_selection import positions_by_time, restarted_between
from awrdiff.analysis.baseline.parameter_differences import ParameterChange
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.export.json_encoding import plain
from awrdiff.analysis.figures_in_words import listing
from awrdiff.comparisons import baseline_reports
from awrdiff.comparisons.models import ComparisonReport
from awrdiff.sharing.access import PAGE, SEVERAL
from awrdiff.web import query_options
from awrdiff.web.api.v1.analysis_responses import ReportColumn
from awrdiff.web.api.v1.request_and_response_types import Trend, TrendParameter, TrendReport, TrendRow
from awrdiff.web.content_negotiation import cached_response, json_response, wants_json
from awrdiff.web.presenters.baseline import report_columns, stacked_db_time
from awrdiff.web.presenters.baseline import trend as presenter
from awrdiff.web.presenters.baseline.spread_and_position import BASES, basis_of
from awrdiff.web.presenters.page.section_navigation import short_title
from awrdiff.web.views.baselines import section_options
from awrdiff.web.views.errors import answer
from awrdiff.web.views.visit import Visit, comparison_visit
from parsers.model import Report, Value

# What a page without a choice shows, of what is printed.
FIRST = ("load_profile", "time_model", "foreground_wait_events", "wait_events")
NOT_READY = "The comparison is not finished yet: look at its trend once it is."


@require_safe
def trend(request: HttpRequest, **place: Any) -> HttpResponse:
    """One `row` of a `section`, or all its rows, in every report."""
    visit = comparison_visit(request, PAGE * SEVERAL, **place)
    return trend_of(visit)


def trend_of(visit: Visit) -> HttpResponse:
    """One row's charts, or all rows with sparklines; or JSON."""
    if not visit.comparison.is_ready:
        return answer(visit.request, 409, NOT_READY)
    places = baseline_reports.compared_places(visit.comparison)
    version = (visit.version, baseline_reports.version_of(places))
    return cached_response(visit.request, version, lambda: _answer(visit, places))


def _answer(visit: Visit, places: list[ComparisonReport]) -> HttpResponse:
    request = visit.request
    lines = baseline_reports.lines(places)
    section_id = request.GET.get("section", "")[:120]
    if not section_id:
        printed = {line.section_id for line in lines}
        section_id = next((first for first in FIRST if first in printed), min(printed, default=""))
    series = baseline_reports.series(places, section_id)
    row_id = request.GET.get("row", "")[:64]
    line = next((series_row for series_row in series.lines if series_row.row_id == row_id), None)
    if row_id and line is None:
        raise NotFound("None of the reports prints this row.")
    heads = baseline_reports.heads_of(places)
    if wants_json(request):
        return json_response(trend_json(series, line, heads, baseline_reports.parameter_changes_of(places, heads)))
    selection = query_options.chosen_baseline(request, len(places))
    query = query_options.baseline_query(selection) if selection is not None else ""
    if line is not None:
        reports = presenter.Reports(heads, selection, baseline_reports.parameter_changes_of(places, heads))
        basis = basis_of(query_options.chosen_basis(request))
        view = presenter.present(series, line, reports, basis)
        context = {"v": view, "title": view["name"]}
    else:
        context = _of_section(request, series, heads)
        if "section" not in request.GET:
            changes = baseline_reports.parameter_changes_of(places, heads)
            by_event = baseline_reports.stacked_of(places)
            context["stacked"] = stacked_db_time.present(by_event, heads, changes, query)
            context["matrix"] = stacked_db_time.matrix_of(
                by_event, heads, lambda two: f"{visit.url}?{query_options.baseline_query(two)}"
            )
    context |= {
        "access": visit.access,
        "sections": [
            (section_line.section_id, short_title(section_line.section_id, section_line.title), section_line.title)
            for section_line in lines
        ],
        "section": section_id,
        "bases": BASES,
        "basis": basis_of(query_options.chosen_basis(request)),
        "filter": query_options.filter_text(request),
        "trend_url": visit.below("trend"),
        "section_url": visit.below("trend"),
        "keep": f"section={section_id}&{query_options.kept_options(request)}",
        "query": query,
        "chosen": selection,
        "unlike": unlike_text(heads, selection) if selection is not None else (),
        "count": len(places),
        "databases": listing(list(dict.fromkeys(h.database.name for h in heads if h.database.name))),
        "back": f"{visit.url}{f'?{query}' if query else ''}#{section_id}",
    }
    return render(request, "baselines/trend.html", context)


def _of_section(request: HttpRequest, series: Series, heads: list[Report]) -> dict[str, Any]:
    section_choice = section_options(request)
    view = report_columns.present(
        report_columns.rows_of(series, heads, section_choice), BaselineSelection((), -1), section_choice
    )
    return {"each": view, "title": series.title}


def trend_json(
    series: Series, line: SeriesRow | None, heads: Sequence[Report], changes: Sequence[tuple[ParameterChange, ...]]
) -> Trend:
    """In the order of `reports`; `by_time`: order in time."""
    order = positions_by_time(heads)
    since = {n: (heads[order[at - 1]] if at else None, changes[at]) for at, n in enumerate(order)}
    return Trend(
        section=series.id,
        title=series.title,
        reports=[_report(n, head, *since[n]) for n, head in enumerate(heads)],
        by_time=list(order),
        columns=[ReportColumn(c.id, c.label, c.unit) for c in series.columns],
        rows=[_row(series_row) for series_row in ([line] if line is not None else series.lines)],
    )


def _report(place: int, head: Report, before: Report | None, changes: Sequence[ParameterChange]) -> TrendReport:
    begin, end = head.period.begin.time, head.period.end.time
    return TrendReport(
        place=place,
        name=head.name,
        begin=begin.isoformat() if begin else None,
        end=end.isoformat() if end else None,
        restarted=[m.isoformat() for m in restarted_between(before, head)] if before is not None else [],
        parameters=[TrendParameter(c.name, c.before, c.after) for c in changes],
    )


def _row(line: SeriesRow) -> TrendRow:
    columns = next((list(v) for v in line.values if v is not None), [])
    return TrendRow(
        id=line.row_id,
        key=dict(line.name),
        unit=line.unit,
        values={c: [_cell(v[c].first) if v is not None else None for v in line.values] for c in columns},
        per_s={
            c: [plain(v[c].first_per_s) if v is not None else None for v in line.values]
            for c in columns
            if any(v is not None and v[c].first_per_s is not None for v in line.values)
        },
    )


def _cell(cell: Value | str | None) -> float | str | None:
    return plain(cell.number) if isinstance(cell, Value) else cell
