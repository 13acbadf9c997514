"""Reads of one's own notices on the current team. An unread thread has one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, TeamNotices

PAGE = 50
_FIRST_LISTED = ("mentioned", "asked", "reopened", "outside", "answered")  # what one would not miss among the others


@dataclass(frozen=True, slots=True)
class Gathered:
    """`says`: shown notice, `last`: latest one, `more`: number of others."""

    says: Notice
    last: Notice
    more: int = 0


def latest_of_each(rows: QuerySet[Notice]) -> QuerySet[Notice]:
    """Latest unread by thread; latest of those read together."""
    later = Notice.objects.filter(
        user=OuterRef("user"), team=OuterRef("team"), thread=OuterRef("thread"), pk__gt=OuterRef("pk")
    )
    unread = Q(read_at=None) & Exists(later.filter(read_at=None))
    return rows.exclude(unread).exclude(Exists(later.filter(read_at=OuterRef("read_at"))))


def lines(notices: Iterable[Notice]) -> list[Gathered]:
    """In order of each thread's last notice."""
    groups: dict[object, list[Notice]] = {}
    for notice in sorted(notices, key=lambda notice: notice.pk):
        of = (notice.team_id, notice.thread, notice.read_at) if notice.thread is not None else notice.pk
        groups[of] = [*groups.pop(of, []), notice]
    return [_line(group) for group in groups.values()]


def _line(group: list[Notice]) -> Gathered:
    rank = {what: number for number, what in enumerate(_FIRST_LISTED)}
    says = min(reversed(group), key=lambda notice: rank.get(notice.what, -1))
    return Gathered(says, group[-1], len(group) - 1)


def notices_of(access: AccessContext) -> QuerySet[Notice]:
    """Newest first."""
    if access.user is None or access.is_shared:
        return Notice.objects.none()
    return Notice.objects.filter(user=access.user, team=access.team).order_by("-id")


def unread(access: AccessContext) -> int:
    """A thread counts once."""
    rows = notices_of(access).filter(read_at=None).order_by()
    counts = rows.aggregate(threads=Count("thread", distinct=True), others=Count("pk", filter=Q(thread=None)))
    return int(counts["threads"] + counts["others"])


def page_of(access: AccessContext, before: int | None) -> tuple[list[Gathered], int | None]:
    """Lines before `before`, and next page's begin, if any."""
    rows = notices_of(access).select_related("actor", "team")
    heads = latest_of_each(rows)
    heads = (heads.filter(pk__lt=before) if before is not None else heads)[: PAGE + 1]
    page = list(heads)[:PAGE]
    pks, threads = {notice.pk for notice in page}, {notice.thread for notice in page if notice.thread is not None}
    rest = rows.filter(thread__in=threads).exclude(pk__in=pks) if threads else ()
    of_page = [line for line in reversed(lines([*page, *rest])) if line.last.pk in pks]
    return of_page, page[-1].pk if len(heads) > PAGE else None


def chosen_by(access: AccessContext) -> str:
    choice = NoticeChoice.objects.filter(user=access.user).values_list("mail", flat=True).first()
    return choice or Mail.NOW.value


def is_weekly(access: AccessContext) -> bool:
    return NoticeChoice.objects.filter(user=access.user, weekly=True).exists()


def of_team(access: AccessContext) -> TeamNotices:
    """Unsaved row if nobody has set one. Raises PermissionDenied."""
    if not access.can_invite:
        raise PermissionDenied("Only an owner of the team says where its notices go.")
    return TeamNotices.objects.filter(team=access.team).first() or TeamNotices(team=access.team)


def mails_of(access: AccessContext) -> dict[object, Delivery]:
    """Unsent mails by invitation."""
    mails = Delivery.objects.filter(team=access.team).exclude(invitation=None)
    return {mail.invitation_id: mail for mail in mails}
