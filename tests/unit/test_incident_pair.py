"""The pair of an attached comparison that an incident tells of."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from awrdiff.incidents import bad_hour_selection


@pytest.mark.parametrize(
    ("reports", "bad", "pair"),
    [
        (4, None, 3),  # nobody named the bad hour: the pair that opens, the last two
        (4, 3, 3),
        (4, 2, 3),
        (4, 0, 0),  # First is in each of its own
        (4, 1, 0),  # First with the second report
        (5, 2, 1),
        (2, 1, 0),
        (1, 0, 0),
    ],
)
def test_it_holds_the_bad_hour(monkeypatch, reports, bad, pair):
    monkeypatch.setattr(bad_hour_selection, "reports_count", lambda attached: reports)
    assert bad_hour_selection.own_pair(SimpleNamespace(bad=bad)) == pair
