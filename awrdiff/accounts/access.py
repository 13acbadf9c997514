"""Access to a team's things, with the second factor that a team may require. Objects the reader may not see raise
`NotFound`; people without a second factor can still enrol. Code asks for a capability, never for a role.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.models import ApiToken, Membership, Role, Team, User
from awrdiff.accounts.services import local_membership

Row = TypeVar("Row", bound=Model)
Thing = TypeVar("Thing")


class Can(StrEnum):
    READ = "read"  # all that the team has, with what it says among itself
    COMMENT = "comment"  # in the threads that they read
    UPLOAD = "upload"
    WRITE = "write"  # compare, pin, judge, keep incidents, delete
    SHARE = "share"  # with whoever holds a link, and with guests
    INVITE = "invite"  # say who is on the team, and as what
    ADMINISTER = "administer"  # name the team, send its notices elsewhere, export it
    AUDIT = "audit"  # read its audit log


_MEMBER = frozenset({Can.READ, Can.COMMENT, Can.UPLOAD, Can.WRITE, Can.SHARE})
MAY: Mapping[str, frozenset[Can]] = MappingProxyType(
    {
        Role.OWNER: frozenset(Can),
        Role.MEMBER: _MEMBER,
        Role.READER: frozenset({Can.READ}),
        Role.GUEST: frozenset({Can.COMMENT}),  # they read what is shown to them
    }
)
# Scopes of tokens, and the capabilities in each; a person's token is limited to the person's own as well.
SCOPES: Mapping[str, frozenset[Can]] = MappingProxyType(
    {
        "read": frozenset({Can.READ}),
        "upload": frozenset({Can.UPLOAD}),
        "write": frozenset({Can.READ, Can.WRITE, Can.COMMENT}),
        "share": frozenset({Can.READ, Can.SHARE}),
        "admin": frozenset({Can.READ, Can.INVITE, Can.ADMINISTER, Can.AUDIT}),
        "audit": frozenset({Can.AUDIT}),
    }
)
NOTHING: frozenset[Can] = frozenset()


def roles_that(*can: Can) -> list[str]:
    """Roles with all these capabilities."""
    return [role for role, may in MAY.items() if may.issuperset(can)]


def guest_roles() -> list[str]:
    """Roles that read only what is shared with them."""
    return [role for role, may in MAY.items() if Can.READ not in may]


class SignInNeeded(Exception):
    """Nobody is signed in: login page, or 401."""


class NotFound(Exception):
    """Missing or invisible to the reader; the message is a sentence."""


def existing(thing: Thing | None, sentence: str) -> Thing:
    """Raises NotFound with the sentence."""
    if thing is None:
        raise NotFound(sentence)
    return thing


def require_row(rows: QuerySet[Row], refusal: str, *, may: bool = True) -> Row:
    """Raises NotFound, also unless the reader `may`."""
    # `first()` would order: Django hashes every column read.
    return existing(next(iter(rows[:1]), None) if may else None, refusal)


@dataclass(frozen=True, slots=True)
class LinkGuest:
    """Guest by a link. `name` is unproven; `id` is known to their browser alone."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class HeldLink:
    """Share link as its holder uses it, by ids.

    `shows`: `comparison`, `report`, `incident` or `postmortem` (by its incident's id). `redacted`: the id is a
    pseudonymised copy's; its original, `source_id` of team `source_team_id`, is for audit log and threads only.
    `guest`: where they `may_comment`. `pair`: the comparison's opening pair.
    """

    pk: UUID
    comparison_id: UUID | None
    expires_at: datetime | None
    token: str
    redacted: bool = False
    source_id: UUID | None = None
    source_team_id: int | None = None
    may_comment: bool = False
    guest: LinkGuest | None = None
    shows: str = "comparison"
    report_id: UUID | None = None
    incident_id: UUID | None = None
    pair: int = 0


class _May:
    def __init__(self, can: Can) -> None:
        self.can = can

    def __get__(self, access: AccessContext, owner: type[AccessContext] | None = None) -> bool:
        return access.may(self.can)


@dataclass(frozen=True, slots=True)
class AccessContext:
    """Reader: a person on `team`, or the holder of a `link`.

    `membership`: its id. `token`: id of an API token, limited to `scopes`. `provider_factor`: the sign-in provider
    asked for several factors.
    """

    team: Team
    user: User | None = None
    link: HeldLink | None = None
    is_local: bool = False
    role: str = Role.MEMBER
    membership: int | None = None
    other_teams: tuple[Team, ...] = ()
    scopes: frozenset[Can] | None = None
    token: UUID | None = None
    provider_factor: bool = False

    @property
    def is_shared(self) -> bool:
        return self.link is not None

    @property
    def is_guest(self) -> bool:
        """Team guests read only what is shared with them."""
        return not self.is_shared and not self.can_read

    def may(self, can: Can) -> bool:
        """Link holders may comment at most."""
        if self.link is not None:
            return can == Can.COMMENT and self.link.may_comment
        if self.scopes is not None and can not in self.scopes:
            return False
        return can in MAY.get(self.role, NOTHING) and (self.user is not None or can == Can.READ)

    def check(self, can: Can, *rows: Any) -> None:
        """Raises PermissionDenied unless they may, and all rows are of the team."""
        if not self.may(can) or any(row.team_id != self.team.pk for row in rows):
            raise PermissionDenied

    can_read = _May(Can.READ)
    can_comment = _May(Can.COMMENT)  # in the threads of a comparison that they see; by a link, in those begun below it
    can_upload = _May(Can.UPLOAD)
    can_write = _May(Can.WRITE)
    can_share = _May(Can.SHARE)
    can_invite = _May(Can.INVITE)
    can_administer = _May(Can.ADMINISTER)
    can_audit = _May(Can.AUDIT)

    def may_give(self, role: str, instead_of: str | None = None) -> bool:
        """Tokens give no role above both their scopes and `instead_of`."""
        after, before = MAY.get(role, NOTHING), MAY.get(instead_of or "", NOTHING)
        return self.can_invite and (self.scopes is None or after <= self.scopes or after <= before)

    @property
    def sees_threads(self) -> bool:
        """True also with a commenting link, for threads begun below it alone."""
        return self.can_read or self.can_comment

    @property
    def guest(self) -> LinkGuest | None:
        return self.link.guest if self.link else None

    @property
    def team_pk(self) -> int:
        """Team id; for a redacted link, its maker's."""
        source = self.link.source_team_id if self.link else None
        return self.team.pk if source is None else source

    @property
    def is_signed_in(self) -> bool:
        return self.user is not None and not self.is_shared and not self.is_local and self.token is None


