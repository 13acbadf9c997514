"""Somebody's notices as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.comparisons.titles import titles_of
from awrdiff.incidents.queries import incidents_for
from awrdiff.notices.models import Mail, Notice, Shape, TeamNotices
from awrdiff.notices.queries import Gathered
from awrdiff.notices.words import path_of, sentence
from awrdiff.web import clock

MAILS = (
    (Mail.NOW.value, "at once", "a mail for each, of one thread at most every five minutes"),
    (Mail.DIGEST.value, "once a day", "one mail with those you have not read"),
    (Mail.NONE.value, "not at all", "they stand here alone"),
)
SHAPES = (
    (Shape.GENERIC.value, "JSON"),
    (Shape.SLACK.value, "Slack"),
    (Shape.MATTERMOST.value, "Mattermost"),
    (Shape.TEAMS.value, "Microsoft Teams"),
)


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """`open_url` marks it as read and leads to `url`."""

    id: int
    said: str
    about: str
    of: str  # what it is in: a comparison, an incident
    more: int
    at: str
    iso: str
    read: bool
    url: str
    open_url: str

    def as_dict(self) -> dict[str, Any]:
        kept = ("id", "said", "about", "of", "more", "read", "url")
        return {"at": self.iso, **{name: value for name, value in asdict(self).items() if name in kept}}


def notice_lines(access: AccessContext, told: Sequence[Gathered]) -> list[NoticeLine]:
    called = _called(access, [one.says for one in told if one.says.thread is not None])
    return [_notice_line(one, called.get(one.says.thing, "")) for one in told]


def _called(access: AccessContext, notices: Sequence[Notice]) -> dict[str, str]:
    """By id, the comparisons and incidents whose threads are told of."""
    of = {kind: {one.thing for one in notices if one.kind == kind} for kind in ("comparison", "incident")}
    comparisons = (
        list(comparisons_for(access, mirrors=True).filter(pk__in=of["comparison"])) if of["comparison"] else []
    )
    incidents = incidents_for(access).filter(pk__in=of["incident"]) if of["incident"] else ()
    return {str(pk): title for pk, title in titles_of(comparisons).items()} | {str(i.pk): i.title for i in incidents}


def _notice_line(told: Gathered, of: str) -> NoticeLine:
    one = told.says
    return NoticeLine(
        id=one.pk,
        said=sentence(one, told.more),
        about=one.about,
        of=of,
        more=told.more,
        at=clock.moment(told.last.created_at),
        iso=told.last.created_at.isoformat(timespec="seconds"),
        read=one.read_at is not None,
        url=url_of(one),
        open_url=reverse("notice-open", args=[one.pk]),
    )


def url_of(one: Notice) -> str:
    return path_of(one.kind, one.thing, one.place)


def webhook(to: TeamNotices) -> dict[str, Any] | None:
    """Without its secret, which stands on the page alone."""
    if not to.url:
        return None
    sent = to.last_sent_at.isoformat(timespec="seconds") if to.last_sent_at else None
    chosen = {"url": to.url, "shape": to.shape, "contents": to.contents, "tickets": to.tickets}
    return {**chosen, "sent": sent, "error": to.last_error or None}
