"""Reads of the audit log, for team owners."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.audit.models import AuditLine

PAGE = 100
_BATCH = 2000
LINKS, EVERYBODY = "links", ""
# By the action's word in a line, the words shown for it.
ACTIONS = {
    "saw": "saw",
    "uploaded": "uploaded",
    "compared": "compared",
    "changed": "changed",
    "renamed": "renamed",
    "deleted": "deleted",
    "exported": "exported",
    "imported": "imported",
    "wrote": "wrote in",
    "attached": "attached",
    "resolved": "resolved",
    "reopened": "reopened",
    "threads for guests": "chose “guests too” for new threads of",
    "threads for the team": "chose “team only” for new threads of",
    "factor required": "required a second factor of the people of",
    "factor not required": "required no second factor any more of the people of",
    "ticket asked": "asked for a ticket of an action item of",
    "ticket written": "wrote the ticket that was made on an action item of",
    "ticket status": "took a ticket's status from the tracker for",
    "channel opened": "opened an address for a channel's messages of",
    "channel closed": "closed the address for a channel's messages of",
    "tracker opened": "opened",
    "tracker renewed": "took another secret of",
    "tracker closed": "closed",
    "channel renewed": "took another address for a channel's messages of",
    "channel wrote": "took a channel's messages for",
    "tickets": "chose the address of tickets of",
    "opened to guests": "opened to guests",
    "closed to guests": "closed to guests",
    "judged": "judged a finding in",
    "signed off": "signed off a judgement in",
    "shared": "shared",
    "revoked": "revoked",
    "handed over": "handed over",
    "unconfirmed": "ended, for want of groups, what was open of",
    "shown": "showed to a guest",
    "hidden": "hid from a guest",
    "invited": "invited",
    "joined": "joined",
    "added": "added",
    "role": "changed the role of",
    "removed": "removed",
    "left": "left",
    "quotas": "set the quotas of",
    "disabled": "disabled the account of",
    "enabled": "enabled the account of",
    "signed in": "signed in",
    "file removed": "removed the file of",
    "old reports": "chose which old reports are kept of",
    "thinned out": "thinned out old days by",
    "made": "made",
    "merged": "merged",
    "split": "split",
}


@dataclass(frozen=True, slots=True)
class LineFilter:
    """`who` as in a line, or `links` for all; days are UTC, inclusive."""

    who: str = EVERYBODY
    action: str = ""
    kind: str = ""
    thing: str = ""
    since: date | None = None
    until: date | None = None


def lines_of(access: AccessContext, wanted: LineFilter) -> QuerySet[AuditLine]:
    """Newest first. Raises PermissionDenied for non-owners."""
    if not access.can_audit:
        raise PermissionDenied("Only an owner of the team reads its audit log.")
    lines = AuditLine.objects.filter(team=access.team).order_by("-id")
    if wanted.who == LINKS:
        lines = lines.filter(who__startswith="link ")
    elif wanted.who:
        lines = lines.filter(who=wanted.who)
    exact = {"action": wanted.action, "kind": wanted.kind, "thing": wanted.thing}
    lines = lines.filter(**{name: value for name, value in exact.items() if value})
    if wanted.since:
        lines = lines.filter(at__gte=_begin_of(wanted.since))
    if wanted.until and wanted.until < date.max:
        lines = lines.filter(at__lt=_begin_of(wanted.until + timedelta(days=1)))
    return lines


def page_of(lines: QuerySet[AuditLine], before: int | None) -> tuple[list[AuditLine], int | None]:
    """Lines before id `before`, and the next, if any."""
    page = list((lines.filter(pk__lt=before) if before is not None else lines)[: PAGE + 1])
    return page[:PAGE], page[PAGE - 1].pk if len(page) > PAGE else None


def each(lines: QuerySet[AuditLine]) -> Iterator[list[AuditLine]]:
    """Batches of all lines; no cursor stays open."""
    before = None
    while batch := list((lines if before is None else lines.filter(pk__lt=before))[:_BATCH]):
        yield batch
        before = batch[-1].pk


def people_in(lines: Iterable[AuditLine]) -> dict[str, User]:
    """People that still exist, by `who`: actors and subjects."""
    names = {name for line in lines for name in (line.who, f"user {line.thing}" if line.kind == "person" else "")}
    pks = {int(name.removeprefix("user ")) for name in names if re.fullmatch("user [0-9]{1,18}", name)}
    return {f"user {user.pk}": user for user in User.objects.filter(pk__in=pks)}


def _begin_of(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
