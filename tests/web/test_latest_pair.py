"""With three reports or more the page opens on the latest against the one before it; what scripts read stays as it was."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import pytest

from awrdiff.comparisons import queries
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_pairs import latest_pair, pair_of_places, places_of_pair
from awrdiff.comparisons.result_storage import pack_overviews
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.stored_comparison_export import stored_pairs
from awrdiff.comparisons.tasks import compute_now
from tests.web.builders import small_report
from tests.web.conftest import store_parsed
from tests.web.pages import body


@pytest.fixture(autouse=True)
def client(sign_in, owner):
    return sign_in(owner)


BEGIN = datetime(2024, 1, 1, 9, 0)


def compared(access, *waits: float):
    reports = [
        small_report(f"{n}.html", begin=(BEGIN + timedelta(hours=n)).isoformat(), waits=one)
        for n, one in enumerate(waits)
    ]
    made = create_comparison(access, [store_parsed(access, r) for r in reports], order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.fixture
def risen(owner):
    """Only the last of three waits for longer."""
    return compared(owner, 1000.0, 1000.0, 90_000.0)


@pytest.mark.parametrize(
    ("reports", "places"),
    [(2, [(0, 1)]), (3, [(0, 1), (0, 2), (1, 2)]), (5, [(0, 1), (0, 2), (0, 3), (0, 4), (3, 4)])],
)
def test_the_pairs_of_so_many_reports(reports, places):
    assert [places_of_pair(pair, reports) for pair in range(latest_pair(reports) + 1)] == places
    assert [pair_of_places(*two, reports) for two in places] == list(range(len(places)))
    assert pair_of_places(1, 0, reports) is None


def test_the_latest_against_the_one_before_it_is_stored(risen):
    latest = queries.overview(risen, latest_pair(3))
    begun = [header["snapshots"]["begin"]["time"] for header in latest.headers]
    assert begun == ["2024-01-01T10:00:00", "2024-01-01T11:00:00"]
    assert {s.section_id for s in queries.rail(risen, 2)} == {s.section_id for s in queries.rail(risen)}
    assert latest.ranked.movers
    assert not queries.overview(risen).ranked.movers


def page(client, made, more="", follow=True):
    answer = client.get(f"/comparisons/{made.pk}/{more}", follow=follow, headers={"Accept": "text/html"})
    return answer, body(answer).decode()


def test_the_page_opens_on_it_and_says_so_in_every_address(client, risen):
    answer, _ = page(client, risen, "?material=0.5&second=1", follow=False)
    assert (answer.status_code, answer["Location"]) == (302, f"/comparisons/{risen.pk}/?material=0.5&pair=2")
    _, html = page(client, risen)
    assert 'data-pair="2"' in html
    assert "1 Jan 2024 10:00 – 11:00 → 11:00 – 12:00 and 1 more" in html
    own = re.findall(rf'href="/comparisons/{risen.pk}/([a-z]+(?:/|[.](?:md|html)))([^"]*)"', html)
    assert {path for path, asked in own if "pair=2" not in asked} <= {"delete/", "trend/", "threads/"}
    assert {"commit/", "export.md", "export.html"} <= {path for path, _ in own}


def test_each_pair_stays_within_reach(client, risen):
    _, html = page(client, risen)
    choice = html.split("data-pair-choice")[1].split("</select>")[0]
    assert re.findall(r'value="(\d)"( selected)?', choice) == [("2", " selected"), ("0", ""), ("1", "")]
    assert choice.count("against the one before it") == 1
    answer, oldest = page(client, risen, "?pair=0", follow=False)
    assert answer.status_code == 200
    assert 'data-pair="0"' in oldest
    assert re.search(rf'/comparisons/{risen.pk}/commit/[?]pair=0"', oldest)
    answer, _ = page(client, risen, "?baseline=1&second=2", follow=False)
    assert answer["Location"] == f"/comparisons/{risen.pk}/?pair=2"


def test_the_verdict_on_the_page_and_in_texts_is_that_of_the_pair(client, risen):
    said = queries.overview(risen, 2).summary
    assert said != queries.overview(risen).summary
    summary = body(client.get(f"/comparisons/{risen.pk}/export.md?pair=2&part=summary")).decode()
    assert summary.index("2024-01-01 10:00:00 →") < summary.index("2024-01-01 09:00:00 →")
    assert f"/comparisons/{risen.pk}/?pair=2>" in summary.split("\n# ")[0]
    pins = body(client.get(f"/comparisons/{risen.pk}/pins.md")).decode()
    assert " ".join(said.split())[:40] in pins.replace("\\", "")


def test_scripts_read_what_they_read_before(client, risen):
    there = f"/comparisons/{risen.pk}/export.json"
    document = json.loads(body(client.get(f"{there}?pair=2&part=summary")))
    assert [(one["first"], one["second"]) for one in document["pairs"]] == [(0, 1), (0, 2)]
    assert document["summary"] == queries.overview(risen).summary
    answer = client.get(f"/comparisons/{risen.pk}/", headers={"Accept": "application/json"})
    assert answer.status_code == 200


def test_what_an_older_version_stored_opens_on_the_last_pair_it_has(client, risen):
    kept = [queries.overview(risen, pair) for pair in (0, 1)]
    Comparison.objects.filter(pk=risen.pk).update(overview=pack_overviews(kept))
    risen.sections.filter(pair=2).delete()
    answer, html = page(client, risen, follow=False)
    assert answer["Location"].endswith("?pair=1")
    answer, html = page(client, risen)
    assert answer.status_code == 200
    assert "against the one before it" not in html
    answer, html = page(client, risen, "?baseline=1&second=2", follow=False)
    assert answer.status_code == 200
    assert "against the median of" in html or "Second" in html


def test_places_in_other_pairs_keep_their_pair(client, risen):
    """What was pinned in the first pair leads there, not to the pair that opens."""
    pinned = client.post(
        f"/comparisons/{risen.pk}/pins/",
        {"anchor": "foreground_wait_events", "pair": "0"},
        headers={"Accept": "application/json"},
    )
    assert pinned.json()["url"] == f"/comparisons/{risen.pk}/?pair=0#foreground_wait_events"


def test_two_reports_are_one_pair(client, owner):
    answer, html = page(client, compared(owner, 1000.0, 90_000.0), follow=False)
    assert answer.status_code == 200
    assert not re.search("[?;]pair=", html)


def test_what_is_taken_away_holds_first_against_each(risen):
    begun = [[h["snapshots"]["begin"]["time"][11:16] for h in one.headers] for one in stored_pairs(risen)]
    assert begun == [["09:00", "10:00"], ["09:00", "11:00"]]
