"""Reads of the threads app. Whoever may see a comparison sees its threads; the holder of a share link sees those that
began below it, where the link lets them comment, and no other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import OperationalError
from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.accounts.models import Membership, Role, User
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.comparisons.queries import visible_to
from awrdiff.threads.models import Agreement, Comment, Looking, Talk, Thread, Turn

LOOKING_FOR = timedelta(seconds=20)  # somebody is still there this long after they asked last
NOTED_EVERY = timedelta(seconds=8)


def original_of(comparison: Comparison) -> UUID:
    """Where the threads of a comparison are: of one that a swap made, at what it was made from."""
    return comparison.mirror_of_id or comparison.pk


def source_of(access: AccessContext, comparison: Comparison) -> tuple[UUID, bool]:
    """Where the threads of the comparison are that somebody looks at, and whether they see it the other way round.

    Below a redacted link they look at a copy.
    """
    source = access.link.source_id if access.link else None
    if source is None or source == comparison.pk:
        return original_of(comparison), comparison.mirror_of_id is not None
    mirrored = Comparison.objects.filter(pk=source).values_list("mirror_of", flat=True).first()
    return mirrored or source, mirrored is not None


def original_for(access: AccessContext, pk: UUID) -> UUID:
    """The same by id, without reading the comparison."""
    found = visible_to(access).filter(pk=pk).values_list("pk", "mirror_of").first()
    if found is None or access.is_shared or not access.can_comment:
        raise NotFound("There is no such comparison.")
    return found[1] or found[0]


def threads_of(comparison: Comparison) -> QuerySet[Thread]:
    """All of them, the oldest first, each with `said`: how many comments it has that were not deleted."""
    return threads_at(original_of(comparison))


def threads_at(original: UUID) -> QuerySet[Thread]:
    return _counted(Thread.objects.filter(comparison=original))


def threads_below(link: HeldLink) -> QuerySet[Thread]:
    """All that its holders see: those that began there."""
    return _counted(Thread.objects.filter(link=link.pk))


def threads_for(access: AccessContext, comparison: Comparison) -> QuerySet[Thread]:
    if not access.can_comment:
        return Thread.objects.none()
    return threads_below(access.link) if access.link else threads_of(comparison)


def _counted(found: QuerySet[Thread]) -> QuerySet[Thread]:
    said = Count("comments", filter=Q(comments__deleted_at=None))
    return found.select_related("link__created_by").annotate(said=said).order_by("created_at", "pk")


def anchor_for(access: AccessContext, thread: Thread) -> str:
    """Where it is on the page of whoever looks. Rows and things of a redacted link's copy are not in the original, but
    its sections are."""
    if access.is_shared or not thread.pseudonyms:
        return thread.anchor
    section = thread.anchor.partition("/")[0]
    return anchors.WHOLE if section.startswith((anchors.FINDING, anchors.ENTITY)) else section


def thread_for(access: AccessContext, comparison: Comparison, pk: int) -> Thread:
    found = threads_for(access, comparison).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such thread.")
    return found


def comment_for(access: AccessContext, comparison: Comparison, thread_pk: int, pk: int) -> Comment:
    thread = thread_for(access, comparison, thread_pk)
    found = Comment.objects.filter(thread=thread, pk=pk).select_related("thread").first()
    if found is None:
        raise NotFound("There is no such comment.")
    return found


def is_own(access: AccessContext, comment: Comment) -> bool:
    """Whether whoever looks has written it: by a link, in this browser."""
    if access.user is not None:
        return comment.author_id == access.user.pk
    return access.guest is not None and comment.guest == access.guest.id


def comments_of(thread: Thread) -> list[Comment]:
    """In order, each with who agrees."""
    agreed = Agreement.objects.select_related("user").order_by("created_at", "pk")
    return list(Comment.objects.filter(thread=thread).prefetch_related(Prefetch("agreements", queryset=agreed)))


def people_of(original: UUID) -> QuerySet[User]:
    """Who may see the comparison, by name: members of its team, and guests to whom it is shown, either way round."""
    both = Comparison.objects.filter(Q(pk=original) | Q(mirror_of=original))
    shown = ShownComparison.objects.filter(comparison__in=both, membership=OuterRef("pk"))
    team = Comparison.objects.filter(pk=original).values("team")
    may = Membership.objects.filter(~Q(role=Role.GUEST) | Exists(shown), team__in=team)
    return User.objects.filter(pk__in=may.values("user")).order_by("username")


def seen_as(original: UUID, users: Collection[int]) -> dict[UUID, list[User]]:
    """Those of them who may see it, by what they see: the comparison, or guests who are shown that alone, the swapped
    one."""
    found: dict[UUID, list[User]] = {original: list(people_of(original).filter(pk__in=users))}
    guests = Membership.objects.filter(role=Role.GUEST, user__in=found[original], team__comparison=original)
    behind = guests.exclude(Exists(ShownComparison.objects.filter(comparison=original, membership=OuterRef("pk"))))
    if pks := set(behind.values_list("user", flat=True)):
        mirror = Comparison.objects.filter(mirror_of=original).values_list("pk", flat=True).get()
        found[mirror] = [user for user in found[original] if user.pk in pks]
        found[original] = [user for user in found[original] if user.pk not in pks]
    return found


def people_for(access: AccessContext, original: UUID) -> QuerySet[User]:
    """Whom they may mention. A guest, who sees nobody of the team, may mention who has written here; who holds a link,
    nobody."""
    found = people_of(original)
    if access.is_shared:
        return found.none()
    if access.sees_all:
        return found
    return found.filter(pk__in=Comment.objects.filter(thread__comparison=original).values("author"))


def attention_of(thread: Thread) -> set[User]:
    """Whose turn it is, of those who may (still) see it."""
    return set(people_of(thread.comparison_id).filter(turns__thread=thread))


def turns_of(threads: Collection[int]) -> dict[int, list[Turn]]:
    """By thread, in the order in which they came; of who has left the team nothing is expected."""
    found: dict[int, list[Turn]] = {}
    still = Turn.objects.filter(thread__in=threads, user__membership__team=F("thread__team"))
    for turn in still.select_related("user"):
        found.setdefault(turn.thread_id, []).append(turn)
    return found


def your_turn(access: AccessContext) -> QuerySet[Turn]:
    """The reader's, on the team that is looked at, the latest first."""
    if access.user is None or not access.can_comment:
        return Turn.objects.none()
    seen = visible_to(access)
    mine = Turn.objects.filter(user=access.user, thread__team=access.team)
    if access.is_guest:
        either = Q(thread__comparison__in=seen.values("pk")) | Q(thread__comparison__mirror__in=seen.values("pk"))
        mine = mine.filter(either)
    return mine.order_by("-since", "-pk")


