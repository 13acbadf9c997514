"""Somebody's notices as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.urls import reverse

from awrdiff.notices.models import Mail, Notice, Shape, TeamNotices
from awrdiff.notices.words import path_of, sentence

MAILS = (
    (Mail.NOW.value, "at once", "a mail for each"),
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
    at: str
    iso: str
    read: bool
    url: str
    open_url: str

    def as_dict(self) -> dict[str, Any]:
        kept = ("id", "said", "about", "read", "url")
        return {"at": self.iso, **{name: value for name, value in asdict(self).items() if name in kept}}


def notice_lines(notices: Sequence[Notice]) -> list[NoticeLine]:
    return [_notice_line(one) for one in notices]


def _notice_line(one: Notice) -> NoticeLine:
    return NoticeLine(
        id=one.pk,
        said=sentence(one),
        about=one.about,
        at=f"{one.created_at:%d %b %Y, %H:%M} UTC",
        iso=one.created_at.isoformat(timespec="seconds"),
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
    return {"url": to.url, "shape": to.shape, "contents": to.contents, "sent": sent, "error": to.last_error or None}
