"""Verdicts on the findings of a comparison."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import compared_count, comparison_for
from awrdiff.incidents import finding_verdicts as services
from awrdiff.incidents.finding_verdicts import TypedVerdict
from awrdiff.incidents.models import Verdict
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import done, form_fields, json_list, json_response, wants_json
from awrdiff.web.presenters.incident.finding_verdicts import Judgement, team_judgements
from awrdiff.web.sign_in.permission_helpers import no_guest


@require_http_methods(["GET", "HEAD", "POST"])
def verdicts(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Everybody's verdicts on findings. A POST gives one: `anchor` of a finding, `pair`, `state` (`confirmed`,
    `rejected`, `explained_by`, `withdrawn`), `why`, `explained_by`, `role`.
    """
    access = no_guest(request)
    own_comparison = comparison_for(access, pk)
    if request.method == "POST":
        typed = TypedVerdict(**{name: form_fields(request).get(name, "") for name in TypedVerdict.__slots__})
        given_verdict = services.give(access, own_comparison, typed, pair=query_options.sent_pair(request))
        if wants_json(request):
            return json_response(Judgement.of(given_verdict), 201)
        return redirect(_place(request, own_comparison, given_verdict))
    return json_list(request, "verdicts", team_judgements(services.current(access, own_comparison, None)))


@require_POST
def sign_off(request: HttpRequest, pk: UUID, verdict_pk: int) -> HttpResponse:
    """Field `role`: as what somebody agrees."""
    access = no_guest(request)
    own_comparison = comparison_for(access, pk)
    verdict = services.verdict_for(access, own_comparison, verdict_pk)
    services.sign_off(access, verdict, form_fields(request).get("role", ""))
    return done(request, _place(request, own_comparison, verdict))


def _place(request: HttpRequest, own_comparison: Comparison, verdict: Verdict) -> str:
    pair = query_options.pair_query(verdict.pair, compared_count(own_comparison))
    return f"{links.comparison(no_guest(request), own_comparison)}{pair}#{quote(verdict.anchor, safe='/:')}"
