"""Lists over 100,000 reports and 20,000 comparisons: what the database plans for each question that a page asks.

Run on SQLite alone. It knows PostgreSQL's plans too, for whoever asks by hand (`python -m tests.harness.on_postgresql`):
of so few rows these may still read a small table whole.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client

from awrdiff.reports.models import Report, ReportSection
from tests.harness.many_rows import fill
from tests.web.conftest import context_of, store_report
from tests.web.pages import store_comparison

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
REPORTS, COMPARISONS = 100_000, 20_000
MANY = UUID("10000000-0000-0000-0000-000000000007")  # one of them
COUNTS = {"api databases"}  # the comparisons of fifty databases: of a sixth of all rows, no index is the better way
GROWING = [
    "reports_report",
    "reports_reportsection",
    "comparisons_comparison",
    "comparisons_comparisonreport",
    "search_indexed",
]


@dataclass
class Question:
    sql: str
    given: Any

    def plan(self) -> str:
        how = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET enable_seqscan = off")
            cursor.execute(f"{how} {self.sql}", self.given)
            said = "\n".join(str(row[-1]) for row in cursor.fetchall())
            if connection.vendor == "postgresql":
                cursor.execute("RESET enable_seqscan")
        return said

    def took_ms(self) -> float:
        """The better of two: what else the machine does is none of it."""
        return min(self._took_ms() for _ in range(2))

    def _took_ms(self) -> float:
        began = time.perf_counter()
        with connection.cursor() as cursor:
            cursor.execute(self.sql, self.given)
            cursor.fetchall()
        return (time.perf_counter() - began) * 1000

    def walked(self) -> set[str]:
        """Growing tables of which it reads every row, or every entry of an index, because no index answers it."""
        aliases = {alias: table for table, alias in re.findall(r'"(\w+)" (?:AS )?"?([A-Z]\d+)"?', self.sql)}
        found = _walked_by_sqlite(self.plan()) if connection.vendor == "sqlite" else _walked_by_postgresql(self.plan())
        return {table for table in (aliases.get(one, one) for one in found) if table in GROWING}


def _walked_by_sqlite(plan: str) -> list[str]:
    return re.findall(r"SCAN (\w+)", plan)


def _walked_by_postgresql(plan: str) -> list[str]:
    """The plan is one without sequential scans where there is any other: of so few rows it may find them cheaper."""
    steps = re.split(r"\n(?= *->)", plan)
    scans = [
        (re.search(r"(Seq|Index|Index Only) Scan (?:Backward )?(?:using \w+ )?on (\w+)", one), one) for one in steps
    ]
    return [found[2] for found, step in scans if found and (found[1] == "Seq" or "Index Cond" not in step)]


@pytest.fixture(scope="module")
def many(lasting) -> dict[str, str]:
    """The addresses of the pages, by what they are called."""
    with lasting():
        owner = context_of("olivia", "Payments")
        first, second = (store_report(owner, f"{n}.html", begin=f"2024-01-0{n}T10:00:00") for n in (1, 2))
        compared = store_comparison(owner, [first, second])
        databases = fill(first, compared, reports=REPORTS, comparisons=COMPARISONS)
        _with_sections(first, MANY)
    one = databases[7].uid
    return {
        "first": "/",
        "first, later": "/?page=30",
        "recent": "/?view=recent",
        "database": f"/?db={one}",
        "database by name": "/?db=DB007",
        "report": f"/reports/{first.pk}/",
        "report of many": f"/reports/{MANY}/",
        "api reports": "/api/v1/reports",
        "api reports, later": "/api/v1/reports?cursor=1736000000000000.10000000000000000000000000000007",
        "api reports of a database": f"/api/v1/reports?database={one}",
        "api comparisons": "/api/v1/comparisons",
        "api databases": "/api/v1/databases",
    }


def _with_sections(first: Report, many: UUID) -> None:
    """One of the many has what a page reads, in place of an empty section."""
    ReportSection.objects.filter(report=many).delete()
    sections = list(ReportSection.objects.filter(report=first))
    for one in sections:
        one.pk, one.report_id = None, many
    ReportSection.objects.bulk_create(sections)


PAGES = [
    *("first", "first, later", "recent", "database", "database by name", "report", "report of many"),
    *("api reports", "api reports, later", "api reports of a database", "api comparisons", "api databases"),
]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_reads_a_whole_table_that_grows(accounts, many, page, record_property):
    questions = asked(many[page])
    took = {one.sql: one.took_ms() for one in questions}
    worst = max(questions, key=lambda one: took[one.sql])
    record_property("sql_ms", round(sum(took.values()), 1))
    print(f"{page}: {len(questions)} questions, {sum(took.values()):.1f} ms; {took[worst.sql]:.1f} ms of it:")
    print(worst.sql, worst.plan(), sep="\n")
    assert page in COUNTS or {one.sql: one.plan() for one in questions if one.walked()} == {}


def asked(address: str) -> list[Question]:
    """What the page asks of the database, each time it does."""
    client = Client()
    client.force_login(context_of("olivia", "Payments").user)
    found: list[Question] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, is_many: bool, context: Any) -> Any:
        if sql.startswith("SELECT"):
            found.append(Question(sql, params))
        return execute(sql, params, is_many, context)

    with connection.execute_wrapper(note):
        answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    return found
