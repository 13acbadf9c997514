"""Making and naming teams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from awrdiff.accounts import ticket_references
from awrdiff.accounts.access import AccessContext, has_factor
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.processing.storable_values import one_line

LONGEST = 100
MOST_OWNED = 20


def rename(access: AccessContext, name: str) -> Team:
    """Raises PeopleRefused."""
    team = _own_team(access, "Only an owner of the team names it.")
    was, team.name = team.name, clean_name(name)
    if is_mapped(was) and team.name != was:
        raise PeopleRefused("People come to this team by their groups elsewhere, which know it by this name.")
    with _only_one_of_the_name(team.name, was):
        team.save(update_fields=["name"])
        notify(team, access.user, "renamed", team)
    return team


def name_first(user: User, team: Team, name: str) -> None:
    """Name the former local user's team. Raises PeopleRefused."""
    team.name = clean_name(name if name.strip() else f"Team of {user.get_username()}"[:LONGEST])
    with _only_one_of_the_name(team.name):
        team.save(update_fields=["name"])
        notify(team, user, "renamed", team)


def choose_threads(access: AccessContext, *, for_guests: bool) -> Team:
    """Default audience of new threads."""
    team = _own_team(access, "Only an owner of the team chooses who reads its threads.")
    action = "threads for guests" if for_guests else "threads for the team"
    return _changed(access, team, action, threads_for_guests=for_guests)


def choose_tickets(access: AccessContext, pattern: str) -> Team:
    """Set the tickets' address pattern. Raises PeopleRefused."""
    team = _own_team(access, "Only an owner of the team says where its tickets are.")
    return _changed(access, team, "tickets", ticket_pattern=ticket_references.clean_pattern(pattern))


def require_second_factor(access: AccessContext, *, required: bool) -> Team:
    """Whoever requires it must have one; tokens may not. Raises PeopleRefused."""
    if access.token is not None:
        raise PermissionDenied("Only an owner who is signed in requires a second factor: no token does it.")
    team = _own_team(access, "Only an owner of the team requires a second factor.")
    if required and not (access.provider_factor or has_factor(access.user)):
        raise PeopleRefused("Add a second factor to your own account first, or you could not come back here.")
    action = "factor required" if required else "factor not required"
    return _changed(access, team, action, second_factor_required=required)


def _own_team(access: AccessContext, refusal: str) -> Team:
    if not access.can_administer:
        raise PermissionDenied(refusal)
    return Team.objects.get(pk=access.team.pk)


def _changed(access: AccessContext, team: Team, action: str, **values: object) -> Team:
    with transaction.atomic():
        Team.objects.filter(pk=team.pk).update(**values)
        notify(team, access.user, action, team)
    team.refresh_from_db()
    return team


def make(access: AccessContext, name: str) -> Membership:
    """Another team, owned by the reader. Raises PeopleRefused."""
    if access.user is None or not access.can_write or access.is_local:
        raise PermissionDenied("Members make teams of their own, and whoever runs the server alone has one.")
    return make_for(access.user, name)


def make_for(user: User, name: str) -> Membership:
    """Raises PeopleRefused for taken names or too many teams."""
    name = clean_name(name)
    with _only_one_of_the_name(name):
        User.objects.select_for_update().get(pk=user.pk)
        if Membership.objects.filter(user=user, role=Role.OWNER).count() >= MOST_OWNED:
            raise PeopleRefused(f"You own {MOST_OWNED} teams: make no more of them.")
        team = Team.objects.create(name=name)
        notify(team, user, "made", team)
        return Membership.objects.create(team=team, user=user, role=Role.OWNER)


def is_mapped(name: str) -> bool:
    """True if groups lead to this team name."""
    return any(place.team == name for place in (*settings.AWRDIFF_OIDC_TEAMS, *settings.AWRDIFF_LDAP_TEAMS))


def clean_name(name: str) -> str:
    """Normalised to one line. Raises PeopleRefused."""
    cleaned = one_line(name)
    if not cleaned or len(cleaned) > LONGEST:
        raise PeopleRefused(f"A team's name has 1 to {LONGEST} characters.")
    return cleaned


@contextmanager
def _only_one_of_the_name(name: str, was: str = "") -> Iterator[None]:
    """Refuses taken names and those that groups map to."""
    if is_mapped(name) and name != was:
        raise PeopleRefused(f"“{name}” is kept for people who come by their groups: choose another name.")
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise PeopleRefused(f"There is a team “{name}” already: choose another name.") from None
