"""A share link has a rate: who holds it costs little, whatever they ask for, and a reader never meets the limit."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisAway

from awrdiff.accounts import rate_limits
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing import access as link_access
from awrdiff.sharing.models import ShareLink
from awrdiff.web.streamed_downloads import CutShort
from tests.web.compared import comparison as built
from tests.web.compared import waits_section
from tests.web.pages import body, store_comparison
from tests.web.share import create_link
from tests.web.test_streams import large  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
BELOW = ("", "sections/foreground_wait_events/", "search/?q=log", "commit/", "export.md", "export.json", "export.csv")


@pytest.fixture(autouse=True)
def one_minute(monkeypatch):
    """The minute does not change while a test runs; other tests counted other links."""
    cache.clear()
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_020.0)
    link_access._running.clear()


@pytest.fixture
def shared(owner, reports) -> str:
    stored = store_comparison(owner, reports, built((waits_section(10),)))
    return create_link(owner, stored, days=7)[1]


def answers(path: str, times: int, **headers: str) -> list[int]:
    return [Client().get(path, headers=headers).status_code for _ in range(times)]


def test_a_hundred_and_twenty_a_minute_then_429(shared, settings):
    assert settings.AWRDIFF_LINK_RATE == 120
    assert answers(f"{shared}search/", 121) == [200] * 120 + [429]
    page = Client().get(shared)
    assert page.status_code == 429
    assert page["Retry-After"] == "60"
    assert "works again in 60 s" in page.content.decode()
    assert page["Referrer-Policy"] == "no-referrer"
    assert Client().get(shared, headers=JSON).json()["error"].startswith("This link was used too often")


@pytest.mark.parametrize("below", BELOW)
def test_every_address_below_the_link_counts(shared, settings, below):
    settings.AWRDIFF_LINK_RATE = 10
    seen = answers(shared + below, 45)
    assert seen[0] == 200
    assert seen[-1] == 429


def test_what_reads_every_report_by_itself_counts_four_times(shared, settings):
    settings.AWRDIFF_LINK_RATE = 10
    trend = answers(f"{shared}trend/?section=load_profile", 3)
    assert trend[0] == trend[1] != 429
    assert trend[2] == 429


def test_the_next_minute_is_a_new_one(shared, settings, monkeypatch):
    settings.AWRDIFF_LINK_RATE = 1
    assert answers(shared, 2) == [200, 429]
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_080.0)
    assert answers(shared, 2) == [200, 429]


def test_one_link_is_not_held_up_by_another(owner, shared, settings):
    settings.AWRDIFF_LINK_RATE = 1
    _, other = create_link(owner, Comparison.objects.get(), days=7)
    assert answers(shared, 2) == [200, 429]
    assert answers(other, 1) == [200]


@pytest.mark.thorough
def test_a_reader_does_not_meet_it(shared):
    """A page, two hundred sections opened by scrolling, a filter typed in ten steps, the commit page, two exports."""
    asked = [shared, f"{shared}commit/", f"{shared}export.md", f"{shared}export.csv"]
    asked += [f"{shared}search/?q={'log file s'[:n]}" for n in range(1, 11)]
    client = Client()
    assert {client.get(path).status_code for path in asked} == {200}
    section = f"{shared}sections/foreground_wait_events/"
    assert {client.get(section, headers={"HX-Request": "true"}).status_code for _ in range(200)} == {200}


def test_members_and_files_do_not_count(sign_in, owner, shared, settings):
    settings.AWRDIFF_LINK_RATE = 1
    made = Comparison.objects.get()
    client = sign_in(owner)
    assert {client.get(f"/comparisons/{made.pk}/export.csv").status_code for _ in range(5)} == {200}
    assert answers(shared, 1) == [200]


@pytest.mark.parametrize("headers", [{}, JSON])
def test_two_at_a_time(owner, large, headers):  # noqa: F811
    _, path = create_link(owner, large, days=7)
    address = f"{path}sections/waits_1/" if headers else f"{path}export.json"
    first, second, third = (Client().get(address, headers=headers) for _ in range(3))
    assert (first.status_code, second.status_code, third.status_code) == (200, 200, 429)
    assert third["Retry-After"] == "5"
    body(first)
    assert Client().get(address, headers=headers).status_code == 200


@pytest.mark.parametrize("end", ["revoked_at", "expires_at"])
def test_an_export_ends_with_its_link(owner, large, end, monkeypatch):  # noqa: F811
    monkeypatch.setattr("awrdiff.web.streamed_downloads.LOOK_EVERY_S", 0)
    link, path = create_link(owner, large, days=7)
    answer = Client().get(f"{path}export.json")
    chunks = iter(answer.streaming_content)
    next(chunks)
    ShareLink.objects.filter(pk=link.pk).update(**{end: timezone.now()})
    assert b"THIS FILE IS NOT WHOLE. The link" in next(chunks)
    with pytest.raises(CutShort):
        next(chunks)
    answer.close()
    assert not link_access._running


def test_a_refused_export_frees_its_place(owner, large):  # noqa: F811
    _, path = create_link(owner, large, days=7)
    assert [Client().get(f"{path}export.exe").status_code for _ in range(4)] == [404] * 4
    assert not link_access._running


def test_what_is_sent_counts(owner, large):  # noqa: F811
    link, path = create_link(owner, large, days=7)
    answer = Client().get(f"{path}export.json")
    size = len(body(answer))
    assert size > 2_000_000
    assert (
        cache.get(rate_limits.minute_key(f"link:{link.pk}"))
        == link_access.EXPORT + size // 1_000_000 * link_access.MEGABYTE
    )


def test_a_cache_that_is_away_stops_nobody(shared, monkeypatch):
    def away(*_, **__):
        raise RedisAway("no")

    monkeypatch.setattr(cache, "add", away)
    assert answers(shared, 3) == [200] * 3
