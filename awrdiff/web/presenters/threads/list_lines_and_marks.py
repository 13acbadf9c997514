"""Threads in lists and as marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from msgspec import Struct

from awrdiff.accounts.access import AccessContext
from awrdiff.threads.comment_rendering import excerpt
from awrdiff.threads.models import Comment, Thread, Turn, Why
from awrdiff.threads.queries import anchor_for
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.threads import author_names
from awrdiff.web.presenters.threads.subject_addresses import About, AboutComparison, AboutIncident
from awrdiff.web.value_formatting import moment

_WHY = {
    Why.MENTIONED.value: "mentioned by {}",
    Why.ANSWERED.value: "answered by {}",
    Why.ASSIGNED.value: "assigned by {}",
    Why.REOPENED.value: "reopened by {}",
    Why.OUTSIDE.value: "{} has written from outside",
}


class ThreadMark(Struct):
    """A thread's mark on an open page. `comments`: not deleted; `turn`: people to act. `outside`: begun below a share
    link, with `pseudonyms` if redacted.
    """

    id: int
    anchor: str
    pair: int
    baseline: str
    title: str
    place: str
    comments: int
    resolved: bool
    turn: list[str]
    turn_shown: list[str]
    your_turn: bool
    changed_at: str
    outside: bool
    pseudonyms: bool
    for_guests: bool


class ThreadLine(ThreadMark, kw_only=True):
    """`url`: on the page; `link`: name of the outside link, as the team sees it."""

    resolved_by: str
    resolved_by_shown: str
    url: str
    own_url: str
    link: str = ""
    last: str = ""
    last_by: str = ""
    last_by_shown: str = ""
    last_at: str = ""

    @property
    def state_text(self) -> str:
        turn_text = "" if self.your_turn or not self.turn else f"{', '.join(self.turn_shown)}'s turn"
        by = f" by {self.resolved_by_shown}" if self.resolved_by else ""
        state = f"resolved{by}" if self.resolved else turn_text
        count = fmt.count_text(self.comments, "comment")
        return " · ".join(filter(None, (count, self.last_at, state)))


def line(
    access: AccessContext,
    about: About | None,
    thread: Thread,
    turns: Sequence[Turn],
    last: Comment | None,
    *,
    known_names: author_names.Names,
) -> ThreadLine:
    """No link without `about`, no turns for link holders."""
    comment_count, names = getattr(thread, "comment_count", 0), known_names.display_names
    anchor = anchor_for(access, thread)
    whose = [] if access.is_shared else [turn.user.get_username() for turn in turns]
    turn, turn_shown = author_names.of_those(access, known_names, whose)
    resolved_by, resolved_by_shown = author_names.of_resolver(access, thread, known_names)
    return ThreadLine(
        id=thread.pk,
        anchor=anchor,
        pair=thread.pair,
        baseline=thread.baseline,
        title=thread.title,
        place=thread.place,
        comments=comment_count,
        resolved=thread.is_resolved,
        resolved_by=resolved_by,
        resolved_by_shown=resolved_by_shown,
        turn=turn,
        turn_shown=turn_shown,
        your_turn=access.user is not None and any(turn.user_id == access.user.pk for turn in turns),
        changed_at=thread.changed_at.isoformat(),
        url=on_page(about.page_of(thread), anchor, thread.pk) if about else "",
        own_url=about.thread_url(thread.pk) if about else "",
        outside=thread.is_from_outside,
        pseudonyms=thread.pseudonyms,
        for_guests=thread.for_guests and not access.is_shared,
        link="" if access.is_shared else author_names.of_link(thread, known_names),
        last=excerpt(author_names.body_of(access, last, known_names), last.mentions, names) if last else "",
        last_by=author_names.of_author(access, last) if last else "",
        last_by_shown=author_names.shown_author(access, last) if last else "",
        last_at=moment(last.created_at) if last else "",
    )


def lines(
    access: AccessContext,
    about: AboutComparison | AboutIncident,
    threads: Iterable[Thread],
    turns: dict[int, list[Turn]],
    last: dict[int, Comment],
) -> list[ThreadLine]:
    """Unresolved first."""
    known_names = author_names.known_names(access, about.subject)
    thread_lines = [
        line(access, about, thread, turns.get(thread.pk, ()), last.get(thread.pk), known_names=known_names)
        for thread in threads
    ]
    return sorted(thread_lines, key=lambda thread_line: thread_line.resolved)


def why(turn: Turn, known_names: author_names.Names) -> str:
    return _WHY[turn.why].format(author_names.of_turn(turn, known_names))


def on_page(page_url: str, anchor: str, thread: int) -> str:
    """Marks the row and opens the thread."""
    return f"{page_url}#{quote(anchor, safe='/:')}&thread={thread}"
