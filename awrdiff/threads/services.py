"""Writes of the threads app. Each tells what it changed: whoever sends notices needs no more.

All that is written about a comparison happens one after the other, under the lock of its row: limits are exact, and
what was posted twice under one key is there once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import User
from awrdiff.audit.services import note
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.rows import lock
from awrdiff.processing.storable import storable_text
from awrdiff.threads import queries, told
from awrdiff.threads.errors import ThreadRefused
from awrdiff.threads.models import LONGEST_NAME, Agreement, Comment, EarlierText, Talk, Thread, Turn, Why
from awrdiff.threads.texts import mentioned

LONGEST_COMMENT = 10_000
MOST_COMMENTS, MOST_THREADS, MOST_EDITS = 500, 1_000, 50
MOST_A_MINUTE = 30  # comments and edits of one person
_MINUTE = timedelta(minutes=1)
DELETED = "This thread has been deleted with its comparison."


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did. `turn`: whose turn it has become by it; `made`: False where it had been done before."""

    thread: Thread
    comment: Comment | None = None
    turn: tuple[User, ...] = ()
    made: bool = True


def start(
    access: AccessContext,
    comparison: Comparison,
    anchor: str,
    body: str,
    key: UUID,
    *,
    pair: int = 0,
    guest_name: str = "",
) -> Change:
    """A thread about what stands at `anchor`, with its first comment. Raises ThreadRefused, TooMuch."""
    _may_comment(access, comparison.team_id)
    author, text, anchor = _author(access, guest_name), _text(body), storable_text(anchor)
    fits = len(anchor) <= anchors.LONGEST and comparison.is_ready
    found = anchors.standing(comparison, anchor, pair) if fits else None
    if found is None:
        raise ThreadRefused("There is nothing to write about here: choose a row, a finding or a section.")
    with _writing(queries.original_of(comparison)) as original:
        if before := _posted(access, author, key):
            return Change(before.thread, before, made=False)
        _not_too_much(access)
        if Thread.objects.filter(comparison=original).count() >= MOST_THREADS:
            raise ThreadRefused(f"A comparison has at most {MOST_THREADS:,} threads: answer in one of them.")
        thread = Thread.objects.create(
            team=access.team,
            comparison_id=original,
            anchor=anchor,
            pair=pair,
            swapped=comparison.mirror_of_id is not None,
            title=storable_text(found.title),
            place=storable_text(found.place),
            figures=[[storable_text(label), storable_text(text)] for label, text in found.figures],
            started_by=access.user,
        )
        return _said(access, thread, author, text, key)


def reply(access: AccessContext, thread: Thread, body: str, key: UUID, *, guest_name: str = "") -> Change:
    """Raises ThreadRefused, TooMuch."""
    _may_comment(access, thread.team_id)
    author, text = _author(access, guest_name), _text(body)
    with _writing(thread.comparison_id):
        thread = _still(thread)
        if before := _posted(access, author, key):
            return Change(before.thread, before, made=False)
        _not_too_much(access)
        if thread.comments.count() >= MOST_COMMENTS:
            raise ThreadRefused(f"A thread has at most {MOST_COMMENTS} comments: begin another.")
        return _said(access, thread, author, text, key)


def _said(access: AccessContext, thread: Thread, author: dict[str, Any], text: str, key: UUID) -> Change:
    """The comment is there; who wrote it has answered, and it is the turn of who is mentioned and of who had asked."""
    meant = _meant(access, thread, text)
    comment = Comment.objects.create(
        team_id=thread.team_id, thread=thread, body=text, mentions=list(meant), client_key=key, **author
    )
    if access.user is not None:
        Turn.objects.filter(thread=thread, user=access.user).delete()
    turns = _give(thread, meant.values(), Why.MENTIONED, author)
    if not thread.is_resolved and thread.started_by is not None:
        turns += _give(thread, [thread.started_by], Why.ANSWERED, author)
    told.of_comment(access, comment, meant.values())
    _changed(thread)
    return Change(thread, comment, turns)


