"""The published cases, by the built report files: bytes → parsers → comparison → the figures their authors printed."""

from __future__ import annotations

import json
from functools import lru_cache

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.commit_batching_savings import batch_formula, fit, formula, runs_of, sentences
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.report.figures_by_name import Side
from fixtures.build import ROOT
from parsers import parse_report
from parsers.model import Report

DEMOS = {d["slug"]: d for d in json.loads((ROOT / "demos.json").read_text())}
CASES = ("lgwr-starved", "adaptive-switch", "log-parallelism", "commit-frequency", "commit-frequency-end", "batch-size")


@lru_cache(maxsize=64)
def read(path: str) -> Report:
    return parse_report((ROOT / path).read_bytes(), name=path)


@lru_cache(maxsize=16)
def pairs(slug: str) -> tuple[Comparison, ...]:
    """The demo as it is computed: its first report against each of the others, with its trace."""
    return compare_all(*split_traces(read(p) for p in DEMOS[slug]["reports"]))


@pytest.mark.parametrize("slug", CASES)
def test_every_published_case_is_a_demo_that_names_its_figures(slug):
    demo = DEMOS[slug]
    assert demo["title"].startswith("Published: ")
    assert demo["note"].startswith("Built from published figures")
    for path in demo["reports"]:
        assert path.endswith(".trc") or b"Built from published figures" in (ROOT / path).read_bytes()


@pytest.mark.parametrize("slug", CASES)
def test_every_file_of_a_case_is_read_without_an_issue(slug):
    for path in DEMOS[slug]["reports"]:
        report = read(path)
        assert report.issues == ()
        assert [s.id for s in report.sections if not s.known] == []


# A: three commits per loop against one, 5,000,000 loops

LOOPS = 5_000_000


def test_time_without_commit_waits():
    found = pairs("commit-frequency")[0].commit_latency
    assert [round(w.value) for w in found.what_if.without_s] == [885, 579]
    assert [round(t.value) for t in found.what_if.removable_s] == [501, 192]
    assert (
        "Less log file sync the two took 885 s and 579 s: it explains 309 s of the 615 s between them; the other 306 s"
        in summary("commit-frequency")
    )


def test_the_line_through_two_commit_frequencies():
    found = pairs("commit-frequency")[0].commit_latency.what_if
    assert round(found.fit.a_s, 1) == 463.5
    assert round(found.fit.c_s * LOOPS, 1) == 307.5
    third = Side(read("cases/commit-frequency/variant-3.html"))
    predicted = found.fit.at(third.statistic("user commits").number)
    assert round(predicted, 1) == 463.5
    assert third.elapsed.number == pytest.approx(503, abs=0.1)
    assert round((predicted / third.elapsed.number - 1) * 100, 1) == -7.9
    assert found.fit.extrapolates(1)


def test_all_three_variants_make_one_line():
    first, second = (p.commit_latency.what_if for p in pairs("commit-frequency-end"))
    split = runs_of(first, 0, assume=False).split
    assert (split.runs, round(split.whole_s * 1e6, 1), round(split.lfs_s * 1e6, 1)) == (2, 61.5, 30.9)
    assert first == second
    assert [round(p.commits) for p in first.fit.points] == [3 * LOOPS, LOOPS, 1]
    assert first.stops_paying is None


# B: a log writer starved of CPU. First is run 2, in which it gets its CPU.


def test_what_a_commit_costs_beyond_the_write_where_the_log_writer_has_its_cpu():
    f = pairs("lgwr-starved")[0].commit_latency.reports[0]
    assert round(f.naive_overhead_s.value * 1e3, 2) == 0.75
    assert round(f.naive_share.value * 100) == 49
    assert f.lfs_db_time_share.value == pytest.approx(0.06)
    assert f.lfpw_at_most_s is None


def test_the_unlisted_writes_of_the_starved_run_are_bounded():
    f = pairs("lgwr-starved")[0].commit_latency.reports[1]
    assert f.lfpw_avg_s is None
    assert f.naive_overhead_s is None
    assert "log file parallel write (not in the top list)" in f.missing
    assert f.lfpw_at_most_s == 31
    assert f.lfs_total_s.value == pytest.approx(1117)
    assert any("31 s" in n for n in f.notes)
    assert f.material


def test_from_run_2_to_run_1():
    change = pairs("lgwr-starved")[0].commit_latency.change
    assert round(change["lfs_avg_s_ratio"].value, 1) == 10.5
    assert round(change["lfs_total_s_ratio"].value, 1) == 7.8
    assert change["lfpw_avg_s_ratio"] is None


def test_transactions_are_those_of_the_report_not_of_the_benchmark():
    freed = Side(read("cases/lgwr-starved/run-2.txt"))
    assert round(freed.transactions / freed.elapsed.number, 1) == 158.9
    assert Side(read("cases/lgwr-starved/run-1.txt")).transactions is None
    calls = pairs("lgwr-starved")[0].commit_latency.reports[0].calls_per_commit
    assert calls.low <= 14.81 <= calls.high


