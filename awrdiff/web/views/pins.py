"""What a member keeps of a comparison: the tray, pinning, and all of it as a text to paste."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import placed_reports_of
from awrdiff.comparisons.queries import compared_count, comparison_for, opening_pair, overview
from awrdiff.incidents.evidence import kept_of
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import UNRESOLVED, with_comparison
from awrdiff.pins import queries, services
from awrdiff.pins.errors import PinRefused
from awrdiff.pins.texts import FORMATS
from awrdiff.web import links, options
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.page import pins as shown
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.members import member
from awrdiff.web.views import baselines
from awrdiff.web.views.comparisons import note_download
from awrdiff.web.views.errors import answer


@require_http_methods(["GET", "HEAD", "POST"])
def pins(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The tray, as JSON or as what the page shows; a POST pins what the field `anchor` names.

    An address that chooses a baseline is that of its page's tray: what is pinned there is of that view.
    """
    access = member(request)
    found = comparison_for(access, pk)
    if request.method == "POST":
        return _pin(request, access, found)
    lines = pins_of(access, found)
    if wants_json(request):
        return json_response({"pins": lines})
    asked, incidents = baselines.asked_places(request, found), _incidents(access, found)
    query = f"?{options.baseline_query(asked[1])}" if asked else ""
    return render(
        request,
        "pins/_tray.html",
        {
            "incidents": incidents,
            "evidence": _evidence(access, found, incidents),
            "lines": lines,
            "texts": _texts(found, query),
            "comparison_id": str(found.pk),
            "query": query,
        },
    )


def pins_of(access: AccessContext, found: Comparison) -> list[shown.PinLine]:
    """The reader's own."""
    return _lines(access, found, queries.pinned(access, found))


def _lines(access: AccessContext, found: Comparison, pinned: Sequence[queries.Pinned]) -> list[shown.PinLine]:
    reports = compared_count(found) if pinned else 0
    return [shown.line(access, found, one, reports) for one in pinned]


def _incidents(access: AccessContext, found: Comparison) -> list[Incident]:
    """Those that keep what is pinned as evidence, for all to see; while there is none a pin is its owner's."""
    return (
        sorted(with_comparison(access, found), key=lambda one: one.status not in UNRESOLVED) if access.can_write else []
    )


def _evidence(access: AccessContext, found: Comparison, incidents: Sequence[Incident]) -> list[shown.PinLine]:
    reports = compared_count(found) if incidents else 0
    return [shown.evidence_line(access, found, one, reports) for one in kept_of(found, incidents)]


def _pin(request: HttpRequest, access: AccessContext, found: Comparison) -> HttpResponse:
    if (where := baselines.pair_or_view(request, found)) is None:
        raise PinRefused(services.NOTHING_HERE)
    pair, chosen = where
    made = services.pin(access, found, request.POST.get("anchor", ""), pair=pair, baseline=chosen)
    [line] = _lines(access, found, queries.with_standings([made], found))
    return json_response(line, 201) if wants_json(request) else redirect(line.url)


@require_http_methods(["DELETE", "POST"])
def remove(request: HttpRequest, pk: UUID, pin_pk: int) -> HttpResponse:
    """Removes it."""
    access = member(request)
    services.unpin(access, queries.pin_for(access, comparison_for(access, pk), pin_pk))
    return HttpResponse(status=204)


@require_safe
def text(request: HttpRequest, pk: UUID, ending: str) -> HttpResponse:
    """Verdict, pins and their addresses, to be pasted into a ticket or a mail."""
    access = member(request)
    found = comparison_for(access, pk)
    if ending not in FORMATS:
        raise NotFound("There is no such text: pins come as md, txt or html.")
    if not found.is_ready:
        return answer(request, 409, "The comparison is not finished yet: copy its pins once it is.")
    lines = _evidence(access, found, _incidents(access, found))
    lines += pins_of(access, found)
    sheet = shown.sheet(*_page_of_tray(request, access, found), lines, request.build_absolute_uri)
    write, content_type = FORMATS[ending]
    response = HttpResponse("".join(write(sheet)), content_type=content_type)
    note_download(request, access, found, response)
    return response


def _page_of_tray(request: HttpRequest, access: AccessContext, found: Comparison) -> tuple[str, str, str]:
    """Title, verdict and address of the page whose tray it is."""
    url = links.comparison(access, found)
    if (asked := baselines.asked_places(request, found)) is not None:
        return (
            baselines.title_of_view(asked),
            baselines.verdict_of_view(asked),
            f"{url}?{options.baseline_query(asked[1])}",
        )
    title = titles.comparison_title(found, split_traces(placed_reports_of(found))[0])
    return title, overview(found, opening_pair(found)).summary, url


def _texts(found: Comparison, query: str) -> list[dict[str, str]]:
    named = (("md", "Markdown"), ("txt", "Text"), ("html", "HTML"))
    return [{"label": label, "url": links.pins_text(found, ending) + query} for ending, label in named]
