"""Causes in the demands on commits and redo logs."""

from __future__ import annotations

from awrdiff.analysis.commit_latency import committing_statements
from awrdiff.analysis.commit_latency.causes import next_steps
from awrdiff.analysis.commit_latency.causes.rule_types import Answer, Match, NotPrinted, ReportFacts, Step
from awrdiff.analysis.commit_latency.committing_statements import COMMITS, SYNCHS, batch_of, nowait_of
from awrdiff.analysis.commit_latency.inputs_from_report import BLOCK_BYTES, row, statistic_row
from awrdiff.analysis.commit_latency.session_wake_up import mostly_polls
from awrdiff.analysis.figures_in_words import listing, number, percent, seconds, size
from awrdiff.analysis.model.commit_latency import Confidence
from awrdiff.analysis.report.figures_by_name import Event

FEW_CALLS = 30.0  # of a busy application (Doc ID 1376916.1)
COSTLY_SHARE = 0.05  # of DB time: what fewer commits could save at most is worth a change of the application
COMMITS_ON_SERVER = 2.0  # user calls per commit: below, commits are not calls of the client
FAST_WRITE_S = 0.001
FEW_BLOCKS = 4  # of redo to a write
FEW_WAIT = 0.5  # synch writes to a transaction
LEAST_COMMITS = 1_000
SMALL_WRITE_BYTES = 4096.0
MUCH_WASTAGE = 0.25
SWITCH_SHARE = 0.01  # of DB time
BESIDE_COMMITS = 0.10  # of the time in log file sync
SWITCHES_PER_HOUR = 4.0
FEWEST_SWITCHES = 4  # in the window: one in nine minutes is no rate
MANY_WRITES = 20.0  # a wait for room that outlasts as many writes is no wait for one
MANY_TIMEOUTS_PCT = 10.0
MANY_ROLLBACKS = 0.25
SEVERAL_SYNCS = 1.7  # synch writes per transaction
_STALLS = {  # what the longest of the waits says of its reason
    "checkpoint incomplete": "The next log was still needed: too few or too small logs, or too slow a checkpoint.",
    "archiving needed": "The next log was not archived yet.",
    "completion": "The switch itself takes that long: larger logs switch less often.",
    "private strand": "Redo in memory is written out first: larger logs switch less often.",
}


def frequent_commits(f: ReportFacts) -> Answer:
    """Under 30 calls per commit, **and** under 4 KB of redo per write or at least 25 % wastage; calls alone would fire
    on quiet systems. Not where `commit-nowait` or `unwaited-commits` fires. *Low* where commit waits are under 5 % of
    DB time: transactions of a quiet database are small writes too, and fewer of them save less than that. Else
    *medium*, and above the storage where writes take ≤ 1 ms and carry ≤ 4 log blocks (of 512 bytes) of redo.
    """
    g = f.figures
    if g.calls_per_commit is None:
        return NotPrinted("user calls and user commits") if f.side.has("instance_activity") else None
    if g.calls_per_commit.value >= FEW_CALLS or {"unwaited-commits", "commit-nowait"} & set(f.claims):
        return None
    small, wasted = g.redo_per_write_bytes, g.wastage_share
    if small is None and wasted is None:
        return NotPrinted("redo per write and redo wastage")
    signs = []
    if small is not None and small.value < SMALL_WRITE_BYTES:
        signs.append(f"{small.value:,.0f} bytes of redo per write")
    if wasted is not None and wasted.value >= MUCH_WASTAGE:
        signs.append(f"{percent(wasted.value)} redo wastage")
    if not signs:
        return None
    per_second = f.side.per_second(f.inputs.statistics.get("user commits"))
    rate = f", at {number(per_second)} commits per second" if per_second is not None else ""
    share = g.lfs_db_time_share
    costs = share is None or share.value >= COSTLY_SHARE
    text = f"{number(g.calls_per_commit.value)} user calls per commit, with {listing(signs)}{rate}."
    caveat = ""
    if g.calls_per_commit.value < COMMITS_ON_SERVER:
        text += " So few calls cannot hold its statements: commits inside PL/SQL, or on the server."
        caveat = "Rows per commit are decided in the PL/SQL that commits, not by the calls of the client."
    if share is not None and not costs:
        whole = f"{percent(share.value)} of {'call' if g.of_call_time else 'DB'} time"
        text += f" All commit waits together are {whole}: fewer of them save less."
    text += f" {committing_statements.sentence(g.committers)}" if g.committers else ""
    names = ("user calls", "user commits", "redo size", "redo writes", "redo wastage")
    rows = tuple(statistic_row(n) for n in names if n in f.inputs.statistics)
    quick = g.lfpw_avg_s is not None and g.lfpw_avg_s.value <= FAST_WRITE_S
    few_blocks = small is not None and small.value <= FEW_BLOCKS * BLOCK_BYTES
    above = Step.COMMITS if quick and few_blocks and costs else Step.OTHER
    step = above if f.writer_matters else Step.LEFTOVER  # without a size: below what is open
    of_calls = f"{number(g.calls_per_commit.value)} user calls per commit{rate}"
    confidence: Confidence = "medium" if costs else "low"
    return Match(text, confidence, (*f.lfs_rows, *rows), step=step, size=of_calls, caveat=caveat)