def edit(access: AccessContext, comment: Comment, body: str) -> Change:
    """One's own; what it said before is kept. Raises ThreadRefused, TooMuch."""
    _may_comment(access, comment.team_id)
    if access.user is None or comment.author_id != access.user.pk:
        raise PermissionDenied("Only who wrote a comment changes it.")
    text = _text(body)
    with _writing(comment.thread.comparison_id):
        comment = _still_said(comment)
        if text == comment.body:
            return Change(comment.thread, comment, made=False)
        _not_too_much(access)
        if comment.earlier.count() >= MOST_EDITS:
            raise ThreadRefused(f"A comment is changed at most {MOST_EDITS} times: write another.")
        EarlierText.objects.create(comment=comment, body=comment.body, mentions=comment.mentions)
        meant = _meant(access, comment.thread, text)
        new = [user for name, user in meant.items() if name not in comment.mentions]
        comment.body, comment.mentions, comment.edited_at = text, list(meant), timezone.now()
        comment.save(update_fields=["body", "mentions", "edited_at"])
        turns = _give(comment.thread, new, Why.MENTIONED, _author(access, ""))
        told.of_comment(access, comment, new)
        _changed(comment.thread)
    return Change(comment.thread, comment, turns)


def remove(access: AccessContext, comment: Comment) -> Change:
    """One's own, or as an owner of the team anybody's: what was written is gone, that it was there is not.

    Removing twice is harmless. A thread of which nothing is left is resolved.
    """
    _may_comment(access, comment.team_id)
    if access.user is None or not (comment.author_id == access.user.pk or access.can_invite):
        raise PermissionDenied("Only who wrote a comment, or an owner of the team, deletes it.")
    with _writing(comment.thread.comparison_id):
        comment = Comment.objects.select_related("thread").get(pk=comment.pk)
        if comment.is_deleted:
            return Change(comment.thread, comment, made=False)
        comment.earlier.all().delete()
        comment.agreements.all().delete()
        note(access, "deleted", "comment", comment.pk)
        comment.body, comment.mentions, comment.edited_at = "", [], None
        comment.deleted_at, comment.deleted_name = timezone.now(), access.user.get_username()
        comment.save(update_fields=["body", "mentions", "edited_at", "deleted_at", "deleted_name"])
        if not comment.thread.comments.filter(deleted_at=None).exists():
            _close(comment.thread, access.user)
        _changed(comment.thread)
    return Change(comment.thread, comment)


def agree(access: AccessContext, comment: Comment, *, agrees: bool = True) -> Change:
    """Or do so no more; twice is once. Raises ThreadRefused."""
    _may_comment(access, comment.team_id)
    if access.user is None:
        raise PermissionDenied("Sign in to agree.")
    if comment.author_id == access.user.pk:
        raise ThreadRefused("This is your own comment.")
    with _writing(comment.thread.comparison_id):
        comment = _still_said(comment)
        if agrees:
            made = Agreement.objects.get_or_create(comment=comment, user=access.user)[1]
        else:
            made = Agreement.objects.filter(comment=comment, user=access.user).delete()[0] > 0
        if made:
            _changed(comment.thread)
    return Change(comment.thread, comment, made=made)


def resolve(access: AccessContext, thread: Thread) -> Change:
    """It is nobody's turn any more. A guest resolves what they began."""
    user = _may_settle(access, thread)
    with _writing(thread.comparison_id):
        thread = _still(thread)
        if thread.is_resolved:
            return Change(thread, made=False)
        _close(thread, user)
        note(access, "resolved", "thread", thread.pk)
        _changed(thread)
    return Change(thread)


def reopen(access: AccessContext, thread: Thread) -> Change:
    """It is the turn of whoever had resolved it."""
    user = _may_settle(access, thread)
    with _writing(thread.comparison_id):
        thread = _still(thread)
        if not thread.is_resolved:
            return Change(thread, made=False)
        by = [thread.resolved_by] if thread.resolved_by else []
        thread.resolved_at, thread.resolved_by, thread.resolved_name = None, None, ""
        thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
        turns = _give(thread, by, Why.REOPENED, {"author": user, "author_name": user.get_username()})
        told.of_turn(access, thread, turns)
        note(access, "reopened", "thread", thread.pk)
        _changed(thread)
    return Change(thread, turn=turns)


def assign(access: AccessContext, thread: Thread, name: str) -> Change:
    """Make it somebody's turn, one's own too. Raises ThreadRefused."""
    user = _may_settle(access, thread)
    with _writing(thread.comparison_id):
        thread = _still(thread)
        found = queries.people_for(access, thread.comparison_id).filter(username=storable_text(name)[:LONGEST_NAME])
        chosen = found.first()
        if chosen is None:
            raise ThreadRefused("Nobody of this name may see the comparison.")
        if thread.is_resolved:
            raise ThreadRefused("The thread is resolved: reopen it first.")
        values = {"why": Why.ASSIGNED, "by_name": user.get_username(), "since": timezone.now()}
        Turn.objects.update_or_create(thread=thread, user=chosen, defaults=values)
        told.of_turn(access, thread, [chosen])
        _changed(thread)
    return Change(thread, turn=(chosen,) if chosen.pk != user.pk else ())


