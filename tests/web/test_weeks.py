"""The week of a team: told once, to whoever asked for it, of what they may read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone
from django.utils.html import escape

from awrdiff.accounts.models import Membership, Team
from awrdiff.incidents import action_items, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.notices import services as notices
from awrdiff.notices.models import Delivery, Notice, NoticeChoice, TeamNotices
from awrdiff.postmortems import second_reviews, weekly_summary
from awrdiff.postmortems import services as postmortems
from awrdiff.processing import work_kinds
from tests.web.pages import check_markup
from tests.web.test_notices import HTML, JSON, confirmed, mails, send_all

__all__ = ["mails"]
pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """`put(hours)` makes it that many hours after Monday, six o'clock."""

    def put(hours: float) -> None:
        monkeypatch.setattr(timezone, "now", lambda: MONDAY + timedelta(hours=hours))

    put(-100)
    return put


def chosen(sign_in, *people) -> None:
    for one in people:
        assert sign_in(one).post("/notices/mail/", {"weekly": ["0", "1"]}, headers=JSON).status_code == 204


def made(owner, title: str, begins: str = "2026-11-20T11:05"):
    return services.make(owner, services.Typed(title, begins_at=begins, time_zone="UTC"))


def recipients() -> list[str]:
    return sorted(one.user.username for one in Notice.objects.filter(what="week"))


def test_once_on_monday_to_whoever_asked_for_it(sign_in, owner, colleague, clock):
    made(owner, "Slow Monday")
    chosen(sign_in, colleague)
    assert weekly_summary.tell() == 0  # they asked on Wednesday
    clock(-0.1)
    assert weekly_summary.tell() == 0
    heard = []
    for hours in (0, 0, 1, 100, 167.9, 168, 169):
        clock(hours)
        weekly_summary.tell()
        heard.append(len(recipients()))
    assert heard == [1, 1, 1, 1, 1, 2, 2]
    assert set(recipients()) == {"carl"}
    assert weekly_summary.tell in [chore.run for chore in work_kinds.CHORES]
    sign_in(colleague).post("/notices/mail/", {"weekly": "0"}, headers=JSON)
    clock(400)
    assert weekly_summary.tell() == 0


