"""People: members, tokens, a server's teams and accounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from msgspec import Struct

from awrdiff.accounts import members_and_invitations as queries
from awrdiff.accounts import quotas
from awrdiff.accounts.access import AccessContext, Can, roles_that
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import ApiToken, Invitation, Membership, Role, Team, User
from awrdiff.accounts.offboarding import OpenedKind, opened_in
from awrdiff.audit.models import AuditLine
from awrdiff.incidents.action_items import OpenWork, open_work_of_people
from awrdiff.notices.models import Delivery
from awrdiff.notices.queries import mails_of
from awrdiff.web import value_formatting as fmt
from awrdiff.web.value_formatting import moment

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


class Person(Struct):
    id: int
    name: str
    shown_name: str
    email: str
    role: str


class OpenInvitation(Struct):
    id: str
    email: str
    role: str


class TeamName(Struct):
    id: int
    name: str


class TeamPeople(Struct):
    """GET /people/ as JSON. `role`: of whoever asks."""

    team: TeamName
    role: str
    people: list[Person]
    invitations: list[OpenInvitation]


def people(access: AccessContext) -> list[tuple[Membership, dict[str, Any] | None]]:
    """With effects of removal if the reader may."""
    team, assigned_work, opened = list(queries.people_of(access)), open_work_of_people(access), opened_in(access.team)
    return [
        (member, _removal(access, member, team, assigned_work.get(member.user_id), opened.get(member.user_id, ())))
        for member in team
    ]


def _removal(
    access: AccessContext,
    member: Membership,
    team: Sequence[Membership],
    assigned_work: OpenWork | None,
    opened: Sequence[tuple[OpenedKind, Any]],
) -> dict[str, Any] | None:
    if not (access.can_invite or (member.pk == access.membership and not access.is_local)):
        return None
    # The reader first, else an owner.
    stay = [
        membership for membership in team if membership.pk != member.pk and membership.role in roles_that(Can.WRITE)
    ]
    stay.sort(key=lambda membership: (membership.pk != access.membership, membership.role != Role.OWNER))
    open_work = ((assigned_work.actions, "open action item"), (assigned_work.roles, "role")) if assigned_work else ()
    return {
        "given": " and ".join(fmt.count_text(count, what) for count, what in open_work if count),
        "heirs": [membership.user for membership in stay],  # of the work
        "opened": [kind.label(row) for kind, row in opened if not kind.of_team],  # what ends or passes on
        "services": [kind.label(row) for kind, row in opened if kind.of_team],  # surviving tokens
    }


def person(member: Membership) -> Person:
    user = member.user
    return Person(member.pk, user.get_username(), shown_name(user), user.email, member.role)


def invitations(access: AccessContext) -> list[tuple[Invitation, str]]:
    """Newest last, with mail errors."""
    mails = mails_of(access)
    return [(row, _of_mail(mails.get(row.pk))) for row in _pending(access)]


def _pending(access: AccessContext) -> QuerySet[Invitation]:
    return queries.pending(access).filter(takes_over=False).select_related("invited_by")


def invitation(row: Invitation) -> OpenInvitation:
    return OpenInvitation(str(row.pk), row.email, row.role)


class InvitationOutcome(Struct):
    """`address`: to pass on, where no mail is sent."""

    email: str
    outcome: str
    address: str | None


def outcomes_text(outcomes: Sequence[queries.Outcome]) -> str:
    """`3 invited, 1 on the team already`"""
    counts = Counter(outcome.sent for outcome in outcomes)
    return ", ".join(f"{counts[sent]} {sent.value}" for sent in queries.InviteStatus if counts[sent])


def _of_mail(mail: Delivery | None) -> str:
    """Empty once sent."""
    if mail is None or not (mail.attempts or mail.error):
        return ""
    if mail.due_at is None:
        return "the mail could not be sent: revoke it and invite again"
    return "the mail server has not taken the mail yet, it is tried again" if mail.error else ""


def team_people(access: AccessContext) -> TeamPeople:
    return TeamPeople(
        TeamName(access.team.pk, access.team.name),
        str(access.role),
        [person(row) for row in queries.people_of(access)],
        [invitation(row) for row in _pending(access)],
    )


USUAL_TOKEN_DAYS = 90
TOKEN_DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("never", "until it is revoked"))
TOKEN_SCOPES = (
    ("read", "read all that its owner reads"),
    ("upload", "upload reports"),
    ("write", "compare, comment, keep incidents, delete; and read"),
    ("share", "make and revoke links; and read"),
    ("admin", "say who is on the team, in roles that may no more than it may, and what an owner settles; and read"),
    ("audit", "read the audit log of a team that its owner owns, and nothing else"),
)


class Token(Struct):
    """Never with the token itself. `of`: its owner."""

    id: str
    name: str
    of: str
    of_shown: str
    is_service: bool
    made_at: str
    expires_at: str | None
    last_used_at: str | None
    scopes: list[str]


class MadeToken(Token):
    token: str


def token_fields(row: ApiToken) -> dict[str, Any]:
    created, expires, used = (
        at.isoformat(timespec="seconds") if at else None for at in (row.created_at, row.expires_at, row.last_used_at)
    )
    return {
        "id": str(row.pk),
        "name": row.name,
        "of": row.user.get_username(),
        "of_shown": shown_name(row.user),
        "is_service": row.is_service,
        "made_at": created,
        "expires_at": expires,
        "last_used_at": used,
        "scopes": row.scopes,
    }


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
    counts = dict(Membership.objects.order_by().values_list("team").annotate(n=Count("pk")))
    quotas.count_missing()
    return [_team(team, counts.get(team.pk, 0)) for team in team_rows.select_related("size")]


def _team(team: Any, people: int) -> ServerTeam:
    most_mb = None if team.most_bytes is None else team.most_bytes >> 20
    most = [team.most_people, team.most_reports, most_mb]
    most_people, most_reports, most_size = ("" if n is None else str(n) for n in most)
    return ServerTeam(
        id=team.pk,
        name=team.name,
        people=people,
        reports=team.size.reports,
        size_mb=round(team.size.file_bytes / (1 << 20), 1),
        counted_at=team.size.counted_at.isoformat(timespec="seconds"),
        last_at=moment(team.last_at) if team.last_at else "",
        most_people=most_people,
        most_reports=most_reports,
        most_mb=most_size,
    )


def accounts(wanted: str) -> tuple[list[ServerAccount], int]:
    """Second: number of further ones."""
    matching = User.objects.exclude(tokens__is_service=True).order_by("username")
    if wanted:
        matching = matching.filter(
            Q(username__icontains=wanted) | Q(shown_name__icontains=wanted) | Q(email__icontains=wanted)
        )
    listed = list(matching.prefetch_related("teams")[:MOST_LISTED])
    accounts = [
        ServerAccount(
            id=account.pk,
            name=account.get_username(),
            shown_name=account.shown_name,
            email=account.email,
            teams=", ".join(sorted(team.name for team in account.teams.all())),
            is_active=account.is_active,
            is_administrator=account.is_staff,
        )
        for account in listed
    ]
    return accounts, matching.count() - len(listed)
