"""Members, invitations, current team, guests' comparisons."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from msgspec import structs

from awrdiff.accounts import members_and_invitations as services
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.errors import PeopleRefused, TooMuch
from awrdiff.accounts.models import Role
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.queries import comparison_for
from awrdiff.web import links
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters.page import members_tokens_and_teams as shown
from awrdiff.web.sign_in import invitation_session
from awrdiff.web.sign_in.permission_helpers import look_at, member, no_guest, own_teams
from awrdiff.whole_number_input import whole_number


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Members with their roles, and open invitations."""
    access = no_guest(request)
    if wants_json(request):
        return json_response(shown.team_people(access))
    return _page(request, access)


def _page(request: HttpRequest, access: AccessContext, status: int = 200, **more: object) -> HttpResponse:
    context = {
        "access": access,
        "people": shown.people(access),
        "invitations": shown.invitations(access),
        "roles": shown.ROLES,
        "typed": {"role": Role.MEMBER.value},
        "most_at_once": services.MOST_AT_ONCE,
        **more,
    }
    return render(request, "people/page.html", context, status=status)


@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Fields `email` and `role`. By SMTP only the invited person gets the address; else it is in the answer, once."""
    access = member(request)
    if access.is_local:
        raise PeopleRefused("Become the owner first: “Let people in”.")
    email, role = request.POST.get("email", ""), request.POST.get("role", Role.MEMBER)
    try:
        new_invitation, token = services.invite(access, email, role, by_mail=settings.AWRDIFF_MAILS)
    except PeopleRefused as refusal:
        if wants_json(request):
            raise
        return _page(request, access, status=400, refused=str(refusal), typed={"email": email, "role": role})
    address = None if settings.AWRDIFF_MAILS else _joining_url(request, token)
    if wants_json(request):
        return json_response({**structs.asdict(shown.invitation(new_invitation)), "address": address}, 201)
    if address:
        return _page(request, access, made=new_invitation, address=address)
    messages.success(request, f"An invitation is on its way to {new_invitation.email}.")
    return redirect("people")


@require_POST
def invite_all(request: HttpRequest) -> HttpResponse:
    """Fields `emails` and `role`: the outcome of each address. If nobody could be invited, the typed text stays."""
    access = member(request)
    if access.is_local:
        raise PeopleRefused("Become the owner first: “Let people in”.")
    text, role = request.POST.get("emails", ""), request.POST.get("role", Role.MEMBER)
    try:
        results = services.invite_all(access, text, role, by_mail=settings.AWRDIFF_MAILS)
    except (PeopleRefused, TooMuch) as refusal:
        if wants_json(request):
            raise
        status = 429 if isinstance(refusal, TooMuch) else 400
        return _page(request, access, status=status, refused_all=str(refusal), typed={"emails": text, "role": role})
    outcomes = [
        shown.InvitationOutcome(outcome.email, outcome.sent.value, _joining_url(request, outcome.token))
        for outcome in results
    ]
    if wants_json(request):
        return json_response({"invitations": outcomes})
    return _page(request, access, outcomes=outcomes, outcomes_text=shown.outcomes_text(results))


def _joining_url(request: HttpRequest, token: str) -> str | None:
    return request.build_absolute_uri(reverse("join-link", args=[token])) if token else None


@require_http_methods(["DELETE", "POST"])
def revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Revokes an invitation."""
    access = member(request)
    services.revoke(access, services.invitation_for(access, pk))
    return done(request, "people")


@require_POST
def change_role(request: HttpRequest, pk: int) -> HttpResponse:
    """Field `role`: `owner`, `member`, `reader` or `guest`."""
    access = member(request)
    services.change_role(access, services.membership_for(access, pk), request.POST.get("role", ""))
    return done(request, "people")


@require_http_methods(["DELETE", "POST"])
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Removes a member, or oneself, and ends what they opened. Fields: `heir`, id of the new owner of their action
    items and roles; `opened_to`, of the new owner of their links and invitations; `services=end` ends tokens of
    services that they made, too.
    """
    access = member(request)
    membership = services.membership_for(access, pk)
    closed = services.remove(
        access,
        membership,
        request.POST.get("heir", ""),
        opened_to=request.POST.get("opened_to", ""),
        services=request.POST.get("services") == "end",
    )
    if closed and not wants_json(request):
        messages.success(request, f"{shown_name(membership.user)} is off the team: {closed}.")
    return done(request, "home" if pk == access.membership else "people")


@require_POST
def look(request: HttpRequest, pk: int) -> HttpResponse:
    """Switches to another of the user's teams. Field `to`: the address to continue at."""
    teams = own_teams(request)
    chosen_team = next((team for team in teams if team.pk == pk), None)
    if chosen_team is None:
        raise NotFound("There is no such team.")
    look_at(request, chosen_team)
    to = request.POST.get("to", "")
    inside = to.startswith("/") and url_has_allowed_host_and_scheme(to, None)
    return done(request, to if inside else "home")


@require_POST
def let_in(request: HttpRequest) -> HttpResponse:
    """The sole user of an open server becomes the owner, under their own name; from then on everybody signs in."""
    access = member(request)
    if not access.is_local:
        raise PeopleRefused("Everybody signs in here already.")
    owner_invitation, _ = services.invite_to_take_over(access.team)
    invitation_session.hold(request, owner_invitation)
    return redirect("account_signup")


@require_POST
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `guest`: a new reader of the comparison."""
    access = member(request)
    comparison = comparison_for(access, pk)
    if (guest := whole_number(request.POST.get("guest", ""))) is None:
        raise NotFound("There is no such guest on your team.")
    guest_access.show(access, comparison, guest)
    return done(request, links.comparison(access, comparison))


@require_http_methods(["DELETE", "POST"])
def hide(request: HttpRequest, pk: UUID, guest_pk: int) -> HttpResponse:
    """Hides it from the guest."""
    access = member(request)
    comparison = comparison_for(access, pk)
    guest_access.hide(access, comparison, guest_pk)
    return done(request, links.comparison(access, comparison))
