"""A comparison as a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe
from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.audit.services import note
from awrdiff.comparisons import queries
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.report_pairs import of_first
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.comparisons.stored_comparison_export import stored_pairs
from awrdiff.incidents.finding_verdicts import current
from awrdiff.incidents.models import Verdict
from awrdiff.web import links, query_options, streamed_downloads
from awrdiff.web.presenters.incident.finding_verdicts import judged_in
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.streamed_downloads import download
from awrdiff.web.views import baselines
from awrdiff.web.views.errors import answer


@require_safe
def export(request: HttpRequest, pk: UUID, ending: str) -> HttpResponseBase:
    """`txt` (for a ticket), `json`, `md`, `html`, `csv`. `part=summary`: without sections; `material`; `pair`, or
    `baseline` and `second`.
    """
    access = member(request)
    own_comparison = queries.comparison_for(access, pk)
    verdicts = current(access, own_comparison, pair=None)
    return note_download(
        request,
        access,
        own_comparison,
        export_of(request, own_comparison, ending, links.comparison(access, own_comparison), verdicts),
    )


def note_download(
    request: HttpRequest, access: AccessContext, downloaded: Comparison, response: HttpResponseBase
) -> HttpResponseBase:
    """For the audit log."""
    if request.method == "GET" and response.status_code == 200:
        note(access, "exported", "comparison", downloaded.pk)
    return response


def export_of(
    request: HttpRequest, exported: Comparison, ending: str, page_url: str = "", verdicts: Sequence[Verdict] = ()
) -> HttpResponseBase:
    """First against each; `?part=summary` omits sections, `?pair=2` comes first in files for people.

    `page_url`: source named in Markdown, "" for guests, whose address is the link itself.
    """
    file_format = streamed_downloads.EXPORTS.get(ending)
    if file_format is None:
        raise NotFound(f"There is no such export: a comparison comes as {streamed_downloads.ENDINGS}.")
    if not exported.is_ready or queries.is_awaited(exported, query_options.pair(request)):
        return answer(request, 409, "The comparison is not finished yet: export it once it is.")
    if (view := query_options.requested_places(request, exported)) is not None:
        return baselines.export(request, view, ending, page_url)
    compared, _ = split_traces(placed_reports_of(exported))
    leading = query_options.pair(request) if file_format.for_people and "pair" in request.GET else None
    straight = [REVERSE] if len(compared) == 2 and query_options.pair(request) == REVERSE else of_first(len(compared))
    written_pairs = list(dict.fromkeys([*([] if leading is None else [leading]), *straight]))
    sections = file_format.tells_sections and request.GET.get("part") != "summary"
    step = query_options.step(request)

    def address(pair: int) -> str:
        pair_query = {"pair": pair} if pair or len(compared) > 2 else {}
        query = urlencode({**pair_query, **({"material": f"{step:g}"} if step != DEFAULT else {})})
        return request.build_absolute_uri(f"{page_url}?{query}".removesuffix("?")) if page_url else ""

    def body() -> Iterator[str]:
        pairs = list(zip(written_pairs, stored_pairs(exported, written_pairs, sections=sections), strict=True))
        documents = [replace(document, step=step, address=address(pair)) for pair, document in pairs]
        judged_documents = (
            [judged_in(document, verdicts, pair) for document, (pair, _) in zip(documents, pairs, strict=True)]
            if verdicts
            else documents
        )
        return file_format.pieces(judged_documents, sections=sections)

    return download(request, titles.comparison_title(exported, compared, leading), ending, body)