def who_commits(f: ReportFacts) -> Answer:
    """A note: statements that change rows, or blocks, of about as many executions as there are commits (± 15 %)."""
    who = f.figures.committers
    if not who:
        return None
    rows = (statistic_row("user commits"),)  # a statement's row has another id beside a report of other columns
    text = f"{committing_statements.sentence(who)} One row to a commit, if they commit each time."
    return Match(text, "note", rows, size=listing([c.sql_id for c in who]))


def most_do_not_wait(f: ReportFacts) -> bool:
    share, commits = f.figures.commit_wait_ratio, f.inputs.statistics.get("user commits")
    return share is not None and commits is not None and commits.number >= LEAST_COMMITS and share.value < FEW_WAIT


def unwaited_commits(f: ReportFacts) -> Answer:
    """A note: under 0.5 synch writes to a transaction, of 1,000 commits or more (commits inside PL/SQL; true cases lie
    at 0.00 to 0.07, the next at 0.53), and `commit-nowait` does not say it.
    """
    share, commits = f.figures.commit_wait_ratio, f.inputs.statistics.get("user commits")
    if share is None or commits is None or not most_do_not_wait(f) or "commit-nowait" in f.claims:
        return None
    text = f"{commits.number:,.0f} commits, and {number(share.value)} synch writes to each: the others do not wait."
    rows = (statistic_row("redo synch writes"), statistic_row("user commits"))
    return Match(text, "note", rows, size=f"{number(share.value)} synch writes to each commit")


def several_syncs(f: ReportFacts) -> Answer:
    """A note: 1.7 synch writes to a transaction or more."""
    ratio = f.figures.commit_wait_ratio
    if ratio is None or ratio.value < SEVERAL_SYNCS:
        return None
    text = f"{number(ratio.value)} synch writes to each transaction: more than its commit waits for the log."
    rows = (statistic_row("redo synch writes"), statistic_row("user commits"))
    return Match(text, "note", rows, size=f"{number(ratio.value)} synch writes to each")


def nowait_commits(f: ReportFacts) -> Answer:
    """*High*, whether or not commit waits matter: `commit nowait performed` ≥ 5 % of the commits (0.1 to 1.3 % are
    usual background), or `commit_wait` or `commit_write` say NOWAIT at either end of the window (*low* where nothing
    but they say so and there are 0.5 synch writes to a commit or more: most waited, and no finding warns of it). Such
    commits are in no figure of this page, and a crash may lose them; the findings of a comparison and of a report warn
    of it as well.
    """
    setting = nowait_of(f.side)
    if setting is None:
        return None
    if not setting.is_doubted:
        text = f"{setting.text}: such commits are in no log file sync, and a crash may lose them."
        return Match(text, "high", setting.evidence, size=setting.size, step=Step.DURABILITY)
    text = f"{setting.text}, though there are {number(setting.synchs or 0.0)} synch writes to each commit: most waited."
    rows = (*setting.evidence, statistic_row(SYNCHS), statistic_row(COMMITS))
    return Match(text, "low", rows, size=setting.size, title="Commits are asked not to wait for their redo.")


def batch_commits(f: ReportFacts) -> Answer:
    """A note: `commit batch performed` ≥ 5 % of the commits, or `commit_logging` or `commit_write` say BATCH, and
    NOWAIT is not asked for. The redo is handed over together; the commit waits and is durable.
    """
    setting = batch_of(f.side)
    if setting is None:
        return None
    text = f"{setting.text}: their redo is handed to the log writer together, and each still waits until it is written."
    return Match(text, "note", setting.evidence, size=setting.size)


