"""Statistics across the incidents of a team."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.incidents.statistics import statistics_of
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.incident import statistics as shown
from awrdiff.web.sign_in.members import no_guest


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    access = no_guest(request)
    found = statistics_of(access)
    if wants_json(request):
        return JsonResponse(shown.document(found))
    causes = shown.causes(found.causes)
    context = {
        "access": access,
        "found": found,
        "databases": shown.databases(found),
        "repeated": [one for one in causes if one.count > 1],
        "once": [one for one in causes if one.count == 1],
        "times": shown.times(found),
    }
    return render(request, "incidents/statistics.html", context)
