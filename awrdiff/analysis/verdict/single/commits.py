"""Commits of one report: what one waits for, and why; and how often the log is switched."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.durability import nowait_of, share_of
from awrdiff.analysis.commit_latency.inputs import LFS
from awrdiff.analysis.commit_latency.material import AVERAGE_S
from awrdiff.analysis.commit_latency.probable import probable
from awrdiff.analysis.model.comparison import Range, Subject, Tone
from awrdiff.analysis.verdict.answer import QUIET, Answer, Observation, Unknown
from awrdiff.analysis.verdict.ledger import CRITICAL_SHARE
from awrdiff.analysis.verdict.rules import log_switches, sizes
from awrdiff.analysis.verdict.rules.commits import NOT_COUNTED, beyond_the_write
from awrdiff.analysis.verdict.rules.waits import LOG_SWITCHES
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent, wait_said


def commit_latency(alone: Alone) -> Answer:
    """Log file sync where commits are material (see commit latency, 2), and how much of a wait is not the redo write.

    A trouble where a commit waits longer than 10 ms on average, or commits are a quarter of DB time.

    Source: docs/commit-latency.md.
    """
    figures = alone.commits
    if figures.lfs_avg_s is None:
        return Unknown("log file sync, with its number of waits")
    if not speaks(alone):
        return QUIET
    sessions = sizes.waits(alone.side, lambda name: name == LFS)
    share = figures.lfs_db_time_share
    text = "log file sync"
    text += f": {number(figures.lfs_waits.value)} waits" if figures.lfs_waits is not None else ""
    text += f", {percent(share.value)} of {'call' if figures.of_call_time else 'DB'} time" if share is not None else ""
    text += f"{beyond_the_write(figures)}."
    is_long = figures.lfs_avg_s.value > AVERAGE_S or (share is not None and share.value >= CRITICAL_SHARE)
    tone: Tone = "worse" if is_long else "neutral"
    title = f"A commit waits {wait_said(figures.lfs_avg_s)}."
    return Observation(title, f"{text}{_why(alone)}", figures.evidence, sessions, Subject("event", LFS), tone=tone)


def commit_nowait(alone: Alone) -> Answer:
    """Commits that do not wait for their redo, whether or not commit waits matter: from 5 % of them on, or where a
    parameter says so.

    Source: docs/commit-latency.md.
    """
    asked = nowait_of(alone.side)
    if asked is None:
        return QUIET if share_of(alone.side) is not None else NOT_COUNTED
    return Observation(
        "Commits do not wait for their redo: a crash may lose them.",
        f"{asked.text}. They are in no log file sync: how long commits waited tells only of the others.",
        asked.evidence,
        subject=Subject("event", LFS),
        severity="warning",
    )


def speaks(alone: Alone) -> bool:
    return alone.commit_latency.material and alone.commits.lfs_avg_s is not None


def _why(alone: Alone) -> str:
    """The cause that may be named without its caveat."""
    top = probable(alone.commit_latency)
    return f" {top.title}" if top is not None else ""


def log_switch_rate(alone: Alone) -> Answer:
    """More than 12 log switches per hour; and how far a checkpoint may be behind, as of two reports.

    Source: Oracle Database Performance Tuning Guide, sizing redo logs: at most one switch in 20 minutes; Oracle
    Database Reference, V$INSTANCE_RECOVERY, LOG_FILE_SIZE_REDO_BLKS.
    """
    found = log_switches.switches_of(alone.side)
    if found is None:
        return log_switches.NOT_PRINTED
    if found.per_hour < log_switches.OFTEN or found.each is None:
        return QUIET
    sessions = sizes.waits(alone.side, lambda name: name.startswith("log file switch"))
    text = f"{number(found.per_hour)} switches per hour; {log_switches.megabytes(found)} of redo each."
    text += log_switches.deadline(found, "the database")
    text += f" {_felt(alone, sessions)}"
    return Observation(
        log_switches.title_of(found),
        text,
        log_switches.rows_of(alone.side),
        subject=Subject("other", "log switches"),
        explains=("log-file-switch", "commit-latency"),
    )


def _felt(alone: Alone, sessions: Range | None) -> str:
    """How much sessions wait for switches; hardly only where that is under 1 % of DB time, and of the time of commits
    that matter."""
    waited, share = sizes.middle(sessions) or 0.0, alone.share(sessions) or 0.0
    beside = LOG_SWITCHES.share_beside(alone.side) if alone.commit_latency.material else 0.0
    if waited >= alone.least_sessions:
        return f"Sessions wait for them: {number(waited)} active sessions."
    if max(share, beside) < LOG_SWITCHES.least:
        return "Sessions hardly wait for them."
    times = percent(beside) if beside < 1 else f"{number(beside)} times"
    commits = f", {times} as long as for commits" if beside else ""
    return f"Sessions wait for them for {percent(share)} of DB time{commits}."
