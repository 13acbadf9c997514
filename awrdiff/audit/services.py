"""Writing audit lines, in the transaction of what they record."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.member_events import Happening
from awrdiff.accounts.models import Team, User
from awrdiff.accounts.services import LOCAL_NAME
from awrdiff.audit.models import AuditLine

logger = logging.getLogger(__name__)
audit_log = logging.getLogger("awrdiff.audit")  # at INFO with AWRDIFF_LOG_AUDIT
SERVER = "server"
SAW = "saw"
_MOST_REMEMBERED = 4096
_remembered: set[str] = set()  # hashes `once` that this process has written


def note(access: AccessContext, action: str, kind: str, pk: object) -> None:
    note_all(access, action, kind, [pk])


def note_all(access: AccessContext, action: str, kind: str, pks: Iterable[object]) -> None:
    who = who_of(access)
    _keep([_line(*_where(access, pk), who, action, kind) for pk in pks])


def note_chore(team_id: int, action: str, kind: str, pks: Iterable[object], by: User | None = None) -> None:
    """By the server, or `by`, maybe not on the team."""
    who = SERVER if by is None else _user(by)
    _keep([_line(team_id, pk, who, action, kind) for pk in pks])


def note_person(team: Team, user: User, action: str) -> None:
    """`user` acted on their own account."""
    _keep([_line(team.pk, user.pk, _user(user), action, "person")])


def saw(access: AccessContext, kind: str, pk: object) -> None:
    """One line per thing and hour. Ignores database failures."""
    who, now = who_of(access), timezone.now()
    team, thing = _where(access, pk)
    once = hashlib.sha256(f"{team} {who} {kind} {thing} {now:%Y-%m-%d %H}".encode()).hexdigest()
    if once in _remembered:
        return
    line = _line(team, thing, who, SAW, kind)
    line.once = once
    try:
        with transaction.atomic():
            AuditLine.objects.bulk_create([line], ignore_conflicts=True)
            if audit_log.isEnabledFor(logging.INFO):  # what another process wrote this hour is told once more, as it is
                transaction.on_commit(lambda: _tell(AuditLine.objects.filter(once=once)))
    except DatabaseError as error:
        logger.warning("%s saw %s %s, and the audit log did not take it: %s", who, kind, pk, error)
        return
    if not connection.in_atomic_block:  # else it may be taken back
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        _remembered.add(once)


def of_people(what: Happening) -> None:
    """Listener to events about a team's people."""
    who = _user(what.user) if what.user else SERVER
    _keep([_line(what.team.pk, what.pk, who, what.action, what.kind)])


def _keep(lines: list[AuditLine]) -> None:
    AuditLine.objects.bulk_create(lines)
    if audit_log.isEnabledFor(logging.INFO):
        transaction.on_commit(lambda: _tell(lines))


def _tell(lines: Iterable[AuditLine]) -> None:
    """`audit_id` identifies a line; gaps mean nothing, as sequences have them."""
    for line in lines:
        fields = {"who": line.who, "action": line.action, "kind": line.kind, "thing": line.thing}
        audit_log.info("audit", extra={"audit_id": line.pk, "team_id": line.team_id, **fields})


def who_of(access: AccessContext) -> str:
    if access.link is not None:
        return f"link {access.link.pk}"
    if access.user is None:
        return SERVER
    return _user(access.user)


def _user(user: User) -> str:
    return LOCAL_NAME if user.username == LOCAL_NAME else f"user {user.pk}"


def _where(access: AccessContext, pk: object) -> tuple[int, object]:
    """Redacted links log the original, not its copy."""
    link = access.link
    if link is not None and link.redacted and link.source_team_id is not None:
        return link.source_team_id, link.source_id if pk in (link.comparison_id, link.report_id) else pk
    return access.team.pk, pk


def _line(team: int, thing: object, who: str, action: str, kind: str) -> AuditLine:
    return AuditLine(team_id=team, who=who, action=action, kind=kind, thing=str(thing))
