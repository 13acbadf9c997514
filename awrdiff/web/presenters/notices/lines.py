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
    """`of`: its comparison or incident; `more`: number of further notices of the thread."""

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


def notice_lines(access: AccessContext, gathered: Sequence[Gathered]) -> list[NoticeLine]:
    titles = _titles(access, [group.says for group in gathered if group.says.thread is not None])
    return [_notice_line(group, titles.get(group.says.thing, "")) for group in gathered]


def _titles(access: AccessContext, notices: Sequence[Notice]) -> dict[str, str]:
    """Titles of comparisons and incidents with notified threads, by id."""
    of = {kind: {notice.thing for notice in notices if notice.kind == kind} for kind in ("comparison", "incident")}
    comparisons = list(comparisons_for(access, views=True).filter(pk__in=of["comparison"])) if of["comparison"] else []
    incidents = incidents_for(access).filter(pk__in=of["incident"]) if of["incident"] else ()
    return {str(pk): title for pk, title in titles_of(comparisons).items()} | {str(i.pk): i.title for i in incidents}


def _notice_line(group: Gathered, of: str) -> NoticeLine:
    notice = group.says
    return NoticeLine(
        id=notice.pk,
        said=sentence(notice, group.more),
        about=notice.about,
        of=of,
        more=group.more,
        at=group.last.created_at.isoformat(timespec="seconds"),
        read=notice.read_at is not None,
        url=url_of(notice),
    )


def url_of(notice: Notice) -> str:
    return path_of(notice.kind, notice.thing, notice.place)


def webhook(to: TeamNotices) -> Webhook | None:
    if not to.url:
        return None
    sent = to.last_sent_at.isoformat(timespec="seconds") if to.last_sent_at else None
    return Webhook(to.url, to.shape, to.contents, to.tickets, sent, to.last_error or None)
