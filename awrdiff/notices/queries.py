"""Reads of the notices app. Everybody sees their own, of the team that is looked at."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.notices import gathered
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, TeamNotices

PAGE = 50


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


def page_of(access: AccessContext, before: int | None) -> tuple[list[gathered.Gathered], int | None]:
    """Lines of the notices before that one, and where the next page begins; None: there is none."""
    rows = notices_of(access).select_related("actor", "team")
    heads = gathered.latest_of_each(rows)
    heads = (heads.filter(pk__lt=before) if before is not None else heads)[: PAGE + 1]
    page = list(heads)[:PAGE]
    pks, threads = {notice.pk for notice in page}, {notice.thread for notice in page if notice.thread is not None}
    rest = rows.filter(thread__in=threads).exclude(pk__in=pks) if threads else ()
    lines = [line for line in reversed(gathered.lines([*page, *rest])) if line.last.pk in pks]
    return lines, page[-1].pk if len(heads) > PAGE else None


def chosen_by(access: AccessContext) -> str:
    choice = NoticeChoice.objects.filter(user=access.user).values_list("mail", flat=True).first()
    return choice or Mail.NOW.value


def is_weekly(access: AccessContext) -> bool:
    return NoticeChoice.objects.filter(user=access.user, weekly=True).exists()


def of_team(access: AccessContext) -> TeamNotices:
    """Target of its notices; an unsaved row where nobody has chosen one."""
    if not access.can_invite:
        raise PermissionDenied("Only an owner of the team says where its notices go.")
    return TeamNotices.objects.filter(team=access.team).first() or TeamNotices(team=access.team)


def mails_of(access: AccessContext) -> dict[object, Delivery]:
    """Mails still to be sent, by invitation."""
    mails = Delivery.objects.filter(team=access.team).exclude(invitation=None)
    return {mail.invitation_id: mail for mail in mails}
