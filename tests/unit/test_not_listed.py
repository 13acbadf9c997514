"""Why a statement is not there: what Find says of a SQL id that no table lists."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.web.presenters.page import search
from tests.unit.analysis.builders import loaded, statements

BUSY = {"db file sequential read": (100_000, 500.0)}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("8k507ua6gpr54", True), ("8K507UA6GPR54", True), ("sequentialrea", False), ("8k507ua6gpr5", False), ("", False)],
)
def test_what_looks_like_the_id_of_a_statement(text, is_one):
    assert search.is_sql_id(text) is is_one


def bounds(first: dict, second: dict) -> str:
    found = compare_reports(*(loaded(waits=BUSY, more=[statements(s)]) for s in (first, second)))
    section = next(s for s in found.sections if s.id == search.BY_TIME)
    group = search.not_listed(section)
    assert (group["count"], group["found"][0]["target"]) == (0, search.BY_TIME)
    return group["found"][0]["beside"]


def test_it_took_no_longer_than_the_last_of_each_list():
    text = bounds({"a": (900, 10), "b": (40, 10)}, {"a": (900, 10), "c": (700, 1)})
    assert "did not run, or for no longer than the last here" in text
    assert "40.0 s in First" in text
    assert "700 s in Second" in text


def test_a_side_that_lists_none_bounds_nothing():
    text = bounds({"a": (900, 10)}, {})
    assert "in First" in text
    assert "in Second" not in text
