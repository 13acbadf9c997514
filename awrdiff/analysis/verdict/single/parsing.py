"""Parsing and connecting in one report."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.verdict.answer import QUIET, Answer, Observation, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import row
from awrdiff.analysis.verdict.rules.parsing import FAILED, FAILURES, HARD, LIBRARY, NO_TIMES, PARSE, WORK, failures_of
from awrdiff.analysis.verdict.rules.sessions import CONNECT
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent, seconds

_MUCH = 0.20  # of DB time: parsing, all of it
_HARD = 0.05  # of DB time
_FAILED = 0.01
_CONNECT = 0.03
_HARD_PARSES = 10  # per second


def parsing_dominates(alone: Alone) -> Answer:
    """Parse time of at least a fifth of DB time; from half of it on it dominates.

    Source: Oracle Database Performance Tuning Guide, tuning the shared pool.
    """
    sessions = alone.spent(alone.side.time_model(PARSE))
    share = alone.share(sessions)
    if share is None:
        return NO_TIMES
    if share < _MUCH:
        return QUIET
    text = f"Parsing took {percent(share)} of DB time, {number(sizes.middle(sessions) or 0.0)} active sessions"
    evidence = [row("time_model", PARSE, "time_s")]
    hard = alone.share(alone.spent(alone.side.time_model(HARD)))
    if hard is not None:
        text += f"; hard parsing {percent(hard)}"
        evidence.append(row("time_model", HARD, "time_s"))
    rate = alone.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    if rate and hard is not None:
        each = hard * (alone.sessions or 0.0) / rate
        text += f" ({number(rate)} hard parses per second, {seconds(each)} each)"
    hits = alone.side.value("instance_efficiency", "pct", LIBRARY)
    if hits is not None:
        text += f"; library cache hits {percent(hits.number / 100)}"
        evidence.append(row("instance_efficiency", LIBRARY, "pct"))
    title = "Parsing dominates DB time." if share >= 0.5 else "Parsing takes much of DB time."
    return Observation(title, f"{text}.", tuple(evidence), sessions, WORK, tone="worse")


def hard_parse_rate(alone: Alone) -> Answer:
    """At least 10 hard parses per second that take 5 % of DB time; quiet where parsing as a whole is told.

    Source: Oracle Database Performance Tuning Guide, tuning the shared pool.
    """
    hard = alone.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    every = alone.rate("parse count (total)", "Parses (SQL)", "Parses")
    sessions = alone.spent(alone.side.time_model(HARD))
    if hard is None or every is None or sessions is None:
        return Unknown("parse count (hard), parse count (total) and hard parse elapsed time")
    share = alone.share(sessions) or 0.0
    whole = alone.share(alone.spent(alone.side.time_model(PARSE))) or 0.0
    if hard < _HARD_PARSES or every <= 0 or share < _HARD or whole >= _MUCH:
        return QUIET
    text = f"{number(hard)} hard parses per second, {percent(hard / every)} of all parses, take {percent(share)}"
    text += f" of DB time ({number(sizes.middle(sessions) or 0.0)} active sessions)."
    evidence = (row("instance_activity", "parse count (hard)", "total"), row("time_model", HARD, "time_s"))
    return Observation("Many statements are parsed hard.", text, evidence, sessions, WORK, tone="worse")


def parse_failures(alone: Alone) -> Answer:
    """Failed parses of at least 1 % of DB time: wrong syntax, missing objects or rights, parsed again on every try.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL and V$SYSSTAT.
    """
    spent = alone.side.time_model(FAILED)
    sessions = alone.spent(spent)
    share = alone.share(sessions)
    if spent is None or share is None:
        return Unknown("Time Model Statistics: failed parse elapsed time")
    if share < _FAILED:
        return QUIET
    text = f"Failed parses took {percent(share)} of DB time ({seconds(spent.number)})"
    evidence: list[Evidence] = [row("time_model", FAILED, "time_s")]
    count = failures_of(alone.side)
    if count:
        text += f": {number(count)} of them, {seconds(spent.number / count)} each"
        evidence.append(row("instance_activity", FAILURES, "total"))
    return Observation("Parse errors cost time.", f"{text}.", tuple(evidence), sessions, WORK, tone="worse")


def logon_rate(alone: Alone) -> Answer:
    """Connecting takes 3 % of DB time.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL.
    """
    sessions = alone.spent(alone.side.time_model(CONNECT))
    share = alone.share(sessions)
    if share is None:
        return Unknown(f"Time Model Statistics: {CONNECT}")
    if share < _CONNECT:
        return QUIET
    rate = alone.rate("logons cumulative", "Logons", "User logons")
    text = f"Connection management took {percent(share)} of DB time"
    each = (sizes.middle(sessions) or 0.0) / rate if rate else None
    text += f": {number(rate)} logons per second, {seconds(each)} each" if rate and each else ""
    evidence = (row("time_model", CONNECT, "time_s"), row("instance_activity", "logons cumulative", "total"))
    return Observation(
        "Connecting costs time.", f"{text}.", evidence, sessions, Subject("work", "logons"), tone="worse"
    )
