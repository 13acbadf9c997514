"""Who is on which team by the groups that a sign-on service or a directory tells of them.

`AWRDIFF_OIDC_TEAMS` and `AWRDIFF_LDAP_TEAMS` say what each group is on which team. On the teams that they name
memberships follow the groups at every sign-in, but for those that were given here by hand: these stay as they are, and
so does a team's last owner.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts import people, quotas
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.accounts.names import keep_apart
from awrdiff.env import Place

logger = logging.getLogger(__name__)


class Source(StrEnum):
    """Which of the two tells: by what its settings are called."""

    OIDC = "OIDC"
    LDAP = "LDAP"

    @property
    def teams(self) -> tuple[Place, ...]:
        found: tuple[Place, ...] = getattr(settings, f"AWRDIFF_{self}_TEAMS")
        return found

    @property
    def makes_teams(self) -> bool:
        return bool(getattr(settings, f"AWRDIFF_{self}_MAKE_TEAMS"))


_MOST_FIRST = list(Role.values)  # from owner to guest


def told(answers: Iterable[Any]) -> frozenset[str] | None:
    """The groups in the first of these JSON objects that has the claim, directly or inside of others. None: none has
    it, or it holds what are no groups, such as a text that is none of the settings; to be in no group is something
    else."""
    for answer in answers:
        found = _inside(answer, settings.AWRDIFF_OIDC_GROUPS_CLAIM)
        if isinstance(found, str):
            if any(one.group == found for one in settings.AWRDIFF_OIDC_TEAMS):
                return frozenset([found])
            if settings.AWRDIFF_OIDC_TEAMS:  # several in one text, perhaps: to be in none of them would take them off
                logger.warning(
                    "the sign-on service told no list of groups, and no group of the settings: %.200r", found
                )
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            return frozenset(found)
    return None


def _inside(answer: Any, name: str) -> Any:
    """By the whole name first: some claims are addresses, which have dots."""
    if not isinstance(answer, Mapping):
        return None
    if name in answer:
        return answer[name]
    outer, _, rest = name.partition(".")
    return _inside(answer.get(outer), rest) if rest else None


def open_a_team(groups: frozenset[str] | None, source: Source) -> bool:
    """Whether there is a team for who is in them, or one would be made."""
    wanted = _places(groups or frozenset(), source)
    made = source.makes_teams and Role.OWNER in wanted.values()
    return made or Team.objects.filter(name__in=wanted, copies_of=None).exists()


def follow(user: User, groups: frozenset[str] | None, source: Source) -> None:
    """Who is in these groups is on their teams from now on, and on no other of those that the settings name."""
    if not source.teams:
        return
    if groups is None:
        claim = settings.AWRDIFF_OIDC_GROUPS_CLAIM
        logger.warning("the sign-on service told no groups of user %s (%s): nothing was changed", user.pk, claim)
        return
    wanted = _places(groups, source)
    for name in sorted({one.team for one in source.teams}):
        with transaction.atomic():
            team = Team.objects.filter(name=name, copies_of=None).first() or _made(name, wanted.get(name), source)
            if team is not None:
                people.lock(team)
                _put(user, team, wanted.get(name))


def _places(groups: frozenset[str], source: Source) -> dict[str, str]:
    """By the name of a team, the role that may most of those that the groups have there."""
    found: dict[str, str] = {}
    for one in sorted(source.teams, key=lambda one: _MOST_FIRST.index(one.role)):
        if one.group in groups:
            found.setdefault(one.team, one.role)
    return found


def _made(name: str, role: str | None, source: Source) -> Team | None:
    """None where there is to be none: a team begins with an owner."""
    if role is None:
        return None
    if role != Role.OWNER or not source.makes_teams:
        logger.warning("AWRDIFF_%s_TEAMS names the team %r, which there is not", source, name)
        return None
    team, made = Team.objects.get_or_create(name=name)
    if made:
        notify(team, None, "made", team)
    return team


def _put(user: User, team: Team, role: str | None) -> None:
    """`role` None: they are in none of its groups."""
    found = Membership.objects.filter(team=team, user=user).first()
    if found is None:
        if role is not None:
            _join(user, team, role)
        return
    if not found.by_groups:
        return
    found.confirmed_at = timezone.now()
    if found.role == role:
        found.save(update_fields=["confirmed_at"])
    elif people.is_last_owner(found):
        found.save(update_fields=["confirmed_at"])
        logger.warning(
            "user %s stays the owner of team %s, which has no other, whatever their groups", user.pk, team.pk
        )
    elif role is None:
        people.take_off(found, "removed", by=None, heir=people.heir_of(found))
    else:
        people.give_role(found, role, by=None, heir=people.heir_of(found))


def _join(user: User, team: Team, role: str) -> None:
    """Whoever accepts an invitation at the same time was let in by hand."""
    try:
        quotas.check_people(team.pk)
    except PeopleRefused:
        logger.warning("user %s is not put on team %s: it has as many people as it may", user.pk, team.pk)
        return
    values = {"role": role, "by_groups": True, "confirmed_at": timezone.now()}
    found, joined = Membership.objects.get_or_create(team=team, user=user, defaults=values)
    if joined:
        keep_apart(team, user)
        notify(team, None, "added", found)
