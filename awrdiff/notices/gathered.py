"""Of a thread one line until it is read, and a mail at most every few minutes: however fast people write in it."""

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


def latest_of_each(found: QuerySet[Notice]) -> QuerySet[Notice]:
    """Of a thread the latest that is not read, and the latest of those that were read together."""
    later = Notice.objects.filter(
        user=OuterRef("user"), team=OuterRef("team"), thread=OuterRef("thread"), pk__gt=OuterRef("pk")
    )
    unread = Q(read_at=None) & Exists(later.filter(read_at=None))
    return found.exclude(unread).exclude(Exists(later.filter(read_at=OuterRef("read_at"))))


def lines(notices: Iterable[Notice]) -> list[Gathered]:
    """In the order in which each thread, and what is of none, was told of last."""
    groups: dict[object, list[Notice]] = {}
    for one in sorted(notices, key=lambda notice: notice.pk):
        of = (one.team_id, one.thread, one.read_at) if one.thread is not None else one.pk
        groups[of] = [*groups.pop(of, []), one]
    return [_line(group) for group in groups.values()]


def _line(group: list[Notice]) -> Gathered:
    """Of several of a sort the latest says it."""
    says = min(reversed(group), key=lambda one: _FIRST_SAID.index(one.what) if one.what in _FIRST_SAID else -1)
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