def lost_posts(f: ReportFacts) -> Answer:
    """From 10 % %Time-outs of log file sync on: sessions looked for their commit by themselves, as no post had come."""
    event = f.inputs.lfs
    printed = f.side.value(event.section, "pct_timeouts", event.name) if event is not None else None
    if event is None or printed is None or printed.number < MANY_TIMEOUTS_PCT:
        return None
    share = min(printed.number / 100, 1.0)
    text = f"{percent(share)} of the waits for log file sync ended by their time-out and not by a post"
    if f.figures.polling_share is not None and mostly_polls(f.figures):
        polled = percent(min(f.figures.polling_share.value, 1.0))
        text += f"; {polled} of the synch writes polled, which counts as one too"
        return Match(f"{text}.", "note", (event.evidence("pct_timeouts"),), size=f"{percent(share)} time-outs")
    text += ": posts of the log writer came late or were lost, and the session looked by itself."
    return Match(text, "medium", (event.evidence("pct_timeouts"), *f.lfs_rows), size=f"{percent(share)} time-outs")


def rollbacks(f: ReportFacts) -> Answer:
    """A note: transaction rollbacks are more than a quarter of the transactions."""
    rolled, commits = f.inputs.statistics.get("transaction rollbacks"), f.inputs.statistics.get("user commits")
    if rolled is None or commits is None or commits.number + rolled.number < LEAST_COMMITS:
        return None
    share = rolled.number / (rolled.number + commits.number)
    if share <= MANY_ROLLBACKS:
        return None
    text = f"{rolled.number:,.0f} transactions rolled back beside {commits.number:,.0f} commits"
    rows = (statistic_row("transaction rollbacks"), statistic_row("user commits"))
    return Match(f"{text} ({percent(share)} of all).", "note", rows, size=f"{percent(share)} of the transactions")


def log_switches(f: ReportFacts) -> Answer:
    """`log file switch …`, of whatever kind, ≥ 1 % of DB time (Statspack: call time), medium from 10 % of LFS time on;
    what the longest of them waits for (the checkpoint, the archiver, the switch itself) is said, and no log is called
    too small. More than 4 switches an hour, and 4 in the window at least, alone are a note (*Redo logs switch often*).
    """
    stalls = sorted(f.events("log file switch"), key=lambda e: -e.total.number)
    waited = sum(e.total.number for e in stalls)
    share = sum(s for e in stalls if (s := f.share(e)) is not None)
    commits = f.figures.lfs_total_s
    beside = waited / commits.value if commits is not None and commits.value > 0 else 0.0
    if share >= SWITCH_SHARE or beside >= BESIDE_COMMITS:
        return _stall(f, stalls, share, beside)
    hourly, count = (
        f.side.value("instance_activity_thread", c, "log switches (derived)") for c in ("per_hour", "total")
    )
    if hourly is None or hourly.number <= SWITCHES_PER_HOUR or count is None or count.number < FEWEST_SWITCHES:
        return None
    little = f"sessions waited {seconds(waited)} in all for them"
    if not stalls:
        little = "none is in the top list" if f.side.foreground_is_partial else "no wait for one is listed"
    text = f"{number(hourly.number)} log switches per hour; {little}."
    per_hour = row("instance_activity_thread", "log switches (derived)", "per_hour")
    rows = (per_hour, *(e.evidence() for e in stalls[:1]))
    return Match(text, "note", rows, title="Redo logs switch often.", size=f"{number(hourly.number)} switches per hour")


def _stall(f: ReportFacts, stalls: list[Event], share: float, beside: float) -> Match:
    event_texts = listing([f"{e.name} {e.total.number:,.0f} s" for e in stalls[:2]])
    total_s = sum(e.total.number for e in stalls)
    if share >= SWITCH_SHARE:
        part = f"{percent(share)} of {'DB time' if f.side.db_time is not None else 'call time'}"
        text = f"{event_texts}: {part} beside the commit waits."
    else:
        part = f"{percent(beside) if beside <= 1 else f'{number(beside)} times'} as long as commits waited"
        text = f"{event_texts}: {part}, and on top of it."
    text += next((f" {why}" for kind, why in _STALLS.items() if kind in stalls[0].name), "")
    requests = f.side.statistic("redo log space requests")
    rows = [e.evidence() for e in stalls[:2]]
    if requests is not None and requests.number > 0:
        text += f" redo log space requests: {requests.number:,.0f}."
        rows.append(statistic_row("redo log space requests"))
    confidence: Confidence = "high" if share >= SWITCH_SHARE else "medium"
    weighs, wait = _per_wait(f, total_s), f.figures.lfs_avg_s
    step = Step.STALL if wait is not None and weighs > wait.value else None
    return Match(text, confidence, tuple(rows), weighs_s=weighs, step=step, size=f"{seconds(total_s)}, {part}")


