"""Reads of the threads app. Members of the team see the threads of whatever they may see; guests to whom a comparison
is shown those that are for guests too.

The holder of a share link sees those that began below it, where the link lets them comment, and no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import OperationalError
from django.db.models import Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.models import Membership, User
from awrdiff.accounts.names import shown_name
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.comparisons.queries import visible_to
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incidents_for, judged_at, judged_last, latest_of
from awrdiff.processing.rows import row_or_none
from awrdiff.threads.models import Agreement, Attachment, Comment, Looking, Talk, Thread, Turn
from awrdiff.threads.subjects import Subject, people_of

LOOKING_FOR = timedelta(seconds=20)  # somebody is still there this long after they asked last
NOTED_EVERY = timedelta(seconds=8)
ASKED_AGAIN_S, ASKED_AGAIN_ALONE_S, ASKED_AGAIN_LOCAL_S = 2, 10, 30  # by an open page; alone well within LOOKING_FOR
IN_TALK = timedelta(minutes=5)  # this long after something was written, an answer may come from who is not seen looking


@dataclass(frozen=True, slots=True)
class Here:
    """Somebody who has it open, as they sign in and as they are called, and the line in which they write right now."""

    name: str
    shown_name: str
    typing: str = ""


def subject_of(about: Comparison | Incident) -> Subject:
    return Subject("incident" if isinstance(about, Incident) else "comparison", about.pk)


def source_of(access: AccessContext, comparison: Comparison) -> Subject:
    """Where the threads of the comparison are that somebody looks at: below a redacted link they look at a copy."""
    source = access.link.source_id if access.link else None
    return Subject("comparison", source or comparison.pk)


def comparison_by(access: AccessContext, pk: UUID) -> Subject:
    """That of a comparison by its id, without reading it."""
    if access.is_shared or not access.sees_threads or not visible_to(access).filter(pk=pk).exists():
        raise NotFound("There is no such comparison.")
    return Subject("comparison", pk)


def incident_by(access: AccessContext, pk: UUID) -> Subject:
    if not incidents_for(access).filter(pk=pk).exists():
        raise NotFound("There is no such incident.")
    return Subject("incident", pk)


def threads_at(subject: Subject) -> QuerySet[Thread]:
    """All of them, the oldest first, each with `said`: how many comments it has that were not deleted."""
    return _with_counts(Thread.objects.filter(**subject.where))


def threads_seen(access: AccessContext, subject: Subject) -> QuerySet[Thread]:
    """Those that whoever is on the team reads: guests what is for them."""
    found = threads_at(subject)
    return found.filter(for_guests=True) if access.is_guest else found


def threads_below(link: HeldLink) -> QuerySet[Thread]:
    """All that its holders see: those that began there."""
    return _with_counts(Thread.objects.filter(link=link.pk))


def threads_for(access: AccessContext, about: Comparison | Incident) -> QuerySet[Thread]:
    if not access.sees_threads:
        return Thread.objects.none()
    return threads_below(access.link) if access.link else threads_seen(access, subject_of(about))


def _with_counts(found: QuerySet[Thread]) -> QuerySet[Thread]:
    said = Count("comments", filter=Q(comments__deleted_at=None))
    return found.select_related("link__created_by", "resolved_by").annotate(said=said).order_by("created_at", "pk")


def anchor_for(access: AccessContext, thread: Thread) -> str:
    """Where it is on the page of whoever looks. Rows and things of a redacted link's copy are not in the original, but
    its sections are."""
    if access.is_shared or not thread.pseudonyms:
        return thread.anchor
    section = thread.anchor.partition("/")[0]
    return anchors.WHOLE if section.startswith((anchors.FINDING, anchors.ENTITY)) else section


def narrowed(
    access: AccessContext, threads: QuerySet[Thread], *, mine: bool, by: str, newest: bool
) -> QuerySet[Thread]:
    """Those in which the reader has written or is expected to (`mine`), or in which whoever is called `by` has written;
    `newest`: what changed last first. `by` is for who reads the whole team: it would tell others whom it has."""
    if mine and access.user is not None:
        wrote = Exists(Comment.objects.filter(thread=OuterRef("pk"), author=access.user))
        threads = threads.filter(wrote | Exists(Turn.objects.filter(thread=OuterRef("pk"), user=access.user)))
    if by and access.can_read:
        named = Q(author__username=by) | Q(author__shown_name=by) | Q(author=None, author_name=by)
        threads = threads.filter(Exists(Comment.objects.filter(named, thread=OuterRef("pk"), deleted_at=None)))
    return threads.order_by("-changed_at", "-pk") if newest else threads


def thread_for(access: AccessContext, about: Comparison | Incident, pk: int) -> Thread:
    found = row_or_none(threads_for(access, about).filter(pk=pk))
    if found is None:
        raise NotFound("There is no such thread.")
    return found


def comment_for(access: AccessContext, about: Comparison | Incident, thread_pk: int, pk: int) -> Comment:
    thread = thread_for(access, about, thread_pk)
    found = row_or_none(Comment.objects.filter(thread=thread, pk=pk).select_related("thread", "author"))
    if found is None:
        raise NotFound("There is no such comment.")
    return found


def is_own(access: AccessContext, comment: Comment) -> bool:
    """Whether whoever looks has written it: by a link, in this browser."""
    if access.user is not None:
        return comment.author_id == access.user.pk
    return access.guest is not None and comment.guest == access.guest.id


def comments_of(thread: Thread) -> list[Comment]:
    """In order, each with who agrees, and whether files are `attached`: these are asked for where there are any."""
    agreed = Agreement.objects.select_related("user").order_by("created_at", "pk")
    attached = Exists(Attachment.objects.filter(comment=OuterRef("pk")))
    found = Comment.objects.filter(thread=thread).select_related("author").annotate(attached=attached)
    said: list[Comment] = [*found.prefetch_related(Prefetch("agreements", queryset=agreed))]
    prefetch_related_objects([one for one in said if one.attached], "attachments")  # type: ignore[attr-defined]
    return said


def people_for(access: AccessContext, subject: Subject, *, guests: bool = True) -> QuerySet[User]:
    """Whom they may mention, in a thread for `guests` too or in one of the team's. A guest, who sees nobody of it, may
    mention who has written where they read it; who holds a link, nobody."""
    found = people_of(subject, guests=guests)
    if access.is_shared:
        return found.none()
    if access.can_read:
        return found
    return found.filter(pk__in=_said_to_guests(subject).values("author"))


def _said_to_guests(subject: Subject) -> QuerySet[Comment]:
    return Comment.objects.filter(thread__in=Thread.objects.filter(**subject.where, for_guests=True))


def authors(subject: Subject) -> QuerySet[Comment, int]:
    """The ids of all who have written about it."""
    return (
        Comment.objects.filter(thread__in=Thread.objects.filter(**subject.where))
        .order_by()
        .values_list("author", flat=True)
    )


def writers(subject: Subject) -> frozenset[str]:
    """The names of all who have written about it where guests read it: as they were called then, and are now."""
    said = _said_to_guests(subject)
    names = said.order_by().values_list("author_name", "author__username").distinct()
    return frozenset(name for both in names for name in both if name)


def turns_of(threads: Collection[int]) -> dict[int, list[Turn]]:
    """By thread, in the order in which they came; of who may not see it or answer (any more) nothing is expected."""
    found: dict[int, list[Turn]] = {}
    comparison = OuterRef(OuterRef("thread__comparison"))
    shown = Exists(ShownComparison.objects.filter(comparison=comparison, membership=OuterRef("pk")))
    open_ = Exists(Thread.objects.filter(pk=OuterRef(OuterRef("thread")), for_guests=True))
    see = Membership.objects.filter(
        Q(role__in=roles_that(Can.READ)) | Q(shown & open_),
        role__in=roles_that(Can.COMMENT),
        user=OuterRef("user"),
        team=OuterRef("thread__team"),
    )
    for turn in Turn.objects.filter(Exists(see), thread__in=threads).select_related("user", "thread"):
        found.setdefault(turn.thread_id, []).append(turn)
    return found


def your_turn(access: AccessContext) -> QuerySet[Turn]:
    """The reader's, on the team that is looked at, the latest first."""
    if access.user is None or not access.can_comment:
        return Turn.objects.none()
    mine = Turn.objects.filter(user=access.user, thread__team=access.team)
    if access.is_guest:
        mine = mine.filter(thread__comparison__in=visible_to(access).values("pk"), thread__for_guests=True)
    return mine.order_by("-since", "-pk")


