"""Who is on a team, as its page and its JSON say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from awrdiff.accounts import people as queries
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.models import Invitation, Membership, Role
from awrdiff.accounts.names import both_names, shown_name
from awrdiff.accounts.opened import OpenedKind, opened_in
from awrdiff.comparisons import showing
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.heirs import Given, given_to_people
from awrdiff.notices.models import Delivery
from awrdiff.notices.queries import mails_of

ROLES = (
    (Role.OWNER.value, "owner", "may do everything, and says who is on the team"),
    (Role.MEMBER.value, "member", "uploads, compares, shares and deletes"),
    (Role.READER.value, "reader", "reads all that the team has and says, and writes nothing"),
    (
        Role.GUEST.value,
        "guest",
        "reads the comparisons that are shown to them, reads and writes in the threads of these that are for guests",
    ),
)


@dataclass(frozen=True, slots=True)
class Person:
    """`given`: what goes to one of `heirs` once they are removed, the first of them unless another is chosen. `opened`:
    what ends then, or goes to an heir, and `services`, tokens that stay the team's, each by its label."""

    id: int
    name: str
    shown_name: str
    email: str
    role: str
    since: str
    is_you: bool
    by_groups: bool
    is_disabled: bool
    role_url: str
    remove_url: str
    given: str = ""
    heirs: tuple[tuple[int, str], ...] = ()
    opened: tuple[str, ...] = ()
    services: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            name: value for name, value in asdict(self).items() if name in ("id", "name", "shown_name", "email", "role")
        }


@dataclass(frozen=True, slots=True)
class Invited:
    id: str
    email: str
    role: str
    until: str
    by: str
    mail: str
    revoke_url: str

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name in ("id", "email", "role")}


def people(access: AccessContext) -> list[Person]:
    found, given, opened = list(queries.people_of(access)), given_to_people(access), opened_in(access.team)
    return [_person(access, one, found, given.get(one.user_id), opened.get(one.user_id, ())) for one in found]


def _person(
    access: AccessContext,
    found: Membership,
    team: Sequence[Membership],
    given: Given | None,
    opened: Sequence[tuple[OpenedKind, Any]],
) -> Person:
    is_you = found.pk == access.membership
    may_remove = access.can_invite or (is_you and not access.is_local)
    return Person(
        id=found.pk,
        name=found.user.get_username(),
        shown_name=shown_name(found.user),
        email=found.user.email,
        role=found.role,
        since=_day(found.created_at),
        is_you=is_you,
        by_groups=found.by_groups,
        is_disabled=not found.user.is_active,
        role_url=reverse("person-role", args=[found.pk]) if access.can_invite else "",
        remove_url=reverse("person-remove", args=[found.pk]) if may_remove else "",
        given=_given_said(given) if given and may_remove else "",
        heirs=_heirs(access, found, team),
        opened=tuple(kind.label(row) for kind, row in opened if may_remove and not kind.of_team),
        services=tuple(kind.label(row) for kind, row in opened if may_remove and kind.of_team),
    )


def _heirs(access: AccessContext, leaves: Membership, team: Sequence[Membership]) -> tuple[tuple[int, str], ...]:
    """Whoever looks first, else an owner."""
    stay = [one for one in team if one.pk != leaves.pk and one.role in roles_that(Can.WRITE)]
    stay.sort(key=lambda one: (one.pk != access.membership, one.role != Role.OWNER))
    return tuple((one.user_id, both_names(one.user)) for one in stay)


def _given_said(given: Given) -> str:
    """`2 open action items and 1 role`"""
    counts = ((given.actions, "open action item"), (given.roles, "role"))
    return " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count)


def invitations(access: AccessContext) -> list[Invited]:
    found = queries.pending(access).filter(takes_over=False).select_related("invited_by")
    mails = mails_of(access)
    return [invitation(one, mails.get(one.pk)) for one in found]


def invitation(made: Invitation, mail: Delivery | None = None) -> Invited:
    return Invited(
        id=str(made.pk),
        email=made.email,
        role=made.role,
        until=_day(made.expires_at),
        by=shown_name(made.invited_by) if made.invited_by else "",
        mail=_of_mail(mail),
        revoke_url=reverse("invitation-revoke", args=[made.pk]),
    )


def outcome(one: queries.Outcome, address: str | None) -> dict[str, str | None]:
    """`address`: to pass on, where no mail is sent."""
    return {"email": one.email, "outcome": one.sent.value, "address": address}


def outcomes_said(found: Sequence[queries.Outcome]) -> str:
    """`3 invited, 1 on the team already`"""
    counted = Counter(one.sent for one in found)
    return ", ".join(f"{counted[sent]} {sent.value}" for sent in queries.InviteStatus if counted[sent])


def _of_mail(mail: Delivery | None) -> str:
    """ "" once it is sent."""
    if mail is None or not (mail.attempts or mail.error):
        return ""
    if mail.due_at is None:
        return "the mail could not be sent: revoke it and invite again"
    return "the mail server has not taken the mail yet, it is tried again" if mail.error else ""


@dataclass(frozen=True, slots=True)
class Guest:
    id: int
    name: str
    sees: bool
    hide_url: str


def guests(access: AccessContext, comparison: Comparison) -> list[Guest]:
    """The guests of the team, and who of them may read the comparison. None while nobody else signs in."""
    if access.is_local:
        return []
    return [
        Guest(one.pk, both_names(one.user), one.sees, reverse("guest-hide", args=[comparison.pk, one.pk]))
        for one in showing.guests(access, comparison)
    ]


def document(access: AccessContext) -> dict[str, Any]:
    """GET /people/ as JSON."""
    return {
        "team": {"id": access.team.pk, "name": access.team.name},
        "role": access.role,
        "people": [one.as_dict() for one in people(access)],
        "invitations": [one.as_dict() for one in invitations(access)],
    }


def _day(at: datetime) -> str:
    return f"{at:%d %b %Y}"
