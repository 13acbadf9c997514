"""Measured causes: log writer stages, standby, polling."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import host_cpu_and_memory
from awrdiff.analysis.commit_latency.causes.rule_types import Answer, Match, NotPrinted, ReportFacts, Step
from awrdiff.analysis.commit_latency.commit_wait_breakdown import MUCH
from awrdiff.analysis.commit_latency.data_guard import events_of
from awrdiff.analysis.commit_latency.inputs_from_report import row, statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import exactly, minus, scaled, total, within
from awrdiff.analysis.commit_latency.log_writer import TOTAL_TIME
from awrdiff.analysis.commit_latency.session_wake_up import MOSTLY, edges_of, mostly_polls, overhead_counts, share_of
from awrdiff.analysis.figures_in_words import listing, number, percent, seconds
from awrdiff.analysis.model.commit_latency import LgwrUse, Stage, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.names.oracle_releases import release_numbers
from awrdiff.analysis.report.figures_by_name import Event

SAME_NUMBER = 0.10  # synch writes against commit waits
STAGE_SHARE = 0.10  # of a commit wait
BROADCAST_SHARE = 0.05
_SINGLE = {"TRUE"}  # at both ends: one log writer, and no workers
_WORKER_SETTINGS = ("_use_single_log_writer", "_max_outstanding_log_writes")
INTERVAL_SHARE = 0.5  # of LFS − LFPW: from here on one sleep explains the wait


def data_guard(f: ReportFacts) -> Answer:
    """At least half a wait per redo write for `SYNC Remote Write`, `Redo Writer Remote Sync …`, `LGWR wait on LNS`,
    `LGWR-LNS wait on channel` or `LNS wait on SENDREQ`; medium where the only event is one that ASYNC has as well and
    no parameter says SYNC; never by the ASYNC events, nor where all of `log_archive_dest_n` ship ASYNC. It is never
    blamed on the CPU.
    """
    remote = f.figures.remote
    if remote is None:
        return None
    cost = remote.cost_s
    text = (
        f"{remote.event} took {seconds(remote.avg_s.value)}, {number(remote.per_write.value)} of them to a redo write: "
        f"{seconds(cost.low)} to {seconds(cost.high)} of a commit is the standby, neither the local disk nor the CPU."
    )
    if remote.destination:
        text += f" {remote.destination}."
    return Match(text, "high" if remote.certain else "medium", remote.evidence, cost)


def workers(f: ReportFacts) -> Answer:
    """Worker delay ≥ 10 % of avgL. Beside it the share of writes by workers (`redo writes adaptive worker`),
    `_use_single_log_writer` and `_max_outstanding_log_writes` as far as printed. Not where `_use_single_log_writer` is
    TRUE at both ends.
    """
    if f.settings(_WORKER_SETTINGS[0]) == _SINGLE:
        return None
    handed = _stage_share(f, "worker", STAGE_SHARE, "Handing a write over to a log writer worker")
    if not isinstance(handed, Match):
        return handed
    text, rows = handed.text, [*handed.evidence]
    waits = _uses(f, "ordering", inside="worker")[:3]
    if waits:
        event_texts = listing([f"{e.name} {seconds(e.total.number)}" for e in waits])
        text += f" Waits for the workers themselves: {event_texts}."
        rows += [e.evidence() for e in waits]
    share = f.figures.worker_share
    if share is not None:
        text += f" {percent(min(share.value, 1.0))} of the writes went to workers."
        rows.append(statistic_row("redo writes adaptive worker"))
    settings = [(name, value) for name in _WORKER_SETTINGS if (value := f.parameter(name))]
    if settings:
        text += f" {listing([f'{name} = {value}' for name, value in settings])}."
        rows += [row("init_parameters", name, "begin_value") for name, _ in settings]
    return replace(handed, text=text, evidence=tuple(rows))


def broadcast(f: ReportFacts) -> Answer:
    """Broadcast stage ≥ 5 % of avgL, and as much from the end of the I/O to the end of posting: acknowledgements that
    take longer overlap with the write, and only what follows it is claimed.
    """
    match = _stage_share(f, "broadcast", BROADCAST_SHARE, "Waiting for other instances to acknowledge commits")
    each, wait = f.figures.broadcast_ack_s, f.figures.lfs_avg_s
    after, posting, acks = (f.figures.stage(i) for i in ("post_io", "posting", "broadcast"))
    most: float | None = None  # seconds per redo write, with acknowledgements
    if after is not None and posting is not None and acks is not None:
        overlap = posting.seconds.low <= 0 < posting.seconds.high  # then all that follows the write is posting's range
        most = after.seconds.value + posting.seconds.high + (0.0 if overlap else acks.seconds.value)
    if isinstance(match, Match) and match.explains_s is not None and wait is not None and most is not None:
        if most < BROADCAST_SHARE * wait.value:
            return None
        if match.explains_s.value > most:
            text = f"{match.text} They overlap with the write: at most {seconds(most)} follows it."
            match = replace(match, text=text, explains_s=Estimate(0.0, most, most))
    if not isinstance(match, Match) or each is None:
        return match
    rows = (*match.evidence, statistic_row("redo write broadcast ack count"))
    return replace(match, text=f"{match.text} Each acknowledgement took {seconds(each.value)}.", evidence=rows)


def post_io(f: ReportFacts) -> Answer:
    """Post-I/O ≥ 10 % of avgL and no standby waited for by each write (what is printed of one is named): measured,
    named, not explained.
    """
    if f.figures.remote is not None:
        return None
    match = _stage_share(f, "post_io", STAGE_SHARE, "From the end of the I/O to the moment a write counts as done")
    if not isinstance(match, Match):
        return match
    events = events_of(f.side)
    printed = listing([f"{e.name} {seconds(e.total.number)}" for e in events])
    standby = f"Not taken for a standby that each write waits for: {printed}"
    text = (
        f"{match.text} {standby if events else 'No wait for a standby is printed'}; what it is the report does not say."
    )
    return replace(match, text=text, evidence=(*match.evidence, *(e.evidence() for e in events)))


def redo_copy(f: ReportFacts) -> Answer:
    """`LGWR wait for redo copy` per write, and so the gathering that it is part of, ≥ 10 % of avgL."""
    lfs, event = f.figures.lfs_avg_s, next(iter(_uses(f, "redo_copy")), None)
    writes = f.inputs.statistics.get("redo writes")
    if lfs is None or event is None or writes is None or writes.number <= 0 or lfs.value <= 0:
        return None
    each, gather = event.total.number / writes.number, f.figures.stage("gather")
    if gather is not None:
        each = min(each, max(gather.seconds.high, 0.0))
    if each < STAGE_SHARE * lfs.value:
        return None
    text = (
        f"{event.name} takes {seconds(event.total.number)}, {seconds(each)} per redo write and "
        f"{percent(min(each / lfs.value, 1.0))} of a commit wait: sessions that copy redo were off their CPU, "
        "or held up."
    )
    rows = (event.evidence(), statistic_row("redo writes"), *f.lfs_rows)
    return Match(text, "medium", rows, Estimate(each, each, each), measured=True)


def wake_up(f: ReportFacts) -> Answer:
    """Sessions took ≥ 10 % of all LFS time to go on once their redo was written (`redo synch time overhead` where
    section 3 accepts its sum). Its claim is that share of a commit wait, also where it is longer than LFS − LFPW; per
    wait it is told only where synch writes and commit waits agree within 10 %. *High* on a host over 85 % busy, or with
    `resmgr:cpu quantum` ≥ 5 % of DB time; a host under half busy is told beside it, and the few of 2 ms and longer
    where a quarter of the time or more is theirs. Not beside `polling` of high confidence, whose sleep it counts. It is
    taken out of what is called queueing, and `io-bound` gets the rest of the wait.
    """
    if (by_polling := f.claims.get("polling")) is not None and by_polling.confidence == "high":
        return None
    stage, wait, waits = f.figures.stage("wake_up"), f.figures.lfs_avg_s, f.figures.lfs_waits
    synchs, share = f.inputs.statistics.get("redo synch writes"), share_of(f.figures, f.inputs)
    if share is None or share < STAGE_SHARE or stage is None or wait is None or waits is None or synchs is None:
        return None
    events = [e.total.number for e in (f.inputs.lfs, f.inputs.background_lfs) if e is not None]
    took = stage.seconds.value * synchs.number
    each = abs(synchs.number / waits.value - 1.0) <= SAME_NUMBER
    per_wait = f" ({seconds(stage.seconds.value)} each)" if each else ""
    text = f"Once their redo was written, sessions took {seconds(took)} to go on{per_wait}, "
    text += f"{percent(share)} of the {seconds(sum(events))} that commits waited"
    busy = {text: row for text, row in host_cpu_and_memory.cpu_queue(f.side).items() if row.key == "BUSY_TIME"}
    signs = {**busy, **host_cpu_and_memory.resource_manager(f.side)}
    beside = signs or host_cpu_and_memory.idle_cpus(f.side)
    counts, rows = overhead_counts(f.side)
    slow = [(edges_of(top)[0], n) for top, n in counts if edges_of(top)[0] > 0]
    least = sum(low * n for low, n in slow)
    if least >= MUCH * took:
        text += f", at least {seconds(least)} of it in the {sum(n for _, n in slow):,.0f} that took 2 ms and longer"
    text += f"; {listing([*beside])}." if beside else "."
    if f.figures.polling_share is not None and mostly_polls(f.figures):
        text += f" {percent(f.figures.polling_share.value)} of the synch writes polled: their sleep is part of it."
    claim = scaled(wait, share)
    rows = (*stage.evidence, *(rows if least >= MUCH * took else ()), *f.lfs_rows, *beside.values())
    return Match(text, "high" if signs else "medium", rows, claim, "wait", measured=True)


def polled_waits(f: ReportFacts) -> Answer:
    """At least half of the synch writes polled, and avgL / avgW > 2. High where one sleep (section 3) is at least half
    of the difference, else low.
    """
    g = f.figures
    share, naive = g.polling_share, g.naive_overhead_s
    if share is None:
        is_counted = release_numbers(f.side.report.release) >= (11, 2, 0, 3)
        return NotPrinted("redo synch poll writes") if f.is_mostly_not_io and is_counted else None
    if share.value < MOSTLY or not f.is_mostly_not_io:
        return None
    posted = f.other.lfs_avg_s if f.other is not None and mostly_polls(f.other) is False else None
    if posted is not None and g.lfs_avg_s is not None and posted.value >= g.lfs_avg_s.value:
        return None  # the other report's commits were posted and waited no less: polling made nothing slower
    rows = (*f.lfs_rows, statistic_row("redo synch poll writes"), statistic_row("redo synch writes"))
    text = f"{f.not_io_text()}, and {percent(share.value)} of the synch writes polled instead of being posted"
    polling = g.polling
    if polling is None or g.polls_per_poll_write is None or naive is None:
        return Match(f"{text}. How often each polled is not printed.", "low", rows, step=Step.OTHER)
    interval = polling.interval_s
    text += f", {number(g.polls_per_poll_write.value)} times each: one sleep is about {seconds(interval.value)}"
    if posted is not None:
        text += f". Being posted, commits of the other report waited {seconds(posted.value)}"
    elif polling.posted_s is not None:
        text += f". Being posted, a commit would wait about {seconds(polling.posted_s.value)}"
    rows = (*rows, statistic_row("redo synch polls"))
    if interval.value < INTERVAL_SHARE * naive.value:
        short_sleep = f"{text}; the sleep is too short to explain the wait."
        return Match(short_sleep, "low", rows, interval, step=Step.OTHER)
    posted = posted or polling.posted_s
    saved = g.lfs_avg_s.value - posted.value if posted is not None and g.lfs_avg_s is not None else interval.value
    value = min(saved, interval.value, naive.value)
    claim = Estimate(0.0, value, max(value, min(interval.high, naive.high)))  # of what sleeping takes
    return Match(f"{text}.", "high", rows, claim)


def _stage_share(f: ReportFacts, stage_id: StageId, least: float, what: str) -> Answer:
    stage, lfs = f.figures.stage(stage_id), f.figures.lfs_avg_s
    if stage is None or lfs is None or lfs.value <= 0:
        return None
    share = stage.seconds.value / lfs.value
    if share < least:
        return None
    part = f"{percent(share)} of a commit wait" if share <= 1 else "longer than a commit waits on average"
    text = f"{what} takes {seconds(stage.seconds.value)} per redo write, {part}."
    return Match(text, "medium", (*stage.evidence, *f.lfs_rows), stage.seconds, measured=True)


def _uses(f: ReportFacts, use: LgwrUse, *, inside: StageId | None = None) -> list[Event]:
    lines = f.figures.log_writer.lines if f.figures.log_writer is not None else ()
    names = [
        line.label.lower() for line in lines if line.is_event and line.use == use and inside in (None, line.inside)
    ]
    return [f.side.background[n] for n in names if n in f.side.background]


def unclaimed_stages(f: ReportFacts, ids: Sequence[StageId]) -> tuple[list[Stage], Estimate]:
    """Seconds per write, less `lgwr-workers` and `redo-copy`."""
    unclaimed = [i for i in ids if i != "worker" or "lgwr-workers" not in f.claims]
    stages = [s for i in unclaimed if (s := f.figures.stage(i)) is not None]
    copied = exactly(f.claimed_s("redo-copy") if "gather" in ids else 0.0)
    return stages, within(minus(total(s.seconds for s in stages), copied))


def stage_rows(stages: list[Stage]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(e for s in stages for e in s.evidence)) or (statistic_row(TOTAL_TIME),)
