"""How people are called in threads.

The holders of a redacted link read no name of the team; a guest of the team reads those of who has written where they
see it.
"""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.threads import queries
from awrdiff.threads.models import Comment, Thread
from awrdiff.threads.subjects import Subject
from awrdiff.threads.texts import without_names
from awrdiff.web.presenters.page.share_links import moment

THE_TEAM = "the team"
SOMEBODY = "somebody of the team"
Known = frozenset[str] | None  # the names that may be read; None: all


def known_names(access: AccessContext, subject: Subject) -> Known:
    """To a guest, the names in which comments were written about it, and their own."""
    if not access.is_guest or access.user is None:
        return None
    return queries.writers(subject) | {access.user.get_username()}


def shown_name(known: Known, name: str) -> str:
    return name if known is None or not name or name in known else SOMEBODY


def of_author(access: AccessContext, comment: Comment) -> str:
    return THE_TEAM if _hides(access) and comment.guest is None else comment.author_name


def of_deleter(access: AccessContext, comment: Comment, known: Known) -> str:
    own = comment.guest is not None and comment.deleted_name == comment.author_name
    return THE_TEAM if _hides(access) and not own else shown_name(known, comment.deleted_name)


def of_resolver(access: AccessContext, thread: Thread, known: Known) -> str:
    return "" if _hides(access) else shown_name(known, thread.resolved_name)


def of_those(access: AccessContext, known: Known, names: list[str]) -> list[str]:
    """Each once: several of the team are somebody of it."""
    return [THE_TEAM] if names and _hides(access) else list(dict.fromkeys(shown_name(known, name) for name in names))


def body_of(access: AccessContext, comment: Comment) -> str:
    return without_names(comment.body, comment.mentions, THE_TEAM) if _hides(access) else comment.body


def of_link(thread: Thread, known: Known) -> str:
    """By which link it was written, for the team: `link of 22 Nov 2026 12:23 UTC, made by olivia`."""
    if thread.link is None:
        return ""
    made = f"link of {moment(thread.link.created_at)}"
    by = thread.link.created_by
    return f"{made}, made by {shown_name(known, by.get_username())}" if by else made


def _hides(access: AccessContext) -> bool:
    return access.link is not None and access.link.redacted
