"""Statements that are no rule of their own: each has an hour that makes it, one that is quiet, and one in which another
row denies it. `POINTS`: what a log writer's expert asks, by the statements and rules that answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.model.commit_latency import Cause, CommitLatency
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import BEFORE, SLOWER, Hour, alone, moments, pair, polls, system
from tests.unit.analysis.builders import os_statistics, parameters
from tests.unit.analysis.test_commit_three_cases import CASES, RANK, sureness
from tests.unit.analysis.traces import Slow, record, trace

STALLED = moments(schedule=400.0)
LONG_STALLED = {name: 30 * value for name, value in STALLED.items()}  # of 30,000 writes, as records need
SWAPPED = system(BUSY_TIME=18, IDLE_TIME=82, SYS_TIME=11, USER_TIME=7, SWAP_FREE_BYTES=0)
SWAP_LEFT = system(BUSY_TIME=18, IDLE_TIME=82, SYS_TIME=7, USER_TIME=11, SWAP_FREE_BYTES=8 << 30)
POLLED: dict[str, Any] = {"lfs": (30_000, 360.0), "lfpw": (30_000, 132.0), "statistics": polls(1.2)}
POSTED = polls(1.2, share=0.01)
SMALL = {"user calls": 30_000, "user commits": 20_000, "redo size": 9e6, "redo writes": 30_000}
NOWAIT = {"user commits": 10_000, "commit nowait performed": 9_000}
SHORT: dict[str, Any] = {"background": {"SYNC Remote Write": (1000, 0.1)}, "statistics": moments()}
WORKERS: dict[str, Any] = {"statistics": moments(worker=2000.0)}
SLOW: dict[str, Any] = {"lfs": (36_000, 1080.0), "lfpw": (30_000, 720.0)}
TWICE: dict[str, Any] = {"statistics": moments(total=20e6)}
ROOM: dict[str, Any] = {"waits": {"log buffer space": (9_000, 90.0)}}
SIZE = [parameters({"log_buffer": "14680064"})]
FEW_WRITES: dict[str, Any] = {"lfpw": (900, 0.9), "cpus": 96}


class Statement(NamedTuple):
    shows: Callable[[CommitLatency], bool]
    fires: Hour
    quiet: Hour
    denied: Hour


def cause(latency: CommitLatency, rule: str) -> Cause | None:
    return next((c for c in latency.causes if c.rule == rule), None)


def says(rule: str, text: str) -> Callable[[CommitLatency], bool]:
    """In its title, its sentence or its checks."""

    def shows(latency: CommitLatency) -> bool:
        found = cause(latency, rule)
        return found is not None and text in " ".join((found.title, found.text, *found.checks))

    return shows


def ordering(seconds: float) -> dict[str, Any]:
    return {**WORKERS, "background": {"LGWR worker group ordering": (900, seconds)}}


def bytes_per_write(size: float) -> dict[str, Any]:
    return {**SLOW, "statistics": {"redo size": size * 30_000, "redo writes": 30_000}}


def reading(hour: dict[str, Any], seconds: float, waits: int = 10_000) -> dict[str, Any]:
    return {**hour, "waits": {"db file sequential read": (waits, seconds)}}


STATEMENTS: dict[str, Statement] = {
    # scheduled as usual; swap is left and the host is idle
    "a stall on a host short of memory": Statement(
        says("lgwr-cpu", "short of memory"),
        alone(statistics=STALLED, more=[SWAPPED]),
        alone(statistics=moments(), more=[SWAPPED]),
        alone(statistics=STALLED, more=[SWAP_LEFT]),
    ),
    # some waiting was recorded; recorded on another host
    "a record clears the queue for a CPU": Statement(
        says("lgwr-cpu", "no queue for a CPU held it up"),
        (alone(statistics=LONG_STALLED)[0], (record(0.0),)),
        (alone(statistics=LONG_STALLED)[0], (record(0.004),)),
        (alone(statistics=LONG_STALLED)[0], (record(0.0, host="db9", instance="X1"),)),
    ),
    # both poll; commits that were posted waited no less
    "the other report is the measurement": Statement(
        says("polling", "commits of the other report waited 7.00 ms"),
        pair({**POLLED, "lfs": (30_000, 210.0), "statistics": POSTED}, POLLED),
        pair({**POLLED, "lfs": (30_000, 210.0)}, POLLED),
        pair({**POLLED, "lfs": (30_000, 450.0), "statistics": POSTED}, POLLED),
    ),
    # a wait is three writes; hardly a commit waits
    "the number of commits stands first": Statement(
        lambda latency: latency.causes[0].rule == "frequent-commits",
        alone(lfs=(36_000, 40.0), statistics=SMALL, db_time=300.0),
        alone(lfs=(36_000, 108.0), statistics=SMALL, db_time=300.0),
        alone(lfs=(36_000, 40.0), statistics={**SMALL, "redo synch writes": 100}, db_time=300.0),
    ),
    # ten calls to a commit; hardly a commit waits
    "commits on the server": Statement(
        says("frequent-commits", "commits inside PL/SQL, or on the server"),
        alone(statistics=SMALL),
        alone(statistics={**SMALL, "user calls": 200_000}),
        alone(statistics={**SMALL, "redo synch writes": 100}),
    ),
    # all wait; it was First's alone
    "durability given up stands first": Statement(
        lambda latency: latency.causes[0].rule.startswith("commit-nowait"),
        pair({"statistics": {"user commits": 10_000}}, {"statistics": {**STALLED, **NOWAIT}}),
        pair({"statistics": {"user commits": 10_000}}, {"statistics": {**STALLED, "user commits": 10_000}}),
        pair({"statistics": NOWAIT}, {"statistics": STALLED}),
    ),
    # most of the wait; the destination ships ASYNC
    "a step under the floor is a note": Statement(
        lambda latency: (found := cause(latency, "data-guard-sync")) is not None and found.confidence == "note",
        alone(**SHORT),
        alone(background={"SYNC Remote Write": (1000, 9.0)}, statistics=moments()),
        alone(**SHORT, more=[parameters({"log_archive_dest_2": "service=s ASYNC"})]),
    ),
    # none is printed; longer than handing over, so not a part of it
    "worker events are part of the stage that holds them": Statement(
        says("lgwr-workers", "Waits for the workers themselves: LGWR worker group ordering"),
        alone(**ordering(1.5)),
        alone(**WORKERS),
        alone(**ordering(9.0)),
    ),
    # what they carry is not printed; too slow for what they carry
    "large writes are large rather than slow": Statement(
        says("io-bound", "large rather than slow"),
        alone(**bytes_per_write(12e6)),
        alone(**SLOW),
        alone(**bytes_per_write(1e6)),
    ),
    # within the window; more writers are allowed
    "more time than the log writers had is refused": Statement(
        lambda latency: any("redo write total time says" in n for n in latency.reports[0].notes),
        alone(**TWICE),
        alone(statistics=moments()),
        alone(**TWICE, more=[parameters({"_max_outstanding_log_writes": "8"})]),
    ),
    # ten to a write; commits wait for one write
    "forty sessions are posted per write": Statement(
        says("not-redo-io", "posted one after another"),
        alone(**FEW_WRITES),
        alone(lfpw=(3_000, 3.0), cpus=96),
        alone(**{**FEW_WRITES, "lfpw": (900, 9.0)}, lfs=(36_000, 396.0)),
    ),
    # commits wait for their writes; what they wait for is measured
    "the experiment of a test system with its danger": Statement(
        lambda latency: any("_disable_logging" in check and "destroys" in check for check in latency.causes[0].checks),
        alone(),
        alone(lfs=(36_000, 50.4)),
        alone(statistics=moments(worker=8000.0)),
    ),
    # nothing waits for room; the parameter is not printed
    "the size of the log buffer beside waits for it": Statement(
        says("log-buffer", "log_buffer is"), alone(**ROOM, more=SIZE), alone(more=SIZE), alone(**ROOM)
    ),
    # the write is not printed; commits joined writes under way
    "the lead names the difference as an upper estimate": Statement(
        lambda latency: "(LFS − LFPW): 9.00 ms (90 %) of a wait, an upper estimate" in lead(latency.reports),
        alone(),
        alone(lfpw=None),
        alone(lfs=(36_000, 18.0)),
    ),
    # none is listed; they took as long as before
    "reads of data files went along with the redo writes": Statement(
        says("storage-slowed", "Reads of data files went along (db file sequential read 5.00 ms → 9.00 ms)"),
        pair(reading(BEFORE, 50.0), reading(SLOWER, 90.0)),
        pair(BEFORE, SLOWER),
        pair(reading(BEFORE, 50.0), reading(SLOWER, 51.0)),
    ),
    # they went along; so few have no average
    "reads of data files did not go along": Statement(
        says("storage-slowed", "Reads of data files did not go along (db file sequential read 5.00 ms → 5.10 ms)"),
        pair(reading(BEFORE, 50.0), reading(SLOWER, 51.0)),
        pair(reading(BEFORE, 50.0), reading(SLOWER, 90.0)),
        pair(reading(BEFORE, 4.0, 800), reading(SLOWER, 4.1, 800)),
    ),
    # busy in part; stages tell what was lost
    "slower writes may hold lost CPU": Statement(
        says("storage-slowed", "Second's CPUs were 95 % busy"),
        pair(BEFORE, {**SLOWER, "more": [os_statistics(95, 5)]}),
        pair(BEFORE, {**SLOWER, "more": [os_statistics(80, 20)]}),
        pair(*({**hour, "more": [os_statistics(95, 5)], "statistics": moments()} for hour in (BEFORE, SLOWER))),
    ),
    # as many processes as CPUs; the host is idle
    "a stalled log writer waited for a CPU": Statement(
        says("lgwr-cpu", "The log writer waited for a CPU."),
        alone(statistics=STALLED, more=[os_statistics(95, 5)]),
        alone(statistics=moments(), more=[os_statistics(95, 5)]),
        alone(statistics=STALLED, more=[os_statistics(18, 82)]),
    ),
    # as long as before; commits of First joined writes under way
    "the parts of a change": Statement(
        lambda latency: "2.00 ms the redo write." in lead(latency.reports),
        pair({}, {"lfs": (36_000, 720.0), "lfpw": (30_000, 90.0)}),
        pair({}, {"lfpw": (30_000, 90.0)}),
        pair({"lfs": (36_000, 18.0)}, {"lfs": (36_000, 720.0), "lfpw": (30_000, 90.0)}),
    ),
    # its writes are a little longer; as long as the event says
    "a factor of ten and more is no share": Statement(
        lambda latency: any(" 24 times what log file parallel write says" in n for n in latency.reports[0].notes),
        alone(statistics=moments(finish=24_000.0)),
        alone(statistics=moments(finish=1500.0)),
        alone(lfs=(36_000, 1080.0), lfpw=(30_000, 720.0), statistics=moments(finish=24_000.0)),
    ),
    # in the window; from before it to within
    "a trace of another window proves nothing": Statement(
        lambda latency: (
            any("none of them lies in it" in w for w in latency.events.warnings) if latency.events else False
        ),
        (alone()[0], (trace(Slow("2024-03-04 09:30:00")),)),
        (alone()[0], (trace(Slow("2024-03-05 09:30:00")),)),
        (alone()[0], (trace(Slow("2024-03-04 09:30:00"), Slow("2024-03-05 09:30:00")),)),
    ),
}
# A stall on an idle host; what a record clears; the split; the other report; the number of commits; who commits;
# durability; floors; workers; lost CPU and bytes; sums; traces; the seeds' own evidence; log buffer and lead.
POINTS: dict[int, tuple[str, ...]] = {
    1: ("a stall on a host short of memory", "a stalled log writer waited for a CPU", "lgwr-cpu"),
    2: ("a record clears the queue for a CPU", "lgwr-on-cpu", "lgwr-off-cpu"),
    3: ("the parts of a change", "storage-slowed", "adaptive-switch"),
    4: ("the other report is the measurement", "polling"),
    5: ("the number of commits stands first", "lost-posts"),
    6: ("commits on the server", "who-commits", "rollbacks"),
    7: ("durability given up stands first", "commit-nowait-changed", "commit-batch"),
    8: ("a step under the floor is a note", "data-guard-sync"),
    9: ("worker events are part of the stage that holds them", "lgwr-workers"),
    10: (
        "slower writes may hold lost CPU",
        "large writes are large rather than slow",
        "reads of data files went along with the redo writes",
        "reads of data files did not go along",
    ),
    11: ("more time than the log writers had is refused", "a factor of ten and more is no share"),
    12: ("a trace of another window proves nothing", "scalable-log-writer"),
    13: (
        "the experiment of a test system with its danger",
        "forty sessions are posted per write",
        "numa-fixed",
    ),
    14: ("the size of the log buffer beside waits for it", "the lead names the difference as an upper estimate"),
}
KINDS = ("fires", "quiet", "denied")


def shown(name: str, kind: str) -> bool:
    """Whether the statement is made, or the rule fires as surely as at first."""
    if name in STATEMENTS:
        reports, traces = getattr(STATEMENTS[name], kind)
        return STATEMENTS[name].shows(commit_latency([Side(r) for r in reports], traces))
    first, sure = sureness(name, CASES[name].fires), sureness(name, getattr(CASES[name], kind))
    return bool(sure) and RANK.index(sure) >= RANK.index(first)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("point", "name"), [(point, name) for point, names in POINTS.items() for name in names])
def test_each_point_is_said_is_quiet_and_is_denied(point, name, kind):
    assert shown(name, kind) is (kind == "fires"), point


def test_no_point_and_no_statement_is_left_out():
    assert list(POINTS) == list(range(1, 15))
    assert {name for names in POINTS.values() for name in names if name not in CASES} == set(STATEMENTS)
