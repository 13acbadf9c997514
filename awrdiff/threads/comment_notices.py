"""Notices of comments: to the mentioned, the thread's starter, and the asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.audit.services import note
from awrdiff.notices.services import notify, take_back
from awrdiff.threads.models import Comment, Thread
from awrdiff.threads.subjects import of_thread, readers_of


def of_comment(access: AccessContext, comment: Comment, mentioned: Iterable[User]) -> None:
    """Within the saving transaction; edits may add people."""
    thread, mentioned_people = comment.thread, list(mentioned)
    key = _key(comment)
    tell(access, thread, mentioned_people, "mentioned", key)
    began = thread.started_by
    if began is not None and began.pk not in [user.pk for user in mentioned_people] and comment.edited_at is None:
        tell(access, thread, [began], "answered", key)
    note(access, "wrote", "thread", thread.pk)


def taken_back(comment: Comment, users: Iterable[User]) -> None:
    """Withdraw unread notices of a mention."""
    take_back(comment.thread.team, "mentioned", users, key=_key(comment))


def of_outside(comment: Comment, makers: Iterable[User]) -> None:
    """Link makers hear once per turn, not per comment."""
    _notify(comment.thread, "outside", makers, key=_key(comment))


def tell(access: AccessContext, thread: Thread, users: Iterable[User], what: str, key: str = "") -> None:
    """Without comment text, which may be deleted."""
    readers = readers_of(thread).filter(pk__in=[user.pk for user in users])
    _notify(thread, what, readers, actor=access.user, key=key, guests=True)


def _notify(thread: Thread, what: str, users: Iterable[User], **more: Any) -> None:
    subject = of_thread(thread)
    more |= {"kind": subject.kind, "thing": subject.pk, "place": _place(thread)}
    notify(thread.team, what, users, about=thread.title, thread=thread.pk, **more)


def _key(comment: Comment) -> str:
    return f"comment {comment.pk}"


def _place(thread: Thread) -> str:
    if not thread.comparison_id:
        return f"#thread={thread.pk}"
    members, _, second = thread.baseline.partition("/")
    query = f"?baseline={members}&second={second}" if members else f"?pair={thread.pair}"
    return f"{query}#thread={thread.pk}"
