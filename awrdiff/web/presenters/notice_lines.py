"""Notices, and waiting threads, as texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.urls import reverse
from msgspec import Struct, field

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.anchors import pair_or_view
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.comparisons.report_places_and_titles import titles_of
from awrdiff.incidents.queries import incidents_for
from awrdiff.notices.models import Mail, Notice, Shape, TeamNotices
from awrdiff.notices.notice_sentences import path_of, sentence
from awrdiff.notices.queries import Gathered
from awrdiff.threads.models import Turn
from awrdiff.threads.queries import anchor_for
from awrdiff.threads.subjects import of_thread
from awrdiff.web.presenters.threads.author_names import Names, names_in_turns
from awrdiff.web.presenters.threads.list_lines_and_marks import on_page, why
from awrdiff.web.presenters.threads.subject_addresses import of_incident, query_of

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
    text: str = field(name="said")
    about: str
    of: str
    more: int
    at: str
    read: bool
    url: str


class TurnLine(Struct):
    """A thread that waits for the reader. `of`: its comparison or incident; `at`: since when."""

    text: str = field(name="said")
    about: str
    place: str
    of: str
    at: str
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
    of_threads = [(group.says.kind, group.says.thing) for group in gathered if group.says.thread is not None]
    titles = _titles(access, of_threads)
    return [
        NoticeLine(
            id=(notice := group.says).pk,
            text=sentence(notice, group.more),
            about=notice.about,
            of=titles.get(notice.thing, ""),
            more=group.more,
            at=group.last.created_at.isoformat(timespec="seconds"),
            read=notice.read_at is not None,
            url=url_of(notice),
        )
        for group in gathered
    ]


def _titles(access: AccessContext, subjects: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By id; `subjects`: kinds and ids."""
    of: dict[str, set[str]] = {"comparison": set(), "incident": set()}
    for kind, pk in subjects:
        of[kind].add(pk)
    comparisons = list(comparisons_for(access, views=True).filter(pk__in=of["comparison"])) if of["comparison"] else []
    incidents = incidents_for(access).filter(pk__in=of["incident"]) if of["incident"] else ()
    return {str(pk): title for pk, title in titles_of(comparisons).items()} | {str(i.pk): i.title for i in incidents}


def turn_lines(access: AccessContext, turns: Sequence[Turn]) -> list[TurnLine]:
    subjects = {turn: of_thread(turn.thread) for turn in turns}
    titles = _titles(access, ((subject.kind, str(subject.pk)) for subject in subjects.values()))
    known_names = names_in_turns(access, turns, set(subjects.values()))
    return [
        _turn_line(access, turn, titles[str(subject.pk)], known_names[subject])
        for turn, subject in subjects.items()
        if str(subject.pk) in titles
    ]


def _turn_line(access: AccessContext, turn: Turn, title: str, known_names: Names) -> TurnLine:
    thread = turn.thread
    if thread.incident is not None:
        page_url = of_incident(access, thread.incident).page_of(thread)
    else:
        view = query_of(pair_or_view(thread.pair, thread.baseline), 3)  # the pair is named in any case
        page_url = f"{reverse('comparison', args=[thread.comparison_id])}{view}"
    return TurnLine(
        text=why(turn, known_names),
        about=thread.title,
        place=thread.place,
        of=title,
        at=turn.since.isoformat(timespec="seconds"),
        url=on_page(page_url, anchor_for(access, thread), thread.pk),
    )


def url_of(notice: Notice) -> str:
    return path_of(notice.kind, notice.thing, notice.place)


def webhook(to: TeamNotices) -> Webhook | None:
    if not to.url:
        return None
    sent = to.last_sent_at.isoformat(timespec="seconds") if to.last_sent_at else None
    return Webhook(to.url, to.shape, to.contents, to.tickets, sent, to.last_error or None)
