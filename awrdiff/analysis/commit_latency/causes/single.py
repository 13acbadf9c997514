"""Causes that one report can show. Thresholds and their sources: docs/commit-latency.md, section 5."""

from __future__ import annotations

import re

from awrdiff.analysis.commit_latency.causes import checks
from awrdiff.analysis.commit_latency.causes.facts import Answer, Found, Lacks, ReportFacts, Rule, row
from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.model.commits import Confidence, StageId
from awrdiff.analysis.model.evidence import Estimate, Evidence
from awrdiff.analysis.words import listing, number, percent, seconds

SLOW_WRITE_S = 0.020
IO_RATIO = 1.5
FEW_CALLS = 30.0
SMALL_WRITE_BYTES = 4096.0
MUCH_WASTAGE = 0.25
MANY_CPUS = 64
WORKER_SHARE = 0.10
BROADCAST_SHARE = 0.05
SWITCH_SHARE = 0.01
SWITCHES_PER_HOUR = 4.0
MOSTLY_POLLING = 0.5
MANY_SHARERS = 10.0  # sessions to one redo write: hardly ever reached


def io_bound(f: ReportFacts) -> Answer:
    """LFS at most 1.5 × LFPW with the same shape; or LFPW of 20 ms and more, whatever the ratio."""
    g = f.figures
    if g.lfs_avg_s is None or g.lfpw_avg_s is None:
        return None
    write = g.lfpw_avg_s
    if write.value >= SLOW_WRITE_S:
        text = f"An average redo write takes {seconds(write.value)}: far too long, whatever else a commit waits for."
        if f.ratio is not None and f.ratio.value > IO_RATIO:
            text += f" A commit waits {number(f.ratio.value)} times that: writes queue behind writes."
        return Found(text, "high", f.lfs_rows, write)
    if f.ratio is None or f.ratio.value > IO_RATIO:
        return None
    text = f"A commit waits {seconds(g.lfs_avg_s.value)}, a redo write takes {seconds(write.value)}"
    if g.distance is None or g.distance.shape == "unresolved":
        return Found(f"{text}. The histograms do not tell the two apart.", "medium", f.lfs_rows, write)
    if g.distance.shape != "same":
        return None
    rows = tuple(h.evidence for h in (g.lfs_histogram, g.lfpw_histogram) if h is not None)
    return Found(f"{text}, and the two are distributed alike.", "high", (*f.lfs_rows, *rows), write)


def data_guard(f: ReportFacts) -> Answer:
    remote = f.figures.remote
    if remote is None:
        return None
    cost = remote.cost_s
    text = (
        f"{remote.event} took {seconds(remote.avg_s.value)}, {number(remote.per_write.value)} times per redo write: "
        f"{seconds(cost.low)} to {seconds(cost.high)} of a commit is the standby, neither the local disk nor the CPU."
    )
    return Found(text, "high", remote.evidence, cost)


def starved_of_cpu(f: ReportFacts) -> Answer:
    """Mostly not I/O, CPUs over-committed, and no standby that the time could be spent on."""
    if not f.is_mostly_not_io or f.figures.remote is not None:
        return None
    if not f.knows_cpu:
        return Lacks("how busy the host's CPUs were")
    if f.cpu_pressure is None:
        return None
    short = f.cpu_pressure
    confidence: Confidence = "medium" if short.certain else "low"
    rows = (*f.lfs_rows, *short.evidence)
    return Found(f"{f.not_io_text()}, and {short.text}.", confidence, rows, f.figures.naive_overhead_s)


def workers(f: ReportFacts) -> Answer:
    return _stage_share(f, "worker", WORKER_SHARE, "Handing a write over to a log writer worker")


def broadcast(f: ReportFacts) -> Answer:
    found = _stage_share(f, "broadcast", BROADCAST_SHARE, "Waiting for other instances to acknowledge commits")
    each = f.figures.broadcast_ack_s
    if not isinstance(found, Found) or each is None:
        return found
    rows = (*found.evidence, statistic_row("redo write broadcast ack count"))
    return Found(f"{found.text} Each acknowledgement took {seconds(each.value)}.", "medium", rows, found.explains_s)


def _stage_share(f: ReportFacts, stage_id: StageId, least: float, what: str) -> Answer:
    stage, lfs = f.figures.stage(stage_id), f.figures.lfs_avg_s
    if stage is None or lfs is None or lfs.value <= 0:
        return None
    share = stage.seconds.value / lfs.value
    if share < least:
        return None
    text = f"{what} takes {seconds(stage.seconds.value)} per redo write, {percent(share)} of a commit wait."
    return Found(text, "medium", (*stage.evidence, *f.lfs_rows), stage.seconds)


