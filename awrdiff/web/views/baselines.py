"""More than two reports: a report against a baseline of several, and tables with a column for each."""

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

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.words import baseline_said, hour_said, unlike_said
from awrdiff.analysis.export.baseline import Found, baseline_parts, summary
from awrdiff.analysis.export.baseline_csv import baseline_csv
from awrdiff.analysis.export.pieces import pieces
from awrdiff.analysis.rows.material import DEFAULT
from awrdiff.analysis.words import sentence
from awrdiff.comparisons import baselines, medians, queries
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.pairs import pair_of_places, places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport
from awrdiff.web import links, options
from awrdiff.web.downloads import download
from awrdiff.web.negotiate import cached_response
from awrdiff.web.presenters.baseline import each, lies, strip
from awrdiff.web.presenters.baseline.figures import basis_of
from awrdiff.web.presenters.page import exports
from awrdiff.web.presenters.section.as_csv import each_csv
from awrdiff.web.presenters.section.compared import Options, RowView, SectionView
from parsers.model import Report

# By the ending of the file, what is said otherwise than of two reports.
_SAID = {"json": "everything, and every figure's range, for scripts", "csv": "every figure and its range on a line"}
Asked = tuple[list[ComparisonReport], Chosen]
_KEPT = ("basis", "all", "material", "q")


def asked_places(request: HttpRequest, found: Comparison) -> Asked | None:
    """The places of the comparison and the baseline that the address chooses among them; None where it chooses none."""
    if "baseline" not in request.GET:
        return None
    places = baselines.compared_places(found)
    chosen = options.chosen_baseline(request, len(places))
    return (places, chosen) if chosen is not None else None


def version_of(asked_for: Asked | None) -> object:
    """What an answer is made of beside the comparison, for its ETag."""
    return baselines.version_of(asked_for[0]) if asked_for is not None else None


def pair_or_view(request: HttpRequest, found: Comparison) -> tuple[int, Chosen | None] | None:
    """What a place is to be kept of: the pair that the address or the form names, or the view against a baseline that
    the address does, unless that is a pair that is stored; None where the address names none that there is."""
    if "baseline" not in request.GET:
        return options.form_pair(request), None
    if (here := asked_places(request, found)) is None:
        return None
    pair = stored_pair(found, here)
    return (0, here[1]) if pair is None else (pair, None)


def stored_pair(found: Comparison, asked_for: Asked) -> int | None:
    """Of one report against another that is stored so."""
    places, chosen = asked_for
    if len(chosen.members) > 1:
        return None
    pair = pair_of_places(chosen.members[0], chosen.second, len(places))
    return pair if pair is not None and pair <= queries.opening_pair(found) else None


def _kept(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in _KEPT if request.GET.get(name)}


def strip_of(
    request: HttpRequest, page_url: str, places: Sequence[baselines.Place], chosen: Chosen, *, is_pair: bool
) -> strip.Strip:
    """The reports to choose from; every address keeps what else is chosen."""
    kept = urlencode(_kept(request))

    def address(one: Chosen) -> str:
        return f"{page_url}?{'&'.join(p for p in (options.baseline_query(one), kept) if p)}"

    heads = baselines.heads_of(places)
    changes = baselines.parameter_changes_of(places, heads)
    return strip.present(heads, chosen, address, baselines.stacked_of(places), changes, is_pair=is_pair)


def view_of_pair(pair: int, reports: int) -> Chosen:
    """First alone as the baseline."""
    first, second = places_of_pair(pair, reports)
    return Chosen((first,), second)


def of_pair(
    request: HttpRequest, access: AccessContext, found: Comparison, places: Sequence[PlacedReport], pair: int
) -> dict[str, Any]:
    """For the page of a pair: the strip, where there are more than two reports."""
    if len(places) < 3:
        return {}
    chosen = view_of_pair(pair, len(places))
    line = strip_of(request, links.comparison(access, found), places, chosen, is_pair=True)
    return {"strip": line, "trend_url": links.trend(access, found)}


