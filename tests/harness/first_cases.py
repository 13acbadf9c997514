"""Choice of tests for a second Python: each test's first case, and all cases that use the database.

A Python differs from another in what a test runs, hardly in one of its cases; databases differ in single values.
`AWRDIFF_FIRST_CASES` asks for it.
"""

from __future__ import annotations

import pytest

ASKED = "AWRDIFF_FIRST_CASES"
OF_DATABASE = {"db", "transactional_db", "django_db_setup"}


def keep(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the items that are not chosen."""
    names: set[object] = set()
    chosen, left_out = [], []
    for item in items:
        # pytest's -m has yet to choose among them: cases of other marks are cases of another test
        name = item.nodeid.partition("[")[0], frozenset(mark.name for mark in item.iter_markers())
        (chosen if uses_database(item) or name not in names else left_out).append(item)
        names.add(name)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = chosen


def uses_database(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not OF_DATABASE.isdisjoint(fixtures)