def test_a_sweeper_that_dies_half_way_told_nothing_and_the_next_tells_it(sign_in, owner, colleague, clock, monkeypatch):
    made(owner, "Slow Monday")
    chosen(sign_in, colleague)
    clock(1)
    real = weekly_summary.notify

    def dies(*given, **more):
        real(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(weekly_summary, "notify", dies)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        weekly_summary.tell()
    assert recipients() == []
    monkeypatch.setattr(weekly_summary, "notify", real)
    assert (weekly_summary.tell(), weekly_summary.tell()) == (1, 0)


def test_who_cannot_be_told_keeps_back_nobody(sign_in, owner, colleague, clock, monkeypatch):
    made(owner, "Slow Monday")
    chosen(sign_in, colleague, owner)
    clock(1)
    real = weekly_summary.week_of

    def fails(access):
        if access.user == colleague.user:
            raise RuntimeError
        return real(access)

    monkeypatch.setattr(weekly_summary, "week_of", fails)
    assert weekly_summary.tell() == 1
    assert recipients() == [owner.user.username]
    monkeypatch.setattr(weekly_summary, "week_of", real)
    assert weekly_summary.tell() == 1


def test_what_it_says(sign_in, owner, colleague, stranger, clock, mails):
    confirmed(colleague)
    clock(-300)
    old = made(owner, "Long ago", "2026-10-01T10:00")
    services.set_status(owner, old, "resolved")
    clock(-100)
    slow = made(owner, "Slow <Monday>")
    for text, due in (("late", "2026-11-22"), ("today", "2026-11-23"), ("soon", "2026-11-30"), ("later", "2026-12-01")):
        action_items.add(owner, slow, TypedAction(text, due=due))
    ended = made(owner, "Ended")
    services.set_status(owner, ended, "resolved")
    reviewed = made(owner, "Reviewed", "2026-11-20T11:04")
    services.set_status(owner, reviewed, "resolved")
    for one in (ended, reviewed, slow):
        postmortems.draft(owner, one)
    second_reviews.ask(owner, ended.postmortem, str(colleague.user.pk))
    postmortems.review(owner, reviewed.postmortem, seen_version=reviewed.postmortem.version)
    Notice.objects.all().delete()
    Delivery.objects.all().delete()
    chosen(sign_in, colleague)
    clock(1)
    lists = sign_in(colleague).get("/incidents/?week=1", headers=JSON).json()["lists"]
    said = {one["said"]: [line["text"] for line in one["lines"]] for one in lists}
    assert said == {
        "1 open incident": ["Slow <Monday>"],
        "1 action item overdue": ["late"],
        "2 action items due within a week": ["today", "soon"],
        "1 post-mortem waits for a review": ["Ended"],
        "2 incidents resolved": ["Ended", "Reviewed"],
    }
    html = sign_in(colleague).get("/incidents/?week=1", headers=HTML).content.decode()
    check_markup(html)
    assert "Slow &lt;Monday&gt;" in html
    assert weekly_summary.tell() == 1
    send_all()
    (sent,) = mail.outbox
    assert "1 open incident, 1 action item overdue" in sent.body
    assert "Slow" not in sent.body  # the team sends no titles
    path = f"/incidents/?week=1&team={owner.team.pk}"
    assert path in sent.body
    client = sign_in(colleague)
    assert client.get(path, headers=HTML).status_code == 200
    former = client.get(f"/incidents/week/?team={owner.team.pk}", headers=HTML)  # of mails of before
    assert (former.status_code, former["Location"]) == (301, path)
    Membership.objects.create(user=colleague.user, team=stranger.team)
    client.post(f"/teams/{stranger.team.pk}/")
    found = client.get(path, headers=HTML)
    assert found.status_code == 404
    assert f'value="{escape(path)}"' in found.content.decode()  # where to go on after looking at the other team
    TeamNotices.objects.create(team=owner.team, url="https://hooks.example.com/", contents=True)
    clock(169)
    weekly_summary.tell()
    assert not Delivery.objects.filter(way="webhook").exists()
    send_all()
    assert "- Slow <Monday> (severity 3 moderate)" in mail.outbox[1].body
    Team.objects.filter(pk=owner.team.pk).update(second_factor_required=True)  # which the colleague lacks
    clock(337)
    weekly_summary.tell()
    send_all()
    assert path in mail.outbox[2].body
    assert "open incident" not in mail.outbox[2].body


def test_a_cause_that_came_back(owner, clock, monkeypatch):
    """Of two incidents, the latest of which began in the week."""
    first, second_one, old = made(owner, "A"), made(owner, "B"), made(owner, "C", "2026-10-20T10:00")
    causes = [
        weekly_summary.statistics.Cause("Redo logs are small.", [first, second_one]),
        weekly_summary.statistics.Cause("Once.", [first]),
        weekly_summary.statistics.Cause("Before.", [old, old]),
    ]
    found = type("Found", (), {"causes": causes})
    monkeypatch.setattr(weekly_summary.statistics, "statistics_of", lambda *_: found)
    (group,) = [one for one in weekly_summary.week_of(owner) if "came back" in one.heading]
    assert [(one.text, one.beside) for one in group.lines] == [("Redo logs are small.", "in 2 incidents")]


def test_nobody_hears_of_what_they_may_not_read_nor_of_nothing(sign_in, owner, colleague, guest, stranger, clock):
    everybody = (owner, colleague, guest, stranger)
    for one in everybody:
        notices.choose_weekly(one, weekly=True)
    clock(1)
    assert weekly_summary.tell() == 0  # there is nothing
    assert NoticeChoice.objects.filter(last_week_at=timezone.now()).count() == 4
    made(owner, "Slow Monday", "2026-11-23T06:30")
    assert weekly_summary.tell() == 0  # the week was looked at
    clock(169)
    Membership.objects.filter(user=owner.user).update(role="reader")
    assert weekly_summary.tell() == 2
    assert recipients() == ["carl", "olivia"]
    assert sign_in(guest).get("/incidents/?week=1", headers=JSON).status_code == 404
    assert sign_in(stranger).get("/incidents/?week=1", headers=JSON).json() == {"lists": []}
    Membership.objects.filter(user=colleague.user).update(role="guest")
    assert list(weekly_summary.mail_lines(Notice.objects.get(user=colleague.user))) == []
