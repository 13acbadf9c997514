"""Server administration: teams, quotas, accounts."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts import offboarding, quotas
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Team, User
from awrdiff.processing.storable_values import one_line
from awrdiff.web.content_negotiation import json_response, wants_json
from awrdiff.web.presenters.page import members_tokens_and_teams
from awrdiff.web.sign_in.deactivation import shut
from awrdiff.web.sign_in.permission_helpers import server_administrator


@require_safe
def server(request: HttpRequest) -> HttpResponse:
    """Parameter `q`: words of a name or an address."""
    access = server_administrator(request)
    wanted = one_line(request.GET.get("q", ""))[:100]
    listed, more = members_tokens_and_teams.accounts(wanted)
    if wants_json(request):
        return json_response({"teams": members_tokens_and_teams.teams(), "people": listed, "more": more})
    context = {
        "access": access,
        "teams": members_tokens_and_teams.teams(),
        "accounts": listed,
        "more": more,
        "q": wanted,
    }
    return render(request, "server/page.html", context)


@require_POST
def team(request: HttpRequest, pk: int) -> HttpResponse:
    """Fields `people`, `reports`, `mebibytes`: the quotas; empty for none."""
    access = server_administrator(request)
    team_row = Team.objects.filter(pk=pk, copies_of=None).first()
    if team_row is None:
        raise NotFound("There is no such team.")
    quota_fields = {name: request.POST.get(name, "") for name in ("people", "reports", "mebibytes")}
    quotas.choose(team_row, access.user, **quota_fields)
    return _back(request, f"The quotas of “{team_row}” are set.")


@require_POST
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """Field `active`: `yes` or `no`."""
    access = server_administrator(request)
    account = User.objects.filter(pk=pk).first()
    if account is None:
        raise NotFound("There is no such account.")
    active = request.POST.get("active", "")
    if active not in ("yes", "no"):
        raise PeopleRefused("“active” must be yes or no.")
    if active == "yes":
        offboarding.enable(account, access.user)
        return _back(request, f"{account} may sign in again.")
    if account == access.user:
        raise PeopleRefused("You cannot disable your own account.")
    ended = shut(account, access.user)
    alone = ", ".join(f"“{team_name}”" for team_name in offboarding.teams_without_owner(account))
    owner_note = f" No owner who can sign in is left of {alone}." if alone else ""
    return _back(request, f"{account} is disabled; {ended} ended.{owner_note}")


def _back(request: HttpRequest, message: str) -> HttpResponse:
    if wants_json(request):
        return HttpResponse(status=204)
    messages.success(request, message)
    return redirect("server")
