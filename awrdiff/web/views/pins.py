"""Evidence in a comparison: own pins and its incidents'."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import compared_count, comparison_for, opening_pair, overview
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.incidents.evidence import kept_of
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import UNRESOLVED, with_comparison
from awrdiff.pins import queries, services
from awrdiff.pins.services import PinRefused
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import form_fields, json_list, json_response, wants_json
from awrdiff.web.presenters.page import pins as shown
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.views import baselines
from awrdiff.web.views.comparison_exports import note_download
from awrdiff.web.views.errors import answer


@require_http_methods(["GET", "HEAD", "POST"])
def pins(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One's own evidence as JSON, or all of the tray for the page; a POST keeps the place of field `anchor`.

    With a baseline in the address, the tray of that view.
    """
    access = member(request)
    comparison = comparison_for(access, pk)
    if request.method == "POST":
        if (where := baselines.pair_or_view(request, comparison)) is None:
            raise PinRefused(services.NOTHING_HERE)
        pair, baseline = where
        new_pin = services.pin(access, comparison, form_fields(request).get("anchor", ""), pair=pair, baseline=baseline)
        [line] = _lines(access, comparison, queries.with_standings([new_pin], comparison))
        return json_response(line, 201) if wants_json(request) else redirect(line.url)
    lines = _lines(access, comparison, queries.pinned(access, comparison))
    if wants_json(request):
        return json_list(request, "pins", lines)
    view, incidents = query_options.requested_places(request, comparison), _incidents(access, comparison)
    query = f"?{query_options.baseline_query(view[1])}" if view else ""
    return render(
        request,
        "pins/_tray.html",
        {
            "incidents": incidents,
            "lines": [*_evidence(access, comparison, incidents), *lines],
            "texts": _texts(comparison, query),
            "comparison_id": str(comparison.pk),
            "query": query,
        },
    )


def _lines(access: AccessContext, comparison: Comparison, pinned: Sequence[queries.Pinned]) -> list[shown.PinLine]:
    reports = compared_count(comparison) if pinned else 0
    return [shown.line(access, comparison, pin, reports) for pin in pinned]


def _incidents(access: AccessContext, comparison: Comparison) -> list[Incident]:
    """Incidents not over come first."""
    return (
        sorted(with_comparison(access, comparison), key=lambda incident: incident.status not in UNRESOLVED)
        if access.can_write
        else []
    )


def _evidence(access: AccessContext, comparison: Comparison, incidents: Sequence[Incident]) -> list[shown.PinLine]:
    reports = compared_count(comparison) if incidents else 0
    return [
        shown.evidence_line(access, comparison, evidence_row, reports)
        for evidence_row in kept_of(comparison, incidents)
    ]


@require_http_methods(["DELETE", "POST"])
def remove(request: HttpRequest, pk: UUID, pin_pk: int) -> HttpResponse:
    """Removes it."""
    access = member(request)
    services.unpin(access, queries.pin_for(access, comparison_for(access, pk), pin_pk))
    return HttpResponse(status=204)


@require_safe
def text(request: HttpRequest, pk: UUID, ending: str) -> HttpResponse:
    """Verdict, evidence and its addresses, to be pasted into a ticket or a mail."""
    access = member(request)
    comparison = comparison_for(access, pk)
    if ending not in shown.FORMATS:
        raise NotFound("There is no such text: evidence comes as md, txt or html.")
    if not comparison.is_ready:
        return answer(request, 409, "The comparison is not finished yet: copy its evidence once it is.")
    lines = _evidence(access, comparison, _incidents(access, comparison))
    lines += _lines(access, comparison, queries.pinned(access, comparison))
    sheet = shown.sheet(*_page_of_tray(request, access, comparison), lines, request.build_absolute_uri)
    write, content_type = shown.FORMATS[ending]
    response = HttpResponse("".join(write(sheet)), content_type=content_type)
    note_download(request, access, comparison, response)
    return response


def _page_of_tray(request: HttpRequest, access: AccessContext, comparison: Comparison) -> tuple[str, str, str]:
    url = links.comparison(access, comparison)
    if (view := query_options.requested_places(request, comparison)) is not None:
        return (
            baselines.title_of_view(view),
            baselines.verdict_of_view(view),
            f"{url}?{query_options.baseline_query(view[1])}",
        )
    title = titles.comparison_title(comparison, placed_reports_of(comparison))
    return title, overview(comparison, opening_pair(comparison)).summary, url


def _texts(comparison: Comparison, query: str) -> list[dict[str, str]]:
    formats = (("md", "Markdown"), ("txt", "Text"), ("html", "HTML"))
    return [{"label": label, "url": links.pins_text(comparison, ending) + query} for ending, label in formats]
