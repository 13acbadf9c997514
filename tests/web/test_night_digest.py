"""The team is told once a day, at the hour that an owner chose, and nothing leaves that the team does not let out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from awrdiff.databases.errors import DatabaseRefused
from awrdiff.fleet import digests
from awrdiff.fleet.models import Digest
from awrdiff.notices.models import Delivery, Notice, TeamNotices
from fixtures.fleet.hours import BEGIN, HOUR, Planted, fleet, hours_of, plant
from tests.web.conftest import context_of
from tests.web.fleets import measure_all, store_fleet

pytestmark = pytest.mark.django_db
MORNING = datetime(2025, 1, 8, 7, 20, tzinfo=UTC)


@pytest.fixture
def team(owner, colleague, guest, monkeypatch):
    (one,) = fleet(1, 3)
    planted = plant(one, Planted("load step", 50, 51, 30.0))
    store_fleet(owner, [(planted, [hour for hour in hours_of(planted, 55) if not hour.is_burst])])
    measure_all()
    at(monkeypatch, datetime(2025, 1, 7, 12, tzinfo=UTC))
    return owner


def at(monkeypatch, moment):
    monkeypatch.setattr(timezone, "now", lambda: moment)


def sent_digests():
    return list(Notice.objects.filter(what="night").order_by("user__username").values_list("user__username", "about"))


def test_off_until_an_owner_chooses_an_hour(team, monkeypatch):
    at(monkeypatch, MORNING)
    assert (digests.gather(), sent_digests()) == (0, [])


def test_once_at_that_hour_to_all_but_guests(team, monkeypatch):
    digests.choose(team, "7", "")
    at(monkeypatch, MORNING - timedelta(hours=1))
    assert digests.gather() == 0
    at(monkeypatch, MORNING)
    assert digests.gather() == 1
    assert digests.gather() == 0
    assert [name for name, _ in sent_digests()] == ["carl", "olivia"]
    about = sent_digests()[0][1]
    assert about.startswith("1 of 1 databases beyond normal: DB000 +")
    assert about.endswith(f" at {(BEGIN + 50 * HOUR):%H:%M}.")
    at(monkeypatch, MORNING + timedelta(days=1))
    assert digests.gather() == 1
    assert "no report in time of DB000" in sent_digests()[1][1] + sent_digests()[0][1] + sent_digests()[-1][1]


def test_the_hour_is_of_the_zone(team, monkeypatch):
    digests.choose(team, "7", "America/New_York")
    at(monkeypatch, MORNING)
    assert digests.gather() == 0
    at(monkeypatch, MORNING + timedelta(hours=5))
    assert digests.gather() == 1


def test_an_hour_that_is_over_today_is_tomorrows(team, monkeypatch):
    digests.choose(team, "7", "")
    assert digests.gather() == 0  # it is 12
    at(monkeypatch, MORNING)
    assert digests.gather() == 1


def test_the_webhook_gets_no_names_unless_the_team_lets_them_out(team, monkeypatch):
    TeamNotices.objects.create(team=team.team, url="https://chat.example/hook")
    digests.choose(team, "7", "")
    at(monkeypatch, MORNING)
    digests.gather()
    from awrdiff.notices.webhooks import message

    sent = Delivery.objects.get(way="webhook")
    for contents in (False, True):
        body = message(sent, TeamNotices(team=team.team, contents=contents))
        assert ("DB000" in str(body)) is contents
        assert body["url"].endswith("/databases/")


@pytest.mark.parametrize(("hour", "zone"), [("24", ""), ("-1", ""), ("x", ""), ("7", "Mars/Base"), ("７", "")])
def test_what_is_no_hour_or_zone_is_refused(team, hour, zone):
    with pytest.raises(DatabaseRefused):
        digests.choose(team, hour, zone)
    assert not Digest.objects.exists()


def test_only_an_owner_chooses_and_never_again_ends_it(team, monkeypatch):
    with pytest.raises(PermissionDenied):
        digests.choose(context_of("carl", "Payments"), "7", "")
    digests.choose(team, "7", "")
    digests.choose(team, "", "")
    at(monkeypatch, MORNING)
    assert digests.gather() == 0