def leads_to(request: HttpRequest, access: AccessContext, found: Comparison, asked_for: Asked) -> str:
    """The address that stands for what was asked: of a pair that is stored, or in short; "" where it is that."""
    page_url, kept = links.comparison(access, found), urlencode(_kept(request))
    if (pair := stored_pair(found, asked_for)) is not None:
        query = f"pair={pair}" if len(asked_for[0]) > 2 else ""
    elif len(request.GET.getlist("baseline")) > 1:  # as a form without a script sends it
        query = options.baseline_query(asked_for[1])
    else:
        return ""
    return f"{page_url}?{'&'.join(p for p in (query, kept) if p)}".removesuffix("?")


def opens_on(request: HttpRequest, access: AccessContext, found: Comparison, places: Sequence[PlacedReport]) -> str:
    """The address of three reports or more: the latest against the median of those like it, else against the one
    before it. It names them: whoever is sent it sees the same."""
    chosen = medians.opens_on(places)
    query = options.baseline_query(chosen) if chosen is not None else f"pair={queries.opening_pair(found)}"
    return f"{links.comparison(access, found)}?{'&'.join(p for p in (urlencode(_kept(request)), query) if p)}"


def of_median(request: HttpRequest, access: AccessContext, found: Comparison, asked_for: Asked) -> dict[str, Any]:
    """What the page of a comparison says otherwise where First is a median: which reports, and where links lead.
    Verdicts on findings are kept of a pair."""
    places, chosen = asked_for
    heads, page_url = baselines.heads_of(places), links.comparison(access, found)
    query = options.baseline_query(chosen)
    second = places[chosen.second].report
    return {
        "title": title_of(heads, chosen),
        "strip": strip_of(request, page_url, places, chosen, is_pair=False),
        "trend_url": links.trend(access, found),
        "asked": query,
        "pair_query": f"?{query}",
        "search_url": f"{links.search(access, found)}?{query}",
        "pins_url": f"{links.pins(found)}?{query}" if access.can_write else "",
        "commit_url": f"{links.commit(access, found)}{options.pair_query(queries.opening_pair(found), len(places))}",
        "exports": [
            exports.Entry(f"{links.export(access, found, ending)}?{query}", one.label, _SAID.get(ending, one.said))
            for ending, one in exports.EXPORTS.items()
        ],
        "report_links": [{"side": "Second", "url": links.report(access, second, found)}] if access.can_read else [],
        "verdicts_url": "",
        "judged_at": _pair_with(request, access, found, chosen.second, len(places)) if access.can_write else "",
        "swap_url": "",
        "parts": [],
        "pairs": [],
    }


def unlike(places: Sequence[ComparisonReport], chosen: Chosen) -> list[str]:
    return unlike_said(baselines.heads_of(places), chosen)


def _pair_with(request: HttpRequest, access: AccessContext, found: Comparison, second: int, reports: int) -> str:
    """The address of a pair that is stored with this Second; "" where there is none."""
    pairs = [n for n in range(queries.opening_pair(found), -1, -1) if places_of_pair(n, reports)[1] == second]
    kept = urlencode(_kept(request))
    return f"{links.comparison(access, found)}?pair={pairs[0]}{f'&{kept}' if kept else ''}" if pairs else ""


def title_of_view(asked_for: Asked) -> str:
    places, chosen = asked_for
    return title_of(baselines.heads_of(places), chosen)


def verdict_of_view(asked_for: Asked) -> str:
    return summary(_found(asked_for))


def title_of(heads: Sequence[Report], chosen: Chosen) -> str:
    second = heads[chosen.second]
    name = f"{second.database.name} · " if second.database.name else ""
    return f"{name}{hour_said(second)} against {baseline_said(len(chosen.members))}"


def section_options(request: HttpRequest) -> Options:
    return options.section_options(request, basis_of(options.chosen_basis(request)))


