"""A record of the log writers' scheduling: what it holds of a window, and what it makes of the cause it is about."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.report.figures_by_name import Side
from parsers import parse_report
from tests.unit.analysis.builders import os_statistics
from tests.unit.analysis.commit_builders import committing
from tests.unit.analysis.traces import HOUR, record

SCRIPT = Path(__file__).parents[3] / "static/companion/lgwr_sched.sh"
BUSY, IDLE = [os_statistics(96, 4)], [os_statistics(10, 90)]


def pair(*files, more=BUSY, **facts):
    """Commits of 10 ms over writes of 1 ms, 36,000 redo writes in an hour: ten a second."""
    given = {"lfs": (36_000, 360.0), "lfpw": (36_000, 36.0), "statistics": {"redo writes": 36_000}, "more": more,
             "elapsed": 3600.0, **facts}  # fmt: skip
    first, second = ({**given, "begin": HOUR + timedelta(hours=h)} for h in (-1, 0))
    return commit_latency([Side(committing(**g)) for g in (first, second)], files)


def cause(found, rule):
    return next((c for c in found.causes if c.rule == rule), None)


def test_it_is_read_as_a_trace_of_the_log_writer():
    read = record(0.05)
    assert (read.kind, read.host.name, [i.name for i in read.instances]) == ("lgwr_trace", "db1", ["DB11"])
    assert read.issues == ()
    assert len(read.section("lgwr_scheduling").records) == 61


@pytest.mark.parametrize("processes", [1, 3])
def test_what_lies_in_the_window_is_summed_over_the_processes(processes):
    (found,) = pair(record(0.05, processes=processes)).events.scheduled
    assert (found.report, found.covered_s, found.runs) == (1, 60.0, 6000 * processes)
    assert found.cpu_s == pytest.approx(15.0 * processes)
    assert found.waited_s == pytest.approx(3.0 * processes)


def test_the_page_says_what_was_recorded():
    notes = pair(record(0.05)).events.notes
    assert (
        "Recorded in Second's window: 60.0 s, in which the log writers ran 15.0 s and waited 3.00 s for a CPU." in notes
    )


def test_seconds_outside_the_window_count_for_the_other_report_or_for_none():
    across = pair(record(0.05, begin=HOUR - timedelta(seconds=20))).events.scheduled
    assert [(s.report, s.covered_s) for s in across] == [(0, 19.0), (1, 40.0)]
    assert pair(record(0.05, begin=HOUR + timedelta(days=1))).events.scheduled == ()


def test_a_process_that_began_anew_is_not_counted_backwards():
    old, new = record(0.05, seconds=30), record(0.05, seconds=30, begin=HOUR + timedelta(seconds=31))
    both = [*old.section("lgwr_scheduling").rows, *new.section("lgwr_scheduling").rows]
    lines = [f"{r['time']},4711,{r['cpu_s'].number * 1e9:.0f},{r['waited_s'].number * 1e9:.0f},{r['runs'].number:.0f}"
             for r in both]  # fmt: skip
    text = "\n".join(["awrdiff log writer scheduling 1", *lines])
    (found,) = pair(parse_report(text.encode(), name="x.trc")).events.scheduled
    assert (found.covered_s, round(found.waited_s, 3)) == (60.0, 3.0)


def test_waits_for_a_cpu_prove_that_it_starved():
    """0.05 s a second over ten writes a second: 5 ms per write, half of a commit wait."""
    found = cause(pair(record(0.05)), "lgwr-cpu")
    assert found.confidence == "proven"
    assert "ran 25 % of the time and waited for a CPU 5.00 ms per redo write, 50 % of a commit wait." in found.text
    assert found.explains_s.value == pytest.approx(5e-3)
    assert "lgwr_scheduling" in {e.section for e in found.evidence}
    assert not any("lgwr_sched.sh" in c for c in found.checks)
    assert cause(pair(), "lgwr-cpu").confidence == "low"


def test_a_log_writer_that_had_its_cpu_is_not_said_to_starve():
    found = cause(pair(record(0.0005), statistics={"redo writes": 36_000}), "lgwr-cpu")
    assert found.confidence == "low", "a record of one report says nothing of the other"
    assert "While it was recorded no queue for a CPU held it up; paging and steal" in found.text


def test_between_the_two_it_is_only_said():
    found = cause(pair(record(0.005)), "lgwr-cpu")
    assert (found.confidence, "5 % of a commit wait" in found.text) == ("low", True)


def test_what_nothing_else_tells_of_is_a_cause_of_its_own():
    found = pair(record(0.05), more=IDLE)
    assert cause(found, "lgwr-cpu") is None
    assert (cause(found, "lgwr-off-cpu").confidence, cause(found, "lgwr-off-cpu").reports) == ("high", (0, 1))
    assert cause(pair(record(0.005), more=IDLE), "lgwr-off-cpu") is None
    assert cause(pair(record(0.05), more=BUSY), "lgwr-off-cpu") is None


def test_a_short_record_and_one_from_elsewhere_prove_nothing():
    assert cause(pair(record(0.05, seconds=20)), "lgwr-cpu").confidence == "low"
    elsewhere = pair(record(0.05, instance="OTHER", host="elsewhere"))
    assert cause(elsewhere, "lgwr-cpu").confidence == "low"
    assert "is of OTHER on elsewhere" in elsewhere.events.warnings[0]


def test_it_is_no_trace_that_would_warn_of_slow_writes():
    (file,) = pair(record(0.05, begin=HOUR - timedelta(hours=1), seconds=7200)).events.traces
    assert (file.covers_first, file.covers_second) == (False, False)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel keeps no schedstat here")
def test_the_script_writes_what_is_read():
    """Of this very process, which is busy meanwhile."""
    with subprocess.Popen(
        ["/bin/sh", str(SCRIPT), "-p", str(os.getpid()), "3"], stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}
    ) as running:
        sum(i * i for i in range(6_000_000))
        text, _ = running.communicate(timeout=30)
    read = parse_report(text, name="lgwr_sched.trc")
    rows = list(read.section("lgwr_scheduling").rows)
    assert read.host.name == os.uname().nodename
    assert [r["process"] for r in rows] == [str(os.getpid())] * 3
    assert rows[-1]["cpu_s"].number > rows[0]["cpu_s"].number


def test_the_script_says_when_there_is_no_log_writer():
    done = subprocess.run(["/bin/sh", str(SCRIPT), "no_such_sid"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No log writer found." in done.stderr


@pytest.mark.parametrize(
    ("waited", "more", "confidence"), [(0.2, BUSY, "low"), (0.05, BUSY, "proven"), (0.2, IDLE, "low")]
)
def test_minutes_that_waited_longer_than_a_commit_are_not_like_the_window_and_prove_nothing(waited, more, confidence):
    found = pair(record(waited), more=more)
    one = cause(found, "lgwr-cpu") or cause(found, "lgwr-off-cpu")
    assert one.confidence == confidence
    assert ("not representative of the window" in one.text) is (confidence == "low")


@pytest.mark.parametrize(("waited", "more", "clears"), [(0.0, IDLE, True), (0.02, IDLE, False), (0.0, BUSY, False)])
def test_a_record_that_clears_the_log_writer_says_so(waited, more, clears):
    one = cause(pair(record(waited), more=more), "lgwr-on-cpu")
    assert (one is not None) is clears
    if clears:
        assert one.confidence == "note"
        assert "waited for a CPU" in one.text
