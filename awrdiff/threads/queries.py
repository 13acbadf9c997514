"""Reads of threads: members all, guests open ones, link holders those begun below their link."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import OperationalError
from django.db.models import Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, Can, HeldLink, NotFound, require_row, roles_that
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import Membership, User
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.comparisons.queries import visible_to
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incidents_for, judged_at, judged_last, latest_of
from awrdiff.threads.models import Agreement, Attachment, Comment, Looking, Talk, Thread, Turn
from awrdiff.threads.subjects import Subject, people_of

LOOKING_FOR = timedelta(seconds=20)  # somebody is still there this long after they asked last
NOTED_EVERY = timedelta(seconds=8)
ASKED_AGAIN_S, ASKED_AGAIN_ALONE_S, ASKED_AGAIN_LOCAL_S = 2, 10, 30  # by an open page; alone well within LOOKING_FOR
IN_TALK = timedelta(minutes=5)  # this long after something was written, an answer may come from who is not seen looking


@dataclass(frozen=True, slots=True)
class Here:
    """Viewer; `typing`: line being written in."""

    name: str
    shown_name: str
    typing: str = ""


def subject_of(about: Comparison | Incident) -> Subject:
    return Subject("incident" if isinstance(about, Incident) else "comparison", about.pk)


def source_of(access: AccessContext, comparison: Comparison) -> Subject:
    """Subject with the threads; redacted links show a copy."""
    source = access.link.source_id if access.link else None
    return Subject("comparison", source or comparison.pk)


def comparison_by(access: AccessContext, pk: UUID) -> Subject:
    """Without loading it. Raises NotFound."""
    if access.is_shared or not access.sees_threads or not visible_to(access).filter(pk=pk).exists():
        raise NotFound("There is no such comparison.")
    return Subject("comparison", pk)


def incident_by(access: AccessContext, pk: UUID) -> Subject:
    if not incidents_for(access).filter(pk=pk).exists():
        raise NotFound("There is no such incident.")
    return Subject("incident", pk)


def threads_seen(access: AccessContext, subject: Subject) -> QuerySet[Thread]:
    """Guests: open ones."""
    threads = _with_counts(Thread.objects.filter(**subject.where))
    return threads.filter(for_guests=True) if access.is_guest else threads


def threads_below(link: HeldLink) -> QuerySet[Thread]:
    """Threads begun below the link."""
    return _with_counts(Thread.objects.filter(link=link.pk))


def threads_for(access: AccessContext, about: Comparison | Incident) -> QuerySet[Thread]:
    if not access.sees_threads:
        return Thread.objects.none()
    return threads_below(access.link) if access.link else threads_seen(access, subject_of(about))


def _with_counts(threads: QuerySet[Thread]) -> QuerySet[Thread]:
    """Oldest first, with undeleted comments counted."""
    comment_count = Count("comments", filter=Q(comments__deleted_at=None))
    return (
        threads.select_related("link__created_by", "resolved_by")
        .annotate(comment_count=comment_count)
        .order_by("created_at", "pk")
    )


def anchor_for(access: AccessContext, thread: Thread) -> str:
    """Originals lack a redacted copy's rows, not its sections."""
    if access.is_shared or not thread.pseudonyms:
        return thread.anchor
    section = thread.anchor.partition("/")[0]
    return anchors.WHOLE if section.startswith((anchors.FINDING, anchors.ENTITY)) else section


def narrowed(
    access: AccessContext, threads: QuerySet[Thread], *, mine: bool, by: str, newest: bool
) -> QuerySet[Thread]:
    """`mine`: taking part; `by`: commenter, for whole-team readers; `newest`: last changed first."""
    if mine and access.user is not None:
        wrote = Exists(Comment.objects.filter(thread=OuterRef("pk"), author=access.user))
        threads = threads.filter(wrote | Exists(Turn.objects.filter(thread=OuterRef("pk"), user=access.user)))
    if by and access.can_read:
        by_author = Q(author__username=by) | Q(author__shown_name=by) | Q(author=None, author_name=by)
        threads = threads.filter(Exists(Comment.objects.filter(by_author, thread=OuterRef("pk"), deleted_at=None)))
    return threads.order_by("-changed_at", "-pk") if newest else threads


def thread_for(access: AccessContext, about: Comparison | Incident, pk: int) -> Thread:
    return require_row(threads_for(access, about).filter(pk=pk), "There is no such thread.")


