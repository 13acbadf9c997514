"""Owners of action items are told of the due date: once before, once after, and nobody for nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from awrdiff.accounts.models import Membership
from awrdiff.incidents import action_items, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Incident
from awrdiff.notices import notice_sentences, outbox
from awrdiff.notices import services as notices
from awrdiff.notices.models import Delivery, Notice
from awrdiff.processing import work_kinds

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 25, 23, 30, tzinfo=UTC)
TODAY = date(2026, 11, 25)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The day of it all; `put(days)` makes it that many days later."""

    class Clock(datetime):
        at = NOW

        @classmethod
        def now(cls, tz=None):
            return cls.at.astimezone(tz)

    monkeypatch.setattr(action_items, "datetime", Clock)
    monkeypatch.setattr(timezone, "now", lambda: Clock.at)

    def put(days: float) -> None:
        Clock.at = NOW + timedelta(days=days)

    return put


@pytest.fixture
def incident(owner) -> Incident:
    return services.make(owner, services.Typed("Slow Monday", begins_at="2026-11-20T11:05", time_zone="UTC"))


@pytest.fixture
def item(owner, colleague, incident) -> ActionItem:
    """Carl's, due in five days; that he was given it is told and read."""
    due = TODAY + timedelta(days=5)
    typed = TypedAction("Move the logs", owner=str(colleague.user.pk), due=due.isoformat())
    made = action_items.add(owner, incident, typed)
    Notice.objects.all().delete()
    return made


def sent_notices() -> list[str]:
    return [f"{one.user.username} {one.what}" for one in Notice.objects.order_by("id")]


def test_once_before_it_is_due_and_once_after(item, clock):
    heard = []
    for day in range(20):
        clock(day)
        action_items.remind()
        action_items.remind()
        heard.append(len(sent_notices()))
    assert sent_notices() == ["carl due", "carl overdue"]
    assert (heard.index(1), heard.index(2)) == (2, 6)
    said = [notice_sentences.sentence(one) for one in Notice.objects.order_by("id")]
    assert said == ["An action item of yours is due within three days.", "An action item of yours is overdue."]
    found = Notice.objects.first()
    assert (
        notice_sentences.path_of(found.kind, found.thing, found.place)
        == f"/incidents/{item.incident_id}/#action-{item.pk}"
    )
    assert found.about == "Move the logs · Slow Monday"
    assert action_items.remind in [chore.run for chore in work_kinds.CHORES]


def test_another_date_is_told_of_anew(item, owner, clock):
    clock(6)
    action_items.remind()
    Notice.objects.update(read_at=timezone.now())
    later = TypedAction("Move the logs", owner=str(item.owner_id), due=(TODAY + timedelta(days=8)).isoformat())
    action_items.change(owner, item, item.version, later)
    action_items.remind()
    assert sent_notices() == ["carl overdue"]  # it was set a moment ago
    clock(7.5)
    action_items.remind()
    assert sent_notices() == ["carl overdue", "carl due"]


def test_one_that_dies_half_way_leaves_it_to_the_next(item, clock, settings, monkeypatch):
    settings.AWRDIFF_MAILS = True
    clock(3)

    def die(_delivery):
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(notices, "send", die)
        with pytest.raises(RuntimeError):
            action_items.remind()
    assert (sent_notices(), Delivery.objects.count()) == ([], 0)
    assert (action_items.remind(), action_items.remind()) == (1, 0)
    assert (sent_notices(), Delivery.objects.count()) == (["carl due"], 1)


@pytest.mark.parametrize("how", ["done", "given away", "put off", "removed"])
def test_what_is_settled_reminds_nobody_and_takes_its_mail_back(item, owner, clock, settings, how):
    settings.AWRDIFF_MAILS = True
    EmailAddress.objects.create(user=item.owner, email="carl@example.com", verified=True, primary=True)
    clock(6)
    action_items.remind()
    if how == "done":
        action_items.set_state(owner, item, "done")
    elif how == "removed":
        action_items.remove(owner, item)
    else:
        whose, due = (owner.user.pk, item.due) if how == "given away" else (item.owner_id, TODAY + timedelta(days=90))
        action_items.change(owner, item, item.version, TypedAction(item.text, owner=str(whose), due=due.isoformat()))
    assert not Notice.objects.filter(user=item.owner).exists()
    for pk in Delivery.objects.values_list("pk", flat=True):
        outbox.deliver(pk)
    assert not mail.outbox
    action_items.remind()
    assert sent_notices() == (["olivia overdue"] if how == "given away" else [])


def test_what_is_done_while_the_server_looks_is_not_told(item, owner, clock, monkeypatch):
    clock(6)
    inner = action_items.lock_one

    def meanwhile(model, pk):
        ActionItem.objects.update(state="done")
        return inner(model, pk)

    monkeypatch.setattr(action_items, "lock_one", meanwhile)
    assert action_items.remind() == 0


@pytest.mark.parametrize("gone", ["from the team", "inactive", "a guest"])
def test_who_is_gone_hears_nothing(item, clock, gone):
    if gone == "from the team":
        Membership.objects.filter(user=item.owner).delete()
    elif gone == "inactive":
        type(item.owner).objects.filter(pk=item.owner_id).update(is_active=False)
    else:
        Membership.objects.filter(user=item.owner).update(role="guest")
    clock(3)
    assert action_items.remind() == 0
    assert not Notice.objects.exists()


def test_the_day_is_that_of_the_incidents_zone(item, clock):
    """Half past eleven in the evening in Greenwich: the next day in Auckland."""
    clock(5)
    action_items.remind()
    assert sent_notices() == ["carl due"]
    Incident.objects.update(time_zone="Pacific/Auckland")
    action_items.remind()
    assert sent_notices() == ["carl due", "carl overdue"]


def test_what_is_not_kept_is_not_told_twice(item, clock, settings):
    """A notice of a date is kept for as long as it could be told again."""
    settings.AWRDIFF_KEEP_NOTICES_DAYS = 2
    for quarter in range(80):
        clock(quarter / 4)
        if action_items.remind():
            Notice.objects.filter(read_at=None).update(read_at=timezone.now(), created_at=timezone.now())
        told_then = Notice.objects.filter(created_at__lt=timezone.now() - timedelta(days=2))
        told_then.update(once=None)
    assert sent_notices() == ["carl due", "carl overdue"]


def test_the_channel_hears_whose_it_is(item, owner, clock):
    notices.set_team(owner, url="https://hooks.example.com/x", shape="generic", contents=True)
    clock(6)
    action_items.remind()
    event = Delivery.objects.get(way="webhook").event
    assert (
        notice_sentences.text_to_all(event["what"], event["actor"], event["to"]) == "An action item of carl is overdue."
    )