def test_the_verdict_is_processing_with_the_stall_beside_it():
    found = pairs("lgwr-starved")[0].commit_latency
    causes = {c.rule: c for c in found.causes}
    assert list(causes) == ["not-redo-io", "log-switches"]
    verdict = causes["not-redo-io"]
    assert verdict.title == "Commits wait for the log writer's processing rather than the redo writes."
    assert "at most 31 s of the 1,117 s" in verdict.text
    assert "only if 18.0 sessions shared each one" in verdict.text
    assert verdict.confidence == "high"
    assert ("top_timed_events", "db file parallel write") in {(e.section, e.key) for e in verdict.evidence}
    assert "146 s: 8.4 % of call time" in causes["log-switches"].text
    assert "lgwr-cpu" in {u.rule for u in found.unsettled}  # nothing printed says how busy the CPUs were


def test_the_starved_run_alone_says_the_same():
    found = commit_latency((Side(read("cases/lgwr-starved/run-1.txt")),))
    assert [c.rule for c in found.causes] == ["not-redo-io", "log-switches"]


def test_the_starved_pair_reads_well():
    text = summary("lgwr-starved")
    assert "A commit waited 16.2 ms (1.54 ms in First); all redo writes together took at most 31 s" in text
    assert (
        "Commits wait for the log writer's processing rather than the redo writes. Log switches stalled sessions too:"
        in text
    )


# C: polling to post/wait


def test_adaptive_switch():
    found = pairs("adaptive-switch")[0].commit_latency
    before, after = found.reports
    assert [round(f.lfs_avg_s.value * 1e6) for f in (before, after)] == [250, 500]
    assert [round(f.lfpw_avg_s.value * 1e6) for f in (before, after)] == [50, 75]
    assert found.change["lfpw_waits_ratio"].value == 0.5
    large = [Side(read(p)).statistic("redo write size count ( 128KB)") for p in DEMOS["adaptive-switch"]["reports"][:2]]
    assert large[1].number / large[0].number == 2
    assert (found.causes[0].rule, found.causes[0].confidence) == ("adaptive-switch", "proven")
    assert (
        "redo writes per second −50 %, each 50.0 µs → 75.0 µs and writes of up to 128KB per second +100 %"
        in found.causes[0].text
    )


def test_the_trace_proves_the_switch():
    found = pairs("adaptive-switch")[0]
    (switch,) = found.commit_latency.events.switches
    assert (switch.mode, switch.moment, switch.zone) == ("post/wait", "2023-02-16T12:45:09.010167", "+06:00")
    assert (switch.place, switch.redo_synch_writes_per_s) == ("second", 10_286)
    cause = found.commit_latency.causes[0]
    assert (cause.rule, cause.confidence) == ("adaptive-switch", "proven")
    assert "switched to post/wait at 2023-02-16 12:45:09 (in Second's window, at 10,286 redo synch" in cause.text
    assert switch.evidence in cause.evidence
    assert "Commits switched between polling and post/wait." in found.summary


def test_without_its_trace_the_switch_stands_first_and_no_storage_is_blamed():
    """Longer writes carry a tenth of the longer wait."""
    first, second = (read(p) for p in DEMOS["adaptive-switch"]["reports"] if p.endswith(".html"))
    alone = compare_all([first, second])[0].commit_latency
    assert alone.events is None
    assert (alone.causes[0].rule, alone.causes[0].confidence) == ("adaptive-switch", "medium")
    assert "storage-slowed" not in {c.rule for c in alone.causes}


def test_the_trace_of_the_switch():
    trace = read("cases/adaptive-switch/lgwr.trc")
    assert trace.kind == "lgwr_trace"
    (switch,) = trace.section("lgwr_switches").rows
    assert "post/wait" in switch.values()
    assert "+06:00" in switch.values()
    assert 10_286 in [v.number for v in switch.values() if hasattr(v, "number")]
    period = read("cases/adaptive-switch/after.html").period
    printed = next(v for v in switch.values() if str(v).startswith("2023-02-16"))
    assert str(printed).replace("T", " ").startswith("2023-02-16 12:45:09.010167")
    assert str(period.begin.time) < str(printed).replace("T", " ") < str(period.end.time)


# D: log parallelism


def test_log_parallelism():
    found = pairs("log-parallelism")[0].commit_latency
    assert [round(f.lfs_avg_s.value * 1e3, 2) for f in found.reports] == [5.68, 1.15]
    assert [f.naive_overhead_s for f in found.reports] == [None, None]  # no redo writes were published
    (cause,) = found.causes
    assert cause.rule == "log-parallelism-changed"
    assert cause.text == "_log_parallelism_max went from its default to 2, and a commit waited 5.68 ms → 1.15 ms."
    criteria = {c.what: (c.state, c.found) for c in cause.criteria}
    assert criteria["a commit waits more than twice as long as a redo write"] == ("not printed", "")
    assert criteria["P3 of log file parallel write above what its files and bytes need"] == ("not printed", "")
    assert criteria["_log_parallelism_max not set"] == ("met", "")
    assert criteria["64 CPUs or more"] == ("not printed", "")
    headers = pairs("log-parallelism")[0].headers
    assert [(h["release"], h["host"]["sockets"]) for h in headers] == [("12.1.0.2.0", 4)] * 2


