"""All teams and accounts of a server, for its administrators."""

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
    """`size_mb`: MiB of uploads and attachments, counted at `counted_at`; `most_…`: quotas, "" for none."""

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
    team_rows = Team.objects.filter(copies_of=None).annotate(last_at=Subquery(last)).order_by("name")
    people = dict(Membership.objects.order_by().values_list("team").annotate(n=Count("pk")))
    quotas.count_missing()
    return [_team(team, people.get(team.pk, 0)) for team in team_rows.select_related("size")]


def _team(team: Any, people: int) -> ServerTeam:
    most_mb = None if team.most_bytes is None else team.most_bytes >> 20
    most = [team.most_people, team.most_reports, most_mb]
    most_people, most_reports, most_said = ("" if n is None else str(n) for n in most)
    return ServerTeam(
        id=team.pk,
        name=team.name,
        people=people,
        reports=team.size.reports,
        size_mb=round(team.size.file_bytes / (1 << 20), 1),
        counted_at=team.size.counted_at.isoformat(timespec="seconds"),
        last_at=clock.moment(team.last_at) if team.last_at else "",
        most_people=most_people,
        most_reports=most_reports,
        most_mb=most_said,
    )


def accounts(wanted: str) -> tuple[list[ServerAccount], int]:
    """First accounts with `wanted` in name or address, and the number of further ones."""
    matching = User.objects.exclude(tokens__is_service=True).order_by("username")
    if wanted:
        matching = matching.filter(
            Q(username__icontains=wanted) | Q(shown_name__icontains=wanted) | Q(email__icontains=wanted)
        )
    listed = list(matching.prefetch_related("teams")[:MOST_LISTED])
    return [_account(account) for account in listed], matching.count() - len(listed)


def _account(account: User) -> ServerAccount:
    return ServerAccount(
        id=account.pk,
        name=account.get_username(),
        shown_name=account.shown_name,
        email=account.email,
        teams=", ".join(sorted(team.name for team in account.teams.all())),
        is_active=account.is_active,
        is_administrator=account.is_staff,
    )
