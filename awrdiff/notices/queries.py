"""Reads of the notices app. Everybody sees their own, of the team that is looked at."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, TeamNotices

PAGE = 50


def notices_of(access: AccessContext) -> QuerySet[Notice]:
    """Newest first."""
    if access.user is None or access.is_shared:
        return Notice.objects.none()
    return Notice.objects.filter(user=access.user, team=access.team).order_by("-id")


def unread(access: AccessContext) -> int:
    return notices_of(access).filter(read_at=None).count()


def page_of(access: AccessContext, before: int | None) -> tuple[list[Notice], int | None]:
    """The notices before that one, and where the next page begins; None: there is none."""
    rows = notices_of(access).select_related("actor", "team")
    found = list((rows.filter(pk__lt=before) if before is not None else rows)[: PAGE + 1])
    return found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None


def chosen_by(access: AccessContext) -> str:
    found = NoticeChoice.objects.filter(user=access.user).values_list("mail", flat=True).first()
    return found or Mail.NOW.value


def of_team(access: AccessContext) -> TeamNotices:
    """Where its notices go; a row that is not kept where nobody has said so."""
    if not access.can_invite:
        raise PermissionDenied("Only an owner of the team says where its notices go.")
    return TeamNotices.objects.filter(team=access.team).first() or TeamNotices(team=access.team)


def mails_of(access: AccessContext) -> dict[object, Delivery]:
    """By invitation: the mail that is still to be sent."""
    found = Delivery.objects.filter(team=access.team).exclude(invitation=None)
    return {one.invitation_id: one for one in found}
