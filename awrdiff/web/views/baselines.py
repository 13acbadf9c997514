"""Reports against a baseline, and one column per report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from msgspec import structs

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.baseline_sentences import baseline_name, hour_text, unlike_text
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.export.baseline import BaselineReading, baseline_csv, baseline_parts, summary
from awrdiff.analysis.export.json_encoding import pieces
from awrdiff.analysis.figures_in_words import sentence
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.comparisons import baseline_reports, median_comparison, queries
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.report_pairs import pair_of_places, places_of_pair
from awrdiff.comparisons.report_places_and_titles import PlacedReport
from awrdiff.web import links, query_options, streamed_downloads
from awrdiff.web.content_negotiation import cached_response
from awrdiff.web.presenters.baseline import report_columns, spread_and_position, stacked_db_time
from awrdiff.web.presenters.baseline.spread_and_position import basis_of
from awrdiff.web.presenters.section.as_csv import each_csv
from awrdiff.web.presenters.section.compared_section import Options, SectionView
from awrdiff.web.query_options import RequestedView, requested_places
from awrdiff.web.streamed_downloads import download
from awrdiff.web.views.visit import Visit
from parsers.model import Report

# By the ending of the file, what is said otherwise than of two reports.
_FORMAT_TEXTS = {
    "json": "everything, and every figure's range, for scripts",
    "csv": "every figure and its range on a line",
}
_CARRIED = ("basis", "all", "material", "q")


def pair_or_view(request: HttpRequest, comparison: Comparison) -> tuple[int, BaselineSelection | None] | None:
    """A view against a baseline unless stored as a pair; None if it does not exist."""
    if "baseline" not in request.GET:
        return query_options.sent_pair(request), None
    if (here := requested_places(request, comparison)) is None:
        return None
    own_pair = stored_pair(comparison, here)
    return (0, here[1]) if own_pair is None else (own_pair, None)


def stored_pair(comparison: Comparison, asked_for: RequestedView) -> int | None:
    """Stored pair equal to one report against one other."""
    places, selection = asked_for
    if len(selection.members) > 1:
        return None
    pair = pair_of_places(selection.members[0], selection.second, len(places))
    return pair if pair is not None and pair <= queries.opening_pair(comparison) else None


def _carried(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in _CARRIED if request.GET.get(name)}


def _address(visit: Visit, query: str) -> str:
    """With the other choices."""
    return f"{visit.url}?{'&'.join(p for p in (query, urlencode(_carried(visit.request))) if p)}".removesuffix("?")


def strip_of(
    visit: Visit, places: Sequence[baseline_reports.Place], selection: BaselineSelection, *, is_pair: bool
) -> dict[str, Any]:
    def address(choice: BaselineSelection) -> str:
        return _address(visit, query_options.baseline_query(choice))

    heads = baseline_reports.heads_of(places)
    changes = baseline_reports.parameter_changes_of(places, heads)
    return stacked_db_time.strip_view(
        heads, selection, address, baseline_reports.stacked_of(places), changes, is_pair=is_pair
    )


def view_of_pair(pair: int, reports: int) -> BaselineSelection:
    """First alone as the baseline."""
    first, second = places_of_pair(pair, reports)
    return BaselineSelection((first,), second)


def of_pair(visit: Visit, places: Sequence[PlacedReport]) -> dict[str, Any]:
    """The strip of more than two reports."""
    selection = view_of_pair(visit.pair, len(places))
    return {"strip": strip_of(visit, places, selection, is_pair=True), "trend_url": visit.below("trend")}


def leads_to(visit: Visit, asked_for: RequestedView) -> str:
    """Canonical address: a stored pair's, or a short form; "" if already canonical."""
    if (pair := stored_pair(visit.comparison, asked_for)) is not None:
        return _address(visit, f"pair={pair}" if len(asked_for[0]) > 2 else "")
    if len(visit.request.GET.getlist("baseline")) > 1:  # as a form without a script sends it
        return _address(visit, query_options.baseline_query(asked_for[1]))
    return ""


def opens_on(visit: Visit, places: Sequence[PlacedReport]) -> str:
    """Three or more reports: the latest against the median of similar ones, else the previous. Explicit: everybody sees
    the same.
    """
    selection, carried = median_comparison.opens_on(places), urlencode(_carried(visit.request))
    pair = queries.opening_pair(visit.comparison)
    query = query_options.baseline_query(selection) if selection is not None else f"pair={pair}"
    return f"{visit.url}?{'&'.join(p for p in (carried, query) if p)}"


def of_median(visit: Visit, asked_for: RequestedView) -> dict[str, Any]:
    """Context where First is a median. Verdicts belong to pairs only."""
    access, compared, query = visit.access, visit.comparison, visit.query
    places, selection = asked_for
    heads, second = baseline_reports.heads_of(places), places[selection.second].report
    return {
        "title": title_of(heads, selection),
        "strip": strip_of(visit, places, selection, is_pair=False),
        "trend_url": visit.below("trend"),
        "asked": query.removeprefix("?"),
        "search_url": visit.below("search") + query,
        "pins_url": links.pins(compared) + query if access.can_write else "",
        "commit_url": visit.below("commit") + query_options.pair_query(queries.opening_pair(compared), len(places)),
        "exports": [
            (
                visit.below("export", ending) + query,
                export.label,
                _FORMAT_TEXTS.get(ending, export.hint),
            )
            for ending, export in streamed_downloads.EXPORTS.items()
        ],
        "report_links": [{"side": "Second", "url": links.report(access, second, compared)}] if access.can_read else [],
        "verdicts_url": "",
        "judged_at": _pair_with(visit, selection.second, len(places)) if access.can_write else "",
        "swap_url": "",
        "parts": [],
        "pairs": [],
    }


