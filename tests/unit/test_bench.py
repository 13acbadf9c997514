"""bin/bench measures what it says: a report that was not seen before meets empty memos."""

from __future__ import annotations

import json
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest

from bench.against import Tree, table
from bench.line import line, medians, own_work_s
from bench.memos import forget
from bench.reading import WHEN, _measure, _numbers
from bench.sizing import STEPS, ReportingFleet, extrapolated
from fixtures.writer import big
from parsers import parse_report
from parsers.tables import number_parsing, rawtable
from tests.harness.server import ROOT


def remembered() -> int:
    """Entries in the readers of numbers and in one module's caches."""
    caches = [f for f in vars(rawtable).values() if isinstance(f, _lru_cache_wrapper)]
    assert caches
    return sum(map(len, number_parsing._READERS.values())) + sum(c.cache_info().currsize for c in caches)


def test_forgetting_leaves_nothing_and_changes_nothing() -> None:
    data = big(0.05)
    first = json.dumps(parse_report(data).as_dict())
    assert remembered() > 100
    forget()
    assert remembered() == 0
    assert json.dumps(parse_report(data).as_dict()) == first


def test_a_time_is_also_said_in_what_the_machine_does_by_itself() -> None:
    of_s, of_ms, of_bytes = (json.loads(line("read", v, u)) for v, u in ((2.0, "s"), (2000.0, "ms"), (10, "bytes")))
    assert of_s["machine"] == of_ms["machine"] == float(f"{2 / own_work_s():.4g}")
    assert of_bytes["machine"] is None


def test_figures_are_counted_and_blanks_are_none() -> None:
    report = parse_report(big(0.05))
    printed = sum(str(cell) != "None" for s in report.sections for row in s.records for cell in row.cells)
    assert 0 < _numbers(report) < printed


def test_before_each_turn() -> None:
    done: list[str] = []
    medians(lambda: done.append("a"), lambda: done.append("b"), 2, before=lambda: done.append("-"))
    assert "".join(done) == "-ab-ab"


def test_both_ways_are_measured() -> None:
    assert set(WHEN) == {False, True}
    for seen in WHEN:
        ours, bare = _measure(big(0.02), 1, seen=seen)
        assert ours > 0
        assert bare > 0


def test_two_trees_are_told_turn_by_turn_and_reading_by_lxml_of_both() -> None:
    before = {"page: 304": [10.0, 40.0, 12.0], "reading: all files": [90.0, 60.0], "reading: lxml": [30.0, 30.0]}
    after = {"page: 304": [5.0, 20.0, 24.0], "reading: all files": [45.0, 45.0], "reading: lxml": [30.0, 60.0]}
    assert list(table("1.0.0", before, after))[2:] == [
        "| page: 304 | 12 | 20 | 0.50 |",
        "| reading: all files | 75 | 45 | 0.62 |",
        "| reading: times lxml | 2.5 | 1.5 | 0.62 |",
    ]


def test_a_tree_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(big(0.02))
    (tmp_path / "b.html").write_bytes(b"<html>no report</html>")
    here, files = Tree(ROOT, tmp_path / "none"), [tmp_path / "a.html", tmp_path / "b.html"]
    read = here.measured("reading", files)
    assert read["files"] == 1
    assert read["all files"] > 0
    assert here.measured("lxml", files)["lxml"] > 0


def test_old_days_keep_their_worst_hours_and_all_count_without_thinning() -> None:
    fleet = ReportingFleet(databases=300, a_day=24)
    assert fleet.reports(365) == 2_628_000
    assert fleet.reports(365, whole_days=72, worst=2) == 300 * (72 * 24 + 293 * 2)
    assert fleet.reports(10, whole_days=72, worst=2) == 72_000


def test_a_year_is_extrapolated_from_what_one_report_costs() -> None:
    steps = {f"{step} of many, ms": 40.0 for step in STEPS}
    backups = {
        f"backup of 1,000 reports, {kind}, s": s for kind, s in (("processor time", 3.6), ("by the clock", 36.0))
    }
    each = {"file, bytes": 30_000.0, "database, bytes": 70_000.0, **backups}
    figures = extrapolated({**steps, **each})
    assert figures["1,000 reports a day: processor time, s"] == 120
    assert figures["1,000 reports a day: disk, MB a day"] == 100
    assert figures["300 databases after a year, all: disk, GB"] == pytest.approx(262.8)
    assert figures["300 databases after a year, all: one backup, processor time, h"] == pytest.approx(2.628)
    assert figures["300 databases after a year, all: one backup, by the clock, h"] == pytest.approx(26.28)