def changes_of(subject: Subject) -> int:
    """The microsecond in which anything that the page of an incident shows changed last, or somebody judged a finding
    of a comparison."""
    if subject.kind != "incident":
        return judged_at(subject.pk)
    at = Incident.objects.filter(pk=subject.pk).values_list("changed_at", flat=True).first()
    return int(at.timestamp() * 1_000_000) if at else 0


def version_and_changes(access: AccessContext, subject: Subject) -> tuple[int, int | None]:
    """Of `version_for` and `changes_of`, which guests are not told; of a comparison in one query, as it is asked for
    every two seconds."""
    if access.is_guest:
        return version_for(access, subject), None
    if subject.kind == "incident":
        return version_for(access, subject), changes_of(subject)
    talk = Subquery(Talk.objects.filter(comparison=OuterRef("pk")).values("version")[:1])
    asked = Comparison.objects.filter(pk=subject.pk).values_list(talk, *judged_last())
    version, judged, signed = asked.first() or (0, None, None)
    return version or 0, latest_of(judged, signed)


def version_for(access: AccessContext, subject: Subject) -> int:
    """Of what they read: a guest does not even learn that the team has written among itself."""
    if not access.is_guest:
        return version_of(subject)
    own = Thread.objects.filter(**subject.where, for_guests=True)
    found = own.aggregate(at=Max("changed_at"), count=Count("pk"))
    return int(found["at"].timestamp() * 1_000_000) + found["count"] if found["at"] else 0