def with_lies(places: Sequence[ComparisonReport], chosen: Chosen, view: SectionView, asked: Options) -> SectionView:
    """With where each row lies among the reports; without, in a table that is too large for that."""
    ids = {row["id"] for row in view.rows} - {""}
    if len(chosen.members) < 2 or not ids:
        return view
    try:
        held, series = baselines.held_against(places, chosen, view.id, ids)
    except (ComparisonRefused, NotFound):
        return view
    found = lies.of_rows(held, series, asked)
    rows = [RowView(**{**row, "lies": found.get(row["id"])}) for row in view.rows]
    return replace(view, rows=rows)


def each_of(
    request: HttpRequest, access: AccessContext, found: Comparison, section_id: str, asked_for: Chosen | None
) -> HttpResponseBase:
    """One section with a column for each report of the comparison, also where no baseline is asked for."""
    places = baselines.compared_places(found)
    asked = section_options(request)
    if request.GET.get("format") == "csv":
        rows = each.rows_of(baselines.series(places, section_id), baselines.heads_of(places), asked)
        return download(request, f"{section_id} of {len(places)} reports", "csv", partial(each_csv, rows))
    chosen = asked_for or view_of_pair(options.pair(request), len(places))
    version = (queries.version_of(access, found), baselines.version_of(places))

    def made() -> HttpResponse:
        heads = baselines.heads_of(places)
        view = each.present(each.rows_of(baselines.series(places, section_id), heads, asked), chosen, asked)
        context = {
            "v": view,
            "unlike": unlike_said(heads, asked_for) if asked_for else (),
            "template": "baselines/_each.html",
            "query": options.baseline_query(asked_for) if asked_for else "",
            "title": sentence(f"{len(places)} reports"),
        }
        return render_section(request, access, found, section_id, context)

    return cached_response(request, version, made)


def export(request: HttpRequest, asked_for: Asked, ending: str, page_url: str) -> HttpResponseBase:
    """What the page against the baseline says; `?part=summary` leaves the tables out."""
    chosen = exports.EXPORTS[ending]
    sections = chosen.tells_sections and request.GET.get("part") != "summary"
    step = options.step(request)
    query = f"{options.baseline_query(asked_for[1])}{f'&material={step:g}' if step != DEFAULT else ''}"
    address = request.build_absolute_uri(f"{page_url}?{query}") if page_url else ""

    def written() -> Iterator[str]:
        if ending == "json":
            return chain(pieces(baseline_parts(_found(asked_for))), "\n")
        if ending == "csv":
            return baseline_csv(_found(asked_for), brief=not sections)
        held = medians.against_median(*asked_for)
        shown = medians.sections_with_lies(held, *asked_for) if sections else ()
        said = structs.replace(held.overview, sections=shown, step=step, address=address)
        return chosen.written([said], sections=sections)

    return download(request, title_of_view(asked_for), ending, written)


def _found(asked_for: Asked) -> Found:
    places, chosen = asked_for
    try:
        computed = medians.against_median(places, chosen).overview
    except ComparisonRefused:  # each table may still be held against the others
        computed = None
    return Found(
        baselines.heads_of(places),
        baselines.measures_of(places),
        chosen,
        partial(baselines.every_section, places, chosen),
        computed,
    )


def render_section(
    request: HttpRequest, access: AccessContext, found: Comparison, section_id: str, context: dict[str, Any]
) -> HttpResponse:
    page_url = links.comparison(access, found)
    query = context["query"]
    context |= {
        "access": access,
        "filter": options.filter_text(request),
        "section_url": links.section(access, found, section_id),
        "trend_url": links.trend(access, found),
        "entities_url": links.entities(access, found),
        "pair_query": f"?{query}" if query else "",
        "keep": options.kept_options(request),
        "page_url": page_url,
        "back": f"{page_url}{f'?{query}' if query else ''}#{section_id}",
    }
    in_page = bool(getattr(request, "htmx", False))
    return render(request, context["template"] if in_page else "baselines/section.html", context)
