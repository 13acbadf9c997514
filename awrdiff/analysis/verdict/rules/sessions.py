"""Sessions and logons.

Source: Oracle Database Reference, V$RESOURCE_LIMIT, V$SYS_TIME_MODEL.
"""

from __future__ import annotations

from awrdiff.analysis.figures_in_words import change, number, percent, seconds
from awrdiff.analysis.model.comparison import Subject
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes

CONNECT = "connection management call elapsed time"
_CONNECT = 0.03  # of DB time: a logon in every call takes more, a pool connects once
_MANY, _TWICE = 5.0, 2.0  # logons per second
_STORM = 0.5  # active sessions: many logons that take less are how the application works
_MANY_MORE, _AT_LEAST = 1.5, 50  # sessions at the end against those at the beginning


def session_storm_of_two(facts: FactsOfTwo) -> RuleResult:
    """{_MANY_MORE} times the sessions, and {_AT_LEAST} more, at the end of Second than at the end of First."""
    ends = facts.both_sides(lambda s: s.report.period.end.sessions)
    begin = facts.second.report.period.begin.sessions
    if ends is None or begin is None:
        return Unknown("sessions at begin and end snapshot")
    if ends.diff < _AT_LEAST or ends.second < _MANY_MORE * max(ends.first, 1.0):
        return QUIET
    inside = FirstSecond(begin, ends.second)
    text = f"{number(ends.first)} sessions at the end of First, {number(ends.second)} at the end of Second"
    if inside.factor is not None and inside.factor >= _MANY_MORE:
        text += f" ({number(begin)} when it began: they came inside the window)"
    return Observation(
        "Many more sessions.",  # logged on, not active: without a size
        text + ".",
        tuple(row("snapshot_information", f"{name} Snap", "sessions") for name in ("End", "Begin")),
        tone="worse" if facts.db_time_rose else "neutral",
        severity="warning" if facts.db_time_rose else "note",
        explains=("load-against-db-time",) if facts.db_time_rose else (),
    )


def session_storm_of_one(facts: FactsOfOne) -> RuleResult:
    """{_MANY_MORE} times the sessions, and {_AT_LEAST} more, at the end of the window than at its beginning."""
    begin, end = facts.side.report.period.begin.sessions, facts.side.report.period.end.sessions
    if begin is None or end is None:
        return Unknown("sessions at begin and end snapshot")
    if end - begin < _AT_LEAST or end < _MANY_MORE * max(begin, 1.0):
        return QUIET
    text = f"{number(begin)} were logged on when it began, {number(end)} when it ended."
    evidence = tuple(row("snapshot_information", f"{name} Snap", "sessions") for name in ("Begin", "End"))
    return Observation("Many sessions came inside the window.", text, evidence, subject=Subject("work", "sessions"))


def logon_rate_of_two(facts: FactsOfTwo) -> RuleResult:
    """Connecting takes {_CONNECT:%} of DB time, or {_MANY} logons per second are {_TWICE} times as many."""
    share, rate = facts.share(CONNECT), facts.rate("logons cumulative", "Logons", "User logons")
    if share is None:
        return Unknown(f"Time Model Statistics: {CONNECT}")
    if rate is None:
        return Unknown("logons cumulative")
    is_storm = rate.second >= _MANY and rate.second >= _TWICE * rate.first
    if max(share.first, share.second) < _CONNECT and not is_storm:
        return QUIET
    text = (
        f"{number(rate.first)} → {number(rate.second)} logons per second ({change(rate.first, rate.second)}); "
        f"connection management took {percent(share.first)} → {percent(share.second)} of DB time"
    )
    sessions = finding_sizes.sessions_in(facts, lambda s: s.time_model(CONNECT))
    evidence = (row("time_model", CONNECT, "time_s"), row("instance_activity", "logons cumulative", "total"))
    title = "Logons cost less time." if sessions.change < 0 else "Logons cost time."
    logons_text, subject = f"{text}, {finding_sizes.text(sessions)}.", Subject("work", "logons")
    if is_storm:
        before = f" ({number(rate.first)} before)" * (not facts.unrelated)
        title = f"Logon storm: {number(rate.second)} per second{before}."
    if is_storm and sessions.size < facts.least_sessions:  # dear to the host
        return Observation(title, logons_text, evidence, subject=subject, explains=("load-against-db-time",))
    return Observation(title, logons_text, evidence, sessions, subject, finding_sizes.tone(sessions))


def logon_rate_of_one(facts: FactsOfOne) -> RuleResult:
    """Connecting takes {_CONNECT:%} of DB time; a storm from {_MANY} logons per second and {_STORM} sessions on."""
    sessions = facts.sessions_in(facts.side.time_model(CONNECT))
    share = facts.share(sessions)
    if share is None:
        return Unknown(f"Time Model Statistics: {CONNECT}")
    if share < _CONNECT:
        return QUIET
    rate = facts.rate("logons cumulative", "Logons", "User logons")
    text = f"Connection management took {percent(share)} of DB time"
    each = (finding_sizes.middle(sessions) or 0.0) / rate if rate else None
    text += f": {number(rate)} logons per second, {seconds(each)} each" if rate and each else ""
    evidence = (row("time_model", CONNECT, "time_s"), row("instance_activity", "logons cumulative", "total"))
    title = "Logons cost time."
    if rate is not None and rate >= _MANY and (finding_sizes.middle(sessions) or 0.0) >= _STORM:
        title = f"Logon storm: {number(rate)} per second."
    return Observation(title, f"{text}.", evidence, sessions, Subject("work", "logons"), tone="worse")
