"""Commit waits as a finding: what they cost in active sessions, and how much of one is not the redo write."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.inputs import LFS
from awrdiff.analysis.model.comparison import CommitFigures, Estimate, Sessions, Subject, Tone
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Unknown
from awrdiff.analysis.words import percent, seconds, wait_said

_LONGER = 1.25  # an average commit wait, beyond what its rounding leaves open


def commit_latency(facts: Facts) -> Answer:
    """Log file sync where commits are material: in Second, or in First and moved by as much (see commit latency, 2).

    It stands by the active sessions in log file sync of both sides; the causes stand on the commit page.

    Source: docs/commit-latency.md.
    """
    before, after = facts.commit_latency.reports[0], facts.commit_latency.reports[-1]
    if after.lfs_avg_s is None:
        return Unknown("log file sync, with its number of waits")
    if not facts.commit_latency.material:
        return QUIET
    sessions = sizes.waited(facts, lambda name: name == LFS)
    tone = sizes.tone(sessions)
    return Said(
        title=_title(before.lfs_avg_s, after.lfs_avg_s, tone),
        text=f"{_text(before, after, sessions)}.{_why(facts)}",
        evidence=after.evidence,
        sessions=sessions,
        subject=Subject("event", LFS),
        tone=tone,
    )


def _title(before: Estimate | None, after: Estimate, tone: Tone) -> str:
    longer = before is not None and after.low > _LONGER * before.high
    if tone == "worse":
        return "Commits wait longer." if longer else "More commits wait, each about as long as before."
    if tone == "better":
        return "Commits take less time."
    return "Each commit waits longer." if longer else "Commits take about as much time as before."


def _text(before: CommitFigures, after: CommitFigures, sessions: Sessions) -> str:
    share, wait = after.lfs_db_time_share, after.lfs_avg_s
    of = "call time" if after.of_call_time else "DB time"
    text = f"log file sync: {sizes.said(sessions)}"
    text += f", {percent(share.value)} of {of} in Second" if share is not None else ""
    if wait is not None:
        text += f", {wait_said(wait)} per wait"
    if before.lfs_avg_s is not None:
        text += f" ({wait_said(before.lfs_avg_s)} in First)"
    return f"{text}{beyond_the_write(after)}"


def beyond_the_write(figures: CommitFigures) -> str:
    """How much of a wait is not the redo write."""
    overhead, share = figures.naive_overhead_s, figures.naive_share
    if overhead is None or share is None:
        return ""
    if overhead.value <= 0:
        return "; commits joined writes under way"
    return f"; at most {seconds(overhead.value)} of it ({percent(share.value)}) is not the redo write"


def _why(facts: Facts) -> str:
    """The first cause of the wait itself, where it is certain enough to be said without its caveat."""
    top = next((c for c in facts.commit_latency.causes if c.explains_s is not None), None)
    return f" {top.title}" if top is not None and top.confidence in ("proven", "high") and top.reports != (0,) else ""
