"""Commit latency on real reports: the stage figures that were worked out by hand, and the traps they hold."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from awrdiff.analysis.commit_latency import causes_of, commit_latency, facts_of
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.export.comparison_json import as_dict, dump_overview, load_overview
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Report
from tests.harness.corpus import beside, of_kinds, read

pytestmark = pytest.mark.corpus

STAGES = ("worker", "gather", "schedule", "issue", "io", "post_io", "posting")


def side(corpus: Path, part: str) -> Side:
    found = [r for p in sorted(corpus.glob(f"*{part}*.htm*")) if (r := read(p)) is not None and r.kind == "awr"]
    assert len(found) == 1, part
    return Side(found[0])


def reports(corpus: Path) -> list[Report]:
    """All that analyse one window: HTML, and text as far as the parser reads it."""
    return of_kinds(corpus, "awr", "awr_pdb", "awr_global", "statspack")


@pytest.mark.parametrize(
    ("part", "expected", "total"),
    [
        ("receipt-173494", (56, 13, 4.8, None, 2801, 1.8, 24), 2901),
        ("receipt-173498", (141, 48, 16, None, 3257, 1.8, 138), 3601),
        ("prdg", (0, 40, 6, 170, 313, 1983, 50), 2566),
    ],
)
def test_stage_figures_in_microseconds(corpus, part, expected, total):
    f = figures_of(side(corpus, part))
    for name, value in zip(STAGES, expected, strict=True):
        stage = f.stage(name)
        if value is None:
            assert stage is None, name
            continue
        digits = 1 if isinstance(value, float) else 0
        assert round(stage.seconds.value * 1e6, digits) == pytest.approx(value, abs=0.51 if digits == 0 else 0.001), (
            name
        )
    queue = f.stage("queue").seconds.value
    assert round((f.lfs_avg_s.value - queue) * 1e6) == total


def test_garbage_overhead_is_refused(corpus):
    f = figures_of(side(corpus, "receipt-173498"))
    wake_up = f.stage("wake_up")
    assert wake_up.bounds_only
    assert wake_up.seconds.high < 0.01
    assert any("1,803 s" in n and "not believed" in n for n in f.notes)


def test_garbage_in_the_counts_as_well_gives_no_bounds(corpus):
    """14 wake-ups of 128 ms and more, where no commit waited 64 ms."""
    f = figures_of(side(corpus, "dquito"))
    assert f.stage("wake_up") is None
    assert any("97,989 s" in n and "not believed" in n for n in f.notes)


def test_believable_overhead_is_used(corpus):
    wake_up = figures_of(side(corpus, "receipt-173494")).stage("wake_up")
    assert wake_up.seconds.value == pytest.approx(22_574_832 / 100_841 / 1e6)


def test_the_wake_up_is_not_added_to_the_queue_it_is_part_of(corpus):
    """Gather + schedule + posting + wake-up + queue would be 289 µs of a difference of 129 µs."""
    f = figures_of(side(corpus, "receipt-173494"))
    ids = ("gather", "schedule", "posting", "wake_up", "queue")
    assert sum(f.stage(i).seconds.value for i in ids) > 2 * f.naive_overhead_s.value
    own = sum(f.stage(i).seconds.value for i in ("worker", "gather", "schedule", "posting"))
    assert f.measured_overhead_s.value == pytest.approx(own)


def test_data_guard_is_not_called_cpu(corpus):
    facts = facts_of(side(corpus, "prdg"))
    f = facts.figures
    assert f.lfs_avg_s.value == pytest.approx(2.46e-3, rel=0.01)
    assert f.naive_share.value == pytest.approx(0.88, abs=0.005)
    assert f.remote.avg_s.value == pytest.approx(1.95e-3, rel=0.01)
    assert f.remote.from_histograms
    assert f.remote.cost_s.low <= f.remote.cost_s.value <= f.remote.cost_s.high
    rules = [c.rule for c in causes_of(facts).ranked]
    assert rules[0] == "data-guard-sync"
    assert not {"lgwr-cpu", "not-redo-io"} & set(rules)


def test_centiseconds_in_11_1(corpus):
    s = side(corpus, "11.1.0.7-rac-demo-812")
    assert s.statistic("redo write broadcast ack time").number == 5
    assert figures_of(s).stage("broadcast").seconds.value == pytest.approx(0.05 / 488)


@pytest.mark.parametrize(("part", "write", "ratio"), [("24726-24727", 0.313, 6.3), ("24727-24728", 0.493, 5.1)])
def test_hundreds_of_milliseconds(corpus, part, write, ratio):
    facts = facts_of(side(corpus, part))
    assert facts.figures.lfpw_avg_s.value == pytest.approx(write, abs=0.001)
    assert round(facts.ratio.value, 1) == ratio
    top = causes_of(facts).ranked[0]
    assert (top.rule, top.confidence) == ("io-bound", "high")


def test_the_workers_excess_over_the_event(corpus):
    facts = facts_of(side(corpus, "xydb-0800"))
    assert any("24 % more than log file parallel write" in n for n in facts.figures.notes)
    assert any(c.rule == "lgwr-workers" and "23 %" in c.text for c in causes_of(facts).ranked)


def test_the_two_resolutions_meet(corpus):
    """Oracle's own compare report of the same snapshots prints 94.43 s and 38.82 s."""
    f = figures_of(side(corpus, "dbm11203-1822"))
    assert f.lfs_total_s.low <= 94.43 <= f.lfs_total_s.high
    assert f.lfpw_total_s.low <= 38.82 <= f.lfpw_total_s.high