def local_member() -> AccessContext:
    membership = local_membership()
    return AccessContext(
        team=membership.team, user=membership.user, is_local=True, role=Role.OWNER, membership=membership.pk
    )


def lapsed() -> Q:
    """Group memberships unconfirmed for `AWRDIFF_GROUPS_DAYS`, on still mapped teams."""
    teams = {place.team for place in (*settings.AWRDIFF_OIDC_TEAMS, *settings.AWRDIFF_LDAP_TEAMS)}
    if not (settings.AWRDIFF_GROUPS_DAYS and teams):
        return Q(pk__in=())
    limit = timezone.now() - timedelta(days=settings.AWRDIFF_GROUPS_DAYS)
    due = Q(confirmed_at__lt=limit) | Q(confirmed_at=None, created_at__lt=limit)
    return Q(by_groups=True, team__name__in=sorted(teams)) & due


def member_of_team(
    user: object, wanted: object = None, *, provider_factor: bool = False, session_factor: bool = False
) -> AccessContext:
    """Team `wanted`, else their first. Raises SignInNeeded, SecondFactorNeeded, PermissionDenied."""
    if not isinstance(user, User):
        raise SignInNeeded
    memberships = list(Membership.objects.select_related("team").filter(user=user).exclude(lapsed()).order_by("id"))
    if not memberships:
        if not Membership.objects.filter(user=user).exists():
            raise PermissionDenied("You are not on a team. Ask an owner of one to invite you.")
        days, way = settings.AWRDIFF_GROUPS_DAYS, settings.AWRDIFF_OTHER_WAYS_IN
        why = f"You are on your team by your groups, which no sign-in has confirmed for {days} days"
        raise PermissionDenied(f"{why}: sign in again with {way}.")
    membership = next((m for m in memberships if m.team_id == wanted), memberships[0])
    other_teams = tuple(m.team for m in memberships if m is not membership)
    teams = (membership.team, *other_teams)
    check_factor(user, teams, provider_factor=provider_factor, session_factor=session_factor)
    return AccessContext(
        membership.team,
        user,
        role=membership.role,
        membership=membership.pk,
        other_teams=other_teams,
        provider_factor=provider_factor,
    )


_ALONE = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)  # recovery codes only stand in for one of these


class SecondFactorNeeded(PermissionDenied):
    """`teams`: the requiring one, then the person's others; none for a token. `enrolled`: has one, not shown in this
    session.
    """

    def __init__(self, sentence: str, teams: tuple[Team, ...] = (), *, enrolled: bool = False) -> None:
        super().__init__(sentence)
        self.teams = teams
        self.enrolled = enrolled


def has_factor(user: User | None) -> bool:
    return user is not None and Authenticator.objects.filter(user_id=user.pk, type__in=_ALONE).exists()


def is_first_factor(authenticator: Authenticator) -> bool:
    """True for their only app or key."""
    own = Authenticator.objects.filter(user_id=authenticator.user_id, type__in=_ALONE)
    return authenticator.type in _ALONE and not own.exclude(pk=authenticator.pk).exists()


def check_factor(user: User, teams: tuple[Team, ...], *, provider_factor: bool, session_factor: bool) -> None:
    """`teams`: the viewed one first; `session_factor`: shown in this sign-in. Raises SecondFactorNeeded."""
    team = teams[0]
    if not team.second_factor_required or provider_factor:
        return
    if not has_factor(user):
        raise SecondFactorNeeded(f"The team “{team}” requires a second factor, and your account has none.", teams)
    if not session_factor:
        sentence = f"The team “{team}” requires a second factor, and this sign-in has shown none."
        raise SecondFactorNeeded(sentence, teams, enrolled=True)


def check_token_factor(token: ApiToken) -> None:
    """Service tokens pass. Raises SecondFactorNeeded."""
    if not token.team.second_factor_required or token.is_service or token.provider_factor:
        return
    if not has_factor(token.user):
        raise SecondFactorNeeded(f"The team “{token.team}” requires a second factor, which this token's person lacks.")


def people_without_factor(team: Team) -> QuerySet[User]:
    """Active people without one here, by name."""
    own = Authenticator.objects.filter(user=OuterRef("pk"), type__in=_ALONE)
    return User.objects.filter(~Exists(own), membership__team=team, is_active=True).order_by("username")
