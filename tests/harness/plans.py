"""Queries of pages over 100,000 reports, 20,000 comparisons and 2,000 incidents, and their plans.

`python -m tests.harness.plans` fills the PostgreSQL of AWRDIFF_TEST_DATABASE_URL and prints a line of JSON per page for
tests/processes/test_plans.py. All rows belong to one team: a search by the team alone reads all of them,
indistinguishable from one that stops after a page.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.db import connection  # noqa: E402 - Django first
from django.test import Client, override_settings  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402

from awrdiff.accounts import quotas  # noqa: E402
from awrdiff.accounts.models import User  # noqa: E402
from awrdiff.reports.models import Report, ReportSection  # noqa: E402
from tests.harness.many_rows import fill  # noqa: E402
from tests.web.conftest import context_of, store_report  # noqa: E402
from tests.web.pages import store_comparison  # noqa: E402

REPORTS, COMPARISONS = 100_000, 20_000
MANY = UUID("10000000-0000-0000-0000-000000000007")  # one of them
GROWING = [
    "reports_report",
    "reports_reportsection",
    "comparisons_comparison",
    "comparisons_comparisonreport",
    "search_indexed",
    "reports_reportmetrics",
    "fleet_departure",
    "incidents_incident",
    "incidents_incidentcomparison",
    "incidents_incidentreport",
    "incidents_actionitem",
    "incidents_verdict",
    "threads_attachment",
]
# PostgreSQL reads these 2,000 rows at once rather than look for 333 reports of a database, whatever the settings.
_ITS_OWN = {"incidents_incidentreport": ("postgresql",)}

# Of one of the databases, and of the latest day of all.
PAGES: dict[str, str] = {
    "server": "/server/",
    "first": "/",
    "first, later": "/?page=30",
    "recent": "/?view=recent",
    "database": "/?db={one}",
    "database by name": "/?db=DB007",
    "search": "/?q=db007",
    "search for a word and a day": "/?q=word777+2024-01-05",
    "audit": "/audit/",
    "audit by action": "/audit/?action=saw&kind=report",
    "report": "/reports/{first}/",
    "report of many": f"/reports/{MANY}/",
    "api reports": "/api/v1/reports",
    "api reports, later": "/api/v1/reports?cursor=1736000000000000.10000000000000000000000000000007",
    "api reports of a database": "/api/v1/reports?database={one}",
    "api comparisons": "/api/v1/comparisons",
    "api databases": "/api/v1/databases",
    "fleet": "/databases/?from=2024-01-13T00:00&to=2024-01-14T00:00",
    "fleet now": "/databases/",
    "api fleet": "/api/v1/fleet?since=2024-01-13T00:00&until=2024-01-14T00:00",
    "database over time": "/databases/{one}/",
    "database over all time": "/databases/{one}/?range=all",
    "figures": "/databases/{one}/metrics/?metric=db_time&metric=db_cpu",
    "history of a statement": "/databases/{one}/statements/0lines0000001/",
    "api figures": "/api/v1/databases/{one}/metrics",
}


@dataclass
class Question:
    sql: str
    parameters: Any

    def plan(self) -> str:
        how = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET enable_seqscan = off")
            cursor.execute(f"{how} {self.sql}", self.parameters)
            plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
            if connection.vendor == "postgresql":
                cursor.execute("RESET enable_seqscan")
        return plan

    def took_ms(self) -> float:
        """Better of two, to discount other work of the machine."""
        return min(self._took_ms() for _ in range(2))

    def _took_ms(self) -> float:
        clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter  # SQLite is in the process
        began = clock()
        with connection.cursor() as cursor:
            cursor.execute(self.sql, self.parameters)
            cursor.fetchall()
        return (clock() - began) * 1000

    def walked(self) -> set[str]:
        """Growing tables read row by row, or index entry by entry, as no index answers it."""
        aliases = defaultdict[str, set[str]](set)  # subqueries beside each other use the same
        for table, alias in re.findall(r'"(\w+)" (?:AS )?"?([A-Z]\d+)"?', self.sql):
            aliases[alias].add(table)
        names = _walked_by_sqlite(self.plan()) if connection.vendor == "sqlite" else _walked_by_postgresql(self.plan())
        tables = {table for name in names for table in aliases.get(name, {name})}
        return {table for table in tables if table in GROWING and connection.vendor not in _ITS_OWN.get(table, ())}


def _walked_by_sqlite(plan: str) -> list[str]:
    return re.findall(r"SCAN (\w+)", plan)


def _walked_by_postgresql(plan: str) -> list[str]:
    """The plan avoids sequential scans where it can: on so few rows they might be cheaper."""
    walked, heap = [], ""
    for step in re.split(r"\n(?= *->)", plan):
        if match := re.search(r"Bitmap Heap Scan on (\w+)", step):
            heap = match[1]  # of the indexes in the steps below it, which name themselves
        scan = re.search(r"(Seq|Bitmap Index|Index Only|Index) Scan (?:Backward )?(?:using \w+ )?on (\w+)", step)
        if scan and (scan[1] == "Seq" or "Index Cond" not in step):
            walked.append(heap if scan[1] == "Bitmap Index" else scan[2])
    return walked


def filled() -> dict[str, str]:
    """Addresses of the pages, by name."""
    owner = context_of("olivia", "Payments")
    first, second = (store_report(owner, f"{n}.html", begin=f"2024-01-0{n}T10:00:00") for n in (1, 2))
    compared = store_comparison(owner, [first, second])
    databases = fill(first, compared, reports=REPORTS, comparisons=COMPARISONS)
    _with_sections(first, MANY)
    User.objects.filter(username="olivia").update(is_staff=True)
    quotas.count()  # as the sweeper does
    return {name: page.format(one=databases[7].uid, first=first.pk) for name, page in PAGES.items()}


def _with_sections(first: Report, many: UUID) -> None:
    """Give one report the sections that a page reads, instead of an empty one."""
    ReportSection.objects.filter(report=many).delete()
    sections = list(ReportSection.objects.filter(report=first))
    for section in sections:
        section.pk, section.report_id = None, many
    ReportSection.objects.bulk_create(sections)


def queries_of(address: str) -> list[Question]:
    """Queries of the page."""
    client = Client()
    client.force_login(context_of("olivia", "Payments").user)
    questions: list[Question] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, is_many: bool, context: Any) -> Any:
        if sql.lstrip("(").startswith("SELECT"):  # PostgreSQL's parts of a union stand in brackets
            questions.append(Question(sql, params))
        return execute(sql, params, is_many, context)

    with connection.execute_wrapper(note):
        answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    return questions


def main() -> None:
    with override_settings(AWRDIFF_LOCAL_USER=False):
        addresses = filled()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        for page, address in addresses.items():
            questions = queries_of(address)
            took = {question.sql: question.took_ms() for question in questions}
            slow = max(questions, key=lambda question: took[question.sql])
            line = {"page": page, "questions": len(questions), "sql_ms": round(sum(took.values()), 1)}
            line |= {"slowest_ms": round(took[slow.sql], 1), "slowest": slow.sql, "plan": slow.plan()}
            walked = [f"{q.walked()}: {q.sql}\n{q.plan()}" for q in questions if q.walked()]
            print(json.dumps(line | {"walked": walked}), flush=True)


if __name__ == "__main__":
    setup_test_environment()
    main()
