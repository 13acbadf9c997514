"""Writes of threads, serialised by the subject's row lock: limits are exact, repeats by key add nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, Can, HeldLink, NotFound, require_row
from awrdiff.accounts.models import User
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.audit.services import note
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Incident
from awrdiff.notices.services import take_from_guests
from awrdiff.processing.row_locks import row_or_none
from awrdiff.processing.storable_values import one_line, storable_text
from awrdiff.sharing.access import GONE
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import comment_notices, queries
from awrdiff.threads.comment_rendering import names_mentioned
from awrdiff.threads.models import LONGEST_NAME, Agreement, Comment, EarlierText, Talk, Thread, Turn, Why
from awrdiff.threads.subjects import Subject, answerers_of, of_thread, readers_of


class ThreadRefused(ValueError):
    """No subject, text, or room."""


LONGEST_COMMENT = 10_000
MOST_COMMENTS, MOST_THREADS, MOST_EDITS = 500, 1_000, 50
MOST_THREADS_OF_A_LINK = 100
MOST_A_MINUTE = 30  # comments and edits of one person, or below one link
LONGEST_GUEST_NAME = 60
DELETED = "This thread has been deleted with what it was about."


@dataclass(frozen=True, slots=True)
class Change:
    """`turn`: whose turn it became; `is_new`: False if repeated."""

    thread: Thread
    comment: Comment | None = None
    turn: tuple[User, ...] = ()
    is_new: bool = True


def start(
    access: AccessContext,
    comparison: Comparison,
    anchor: str,
    body: str,
    key: UUID,
    *,
    pair: int = 0,
    baseline: BaselineSelection | None = None,
    for_guests: bool | None = None,
) -> Change:
    """`for_guests` None: team default; guests' own threads are open, link holders' closed. Raises ThreadRefused,
    TooMuch.
    """
    access.check(Can.COMMENT, comparison)
    author, text = _author(access), text_of(body)
    if (columns := anchors.columns_at(comparison, anchor, pair, baseline)) is None:
        raise ThreadRefused("There is nothing to write about here: choose a row, a finding or a section.")
    values = {**columns[0], **columns[1], "for_guests": _for_guests(access, for_guests)}
    return _begin(access, queries.source_of(access, comparison), values, author, text, key)


def start_on_incident(
    access: AccessContext, incident: Incident, standing: anchors.Standing | None, body: str, key: UUID, *, anchor: str
) -> Change:
    """On a timeline line, quoting `standing`. Raises ThreadRefused, TooMuch."""
    sees = access.is_shared or access.can_read  # a guest of the team sees no incident
    if not sees:
        raise PermissionDenied
    access.check(Can.COMMENT, incident)
    author, text = _author(access), text_of(body)
    if standing is None or len(anchor) > anchors.LONGEST:
        raise ThreadRefused("There is nothing to write about here: choose a line of the timeline.")
    return _begin(access, queries.subject_of(incident), {"anchor": anchor, **standing.columns}, author, text, key)


def _for_guests(access: AccessContext, choice: bool | None) -> bool:  # noqa: FBT001
    if access.is_shared or access.is_guest:
        return not access.is_shared
    return access.team.threads_for_guests if choice is None else choice


def _begin(  # noqa: PLR0917 - where, what, who and what they say
    access: AccessContext, subject: Subject, values: dict[str, Any], author: dict[str, Any], text: str, key: UUID
) -> Change:
    with writing(subject):
        if before := _comment_of_key(access, key):
            return Change(before.thread, before, is_new=False)
        _not_too_much(access)
        # Outsiders do not use up the team's room.
        if access.link and Thread.objects.filter(link=access.link.pk).count() >= MOST_THREADS_OF_A_LINK:
            raise ThreadRefused(
                f"By one link at most {MOST_THREADS_OF_A_LINK} threads are begun: answer in one of them."
            )
        if Thread.objects.filter(**subject.where).count() >= MOST_THREADS:
            subject_name = "A comparison" if subject.kind == "comparison" else "An incident"
            raise ThreadRefused(f"{subject_name} has at most {MOST_THREADS:,} threads: answer in one of them.")
        thread = Thread.objects.create(
            team_id=access.team_pk,
            **subject.where,
            **values,
            link_id=access.link.pk if access.link else None,
            guest=author["guest"],
            pseudonyms=access.link is not None and access.link.redacted,
            started_by=access.user,
        )
        return _add_comment(access, thread, author, text, key)


def reply(access: AccessContext, thread: Thread, body: str, key: UUID) -> Change:
    """Reopens a resolved thread. Raises ThreadRefused, TooMuch."""
    may_comment(access, thread)
    author, text = _author(access), text_of(body)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if before := _comment_of_key(access, key):
            return Change(before.thread, before, is_new=False)
        _not_too_much(access)
        if thread.comments.count() >= MOST_COMMENTS:
            raise ThreadRefused(f"A thread has at most {MOST_COMMENTS} comments: begin another.")
        turns = _open_again(access, thread, author) if thread.is_resolved else ()
        change = _add_comment(access, thread, author, text, key)
        return replace(change, turn=(*turns, *change.turn))


def _add_comment(access: AccessContext, thread: Thread, author: dict[str, Any], text: str, key: UUID) -> Change:
    """Ends its author's turn; begins those of mentioned people, thread starter and link maker."""
    mentioned = _people_mentioned(access, thread, text)
    comment = _posting(
        team_id=thread.team_id, thread=thread, body=text, mentions=list(mentioned), client_key=key, **author
    )
    if access.user is not None:
        Turn.objects.filter(thread=thread, user=access.user).delete()
    turns = _give(thread, mentioned.values(), Why.MENTIONED, author)
    if not thread.is_resolved and thread.started_by is not None:
        turns += _give(thread, [thread.started_by], Why.ANSWERED, author)
    if access.link is not None:
        turns += _link_maker(access.link, comment)
    comment_notices.of_comment(access, comment, mentioned.values())
    announce_change(thread)
    return Change(thread, comment, turns)


