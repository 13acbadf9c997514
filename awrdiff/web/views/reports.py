"""Pages of one report."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.commit_latency import trace_alone
from awrdiff.analysis.commit_latency.events import SCALABLE, SLOW_WRITES, SWITCHES, events_of
from awrdiff.analysis.model.traces import TRACE
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.bars import BARS_OF
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.services import create_comparison
from awrdiff.reports import assessments, queries, services, traces, unpack
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.reports.parts import Wanted, every_part
from awrdiff.reports.uploads import ReceivedFile
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.sharing.queries import links_of
from awrdiff.web import links, options
from awrdiff.web.api import reports as api
from awrdiff.web.downloads import download
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.page import assessment as assessed
from awrdiff.web.presenters.page import deleting, partners, rail, share_links, titles, trace_events, work
from awrdiff.web.presenters.page import search as find
from awrdiff.web.presenters.page.alone import WHO_OF
from awrdiff.web.presenters.section import single as reports
from awrdiff.web.presenters.section.as_csv import single_csv
from awrdiff.web.presenters.section.words import short_title
from awrdiff.web.sign_in.members import member
from awrdiff.web.uploads import CappedUploadHandler, uploading
from awrdiff.web.views import home

_MORE_AT_ONCE = (
    f"Without scripts at most {MOST_REPORTS} are taken at once, and none of these was kept: choose fewer. "
    "With scripts more are taken, and offered as a series of each database."
)


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """One file in the field `file`, or an archive: 201 `{"id", "state", "url"}`, of several files `{"reports",
    "refused", "left_out"}`. `same=reuse`: of bytes that the team has, that report, and 200 where nothing is new.
    `bulk=yes`: read after all that somebody waits for.
    """
    access = member(request)
    if wants_json(request):
        return api.upload(request, access, reuse=request.POST.get("same") == "reuse")[1]
    services.check_may_upload(access)
    return _upload_form(request, access)


def _upload_form(request: HttpRequest, access: AccessContext) -> HttpResponse:
    """The form as a browser without scripts sends it: all files at once, kept all or none."""
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
    return _to_page_of(access, [o.report for o in outcomes if o.report])


@require_POST
def known(request: HttpRequest) -> HttpResponse:
    """Field `sha256`, repeated, at most 1,000: `{"known": {digest: report}}` of those that the team has, so that they
    need not be sent.
    """
    access = member(request)
    if not access.can_upload:
        raise PermissionDenied
    return api.known(request, access)


def _to_page_of(access: AccessContext, stored: list[Report]) -> HttpResponse:
    """The page from which all that was uploaded can be reached."""
    if len(stored) == 1:
        return redirect(links.report(access, stored[0]) or "/")
    return redirect(links.comparison(access, create_comparison(access, stored, order_by_time=True)))


@require_safe
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`{"id", "state": "pending|running|ready|failed", "error", "error_code", "url", …}`; once read also its header,
    issues, sections, `verdict`, `findings`, `traces`; of a file of several reports `parts`.
    """
    access = member(request)
    return page(request, access, queries.report_for(access, pk))


def page(request: HttpRequest, access: AccessContext, found: Report) -> HttpResponse:
    """Its JSON, or its page: what was read of it, or how far reading has come. For a member or under a share link."""
    if wants_json(request):
        return api.report_json(request, access, found)
    if not found.is_ready:
        context = {"access": access, "title": found.name, "work": work.report_work(access, found)}
        if access.can_write:
            context |= _deleting(found, links_of(access, found, Shows.REPORT))
        return render(request, "web/pending.html", context)
    if found.kind == SEVERAL:
        return render(request, "reports/several.html", _several_context(access, found))
    return render(request, "reports/page.html", _page_context(request, access, found))


def _several_context(access: AccessContext, found: Report) -> dict[str, object]:
    parts = list(queries.parts_of(found))
    worth = [p.pk for p in parts if not p.is_failed]
    listed = {"parts": work.parts_of(access, parts), "ids": worth, "many": len(worth) > MOST_REPORTS}
    return {"access": access, "title": found.name, **listed}


def _page_context(request: HttpRequest, access: AccessContext, found: Report) -> dict[str, object]:
    page_url = links.report(access, found)
    lines = list(queries.sections_of(found))
    attached = list(queries.traces_of(found))
    assessment = assessments.assessment_of(found, attached)
    titled = {s.section_id: short_title(s.section_id, s.title) for s in lines}
    return {
        **(_for_writers(request, access, found) if access.can_write else share_links.seen_until(access)),
        "access": access,
        "report": found,
        "overview": assessed.present(assessment, titled, _time_of(found)) if assessment is not None else None,
        "title": titles.report_title(found),
        "said": titles.report_said(found),
        "issues": [i for i in found.issues if not i.get("ours")],
        "rail": rail.rail_of(lines),
        "page_url": page_url,
        "sections_url": f"{page_url}sections/",
        "entities_url": links.report_entities(access, found),
        "search_url": links.report_search(access, found),
        "renewal": queries.renewal_note(found),
        "commit_url": links.report_commit(access, found) if queries.has_commit_waits(found) else "",
        "single": True,
        **_traces(access, found, attached),
        **_trace_alone(found),
    }


