"""Who is looking, and what a refusal of theirs is. Web asks for it in a view's first line, apps are handed it.

What is not theirs does not exist for them: an object that is refused is `NotFound`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied

from awrdiff.accounts.capabilities import MAY, NOTHING, Can
from awrdiff.accounts.confirmation import lapsed
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.accounts.services import local_membership


class SignInNeeded(Exception):
    """Nobody is signed in: web answers with the login page, or 401 to a script."""


class NotFound(Exception):
    """There is no such thing, or none that whoever asks may see; the message says so in a sentence."""


@dataclass(frozen=True, slots=True)
class LinkGuest:
    """Who holds a link, as they say: the `name` is not proven. `id` is of their browser, known to it alone."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class HeldLink:
    """The share link that somebody holds, by its ids: sharing makes it, and all others need no more of it.

    `shows`: `comparison`, `report`, `incident` or `postmortem`. The id of which is set, of a post-mortem that of its
    incident; the others are None. `redacted`: it shows a copy in which names are pseudonyms, and `comparison_id` or
    `report_id` is the copy's. `source_id` is what it was made of, and `source_team_id` the team's: nothing but the
    audit log and the threads, which stay with the team, may ask for them. `guest`: who they have said to be where they
    `may_comment`.
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


@dataclass(frozen=True, slots=True)
class AccessContext:
    """Who is looking: somebody on `team` in their `role`, or whoever holds the share `link`.

    `is_local`: without having signed in. `membership`: its id. `others`: the other teams they are on.
    `token`: the id of the one by which a machine asks for them, which may do no more than its `scopes`.
    """

    team: Team
    user: User | None = None
    link: HeldLink | None = None
    is_local: bool = False
    role: str = Role.MEMBER
    membership: int | None = None
    others: tuple[Team, ...] = ()
    scopes: frozenset[Can] | None = None
    token: UUID | None = None

    @property
    def is_shared(self) -> bool:
        return self.link is not None

    @property
    def is_guest(self) -> bool:
        """Of the team, and reads what is shown to them."""
        return not self.is_shared and not self.can_read

    def may(self, can: Can) -> bool:
        """Whoever holds a link may do nothing of what those on the team may, but for comments."""
        if self.link is not None:
            return can == Can.COMMENT and self.link.may_comment
        if self.scopes is not None and can not in self.scopes:
            return False
        return can in MAY.get(self.role, NOTHING) and (self.user is not None or can == Can.READ)

    @property
    def can_read(self) -> bool:
        return self.may(Can.READ)

    @property
    def can_comment(self) -> bool:
        """In the threads of a comparison that they see; by a link, in those that began below it."""
        return self.may(Can.COMMENT)

    @property
    def can_upload(self) -> bool:
        return self.may(Can.UPLOAD)

    @property
    def can_write(self) -> bool:
        return self.may(Can.WRITE)

    @property
    def can_share(self) -> bool:
        return self.may(Can.SHARE)

    @property
    def can_invite(self) -> bool:
        return self.may(Can.INVITE)

    @property
    def can_administer(self) -> bool:
        return self.may(Can.ADMINISTER)

    @property
    def can_audit(self) -> bool:
        return self.may(Can.AUDIT)

    def may_give(self, role: str, instead_of: str | None = None) -> bool:
        """Whoever invites, and signs in, gives any role. A token gives none that may do more than it may itself; it may
        take something away, by a role that may no more than the one it is given `instead_of`."""
        given, had = MAY.get(role, NOTHING), MAY.get(instead_of or "", NOTHING)
        return self.can_invite and (self.scopes is None or given <= self.scopes or given <= had)

    @property
    def sees_threads(self) -> bool:
        """Of what they see: by a link that lets them comment, those that began below it."""
        return self.can_read or self.can_comment

    @property
    def guest(self) -> LinkGuest | None:
        """Who the holder of a link has said to be."""
        return self.link.guest if self.link else None

    @property
    def team_pk(self) -> int:
        """Whose it is that they see: of a redacted link, the team's that made it."""
        source = self.link.source_team_id if self.link else None
        return self.team.pk if source is None else source

    @property
    def is_signed_in(self) -> bool:
        return self.user is not None and not self.is_shared and not self.is_local and self.token is None


def local_member() -> AccessContext:
    """The one local user: whoever runs the server."""
    found = local_membership()
    return AccessContext(team=found.team, user=found.user, is_local=True, role=Role.OWNER, membership=found.pk)


def member_of_team(user: object, wanted: object = None) -> AccessContext:
    """A signed-in user on the team of the id `wanted`, or else on the first of theirs.

    Raises SignInNeeded, or PermissionDenied where they are on none.
    """
    if not isinstance(user, User):
        raise SignInNeeded
    found = list(Membership.objects.select_related("team").filter(user=user).exclude(lapsed()).order_by("id"))
    if not found:
        raise PermissionDenied(_why_on_none(user))
    chosen = next((one for one in found if one.team_id == wanted), found[0])
    others = tuple(one.team for one in found if one is not chosen)
    return AccessContext(team=chosen.team, user=user, role=chosen.role, membership=chosen.pk, others=others)


def _why_on_none(user: User) -> str:
    if not Membership.objects.filter(user=user).exists():
        return "You are not on a team. Ask an owner of one to invite you."
    return (
        f"You are on your team by your groups, which no sign-in has confirmed for {settings.AWRDIFF_GROUPS_DAYS} days: "
        f"sign in again with {settings.AWRDIFF_OTHER_WAYS_IN}."
    )
