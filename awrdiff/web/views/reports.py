"""Pages of one report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.analysis.commit_latency import lgwr_trace_events
from awrdiff.analysis.commit_latency.lgwr_trace_events import SCALABLE, SLOW_WRITES, SWITCHES, events_of
from awrdiff.analysis.export.json_encoding import Parts
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.db_time_bars import BARS_OF
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.services import create_comparison
from awrdiff.reports import assessments, lgwr_traces, queries, services, unpack
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.reports.received_files import ReceivedFile
from awrdiff.reports.section_pages import Wanted, every_part
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.sharing.queries import links_of
from awrdiff.web import links, query_options
from awrdiff.web.api import reports as api
from awrdiff.web.api.progress import progress_json
from awrdiff.web.api.v1.request_and_response_types import Sent
from awrdiff.web.content_negotiation import form_fields, json_response, wants_json
from awrdiff.web.presenters.page import (
    progress,
    section_navigation,
    share_links,
    titles,
    trace_events,
)
from awrdiff.web.presenters.page import search as find
from awrdiff.web.presenters.page.section_navigation import short_title
from awrdiff.web.presenters.page.single_report_head import WHO_OF, partners_of
from awrdiff.web.presenters.page.single_report_head import present as present_assessment
from awrdiff.web.presenters.section import single as reports
from awrdiff.web.presenters.section.as_csv import single_csv
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.streamed_downloads import download, json_stream
from awrdiff.web.uploads import CappedUploadHandler, uploading
from awrdiff.web.views import home
from awrdiff.web.views.visit import ReportVisit
from parsers.storage import report_serialisation

_SHA256 = re.compile(r"[0-9a-f]{64}")
MOST_DIGESTS = 1000
_MORE_AT_ONCE = (
    f"Without scripts at most {MOST_REPORTS} are taken at once, and none of these was kept: choose fewer. "
    "With scripts more are taken, and offered as a series of each database."
)


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """One file in the field `file`, or an archive: 201 `{"id", "state", "url"}`, of several files `{"reports",
    "refused", "left_out"}`. `same=reuse`: a file that the team has gives its report, 200 if nothing is new. `bulk=yes`:
    read after everything that somebody waits for.
    """
    access = member(request)
    if wants_json(request):
        return api.upload(request, access, reuse=form_fields(request).get("same") == "reuse")[1]
    services.check_may_upload(access)
    return _upload_form(request, access)


def _upload_form(request: HttpRequest, access: AccessContext) -> HttpResponse:
    """All files stored, or none."""
    with ExitStack() as stack:
        outcomes: list[unpack.Outcome] = []
        refused = (h.refusal for h in request.upload_handlers if isinstance(h, CappedUploadHandler) and h.refusal)
        refusals = [{"name": "A file", "sentence": r.sentence} for r in refused]
        for file in request.FILES.getlist("file"):
            try:
                if isinstance(file, ReceivedFile):
                    outcomes += stack.enter_context(unpack.received_files(file, file.name or "", MOST_REPORTS))
            except UploadRefused as refusal:
                refusals.append({"name": file.name or "", "sentence": refusal.sentence})
        refusals += [{"name": o.name, "sentence": o.refusal.sentence} for o in outcomes if o.refusal and not o.left_out]
        if sum(o.file is not None for o in outcomes) > MOST_REPORTS:
            refusals.append({"name": f"More than {MOST_REPORTS} files", "sentence": _MORE_AT_ONCE})
        if refusals or not outcomes:
            missing = {"name": "No file", "sentence": "Choose at least one report file."}
            return home.page(request, access, refusals or [missing], status=400)
        unpack.keep(access, outcomes, reuse=True)
    stored = [o.report for o in outcomes if o.report]
    if len(stored) == 1:
        return redirect(links.report(access, stored[0]) or "/")
    return redirect(links.comparison(access, create_comparison(access, stored, order_by_time=True)))


@require_POST
def known_files(request: HttpRequest) -> HttpResponse:
    """Field `sha256`, repeated, at most 1,000: `{"known": {digest: report}}` of files that the team has and that need
    no upload.
    """
    access = member(request)
    access.check(Can.UPLOAD)
    digests = form_fields(request).getlist("sha256")
    if len(digests) > MOST_DIGESTS:
        raise UploadRefused(f"At most {MOST_DIGESTS} files are asked for at once.")
    reports_by_digest = queries.same_bytes(access, [digest for digest in digests if _SHA256.fullmatch(digest)])
    known_reports = {digest: Sent(**api.sent_fields(access, same)) for digest, same in reports_by_digest.items()}
    return json_response({"known": known_reports})


@require_safe
def reading_progress(request: HttpRequest) -> HttpResponse:
    """`report`, `comparison`, repeated: `{"reports": [{"id", "state", "stage", "error", "said", "kind", "parts", …}],
    "comparisons": [{"id", "state", "url"}]}` of those that are there, at most 100 of each, once all are settled, or
    after at most half a second.
    """
    access = member(request)
    return progress_json(request, access)


@require_safe
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`{"id", "state": "pending|running|ready|failed", "error", "error_code", "url", …}`; once read also its header,
    issues, sections, `verdict`, `findings`, `traces`; of a file of several reports `parts`.
    """
    access = member(request)
    return page(request, access, queries.report_for(access, pk))


def page(request: HttpRequest, access: AccessContext, report_row: Report) -> HttpResponse:
    """Content or progress, also below share links."""
    if wants_json(request):
        return api.report_json(request, access, report_row)
    if not report_row.is_ready:
        context = {"access": access, "title": report_row.name, "work": progress.report_work(access, report_row)}
        if access.can_write:
            context |= _deleting(report_row, links_of(access, report_row, Shows.REPORT))
        return render(request, "web/pending.html", context)
    if report_row.kind == SEVERAL:
        return render(request, "reports/several.html", _several_context(access, report_row))
    return render(request, "reports/page.html", _page_context(request, access, report_row))