def _close(thread: Thread, user: User) -> None:
    thread.resolved_at, thread.resolved_by = timezone.now(), user
    thread.resolved_name = user.get_username()
    thread.save(update_fields=["resolved_at", "resolved_by", "resolved_name"])
    thread.turns.all().delete()


def _give(thread: Thread, users: Iterable[User], why: Why, author: dict[str, Any]) -> tuple[User, ...]:
    """Those whose turn it was not yet; nobody makes it their own by writing."""
    own = author["author"].pk if author["author"] else None
    others = [user for user in users if user.pk != own]
    made = [
        Turn.objects.get_or_create(thread=thread, user=u, defaults={"why": why, "by_name": author["author_name"]})
        for u in others
    ]
    return tuple(turn.user for turn, new in made if new)


def _meant(access: AccessContext, thread: Thread, text: str) -> dict[str, User]:
    """By name, whom the text mentions."""
    if "@" not in text:
        return {}
    people = {user.get_username(): user for user in queries.people_for(access, thread.comparison_id)}
    return {name: people[name] for name in mentioned(text, people)}


def _posted(access: AccessContext, author: dict[str, Any], key: UUID) -> Comment | None:
    """What was posted under this key before."""
    found = Comment.objects.select_related("thread").filter(team=access.team, client_key=key).first()
    if found and (found.author_id, found.author_name) != (
        access.user.pk if access.user else None,
        author["author_name"],
    ):
        raise ThreadRefused("This was posted by somebody else: load the page again.")
    return found


def _author(access: AccessContext, guest_name: str) -> dict[str, Any]:
    if access.user is not None:
        return {"author": access.user, "author_name": access.user.get_username()}
    name = " ".join(storable_text(guest_name).split())[:LONGEST_NAME]
    if not name:
        raise ThreadRefused("Say who you are: give a name.")
    return {"author": None, "author_name": name}


def _text(body: str) -> str:
    text = storable_text(body).replace("\r\n", "\n").strip()
    if not text:
        raise ThreadRefused("Write something first.")
    if len(text) > LONGEST_COMMENT:
        raise ThreadRefused(f"A comment has at most {LONGEST_COMMENT:,} characters; this has {len(text):,}.")
    return text


def _not_too_much(access: AccessContext) -> None:
    """Counted in the database, so that it holds over all web processes."""
    if access.user is None:
        return
    since = timezone.now() - _MINUTE
    posted = Comment.objects.filter(author=access.user, created_at__gt=since).count()
    edited = EarlierText.objects.filter(comment__author=access.user, replaced_at__gt=since).count()
    if posted + edited >= MOST_A_MINUTE:
        raise TooMuch(f"You have written {MOST_A_MINUTE} comments within a minute: wait a moment.", 20)


def _may_comment(access: AccessContext, team_id: int) -> None:
    if not access.can_comment or team_id != access.team.pk:
        raise PermissionDenied


def _may_settle(access: AccessContext, thread: Thread) -> User:
    _may_comment(access, thread.team_id)
    if access.user is None or not (access.can_write or thread.started_by_id == access.user.pk):
        raise PermissionDenied("A guest settles the threads that they began.")
    return access.user


@contextmanager
def _writing(original: UUID) -> Iterator[UUID]:
    """Until the end nobody else writes about the comparison. Raises NotFound where it is gone."""
    with transaction.atomic():
        if not lock(Comparison, [original]):
            raise NotFound("The comparison has been deleted.")
        yield original


def _changed(thread: Thread) -> None:
    """Whoever has the comparison open is to hear of it."""
    thread.save(update_fields=["changed_at"])
    talk, _ = Talk.objects.get_or_create(comparison_id=thread.comparison_id)
    Talk.objects.filter(pk=talk.pk).update(version=F("version") + 1)


def _still(thread: Thread) -> Thread:
    found = Thread.objects.select_related("started_by", "resolved_by").filter(pk=thread.pk).first()
    if found is None:
        raise NotFound(DELETED)
    return found


def _still_said(comment: Comment) -> Comment:
    found = Comment.objects.select_related("thread").filter(pk=comment.pk).first()
    if found is None:
        raise NotFound(DELETED)
    if found.is_deleted:
        raise ThreadRefused("This comment has been deleted.")
    return found
