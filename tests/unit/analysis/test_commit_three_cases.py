"""Every cause has a case in which it fires, one in which it is quiet, and one in which another row of the same reports
denies it: the firing case with that row beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.causes import lgwr_traces, single_report_rules, two_report_causes
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column, Section
from tests.golden.commit_hours import (
    AFTER,
    BEFORE,
    OFF_CPU,
    REMOTE,
    SLOWER,
    SMOOTH,
    TAIL,
    TOO_LONG_FOR_THE_WRITES,
    WORK,
    Hour,
    alone,
    flash_log,
    moments,
    overhead,
    p3,
    pair,
    polls,
    shares,
    switches,
    system,
)
from tests.unit.analysis.builders import column, exact, os_statistics, parameters, section
from tests.unit.analysis.traces import Scaled, Slow, Went, record, trace

ALIKE: dict[str, Any] = {"lfs": (36_000, 50.4), "more": [shares(SMOOTH, SMOOTH)], "release": "11.2.0.4.0"}
SLEEPS: dict[str, Any] = {"lfs": (30_000, 360.0), "lfpw": (30_000, 132.0)}
CALLS = {"user calls": 200, "user commits": 10, "redo size": 20_000, "redo writes": 20}
ACKS = {"redo write broadcast ack time": 900_000, "redo write broadcast ack count": 900}
COPY = {"LGWR wait for redo copy": (900, 3.0)}
LATE = {**overhead(200.0), "redo synch time (usec)": 360e6}
BUSY: dict[str, Any] = {"lfs": (36_000, 3600.0), "lfpw": (300_000, 2520.0)}
STALL = {"log file switch (checkpoint incomplete)": (164, 146.0)}
WAITS_OF_BLOCKS: dict[str, Any] = {"lfs": (36_000, 18.0), "waits": {"buffer busy waits": (100, 1.0)}}
LONGER_OF_BLOCKS: dict[str, Any] = {
    "lfs": (36_000, 200.0),
    "waits": {"buffer busy waits": (100, 30.0)},
    "more": [system(NUM_CPU_SOCKETS=4)],
}
GONE_OF_BLOCKS: dict[str, Any] = {"lfs": (36_000, 18.0), "more": [system(NUM_CPU_SOCKETS=4)]}
SPLIT = [p3((1, 2, 1), (1, 4, 4))]
STALLED = {name: 30 * value for name, value in OFF_CPU.items()}  # of 30,000 writes
PARALLEL = parameters({"_log_parallelism_max": "2"})
APART = [70.0, None, None, 30.0, None, None, None]
ONE = "2024-03-05 09:30:00"
FLAPPING = (
    Scaled("2024-03-05 09:30:00"),
    Scaled("2024-03-05 09:35:00", "disabling", "group0=375 all=384 delay=144 rw=7940"),
    Scaled("2024-03-05 09:40:00"),
)
LATER = "2024-03-05 11:30:00"


def with_trace(found: Hour, *traces: Any) -> Hour:
    return found[0], traces


def of_another_database(found: Hour) -> Hour:
    first, second = found[0]
    other = replace(second, database=replace(second.database, name="OTHER", dbid="2"))
    return (first, other), found[1]


@dataclass(frozen=True)
class Three:
    """`left`: how sure the cause still is where it is denied; "" = it is gone."""

    fires: Hour
    quiet: Hour
    denied: Hour
    left: str = ""


def executed(text: str, runs: float, module: str = "loader") -> Section:
    columns = (
        Column("sql_id", "SQL Id"),
        column("executions"),
        Column("sql_module", "Module"),
        Column("sql_text", "Text"),
    )
    return section("sql_by_executions", columns, [("0abcdefghijk1", exact(runs), module, text)], key=("sql_id",))


def committed(**counts: float) -> dict[str, float]:
    return {"user commits": 10_000, **counts}


CASES: dict[str, Three] = {
    # 3.6 times a write; another shape
    "io-bound": Three(
        alone(**ALIKE), alone(**{**ALIKE, "lfs": (36_000, 130.0)}), alone(**{**ALIKE, "more": [shares(APART, SMOOTH)]})
    ),
    # for few writes; the destination ships ASYNC
    "data-guard-sync": Three(
        alone(background=REMOTE, statistics=moments()),
        alone(background={"SYNC Remote Write": (250, 9.0)}, statistics=moments()),
        alone(background=REMOTE, statistics=moments(), more=[parameters({"log_archive_dest_2": "service=s ASYNC"})]),
    ),
    # a fiftieth of a wait; hardly anything follows the write
    "rac-broadcast": Three(
        alone(statistics={**moments(total=3000.0), **ACKS}),
        alone(statistics={**moments(total=3000.0), **ACKS, "redo write broadcast ack time": 200_000}),
        alone(statistics={**moments(), **ACKS}),
    ),
    # a twentieth; there are none
    "lgwr-workers": Three(
        alone(statistics=moments(worker=2000.0)),
        alone(statistics=moments(worker=500.0)),
        alone(statistics=moments(worker=2000.0), more=[parameters({"_use_single_log_writer": "TRUE"})]),
    ),
    # a twentieth; a standby that each write waits for
    "post-io": Three(
        alone(statistics=moments(written=3000.0)),
        alone(statistics=moments(written=500.0)),
        alone(statistics=moments(written=3000.0), background=REMOTE),
    ),
    # a fiftieth; gathering, which it is part of, was shorter
    "redo-copy": Three(
        alone(background=COPY, statistics=moments(gather=3100.0)),
        alone(background={"LGWR wait for redo copy": (900, 0.2)}, statistics=moments(gather=3100.0)),
        alone(background=COPY, statistics=moments()),
    ),
    # a twentieth; more than all synch time
    "wake-up": Three(
        alone(statistics={**moments(), **LATE}),
        alone(statistics={**moments(), **LATE, **overhead(18.0)}),
        alone(statistics={**moments(), **LATE, **overhead(900.0)}),
    ),
    # few polled; the sleep is too short
    "polling": Three(
        alone(**SLEEPS, statistics=polls(1.2)),
        alone(**SLEEPS, statistics=polls(1.2, share=0.3)),
        alone(**SLEEPS, statistics=polls(100.0)),
        "low",
    ),
    # no slow writes; more time in the waits than the slow writes hold
    "write-tail": Three(
        alone(more=[TAIL]), alone(more=[shares(SMOOTH, SMOOTH)]), alone(more=[TOO_LONG_FOR_THE_WRITES])
    ),
    # half of the time; commits wait for no more than a write
    "lgwr-busy": Three(
        alone(**BUSY), alone(**{**BUSY, "lfpw": (300_000, 1800.0)}), alone(**{**BUSY, "lfpw": (25_500, 2520.0)})
    ),
    # one request each; two files and their bytes need as many
    "log-parallelism": Three(
        alone(cpus=96, more=SPLIT), alone(cpus=96, more=[p3((1, 2, 1))]), alone(cpus=96, more=[p3((2, 3000, 4))])
    ),
    # a usual schedule; a host that looks busy, and a record in which the log writer had its CPU
    "lgwr-cpu": Three(
        alone(statistics=STALLED),
        alone(statistics=moments()),
        with_trace(alone(statistics={"redo writes": 30_000}, more=[os_statistics(95, 5)]), record(0.0)),
        "note",
    ),
    # many calls; commits that the log does not see
    "frequent-commits": Three(
        alone(statistics=CALLS),
        alone(statistics={**CALLS, "user calls": 400}),
        alone(statistics={**{k: 1000 * v for k, v in CALLS.items()}, "redo synch writes": 100}),
    ),
    # most wait; they do not because of NOWAIT, which says it
    "unwaited-commits": Three(
        alone(statistics=committed(**{"redo synch writes": 700})),
        alone(statistics=committed(**{"redo synch writes": 7_000})),
        alone(statistics=committed(**{"redo synch writes": 700, "commit nowait performed": 9_000})),
    ),
    # a twentieth; sessions that poll by themselves
    "lost-posts": Three(
        alone(timeouts=25.0),
        alone(timeouts=5.0),
        alone(timeouts=25.0, statistics=polls(100.0)),
        "note",
    ),
    # a third of the commits; a query that runs as often
    "who-commits": Three(
        alone(statistics=committed(), more=[executed("UPDATE accounts SET b = :1", 10_100)]),
        alone(statistics=committed(), more=[executed("UPDATE accounts SET b = :1", 3_000)]),
        alone(statistics=committed(), more=[executed("SELECT b FROM accounts", 10_100)]),
    ),
    # a tenth; hardly any transaction at all
    "rollbacks": Three(
        alone(statistics=committed(**{"transaction rollbacks": 9_000})),
        alone(statistics=committed(**{"transaction rollbacks": 1_000})),
        alone(statistics={"user commits": 10, "transaction rollbacks": 9}),
    ),
    # one and a half; as many transactions that rolled back
    "several-syncs": Three(
        alone(statistics=committed(**{"redo synch writes": 20_000})),
        alone(statistics=committed(**{"redo synch writes": 15_000})),
        alone(statistics=committed(**{"redo synch writes": 20_000, "transaction rollbacks": 10_000})),
    ),
    # a hundredth; NOWAIT is asked for as well
    "commit-batch": Three(
        alone(statistics=committed(**{"commit batch performed": 900})),
        alone(statistics=committed(**{"commit batch performed": 100})),
        alone(statistics=committed(**{"commit batch performed": 900, "commit nowait performed": 900})),
    ),
    # few, and hardly waited for; as often, and hardly waited for
    "log-switches": Three(
        alone(waits=STALL, more=[switches(44, 43.9)]),
        alone(more=[switches(4, 4.0)]),
        alone(waits={"log file switch (checkpoint incomplete)": (164, 0.5)}, more=[switches(44, 43.9)]),
        "note",
    ),
    # a fiftieth of that; commits and writes are as they were, and no session waited for a tenth of a percent
    "log-buffer": Three(
        alone(waits={"log buffer space": (9_000, 90.0)}),
        alone(waits={"log buffer space": (100, 3.0)}),
        alone(waits={"log buffer space": (9_000, 90.0)}, db_time=20_000.0),
    ),
    # a tenth; a large part of next to nothing
    "direct-redo": Three(
        alone(statistics={"redo size for direct writes": 2e9, "redo size": 5e9}),
        alone(statistics={"redo size for direct writes": 5e8, "redo size": 5e9}),
        alone(statistics={"redo size for direct writes": 2e8, "redo size": 5e8}),
    ),
    # once, as the archiver does; a single log, begun before the window
    "redo-read": Three(
        alone(statistics={"redo KB read": 9e6, "redo size": 5e9}, more=[switches(5, 5)]),
        alone(statistics={"redo KB read": 5e6, "redo size": 5e9}, more=[switches(5, 5)]),
        alone(statistics={"redo KB read": 9e6, "redo size": 5e9}, more=[switches(1, 1)]),
    ),
    # a hundredth; beside far longer commit waits
    "scn-ordering": Three(
        alone(waits={"log file sync: SCN ordering": (900, 40.0)}),
        alone(waits={"log file sync: SCN ordering": (900, 4.0)}),
        alone(waits={"log file sync: SCN ordering": (900, 40.0)}, lfs=(36_000, 720.0)),
    ),
    "log-flush": Three(
        alone(background={"gcs log flush sync": (9_000, 40.0)}),
        alone(background={"gcs log flush sync": (9_000, 4.0)}),
        alone(background={"gcs log flush sync": (9_000, 40.0)}, lfs=(36_000, 720.0)),
    ),
    # no trouble; that of one cell is not said of all
    "flash-log": Three(
        alone(more=[flash_log(outliers_actual=3)]),
        alone(more=[flash_log()]),
        alone(more=[flash_log("cell01", outliers_actual=3)]),
    ),
    # as a database does by itself; asked for, and most waited all the same
    "commit-nowait": Three(
        alone(statistics=committed(**{"redo synch writes": 500}), more=[parameters({"commit_wait": "NOWAIT"})]),
        alone(statistics=committed(**{"commit nowait performed": 100})),
        alone(statistics=committed(**{"redo synch writes": 9_900}), more=[parameters({"commit_wait": "NOWAIT"})]),
        "low",
    ),
    # processing is less than half and something else is more; what stands for it is measured
    "not-redo-io": Three(
        alone(statistics=moments(gather=5000.0)), alone(lfs=(36_000, 50.4)), alone(more=[TAIL], statistics=moments())
    ),
    # as few polled as before; it is not allowed to
    "adaptive-switch": Three(
        pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**AFTER, "statistics": polls(1.0, share=0.0)}),
        pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**BEFORE, "statistics": polls(1.0, share=0.0)}),
        pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**AFTER, "statistics": polls(1.0, share=0.9)}),
    ),
    # they carry too little; the log writer's own processing grew by more
    "storage-slowed": Three(
        pair(BEFORE, SLOWER),
        pair(BEFORE, AFTER),
        pair({**BEFORE, "statistics": moments()}, {**SLOWER, "statistics": moments(gather=900.0)}),
    ),
    # the wait is as long; another database
    "log-parallelism-changed": Three(
        pair({"more": [parameters({"db_name": "D"})]}, {"lfs": (36_000, 72.0), "more": [PARALLEL]}),
        pair({"more": [parameters({"db_name": "D"})]}, {"more": [PARALLEL]}),
        of_another_database(
            pair({"more": [parameters({"db_name": "D"})]}, {"lfs": (36_000, 72.0), "more": [PARALLEL]})
        ),
    ),
    # as many requests; two files and their bytes need them
    "log-parallelism-load": Three(
        pair({"lfs": (36_000, 72.0), "cpus": 96, "more": [p3((1, 2, 1))]}, {"cpus": 96, "more": SPLIT}),
        pair({"lfs": (36_000, 72.0), "cpus": 96, "more": SPLIT}, {"cpus": 96, "more": SPLIT}),
        pair({"lfs": (36_000, 72.0), "cpus": 96, "more": [p3((1, 2, 1))]}, {"cpus": 96, "more": [p3((2, 3000, 4))]}),
    ),
    # two sockets; there was more work
    "numa": Three(
        pair({**WAITS_OF_BLOCKS, "statistics": WORK}, {**LONGER_OF_BLOCKS, "statistics": WORK}),
        pair(
            {**WAITS_OF_BLOCKS, "statistics": WORK},
            {**LONGER_OF_BLOCKS, "statistics": WORK, "more": [system(NUM_CPU_SOCKETS=2)]},
        ),
        pair(
            {**WAITS_OF_BLOCKS, "statistics": WORK},
            {**LONGER_OF_BLOCKS, "statistics": {name: 2 * value for name, value in WORK.items()}},
        ),
    ),
    # they stayed; half of the work is left
    "numa-fixed": Three(
        pair({**LONGER_OF_BLOCKS, "statistics": WORK}, {**GONE_OF_BLOCKS, "statistics": WORK}),
        pair(
            {**LONGER_OF_BLOCKS, "statistics": WORK},
            {**GONE_OF_BLOCKS, "statistics": WORK, "waits": {"buffer busy waits": (100, 20.0)}},
        ),
        pair(
            {**LONGER_OF_BLOCKS, "statistics": WORK},
            {**GONE_OF_BLOCKS, "statistics": {name: value / 2 for name, value in WORK.items()}},
        ),
    ),
    # no more of them; each is longer as well
    "proportional": Three(
        pair({"statistics": committed()}, {"lfs": (72_000, 720.0), "statistics": {"user commits": 20_000}}),
        pair({"statistics": committed()}, {"statistics": committed()}),
        pair({"statistics": committed()}, {"lfs": (72_000, 900.0), "statistics": {"user commits": 20_000}}),
    ),
    # neither; both
    "commit-nowait-changed": Three(
        pair({"statistics": committed()}, {"statistics": committed(**{"commit nowait performed": 900})}),
        pair({"statistics": committed()}, {"statistics": committed(**{"commit nowait performed": 10})}),
        pair(*[{"statistics": committed(**{"commit nowait performed": 900})}] * 2),
    ),
    # long before; of another instance
    "switch-traced": Three(
        pair({}, {}, trace(Went(LATER))),
        pair({}, {}, trace(Went("2024-03-04 11:30:00"))),
        pair({}, {}, trace(Went(LATER), instance="X1")),
    ),
    # twice; of another instance
    "scalable-log-writer": Three(
        with_trace(alone(), trace(*FLAPPING)),
        with_trace(alone(), trace(*FLAPPING[:2])),
        with_trace(alone(), trace(*FLAPPING, instance="X1")),
    ),
    "slow-writes": Three(
        with_trace(alone(), trace(Slow(ONE))),
        with_trace(alone(), trace(Slow("2024-03-04 11:30:00"))),
        with_trace(alone(), trace(Slow(ONE), instance="X1")),
    ),
    # a little; longer than a commit waited, so not like the window
    "lgwr-off-cpu": Three(
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.02)),
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.004)),
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.5)),
        "low",
    ),
    # a little; of another host
    "lgwr-on-cpu": Three(
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.0)),
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.004)),
        with_trace(alone(statistics={"redo writes": 30_000}), record(0.0, host="db9", instance="X1")),
    ),
}
OUTSIDE = (single_report_rules.NOT_REDO_IO, single_report_rules.DURABILITY, two_report_causes.DURABILITY)
RULES = [r.rule for r in (*single_report_rules.RULES, *OUTSIDE, *two_report_causes.RULES, *lgwr_traces.RULES)]
RANK = ("note", "low", "medium", "high", "proven")


def sureness(rule: str, case: Hour) -> str:
    """How sure the cause is; "" where it is not there."""
    reports, traces = case
    causes: Mapping[str, str] = {
        c.rule: c.confidence for c in commit_latency([Side(r) for r in reports], traces).causes
    }
    return causes.get(rule, "")


@pytest.mark.parametrize("rule", RULES)
def test_it_fires_is_quiet_and_is_denied(rule):
    case = CASES[rule]
    fires, quiet, denied = (sureness(rule, one) for one in (case.fires, case.quiet, case.denied))
    assert fires, "it fires"
    assert quiet == ""
    assert denied == case.left
    assert not denied or RANK.index(denied) < RANK.index(fires)


def test_no_case_of_a_rule_that_is_not_there():
    assert set(CASES) == set(RULES)
