"""Moments as pages say them, by the clock of the machine where somebody has that to themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

import pytest

from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.page.home import made_at


def test_what_was_made_when():
    now = datetime(2026, 11, 22, 5, 0, tzinfo=UTC)
    said = {made_at(now - timedelta(hours=h), now) for h in (1, 6, 24, 24 * 7, 24 * 400)}
    assert said == {
        "today 04:00 UTC", "yesterday 23:00 UTC", "yesterday 05:00 UTC", "Sun 15 Nov 05:00 UTC", "18 Oct 2025 05:00 UTC",
    }  # fmt: skip


def test_whoever_has_the_machine_to_themselves_reads_moments_by_its_clock(settings, monkeypatch):
    at = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
    assert fmt.moment(at) == "22 Nov 2026 23:30 UTC"
    settings.AWRDIFF_LOCAL_USER = True
    monkeypatch.setattr(fmt, "machine_zone", lambda: ZoneInfo("Europe/Vienna"))
    assert fmt.moment(at) == "23 Nov 2026 00:30"
    assert made_at(at, at + timedelta(hours=1)) == "today 00:30"
    monkeypatch.setattr(fmt, "machine_zone", lambda: UTC)
    assert fmt.moment(at) == "22 Nov 2026 23:30 UTC"


@pytest.mark.parametrize(
    ("link", "zone"),
    [
        ("/usr/share/zoneinfo/Europe/Vienna", "Europe/Vienna"),
        ("/var/db/timezone/zoneinfo/America/New_York", "America/New_York"),
        ("/usr/share/zoneinfo/Etc/UTC", "UTC"),
        ("/usr/share/zoneinfo/Mars/Olympus", "UTC"),
        ("/etc/localtime", "UTC"),
    ],
)
def test_the_machine_s_zone_is_that_of_the_file_its_clock_links_to(monkeypatch, link, zone):
    monkeypatch.setattr(fmt, "Path", lambda _: PurePosixPath(link))
    monkeypatch.setattr(PurePosixPath, "resolve", lambda self: self, raising=False)
    assert str(fmt.machine_zone.__wrapped__()) == zone