def _posting(**values: Any) -> Comment:
    try:
        with transaction.atomic():
            return Comment.objects.create(**values)
    except IntegrityError as error:  # under the same key, about another comparison, at the same moment
        raise ThreadRefused("This was posted elsewhere: load the page again.") from error


def _link_maker(link: HeldLink, comment: Comment) -> tuple[User, ...]:
    """Turn of the link's maker. Raises NotFound if revoked."""
    link_row = ShareLink.objects.filter(pk=link.pk, revoked_at=None)
    if not link_row.exists():
        raise NotFound(GONE)
    maker = readers_of(comment.thread).filter(pk__in=link_row.values("created_by"))
    turns = _give(comment.thread, maker, Why.OUTSIDE, {"author": None, "author_name": comment.author_name})
    comment_notices.of_outside(comment, turns)
    return turns


def edit(access: AccessContext, comment: Comment, body: str) -> Change:
    """Own comments only. Raises ThreadRefused, TooMuch."""
    may_comment(access, comment.thread)
    if not queries.is_own(access, comment):
        raise PermissionDenied("Only who wrote a comment changes it.")
    text = text_of(body)
    with writing(of_thread(comment.thread)):
        comment = undeleted(comment)
        if text == comment.body:
            return Change(comment.thread, comment, is_new=False)
        _not_too_much(access)
        if comment.earlier.count() >= MOST_EDITS:
            raise ThreadRefused(f"A comment is changed at most {MOST_EDITS} times: write another.")
        EarlierText.objects.create(comment=comment, body=comment.body, mentions=comment.mentions)
        mentioned = _people_mentioned(access, comment.thread, text)
        new = [user for name, user in mentioned.items() if name not in comment.mentions]
        _mentioned_no_more(comment, set(comment.mentions) - set(mentioned))
        comment.body, comment.mentions, comment.edited_at = text, list(mentioned), timezone.now()
        comment.save(update_fields=["body", "mentions", "edited_at"])
        turns = _give(comment.thread, new, Why.MENTIONED, _author(access))
        comment_notices.of_comment(access, comment, new)
        announce_change(comment.thread)
    return Change(comment.thread, comment, turns)


def remove(access: AccessContext, comment: Comment) -> Change:
    """Own, or any by owners. Idempotent; resolves emptied threads."""
    may_comment(access, comment.thread)
    if not (queries.is_own(access, comment) or access.can_administer):
        raise PermissionDenied("Only who wrote a comment, or an owner of the team, deletes it.")
    with writing(of_thread(comment.thread)):
        comment = Comment.objects.select_related("thread").get(pk=comment.pk)
        if comment.is_deleted:
            return Change(comment.thread, comment, is_new=False)
        _mentioned_no_more(comment, comment.mentions)
        comment.earlier.all().delete()
        comment.agreements.all().delete()
        comment.attachments.all().delete()
        note(access, "deleted", "comment", comment.pk)
        comment.body, comment.mentions, comment.edited_at = "", [], None
        name = access.user.get_username() if access.user else comment.author_name
        comment.deleted_at, comment.deleted_name = timezone.now(), name
        comment.save(update_fields=["body", "mentions", "edited_at", "deleted_at", "deleted_name"])
        if not comment.thread.comments.filter(deleted_at=None).exists():
            _close(comment.thread, access.user, name)
        from_outside = comment.thread.comments.filter(deleted_at=None).exclude(guest=None)
        if comment.guest is not None and not from_outside.exists():
            comment.thread.turns.filter(why=Why.OUTSIDE).delete()
        announce_change(comment.thread)
    return Change(comment.thread, comment)


