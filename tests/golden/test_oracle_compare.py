"""Oracle's compare report imported, against the comparison of the two reports it was made from.

Whatever both print must be the same figure, within half of the last digit of each. What counts other things:

- `top_timed_events`: the compare report counts sessions of all kinds, a report of one period foreground alone.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import ComparedRow, Comparison
from awrdiff.analysis.oracle_compare import check_of, period_of
from awrdiff.analysis.report_scopes import ready_comparison
from awrdiff.analysis.single_report import assess
from parsers.model import Value
from tests.golden.test_oracle_agreement import FIRST, ORACLE, SECOND
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus

TEXT = ORACLE.replace(".html", ".txt")
OF_ALL_SESSIONS = {"top_timed_events"}


@pytest.fixture(scope="module")
def singles(corpus: Path) -> Comparison:
    return real.compared(corpus / FIRST, corpus / SECOND)


@pytest.fixture(scope="module")
def imported(corpus: Path) -> Comparison:
    return ready_comparison(real.read(corpus / ORACLE))


def shared_rows(a: Comparison, b: Comparison) -> dict[str, list[tuple[ComparedRow, ComparedRow]]]:
    """Rows that both comparisons hold under one anchor, by section."""
    theirs = {s.id: {r.row_id: r for r in s.rows} for s in b.sections}
    found = {s.id: [(r, theirs.get(s.id, {}).get(r.row_id)) for r in s.rows] for s in a.sections}
    pairs = {i: [(x, y) for x, y in rows if y is not None] for i, rows in found.items()}
    return {i: rows for i, rows in pairs.items() if rows}


def figures(x: ComparedRow, y: ComparedRow):
    for column in x.values.keys() & y.values.keys():
        for side in ("first", "second"):
            a, b = getattr(x.values[column], side), getattr(y.values[column], side)
            if isinstance(a, Value) and isinstance(b, Value):
                yield column, side, a, b


def test_the_same_figures_as_the_single_reports(imported, singles, record_property):
    misses, count = [], {}
    for section_id, rows in shared_rows(imported, singles).items():
        if section_id in OF_ALL_SESSIONS:
            continue
        for x, y in rows:
            for column, side, a, b in figures(x, y):
                count[section_id] = count.get(section_id, 0) + 1
                if abs(a.number - b.number) > a.half + b.half + 1e-9 * abs(a.number):
                    misses.append((section_id, dict(x.key), column, side, a, b))
    record_property("figures", f"{sum(count.values())} figures of {len(count)} sections")
    assert misses == []
    assert sum(count.values()) >= 2500
    assert len(count) >= 35


def test_changes_of_exact_figures_are_the_same(imported, singles):
    """Where both print a figure in full, the change and its rate are the same too."""
    compared = 0
    for section_id, rows in shared_rows(imported, singles).items():
        for x, y in rows if section_id == "instance_activity" else ():
            a, b = x.values["total"], y.values["total"]
            if all(isinstance(v, Value) and v.half == 0 for v in (a.first, a.second, b.first, b.second)):
                assert (a.pct, a.diff, a.significant) == (b.pct, b.diff, b.significant), x.key
                assert a.pct_per_s == pytest.approx(b.pct_per_s, abs=0.01), x.key
                compared += 1
    assert compared >= 160


def test_headers_are_those_of_the_single_reports(imported, singles):
    for ours, theirs in zip(imported.headers, singles.headers, strict=True):
        assert ours["release"] == theirs["release"]
        assert ours["database"]["dbid"] == theirs["database"]["dbid"]
        assert [i["name"] for i in ours["instances"]] == [i["name"] for i in theirs["instances"]]
        assert ours["host"]["cpus"] == theirs["host"]["cpus"]
        for point in ("begin", "end"):
            assert ours["snapshots"][point]["id"] == theirs["snapshots"][point]["id"]
            assert ours["snapshots"][point]["time"] == theirs["snapshots"][point]["time"]
        for name in ("elapsed_s", "db_time_s"):
            assert ours["snapshots"][name] == pytest.approx(theirs["snapshots"][name], abs=0.01)


def test_commit_latency_is_that_of_the_single_reports(imported, singles):
    for ours, theirs in zip(imported.commit_latency.reports, singles.commit_latency.reports, strict=True):
        assert ours.naive_overhead_s.value == pytest.approx(theirs.naive_overhead_s.value, rel=0.02)
        assert ours.lfs_avg_s.value == pytest.approx(theirs.lfs_avg_s.value, rel=0.01)


def test_oracles_differences_follow_but_for_four(imported, record_property):
    """The work areas per transaction, and three ends of First that repeat those of Second."""
    check = imported.oracle_check
    record_property("check", check.sentence)
    assert check.printed > 1900
    assert check.agrees > 1500
    assert {(d.section, d.row) for d in check.disagreements} == {
        ("load_profile", "W/A MB processed"),
        ("compare_process_memory_summary", "Max Alloc (KB) Other"),
        ("compare_process_memory_summary", "Max Alloc (KB) PL/SQL"),
        ("compare_process_memory_summary", "Max Alloc (KB) SQL"),
    }


@pytest.mark.parametrize("form", ["json", "markdown", "csv", "html"])
def test_the_command_takes_it_alone(corpus, imported, form):
    out = io.StringIO()
    call_command("compare", str(corpus / ORACLE), "--format", form, stdout=out)
    text = out.getvalue()
    assert text
    if form == "json":
        document = json.loads(text)
        assert document["oracle_check"]["printed"] == imported.oracle_check.printed
        assert [r["snapshots"]["begin"]["id"] for r in document["reports"]] == [1822, 1826]


@pytest.mark.parametrize("period", ["first", "second"])
def test_the_text_of_the_report_is_the_same_period(corpus, period):
    """Oracle's text and HTML of one compare report: the same rows and figures, within what each prints."""
    html, text = (real.read(corpus / f) for f in (ORACLE, TEXT))
    both = compare_reports(period_of(html, period), period_of(text, period))
    misses, count, alone = [], 0, []
    for section in both.sections:
        alone += [(section.id, dict(r.key)) for r in section.rows if r.status.startswith("only")]
        for row in section.rows:
            for column, delta in row.values.items():
                if isinstance(delta.first, Value) and isinstance(delta.second, Value):
                    count += 1
                    if abs(delta.first.number - delta.second.number) > delta.first.half + delta.second.half + 1e-9:
                        misses.append((section.id, dict(row.key), column, delta.first, delta.second))
    assert misses == []
    assert count >= 3000
    assert {section_id for section_id, _ in alone} == {"sql_text"}  # the listing's own is not printed in a table


def test_the_text_disagrees_in_the_same_rows(corpus, imported):
    check = check_of(real.read(corpus / TEXT))
    assert {(d.section, d.row) for d in check.disagreements} == {
        (d.section, d.row) for d in imported.oracle_check.disagreements
    }
    assert check.printed > 1900


def test_a_compare_report_by_itself_says_what_its_periods_do(corpus) -> None:
    for path in sorted(corpus.glob("*-compare-*")):
        found = real.read(path)
        assert found is not None
        verdict = assess(found).verdict
        first, second = (period_of(found, period) for period in ("first", "second"))
        assert verdict.startswith(compare_reports(first, second).summary)
        assert "statement 82ud5h0qcg0bf alone 1.9 more" in verdict
        assert verdict.endswith("Open it as a comparison of its two periods.")
