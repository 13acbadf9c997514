"""The built reports are consistent in themselves: what one section says follows from the others."""

from __future__ import annotations

from math import isclose

import pytest

from fixtures.build import ROOT, built
from fixtures.stories import invented
from fixtures.stories.commit_frequency import variant
from fixtures.stories.invented.hours import AFTER, BEFORE
from fixtures.stories.invented.shapes import edge_seconds
from fixtures.stories.invented.statistics import all_statistics, db_time
from fixtures.writer import Model, Row
from fixtures.writer.tables.histograms import EDGES_19, bucket_ids

PAIR = [(invented.before(), BEFORE), (invented.after(), AFTER)]


def rows(model: Model, section: str, key: str) -> dict[str, Row]:
    return {str(r[key]): r for r in model.sections[section].rows}


def test_committed_files_are_what_the_command_writes() -> None:
    stale = [
        path for path, data in built().items() if not (ROOT / path).is_file() or (ROOT / path).read_bytes() != data
    ]
    assert stale == [], "run: python -m fixtures.build"


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_db_time_is_cpu_waits_and_the_run_queue(model: Model, hour) -> None:
    waits = sum(
        r["total_wait_time_s"] for r in model.sections["foreground_wait_events"].rows if r["pct_db_time"] is not None
    )
    assert isclose(model.facts.db_time_s, hour.db_cpu_s + waits + hour.cpu_queue_s)
    assert isclose(rows(model, "time_model", "statistic")["DB time"]["time_s"], model.facts.db_time_s)
    assert isclose(
        rows(model, "load_profile", "metric")["DB Time(s):"]["per_second"] * 1.0, db_time(hour) / hour.elapsed_s
    )


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_rates_times_elapsed_are_totals(model: Model, hour) -> None:
    for row in model.sections["instance_activity"].rows:
        assert isclose(row["per_second"] * hour.elapsed_s, row["total"], abs_tol=1e-6)


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_a_histogram_holds_the_average_of_its_event(model: Model, hour) -> None:
    bounds = [edge_seconds(e, binary=True) for e in EDGES_19]
    for row in model.sections["wait_event_histogram"].rows:
        shares = [row[i] or 0.0 for i in bucket_ids(EDGES_19)]
        assert isclose(sum(shares), 100.0)
        members = [e for e in hour.events if e.name == row["event"]]
        mean = sum(e.total_s for e in members) / sum(e.waits for e in members)
        low = sum(s * b for s, b in zip(shares, [0.0, *bounds], strict=True)) / 100
        high = sum(s * b for s, b in zip(shares, [*bounds, float("inf")], strict=True) if s) / 100
        assert low <= mean <= high, row["event"]


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_redo_stages_follow_each_other(model: Model, hour) -> None:
    s = all_statistics(hour)
    stages = [
        "worker delay (usec)",
        "gather time",
        "schedule time",
        "issue time",
        "finish time",
        "time (usec)",
        "total time",
    ]
    figures = [s[f"redo write {name}"] for name in stages]
    assert figures == sorted(figures)
    io = (s["redo write finish time"] - s["redo write issue time"]) / s["redo writes"] * 1e-6
    lfpw = rows(model, "background_wait_events", "event")["log file parallel write"]["avg_wait_s"]
    assert abs(io / lfpw - 1) < 0.1
    assert s["redo synch time overhead (usec)"] <= s["redo synch time (usec)"]
    buckets = sum(v for n, v in s.items() if n.startswith("redo synch time overhead count"))
    assert buckets == s["redo synch writes"]


def test_segments_and_tablespaces_stay_below_the_instance() -> None:
    for model, hour in PAIR:
        stats = all_statistics(hour)
        for section, column, statistic in (
            ("segments_by_logical_reads", "logical_reads", "session logical reads"),
            ("segments_by_physical_reads", "physical_reads", "physical reads"),
            ("segments_by_physical_writes", "physical_writes", "physical writes"),
            ("segments_by_physical_read_requests", "physical_read_requests", "physical read IO requests"),
            ("segments_by_db_block_changes", "db_block_changes", "db block changes"),
            ("tablespace_io", "reads", "physical read IO requests"),
        ):
            assert sum(r[column] for r in model.sections[section].rows) <= stats[statistic] + 5, section


def test_the_published_case_says_what_was_published() -> None:
    first, second, third = (variant(n) for n in (1, 2, 3))
    assert [m.facts.elapsed_s for m in (first, second, third)] == [1386.0, 771.0, 503.0]
    sync = [m.sections["foreground_wait_events"].rows[0]["total_wait_time_s"] for m in (first, second)]
    assert [first.facts.elapsed_s - sync[0], second.facts.elapsed_s - sync[1]] == [885.0, 579.0]
    assert sync[0] - sync[1] == 309.0
    assert "foreground_wait_events" not in third.sections
    assert all("published" in m.facts.remark for m in (first, second, third))


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_captured_sql_stays_below_the_totals(model: Model, hour) -> None:
    """Statements of a PL/SQL block are counted in it again, so that the block itself is left out."""
    stats, own = all_statistics(hour), [q for q in hour.sql if not q.text.startswith("begin")]
    assert sum(q.elapsed_s for q in own) <= model.facts.db_time_s
    assert sum(q.cpu_s for q in own) <= hour.db_cpu_s
    assert sum(q.gets for q in own) <= stats["session logical reads"]
    assert sum(q.reads for q in own) <= stats["physical reads"]
    assert sum(q.executions for q in own) <= stats["execute count"]
    assert sum(q.parses for q in own) <= stats["parse count (total)"]


@pytest.mark.parametrize(("model", "hour"), PAIR)
def test_ratios_follow_from_the_statistics(model: Model, hour) -> None:
    stats, ratios = all_statistics(hour), rows(model, "instance_efficiency", "metric")
    soft = 100 * (1 - stats["parse count (hard)"] / stats["parse count (total)"])
    assert isclose(ratios["Soft Parse %:"]["pct"], soft)
    hit = 100 * (1 - (stats["physical reads"] - stats["physical reads direct"]) / stats["session logical reads"])
    assert isclose(ratios["Buffer  Hit   %:"]["pct"], hit)
    assert all(0 <= r["pct"] <= 100 for r in ratios.values())
    latches = model.sections["latch_sleep_breakdown"].rows
    assert all(r["misses"] == r["spin_gets"] + r["sleeps"] for r in latches)