def _mentioned_no_more(comment: Comment, names: Collection[str]) -> None:
    """Spares people whom another comment of the author mentions."""
    if not names:
        return
    comment_notices.taken_back(comment, User.objects.filter(username__in=names))
    own = comment.thread.comments.filter(author=comment.author_id, deleted_at=None).exclude(pk=comment.pk)
    gone = set(names) - {name for mentions in own.values_list("mentions", flat=True) for name in mentions}
    turns = comment.thread.turns.filter(why=Why.MENTIONED, by_name=comment.author_name)
    turns.filter(user__username__in=gone).delete()


def agree(access: AccessContext, comment: Comment, *, agrees: bool = True) -> Change:
    """Idempotent. Raises ThreadRefused."""
    may_comment(access, comment.thread)
    if access.user is None:
        raise PermissionDenied("Sign in to agree.")
    if comment.author_id == access.user.pk:
        raise ThreadRefused("This is your own comment.")
    with writing(of_thread(comment.thread)):
        comment = undeleted(comment)
        if agrees:
            has_changed = Agreement.objects.get_or_create(comment=comment, user=access.user)[1]
        else:
            has_changed = Agreement.objects.filter(comment=comment, user=access.user).delete()[0] > 0
        if has_changed:
            announce_change(comment.thread)
    return Change(comment.thread, comment, is_new=has_changed)


def resolve(access: AccessContext, thread: Thread) -> Change:
    """Ends all turns. Guests resolve their own threads."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if thread.is_resolved:
            return Change(thread, is_new=False)
        _close(thread, user, user.get_username())
        note(access, "resolved", "thread", thread.pk)
        announce_change(thread)
    return Change(thread)


def reopen(access: AccessContext, thread: Thread) -> Change:
    """Becomes the turn of whoever had resolved it."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        if not thread.is_resolved:
            return Change(thread, is_new=False)
        turns = _open_again(access, thread, {"author": user, "author_name": user.get_username()})
        announce_change(thread)
    return Change(thread, turn=turns)


def _open_again(access: AccessContext, thread: Thread, author: dict[str, Any]) -> tuple[User, ...]:
    by = [thread.resolved_by] if thread.resolved_by else []
    thread.resolved_at, thread.resolved_by, thread.resolved_name = None, None, ""
    thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
    turns = _give(thread, by, Why.REOPENED, author)
    comment_notices.tell(access, thread, turns, "reopened")
    note(access, "reopened", "thread", thread.pk)
    return turns


def open_to_guests(access: AccessContext, thread: Thread, *, for_guests: bool) -> Change:
    """For the team only."""
    if not access.can_write:
        raise PermissionDenied("Only the team says who reads a thread.")
    may_comment(access, thread)
    if thread.comparison_id is None:
        raise ThreadRefused("Guests see no incidents: nobody but the team reads this.")
    with writing(of_thread(thread)):
        thread = _still(thread)
        if thread.for_guests == for_guests:
            return Change(thread, is_new=False)
        thread.for_guests = for_guests
        thread.save(update_fields=["for_guests"])
        if not for_guests:
            Turn.objects.filter(thread=thread).exclude(user__in=readers_of(thread).values("pk")).delete()
            take_from_guests(thread.team, thread.pk)
        note(access, "opened to guests" if for_guests else "closed to guests", "thread", thread.pk)
        announce_change(thread)
    return Change(thread)


def assign(access: AccessContext, thread: Thread, name: str) -> Change:
    """Raises ThreadRefused."""
    user = _may_settle(access, thread)
    with writing(of_thread(thread)):
        thread = _still(thread)
        readers = queries.people_for(access, of_thread(thread), guests=thread.for_guests)
        may = readers.filter(pk__in=answerers_of(thread).values("pk"))
        assignee = may.filter(username=storable_text(name)[:LONGEST_NAME]).first()
        if assignee is None:
            raise ThreadRefused("Nobody of this name may answer in it.")
        if thread.is_resolved:
            raise ThreadRefused("The thread is resolved: reopen it first.")
        values = {"why": Why.ASSIGNED, "by_name": user.get_username(), "since": timezone.now()}
        Turn.objects.update_or_create(thread=thread, user=assignee, defaults=values)
        comment_notices.tell(access, thread, [assignee], "asked")
        announce_change(thread)
    return Change(thread, turn=(assignee,) if assignee.pk != user.pk else ())


