"""Access that outlives membership: tokens, calendars, links, invitations. Every way off a team ends or passes them on
here, in the same transaction, and so does disabling an account.

Apps register more kinds in `AppConfig.ready()`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import MAY, Can
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.models import ApiToken, Invitation, Membership, Role, Team, User


@dataclass(frozen=True, slots=True)
class OpenedKind:
    """`live`: usable rows; `maker`: the field naming their maker.

    `end` and `hand_over` act within one team, for `by` (None: the server). `needs`: capability to keep or inherit one;
    None: never inherited. `of_team`: outlives its maker.
    """

    name: str
    noun: Callable[[Any], str]
    label: Callable[[Any], str]
    live: Callable[[], QuerySet[Any]]
    maker: str
    end: Callable[[Team, list[Any], User | None], object]
    hand_over: Callable[[Team, list[Any], User, User | None], object] | None = None
    needs: Can | None = None
    of_team: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """Counts by noun. `remaining`: team access that continues though its maker may know it."""

    ended: Counter[str] = field(default_factory=Counter)
    handed: Counter[str] = field(default_factory=Counter)
    remaining: Counter[str] = field(default_factory=Counter)
    heir: User | None = None

    def __bool__(self) -> bool:
        return bool(self.ended or self.handed or self.remaining)

    def __str__(self) -> str:
        """`2 links, 1 token ended; 1 service token not ended, which they may know`"""
        heir = f" handed to {self.heir.get_username()}" if self.heir else ""
        parts = (
            f"{in_words(self.ended)} ended" if self.ended else "",
            f"{in_words(self.handed)}{heir}" if self.handed else "",
            f"{in_words(self.remaining)} not ended, which they may know" if self.remaining else "",
        )
        return "; ".join(filter(None, parts))


def in_words(nouns: Counter[str]) -> str:
    """`2 links, 1 invitation`, or `nothing`."""
    return ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for noun, n in sorted(nouns.items()) if n) or "nothing"


def live_tokens() -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)


def live_invitations() -> QuerySet[Invitation]:
    return Invitation.objects.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())


def end_tokens(team: Team, rows: list[ApiToken], by: User | None) -> None:
    _end(ApiToken.objects, team, rows, by)


def end_invitations(team: Team, rows: list[Invitation], by: User | None) -> None:
    _end(Invitation.objects.filter(used_at=None), team, rows, by)


def _end(queryset: Any, team: Team, rows: Sequence[Any], by: User | None) -> None:
    for row in rows:
        if queryset.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now()):
            notify(team, by, "revoked", row)


def _hand_over(maker: str) -> Callable[[Team, list[Any], User, User | None], None]:
    def hand_over(team: Team, rows: list[Any], heir: User, by: User | None) -> None:
        for row in rows:
            type(row).objects.filter(pk=row.pk).update(**{maker: heir})
            notify(team, by, "handed over", row)

    return hand_over


def _token_label(row: ApiToken) -> str:
    what = "token of a service" if row.is_service else "token"
    return "address of a calendar" if CALENDAR in row.scopes else f"{what} “{row.name}” ({', '.join(row.scopes)})"


def register(kind: OpenedKind) -> None:
    KINDS.append(kind)


def opened_in(team: Team) -> dict[int, list[tuple[OpenedKind, Any]]]:
    """Live rows by maker's id."""
    by_maker: dict[int, list[tuple[OpenedKind, Any]]] = defaultdict(list)
    for kind in KINDS:
        for row in kind.live().filter(team=team).exclude(**{kind.maker: None}):
            by_maker[getattr(row, f"{kind.maker}_id")].append((kind, row))
    return by_maker


