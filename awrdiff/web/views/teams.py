"""The current team, and new teams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts import teams
from awrdiff.accounts.access import AccessContext, people_without_factor
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.comparisons import new_report_comparisons
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.fleet import thinning
from awrdiff.notices import queries, services
from awrdiff.notices.notice_sentences import address_of
from awrdiff.notices.webhook_address_check import NoticeRefused
from awrdiff.transfer.team_zip import export, may_export, size_of
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters import notice_lines
from awrdiff.web.presenters.page import deletion_warnings
from awrdiff.web.sign_in.permission_helpers import look_at, member, signed_in_person
from awrdiff.web.views.errors import answer

ZIP = "application/zip"
TOO_LARGE_TO_SEND = (
    "The files of this team are more than this server sends at once (AWRDIFF_SPOOL_MB): have whoever runs it use "
    "“manage.py export_team”."
)
_USUAL_RULE = {"days": "90", "hours": "3"}  # of old reports, what the form offers


@require_safe
def team(request: HttpRequest) -> HttpResponse:
    """Its settings, for owners."""
    access = member(request)
    if wants_json(request):
        to, recipients = queries.of_team(access), new_report_comparisons.recipients_of(access.team)
        names = [user.get_username() for user in recipients]
        own_names = ("name", "threads_for_guests", "ticket_pattern", "second_factor_required")
        own = {"id": access.team.pk, **{name: getattr(access.team, name) for name in own_names}}
        tracker = _tracker_url(access) if to.tracker_nonce else None
        return json_response({**own, "webhook": notice_lines.webhook(to), "tracker": tracker, "new_reports": names})
    return _page(request, access)


def _page(request: HttpRequest, access: AccessContext, form: str = "", refused: str = "") -> HttpResponse:
    to = queries.of_team(access)
    typed = {
        "name": access.team.name,
        "pattern": access.team.ticket_pattern,
        "url": to.url,
        "shape": to.shape,
        "contents": to.contents,
        "tickets": to.tickets,
    }
    if refused:
        typed |= {name: request.POST[name] for name in typed if name in request.POST}
        if form == "webhook":
            typed |= {name: name in request.POST for name in ("contents", "tickets")}
    recipient_ids = {user.pk for user in new_report_comparisons.recipients_of(access.team)}
    context = {
        "access": access,
        "to": to,
        "typed": typed,
        "refused": {form: refused},
        "shapes": [(value, text, value == typed["shape"]) for value, text in notice_lines.SHAPES],
        "people": [(user, user.pk in recipient_ids) for user in new_report_comparisons.who_may(access.team)],
        "secret": to.secret if to.url else "",
        "tracker_url": _tracker_url(access) if to.tracker_nonce else "",
        "without_factor": people_without_factor(access.team),
    }
    return render(request, "people/team.html", context, status=400 if refused else 200)


def _changed(request: HttpRequest, access: AccessContext, form: str, change: Callable[[], object]) -> HttpResponse:
    """Errors keep the typed text; scripts get the usual answer."""
    try:
        change()
    except (PeopleRefused, NoticeRefused) as refusal:
        if wants_json(request):
            raise
        return _page(request, access, form, str(refusal))
    return done(request, "team")


@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    """Field `name`."""
    access = member(request)
    return _changed(request, access, "name", lambda: teams.rename(access, request.POST.get("name", "")))


@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Field `name`: makes a team and switches to it."""
    access = signed_in_person(request)
    new_team = teams.make(access, request.POST.get("name", ""))
    look_at(request, new_team.team)
    if wants_json(request):
        return JsonResponse({"id": new_team.team.pk, "name": new_team.team.name}, status=201)
    messages.success(request, f"You own the team “{new_team.team}” now, and look at it.")
    return redirect("people")


@require_POST
def threads(request: HttpRequest) -> HttpResponse:
    """Field `for_guests`: 1 if guests read threads begun by members, unless a thread sets it."""
    access = member(request)
    teams.choose_threads(access, for_guests=request.POST.get("for_guests") == "1")
    return done(request, "team")


@require_POST
def second_factor(request: HttpRequest) -> HttpResponse:
    """Field `required`: 1 where nothing of the team is shown to people without a second factor."""
    access = member(request)
    required = request.POST.get("required") == "1"
    return _changed(request, access, "factor", lambda: teams.require_second_factor(access, required=required))


