"""Names of people in threads.

Redacted links show no team names; guests see authors of visible comments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import every_name, shown_name, shown_names, shown_names_of
from awrdiff.accounts.models import User
from awrdiff.threads import queries
from awrdiff.threads.comment_rendering import without_names
from awrdiff.threads.models import Comment, Thread, Turn
from awrdiff.threads.subjects import Subject
from awrdiff.web.value_formatting import moment

THE_TEAM = "the team"
SOMEBODY = "somebody of the team"


@dataclass(frozen=True, slots=True)
class Names:
    """`readable`: sign-in names, None for all. `names_to_hide`: mentioned people's, former too."""

    readable: frozenset[str] | None = None
    display_names: Mapping[str, str] = field(default_factory=dict)
    names_to_hide: Mapping[str, Collection[str]] = field(default_factory=dict)

    def sign_in_name(self, name: str) -> str:
        return name if self.readable is None or not name or name in self.readable else SOMEBODY

    def shown_name(self, name: str) -> str:
        return self.display_names.get(name, self.sign_in_name(name))


def known_names(access: AccessContext, subject: Subject) -> Names:
    """For guests: visible authors, and the guest."""
    if access.link is not None and access.link.redacted:
        mentioned = {user.get_username(): user for user in queries.mentioned_below(access.link)}
        display_names = {name: shown_name(user) for name, user in mentioned.items()}
        return Names(None, display_names, {name: every_name(user) for name, user in mentioned.items()})
    if not access.is_guest or access.user is None:
        return Names(None, shown_names_of(access.team_pk, queries.authors(subject)))
    return _known_to_guest(access.user, [subject])[subject]


def names_in_turns(
    access: AccessContext, turns: Collection[Turn], subjects: Collection[Subject]
) -> dict[Subject, Names]:
    """By subject, in as many queries as for one."""
    if access.is_guest and access.user is not None:
        return _known_to_guest(access.user, subjects)
    names_of_team = Names(None, shown_names({turn.by_name for turn in turns}))
    return dict.fromkeys(subjects, names_of_team)


def _known_to_guest(user: User, subjects: Collection[Subject]) -> dict[Subject, Names]:
    """Writers of each comparison, by that comparison alone."""
    writers = queries.writers([subject.pk for subject in subjects])
    display_names = shown_names({user.get_username()}.union(*writers.values()))
    by_subject = {}
    for subject in subjects:
        readable = writers[subject.pk] | {user.get_username()}
        own_names = {name: display_names[name] for name in readable if name in display_names}
        by_subject[subject] = Names(readable, own_names)
    return by_subject


def of_author(access: AccessContext, comment: Comment) -> str:
    return THE_TEAM if hides(access) and comment.guest is None else comment.author_name


def shown_author(access: AccessContext, comment: Comment) -> str:
    by = of_author(access, comment)
    return shown_name(comment.author) if comment.author is not None and by != THE_TEAM else by


def of_deleter(access: AccessContext, comment: Comment, known_names: Names) -> str:
    if comment.guest is not None and comment.deleted_name == comment.author_name:
        return known_names.sign_in_name(comment.deleted_name)
    return THE_TEAM if hides(access) else known_names.shown_name(comment.deleted_name)


def of_resolver(access: AccessContext, thread: Thread, known_names: Names) -> tuple[str, str]:
    """Sign-in and display name."""
    name = thread.resolved_name
    if hides(access):
        return "", ""
    by_team = thread.resolved_by is not None
    return known_names.sign_in_name(name), known_names.shown_name(name) if by_team else known_names.sign_in_name(name)


def of_those(access: AccessContext, known_names: Names, names: list[str]) -> tuple[list[str], list[str]]:
    """Each once: display names may coincide."""
    if names and hides(access):
        return [THE_TEAM], [THE_TEAM]
    by_sign_in, display_names = (
        list(dict.fromkeys(map(call, names))) for call in (known_names.sign_in_name, known_names.shown_name)
    )
    return by_sign_in, display_names


def of_turn(turn: Turn, known_names: Names) -> str:
    """Outsiders' own names are never sign-in names."""
    call = known_names.sign_in_name if turn.thread.is_from_outside else known_names.shown_name
    return call(turn.by_name)


def body_of(access: AccessContext, comment: Comment, known_names: Names) -> str:
    if not hides(access):
        return comment.body
    also = {former_name for name in comment.mentions for former_name in known_names.names_to_hide.get(name, ())}
    names = {*comment.mentions, *map(known_names.shown_name, comment.mentions)}
    return without_names(comment.body, names, THE_TEAM, also)


def of_link(thread: Thread, known_names: Names) -> str:
    """`link of 22 Nov 2026 12:23 UTC, made by olivia`."""
    if thread.link is None:
        return ""
    link_text = f"link of {moment(thread.link.created_at)}"
    by = thread.link.created_by
    return f"{link_text}, made by {known_names.shown_name(by.get_username())}" if by else link_text


def hides(access: AccessContext) -> bool:
    return access.link is not None and access.link.redacted
