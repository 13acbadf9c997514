"""Lists and pages over 100,000 reports and 20,000 comparisons: what SQLite plans for each question that a page asks.

PostgreSQL's plans are asked for by tests/processes/test_plans.py.
"""

from __future__ import annotations

import pytest

from tests.harness import plans

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


@pytest.fixture(scope="module")
def many(lasting) -> dict[str, str]:
    """The addresses of the pages, by what they are called."""
    with lasting():
        return plans.filled()


@pytest.mark.parametrize("page", plans.PAGES)
def test_no_page_reads_a_whole_table_that_grows(accounts, many, page, record_property):
    questions = plans.queries_of(many[page])
    took = {one.sql: one.took_ms() for one in questions}
    worst = max(questions, key=lambda one: took[one.sql])
    record_property("sql_ms", round(sum(took.values()), 1))
    print(f"{page}: {len(questions)} questions, {sum(took.values()):.1f} ms; {took[worst.sql]:.1f} ms of it:")
    print(worst.sql, worst.plan(), sep="\n")
    walked = [one for one in questions if one.walked()]
    assert not walked, "\n".join(f"{one.walked()}: {one.sql}\n{one.plan()}" for one in walked)


def test_a_whole_index_that_postgresql_maps_is_its_table_read_as_a_whole():
    part = "  ->  Bitmap Index Scan on by_team  (cost=0.00..1.00 rows=9)"
    mapped = f"Bitmap Heap Scan on reports_report  (cost=1.00..2.00 rows=9)\n{part}"
    assert plans._walked_by_postgresql(mapped) == ["reports_report"]
    assert plans._walked_by_postgresql(f"{mapped}\n        Index Cond: (team_id = 1)") == []


def test_a_scan_is_of_every_table_that_its_alias_stands_for(monkeypatch):
    parts = (f'EXISTS(SELECT 1 FROM "{table}" U0)' for table in ("reports_report", "accounts_team"))
    monkeypatch.setattr(plans.connection, "vendor", "sqlite")
    monkeypatch.setattr(plans.Question, "plan", lambda self: "SCAN U0")
    assert plans.Question(f"SELECT {' AND '.join(parts)}", ()).walked() == {"reports_report"}
