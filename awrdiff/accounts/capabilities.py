"""Capabilities of each role. Code asks for a capability, never for a role."""

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
