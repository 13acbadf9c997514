"""The adaptive scalable log writer's lines, a trace by itself, and one that is of another host or time."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.lgwr_trace_events import overview_of, overview_sentence, why_foreign
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from tests.golden.commit_hours import hour
from tests.unit.analysis.test_commit_three_cases import FLAPPING
from tests.unit.analysis.traces import Scaled, Slow, Went, trace


def test_each_change_of_the_log_writers_is_read_with_its_time_and_figures():
    section = trace(*FLAPPING).section("lgwr_scalable")
    rows = [tuple(section.text(r, c) for c in ("time", "mode", "figures")) for r in section.records]
    assert rows == [
        ("2024-03-05 09:30:00", "enabled", "redorate=2047 switch=23"),
        ("2024-03-05 09:35:00", "disabled", "group0=375 all=384 delay=144 rw=7940"),
        ("2024-03-05 09:40:00", "enabled", "redorate=2047 switch=23"),
    ]


def test_several_in_the_window_prove_the_published_case():
    found = {c.rule: c for c in commit_latency([Side(hour())], [trace(*FLAPPING)]).causes}["scalable-log-writer"]
    assert found.confidence == "proven"
    assert "taken up 2 times and given up 1 times in the window, first at 2024-03-05 09:30:00 (redorate" in found.text
    assert any("_use_single_log_writer" in check for check in found.checks)
    alike = commit_latency([Side(hour(lfs=(36_000, 50.4)))], [trace(*FLAPPING)]).causes
    assert "scalable-log-writer" not in {c.rule for c in alike}


def test_a_trace_alone_tells_its_switches_and_its_writes_by_size_and_length():
    writes = (
        Slow("2024-03-05 09:30:00", 700, 4),
        Slow("2024-03-05 09:31:00", 1562, 5),
        Slow("2024-03-05 09:32:00", 900, 2048),
    )
    found = overview_of(trace(Went("2024-03-05 11:00:00"), Scaled("2024-03-05 10:00:00"), *writes))
    assert [s.what for s in found.switches] == ["log writer workers enabled", "log file sync switched to post/wait"]
    assert [(k.label, k.count) for k in found.by_size] == [("up to 4 KB", 1), ("up to 64 KB", 1), ("above 1 MB", 1)]
    assert [(k.label, k.count) for k in found.by_length] == [("500 ms to 1 s", 2), ("1 to 2 s", 1)]
    assert overview_sentence(found) == (
        "The trace tells of 3 slow redo writes from 2024-03-05 09:30:00 to 2024-03-05 09:32:00, the longest 1.56 s at "
        "2024-03-05 09:31:00, and of 2 switches."
    )


@pytest.mark.parametrize(
    ("writes", "told"),
    [
        ((Slow("2024-03-05 09:31:00", 1562, 5),), "1 slow redo write, the longest 1.56 s at 2024-03-05 09:31:00"),
        ((), "no slow redo write"),
    ],
)
def test_the_verdict_on_a_trace_is_its_slow_writes(writes, told):
    verdict = assess(trace(Went("2024-03-05 11:00:00"), *writes)).verdict
    assert verdict.startswith(
        f"The trace tells of {told}, and of 1 switch. What commits waited for then, an AWR report"
    )


@pytest.mark.parametrize(
    ("at", "facts", "why"),
    [
        ("2024-03-05 09:30:00", {}, ""),
        ("2024-03-05 09:30:00", {"instance": "X1", "host": "db9"}, "It is of X1 on db9; the report is of"),
        ("2024-03-04 09:30:00", {}, "the window lasts from 2024-03-05 09:00:00 to 2024-03-05 10:00:00"),
        ("2024-03-05 10:00:00", {}, "none of them lies in it"),
    ],
)
def test_a_trace_of_another_host_or_window_is_refused_in_words(at, facts, why):
    said = why_foreign(trace(Slow(at), **facts), (hour(),))
    assert why in said
    assert bool(said) is bool(why)
