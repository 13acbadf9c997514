"""More than two reports: a report against a baseline of several, and tables with a column for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.http import content_disposition_header

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.words import baseline_said, hour_said, unlike_said
from awrdiff.analysis.export.baseline import Found
from awrdiff.analysis.export.baseline import summary as baseline_verdict
from awrdiff.analysis.export.baseline_files import baseline_pieces
from awrdiff.analysis.words import sentence
from awrdiff.comparisons import baselines, medians, queries
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.pairs import pair_of_places, places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport
from awrdiff.web import links, options
from awrdiff.web.negotiate import cached_response
from awrdiff.web.presenters.baseline import each, lies, strip
from awrdiff.web.presenters.baseline.figures import basis_of
from awrdiff.web.presenters.page import exports
from awrdiff.web.presenters.section.compared import Options, RowView, SectionView
from awrdiff.web.streams import stream
from parsers.model import Report

# By the ending of the file: the format, and what is said of it.
EXPORTS = {
    "txt": ("ticket", "what lies outside the baseline, the link: at most 12 lines"),
    "md": ("markdown", "what lies outside the baseline, as text"),
    "html": ("html", "one page to send: opens without network or script"),
    "json": ("json", "everything, for scripts"),
    "csv": ("csv", "every figure on a line, for a spreadsheet"),
}
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
    """What a place is to be kept of: the pair that the form names, or the view against a baseline that the address
    does, unless that is a pair that is stored; None where the address names none that there is."""
    if "baseline" not in request.GET:
        return options.number(request.POST.get("pair")), None
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
    request: HttpRequest, page_url: str, heads: Sequence[Report], chosen: Chosen, *, is_pair: bool
) -> strip.Strip:
    """The reports to choose from; every address keeps what else is chosen."""
    kept = urlencode(_kept(request))

    def address(one: Chosen) -> str:
        return f"{page_url}?{'&'.join(p for p in (options.baseline_query(one), kept) if p)}"

    return strip.present(heads, chosen, address, is_pair=is_pair)


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
    line = strip_of(request, links.comparison(access, found), baselines.heads_of(places), chosen, is_pair=True)
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
    """What the page of a comparison says otherwise where First is a median: which reports, and where links lead. There
    are no threads and no verdicts on its findings, which would be kept of a pair."""
    places, chosen = asked_for
    heads, page_url = baselines.heads_of(places), links.comparison(access, found)
    query = options.baseline_query(chosen)
    second = places[chosen.second].report
    return {
        "title": title_of(heads, chosen),
        "strip": strip_of(request, page_url, heads, chosen, is_pair=False),
        "unlike": unlike_said(heads, chosen),
        "trend_url": links.trend(access, found),
        "asked": query,
        "pair_query": f"?{query}",
        "search_url": f"{links.search(access, found)}?{query}",
        "pins_url": f"{links.pins(found)}?{query}" if access.can_write else "",
        "commit_url": f"{links.commit(access, found)}{options.pair_query(queries.opening_pair(found), len(places))}",
        "exports": [
            exports.Entry(f"{links.export(access, found, ending)}?{query}", exports.EXPORTS[ending].label, told)
            for ending, (_, told) in EXPORTS.items()
        ],
        "report_links": [{"side": "Second", "url": links.report(access, second, found)}] if access.can_read else [],
        "threads_url": "",
        "verdicts_url": "",
        "swap_url": "",
        "parts": [],
        "pairs": [],
    }


def unlike(places: Sequence[ComparisonReport], chosen: Chosen) -> list[str]:
    return unlike_said(baselines.heads_of(places), chosen)


def title_and_verdict(asked_for: Asked) -> tuple[str, str]:
    """Title and verdict."""
    places, chosen = asked_for
    heads = baselines.heads_of(places)
    return title_of(heads, chosen), baseline_verdict(Found(heads, baselines.measures_of(places), chosen, lambda _: ()))


def title_of(heads: Sequence[Report], chosen: Chosen) -> str:
    second = heads[chosen.second]
    name = f"{second.database.name} · " if second.database.name else ""
    return f"{name}{hour_said(second)} against {baseline_said(len(chosen.members))}"


def _measures(places: Sequence[ComparisonReport], chosen: Chosen) -> list[Any]:
    return list(baselines.measures_of([*(places[n] for n in chosen.members), places[chosen.second]]))


def _in_order(chosen: Chosen) -> Chosen:
    return Chosen(tuple(range(len(chosen.members))), len(chosen.members))


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
) -> HttpResponse:
    """One section with a column for each report of the comparison, also where no baseline is asked for."""
    places = baselines.compared_places(found)
    chosen = asked_for or view_of_pair(options.pair(request), len(places))
    version = (queries.version_of(access, found), baselines.version_of(places))

    def made() -> HttpResponse:
        heads = baselines.heads_of(places)
        view = each.present(baselines.series(places, section_id), heads, chosen, section_options(request))
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
    """The whole against the baseline; `?part=summary` is what a screen holds."""
    places, chosen = asked_for
    if ending not in EXPORTS:
        raise NotFound(f"There is no such export: what is held against a baseline comes as {exports.ENDINGS}.")
    heads = baselines.heads_of(places)
    query = f"{page_url}?{options.baseline_query(chosen)}"

    def written() -> Iterator[str]:
        found = Found(
            heads,
            baselines.measures_of(places),
            chosen,
            lambda wanted: baselines.every_section(places, chosen, wanted),
            options.step(request),
            request.build_absolute_uri(query) if page_url else "",
        )
        return baseline_pieces(found, EXPORTS[ending][0], brief=request.GET.get("part") == "summary")

    name = exports.file_name(title_of(heads, chosen), ending)
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    return stream(request, written, exports.EXPORTS[ending].content_type, headers)


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
