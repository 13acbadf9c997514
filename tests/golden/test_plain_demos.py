"""Demos that need no knowledge of commits: what the first screen says of each is its story, and nothing else stands out."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.ranked_changes import mover_line
from awrdiff.analysis.model.comparison import Comparison
from fixtures.demos import DEMOS
from fixtures.stories import plain
from tests.golden.test_commit_cases import read

STORIES = {"plan-changed": "plan", "cpu-cap": "capped", "row-locks": "locked"}


@pytest.fixture(params=STORIES)
def slug(request) -> str:
    return request.param


def compared(slug: str) -> Comparison:
    first, second = next(d["reports"] for d in DEMOS if d["slug"] == slug)
    return compare_reports(read(first), read(second))


def loud(comparison: Comparison) -> dict[str, str]:
    """What alarms and is told first, by its rule."""
    return {
        f.rule: f"{f.title} {f.text}"
        for f in comparison.findings
        if f.severity == "critical" and not f.folded_into and not f.folded_because
    }


def test_they_are_told_before_those_about_commits(slug):
    assert [d["slug"] for d in DEMOS[:3]] == list(STORIES)
    assert next(d for d in DEMOS if d["slug"] == slug)["note"].startswith("Invented figures.")


def test_every_table_is_known_and_read_without_an_issue(slug):
    for report in (read(f"cases/plain/{name}.html") for name in ("usual", STORIES[slug])):
        assert report.issues == ()
        assert all(section.known for section in report.sections)


def test_of_a_changed_plan_the_statement_and_both_plans_are_named():
    found = compared("plan-changed")
    assert f"statement {plain.SEARCH} alone 6.3 more" in found.summary
    said = loud(found)["sql-slower"]
    assert f"with another plan: {plain.SEARCH}." in said
    assert f"plan {plain.USUAL_PLAN} → {plain.OTHER_PLAN}" in said
    assert "21.3 ms → 147 ms each" in said
    largest = max(found.ranked.movers, key=lambda m: m.change)
    assert largest.subject.key == plain.SEARCH
    assert "SHOP.ORDERS" in loud(found)["hot-object-io"]
    assert "SHOP.ORDERS_CREATED_I" in " ".join(mover_line(m) for m in found.ranked.movers)


def test_of_a_cap_the_setting_and_the_idle_host_are_named():
    found = compared("cpu-cap")
    assert "cpu_count is 3 of 16 CPUs" in found.summary
    assert "held back" in loud(found)["resource-manager"]
    assert "cpu_count: 16 → 3" in next(f.text for f in found.findings if f.rule == "parameters")
    assert {s.name for s in found.ranked.settings} == {"cpu_count"}
    assert "cpu" not in " ".join(loud(found)).replace("cpu_count", "")  # the host is not said to be short of CPUs


def test_of_row_locks_the_statement_and_the_object_are_named():
    found = compared("row-locks")
    assert "Waits for row locks account for all of the rise" in found.summary
    assert {"row-locks", "hot-object", "sql-slower"} <= set(loud(found))
    assert "SHOP.STOCK" in loud(found)["hot-object"]
    assert plain.STOCK in loud(found)["sql-slower"]
    assert [m.subject.key for m in found.ranked.movers[:3]] == [plain.LOCKS, plain.STOCK, "SHOP.STOCK"]
