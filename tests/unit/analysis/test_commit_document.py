"""Commit latency survives storage exactly, and is published with low, value and high."""

from __future__ import annotations

import json

import pytest
from msgspec import Struct, convert

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import as_dict, dump, dump_overview, load_overview
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.comparison import CommitLatency
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.builders import exact, os_statistics
from tests.unit.analysis.commit_builders import USUAL, committing, histogram, stages

SHAPES = histogram({
    "log file sync": (exact(36_000), [None, 0.0, None, 60.0, 40.0, None, None]),
    "log file parallel write": (exact(30_000), [None, 92.0, 8.0, None, None, None, None]),
})  # fmt: skip


def full(**more):
    return committing(
        **{
            "lfs": (36_000, 360.0),
            "statistics": {**stages(**USUAL), "user calls": 90, "user commits": 10, "redo size": 1000},
            "background": {"SYNC Remote Write": (1000, 1.9)},
            "more": [SHAPES, os_statistics(20, 80)],
            "release": "12.1.0.2.0",
            **more,
        }
    )


def test_round_trip():
    found = commit_latency((Side(full()), Side(full(lfs=(36_000, 720.0)))))
    assert found.causes
    assert found.reports[0].lfs_histogram is not None
    again = convert(json.loads(json.dumps(dump(found))), CommitLatency)
    assert again == found


def test_round_trip_of_the_overview():
    comparison = compare_reports(full(), full(lfs=(36_000, 720.0)))
    stored = json.loads(json.dumps(dump_overview(comparison)))
    assert load_overview(stored).commit_latency == comparison.commit_latency


def test_published():
    published = as_dict(compare_reports(full(), full(lfs=(36_000, 720.0))))["commit_latency"]
    assert json.loads(json.dumps(published)) == published
    first = published["reports"][0]
    for name in ("lfs_waits", "lfs_avg_s", "lfpw_avg_s", "naive_overhead_s", "naive_share", "measured_overhead_s",
                 "waiter_weighted_write_s", "calls_per_commit", "group_commit"):  # fmt: skip
        assert set(first[name]) == {"low", "value", "high"}, name
    assert first["polling_share"] is None
    assert [s["id"] for s in first["stages"]][:2] == ["worker", "gather"]
    assert first["remote"]["event"] == "SYNC Remote Write"
    assert published["change"]["lfs_avg_s_ratio"]["value"] == 2
    for cause in published["causes"]:
        assert {"rule", "confidence", "evidence", "text", "caveat", "checks"} <= set(cause)
        assert all({"section", "key", "column", "row_id"} == set(e) for e in cause["evidence"])


def test_markdown():
    text = as_markdown([compare_reports(full(), full(lfs=(36_000, 720.0)))])
    assert "gathering the redo (per write)" in text
    assert "Commits wait for the standby" in text
    assert "  - Next: " in text
    assert "**Commits wait for the standby (Data Guard SYNC).** (high, in First and Second)" in text


def test_the_standby_in_the_summary():
    text = compare_reports(full(), full(lfs=(36_000, 180.0))).summary
    assert "was the standby's redo write. Commits wait for the standby (Data Guard SYNC)." in text


def test_what_stands_beside_the_wait_is_not_its_cause_in_the_summary():
    stall = {"log file switch (checkpoint incomplete)": (164, 146.0)}
    pair = [committing(lfs=(36_000, 110.0), waits=stall, more=[os_statistics(20, 80)]) for _ in range(2)]
    comparison = compare_reports(*pair)
    assert comparison.commit_latency.causes[0].rule == "log-switches"
    assert "Sessions wait for log switches" not in comparison.summary


class Leaf(Struct, frozen=True):
    number: float
    word: str | None = None


class Tree(Struct, frozen=True):
    leaves: tuple[Leaf, ...] = ()
    pair: tuple[float, str] | None = None
    named: dict[str, Leaf] | None = None


@pytest.mark.parametrize("tree", [Tree(), Tree((Leaf(1.0), Leaf(2.0, "b")), (0.5, "x"), {"k": Leaf(3.0)})])
def test_records(tree):
    assert convert(json.loads(json.dumps(dump(tree))), Tree) == tree


def test_defaults_are_not_stored():
    assert dump(Tree()) == {}