def unlike(places: Sequence[ComparisonReport], selection: BaselineSelection) -> list[str]:
    return unlike_text(baseline_reports.heads_of(places), selection)


def _pair_with(visit: Visit, second: int, reports: int) -> str:
    last = queries.opening_pair(visit.comparison)
    pairs = [n for n in range(last, -1, -1) if places_of_pair(n, reports)[1] == second]
    return _address(visit, f"pair={pairs[0]}") if pairs else ""


def title_of_view(asked_for: RequestedView) -> str:
    places, selection = asked_for
    return title_of(baseline_reports.heads_of(places), selection)


def verdict_of_view(asked_for: RequestedView) -> str:
    return summary(_baseline_reading(asked_for))


def title_of(heads: Sequence[Report], selection: BaselineSelection) -> str:
    second = heads[selection.second]
    name = f"{second.database.name} · " if second.database.name else ""
    return f"{name}{hour_text(second)} against {baseline_name(len(selection.members))}"


def section_options(request: HttpRequest) -> Options:
    return query_options.section_options(request, basis_of(query_options.chosen_basis(request)))


def with_lies(
    places: Sequence[ComparisonReport], selection: BaselineSelection, view: SectionView, view_options: Options
) -> SectionView:
    """Adds positions among the reports, except in too large tables."""
    ids = {row["id"] for row in view.rows} - {""}
    if len(selection.members) < 2 or not ids:
        return view
    try:
        against, series = baseline_reports.held_against(places, selection, view.id, ids)
    except (ComparisonRefused, NotFound):
        return view
    row_lies = spread_and_position.of_rows(against, series, view_options)
    rows = [{**row, "lies": row_lies.get(row["id"])} for row in view.rows]
    return replace(view, rows=rows)


def each_of(visit: Visit, section_id: str) -> HttpResponseBase:
    """One column per report, with or without a baseline."""
    request, asked_for = visit.request, visit.view[1] if visit.view is not None else None
    places = baseline_reports.compared_places(visit.comparison)
    view_options = section_options(request)
    if request.GET.get("format") == "csv":
        rows = report_columns.rows_of(
            baseline_reports.series(places, section_id), baseline_reports.heads_of(places), view_options
        )
        return download(request, f"{section_id} of {len(places)} reports", "csv", partial(each_csv, rows))
    selection = asked_for or view_of_pair(visit.pair, len(places))
    version = (visit.version, baseline_reports.version_of(places))

    def render_page() -> HttpResponse:
        heads = baseline_reports.heads_of(places)
        view = report_columns.present(
            report_columns.rows_of(baseline_reports.series(places, section_id), heads, view_options),
            selection,
            view_options,
        )
        query = visit.query if asked_for else ""
        context = {
            **visit.addresses(),
            "v": view,
            "unlike": unlike_text(heads, asked_for) if asked_for else (),
            "template": "baselines/_each.html",
            "query": query.removeprefix("?"),
            "title": sentence(f"{len(places)} reports"),
            "filter": query_options.filter_text(request),
            "section_url": visit.below("section", section_id),
            "trend_url": visit.below("trend"),
            "pair_query": query,
            "keep": query_options.kept_options(request),
            "back": f"{visit.url}{query}#{section_id}",
        }
        return render(request, "baselines/_each.html" if visit.in_panel else "baselines/section.html", context)

    return cached_response(request, version, render_page)


def export(request: HttpRequest, asked_for: RequestedView, ending: str, page_url: str) -> HttpResponseBase:
    """`?part=summary` leaves the tables out."""
    file_format = streamed_downloads.EXPORTS[ending]
    sections = file_format.tells_sections and request.GET.get("part") != "summary"
    step = query_options.step(request)
    query = f"{query_options.baseline_query(asked_for[1])}{f'&material={step:g}' if step != DEFAULT else ''}"
    address = request.build_absolute_uri(f"{page_url}?{query}") if page_url else ""

    def body() -> Iterator[str]:
        if ending == "json":
            return chain(pieces(baseline_parts(_baseline_reading(asked_for))), "\n")
        if ending == "csv":
            return baseline_csv(_baseline_reading(asked_for), brief=not sections)
        against = median_comparison.against_median(*asked_for)
        sections_shown = median_comparison.sections_with_lies(against, *asked_for) if sections else ()
        document = structs.replace(against.overview, sections=sections_shown, step=step, address=address)
        return file_format.pieces([document], sections=sections)

    return download(request, title_of_view(asked_for), ending, body)


def _baseline_reading(asked_for: RequestedView) -> BaselineReading:
    places, selection = asked_for
    try:
        computed = median_comparison.against_median(places, selection).overview
    except ComparisonRefused:  # each table may still be held against the others
        computed = None
    return BaselineReading(
        baseline_reports.heads_of(places),
        baseline_reports.measures_of(places),
        selection,
        partial(baseline_reports.every_section, places, selection),
        computed,
    )
