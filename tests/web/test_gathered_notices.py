"""Of a thread one notice until it is read, and a mail at most every few minutes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.notices import queries, services
from awrdiff.notices.models import Delivery, Notice, TeamNotices
from tests.web.test_notices import HTML, JSON, comparison, confirmed, mails, send_all, tell

pytestmark = pytest.mark.django_db
__all__ = ["comparison", "mails"]


def of_thread(comparison: Comparison, who: AccessContext, what: str = "answered", thread: int = 5, **more) -> None:
    tell(comparison, who, what=what, thread=thread, place=f"?pair=0#thread={thread}", about="log file sync", **more)


@pytest.fixture
def minutes(monkeypatch):
    """Moves the clock to that many minutes from now."""
    now = timezone.now()

    def to(count: float) -> None:
        monkeypatch.setattr(timezone, "now", lambda: now + timedelta(minutes=count))

    to(0)
    return to


def listed(sign_in, access: AccessContext) -> dict:
    return sign_in(access).get("/notices/", headers=JSON).json()


def test_a_thread_is_one_notice_until_it_is_read(sign_in, owner, colleague, comparison):
    for what in ("answered", "mentioned", "answered"):
        of_thread(comparison, colleague, what, actor=owner.user)
    of_thread(comparison, colleague, thread=6)
    tell(comparison, colleague, what="ready")
    found = listed(sign_in, colleague)
    assert (found["unread"], [one["more"] for one in found["notices"]]) == (3, [0, 0, 2])
    said = found["notices"][2]
    assert said["said"].startswith("olivia mentioned you in “log file sync”."), "a mention is not lost among answers"
    assert said["of"] == "Zebra"
    services.read(colleague, said["id"])
    assert queries.unread(colleague) == 2
    of_thread(comparison, colleague)
    again = listed(sign_in, colleague)
    assert (again["unread"], [(one["read"], one["more"]) for one in again["notices"]]) == (
        3,
        [(False, 0), (False, 0), (False, 0), (True, 2)],
    )


def test_what_was_told_last_stands_first_and_each_page_has_each_line_once(sign_in, colleague, comparison, monkeypatch):
    monkeypatch.setattr(queries, "PAGE", 2)
    for thread in (1, 2, 3, 1, 4, 2):
        of_thread(comparison, colleague, thread=thread)
    first, following = queries.page_of(colleague, None)
    rest, end = queries.page_of(colleague, following)
    assert [(one.last.thread, one.more) for one in (*first, *rest)] == [(2, 1), (4, 0), (1, 1), (3, 0)]
    assert end is None
    page = sign_in(colleague).get("/notices/", headers=HTML).content.decode()
    assert "answered in a thread of yours. 1 more in this thread." in page


def test_nobody_elses_thread_is_gathered_with_ones_own(owner, colleague, comparison):
    for who in (owner, colleague, owner):
        of_thread(comparison, who)
    services.read(owner, Notice.objects.filter(user=owner.user).latest("pk").pk)
    assert (queries.unread(owner), queries.unread(colleague)) == (0, 1)


def test_a_thread_mails_at_most_every_few_minutes(mails, colleague, comparison, minutes):
    confirmed(colleague)
    of_thread(comparison, colleague)
    send_all()
    for at in (1, 2):
        minutes(at)
        of_thread(comparison, colleague)
        of_thread(comparison, colleague, thread=6 + at)  # another thread waits for none
        send_all()
    assert (len(mail.outbox), Delivery.objects.count()) == (3, 1)
    minutes(5.1)
    send_all()
    assert len(mail.outbox) == 4
    assert "1 more in this thread" in mail.outbox[-1].body
    minutes(6)
    of_thread(comparison, colleague)
    send_all()
    assert len(mail.outbox) == 4, "five minutes after the second, not after the first"
    minutes(10.2)
    send_all()
    assert len(mail.outbox) == 5


def test_what_was_read_before_its_mail_is_due_is_not_mailed(mails, colleague, comparison, minutes):
    confirmed(colleague)
    for _ in range(2):
        of_thread(comparison, colleague)
    send_all()
    services.read_all(colleague)
    minutes(6)
    send_all()
    assert len(mail.outbox) == 1


def test_a_clock_that_was_put_back_holds_no_mail_up(mails, colleague, comparison, minutes):
    minutes(600)
    of_thread(comparison, colleague)
    minutes(0)
    of_thread(comparison, colleague)
    assert Delivery.objects.earliest("due_at").due_at <= timezone.now() + timedelta(minutes=5)


@pytest.mark.parametrize("contents", [True, False])
def test_a_mail_names_the_thread_where_contents_may_go_out(mails, owner, colleague, comparison, contents):
    TeamNotices.objects.create(team=owner.team, contents=contents)
    confirmed(colleague)
    of_thread(comparison, colleague, actor=owner.user)
    of_thread(comparison, colleague, "mentioned", thread=6, actor=owner.user)
    send_all()
    subjects = {one.subject for one in mail.outbox}
    named = {
        "[awrdiff] log file sync: olivia answered in a thread of yours.",
        "[awrdiff] olivia mentioned you in “log file sync”.",
    }
    plain = {"[awrdiff] olivia answered in a thread of yours.", "[awrdiff] olivia mentioned you in a thread."}
    assert subjects == (named if contents else plain)
    assert any("log file sync" in one.body for one in mail.outbox) == contents
