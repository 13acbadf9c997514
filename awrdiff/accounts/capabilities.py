"""What each role may do: the one table. Whoever asks asks for a capability by its name, never for a role."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from awrdiff.accounts.models import Role


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
# What a token may be made for, and what it may do then, if whose it is may.
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
    """May do all of it: for queries about everybody on a team."""
    return [role for role, may in MAY.items() if may.issuperset(can)]


def roles_shown() -> list[str]:
    """Read no more than what is shown to them."""
    return [role for role, may in MAY.items() if Can.READ not in may]
