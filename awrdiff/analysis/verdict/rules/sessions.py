"""Sessions and logons."""

from __future__ import annotations

from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, Two, row
from awrdiff.analysis.words import change, number, percent

CONNECT = "connection management call elapsed time"


def session_storm(facts: Facts) -> Answer:
    """The session count at the end of Second stands far above both the first report's and its own beginning."""
    ends = facts.both(_sessions_at_end)
    begin = _sessions_at_begin(facts.second)
    if ends is None or begin is None:
        return UNKNOWN
    if ends.diff < 50 or ends.second < 1.5 * max(ends.first, 1.0):
        return QUIET
    inside = Two(begin, ends.second)
    text = f"{number(ends.first)} sessions at the end of First, {number(ends.second)} at the end of Second"
    if inside.factor is not None and inside.factor >= 1.5:
        text += f" ({number(begin)} when it began: a connection storm inside the window)"
    evidence = (
        row("snapshot_information", "End Snap", "sessions"),
        row("instance_activity_absolute", "logons current", "end_value"),
    )
    return Said("Many more sessions.", text + ".", evidence, severity="warning")


def logon_rate(facts: Facts) -> Answer:
    """Connecting and disconnecting takes time of its own."""
    share, rate = facts.share(CONNECT), facts.rate("logons cumulative", "Logons", "User logons")
    if share is None or rate is None:
        return UNKNOWN
    if share.second < 0.03 and not (rate.second >= 5 and rate.factor is not None and rate.factor >= 2):
        return QUIET
    text = (
        f"{number(rate.first)} → {number(rate.second)} logons per second ({change(rate.first, rate.second)}); "
        f"connection management took {percent(share.first)} → {percent(share.second)} of DB time."
    )
    evidence = (row("time_model", CONNECT, "time_s"), row("instance_activity", "logons cumulative", "total"))
    return Said("Connecting costs time.", text, evidence, severity="note")


def _sessions_at_end(side: Side) -> float | None:
    count = side.report.period.end.sessions
    return None if count is None else float(count)


def _sessions_at_begin(side: Side) -> float | None:
    count = side.report.period.begin.sessions
    return None if count is None else float(count)