def _close(thread: Thread, user: User | None, name: str) -> None:
    thread.resolved_at, thread.resolved_by, thread.resolved_name = timezone.now(), user, name
    thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
    thread.turns.all().delete()


def _give(thread: Thread, users: Iterable[User], why: Why, author: dict[str, Any]) -> tuple[User, ...]:
    """New turns only; nobody gets one by their own comment."""
    own = author["author"].pk if author["author"] else None
    candidates = [user for user in users if user.pk != own]
    if candidates:  # a guest who began it may not read it any more, and who but reads does not answer
        candidates = list(answerers_of(thread).filter(pk__in=[user.pk for user in candidates]))
    turns = [
        Turn.objects.get_or_create(thread=thread, user=u, defaults={"why": why, "by_name": author["author_name"]})
        for u in candidates
    ]
    return tuple(turn.user for turn, new in turns if new)


def _people_mentioned(access: AccessContext, thread: Thread, text: str) -> dict[str, User]:
    if access.is_shared or "@" not in text:
        return {}
    readers = queries.people_for(access, of_thread(thread), guests=thread.for_guests)
    people = {user.get_username(): user for user in readers}
    return {name: people[name] for name in names_mentioned(text, people)}


def _comment_of_key(access: AccessContext, key: UUID) -> Comment | None:
    comment = row_or_none(Comment.objects.select_related("thread").filter(team=access.team_pk, client_key=key))
    if comment and not queries.is_own(access, comment):
        raise ThreadRefused("This was posted by somebody else: load the page again.")
    return comment


def _author(access: AccessContext) -> dict[str, Any]:
    if access.user is not None:
        return {"author": access.user, "author_name": access.user.get_username(), "guest": None}
    if access.guest is None or not access.guest.name:
        raise ThreadRefused("Say who you are: give a name.")
    return {"author": None, "author_name": access.guest.name, "guest": access.guest.id}


def guest_name(typed: str) -> str:
    """One line without hidden characters."""
    line = one_line(typed)
    return "".join(c for c in line if c.isprintable())[:LONGEST_GUEST_NAME].strip()


def text_of(body: str) -> str:
    """As stored. Raises ThreadRefused."""
    text = storable_text(body).replace("\r\n", "\n").strip()
    if not text:
        raise ThreadRefused("Write something first.")
    if len(text) > LONGEST_COMMENT:
        raise ThreadRefused(f"A comment has at most {LONGEST_COMMENT:,} characters; this has {len(text):,}.")
    return text


def _not_too_much(access: AccessContext) -> None:
    """Per author; per link all holders together."""
    comments, edited = (
        Comment.objects.filter(author=access.user),
        EarlierText.objects.filter(comment__author=access.user),
    )
    if access.link is not None:
        comments, edited = (
            comments.filter(thread__link=access.link.pk),
            edited.filter(comment__thread__link=access.link.pk),
        )
    many = f"{MOST_A_MINUTE} comments"
    sentence = f"By this link, {many} have been written" if access.link else f"You have written {many}"
    rate_limits.check_stored(MOST_A_MINUTE, sentence, (comments, "created_at"), (edited, "replaced_at"))


def may_comment(access: AccessContext, thread: Thread) -> None:
    below = access.link is None or thread.link_id == access.link.pk
    is_hidden = access.is_guest and not thread.for_guests
    if not access.can_comment or thread.team_id != access.team_pk or not below or is_hidden:
        raise PermissionDenied


def _may_settle(access: AccessContext, thread: Thread) -> User:
    may_comment(access, thread)
    if access.user is None or not (access.can_write or thread.started_by_id == access.user.pk):
        raise PermissionDenied("A guest settles the threads that they began.")
    return access.user


@contextmanager
def writing(subject: Subject) -> Iterator[None]:
    """Subject lock. Raises NotFound if gone."""
    with transaction.atomic():
        if not subject.locked():
            raise NotFound(f"The {subject.kind} has been deleted.")
        yield


def announce_change(thread: Thread) -> None:
    """Notify open pages."""
    thread.save(update_fields=["changed_at"])
    talk, _ = Talk.objects.get_or_create(**of_thread(thread).where)
    Talk.objects.filter(pk=talk.pk).update(version=F("version") + 1)


def _still(thread: Thread) -> Thread:
    return require_row(Thread.objects.select_related("started_by", "resolved_by").filter(pk=thread.pk), DELETED)


def undeleted(comment: Comment) -> Comment:
    comment_row = require_row(Comment.objects.select_related("thread").filter(pk=comment.pk), DELETED)
    if comment_row.is_deleted:
        raise ThreadRefused("This comment has been deleted.")
    return comment_row