def parallelism(f: ReportFacts) -> Answer:
    """Many CPUs and writes split into a varying number of requests (P3 of LFPW)."""
    if f.ratio is None or f.ratio.value <= 2.0 or (f.side.cpus or 0) < MANY_CPUS:
        return None
    if f.parameter("_log_parallelism_max"):
        return None
    requests, rows = _requests(f)
    if not rows:
        return Lacks("P3 of log file parallel write in the ASH section (the number of I/O requests)")
    if max(requests) <= 1 or len(requests) < 2:
        return None
    text = (
        f"{f.not_io_text()} on {f.side.cpus} CPUs, and its writes are split into a varying number of requests "
        f"({listing([number(r) for r in sorted(requests)])})."
    )
    return Found(text, "medium", (*f.lfs_rows, *rows), f.figures.naive_overhead_s)


def _requests(f: ReportFacts) -> tuple[set[float], tuple[Evidence, ...]]:
    section = f.side.report.section("top_event_parameters")
    requests: set[float] = set()
    rows: list[Evidence] = []
    for record in section.records if section is not None else ():
        if section is not None and section.text(record, "event").lower() == "log file parallel write":
            values = re.findall(r"\d+", section.text(record, "values"))
            if len(values) == 3:
                requests.add(float(values[2]))
                rows.append(row("top_event_parameters", section.text(record, "event"), "values"))
    return requests, tuple(dict.fromkeys(rows))


def frequent_commits(f: ReportFacts) -> Answer:
    """Few calls per commit, and writes that are small or padded: either alone says little."""
    g = f.figures
    if g.calls_per_commit is None or g.calls_per_commit.value >= FEW_CALLS:
        return None
    small, wasted = g.redo_per_write_bytes, g.wastage_share
    if small is None and wasted is None:
        return Lacks("redo per write and redo wastage")
    signs = []
    if small is not None and small.value < SMALL_WRITE_BYTES:
        signs.append(f"{small.value:,.0f} bytes of redo per write")
    if wasted is not None and wasted.value >= MUCH_WASTAGE:
        signs.append(f"{percent(wasted.value)} redo wastage")
    if not signs:
        return None
    rate = _commits_per_second(f)
    text = f"{number(g.calls_per_commit.value)} user calls per commit, with {listing(signs)}{rate}."
    names = ("user calls", "user commits", "redo size", "redo writes", "redo wastage")
    rows = tuple(statistic_row(n) for n in names if n in f.inputs.statistics)
    return Found(text, "medium", (*f.lfs_rows, *rows))


def _commits_per_second(f: ReportFacts) -> str:
    commits = f.inputs.statistics.get("user commits")
    rate = f.side.per_second(commits)
    return f", at {number(rate)} commits per second" if rate is not None else ""


def polling(f: ReportFacts) -> Answer:
    share = f.figures.polling_share
    if share is None or share.value < MOSTLY_POLLING or not f.is_mostly_not_io:
        return None
    text = f"{f.not_io_text()}, and {percent(share.value)} of the synch writes polled instead of being posted."
    rows = (statistic_row("redo synch poll writes"), statistic_row("redo synch writes"))
    return Found(text, "low", (*f.lfs_rows, *rows), f.figures.naive_overhead_s)


def log_switches(f: ReportFacts) -> Answer:
    """Sessions stalled by log switches; many switches alone are a note."""
    stalls = sorted(f.events("log file switch ("), key=lambda e: -e.total.number)
    share = sum(s for e in stalls if (s := f.share(e)) is not None)
    if share >= SWITCH_SHARE:
        of = "DB time" if f.side.db_time is not None else "call time"
        said = [f"{e.name} {e.total.number:,.0f} s" for e in stalls[:2]]
        text = f"{listing(said)}: {percent(share)} of {of} beside the commit waits."
        return Found(text, "high", tuple(e.evidence() for e in stalls[:2]))
    hourly = f.side.value("instance_activity_thread", "per_hour", "log switches (derived)")
    if hourly is None or hourly.number <= SWITCHES_PER_HOUR:
        return None
    text = f"{number(hourly.number)} log switches per hour, though sessions hardly waited for them."
    return Found(text, "note", (row("instance_activity_thread", "log switches (derived)", "per_hour"),))


def log_buffer(f: ReportFacts) -> Answer:
    event = f.side.foreground.get("log buffer space")
    share = f.share(event) if event is not None else None
    if event is None or share is None or share < SWITCH_SHARE:
        return None
    retries = f.side.statistic("redo buffer allocation retries")
    more = f", {retries.number:,.0f} allocation retries" if retries is not None else ""
    rows = (event.evidence(), *([statistic_row("redo buffer allocation retries")] if retries is not None else []))
    return Found(f"log buffer space takes {percent(share)} of DB time{more}.", "medium", rows)


