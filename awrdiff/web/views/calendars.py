"""Secret calendar feed of a person's action items."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts import api_tokens
from awrdiff.incidents import calendar
from awrdiff.incidents.models import ActionItem
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.members import signed_in_person
from awrdiff.web.views.tokens import own_page


@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Makes a calendar address, shown once and revoked like a token."""
    access = signed_in_person(request)
    calendar, text = api_tokens.make_calendar(access)
    url = request.build_absolute_uri(reverse("calendar", args=[text]))
    if wants_json(request):
        return JsonResponse({"id": str(calendar.pk), "url": url}, status=201)
    return render(request, "people/own_tokens.html", own_page(access) | {"calendar_url": url})


@require_safe
def feed(request: HttpRequest, token: str) -> HttpResponse:
    """The reader's open action items with a due date (RFC 5545)."""
    access = api_tokens.calendar_access(token)

    def url_of(item: ActionItem) -> str:
        page = reverse("incident", args=[item.incident_id])
        return request.build_absolute_uri(f"{page}#action-{item.pk}")

    text = calendar.text_of(f"{access.team}: action items", calendar.due_items(access), url_of)
    return HttpResponse(text, content_type="text/calendar; charset=utf-8")
