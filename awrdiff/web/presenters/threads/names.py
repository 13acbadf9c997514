"""How people are called in threads.

The holders of a redacted link read no name of the team; a guest of the team reads those of who has written where they
see it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import every_name, shown_name, shown_names, shown_names_of
from awrdiff.threads import queries
from awrdiff.threads.models import Comment, Thread, Turn
from awrdiff.threads.subjects import Subject
from awrdiff.threads.texts import without_names
from awrdiff.web.clock import moment

THE_TEAM = "the team"
SOMEBODY = "somebody of the team"


@dataclass(frozen=True, slots=True)
class Known:
    """`readable`: the sign-in names that may be read, None: all. `shown`: by sign-in name what people are called, of
    those that may be read. `hidden`: by it all that those mentioned are or were called, where nobody is to read it."""

    readable: frozenset[str] | None = None
    shown: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, Collection[str]] = field(default_factory=dict)

    def sign_in_name(self, name: str) -> str:
        return name if self.readable is None or not name or name in self.readable else SOMEBODY

    def shown_name(self, name: str) -> str:
        """Of who signs in by `name`."""
        return self.shown.get(name, self.sign_in_name(name))


def known_names(access: AccessContext, subject: Subject) -> Known:
    """To a guest, the names in which comments were written about it, and their own."""
    if access.link is not None and access.link.redacted:
        mentioned = {one.get_username(): one for one in queries.mentioned_below(access.link)}
        called = {name: shown_name(one) for name, one in mentioned.items()}
        return Known(None, called, {name: every_name(one) for name, one in mentioned.items()})
    if not access.is_guest or access.user is None:
        return Known(None, shown_names_of(access.team_pk, queries.authors(subject)))
    readable = queries.writers(subject) | {access.user.get_username()}
    return Known(readable, shown_names(readable))


def names_in_turns(access: AccessContext, turns: Collection[Turn], subjects: Iterable[Subject]) -> dict[Subject, Known]:
    """The same by subject, for who reads the whole team with one question."""
    if access.is_guest:
        return {subject: known_names(access, subject) for subject in subjects}
    known = Known(None, shown_names({turn.by_name for turn in turns}))
    return dict.fromkeys(subjects, known)


def of_author(access: AccessContext, comment: Comment) -> str:
    return THE_TEAM if hides(access) and comment.guest is None else comment.author_name


def shown_author(access: AccessContext, comment: Comment) -> str:
    by = of_author(access, comment)
    return shown_name(comment.author) if comment.author is not None and by != THE_TEAM else by


def of_deleter(access: AccessContext, comment: Comment, known: Known) -> str:
    if comment.guest is not None and comment.deleted_name == comment.author_name:
        return known.sign_in_name(comment.deleted_name)
    return THE_TEAM if hides(access) else known.shown_name(comment.deleted_name)


def of_resolver(access: AccessContext, thread: Thread, known: Known) -> tuple[str, str]:
    """As they sign in, and as they are called."""
    name = thread.resolved_name
    if hides(access):
        return "", ""
    by_team = thread.resolved_by is not None
    return known.sign_in_name(name), known.shown_name(name) if by_team else known.sign_in_name(name)


def of_those(access: AccessContext, known: Known, names: list[str]) -> tuple[list[str], list[str]]:
    """The same of several, each once: several of the team are somebody of it."""
    if names and hides(access):
        return [THE_TEAM], [THE_TEAM]
    by_sign_in, shown = (list(dict.fromkeys(map(call, names))) for call in (known.sign_in_name, known.shown_name))
    return by_sign_in, shown


def of_turn(turn: Turn, known: Known) -> str:
    """Who made it theirs. What somebody outside has called themselves is nobody's sign-in name."""
    call = known.sign_in_name if turn.thread.is_from_outside else known.shown_name
    return call(turn.by_name)


def body_of(access: AccessContext, comment: Comment, known: Known) -> str:
    if not hides(access):
        return comment.body
    also = {called for name in comment.mentions for called in known.hidden.get(name, ())}
    named = {*comment.mentions, *map(known.shown_name, comment.mentions)}
    return without_names(comment.body, named, THE_TEAM, also)


def of_link(thread: Thread, known: Known) -> str:
    """By which link it was written, for the team: `link of 22 Nov 2026 12:23 UTC, made by olivia`."""
    if thread.link is None:
        return ""
    made = f"link of {moment(thread.link.created_at)}"
    by = thread.link.created_by
    return f"{made}, made by {known.shown_name(by.get_username())}" if by else made


def hides(access: AccessContext) -> bool:
    return access.link is not None and access.link.redacted
