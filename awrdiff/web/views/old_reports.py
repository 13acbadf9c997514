"""Retention of old reports: owners see what a rule would remove before they set it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.fleet import thinning
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.page import deleting
from awrdiff.web.sign_in.members import member

_USUAL = {"days": "90", "hours": "3"}  # what the form offers


@require_http_methods(["GET", "HEAD", "POST"])
def old_reports(request: HttpRequest) -> HttpResponse:
    """`days` and `hours`: a rule to preview, by default the current one. A POST sets it; without `days` all are kept.
    `at`: time of the preview; 409 with a new one if it has changed.
    """
    access = member(request)
    thinning.check_may_choose(access)
    parameters = request.POST if request.method == "POST" else request.GET
    days, hours, at = (parameters.get(name, "").strip()[:40] for name in ("days", "hours", "at"))
    try:
        if request.method == "POST":
            thinning.choose(access, days, hours, at)
            return HttpResponse(status=204) if wants_json(request) else redirect("team-old-reports")
        return _answer(request, access, days, hours)
    except thinning.OtherMoment as refused:
        if wants_json(request):
            raise
        return _answer(request, access, days, hours, str(refused))
    except DatabaseRefused as refused:
        if wants_json(request):
            raise
        return _page(request, access, {"days": days, "hours": hours, "refused": str(refused)}, status=400)


def _answer(request: HttpRequest, access: AccessContext, days: str, hours: str, outdated: str = "") -> HttpResponse:
    own = thinning.thinning_of(access.team)
    if own is not None and not days and not hours:
        days, hours = str(own.after_days), str(own.hours)
    rule = thinning.rule_for(access, days, hours) if days or hours else None
    preview = thinning.preview(access.team, rule) if rule is not None else None
    if wants_json(request):
        current_rule = {"after_days": own.after_days, "hours": own.hours, "next_at": own.next_at} if own else None
        return JsonResponse({"chosen": current_rule, "preview": deleting.document(preview) if preview else None})
    if preview is None or rule is None:
        return _page(request, access, _USUAL)
    is_chosen = own is not None and (own.after_days, own.hours) == (rule.after_days, rule.hours)
    own_page = {
        "days": days,
        "hours": hours,
        "found": preview,
        "preview": deleting.present(preview),
        "is_chosen": is_chosen,
    }
    return _page(request, access, {**own_page, "outdated": outdated}, status=409 if outdated else 200)


def _page(request: HttpRequest, access: AccessContext, own_page: Mapping[str, Any], status: int = 200) -> HttpResponse:
    own = thinning.thinning_of(access.team)
    context = {
        "access": access,
        "own": own,
        "is_running": own is not None and own.next_at <= timezone.now(),
        "least_days": thinning.LEAST_DAYS,
        "most_days": thinning.MOST_DAYS,
        "most_hours": thinning.MOST_HOURS,
        "file_days": settings.AWRDIFF_KEEP_UPLOADS_DAYS,
        **own_page,
    }
    return render(request, "people/old_reports.html", context, status=status)
