"""Permission helpers: views begin `access = member(request)`, `no_guest`, `signed_in_person`, or `shared(token)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from awrdiff import logs
from awrdiff.accounts.access import (
    AccessContext,
    Can,
    NotFound,
    SecondFactorNeeded,
    SignInNeeded,
    is_first_factor,
    local_member,
    member_of_team,
)
from awrdiff.accounts.api_tokens import access_by
from awrdiff.accounts.models import Team, User
from awrdiff.accounts.services import people_sign_in
from awrdiff.notices.queries import unread
from awrdiff.web.sign_in.local_user import refuse_others

TEAM = "team"  # key of a session: the team that is looked at, of several
PROVIDER_FACTOR = "provider_factor"  # the same: the provider that signed them in asked for several factors
View = Callable[..., HttpResponseBase]


def member(request: HttpRequest, *, reads: Can = Can.READ) -> AccessContext:
    """Tokens need `reads`. Raises SignInNeeded or PermissionDenied."""
    if (text := getattr(request, "bearer", None)) is not None:
        # No CSRF check: no cookie was sent. A request is one, however often it is asked who makes it.
        request.by_token = access = getattr(request, "by_token", None) or access_by(text)  # type: ignore[attr-defined]
        scopes = access.scopes or frozenset()
        if not (reads in scopes if request.method in ("GET", "HEAD") else scopes - {Can.READ, Can.AUDIT}):
            raise PermissionDenied("The scopes of this token do not allow this.")
    elif is_local():
        refuse_others(request)
        access = local_member()
        if access.user is not None:
            request.user = access.user
    else:
        access = member_of_team(
            request.user,
            request.session.get(TEAM),
            provider_factor=request.session.get(PROVIDER_FACTOR) is True,
            session_factor=has_shown_factor(request),
        )
    logs.bind(team_id=access.team.pk, **({"person_id": access.user.pk} if access.user else {}))
    request.unread = SimpleLazyObject(lambda: unread(access))  # type: ignore[attr-defined] # what the bar shows
    return access


def no_guest(request: HttpRequest) -> AccessContext:
    """Raises NotFound for a guest, else as `member`."""
    access = member(request)
    if not access.can_read:
        raise NotFound("There is nothing at this address.")
    return access


def signed_in_person(request: HttpRequest) -> AccessContext:
    """Closed to tokens. Raises PermissionDenied, else as `member`."""
    access = member(request)
    if access.token is not None:
        raise PermissionDenied("This is for whoever signs in: no token does it.")
    return access


def own_teams(request: HttpRequest) -> tuple[Team, ...]:
    """Also teams requiring a missing second factor; raises as `signed_in_person`."""
    try:
        access = signed_in_person(request)
    except SecondFactorNeeded as refusal:
        return refusal.teams
    return (access.team, *access.other_teams)


def server_administrator(request: HttpRequest) -> AccessContext:
    """Raises NotFound for others, else as `member`."""
    access = member(request)
    if not access.is_signed_in or access.user is None or not access.user.is_staff:
        raise NotFound("There is nothing at this address.")
    return access


def is_local() -> bool:
    """True with one local user, without sign-in."""
    return settings.AWRDIFF_LOCAL_USER and not people_sign_in()


def may_sign_out(request: HttpRequest) -> bool:
    """Also for people without a team."""
    user = getattr(request, "user", None)
    below_a_link = request.path_info.startswith("/s/")
    return user is not None and user.is_authenticated and not below_a_link and not is_local()


def look_at(request: HttpRequest, team: Team) -> None:
    request.session[TEAM] = team.pk


def signed_in(view: View) -> View:
    """For one's own account, also without a team."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_local() or not request.user.is_authenticated:
            raise SignInNeeded
        response = view(request, *args, **kwargs)
        if getattr(response, "context_data", None) is not None:
            try:
                access = member(request)
            except (PermissionDenied, SignInNeeded):  # the latter: they have just signed out
                access = None
            own = {
                "access": access,
                "account_pages": account_pages(request.user),
                "may_sign_out": may_sign_out(request),
            }
            response.context_data |= own  # type: ignore[attr-defined]
        return response

    guarded.asks_who_it_is = True  # type: ignore[attr-defined] # tests look
    return guarded


def account_pages(user: Any) -> list[tuple[str, str]]:
    names = (
        ("account_name", "Name"),
        ("account_email", "E-mail address"),
        ("account_change_password", "Password"),
        ("mfa_index", "Second factor"),
        ("usersessions_list", "Sessions"),
        ("tokens", "Tokens"),
    )
    has_password = settings.AWRDIFF_PASSWORD_SIGN_IN and not getattr(user, "directory_id", None)
    return [(reverse(name), text) for name, text in names if has_password or name != "account_change_password"]


def has_shown_factor(request: HttpRequest) -> bool:
    """At sign-in, when asked again, or by enrolling."""
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" for record in records)


@receiver(authenticator_added)
def follow_enrolment(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """With a first factor the enrolling session has it and all others end; later ones add no proof."""
    if not is_first_factor(authenticator):
        return
    record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
    for session in UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key):
        session.end()