def _trace_alone(found: Report) -> dict[str, object]:
    """What an LGWR trace says without a report beside it; nothing of a report."""
    if found.kind != TRACE:
        return {}
    overview = trace_alone.overview_of(queries.load_sections(found, (SWITCHES, SCALABLE, SLOW_WRITES)))
    return {"trace_alone": overview, "trace_lead": trace_alone.lead(overview)}


def _time_of(found: Report) -> Side:
    """As much of it as its bar and its course over time are drawn from."""
    return Side(queries.load_sections(found, {*BARS_OF, *WHO_OF}))


def _for_writers(request: HttpRequest, access: AccessContext, found: Report) -> dict[str, object]:
    """What it may be compared with, and the share dialog."""
    own_links = list(links_of(access, found, Shows.REPORT))
    return {
        **partners.partners_of(access, found, request.GET.get("from", ""), options.pair(request)),
        **uploading(),
        **_deleting(found, own_links),
        "share": share_links.dialog(request.get_host(), Shows.REPORT, found.pk),
        "links": own_links,
    }


def _deleting(found: Report, own_links: Iterable[ShareLink]) -> dict[str, object]:
    return {
        "delete_url": reverse("report-delete", args=[found.pk]),
        "kept_by": services.kept_by(found),
        "links_end": deleting.links_said(sum(link.is_live for link in own_links)),
    }


def _traces(access: AccessContext, found: Report, attached: list[Report]) -> dict[str, object]:
    """The traces attached to it, their events, and where another is attached."""
    read = queries.load_traces(found, attached)
    events = events_of(read, queries.load_head(found), None) if read else None
    may_attach = access.can_write and traces.takes(found)
    return {
        "traces": trace_events.files_of_report(access, found, attached),
        "trace_events": trace_events.present(events, alone=True),
        "attach_url": reverse("report-trace-attach", args=[found.pk]) if may_attach else "",
    }


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Reads one that failed again."""
    access = member(request)
    found = services.retry(access, queries.report_for(access, pk))
    return redirect(links.report(access, found) or "/")


@require_safe
def search(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`q`: the number of rows of each section that hold it, also of sections that were not opened."""
    access = member(request)
    return search_of(request, queries.report_for(access, pk))


def search_of(request: HttpRequest, found: Report) -> HttpResponse:
    """How many rows of each section hold the text; `?found=1` adds them as the box over all sections lists them."""
    text = options.filter_text(request)
    document: dict[str, object] = {"sections": (counts := queries.matching_rows(found, text))}
    if request.GET.get("found"):
        titled = [(s.section_id, s.title) for s in queries.sections_of(found)]
        document["groups"] = [*find.headings(titled, text), *find.tables(titled, counts)]
    return JsonResponse(document)


@require_safe
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponseBase:
    """As `python -m parsers` prints it; `format=csv`: the rows and columns of the page."""
    access = member(request)
    return section_of(request, access, queries.report_for(access, pk), section_id)


def section_of(request: HttpRequest, access: AccessContext, found: Report, section_id: str) -> HttpResponseBase:
    """One section: all of it as JSON, the part htmx asks for, or a page of its own."""
    if wants_json(request):
        return api.report_section_json(request, found, section_id)
    chosen = options.section_options(request, "total")
    if request.GET.get("format") == "csv":
        head, _ = queries.load_part(found, section_id, Wanted(1))
        parts = every_part(partial(queries.load_part, found, section_id))
        return download(request, f"{section_id} {found.name}", "csv", partial(single_csv, head, parts, chosen))
    loaded, part = queries.load_part(found, section_id, options.part(request))
    context = {
        "access": access,
        "v": reports.present(loaded, chosen),
        "part": part,
        "filter": chosen.text,
        "section_url": links.report_section(access, found, section_id),
        "entities_url": links.report_entities(access, found),
        "keep": options.kept_options(request),
        "template": "reports/_section.html",
    }
    if getattr(request, "htmx", False):
        return render(request, "reports/_section.html", context)
    context |= {
        "title": titles.report_title(found),
        "page_url": links.report(access, found),
        "back": f"{links.report(access, found)}#{section_id}",
    }
    return render(request, "reports/section.html", context)
