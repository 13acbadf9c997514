"""How people are called in threads: the holders of a redacted link read no name of the team."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.threads.models import Comment, Thread
from awrdiff.threads.texts import unnamed
from awrdiff.web.presenters.page.share_links import moment

THE_TEAM = "the team"


def of_author(access: AccessContext, comment: Comment) -> str:
    return THE_TEAM if _hides(access) and comment.guest is None else comment.author_name


def of_deleter(access: AccessContext, comment: Comment) -> str:
    own = comment.guest is not None and comment.deleted_name == comment.author_name
    return THE_TEAM if _hides(access) and not own else comment.deleted_name


def of_resolver(access: AccessContext, thread: Thread) -> str:
    return "" if _hides(access) else thread.resolved_name


def of_those(access: AccessContext, names: list[str]) -> list[str]:
    return [THE_TEAM] if names and _hides(access) else names


def body_of(access: AccessContext, comment: Comment) -> str:
    return unnamed(comment.body, comment.mentions, THE_TEAM) if _hides(access) else comment.body


def of_link(thread: Thread) -> str:
    """By which link it was written, for the team: `link of 22 Nov 2026 12:23 UTC, made by olivia`."""
    if thread.link is None:
        return ""
    made = f"link of {moment(thread.link.created_at)}"
    return f"{made}, made by {thread.link.created_by}" if thread.link.created_by else made


def _hides(access: AccessContext) -> bool:
    return access.link is not None and access.link.redacted