def version_of(subject: Subject) -> int:
    return Talk.objects.filter(**subject.where).values_list("version", flat=True).first() or 0


def mentioned_below(link: HeldLink) -> QuerySet[User]:
    """In any of its threads."""
    said = Comment.objects.filter(thread__link=link.pk).exclude(mentions=[])
    names = {name for mentions in said.values_list("mentions", flat=True) for name in mentions}
    return User.objects.filter(username__in=names)


def version_below(link: HeldLink) -> int:
    """The same of what the holders of a link see: the microsecond of the latest change."""
    latest = Thread.objects.filter(link=link.pk).aggregate(at=Max("changed_at"))["at"]
    return int(latest.timestamp() * 1_000_000) if latest else 0


def looking(access: AccessContext, subject: Subject, typing: str = "") -> list[Here]:
    """The others who have it open; notes that the reader has, and where they write. Whoever runs the server alone is
    alone."""
    if access.is_local or access.user is None:
        return []
    now = timezone.now()
    there = Looking.objects.filter(**subject.where, seen_at__gt=now - LOOKING_FOR)
    found = {
        one.user_id: (Here(one.user.get_username(), shown_name(one.user), one.typing), one.seen_at)
        for one in there.select_related("user")
    }
    own = found.pop(access.user.pk, None)
    if own is None or own[1] < now - NOTED_EVERY or own[0].typing != typing:
        _note(subject, access.user, now, typing)
    if found and access.is_guest:  # of the others they are told no more than whom they may mention
        known = set(people_for(access, subject).filter(pk__in=found).values_list("pk", flat=True))
        found = {user: one for user, one in found.items() if user in known}
    return sorted((one for one, _ in found.values()), key=lambda one: one.name)


def ask_again_s(access: AccessContext, subject: Subject, there: Collection[Here], changed: int | None = None) -> int:
    """After how many seconds their page asks again what is new: soon where others are `there`, or were heard just now,
    or have `changed` an incident.

    Whoever comes has noted that they are there with their first question. So who was alone learns of it, and of what
    was written meanwhile, after ASKED_AGAIN_ALONE_S at the latest, and from then on after ASKED_AGAIN_S.
    """
    if there:
        return ASKED_AGAIN_S
    if access.is_local:
        return ASKED_AGAIN_LOCAL_S
    if changed is not None and _is_of_late(changed):
        return ASKED_AGAIN_S
    said = Thread.objects.filter(**subject.where, changed_at__gt=timezone.now() - IN_TALK)
    if access.is_guest:
        said = said.filter(for_guests=True)
    return ASKED_AGAIN_S if said.exists() else ASKED_AGAIN_ALONE_S


def ask_again_below_s(version: int) -> int:
    """The same for whoever holds a link, who is not told whether somebody of the team is there. `version`: of what is
    written below it."""
    return ASKED_AGAIN_S if _is_of_late(version) else ASKED_AGAIN_ALONE_S


def _is_of_late(microsecond: int) -> bool:
    return timezone.now().timestamp() - microsecond / 1_000_000 < IN_TALK.total_seconds()


def _note(subject: Subject, user: User, now: datetime, typing: str) -> None:
    """Whether it succeeds is of no weight: nobody waits for it."""
    try:
        Looking.objects.bulk_create(
            [Looking(**subject.where, user=user, seen_at=now, typing=typing)],
            update_conflicts=True,
            update_fields=["seen_at", "typing"],
            unique_fields=[subject.kind, "user"],
        )
    except OperationalError:
        return


@dataclass(frozen=True, slots=True)
class Quoted:
    """What stands at a thread's anchor: `then` as it was when the thread was begun, `now` in the pair and direction
    that are looked at, None where the anchor matches nothing (any more)."""

    then: anchors.Standing
    now: anchors.Standing | None


def quote(thread: Thread, now: anchors.Standing | None) -> Quoted:
    then = anchors.Standing(thread.title, thread.place, tuple((label, text) for label, text in thread.figures))
    return Quoted(then, now)


def latest(threads: Iterable[int]) -> dict[int, Comment]:
    """By thread, its last comment that was not deleted."""
    last = Comment.objects.filter(thread=OuterRef("thread"), deleted_at=None).order_by("-created_at", "-pk")
    found = Comment.objects.filter(thread__in=list(threads), pk=last.values("pk")[:1]).select_related("author")
    return {one.thread_id: one for one in found}


def of_everybody(about: Comparison | Incident) -> int:
    """How many go with it."""
    return Thread.objects.filter(**subject_of(about).where).count()
