"""The first page: upload, demos, recent comparisons."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import member
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.reports.uploads import limit_bytes


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    access = member(request)
    found = comparisons_for(access)
    context = {
        "access": access,
        "max_bytes": limit_bytes(),
        "demos": found.filter(is_demo=True),
        "recent": found.filter(is_demo=False)[:20],
    }
    return render(request, "web/home.html", context)