def comment_for(access: AccessContext, about: Comparison | Incident, thread_pk: int, pk: int) -> Comment:
    thread = thread_for(access, about, thread_pk)
    comments = Comment.objects.filter(thread=thread, pk=pk).select_related("thread", "author")
    return require_row(comments, "There is no such comment.")


def is_own(access: AccessContext, comment: Comment) -> bool:
    """By a link: written in this browser."""
    if access.user is not None:
        return comment.author_id == access.user.pk
    return access.guest is not None and comment.guest == access.guest.id


def comments_of(thread: Thread) -> list[Comment]:
    """In order, with agreements and files."""
    agreed = Agreement.objects.select_related("user").order_by("created_at", "pk")
    attached = Exists(Attachment.objects.filter(comment=OuterRef("pk")))
    comments = Comment.objects.filter(thread=thread).select_related("author").annotate(attached=attached)
    loaded: list[Comment] = [*comments.prefetch_related(Prefetch("agreements", queryset=agreed))]
    prefetch_related_objects([comment for comment in loaded if comment.attached], "attachments")  # type: ignore[attr-defined]
    return loaded


def people_for(access: AccessContext, subject: Subject, *, guests: bool = True) -> QuerySet[User]:
    """Mentionable people; guests see writers, link holders nobody."""
    people = people_of(subject, guests=guests)
    if access.is_shared:
        return people.none()
    if access.can_read:
        return people
    threads = Thread.objects.filter(**subject.where, for_guests=True)
    return people.filter(pk__in=Comment.objects.filter(thread__in=threads).values("author"))


def authors(subject: Subject) -> QuerySet[Comment, int]:
    """User ids."""
    return (
        Comment.objects.filter(thread__in=Thread.objects.filter(**subject.where))
        .order_by()
        .values_list("author", flat=True)
    )


def writers(comparisons: Collection[UUID]) -> dict[UUID, frozenset[str]]:
    """Former and current names, where guests read, by comparison."""
    open_comments = Comment.objects.filter(thread__comparison__in=comparisons, thread__for_guests=True)
    rows = open_comments.order_by().values_list("thread__comparison", "author_name", "author__username").distinct()
    names: dict[UUID, set[str]] = {comparison: set() for comparison in comparisons}
    for comparison, *author_names in rows:
        names[comparison].update(filter(None, author_names))
    return {comparison: frozenset(by) for comparison, by in names.items()}


def turns_of(threads: Collection[int]) -> dict[int, list[Turn]]:
    """In order; without those who can no longer answer."""
    by_thread: dict[int, list[Turn]] = {}
    comparison = OuterRef(OuterRef("thread__comparison"))
    is_shown = Exists(ShownComparison.objects.filter(comparison=comparison, membership=OuterRef("pk")))
    open_ = Exists(Thread.objects.filter(pk=OuterRef(OuterRef("thread")), for_guests=True))
    see = Membership.objects.filter(
        Q(role__in=roles_that(Can.READ)) | Q(is_shown & open_),
        role__in=roles_that(Can.COMMENT),
        user=OuterRef("user"),
        team=OuterRef("thread__team"),
    )
    for turn in Turn.objects.filter(Exists(see), thread__in=threads).select_related("user", "thread"):
        by_thread.setdefault(turn.thread_id, []).append(turn)
    return by_thread


def your_turn(access: AccessContext) -> QuerySet[Turn]:
    """On this team, latest first."""
    if access.user is None or not access.can_comment:
        return Turn.objects.none()
    mine = Turn.objects.filter(user=access.user, thread__team=access.team)
    if access.is_guest:
        mine = mine.filter(thread__comparison__in=visible_to(access).values("pk"), thread__for_guests=True)
    return mine.order_by("-since", "-pk")


def changes_of(subject: Subject) -> int:
    """Microsecond of the last visible change or judgement."""
    if subject.kind != "incident":
        return judged_at(subject.pk)
    return latest_of(Incident.objects.filter(pk=subject.pk).values_list("changed_at", flat=True).first())


def version_and_changes(access: AccessContext, subject: Subject) -> tuple[int, int | None]:
    """`changes_of` is None for guests. Polled every two seconds."""
    if access.is_guest:
        return version_for(access, subject), None
    if subject.kind == "incident":
        return version_for(access, subject), changes_of(subject)
    talk = Subquery(Talk.objects.filter(comparison=OuterRef("pk")).values("version")[:1])
    versions = Comparison.objects.filter(pk=subject.pk).values_list(talk, *judged_last())
    version, judged_at, signed = versions.first() or (0, None, None)
    return version or 0, latest_of(judged_at, signed)


