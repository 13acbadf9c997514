"""Gathering of a thread's notices: one line until it is read, a mail at most every few minutes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.notices.models import Delivery, Notice, Way

MAIL_EVERY = timedelta(minutes=5)
_FIRST_SAID = ("mentioned", "asked", "reopened", "outside", "answered")  # what one would not miss among the others


@dataclass(frozen=True, slots=True)
class Gathered:
    """`says` is the notice that is told, `last` the latest of them, `more` how many others there are."""

    says: Notice
    last: Notice
    more: int = 0


def latest_of_each(rows: QuerySet[Notice]) -> QuerySet[Notice]:
    """The latest unread one of each thread, and the latest of those that were read together."""
    later = Notice.objects.filter(
        user=OuterRef("user"), team=OuterRef("team"), thread=OuterRef("thread"), pk__gt=OuterRef("pk")
    )
    unread = Q(read_at=None) & Exists(later.filter(read_at=None))
    return rows.exclude(unread).exclude(Exists(later.filter(read_at=OuterRef("read_at"))))


def lines(notices: Iterable[Notice]) -> list[Gathered]:
    """In the order in which each thread, and what is of none, was told of last."""
    groups: dict[object, list[Notice]] = {}
    for notice in sorted(notices, key=lambda notice: notice.pk):
        of = (notice.team_id, notice.thread, notice.read_at) if notice.thread is not None else notice.pk
        groups[of] = [*groups.pop(of, []), notice]
    return [_line(group) for group in groups.values()]


def _line(group: list[Notice]) -> Gathered:
    """Line of a thread; of several notices of a sort the latest says it."""
    rank = {what: number for number, what in enumerate(_FIRST_SAID)}
    says = min(reversed(group), key=lambda notice: rank.get(notice.what, -1))
    return Gathered(says, group[-1], len(group) - 1)


def waiting_mail(notice: Notice) -> Delivery | None:
    """One of the same thread that is not due yet, locked: it takes this notice along."""
    if notice.thread is None:
        return None
    now = timezone.now()  # of a clock that was put back there is one that is due much later: that is let be
    mine = Notice.objects.filter(user=notice.user, thread=notice.thread).exclude(mail=None)
    waiting = Delivery.objects.select_for_update().filter(way=Way.MAIL, attempts=0, pk__in=mine.values("mail"))
    return waiting.filter(due_at__gt=now, due_at__lte=now + MAIL_EVERY).order_by("due_at").first()


def due_at(notice: Notice) -> datetime:
    """When its mail is due: a while after the last one of the same thread."""
    now = timezone.now()
    if notice.thread is None:
        return now
    mailed = Notice.objects.filter(user=notice.user, thread=notice.thread).exclude(mail_at=None).order_by("-mail_at")
    last = mailed.values_list("mail_at", flat=True).first()
    return min(max(now, last + MAIL_EVERY), now + MAIL_EVERY) if last else now
