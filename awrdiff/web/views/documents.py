"""The project's documents, for whoever reads a page that names one: they hold nothing of a team's."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.web.documents import document


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    found = document(name)
    if found is None:
        raise NotFound("There is no such document.")
    return render(request, "web/document.html", {"title": found.title, "html": found.html})
