"""Hours made by hand, as small as a branch of commit latency needs: what no demo and no diagnosed case prints.

`HOURS` by name: one report alone or two to compare, and the traces attached.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from parsers.model import Column, Report, Section
from tests.unit.analysis.builders import column, exact, near, os_statistics, parameters, section
from tests.unit.analysis.commit_builders import W, committing, histogram, host_cpu, stages, top_list
from tests.unit.analysis.test_commit_cases import global_report
from tests.unit.analysis.traces import HOUR, Broadcast, Scaled, Slow, Went, record, trace

Hour = tuple[tuple[Report, ...], tuple[Report, ...]]


def hour(**more: Any) -> Report:
    """36,000 commits of 10 ms over 30,000 writes of 1 ms."""
    return committing(**{"lfs": (36_000, 360.0), "lfpw": (30_000, 30.0), **more})


def alone(**more: Any) -> Hour:
    return (hour(**more),), ()


def pair(first: dict[str, Any], second: dict[str, Any], *traces: Report) -> Hour:
    """Second two hours later."""
    return (hour(**first), hour(**{"begin": HOUR + timedelta(hours=2), **second})), traces


def of_kind(kind: str, **more: Any) -> Hour:
    return (replace(hour(**more), kind=kind),), ()  # type: ignore[arg-type]


def _without(report: Report, section_id: str) -> Report:
    return replace(report, sections=tuple(s for s in report.sections if s.id != section_id))


def _without_times(report: Report) -> Report:
    begin, end = (replace(s, time=None) for s in (report.period.begin, report.period.end))
    return replace(report, period=replace(report.period, begin=begin, end=end))


def moments(**microseconds: float) -> dict[str, float]:
    """The log writer's statistics, from how long each step takes."""
    took = {"worker": 50.0, "gather": 10.0, "schedule": 5.0, "finish": 800.0, "written": 5.0, "total": 30.0}
    at, out = 0.0, {}
    for name, length in {**took, **microseconds}.items():
        at += length
        out[name] = at
    return stages(**out)


def system(**values: float) -> Section:
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    return section("os_statistics", columns, [(name, exact(v)) for name, v in values.items()])


def ends(**values: tuple[float, float]) -> Section:
    """Statistics of the host with their values at both ends."""
    columns = (
        Column("statistic", "Statistic"),
        column("value", "as_labelled", "level"),
        column("end_value", "as_labelled", "level"),
    )
    return section("os_statistics", columns, [(name, *map(exact, both)) for name, both in values.items()])


def shares(waits: list[float | None], writes: list[float | None], **more: Any) -> Section:
    """Histograms of commit waits and of redo writes; the buckets end at 1, 2, 4, 8, 16 and 32 ms."""
    rows = {"log file sync": (exact(36_000), waits), "log file parallel write": (exact(30_000), writes)}
    return histogram(rows, **more)


def p3(*parts: tuple[int, int, int]) -> Section:
    columns = (Column("event", "Event"), Column("values", "Values"))
    rows = [("log file parallel write", ",".join(f'"{p}"' for p in part)) for part in parts]
    return section("top_event_parameters", columns, [*rows, ("db file sequential read", '"1","2","9"')], coverage="top")


def switches(count: float, per_hour: float) -> Section:
    columns = (Column("statistic", "Statistic"), column("total"), column("per_hour", "per_hour", "rate"))
    return section(
        "instance_activity_thread", columns, [("log switches (derived)", exact(count), near(per_hour, 0.005))]
    )


def flash_log(cell: str = "Total (2)", **counts: float) -> Section:
    names = ("outliers_actual", "skip_count", "errors_disk_i_o", "errors_flash_i_o")
    columns = (Column("cell_name", "Cell"), *map(column, names))
    return section("exadata_flash_log", columns, [(cell, *(exact(counts.get(name, 0)) for name in names))])


def polls(each: float, *, share: float = 1.0, writes: float = 30_000) -> dict[str, float]:
    counts = {"redo synch writes": writes, "redo synch poll writes": writes * share}
    return {**counts, "redo synch polls": writes * share * each}


def overhead(seconds: float, *counts: float, **more: float) -> dict[str, float]:
    """The wake-up of 30,000 synch writes, and how many of them took up to 2, 8, 32, 128 ms and longer."""
    names = ("  2 msec)", "  8 msec)", " 32 msec)", "128 msec)", "inf)")
    buckets = {f"redo synch time overhead count ({n}": c for n, c in zip(names, counts, strict=bool(counts))}
    return {"redo synch writes": 30_000, "redo synch time overhead (usec)": seconds * 1e6, **buckets, **more}


