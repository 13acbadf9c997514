"""Who is told of what is written: whoever is mentioned, whoever began the thread, whoever is asked."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.audit.services import note
from awrdiff.notices.services import notify, take_back, take_from_guests
from awrdiff.threads.models import Comment, Thread
from awrdiff.threads.subjects import of_thread, readers_of


def of_comment(access: AccessContext, comment: Comment, mentioned: Iterable[User]) -> None:
    """In the transaction that keeps it; an edit may mention more people."""
    thread, meant = comment.thread, list(mentioned)
    key = _key(comment)
    _tell(access, thread, meant, "mentioned", key)
    began = thread.started_by
    if began is not None and began.pk not in [user.pk for user in meant] and comment.edited_at is None:
        _tell(access, thread, [began], "answered", key)
    note(access, "wrote", "thread", thread.pk)


def taken_back(comment: Comment, users: Iterable[User]) -> None:
    """They are not mentioned any more: who has not read that they were, hears nothing of it."""
    take_back(comment.thread.team, "mentioned", users, key=_key(comment))


def of_outside(comment: Comment, makers: Iterable[User]) -> None:
    """Whoever made the link hears when it becomes their turn: a stranger who writes on makes no more mails of it."""
    thread, subject = comment.thread, of_thread(comment.thread)
    notify(
        thread.team,
        "outside",
        makers,
        kind=subject.kind,
        thing=subject.pk,
        place=_place(thread),
        about=thread.title,
        key=_key(comment),
        thread=thread.pk,
    )


def kept_from_guests(thread: Thread) -> None:
    """It is the team's alone from now on: guests have no notice of it, nor gets one out."""
    take_from_guests(thread.team, thread.pk)


def of_turn(access: AccessContext, thread: Thread, users: Iterable[User]) -> None:
    """They are asked to say something."""
    _tell(access, thread, users, "asked", "")


def of_reopening(access: AccessContext, thread: Thread, users: Iterable[User]) -> None:
    """What they had resolved is not."""
    _tell(access, thread, users, "reopened", "")


def _tell(access: AccessContext, thread: Thread, users: Iterable[User], what: str, key: str) -> None:
    """Those of them who may read it. What the thread is about, not what was written, goes along: a
    comment may be deleted."""
    subject = of_thread(thread)
    notify(
        thread.team,
        what,
        readers_of(thread).filter(pk__in=[user.pk for user in users]),
        kind=subject.kind,
        thing=subject.pk,
        place=_place(thread),
        actor=access.user,
        about=thread.title,
        key=key,
        guests=True,
        thread=thread.pk,
    )


def _key(comment: Comment) -> str:
    return f"comment {comment.pk}"


def _place(thread: Thread) -> str:
    if not thread.comparison_id:
        return f"#thread={thread.pk}"
    members, _, second = thread.baseline.partition("/")
    query = f"?baseline={members}&second={second}" if members else f"?pair={thread.pair}"
    return f"{query}#thread={thread.pk}"