def test_log_parallelism_on_sparc_is_half_a_pair():
    found = pairs("log-parallelism-sparc")[0].commit_latency
    assert [round(f.lfs_avg_s.value * 1e3, 2) for f in found.reports] == [0.77, 0.60]
    (cause,) = found.causes
    assert (cause.rule, cause.confidence) == ("log-parallelism-changed", "low")
    assert cause.text == "_log_parallelism_max went from 2 to 1, and a commit waited 770 µs → 600 µs."
    assert all("Half a pair" in DEMOS[slug]["note"] for slug in ("log-parallelism-sparc", "numa-balancing"))


def test_numa_balancing_is_half_a_pair_and_has_no_cause_in_the_reports():
    found = pairs("numa-balancing")[0].commit_latency
    assert [round(f.lfs_avg_s.value * 1e3, 2) for f in found.reports] == [1.15, 0.60]
    assert found.causes == ()
    assert all("buffer busy waits" not in Side(read(p)).foreground for p in DEMOS["numa-balancing"]["reports"])


# E: rows per commit


def test_batch_sizes_make_one_line():
    what_ifs = [p.commit_latency.what_if for p in pairs("batch-size")]
    assert len(what_ifs) == 15
    assert all(w == what_ifs[0] for w in what_ifs)
    found = what_ifs[0].fit
    assert len(found.points) == 16
    assert round(found.a_s, 2) == 44.02
    assert found.c_s * 900_000 == pytest.approx(40.05, abs=0.006)
    assert round(found.worst_error * 100, 2) == 3.15
    worst = max(found.points, key=lambda p: abs(p.error))
    assert 900_000 / worst.commits == 8


def test_elapsed_times_are_read_to_their_printed_digit():
    for path in DEMOS["batch-size"]["reports"]:
        report, rows = read(path), int(path.rpartition("-")[2].removesuffix(".html"))
        assert report.period.elapsed_s.half < 0.0005
        assert report.period.elapsed_s.number == pytest.approx(PUBLISHED[rows], abs=0.0006)


def test_where_more_batching_stops_paying():
    where = pairs("batch-size")[0].commit_latency.what_if.stops_paying
    assert DEMOS["batch-size"]["reports"][where.report] == "cases/batch-size/rows-32.html"
    assert DEMOS["batch-size"]["reports"][where.best_report] == "cases/batch-size/rows-32768.html"
    assert round(where.change * 100, 1) == -45.7
    assert round(where.best_change * 100, 1) == -48.1
    assert "45.7 % less time than with the most commits, 48.1 % less at best" in pairs("batch-size")[-1].summary


def test_the_axis_is_rows_per_commit_and_what_was_not_published_is_not_split():
    """One execution a row, so that executions per commit are the published rows per commit."""
    runs = runs_of(pairs("batch-size")[0].commit_latency.what_if, 0, assume=False)
    assert (runs.batch.unit, round(runs.batch.whole)) == ("executions", 900_000)
    assert [round(runs.batch.per_commit(p.commits)) for p in runs.line.points[:4]] == [1, 2, 4, 8]
    assert runs.split is None
    assert any("(32 executions each)" in text for text in sentences(runs, ["" for _ in runs.line.points]))
    rows = runs_of(pairs("batch-size")[0].commit_latency.what_if, 0, assume=False, rows=900_000.0)
    assert formula(rows) == "T(k) = 44.02 s + 44.50 µs · k"
    assert (rows.batch.unit, batch_formula(rows)) == ("rows", "T(b) = 44.02 s + 40.05 s ÷ b")


def test_the_line_by_batch_size_is_the_line_by_commits():
    """The source's own form, T(b) = a + c/b, on the published figures themselves."""
    found = fit([(1.0 / b, t) for b, t in PUBLISHED.items()])
    assert round(found.a_s, 2) == 44.02
    assert found.c_s == pytest.approx(40.05, abs=0.006)
    assert round(found.worst_error * 100, 2) == 3.15


PUBLISHED = {
    1: 82.9945, 2: 64.9540, 4: 55.4025, 8: 50.6216, 16: 47.9620, 32: 45.0470, 64: 44.4585, 128: 44.4191,
    256: 43.9992, 512: 43.7342, 1024: 43.6555, 2048: 43.5763, 4096: 43.7083, 8192: 43.5302, 16384: 43.2844,
    32768: 43.1086,
}  # fmt: skip


def summary(slug: str) -> str:
    return pairs(slug)[0].summary
