"""Team membership by groups of a sign-on service or directory, followed at every sign-in. Memberships by hand and a
team's last owner stay.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts import members_and_invitations, quotas
from awrdiff.accounts.display_names import keep_apart
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.env_variable_types import Place

logger = logging.getLogger(__name__)


class Source(StrEnum):
    """Origin of the groups, by its settings prefix."""

    OIDC = "OIDC"
    LDAP = "LDAP"

    @property
    def teams(self) -> tuple[Place, ...]:
        places: tuple[Place, ...] = getattr(settings, f"AWRDIFF_{self}_TEAMS")
        return places

    @property
    def makes_teams(self) -> bool:
        return bool(getattr(settings, f"AWRDIFF_{self}_MAKE_TEAMS"))


_MOST_FIRST = list(Role.values)  # from owner to guest


def groups_in(answers: Iterable[Any]) -> frozenset[str] | None:
    """Groups in the first valid claim; None without one: unknown, unlike an empty list."""
    for answer in answers:
        claim = _inside(answer, settings.AWRDIFF_OIDC_GROUPS_CLAIM)
        if isinstance(claim, str):
            if any(place.group == claim for place in settings.AWRDIFF_OIDC_TEAMS):
                return frozenset([claim])
            if settings.AWRDIFF_OIDC_TEAMS:  # several in one text, perhaps: to be in none of them would take them off
                logger.warning(
                    "the sign-on service told no list of groups, and no group of the settings: %.200r", claim
                )
        if isinstance(claim, list) and all(isinstance(group, str) for group in claim):
            return frozenset(claim)
    return None


def _inside(answer: Any, name: str) -> Any:
    """Whole `name` first: claims that are addresses have dots."""
    if not isinstance(answer, Mapping):
        return None
    if name in answer:
        return answer[name]
    outer, _, rest = name.partition(".")
    return _inside(answer.get(outer), rest) if rest else None


def open_a_team(groups: frozenset[str] | None, source: Source) -> bool:
    """True if they lead to an existing or new team."""
    wanted = _places(groups or frozenset(), source)
    makes_one = source.makes_teams and Role.OWNER in wanted.values()
    return makes_one or Team.objects.filter(name__in=wanted, copies_of=None).exists()


def follow(user: User, groups: frozenset[str] | None, source: Source) -> None:
    """Join these groups' teams, leave other mapped teams."""
    if not source.teams:
        return
    if groups is None:
        claim = settings.AWRDIFF_OIDC_GROUPS_CLAIM
        logger.warning("the sign-on service told no groups of user %s (%s): nothing was changed", user.pk, claim)
        return
    wanted = _places(groups, source)
    for name in sorted({place.team for place in source.teams}):
        role = wanted.get(name)
        with transaction.atomic():
            team = Team.objects.filter(name=name, copies_of=None).first()
            if team is None and role == Role.OWNER and source.makes_teams:
                team, is_new = Team.objects.get_or_create(name=name)
                if is_new:
                    notify(team, None, "made", team)
            if team is not None:
                members_and_invitations.lock(team)
                _put(user, team, role)
            elif role is not None:
                logger.warning("AWRDIFF_%s_TEAMS names the team %r, which there is not", source, name)


def _places(groups: frozenset[str], source: Source) -> dict[str, str]:
    roles: dict[str, str] = {}
    for place in sorted(source.teams, key=lambda place: _MOST_FIRST.index(place.role)):
        if place.group in groups:
            roles.setdefault(place.team, place.role)
    return roles


def _put(user: User, team: Team, role: str | None) -> None:
    """`role` None: off the team."""
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        if role is not None:
            _join(user, team, role)
        return
    if not membership.by_groups:
        return
    membership.confirmed_at = timezone.now()
    if membership.role == role:
        membership.save(update_fields=["confirmed_at"])
    elif members_and_invitations.is_last_owner(membership):
        membership.save(update_fields=["confirmed_at"])
        logger.warning(
            "user %s stays the owner of team %s, which has no other, whatever their groups", user.pk, team.pk
        )
    elif role is None:
        members_and_invitations.take_off(
            membership, "removed", by=None, heir=members_and_invitations.heir_of(membership)
        )
    else:
        members_and_invitations.give_role(membership, role, by=None, heir=members_and_invitations.heir_of(membership))


def _join(user: User, team: Team, role: str) -> None:
    """A membership made meanwhile by an accepted invitation stays."""
    try:
        quotas.check_people(team.pk)
    except PeopleRefused:
        logger.warning("user %s is not put on team %s: it has as many people as it may", user.pk, team.pk)
        return
    values = {"role": role, "by_groups": True, "confirmed_at": timezone.now()}
    membership, joined = Membership.objects.get_or_create(team=team, user=user, defaults=values)
    if joined:
        keep_apart(team, user)
        notify(team, None, "added", membership)
