"""The week of a team's incidents."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.postmortems.week import week_of
from awrdiff.web import options
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.members import no_guest


@require_safe
def week(request: HttpRequest) -> HttpResponse:
    """`team`: id of the current team."""
    access = no_guest(request)
    if options.row_number(request, "team") not in (None, access.team.pk):
        raise NotFound("This is the week of another team.")
    groups = week_of(access)
    if wants_json(request):
        lists = [
            {"said": group.title, "count": group.count, "lines": [asdict(line) for line in group.lines]}
            for group in groups
        ]
        return JsonResponse({"lists": lists})
    return render(request, "incidents/week.html", {"access": access, "groups": groups})