def close(
    team: Team,
    user: User,
    by: User | None,
    *,
    heir: Membership | None = None,
    role: str | None = None,
    services: bool = False,
    only: str = "",
) -> Closed:
    """End access of `user`, or hand it to `heir` as their role allows.

    `role`: remaining; `services`: end those tokens, too; `only`: one kind's name.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # what they are just making waits for it: see hold()
    closed = Closed(heir=heir.user if heir else None)
    for kind in KINDS:
        if only not in ("", kind.name) or (role is not None and (kind.needs is None or kind.needs in MAY[role])):
            continue
        rows = list(kind.live().filter(team=team, **{kind.maker: user}))
        nouns = map(kind.noun, rows)
        if not rows:
            continue
        if heir is not None and kind.hand_over is not None and kind.needs in MAY[heir.role]:
            kind.hand_over(team, rows, heir.user, by)
            closed.handed.update(nouns)
        elif kind.of_team and not services:
            closed.remaining.update(nouns)
        else:
            kind.end(team, rows, by)
            closed.ended.update(nouns)
    return closed


CALENDAR = "calendar"  # the scope of a token that stands in a calendar's address, and does nothing else
TOKENS = "tokens"
KINDS = [
    OpenedKind(
        name=TOKENS,
        noun=lambda row: "calendar" if CALENDAR in row.scopes else "token",
        label=_token_label,
        live=lambda: live_tokens().filter(is_service=False),
        maker="user",
        end=end_tokens,
    ),
    OpenedKind(
        name="invitations",
        noun=lambda _: "invitation",
        label=lambda row: f"invitation of {row.email} as {row.role}",
        live=live_invitations,
        maker="invited_by",
        end=end_invitations,
        hand_over=_hand_over("invited_by"),
        needs=Can.INVITE,
    ),
    OpenedKind(
        name="services",
        noun=lambda _: "service token",
        label=_token_label,
        live=lambda: live_tokens().filter(is_service=True),
        maker="made_by",
        end=end_tokens,
        hand_over=_hand_over("made_by"),
        needs=Can.ADMINISTER,
        of_team=True,
    ),
]


def disable(user: User, by: User | None = None) -> Counter[str]:
    """Ends access for good; counts by noun. Raises PeopleRefused for a service."""
    with transaction.atomic():
        was_active = _switch(user, active=False)
        own = [kind.live().filter(**{kind.maker: user}) for kind in KINDS]
        teams = {pk for rows in own for pk in rows.values_list("team", flat=True)}  # also those that they left
        closed = {team.pk: close(team, user, by) for team in Team.objects.filter(pk__in=teams).order_by("pk")}
        if was_active:
            _tell(user, by, "disabled", closed)
        return sum((team.ended for team in closed.values()), Counter())


def enable(user: User, by: User | None = None) -> None:
    """Raises PeopleRefused for a service."""
    with transaction.atomic():
        if not _switch(user, active=True):
            _tell(user, by, "enabled", {})


def _switch(user: User, *, active: bool) -> bool:
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=locked, is_service=True).exists():
        raise PeopleRefused(f"{locked} is a service: revoke its token instead.")
    User.objects.filter(pk=locked.pk).update(is_active=active)
    return locked.is_active


def _tell(user: User, by: User | None, action: str, closed: Mapping[int, Closed]) -> None:
    for membership in Membership.objects.filter(user=user).select_related("team", "user"):
        notify(membership.team, by, action, membership, closed=str(closed.get(membership.team_id, "")))


def hold(maker: User | None, team: Team) -> None:
    """Lock the maker of access that must end with them; None: the server.

    Does not block inserts: a commenter holds the comparison that link making awaits. Raises PermissionDenied.
    """
    if maker is None:
        return
    locked = User.objects.select_for_update(no_key=True).filter(pk=maker.pk).first()
    if locked is not None and ApiToken.objects.filter(user=locked, is_service=True).exists():
        return
    if locked is None or not locked.is_active:
        raise PermissionDenied("This account is disabled.")
    if not Membership.objects.filter(team=team, user=locked).exists():
        raise PermissionDenied("You are not on this team any more.")


def teams_without_owner(user: User) -> QuerySet[Team]:
    """Teams of `user` with no other active owner."""
    other_owners = Membership.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    owned = Team.objects.filter(membership__user=user, membership__role=Role.OWNER)
    return owned.exclude(pk__in=other_owners.values("team"))


def services_of(user: User) -> QuerySet[ApiToken]:
    """Live service tokens made by `user`, outliving the membership."""
    return ApiToken.objects.filter(made_by=user, is_service=True, revoked_at=None).select_related("team")
