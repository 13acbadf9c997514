"""With three reports or more the page opens on the latest against the one before it; what scripts read stays as it was."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from awrdiff.comparisons import queries
from awrdiff.comparisons.pairs import latest_pair, pair_of_places, places_of_pair
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.stored import stored_pairs
from awrdiff.comparisons.tasks import compute_now
from tests.web.builders import small_report
from tests.web.conftest import store_parsed

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


def test_what_is_taken_away_holds_first_against_each(risen):
    begun = [[h["snapshots"]["begin"]["time"][11:16] for h in one.headers] for one in stored_pairs(risen)]
    assert begun == [["09:00", "10:00"], ["09:00", "11:00"]]
