"""Real reports of different formats and kinds side by side: what agrees, and what is said about the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison
from awrdiff.analysis.report.single_rac_instance import numbers_of, one_instance
from awrdiff.analysis.verdict.rule_registry import RULES_OF_TWO
from parsers.model import Report, Value
from tests.harness.corpus import compared, read

pytestmark = pytest.mark.corpus

BOTH_FORMATS = (
    "11.2.0.3-single-dbm11203-1822-1823",
    "11.2.0.3-single-dbm11203-1826-1827",
    "11.2.0.4-rac-orcl1-2-3",
    "11.2.0.3-compare-dbm11203-1822-1823-vs-1826-1827",
)
STATSPACK = (
    ("11.2.0.3-statspack-dbm11203-1830-1845.txt", "11.2.0.3-single-dbm11203-1822-1823.html"),
    ("11.2.0.3-statspack-dbm11203-1930-1945.txt", "11.2.0.3-single-dbm11203-1826-1827.html"),
)


# What text and HTML of the same snapshots do not have in common, by what explains it.
ONLY_IN_HTML = "statements by id: the text has them below the rows"
EMPTY_IN_HTML = "an empty row between two periods"
ONLY_IN_TEXT = "a line that HTML leaves out"
AMBIGUOUS = "several full names begin alike"


def explanation(section: ComparedSection, row: ComparedRow, text: Report) -> str:
    if section.id == "sql_text" and not text.section("sql_text"):
        return ONLY_IN_HTML
    name = next(iter(row.key.values()), "").lower()
    if not name and text.kind == "awr_compare":
        return EMPTY_IN_HTML
    if (section.id, name) == ("sga_memory_summary", "sum") or name.startswith("rac gc blocks"):
        return ONLY_IN_TEXT
    if any(begins_alike(row, other) for other in section.rows if other is not row and other.status != row.status):
        return AMBIGUOUS
    return ""


def begins_alike(a: ComparedRow, b: ComparedRow) -> bool:
    parts = [(x, y) for x, y in zip(a.key.values(), b.key.values(), strict=True)]
    return all(x.startswith(y) or y.startswith(x) for x, y in parts)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("pair", BOTH_FORMATS)
def test_text_against_html_of_the_same_snapshots(corpus: Path, pair: str, swapped: bool) -> None:
    text, html = corpus / f"{pair}.txt", corpus / f"{pair}.html"
    c = compared(html, text) if swapped else compared(text, html)
    of_text = read(text)
    of_two_periods = of_text.kind == "awr_compare"
    assert [w.code for w in c.warnings] == ["same-report", *(["not-weighable"] if of_two_periods else [])]
    kinds: Counter[str] = Counter()
    for section in c.sections:
        for row in section.rows:
            assert row.status != "changed", (
                section.id,
                row.key,
                {k: d for k, d in row.values.items() if d.significant},
            )
            if row.status != "same":
                kinds[explanation(section, row, of_text)] += 1
            else:
                kinds["same"] += 1
    assert kinds[""] == 0
    assert kinds[AMBIGUOUS] <= 20
    assert kinds[EMPTY_IN_HTML] == (2 if of_two_periods else 0)
    assert kinds["same"] > (700 if of_two_periods else 900)


# Rates of totals of at least a thousand: Statspack's snapshots are taken up to 35 s later than those of AWR.
CLOSE = {
    "time_model": ("time_s", 0.02),
    "foreground_wait_events": ("waits", 0.05),
    "background_wait_events": ("waits", 0.02),
    "wait_event_histogram": ("waits", 0.05),
    "instance_activity": ("total", 0.10),
    "file_io": ("writes", 0.01),
    "segments_by_logical_reads": ("logical_reads", 0.02),
    "segments_by_physical_reads": ("physical_reads", 0.02),
}


def rates(section: ComparedSection, column: str) -> Iterator[tuple[float, str]]:
    for row in section.rows:
        delta = row.values.get(column)
        if delta is None or not isinstance(delta.first, Value) or not isinstance(delta.second, Value):
            continue
        if delta.first_per_s is None or delta.second_per_s is None or delta.first.number < 1000:
            continue
        yield abs(delta.second_per_s - delta.first_per_s) / delta.first_per_s, str(row.key)


@pytest.mark.parametrize("pair", STATSPACK)
def test_statspack_and_awr_of_the_same_interval(corpus: Path, pair: tuple[str, str]) -> None:
    c = compared(corpus / pair[0], corpus / pair[1])
    sections = {s.id: s for s in c.sections}
    seen = 0
    for section_id, (column, apart) in CLOSE.items():
        found = list(rates(sections[section_id], column))
        assert found, section_id
        assert max(found)[0] <= apart, (section_id, max(found))
        seen += len(found)
    assert seen >= 150
    activity = sorted(a for a, _ in rates(sections["instance_activity"], "total"))
    assert activity[len(activity) // 2] < 0.01
    assert {r.status for r in sections["init_parameters"].rows} == {"same"}
    assert "stayed about the same" in c.summary


@pytest.mark.parametrize("pair", STATSPACK)
def test_statspack_says_what_it_counts_otherwise(corpus: Path, pair: tuple[str, str]) -> None:
    c = compared(corpus / pair[0], corpus / pair[1])
    assert {w.code for w in c.warnings} == {"different-kind", "overlapping"}
    said = " ".join(w.text for w in c.warnings)
    for what in ("background events", "old hash value", "other moments", "nearly the same time"):
        assert what in said
    assert not {f.rule for f in c.findings} & {"sql-entering", "sql-slower"}
    for section in c.sections:
        if section.id.startswith("sql_by_"):
            assert {r.status for r in section.rows} <= {"only_first", "only_second"}


@pytest.mark.thorough
def test_each_kind_against_each_other(corpus: Path) -> None:
    """No exception, no row twice, and no verdict where there is nothing to weigh.

    Of each kind the smallest; each is the first of half its pairs: which side is which is turned in test_compare.py.
    """
    reports: dict[str, Report] = {}
    found = [r for p in sorted(corpus.iterdir()) if p.suffix != ".tsv" and (r := read(p)) is not None]
    for report in sorted(found, key=size):
        reports.setdefault(f"{report.kind} {report.format} {(report.release or '')[:2] in ('23', '12')}", report)
    chosen = [one_instance(r, numbers_of(r)[-1]) for r in reports.values() if r.kind == "awr_global"]
    everything = [*reports.values(), *chosen]
    for (i, one), (j, other) in combinations_with_replacement(enumerate(everything), 2):
        first, second = (other, one) if (i + j) % 2 else (one, other)
        sensible(first, second, compare_reports(first, second))


def size(report: Report) -> int:
    return sum(len(section.records) for section in report.sections)


def sensible(first: Report, second: Report, c: Comparison) -> None:
    what = (first.name, second.name)
    anchors = [(s.id, r.row_id) for s in c.sections for r in s.rows]
    assert len(set(anchors)) == len(anchors), what
    assert "None" not in c.summary
    codes = {w.code for w in c.warnings}
    if first.kind != second.kind:
        assert "different-kind" in codes, what
    if {first.kind, second.kind} & {"ash", "awr_sql", "awr_compare", "addm", "lgwr_trace"}:
        assert re.search("would show|Open it as a comparison", c.summary), what  # which report says more
        assert {f.rule for f in c.findings} <= {r.id for r in RULES_OF_TWO if r.kind or r.anywhere}, what
    if first.release != second.release:
        assert "different-release" in codes, what
