"""Who is told of what is written: whoever is mentioned, whoever began the thread, whoever is asked."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.audit.services import note
from awrdiff.notices.services import tell
from awrdiff.threads import queries
from awrdiff.threads.models import Comment, Thread


def of_comment(access: AccessContext, comment: Comment, mentioned: Iterable[User]) -> None:
    """In the transaction that keeps it; an edit may mention more people."""
    thread, meant = comment.thread, list(mentioned)
    key = f"comment {comment.pk}"
    _tell(access, thread, meant, "mentioned", key)
    began = thread.started_by
    if began is not None and began.pk not in [user.pk for user in meant] and comment.edited_at is None:
        _tell(access, thread, [began], "answered", key)
    note(access, "wrote", "thread", thread.pk)


def of_outside(comment: Comment, makers: Iterable[User]) -> None:
    """Whoever made the link hears when it becomes their turn: a stranger who writes on makes no more mails of it."""
    thread = comment.thread
    place = f"{f'?pair={thread.pair}' if thread.pair else ''}#thread={thread.pk}"
    tell(
        thread.team,
        "outside",
        makers,
        kind="comparison",
        thing=thread.comparison_id,
        place=place,
        about=thread.title,
        key=f"comment {comment.pk}",
    )


def of_turn(access: AccessContext, thread: Thread, users: Iterable[User]) -> None:
    """They are asked to say something."""
    _tell(access, thread, users, "asked", "")


def _tell(access: AccessContext, thread: Thread, users: Iterable[User], what: str, key: str) -> None:
    """Those of them who may see it. What the thread is about, not what was written, goes along: a comment may be
    deleted."""
    may = queries.people_of(thread.comparison_id).filter(pk__in=[user.pk for user in users])
    pair = f"?pair={thread.pair}" if thread.pair else ""
    place = f"{pair}#thread={thread.pk}"
    of, about = thread.comparison_id, thread.title
    tell(
        thread.team,
        what,
        may,
        kind="comparison",
        thing=of,
        place=place,
        actor=access.user,
        about=about,
        key=key,
        guests=True,
    )
