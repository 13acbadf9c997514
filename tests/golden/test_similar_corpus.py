"""Hours of unrelated real databases are not taken for alike, and the same hours printed in another way are."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from awrdiff.analysis.change_similarity import Change, change_of, likeness
from awrdiff.analysis.report.same_database_check import same_database
from parsers.model import Database, Report
from tests.harness.corpus import beside, of_kinds

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def hours(corpus: Path) -> list[tuple[Database, tuple[Report, Report], Change]]:
    """The change between any two reports of one database."""
    reports = of_kinds(corpus, "awr", "awr_global", "statspack")
    pairs = [(a, b) for a, b in combinations(reports, 2) if same_database(a.database, b.database)]
    made = [(a.database, (a, b), change_of(beside(corpus, a, b).ranked)) for a, b in pairs]
    return [(database, of, one) for database, of, one in made if one is not None]


def test_no_two_of_different_databases_are_alike(hours):
    others = [(a, b) for a, b in combinations(hours, 2) if not same_database(a[0], b[0])]
    assert len(others) >= 50
    assert [(a[1], b[1]) for a, b in others if likeness(a[2], b[2])] == []


def test_the_same_hours_are_alike_in_html_text_and_statspack(hours):
    own = [made for database, _, made in hours if database.name == "DBM11203"]
    assert len(own) >= 6
    assert all(likeness(a, b) for a, b in combinations(own, 2))
