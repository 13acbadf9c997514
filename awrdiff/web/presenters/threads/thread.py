"""One thread: what it quotes, then and now, and what was said."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.threads.models import Comment, EarlierText, Thread, Turn
from awrdiff.threads.queries import Quoted
from awrdiff.threads.texts import html
from awrdiff.web import links
from awrdiff.web.presenters.threads.lines import ThreadLine, when, why


@dataclass(frozen=True, slots=True)
class Quote:
    """Figures as label, text then, text now; `note` says what became of them. `then` is left out where nothing
    changed since."""

    rows: Sequence[tuple[str, str, str]]
    then: str  # the day
    gone: bool
    changed: bool
    note: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CommentLine:
    id: int
    author: str
    html: SafeString
    body: str
    at: str
    iso: str
    edited: str
    deleted: str
    agree: Sequence[str]
    agrees: bool
    is_yours: bool
    can_remove: bool
    can_agree: bool
    url: str
    agree_url: str

    def as_dict(self) -> dict[str, Any]:
        left_out = ("agrees", "is_yours", "can_remove", "can_agree", "at", "iso", "agree_url")
        return {"at": self.iso, **{name: value for name, value in asdict(self).items() if name not in left_out}}


@dataclass(frozen=True, slots=True)
class ThreadView:
    line: ThreadLine
    quote: Quote
    said: Sequence[CommentLine]
    turns: Sequence[str]
    started: str
    place_url: str
    is_thing: bool  # place_url has a panel of its own
    can_settle: bool

    def as_dict(self) -> dict[str, Any]:
        return {**self.line.as_dict(), "quote": self.quote.as_dict(), "said": [one.as_dict() for one in self.said]}


def present(
    access: AccessContext,
    comparison: Comparison,
    thread: Thread,
    line: ThreadLine,
    *,
    quoted: Quoted,
    comments: Collection[Comment],
    turns: Collection[Turn],
    pair: int,
) -> ThreadView:
    return ThreadView(
        line=line,
        quote=quote_of(thread, comparison, quoted, pair),
        said=[comment_line(access, comparison, one) for one in comments],
        turns=[f"{turn.user} ({why(turn)})" for turn in turns],
        started=when(thread.created_at),
        place_url=_place(access, comparison, thread.anchor, pair),
        is_thing=thread.anchor.startswith(anchors.ENTITY),
        can_settle=access.can_write or (access.user is not None and thread.started_by_id == access.user.pk),
    )


def quote_of(thread: Thread, comparison: Comparison, quoted: Quoted, pair: int) -> Quote:
    then, now = dict(quoted.then.figures), dict(quoted.now.figures) if quoted.now else {}
    labels = list(dict.fromkeys([*then, *now]))
    rows = [(label, then.get(label, "–"), now.get(label, "–")) for label in labels]
    changed = quoted.now is not None and then != now
    return Quote(
        rows, f"{thread.created_at:%d %b %Y}", quoted.now is None, changed, _note(thread, comparison, quoted, pair)
    )


def _note(thread: Thread, comparison: Comparison, quoted: Quoted, pair: int) -> str:
    if not comparison.is_ready:
        return "The comparison is being computed: these are the figures as they were."
    if quoted.now is None:
        there = "in this pair of reports" if pair != thread.pair else "in this comparison any more"
        return f"It is not {there}: these are the figures as they were."
    notes = []
    if thread.swapped != bool(comparison.mirror_of_id):
        notes.append("with First and Second the other way round")
    if pair != thread.pair:
        notes.append("in another pair of reports")
    return f"It was written {' and '.join(notes)}." if notes else ""


def now_alone(standing: anchors.Standing) -> Quote:
    """What a new thread is about."""
    return Quote([(label, text, text) for label, text in standing.figures], then="", gone=False, changed=False, note="")


def comment_line(access: AccessContext, comparison: Comparison, comment: Comment) -> CommentLine:
    own = access.user is not None and comment.author_id == access.user.pk
    place = [comparison.pk, comment.thread_id, comment.pk]
    agree = [one.user.get_username() for one in comment.agreements.all()]
    return CommentLine(
        id=comment.pk,
        author=comment.author_name,
        html=mark_safe(html(comment.body, comment.mentions)),  # noqa: S308 - made and cleaned in awrdiff.threads.texts
        body=comment.body,
        at=when(comment.created_at),
        iso=comment.created_at.isoformat(),
        edited=when(comment.edited_at) if comment.edited_at else "",
        deleted=f"deleted by {comment.deleted_name} on {when(comment.deleted_at)}" if comment.deleted_at else "",
        agree=agree,
        agrees=access.user is not None and access.user.get_username() in agree,
        is_yours=own and not comment.is_deleted,
        can_remove=(own or access.can_invite) and not comment.is_deleted,
        can_agree=not own and not comment.is_deleted,
        url=reverse("comment", args=place),
        agree_url=reverse("comment-agree", args=place),
    )


def earlier_line(found: EarlierText) -> dict[str, Any]:
    text = mark_safe(html(found.body, found.mentions))  # noqa: S308 - made and cleaned in awrdiff.threads.texts
    return {"html": text, "body": found.body, "until": when(found.replaced_at)}


def _place(access: AccessContext, comparison: Comparison, anchor: str, pair: int) -> str:
    """Where on the page it is; of a thing, its own address."""
    if anchor.startswith(anchors.ENTITY):
        kind, _, key = anchor.removeprefix(anchors.ENTITY).partition("/")
        return f"{links.entities(access, comparison)}{kind}/{quote(key, safe='')}/{f'?pair={pair}' if pair else ''}"
    return f"#{quote(anchor, safe='/:')}"