@require_POST
def tickets(request: HttpRequest) -> HttpResponse:
    """Field `pattern`: an address with {} for a ticket's reference; empty: no links."""
    access = member(request)
    return _changed(request, access, "tickets", lambda: teams.choose_tickets(access, request.POST.get("pattern", "")))


@require_POST
def new_reports(request: HttpRequest) -> HttpResponse:
    """Field `person`, repeated: recipients of notices about new reports outside their normal; none: new reports are not
    compared with their normal.
    """
    access = member(request)
    new_report_comparisons.choose(access, request.POST.getlist("person"))
    return done(request, "team")


@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Fields `url` (empty: none), `shape`, and `contents` and `tickets` where they are on."""
    access = member(request)
    form_fields = request.POST
    switches = {name: form_fields.get(name, "") in ("on", "true") for name in ("contents", "tickets")}

    def change() -> None:
        services.set_team(access, url=form_fields.get("url", ""), shape=form_fields.get("shape", "generic"), **switches)

    return _changed(request, access, "webhook", change)


@require_POST
def secret(request: HttpRequest) -> HttpResponse:
    """Another one: the one before signs nothing any more."""
    access = member(request)
    services.new_secret(access)
    return done(request, "team")


@require_POST
def test(request: HttpRequest) -> HttpResponse:
    """Sends a message that says it is one."""
    access = member(request)
    services.try_out(access)
    if not wants_json(request):
        messages.success(request, "A test is on its way. Whether it was taken stands here in a moment.")
    return done(request, "team")


@require_POST
def tracker(request: HttpRequest) -> HttpResponse:
    """Field `tracker`: `on`, `new` (another secret) or `off`: whether the tracker's messages close action items."""
    access = member(request)
    services.choose_tracker(access, request.POST.get("tracker", ""))
    return done(request, "team")


def _tracker_url(access: AccessContext) -> str:
    return address_of(reverse("tracker", args=[access.team.pk]))


@require_safe
def export_zip(request: HttpRequest) -> HttpResponseBase:
    """The team as a zip for `manage.py import_team`, for owners."""
    access = member(request)
    may_export(access)
    if size_of(access.team) > settings.AWRDIFF_SPOOL_MB * 1024 * 1024 // 2:
        return answer(request, 409, TOO_LARGE_TO_SEND)
    name = f"awrdiff-{slugify(access.team.name) or 'team'}.zip"
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    if request.method == "HEAD":
        return HttpResponse(content_type=ZIP, headers=headers)
    return StreamingHttpResponse(filter(None, export(access)), content_type=ZIP, headers=headers)


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
            return done(request, "team-old-reports")
        return _old_reports_answer(request, access, days, hours)
    except thinning.OtherMoment as refused:
        if wants_json(request):
            raise
        return _old_reports_answer(request, access, days, hours, str(refused))
    except DatabaseRefused as refused:
        if wants_json(request):
            raise
        return _old_reports_page(request, access, {"days": days, "hours": hours, "refused": str(refused)}, status=400)


def _old_reports_answer(
    request: HttpRequest, access: AccessContext, days: str, hours: str, outdated: str = ""
) -> HttpResponse:
    own = thinning.thinning_of(access.team)
    if own is not None and not days and not hours:
        days, hours = str(own.after_days), str(own.hours)
    rule = thinning.rule_for(access, days, hours) if days or hours else None
    preview = thinning.preview(access.team, rule) if rule is not None else None
    if wants_json(request):
        current_rule = {"after_days": own.after_days, "hours": own.hours, "next_at": own.next_at} if own else None
        return JsonResponse(
            {"chosen": current_rule, "preview": deletion_warnings.document(preview) if preview else None}
        )
    if preview is None or rule is None:
        return _old_reports_page(request, access, _USUAL_RULE)
    is_chosen = own is not None and (own.after_days, own.hours) == (rule.after_days, rule.hours)
    own_page = {
        "days": days,
        "hours": hours,
        "preview": preview,
        "lines": deletion_warnings.lines_of(preview),
        "is_chosen": is_chosen,
    }
    return _old_reports_page(request, access, {**own_page, "outdated": outdated}, status=409 if outdated else 200)


def _old_reports_page(
    request: HttpRequest, access: AccessContext, own_page: Mapping[str, Any], status: int = 200
) -> HttpResponse:
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