def version_of(original: UUID) -> int:
    return Talk.objects.filter(comparison=original).values_list("version", flat=True).first() or 0


def version_below(link: HeldLink) -> int:
    """The same of what the holders of a link see: the microsecond of the latest change."""
    latest = Thread.objects.filter(link=link.pk).aggregate(at=Max("changed_at"))["at"]
    return int(latest.timestamp() * 1_000_000) if latest else 0


def looking(access: AccessContext, original: UUID) -> list[str]:
    """The names of the others who have it open; notes that the reader has. Whoever runs the server alone is alone."""
    if access.is_local or access.user is None:
        return []
    now = timezone.now()
    there = Looking.objects.filter(comparison=original, seen_at__gt=now - LOOKING_FOR)
    found = {user: (name, seen) for user, name, seen in there.values_list("user", "user__username", "seen_at")}
    own = found.pop(access.user.pk, None)
    if own is None or own[1] < now - NOTED_EVERY:
        _note(original, access.user, now)
    if found and access.is_guest:  # of the others they are told no more than whom they may mention
        known = set(people_for(access, original).filter(pk__in=found).values_list("pk", flat=True))
        found = {user: one for user, one in found.items() if user in known}
    return sorted(name for name, _ in found.values())


def _note(original: UUID, user: User, now: datetime) -> None:
    """Whether it succeeds is of no weight: nobody waits for it."""
    try:
        values = {"comparison_id": original, "user": user, "seen_at": now}
        Looking.objects.bulk_create(
            [Looking(**values)],
            update_conflicts=True,
            update_fields=["seen_at"],
            unique_fields=["comparison", "user"],
        )
    except OperationalError:
        return


@dataclass(frozen=True, slots=True)
class Quoted:
    """What stands at a thread's anchor: `then` as it was when the thread was begun, `now` in the pair and direction
    that are looked at, None where the anchor matches nothing (any more)."""

    then: anchors.Standing
    now: anchors.Standing | None


def quoted(access: AccessContext, thread: Thread, comparison: Comparison, pair: int) -> Quoted:
    then = anchors.Standing(thread.title, thread.place, tuple((label, text) for label, text in thread.figures))
    there = comparison.is_ready and (access.is_shared or not thread.pseudonyms)
    return Quoted(then, anchors.standing(comparison, thread.anchor, pair) if there else None)


def latest(threads: Iterable[int]) -> dict[int, Comment]:
    """By thread, its last comment that was not deleted."""
    last = Comment.objects.filter(thread=OuterRef("thread"), deleted_at=None).order_by("-created_at", "-pk")
    found = Comment.objects.filter(thread__in=list(threads), pk=last.values("pk")[:1])
    return {one.thread_id: one for one in found}


def of_everybody(comparison: Comparison) -> int:
    """How many go with the comparison."""
    return Thread.objects.filter(comparison=comparison).count()