def _per_wait(f: ReportFacts, total_s: float) -> float:
    waits = f.figures.lfs_waits
    return total_s / waits.value if waits is not None and waits.value > 0 else 0.0


def log_buffer(f: ReportFacts) -> Answer:
    """`log buffer space` ≥ 1 % of DB time. Where each such wait outlasts 20 redo writes, slow writes are not why: what
    held the log writer up is named if a `log file switch …` takes at least half as long each.
    """
    event = f.side.foreground.get("log buffer space")
    share = f.share(event) if event is not None else None
    if event is None or share is None or share < SWITCH_SHARE:
        return None
    retries = f.side.statistic("redo buffer allocation retries")
    more = f", {retries.number:,.0f} allocation retries" if retries is not None else ""
    rows = [event.evidence(), *([statistic_row("redo buffer allocation retries")] if retries is not None else [])]
    part = f"{percent(share)} of DB time"
    text = f"log buffer space takes {part}{more}."
    room = f.parameter("log_buffer")
    if room is not None and room.isdigit():
        text += f" log_buffer is {size(float(room), 3)}."
        rows.append(row("init_parameters", "log_buffer", "begin_value"))
    each, write = event.average, f.figures.lfpw_avg_s
    caveat = ""
    next_checks: tuple[str, ...] = ()
    if each is not None and write is not None and each.low >= MANY_WRITES * write.high:
        text += f" Each took {seconds(each.number)}, where a redo write takes {seconds(write.value)}"
        stalls = [(e, a) for e in f.events("log file switch") if (a := e.average) and a.number >= each.number / 2]
        longest, average = max(stalls, key=lambda s: s[0].total.number, default=(None, None))
        if longest is None or average is None:
            text += ": single stalls, not slow writes as a rule."
            rows += f.lfs_rows
        else:
            text += f": the log writer was held up, as by {longest.name}, {seconds(average.number)} each."
            rows += [*f.lfs_rows, longest.evidence()]
            caveat = "A full buffer is a symptom of what holds the log writer up, hardly ever of a small buffer."
            next_checks = (next_steps.LOG_FILES,)
    weighs = _per_wait(f, event.total.number)
    return Match(text, "medium", tuple(rows), size=part, weighs_s=weighs, caveat=caveat, checks=next_checks)


DIRECT = "redo size for direct writes"
READ = "redo KB read"
SCN_ORDERING = "log file sync: scn ordering"
FLUSH = "gcs log flush sync"
FLASH_LOG = "exadata_flash_log"
DIRECT_SHARE = 0.25  # of the redo
READ_TIMES = 1.5  # of the redo written: the archiver reads it once
LEAST_S = 1.0  # per hour of the interval: below, a share of next to nothing
_SWITCHES = row("instance_activity_thread", "log switches (derived)", "total")
_FEWEST_LOGS = 4  # of so many the one that was begun before the window is at most a quarter
_LEAST_RATE = 100 * 1024.0  # bytes per second: below, a share of next to nothing
_TROUBLE = (
    ("outliers_actual", "{} writes that were slow all the same"),
    ("skip_count", "{} writes that went past the flash log"),
    ("errors_disk_i_o", "{} disk errors"),
    ("errors_flash_i_o", "{} flash errors"),
)


def direct_redo(f: ReportFacts) -> Answer:
    """A note: `redo size for direct writes` ≥ 25 % of redo size and 100 kB per second: direct-path loads or uncached
    LOBs fill the writes that commits wait for (90 % in a report of 19.24).
    """
    direct, whole = f.side.statistic(DIRECT), f.inputs.statistics.get("redo size")
    rate = f.side.per_second(direct)
    if direct is None or rate is None or rate < _LEAST_RATE or whole is None or whole.number <= 0:
        return None
    share = direct.number / whole.number
    if share < DIRECT_SHARE:
        return None
    text = f"{percent(share)} of the redo ({size(direct.number, 3)}) is that of direct-path writes"
    each = f.figures.redo_per_write_bytes
    if each is not None:
        text += f"; with it a redo write carries {size(each.value, 3)} on average"
    text += ": commits share the log with what loads (or LOBs) write."
    rows = (statistic_row(DIRECT), statistic_row("redo size"))
    return Match(text, "note", rows, size=f"{percent(share)} of the redo")


