"""Threads as lines: in a list, for the marks on the page, and of those whose turn it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.threads.models import Comment, Thread, Turn, Why
from awrdiff.threads.texts import excerpt
from awrdiff.web import links

_WHY = {
    Why.MENTIONED.value: "mentioned by {}",
    Why.ANSWERED.value: "answered by {}",
    Why.ASSIGNED.value: "assigned by {}",
    Why.REOPENED.value: "reopened by {}",
}


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """`comments`: those that were not deleted; `turn`: whose turn it is; `url` leads to it on the page."""

    id: int
    anchor: str
    pair: int
    title: str
    place: str
    comments: int
    resolved: bool
    resolved_by: str
    turn: Sequence[str]
    your_turn: bool
    changed_at: str
    url: str
    own_url: str
    last: str = ""
    last_by: str = ""
    last_at: str = ""

    @property
    def said(self) -> str:
        """`2 comments · 22 Nov 2026 12:23 UTC · carl's turn`."""
        others = "" if self.your_turn or not self.turn else f"{', '.join(self.turn)}'s turn"
        state = f"resolved by {self.resolved_by}" if self.resolved else others
        count = f"{self.comments} comment{'' if self.comments == 1 else 's'}"
        return " · ".join(filter(None, (count, self.last_at, state)))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def line(
    access: AccessContext, comparison: Comparison | None, thread: Thread, turns: Sequence[Turn], last: Comment | None
) -> ThreadLine:
    """`comparison`: the one that is looked at, where it is not the thread's own."""
    said: int = getattr(thread, "said", 0)
    pk = comparison.pk if comparison else thread.comparison_id
    return ThreadLine(
        id=thread.pk,
        anchor=thread.anchor,
        pair=thread.pair,
        title=thread.title,
        place=thread.place,
        comments=said,
        resolved=thread.is_resolved,
        resolved_by=thread.resolved_name,
        turn=[turn.user.get_username() for turn in turns],
        your_turn=access.user is not None and any(turn.user_id == access.user.pk for turn in turns),
        changed_at=thread.changed_at.isoformat(),
        url=on_page(reverse("comparison", args=[pk]), thread.anchor, thread.pk),
        own_url=reverse("thread", args=[pk, thread.pk]),
        last=excerpt(last.body) if last else "",
        last_by=last.author_name if last else "",
        last_at=when(last.created_at) if last else "",
    )


def lines(
    access: AccessContext,
    comparison: Comparison,
    threads: Iterable[Thread],
    turns: dict[int, list[Turn]],
    last: dict[int, Comment],
) -> list[ThreadLine]:
    """Those that are not resolved first."""
    made = [line(access, comparison, one, turns.get(one.pk, ()), last.get(one.pk)) for one in threads]
    return sorted(made, key=lambda one: one.resolved)


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A thread in which it is the reader's turn, on the first page."""

    title: str
    place: str
    why: str
    when: str
    comparison: str
    url: str


def turn_line(turn: Turn, comparison: Comparison, title: str) -> TurnLine:
    thread = turn.thread
    return TurnLine(
        title=thread.title,
        place=thread.place,
        why=why(turn),
        when=when(turn.since),
        comparison=title,
        url=on_page(reverse("comparison", args=[comparison.pk]), thread.anchor, thread.pk, thread.pair),
    )


def why(turn: Turn) -> str:
    return _WHY[turn.why].format(turn.by_name)


def when(at: datetime) -> str:
    return f"{at:%d %b %Y %H:%M} UTC"


def on_page(page_url: str, anchor: str, thread: int, pair: int = 0) -> str:
    """The address that marks the row and opens the thread beside it."""
    return f"{page_url}{f'?pair={pair}' if pair else ''}#{quote(anchor, safe='/:')}&thread={thread}"


def place_url(access: AccessContext, comparison: Comparison, anchor: str) -> str:
    """Where on the page the anchor is."""
    return f"{links.comparison(access, comparison)}#{quote(anchor, safe='/:')}"
