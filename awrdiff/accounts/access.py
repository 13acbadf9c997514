"""Who is looking, and what a refusal of theirs is. Web asks for it in a view's first line, apps are handed it.

What is not theirs does not exist for them: an object that is refused is `NotFound`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied

from awrdiff.accounts.models import Membership, Team, User
from awrdiff.accounts.services import local_membership


class SignInNeeded(Exception):
    """Nobody is signed in: web answers with the login page, or 401 to a script."""


class NotFound(Exception):
    """There is no such thing, or none that whoever asks may see; the message says so in a sentence."""


@dataclass(frozen=True, slots=True)
class HeldLink:
    """The share link that somebody holds, by its ids: sharing makes it, and all others need no more of it."""

    pk: UUID
    comparison_id: UUID
    expires_at: datetime | None
    token: str


@dataclass(frozen=True, slots=True)
class AccessContext:
    """Who is looking: a member of `team`, or whoever holds the share `link`. `is_local`: without having signed in."""

    team: Team
    user: User | None = None
    link: HeldLink | None = None
    is_local: bool = False

    @property
    def is_shared(self) -> bool:
        return self.link is not None

    @property
    def can_write(self) -> bool:
        return self.user is not None and self.link is None

    @property
    def can_sign_out(self) -> bool:
        return self.can_write and not self.is_local


def local_member() -> AccessContext:
    """The one local user: whoever runs the server."""
    membership = local_membership()
    return AccessContext(team=membership.team, user=membership.user, is_local=True)


def member_of_team(user: object) -> AccessContext:
    """A signed-in user on their team. Raises SignInNeeded, or PermissionDenied where they are on none."""
    if not isinstance(user, User):
        raise SignInNeeded
    found = Membership.objects.select_related("team").filter(user=user).order_by("id").first()
    if found is None:
        raise PermissionDenied("You are not on a team yet. Ask whoever runs this server to add you to one.")
    return AccessContext(team=found.team, user=user)
