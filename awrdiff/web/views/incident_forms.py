"""Incident forms, shown again with the typed text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.revisions import ChangedMeanwhile
from awrdiff.incidents.services import may_write
from awrdiff.numbers import whole_number
from awrdiff.reports.errors import UploadRefused
from awrdiff.web import form_keys
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.incident import form

MOST_VERSIONS = 999_999
Form = dict[str, Any]


class Row(Protocol):
    pk: Any


def form_of(fields: list[form.Field], url: str, back: str, heading: str, version: int = 0) -> Form:
    return {"fields": fields, "url": url, "back": back, "to": back, "heading": heading, "version": version}


def form_page(
    request: HttpRequest, access: AccessContext, own: Form, *, refused: str = "", status: int = 200
) -> HttpResponse:
    may_write(access)
    context = {"access": access, "refused": refused, "key": request.POST.get("key") or str(uuid4()), **own}
    return render(request, "incidents/form.html", context, status=status)


def add_row(
    request: HttpRequest,
    access: AccessContext,
    add: Callable[[UUID | None], Row],
    place: Callable[[Row], str],
    own: Callable[[], Form],
) -> HttpResponse:
    """Result of `add`, once per form key; `own`: form shown again."""
    try:
        added = add(form_keys.key(request))
    except (IncidentRefused, UploadRefused) as refused:
        if wants_json(request):
            raise
        return form_page(request, access, own(), refused=str(refused), status=400)
    return made_answer(request, place(added), {"id": added.pk})


def save_form(
    request: HttpRequest,
    access: AccessContext,
    save: Callable[[int], object],
    to: str,
    own: Callable[[], tuple[Form, list[form.Field]]],
) -> HttpResponse:
    """Saves over the version read. `own`: form after a concurrent change, with typed text and current fields."""
    if request.method != "POST":
        return form_page(request, access, {**own()[0], "to": to})
    version = whole_number(request.POST.get("version"), MOST_VERSIONS) or 0
    try:
        save(version)
    except (IncidentRefused, ChangedMeanwhile, UploadRefused) as refused:
        if wants_json(request):
            raise
        typed, now = own()
        typed["to"] = to
        if isinstance(refused, ChangedMeanwhile):
            typed["fields"] = form.put_together(typed["fields"], now, refused.merged)
            return form_page(request, access, typed, refused=str(refused), status=409)
        return form_page(request, access, {**typed, "version": version}, refused=str(refused), status=400)
    return go_back(request, to)


def go_back(request: HttpRequest, to: str) -> HttpResponse:
    if wants_json(request) or request.method == "DELETE":
        return HttpResponse(status=204)
    return redirect(to)


def made_answer(request: HttpRequest, url: str, document: dict[str, Any]) -> HttpResponse:
    return JsonResponse({**document, "url": url}, status=201) if wants_json(request) else redirect(url)