def test_the_pair_of_11_2_0_3(corpus):
    change = commit_latency((side(corpus, "dbm11203-1822"), side(corpus, "dbm11203-1826"))).change
    assert change["lfs_avg_s_ratio"].value == pytest.approx(1.04 / 0.52, rel=0.03)
    assert change["lfpw_avg_s_ratio"].value == pytest.approx(2, rel=0.03)


def test_every_report_gives_figures_with_their_intervals(corpus):
    for report in reports(corpus):
        found = commit_latency((Side(report),))
        for f in found.reports:
            estimates = [f.lfs_avg_s, f.lfpw_avg_s, f.naive_overhead_s, f.naive_share, f.waiter_weighted_write_s]
            estimates += [f.measured_overhead_s, f.slow_writes_up_to_s, *(s.seconds for s in f.stages)]
            for e in filter(None, estimates):
                assert e.low <= e.value <= e.high, (report.name, e)
            assert f.missing or f.stages
            assert all(s.evidence for s in f.stages)
        assert all(c.evidence and c.caveat and c.checks for c in found.causes)
        assert found.material or found.not_material


def test_no_stage_of_the_log_writer_is_negative(corpus):
    found = [(r.name, s) for r in reports(corpus) for s in figures_of(Side(r)).stages if s.id != "queue"]
    assert found
    assert not [(name, s.id) for name, s in found if s.seconds.value < -1e-7]


def test_every_pair_with_the_events_is_compared_and_stored(corpus):
    pairs = [(a, b) for a, b in pairwise(reports(corpus)) if a.kind == b.kind]
    assert pairs
    for a, b in pairs:
        comparison = beside(corpus, a, b)
        stored = json.loads(json.dumps(dump_overview(comparison)))
        assert load_overview(stored).commit_latency == comparison.commit_latency, (a.name, b.name)
        document = as_dict(comparison)["commit_latency"]
        assert len(document["reports"]) == 2
        assert json.loads(json.dumps(document)) == document


def test_all_evidence_leads_to_a_row_of_the_comparison(corpus):
    for a, b in pairwise(reports(corpus)):
        if a.kind != b.kind:
            continue
        comparison = beside(corpus, a, b)
        rows = {(s.id, r.row_id) for s in comparison.sections for r in s.rows}
        latency = comparison.commit_latency
        evidence = [e for c in latency.causes for e in c.evidence]
        evidence += [e for f in latency.reports for s in f.stages for e in s.evidence]
        evidence += [e for f in latency.reports for e in f.evidence]
        evidence += [e for of_report in latency.instances for f in of_report for e in f.evidence]
        evidence += [e for f in latency.reports if f.remote for e in f.remote.evidence]
        evidence += [h.evidence for f in latency.reports for h in (f.lfs_histogram, f.lfpw_histogram) if h]
        assert not {(e.section, e.key) for e in evidence if (e.section, e.row_id) not in rows}, (a.name, b.name)


def test_claims_share_what_is_not_the_write(corpus):
    for report in reports(corpus):
        facts = facts_of(Side(report))
        found = causes_of(facts).ranked
        claims = [c.explains_s.value for c in found if c.part_of == "difference" and c.explains_s is not None]
        assert sum(claims) <= facts.difference_s * (1 + 1e-9) + 1e-12, report.name
        assert all(c >= 0 for c in claims)


def test_no_event_of_the_log_writer_is_left_out(corpus):
    for report in reports(corpus):
        s = Side(report)
        ledger = figures_of(s).log_writer
        listed = {line.label.lower() for line in ledger.lines} if ledger is not None else set()
        assert {n for n in s.background if n.startswith("lgwr")} <= listed, report.name


def test_18_milliseconds_over_4_are_the_storages_tail(corpus):
    """0.18 of 14.2 ms is processing; three quarters of commit time is as long as 0.5 % of the writes."""
    facts = facts_of(side(corpus, "gbk-awr1"))
    f = facts.figures
    assert f.measured_overhead_s.value == pytest.approx(184e-6, abs=1e-6)
    assert f.tail.lfs_time.value == pytest.approx(0.74, abs=0.01)
    assert f.tail.writes.value == pytest.approx(0.005, abs=0.0005)
    assert f.typical_overhead_s.high < 0.002
    assert f.log_writer.busy.value == pytest.approx(0.611, abs=0.001)
    found = causes_of(facts).ranked
    assert found[0].rule == "write-tail"
    assert "not-redo-io" not in {c.rule for c in found}
    assert any(c.rule == "log-switches" and "log file switch completion 13,295 s" in c.text for c in found)


def test_shifted_waits_are_no_tail(corpus):
    """Workers, post-I/O and a queue move every wait; the writes have a tail, and it is not that."""
    rules = {c.rule for c in causes_of(facts_of(side(corpus, "xydb-1500"))).ranked}
    assert {"lgwr-workers", "post-io"} <= rules
    assert "write-tail" not in rules