def sized(*writes: float) -> dict[str, float]:
    names = ("4KB", "16KB", "1MB", "inf")
    return {f"redo write size count ({n:>4})": w for n, w in zip(names, writes, strict=True)}


SMOOTH = [None, 90.0, 10.0, None, None, None, None]
LATER = [None, None, None, None, 90.0, 10.0, None]
TAIL = shares([80.0, None, None, None, None, None, 20.0], [99.0, None, None, None, None, None, 1.0])
TOO_LONG_FOR_THE_WRITES = shares([50.0, None, None, None, 30.0, 20.0, None], [92.5, None, None, None, None, 7.5, None])
OFF_CPU = moments(schedule=400.0)
BEFORE = {"lfs": (100_000, 25.0), "lfpw": (100_000, 5.0)}
AFTER = {"lfs": (100_000, 50.0), "lfpw": (50_000, 3.75)}
SLOWER = {"lfs": (100_000, 50.0), "lfpw": (50_000, 12.5)}
ADAPTIVE = "_use_adaptive_log_file_sync"
REMOTE = {"SYNC Remote Write": (W, 9.0)}
PADDED = {"user calls": 200, "user commits": 10, "redo size": 400_000, "redo writes": 20, "redo wastage": 150_000}
NO_WAIT = {"statistics": {"user commits": 36_000, "commit nowait performed": 30_000, "redo synch writes": 900}}
LARGE = {"redo size": 30_000 * 8e6, "redo writes": 30_000}
COMMITS_ON_TOP = top_list({"log file sync": (36_000, 360.0, 10.0, 30.0), "db file scattered read": (9, 20.0, 2.0, 3.0)})
NO_COMMITS_ON_TOP = top_list({"db file scattered read": (9_000, 900.0, 2.0, 60.0)}, begin=HOUR + timedelta(hours=2))
WORK = {"db block changes": 1000, "user commits": 100, "session logical reads": 5000}