def not_redo_io(f: ReportFacts) -> Answer:
    """What is left to say where the difference is large and nothing in the report accounts for it."""
    if not f.is_mostly_not_io:
        return None
    stage = _largest_stage(f)
    where = f" The largest measured part besides the write: {stage[0]} ({seconds(stage[1].value)})." if stage else ""
    text = f"{f.not_io_text()}.{where} Why is not in this report."
    rows = [*f.lfs_rows]
    if f.io_at_most is not None and (section := f.side.report.section("top_timed_events")) is not None:
        timed = ((t.number, section.text(r, "event")) for r in section.records if (t := section.number(r, _TIME)))
        rows.append(row("top_timed_events", min(timed)[1], _TIME))
    confidence: Confidence = "high" if (f.sharers or 0.0) >= MANY_SHARERS else "medium"
    return Found(text, confidence, tuple(rows), _unexplained(f))


def _unexplained(f: ReportFacts) -> Estimate | None:
    """Seconds per commit wait that are not the write; from the bound, one write to a wait, if LFPW is unlisted."""
    lfs = f.figures.lfs_avg_s
    if f.figures.naive_overhead_s is not None or lfs is None or f.io_at_most is None:
        return f.figures.naive_overhead_s
    rest = 1.0 - f.io_at_most
    return Estimate(lfs.low * rest, lfs.value * rest, lfs.high)


_TIME = "total_wait_time_s"


def _largest_stage(f: ReportFacts) -> tuple[str, Estimate] | None:
    own = [s for s in f.figures.stages if s.id not in ("io", "wake_up")]
    top = max(own, key=lambda s: s.seconds.value, default=None)
    return (top.label, top.seconds) if top is not None and f.figures.stage("queue") is not None else None


RULES: tuple[Rule[ReportFacts], ...] = (
    Rule(
        "data-guard-sync",
        "Commits wait for the standby (Data Guard SYNC).",
        data_guard,
        "Local and remote write run side by side; what the remote one adds lies in a range.",
        (checks.STANDBY, checks.TRACE_SLOW),
    ),
    Rule(
        "io-bound",
        "Commits wait for the redo writes themselves.",
        io_bound,
        "That is as it should be where the writes are fast; only slow ones are a problem of the storage.",
        (checks.STORAGE, checks.TRACE_SLOW),
    ),
    Rule(
        "lgwr-cpu",
        "The log writer (or the sessions it wakes) waited for a CPU.",
        starved_of_cpu,
        "A busy host makes it likely, it does not prove it. OS_CPU_WAIT_TIME is no evidence: idle hosts show it too. "
        "Faster redo storage would not help; CPU or priority for LGWR would.",
        (checks.RUN_QUEUE, checks.PRIORITY, checks.ASH_LGWR),
    ),
    Rule(
        "lgwr-workers",
        "Log writer workers cost more than they save.",
        workers,
        "The delay may also come from busy CPUs.",
        (checks.PARAMETER_WORKERS, checks.ASH_LGWR),
    ),
    Rule(
        "log-parallelism",
        "Redo writes are split over many log buffers (log parallelism).",
        parallelism,
        "Seen on hosts with many CPUs; the published change is of a hidden parameter.",
        (checks.PARAMETER_PARALLELISM, checks.ASH_P3),
    ),
    Rule(
        "rac-broadcast",
        "Commits wait for the other instances' acknowledgement.",
        broadcast,
        "Counted per acknowledgement by the log writer; the cause may be the other instances' CPUs.",
        (checks.INTERCONNECT, checks.TRACE_BROADCAST),
    ),
    Rule(
        "polling",
        "Sessions poll for their commit.",
        polling,
        "Polling is adaptive and often the better choice; it wakes late where the polling interval is long.",
        (checks.TRACE_SWITCH, checks.PARAMETER_ADAPTIVE),
    ),
    Rule(
        "frequent-commits",
        "The application commits too often.",
        frequent_commits,
        "A select costs parse, execute and fetch calls, a commit or DML two: few calls per commit are few rows. "
        "An application that must commit each row has no choice.",
        (checks.COMMIT_SITES, "The what-if: what fewer commits of the same work would save"),
    ),
    Rule(
        "log-switches",
        "Redo logs are too small or too few.",
        log_switches,
        "A switch that waits for a checkpoint or an archiver stalls every session that writes, not commits alone.",
        (checks.LOG_FILES,),
    ),
    Rule(
        "log-buffer",
        "The log buffer is full.",
        log_buffer,
        "A full buffer is more often the result of slow writes than of a small buffer.",
        (checks.LOG_BUFFER, checks.STORAGE),
    ),
)
NOT_REDO_IO: Rule[ReportFacts] = Rule(
    "not-redo-io",
    "Commits wait for the log writer's processing rather than the redo writes.",
    not_redo_io,
    "The difference is an upper estimate: slow writes that many sessions waited for weigh more in log file sync "
    "than in log file parallel write.",
    (checks.RUN_QUEUE, checks.PRIORITY, checks.ASH_LGWR, checks.TRACE_SWITCH),
)
