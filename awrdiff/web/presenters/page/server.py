"""All teams of a server with what they have, and its accounts: for whoever administers it."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery
from msgspec import Struct

from awrdiff.accounts import quotas
from awrdiff.accounts.models import Membership, Team, User
from awrdiff.audit.models import AuditLine
from awrdiff.web import clock

MOST_LISTED = 200


class ServerTeam(Struct):
    """`size_mb`: MiB of uploaded and attached files as they came, counted at `counted_at`; `most_…`: quotas, "" for
    none."""

    id: int
    name: str
    people: int
    reports: int
    size_mb: float
    counted_at: str
    last_at: str
    most_people: str
    most_reports: str
    most_mb: str


class ServerAccount(Struct):
    id: int
    name: str
    shown_name: str
    email: str
    teams: str
    is_active: bool
    is_administrator: bool


def teams() -> list[ServerTeam]:
    last = AuditLine.objects.filter(team=OuterRef("pk")).order_by("-id").values("at")[:1]
    found = Team.objects.filter(copies_of=None).annotate(last_at=Subquery(last)).order_by("name")
    people = dict(Membership.objects.order_by().values_list("team").annotate(n=Count("pk")))
    quotas.count_missing()
    return [_team(one, people.get(one.pk, 0)) for one in found.select_related("size")]


def _team(one: Any, people: int) -> ServerTeam:
    most_mb = None if one.most_bytes is None else one.most_bytes >> 20
    most = [one.most_people, one.most_reports, most_mb]
    most_people, most_reports, most_said = ("" if n is None else str(n) for n in most)
    return ServerTeam(
        id=one.pk,
        name=one.name,
        people=people,
        reports=one.size.reports,
        size_mb=round(one.size.file_bytes / (1 << 20), 1),
        counted_at=one.size.counted_at.isoformat(timespec="seconds"),
        last_at=clock.moment(one.last_at) if one.last_at else "",
        most_people=most_people,
        most_reports=most_reports,
        most_mb=most_said,
    )


def accounts(wanted: str) -> tuple[list[ServerAccount], int]:
    """Of people whose name or address has `wanted` in it, the first of them by name; and how many more there are."""
    found = User.objects.exclude(tokens__is_service=True).order_by("username")
    if wanted:
        found = found.filter(
            Q(username__icontains=wanted) | Q(shown_name__icontains=wanted) | Q(email__icontains=wanted)
        )
    listed = list(found.prefetch_related("teams")[:MOST_LISTED])
    return [_account(one) for one in listed], found.count() - len(listed)


def _account(one: User) -> ServerAccount:
    return ServerAccount(
        id=one.pk,
        name=one.get_username(),
        shown_name=one.shown_name,
        email=one.email,
        teams=", ".join(sorted(team.name for team in one.teams.all())),
        is_active=one.is_active,
        is_administrator=one.is_staff,
    )