HOURS: dict[str, Hour] = {
    # whose figures they are
    "all instances together": of_kind("awr_global", statistics=moments()),
    "each instance": ((global_report(),), ()),
    "shares as the rows print them": ((_without(hour(), "time_model"),), ()),
    "one container": of_kind("awr_pdb"),
    "a top list and nothing else": ((top_list({"log file sync": (36_000, 360.0, 10.0, 30.0), "db file scattered read": (9, 20.0, 2.0, 3.0), "log file parallel write": (30_000, 30.0, 1.0, 2.0)}),), ()),
    "a top list that ends above the writes": ((top_list({"log file sync": (36_000, 360.0, 10.0, 30.0), "db file scattered read": (9, 10.0, 2.0, 3.0)}),), ()),
    "a top list that ends at half of the waits": ((top_list({"log file sync": (36_000, 360.0, 10.0, 30.0), "db file scattered read": (9, 180.0, 2.0, 30.0)}),), ()),
    "no redo write is printed": alone(lfpw=None, background={"db file parallel write": (9, 1.0)}),
    "synch time that counts otherwise": alone(statistics={"redo synch time": 90_000, **moments()}),
    "synch time that agrees": alone(statistics={"redo synch time (usec)": 361_000_000}),
    "commits that joined writes under way, with histograms": alone(lfs=(36_000, 43.2), lfpw=(30_000, 45.0), db_time=300.0, more=[shares(SMOOTH, SMOOTH)], statistics=moments()),
    "writes as background sessions wait": alone(lfs=(36_000, 72.0), background={"log file sync": (100, 2.0)}, more=[shares(SMOOTH, SMOOTH)]),
    "the log writer's own timing is shorter": alone(statistics=moments(finish=500.0)),
    "the log writer's own timing is longer": alone(statistics=moments(finish=1500.0)),
    "the moment of issue is printed": alone(statistics={**moments(), "redo write issue time": 68.0 * W}),
    "one log writer without workers": alone(statistics={k: v for k, v in moments().items() if "worker" not in k}),
    # measured
    "a standby over a channel": alone(background={"LNS wait on SENDREQ": (W, 9.0)}, statistics=moments()),
    "a standby, and its destination": alone(background=REMOTE, statistics=moments(), more=[parameters({"log_archive_dest_2": "service=s SYNC NOAFFIRM net_timeout = 9", "log_archive_dest_3": "service=t ASYNC"})]),
    "a standby for few writes": alone(background={"SYNC Remote Write": (W / 4, 9.0)}, statistics=moments()),
    "after the write, and a standby for few writes": alone(background={"SYNC Remote Write": (W / 4, 9.0)}, statistics=moments(written=5000.0)),
    "two remote waits that overlap": alone(background={"Redo Writer Remote Sync Notify": (W, 2.0), "Redo Writer Remote Sync Complete": (W, 9.0)}, statistics=moments()),
    "a standby with histograms": alone(
        background={"SYNC Remote Write": (30_000, 60.0)},
        statistics={"redo writes": 30_000},
        more=[histogram({"SYNC Remote Write": (exact(30_000), LATER), "log file parallel write": (exact(30_000), SMOOTH)})],
    ),
    "workers, their waits, share and settings": alone(
        statistics={**moments(worker=2000.0), "redo writes adaptive worker": W * 0.8},
        background={"LGWR all worker groups": (900, 30.0), "LGWR any worker group": (9, 9.0), "LGWR worker group ordering": (9, 8.0), "LGWR intra group sync": (9, 7.0)},
        more=[parameters({"_use_single_log_writer": "ADAPTIVE", "_max_outstanding_log_writes": "4"})],
    ),
    "workers of more writes than there were": alone(statistics={**moments(worker=2000.0), "redo writes adaptive worker": W * 1.5}),
    "a broadcast that is not counted": alone(statistics={**moments(total=3000.0), "redo write broadcast ack time": 2_000_000}),
    "a broadcast of an old release": alone(release="11.1.0.7.0", statistics={"redo writes": W, "redo write broadcast ack time": 200, "redo write broadcast ack count": 400}),
    "a broadcast longer than all after the write": alone(statistics={**moments(), "redo write broadcast ack time": 900_000, "redo write broadcast ack count": 900}),
    "a broadcast that begins under the write": alone(statistics={**moments(total=1000.0), "redo write broadcast ack time": 2_000_000}),
    "a broadcast that the trace warns of": (
        (hour(statistics={**moments(total=3000.0), "redo write broadcast ack time": 2_000_000}),),
        (trace(Broadcast("2024-03-05 09:30:00"), Broadcast("2024-03-05 09:40:00", 700)),),
    ),
    "time after the write beside a standby": alone(background=REMOTE, statistics=moments(written=3000.0)),
    "time after the write": alone(statistics=moments(written=3000.0)),
    "sessions that copy redo": alone(background={"LGWR wait for redo copy": (900, 3.0)}, statistics=moments(gather=3100.0)),
    "one sleep": alone(lfs=(30_000, 360.0), lfpw=(30_000, 132.0), statistics=polls(1.2), more=[os_statistics(95, 5)]),
    "sleeps seen from their end": alone(lfs=(30_000, 360.0), lfpw=(30_000, 132.0), statistics={**polls(1.2), **overhead(200.0), "redo synch time (usec)": 360e6}),
    "short sleeps": alone(statistics=polls(100.0)),
    "polls that are not counted": alone(statistics={k: v for k, v in polls(1.2).items() if k != "redo synch polls"}),
    "a release that counts polls": alone(release="11.2.0.3.0"),
    "a release before": alone(release="11.2.0.2.0"),
    "half of the commits poll": alone(statistics=polls(1.5, share=0.5)),
    # writes
    "writes of 30 ms": alone(lfs=(36_000, 1200.0), lfpw=(30_000, 900.0)),
    "writes of 30 ms, with pauses between them": alone(lfs=(36_000, 3600.0), lfpw=(30_000, 900.0)),
    "writes of 90 ms, and writes behind writes": alone(lfs=(36_000, 10_800.0), lfpw=(30_000, 2700.0), db_time=20_000.0),
    "as long as the writes": alone(lfs=(36_000, 50.4)),
    "as long as the writes, and distributed alike": alone(lfs=(36_000, 50.4), more=[shares(SMOOTH, SMOOTH)], release="11.2.0.4.0"),
    "as long as the writes, in buckets too wide to tell": alone(lfs=(36_000, 28.8), lfpw=(30_000, 20.0), db_time=300.0, more=[shares([100.0, *[None] * 6], [100.0, *[None] * 6])], release="11.2.0.4.0"),
    "as long as the writes, and distributed otherwise": alone(lfs=(36_000, 50.4), more=[shares([70.0, None, None, 30.0, None, None, None], SMOOTH)], release="11.2.0.4.0"),
    "a tail": alone(more=[TAIL]),
    "a tail beside a log writer off its CPU": alone(more=[TAIL], statistics=moments(schedule=4000.0)),
    "long waits of more time than the slow writes hold": alone(more=[TOO_LONG_FOR_THE_WRITES]),
    "a scheduler's clock": alone(more=[shares([None, 25.0, 5.0, 10.0, 60.0, None, None], SMOOTH)]),
    "longer throughout": alone(more=[shares(LATER, SMOOTH)]),
    "a busy log writer": alone(lfs=(36_000, 3600.0), lfpw=(300_000, 2520.0)),
    "a busy log writer by its own time": alone(lfs=(36_000, 3600.0), lfpw=(300_000, 2520.0), statistics={name: 300 * v for name, v in moments(finish=8400.0).items()}),
    "no interval": alone(elapsed=None),
    "sessions that wake up late": alone(statistics={**moments(), **overhead(200.0), "redo synch time (usec)": 360e6}),
    "sessions of which a few wake up very late": alone(statistics={**moments(), **overhead(100.0, 29_000, 500, 400, 100, 0, **{"redo synch time (usec)": 360e6})}),
    "sessions that poll beside a write as long as the wait": alone(lfs=(30_000, 60.0), lfpw=(30_000, 45.0), statistics={**polls(1.2), **overhead(15.0), "redo synch time (usec)": 60e6}),
    "sessions that wake up late on a busy host": alone(statistics={**moments(), **overhead(108.0), "redo synch time (usec)": 360e6}, more=[os_statistics(95, 5)]),
    "sessions that wake up late, capped": alone(statistics={**overhead(108.0), "redo synch time (usec)": 360e6}, waits={"resmgr:cpu quantum": (900, 90.0)}),
    "commits that the log does not see, and waits that do not matter": alone(lfs=(7_000, 3.0), statistics={"user commits": 100_000, "redo synch writes": 7_000}),
    "commits that the log does not see": alone(statistics={"user commits": 100_000, "redo synch writes": 7_000, "user calls": 300_000}),
    # the CPU
    "off its CPU": alone(statistics=OFF_CPU),
    "off its CPU, and what the host prints": alone(
        statistics=OFF_CPU,
        more=[system(BUSY_TIME=90, IDLE_TIME=10, SYS_TIME=60, USER_TIME=30, VM_IN_BYTES=9e9, NUM_VCPUS=2, NUM_LCPUS=8, LOAD=20), parameters({"_high_priority_processes": "VKTM|LMS*"})],
    ),
    "off its CPU, no swap at the end, and no list of priorities": alone(
        statistics=OFF_CPU, more=[ends(SWAP_FREE_BYTES=(5, 0), LOAD=(3, 11)), parameters({"_high_priority_processes": ""})]
    ),
    "off its CPU, which it may have first": alone(statistics=OFF_CPU, more=[parameters({"_high_priority_processes": "LMS*|LGWR"}), system(NUM_VCPUS=8, NUM_LCPUS=8)]),
    "off its CPU, and just so many pages read back": alone(statistics=OFF_CPU, more=[system(VM_IN_BYTES=64 * 4096 * 3600)]),
    "off its CPU, and mostly its own system's": alone(statistics=OFF_CPU, more=[system(BUSY_TIME=20, IDLE_TIME=80, SYS_TIME=11, USER_TIME=9)]),
    "scheduling that rose fivefold": pair({"statistics": moments(schedule=4.0)}, {"statistics": moments(schedule=40.0)}),
    "a busy host": alone(more=[os_statistics(95, 5)]),
    "a busy host whose log writer had its CPU": alone(statistics=moments(), more=[os_statistics(95, 5)]),
    "a busy host and how long wake-ups took": alone(statistics={**moments(), **overhead(60.0), "redo synch time (usec)": 361_000_000}, more=[os_statistics(95, 5)]),
    "a load of disk waits": alone(more=[host_cpu(20.0)], lfs=(36_000, 720.0), waits={"db file sequential read": (9_000, 54_000.0)}, db_time=60_000.0),
    "a load beside disk waits": alone(more=[host_cpu(40.0), os_statistics(50, 50)], waits={"db file sequential read": (9_000, 18_000.0)}, db_time=20_000.0),
    "a load of one CPU": alone(cpus=1, more=[host_cpu(4.0)]),
    # load
    "padded writes": alone(statistics=PADDED),
    "small writes": alone(statistics={**PADDED, "redo size": 40_000, "redo wastage": 0}),
    "few calls, and nothing of the redo": alone(statistics={"user calls": 100, "user commits": 10}),
    "no calls": alone(statistics={"user commits": 10}),
    "two syncs each": alone(statistics={"user commits": 1000, "redo synch writes": 1700}),
    "commits that do not wait": alone(statistics={"user commits": 1000, "commit nowait performed": 900, "commit batch performed": 50, "commit wait performed": 100}),
    "commits told not to wait": alone(more=[parameters({"commit_write": "BATCH, NOWAIT", "commit_wait": "nowait", "commit_logging": "batch"})]),
    "commits told not to wait, most of which did": alone(statistics={"user commits": 10_000, "redo synch writes": 9_900}, more=[parameters({"commit_wait": "NOWAIT"})]),
    "switches that stall": alone(waits={"log file switch (checkpoint incomplete)": (164, 146.0), "log file switch completion": (9, 3.0), "log file switch (archiving needed)": (1, 1.0)}, statistics={"redo log space requests": 21}),
    "switches as long as commits": alone(waits={"log file switch (archiving needed)": (50, 270.0)}, db_time=30_000.0, statistics={"redo log space requests": 0}),
    "switches that write strands out": alone(waits={"log file switch (private strand flush incomplete)": (50, 40.0)}, db_time=30_000.0),
    "switches often": alone(more=[switches(11, 43.9)]),
    "switches often, hardly waited for": alone(more=[switches(4, 4.01)], waits={"log file switch completion": (9, 0.5)}, db_time=30_000.0),
    "room in the log buffer": alone(waits={"log buffer space": (100, 30.0)}, statistics={"redo buffer allocation retries": 77}),
    "room in the log buffer, without retries": alone(waits={"log buffer space": (100, 16.0)}),
    "room in the log buffer, behind a switch": alone(waits={"log buffer space": (40, 16.0), "log file switch (checkpoint incomplete)": (4, 3.5)}),
    "room in the log buffer, behind stalls of another kind": alone(waits={"log buffer space": (40, 16.0), "log file switch completion": (90, 0.9)}),
    "switches that stall more": pair({"waits": {"log file switch (checkpoint incomplete)": (164, 146.0)}}, {"waits": {"log file switch (checkpoint incomplete)": (400, 400.0)}}),
    # beside
    "direct writes": alone(statistics={"redo size for direct writes": 2e9, "redo size": 5e9, "redo writes": 30_000}),
    "direct writes of next to nothing": alone(statistics={"redo size for direct writes": 3e8, "redo size": 5e8}),
    "redo that is read": alone(statistics={"redo KB read": 9e6, "redo size": 5e9}, more=[switches(5, 5)]),
    "redo that is read, of a single log": alone(statistics={"redo KB read": 9e6, "redo size": 5e9}, more=[switches(1, 1)]),
    "ordered commits": alone(waits={"log file sync: SCN ordering": (900, 40.0)}),
    "blocks that wait for redo": alone(background={"gcs log flush sync": (9_000, 40.0)}),
    "a flash log with trouble": alone(more=[flash_log(outliers_actual=3, skip_count=2, errors_disk_i_o=1, errors_flash_i_o=4)]),
    "a flash log of one cell": alone(more=[flash_log("cell01", outliers_actual=3)]),
    "a flash log without trouble": alone(more=[flash_log()]),
    "Exadata without its flash log": alone(more=[section("exadata_configuration", (Column("cell_name", "Cell"),), [("c",)])]),
    # what is left
    "split writes": alone(cpus=96, more=[p3((2, 20, 4), (2, 20, 2))]),
    "split writes of a host without its number of CPUs": alone(cpus=96, lfpw=None, more=[p3((2, 20, 4))]),
    "many CPUs without P3": alone(cpus=64),
    "more commits to a write than CPUs": alone(lfpw=(900, 0.9)),
    "the cause is open": alone(lfs=(36_000, 108.0)),
    "processing is half": alone(statistics=moments(gather=5000.0)),
    "the cause is open, and what stands beside it": alone(
        statistics=moments(),
        background={"LGWR all worker groups": (900, 30.0), "target log write size": (99, 9.0), "LGWR any worker group": (9, 3.0), "log file single write": (9, 5.0), "latch: redo writing": (9, 4.0)},
        more=[system(SWAP_FREE_BYTES=0)],
    ),
    "slow writes may be all of it": alone(more=[shares(LATER, [99.0, None, None, None, None, None, 1.0])]),
    # wake-ups
    "wake-ups longer than the synchs": alone(statistics=overhead(900.0, 29_000, 500, 300, 100, 100, **{"redo synch time": 36_000})),
    "wake-ups longer than the waits": alone(statistics=overhead(500.0, 29_000, 500, 300, 200, 0, **{"redo synch time": 90_000})),
    "wake-ups longer than any wait": alone(lfs=(36_000, 72.0), statistics=overhead(65.0, 29_990, 9, 0, 0, 1, **{"redo synch time": 7_200}), more=[shares(SMOOTH, SMOOTH)]),
    "wake-ups without the synchs": alone(statistics=overhead(9.0, 29_000, 500, 300, 200, 0)),
    "wake-ups that no count bears out": alone(statistics=overhead(900.0, **{"redo synch time": 36_000})),
    # what became of it
    "a switch for the worse": pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**AFTER, "statistics": polls(1.0, share=0.0)}),
    "a switch for the better": pair({**AFTER, "statistics": polls(1.0, share=0.0)}, {**BEFORE, "statistics": polls(1.0, share=0.9)}),
    "a switch that is forbidden": pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**AFTER, "statistics": polls(1.0, share=0.0), "more": [parameters({ADAPTIVE: "false"})]}),
    "storage or switch": pair(
        {**BEFORE, "statistics": {"redo size": 4e8, "redo writes": 1e5, **sized(90_000, 9_000, 1_000, 0)}},
        {**AFTER, "statistics": {"redo size": 4.4e8, "redo writes": 5e4, **sized(20_000, 10_000, 15_000, 5_000)}},
    ),
    "storage or switch, the largest writes": pair({**BEFORE, "statistics": sized(90_000, 9_000, 1_000, 0)}, {**AFTER, "statistics": sized(20_000, 9_000, 1_000, 20_000)}),
    "fewer and larger writes of another host, that carry little": pair(BEFORE, {**AFTER, "host": "db2"}),
    "faster storage of another host": pair(SLOWER, {**BEFORE, "host": "db2"}),
    "slower storage of another host": pair(BEFORE, {**SLOWER, "host": "db2"}),
    "fewer, larger and slower writes that carry it": pair({**BEFORE, "statistics": {"redo size": 4e8, "redo writes": 1e5}}, {**SLOWER, "statistics": {"redo size": 4.4e8, "redo writes": 5e4}}),
    "large writes that take longer by their bytes": pair({"lfs": (36_000, 72.0), "statistics": {"redo size": 30_000 * 2e5, "redo writes": 3e4}}, {"lfs": (36_000, 144.0), "lfpw": (30_000, 60.0), "statistics": {"redo size": 30_000 * 2e5, "redo writes": 3e4}}),
    "smaller writes are no switch": pair({**BEFORE, "statistics": {"redo size": 4e8, "redo writes": 1e5}}, {**AFTER, "statistics": {"redo size": 1e8, "redo writes": 5e4}}),
    "slower writes, and more that stages took": pair({**BEFORE, "statistics": moments()}, {**AFTER, "statistics": moments(gather=300.0)}),
    "writes that are split under load": pair({"lfs": (36_000, 72.0), "cpus": 96, "more": [p3((1, 2, 1))]}, {"cpus": 96, "more": [p3((1, 2, 1), (1, 4, 4))]}),
    "another parallelism": pair({"more": [parameters({"db_name": "D"})]}, {"lfs": (36_000, 72.0), "more": [parameters({"_log_parallelism_max": "2"})], "cpus": 96}),
    "a little after another parallelism": pair({"lfs": (36_000, 300.0), "more": [parameters({"_log_parallelism_max": "2"})]}, {"more": [parameters({"db_name": "D"})]}),
    "sockets": pair(
        {"lfs": (36_000, 18.0), "waits": {"buffer busy waits": (100, 1.0)}, "statistics": WORK},
        {"lfs": (36_000, 200.0), "waits": {"buffer busy waits": (100, 30.0)}, "statistics": WORK, "more": [system(NUM_CPU_SOCKETS=4)]},
    ),
    "sockets of another host": pair(
        {"lfs": (36_000, 18.0), "waits": {"buffer busy waits": (100, 1.0)}, "statistics": WORK},
        {"lfs": (36_000, 200.0), "waits": {"buffer busy waits": (100, 30.0)}, "statistics": WORK, "more": [system(NUM_CPU_SOCKETS=4)], "host": "db2"},
    ),
    "more commits": pair({"lfs": (10_000, 20.0), "statistics": {"user commits": 10_000}}, {"lfs": (20_000, 40.0), "statistics": {"user commits": 20_000}}),
    "more commits in one than are printed in the other": pair({"lfs": (10_000, 20.0)}, {"lfs": (20_000, 40.0), "statistics": {"user commits": 20_000}}),
    "off its CPU in both": pair({"statistics": OFF_CPU}, {"statistics": moments(schedule=900.0)}),
    "slow writes in First alone": pair({"lfs": (36_000, 1200.0), "lfpw": (30_000, 900.0)}, {"lfs": (36_000, 3.0)}),
    "fewer commits than matter": pair({"lfs": (36_000, 30.0), "db_time": 3000.0}, {"lfs": (36_000, 29.0), "db_time": 90_000.0}),
    "hardly a wait beside many commits": alone(lfs=(90, 90.0), statistics={"user commits": 90_000}),
    "no wait at all": alone(lfs=None),
    "no wait, and how long writes took": alone(lfs=None, more=[shares(SMOOTH, SMOOTH)]),
    "far too quick to matter": alone(lfs=(36_000, 3.0)),
    # traces
    "a switch in time": pair(BEFORE, AFTER, trace(Went("2024-03-05 11:00:00"), Went("2024-03-05 11:30:00", "polling", None))),
    "a switch at the very end": pair(BEFORE, AFTER, trace(Went("2024-03-05 12:00:00"))),
    "a switch at the very begin": pair(BEFORE, AFTER, trace(Went("2024-03-05 09:00:00"), Went("2024-03-05 08:59:59"), Went("2024-03-05 12:00:01"))),
    "a switch of another instance": pair(BEFORE, AFTER, trace(Went("2024-03-05 11:30:00"), instance="X1")),
    "a switch the other way": pair({**BEFORE, "statistics": polls(1.0, share=0.9)}, {**AFTER, "statistics": polls(1.0, share=0.0)}, trace(Went("2024-03-05 11:30:00", "polling"))),
    "a switch that nothing shows": pair({}, {}, trace(Went("2024-03-05 11:30:00"))),
    "slow writes in the trace": pair(
        {"lfs": (36_000, 1200.0), "lfpw": (30_000, 900.0)},
        {"lfs": (36_000, 1300.0), "lfpw": (30_000, 1000.0)},
        trace(Slow("2024-03-05 09:30:00", 700), Slow("2024-03-05 11:30:00", 900, 96), Slow("2024-03-05 11:31:00"), Broadcast("2024-03-05 11:32:00")),
    ),
    "slow writes that the figures do not show": pair({}, {}, trace(Slow("2024-03-05 11:30:00", 900, 2048), Broadcast("2024-03-05 09:32:00"), Broadcast("2024-03-05 11:32:00"))),
    "a trace of no slow write": pair({"lfs": (36_000, 1200.0), "lfpw": (30_000, 900.0)}, {"lfs": (36_000, 1300.0), "lfpw": (30_000, 1000.0)}, trace(Slow("2024-03-05 08:00:00"), Slow("2024-03-05 13:00:00"))),
    "recorded waiting for a CPU": ((hour(statistics={**OFF_CPU, "redo writes": 30_000}),), (record(0.05),)),
    "recorded with its CPU": ((hour(more=[os_statistics(95, 5)]),), (record(0.0),)),
    "recorded waiting a little": ((hour(more=[os_statistics(95, 5)]),), (record(0.004, processes=2),)),
    "recorded waiting, and nothing else says so": ((hour(),), (record(0.2), record(0.1, seconds=20))),
    # seldom seen
    "transactions that roll back": alone(statistics={"user commits": 3_000, "transaction rollbacks": 2_000}),
    "commits on the server, of little weight": alone(lfs=(36_000, 72.0), db_time=3_000.0, statistics={**PADDED, "user calls": 5}),
    "posts that get lost": alone(timeouts=12.5),
    "time-outs of sessions that poll": alone(timeouts=40.0, statistics=polls(1.2)),
    "switches often, of which a top list has none": ((replace(COMMITS_ON_TOP, sections=(*COMMITS_ON_TOP.sections, switches(11, 43.9))),), ()),
    "large writes": alone(lfs=(36_000, 1200.0), lfpw=(30_000, 900.0), statistics={**LARGE, "user commits": 36_000, "redo synch writes": 36_000}),
    "as long as large writes": alone(lfs=(36_000, 50.4), statistics=LARGE),
    "as long as the writes, by histograms of one bucket": alone(lfs=(36_000, 50.4), more=[shares([None, 100.0, *[None] * 5], [None, 100.0, *[None] * 5])], release="11.2.0.4.0"),
    "off its CPU, and writes slower than its own timing": alone(statistics=moments(schedule=4000.0, finish=300.0)),
    "many commits to a write": alone(lfs=(300_000, 3000.0), lfpw=(6_000, 6.0), db_time=20_000.0, cpus=96),
    "commits wait for the end of longer steps": alone(statistics=moments(written=12_000.0)),
    "a total longer than the window": alone(statistics=moments(total=1e7)),
    "wake-ups longer than the longest waits": alone(statistics=overhead(65.0, 29_000, 500, 400, 0, 100, **{"redo synch time": 36_000}), more=[shares(LATER, SMOOTH)]),
    "commits in batches": alone(more=[parameters({"commit_logging": "batch"})]),
    "posted commits are quicker": pair({"lfs": (30_000, 60.0), "lfpw": (30_000, 45.0), "statistics": polls(1.2, share=0.0)}, {"lfs": (30_000, 360.0), "lfpw": (30_000, 132.0), "statistics": polls(1.2)}),
    "commits in the second alone do not wait": pair({}, NO_WAIT),
    "a second list without commits": ((hour(), NO_COMMITS_ON_TOP), ()),
    "sockets that were put right": pair(
        {"lfs": (36_000, 200.0), "waits": {"buffer busy waits": (100, 30.0)}, "statistics": WORK},
        {"lfs": (36_000, 18.0), "waits": {"buffer busy waits": (9, 0.3)}, "statistics": WORK, "more": [system(NUM_CPU_SOCKETS=4)]},
    ),
    "another parallelism, and buffers as busy as before": pair(
        {"more": [parameters({"db_name": "D"})], "waits": {"buffer busy waits": (100, 30.0)}, "cpus": 96},
        {"lfs": (36_000, 72.0), "more": [parameters({"_log_parallelism_max": "2"})], "waits": {"buffer busy waits": (100, 30.0)}, "cpus": 96},
    ),
    "longer waits of many CPUs without P3": pair({"lfs": (36_000, 72.0), "cpus": 96}, {"cpus": 96}),
    "more commits in less time": pair({"elapsed": 3_600.0, "statistics": {"user commits": 10_000, "execute count": 1e6}}, {"elapsed": 3_000.0, "statistics": {"user commits": 20_000, "execute count": 1e6}}),
    "fewer commits in hardly less time": pair({"elapsed": 3_600.0, "statistics": {"user commits": 90_000, "execute count": 1e6}}, {"elapsed": 3_450.0, "statistics": {"user commits": 9_000, "execute count": 1e6}}),
    "more and fewer commits of unknown work": pair({"elapsed": 3_600.0, "statistics": {"user commits": 90_000}}, {"elapsed": 2_400.0, "statistics": {"user commits": 9_000}}),
    "a switch within the only hour": ((hour(),), (trace(Went("2024-03-05 09:30:00")),)),
    "switches within, between and outside": pair({}, {}, trace(Went("2024-03-05 08:00:00"), Went("2024-03-05 10:30:00"), Went("2024-03-05 11:30:00", "polling"))),
    "a switch of an instance without a name": pair(BEFORE, AFTER, trace(Went("2024-03-05 11:30:00"), instance="", host="")),
    "a switch beside figures of neither": pair({}, {"lfs": None, "lfpw": None}, trace(Went("2024-03-05 11:30:00"))),
    "a switch that cannot be placed": ((_without_times(hour()),), (trace(Went("2024-03-05 09:30:00"), Slow("2024-03-05 09:40:00")),)),
    "traces of two zones": ((hour(),), (trace(Slow("2024-03-05T09:30:00.000000"), zone="+06:00", name="a.trc"), trace(Slow("2024-03-05T09:40:00.000000"), zone="+05:00", name="b.trc"))),
    "workers taken up and given up": ((hour(),), (trace(*(Scaled(f"2024-03-05 09:{at}:00", way) for at, way in ((10, "enabling"), (20, "disabling"), (30, "enabling")))),)),
    "a trace by itself": ((trace(Slow("2024-03-05 09:30:00", 12_000, 500), Slow("2024-03-05 09:31:00", 3_000, 5_000)),), ()),
    "a trace of a switch by itself": ((trace(Went("2024-03-05 09:30:00"), instance="", host=""),), ()),
    "recorded with its CPU, and nothing else of CPUs": ((hour(),), (record(0.0),)),
    "a wake-up longer than what is not the write": alone(lfs=(36_000, 72.0), lfpw=(30_000, 45.0), db_time=700.0, statistics={**overhead(30.0), "redo synch time (usec)": 72e6}),
    "a longer wake-up than before": pair({"lfs": (36_000, 61.0), "lfpw": (30_000, 45.0)}, {"lfs": (90_000, 270.0), "lfpw": (30_000, 75.0), "statistics": {**overhead(30.0), "redo synch time (usec)": 270e6}}),
    "more commits wait, and longer": pair({"lfs": (36_000, 72.0)}, {"lfs": (90_000, 900.0), "db_time": 3_000.0}),
    "commits wait again": pair(NO_WAIT, {"statistics": {"user commits": 36_000, "redo synch writes": 36_000}}),
    "commits that may wait again": pair(NO_WAIT, {}),
}  # fmt: skip
