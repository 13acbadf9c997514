"""Reports as JSON, and the upload endpoint."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.export.json_encoding import published
from awrdiff.reports import assessments, queries, services, unpack
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web import links
from awrdiff.web.api.v1.request_and_response_types import Refused, ReportLink, Sent, SentFiles, StoredSection
from awrdiff.web.api.v1.request_and_response_types import Report as ReportDocument
from awrdiff.web.content_negotiation import conditional, form_fields, json_response
from awrdiff.web.presenters.page import titles
from awrdiff.web.uploads import received_file


def upload(request: HttpRequest, access: AccessContext, *, reuse: bool) -> tuple[list[Report], HttpResponse]:
    """201, or 200 if nothing is new (`reuse`). Raises PermissionDenied, TooMuch, UploadRefused.

    An archive answers `reports`, `refused` (cannot be unpacked) and `left_out` (no report by its first bytes).
    """
    services.check_may_upload(access)
    file = received_file(request)
    in_bulk = form_fields(request).get("bulk") == "yes"
    outcomes = unpack.store_all(access, file, file.name or "", reuse=reuse, in_bulk=in_bulk)
    stored_reports = [outcome.report for outcome in outcomes if outcome.report]
    # The stored report of the same bytes may have another name.
    reports = [Sent(**{**sent_fields(access, o.report), "name": o.name}) for o in outcomes if o.report]
    status = 200 if all(o.is_known for o in outcomes if o.report) else 201
    if len(outcomes) > 1:
        refusals = [(o.left_out, Refused(o.name, o.refusal.sentence)) for o in outcomes if o.refusal]
        refused, left_out = ([refusal for stray, refusal in refusals if stray is which] for which in (False, True))
        return stored_reports, json_response(SentFiles(reports, refused, left_out), status)
    response = json_response(reports[0], status)
    response["Location"] = reports[0].url or ""
    return stored_reports, response


def sent_fields(access: AccessContext, report: Report) -> dict[str, Any]:
    """Fields of `Sent`."""
    return {
        "id": report.pk,
        "name": report.name,
        "state": report.shown_state,
        "url": links.report(access, report),
        "stage": report.stage,
        "error": report.error or None,
        "error_code": report.error_code or None,
        "renewal": queries.renewal_note(report) or None,
        "size": None if report.copy_of_id else report.size,  # to the byte it would tell which file it is
        "sha256": report.sha256,
    }


def report_json(request: HttpRequest, access: AccessContext, report: Report) -> HttpResponse:
    traces = list(queries.traces_of(report))
    assessment = assessments.assessment_of(report, traces)
    findings: dict[str, Any] = published(assessment) if assessment is not None else {}
    issues: list[Any] = [{k: v for k, v in issue.items() if k != "ours"} for issue in report.issues]
    parts = queries.parts_of(report) if report.kind == SEVERAL else ()
    body = ReportDocument(
        **sent_fields(access, report),
        said=titles.report_facts(report) if report.is_ready else None,
        parts=[ReportLink(p.pk, p.name, links.report(access, p)) for p in parts],
        header=report.header or None,
        issues=issues,
        verdict=findings.get("verdict"),
        findings=findings.get("findings"),
        unchecked=findings.get("unchecked"),
        traces=[ReportLink(t.pk, t.name, links.report(access, t)) for t in traces],
        sections=[StoredSection(s.section_id, s.title, s.known, s.rows) for s in queries.sections_of(report)],
    )
    return conditional(request, json_response(body))