def redo_read(f: ReportFacts) -> Answer:
    """A note: `redo KB read` ≥ 1.5 times redo size, and 100 kB per second, over 4 log switches or more. The archiver
    reads all redo once, but a log as a whole; more is log transport, capture or a standby that catches up.

    It reads a log when that is full, however long ago it was begun: of a few logs it may read more than was written.
    """
    read, whole = f.side.statistic(READ), f.inputs.statistics.get("redo size")
    rate = (f.side.per_second(read) or 0.0) * 1024
    if read is None or rate < _LEAST_RATE or whole is None or whole.number <= 0:
        return None
    times = read.number * 1024 / whole.number
    if times < READ_TIMES:
        return None
    switches = f.side.value(_SWITCHES.section, "total", _SWITCHES.key)
    if switches is None:
        return NotPrinted("log switches (derived)")
    if switches.number < _FEWEST_LOGS:
        return None
    text = (
        f"{number(times)} times as much redo was read back as was written, {size(rate, 3)} per second; the archiver "
        "alone reads it once."
    )
    rows = (statistic_row(READ), statistic_row("redo size"), _SWITCHES)
    return Match(text, "note", rows, size=f"{number(times)} times as much as was written")


def scn_ordering(f: ReportFacts) -> Answer:
    """A note: `log file sync: SCN ordering` ≥ 10 % of LFS time, and beside it."""
    event = next((e for name, e in f.side.foreground.items() if name.lower().startswith(SCN_ORDERING)), None)
    waited = f.figures.lfs_total_s
    if event is None or waited is None or waited.value <= 0 or event.total.number < BESIDE_COMMITS * waited.value:
        return None
    text = (
        f"{event.name} takes {seconds(event.total.number)}, {percent(event.total.number / waited.value)} of log file "
        "sync and beside it: commits that were written waited for earlier ones."
    )
    return Match(text, "note", (event.evidence(), *f.lfs_rows), size=seconds(event.total.number))


def log_flush(f: ReportFacts) -> Answer:
    """A note: `gcs log flush sync` ≥ 10 % of LFS time and 1 s an hour: LMS, and so other instances, wait for this log
    writer.
    """
    event, waited = f.side.background.get(FLUSH), f.figures.lfs_total_s
    elapsed = f.side.elapsed
    if event is None or waited is None or waited.value <= 0 or elapsed is None:
        return None
    share = event.total.number / waited.value
    if share < BESIDE_COMMITS or event.total.number < LEAST_S * elapsed.number / 3600:
        return None
    average = event.average
    each = f", {seconds(average.number)} each" if average is not None else ""
    text = (
        f"{event.name} takes {seconds(event.total.number)}{each}, against {seconds(waited.value)} of log file sync: "
        "blocks are shipped to other instances only once their redo is written."
    )
    return Match(text, "note", (event.evidence(), *f.lfs_rows), size=f"{seconds(event.total.number)}{each}")


def flash_log(f: ReportFacts) -> Answer:
    """A note: the cells' Flash Log section counts outliers, writes past it or errors. *Not checked* where other
    sections of the cells are printed and this is not.
    """
    section = f.side.report.section(FLASH_LOG)
    if section is None:
        on_exadata = any(s.id.startswith("exadata_") for s in f.side.report.sections)
        return NotPrinted("the Flash Log section of the cells") if on_exadata else None
    whole = next((r for r in section.records if section.text(r, "cell_name").lower().startswith("total")), None)
    if whole is None:
        return None
    key = section.text(whole, "cell_name")
    counts = [(c, wording, v.number) for c, wording in _TROUBLE if (v := section.number(whole, c)) is not None]
    trouble = [(c, wording.format(number(n))) for c, wording, n in counts if n > 0]
    if not trouble:
        return None
    text = f"The cells' flash log tells of {listing([t for _, t in trouble])}, of all databases on them."
    return Match(text, "note", tuple(row(FLASH_LOG, key, c) for c, _ in trouble))
