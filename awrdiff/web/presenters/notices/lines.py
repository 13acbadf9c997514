"""Somebody's notices as texts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.comparisons.titles import titles_of
from awrdiff.incidents.queries import incidents_for
from awrdiff.notices.models import Mail, Notice, Shape, TeamNotices
from awrdiff.notices.queries import Gathered
from awrdiff.notices.words import path_of, sentence

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


class NoticeLine(Struct):
    """`of`: the comparison or incident that it is in; `more`: how many others of the thread it stands for."""

    id: int
    said: str
    about: str
    of: str
    more: int
    at: str
    read: bool
    url: str


class Webhook(Struct):
    """Without its secret, which stands on the page alone."""

    url: str
    shape: str
    contents: bool
    tickets: bool
    sent: str | None
    error: str | None


def notice_lines(access: AccessContext, told: Sequence[Gathered]) -> list[NoticeLine]:
    called = _called(access, [one.says for one in told if one.says.thread is not None])
    return [_notice_line(one, called.get(one.says.thing, "")) for one in told]


def _called(access: AccessContext, notices: Sequence[Notice]) -> dict[str, str]:
    """By id, the comparisons and incidents whose threads are told of."""
    of = {kind: {one.thing for one in notices if one.kind == kind} for kind in ("comparison", "incident")}
    comparisons = list(comparisons_for(access, views=True).filter(pk__in=of["comparison"])) if of["comparison"] else []
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
        at=told.last.created_at.isoformat(timespec="seconds"),
        read=one.read_at is not None,
        url=url_of(one),
    )


def url_of(one: Notice) -> str:
    return path_of(one.kind, one.thing, one.place)


def webhook(to: TeamNotices) -> Webhook | None:
    if not to.url:
        return None
    sent = to.last_sent_at.isoformat(timespec="seconds") if to.last_sent_at else None
    return Webhook(to.url, to.shape, to.contents, to.tickets, sent, to.last_error or None)