def _several_context(access: AccessContext, report_row: Report) -> dict[str, object]:
    parts = list(queries.parts_of(report_row))
    worth = [p.pk for p in parts if not p.is_failed]
    listed = {"parts": progress.parts_of(access, parts), "ids": worth, "many": len(worth) > MOST_REPORTS}
    return {"access": access, "title": report_row.name, **listed}


def _page_context(request: HttpRequest, access: AccessContext, report_row: Report) -> dict[str, object]:
    page_url = links.report(access, report_row)
    lines = list(queries.sections_of(report_row))
    attached = list(queries.traces_of(report_row))
    assessment = assessments.assessment_of(report_row, attached)
    titled = {s.section_id: short_title(s.section_id, s.title) for s in lines}
    overview = None
    if assessment is not None:
        bar_and_time_line = Side(queries.load_sections(report_row, {*BARS_OF, *WHO_OF}))
        overview = present_assessment(assessment, titled, bar_and_time_line)
    return {
        **(_for_writers(request, access, report_row) if access.can_write else {}),
        "access": access,
        "report": report_row,
        "overview": overview,
        "title": titles.report_title(report_row),
        "facts": titles.report_facts(report_row),
        "issues": [i for i in report_row.issues if not i.get("ours")],
        "rail": section_navigation.rail_of(lines),
        "page_url": page_url,
        "sections_url": f"{page_url}sections/",
        "entities_url": links.report_entities(access, report_row),
        "search_url": links.below(access, report_row, "search"),
        "renewal": queries.renewal_note(report_row),
        "commit_url": links.below(access, report_row, "commit") if queries.has_commit_waits(report_row) else "",
        "single": True,
        **_traces(access, report_row, attached),
        **_trace_alone(report_row),
    }


def _trace_alone(report_row: Report) -> dict[str, object]:
    if report_row.kind != TRACE:
        return {}
    overview = lgwr_trace_events.overview_of(queries.load_sections(report_row, (SWITCHES, SCALABLE, SLOW_WRITES)))
    return {"trace_alone": overview}


def _for_writers(request: HttpRequest, access: AccessContext, report_row: Report) -> dict[str, object]:
    own_links = list(links_of(access, report_row, Shows.REPORT))
    return {
        **partners_of(access, report_row, request.GET.get("from", ""), query_options.pair(request)),
        **uploading(),
        **_deleting(report_row, own_links),
        "share": share_links.dialog(request.get_host(), Shows.REPORT, report_row.pk),
        "links": own_links,
    }


def _deleting(report_row: Report, own_links: Iterable[ShareLink]) -> dict[str, object]:
    return {
        "delete_url": reverse("report-delete", args=[report_row.pk]),
        "kept_by": services.kept_by(report_row),
        "links_end": sum(link.is_live for link in own_links),
    }


def _traces(access: AccessContext, report_row: Report, attached: list[Report]) -> dict[str, object]:
    read = queries.load_traces(report_row, attached)
    events = events_of(read, queries.load_head(report_row), None) if read else None
    may_attach = access.can_write and lgwr_traces.takes(report_row)
    return {
        "traces": links.of_traces(access, report_row, attached),
        "trace_events": trace_events.present(events, alone=True),
        "attach_url": reverse("report-trace-attach", args=[report_row.pk]) if may_attach else "",
    }


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Reads one that failed again."""
    access = member(request)
    retried = services.retry(access, queries.report_for(access, pk))
    if wants_json(request):
        return json_response(Sent(**api.sent_fields(access, retried)))
    return redirect(links.report(access, retried) or "/")


def search_of(request: HttpRequest, report_row: Report) -> HttpResponse:
    """Matching rows by section; `?found=1` adds them."""
    text = query_options.filter_text(request)
    answer: dict[str, object] = {"sections": (counts := queries.matching_rows(report_row, text))}
    if request.GET.get("found"):
        titled = [(s.section_id, s.title) for s in queries.sections_of(report_row)]
        answer["groups"] = [*find.headings(titled, text), *find.tables(titled, counts)]
    return JsonResponse(answer)


def section_of(visit: ReportVisit, section_id: str) -> HttpResponseBase:
    """JSON, the htmx part, or its own page."""
    request, access, report_row = visit.request, visit.access, visit.report
    if wants_json(request):
        packed = queries.open_section(report_row, section_id)
        head = report_serialisation.load_section(packed.document, ())
        rows = (
            head.row_dict(row) for row in report_serialisation.load_rows(packed.rows(report_serialisation.StoredRow))
        )
        return json_stream(request, Parts({**head.as_dict(), "rows": rows}))
    view_options = query_options.section_options(request, "total")
    if request.GET.get("format") == "csv":
        head, _ = queries.load_part(report_row, section_id, Wanted(1))
        parts = every_part(partial(queries.load_part, report_row, section_id))
        return download(
            request, f"{section_id} {report_row.name}", "csv", partial(single_csv, head, parts, view_options)
        )
    loaded, part = queries.load_part(report_row, section_id, query_options.part(request))
    context = {
        "access": access,
        "v": reports.present(loaded, view_options),
        "part": part,
        "filter": view_options.text,
        "section_url": visit.below("section", section_id),
        "entities_url": links.report_entities(access, report_row),
        "keep": query_options.kept_options(request),
        "template": "reports/_section.html",
    }
    if visit.in_panel:
        return render(request, "reports/_section.html", context)
    context |= {
        "title": titles.report_title(report_row),
        "page_url": visit.url,
        "back": f"{visit.url}#{section_id}",
    }
    return render(request, "reports/section.html", context)