def version_for(access: AccessContext, subject: Subject) -> int:
    """Guests learn nothing of team threads."""
    if not access.is_guest:
        return version_of(subject)
    own = Thread.objects.filter(**subject.where, for_guests=True)
    totals = own.aggregate(at=Max("changed_at"), count=Count("pk"))
    return latest_of(totals["at"]) + int(totals["count"])


def version_of(subject: Subject) -> int:
    return Talk.objects.filter(**subject.where).values_list("version", flat=True).first() or 0


def mentioned_below(link: HeldLink) -> QuerySet[User]:
    """People mentioned in its threads."""
    comments = Comment.objects.filter(thread__link=link.pk).exclude(mentions=[])
    names = {name for mentions in comments.values_list("mentions", flat=True) for name in mentions}
    return User.objects.filter(username__in=names)


def version_below(link: HeldLink) -> int:
    """Microsecond of the latest change below the link."""
    return latest_of(Thread.objects.filter(link=link.pk).aggregate(at=Max("changed_at"))["at"])


def looking(access: AccessContext, subject: Subject, typing: str = "") -> list[Here]:
    """Others on the page; records the reader."""
    if access.is_local or access.user is None:
        return []
    now = timezone.now()
    there = Looking.objects.filter(**subject.where, seen_at__gt=now - LOOKING_FOR)
    there_by_user = {
        viewer.user_id: (Here(viewer.user.get_username(), shown_name(viewer.user), viewer.typing), viewer.seen_at)
        for viewer in there.select_related("user")
    }
    own = there_by_user.pop(access.user.pk, None)
    if own is None or own[1] < now - NOTED_EVERY or own[0].typing != typing:
        _note(subject, access.user, now, typing)
    if there_by_user and access.is_guest:  # of the others they are told no more than whom they may mention
        allowed = set(people_for(access, subject).filter(pk__in=there_by_user).values_list("pk", flat=True))
        there_by_user = {user: viewer for user, viewer in there_by_user.items() if user in allowed}
    return sorted((viewer for viewer, _ in there_by_user.values()), key=lambda viewer: viewer.name)


def ask_again_s(access: AccessContext, subject: Subject, there: Collection[Here], changed: int | None = None) -> int:
    """Seconds until the next poll; newcomers show within ASKED_AGAIN_ALONE_S."""
    if there:
        return ASKED_AGAIN_S
    if access.is_local:
        return ASKED_AGAIN_LOCAL_S
    if changed is not None and _is_of_late(changed):
        return ASKED_AGAIN_S
    recent_threads = Thread.objects.filter(**subject.where, changed_at__gt=timezone.now() - IN_TALK)
    if access.is_guest:
        recent_threads = recent_threads.filter(for_guests=True)
    return ASKED_AGAIN_S if recent_threads.exists() else ASKED_AGAIN_ALONE_S


def ask_again_below_s(version: int) -> int:
    """For link holders; `version`: of threads below the link."""
    return ASKED_AGAIN_S if _is_of_late(version) else ASKED_AGAIN_ALONE_S


def _is_of_late(microsecond: int) -> bool:
    return timezone.now().timestamp() - microsecond / 1_000_000 < IN_TALK.total_seconds()


def _note(subject: Subject, user: User, now: datetime, typing: str) -> None:
    """Best effort."""
    try:
        Looking.objects.bulk_create(
            [Looking(**subject.where, user=user, seen_at=now, typing=typing)],
            update_conflicts=True,
            update_fields=["seen_at", "typing"],
            unique_fields=[subject.kind, "user"],
        )
    except OperationalError:
        return


def latest(threads: Iterable[int]) -> dict[int, Comment]:
    """Last undeleted comment by thread."""
    last = Comment.objects.filter(thread=OuterRef("thread"), deleted_at=None).order_by("-created_at", "-pk")
    last_comments = Comment.objects.filter(thread__in=list(threads), pk=last.values("pk")[:1]).select_related("author")
    return {comment.thread_id: comment for comment in last_comments}


def of_everybody(about: Comparison | Incident) -> int:
    """Number deleted with it."""
    return Thread.objects.filter(**subject_of(about).where).count()
