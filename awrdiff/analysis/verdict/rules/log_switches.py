"""Log switches: frequency, and the checkpoint behind them, which slow writes may keep from ending.

Source: Oracle Database Performance Tuning Guide, sizing redo log files; Reference, V$INSTANCE_RECOVERY, wait events.
"""

from __future__ import annotations

from typing import NamedTuple

from awrdiff.analysis.figures_in_words import number, percent, seconds, several, size
from awrdiff.analysis.model.comparison import Evidence, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import (
    QUIET,
    Candidate,
    Contradicted,
    Observation,
    Reason,
    RuleResult,
    Unknown,
    reasons_for,
)
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.storage import average_text, least_average, write_of
from awrdiff.analysis.verdict.rules.waits import LOG_SWITCHES
from awrdiff.analysis.verdict.thresholds import SLOW_S

WRITERS = ("db file async i/o submit", "db file parallel write", "control file parallel write")
_FELT = 0.01  # of DB time
_NOT_PRINTED = Unknown("Foreground and Background Wait Events, of the checkpoint and of its writes")
_SUBJECT = Subject("storage", "checkpoint")
_EXPLAINS = ("log-file-switch", "event-latency", "event-count", "top-wait", "log-switch-rate")


def is_incomplete(name: str) -> bool:
    return name.startswith("log file switch (checkpoint")


def sessions_waiting(side: Side) -> float:
    """Average sessions, as far as listed."""
    return sum(side.per_second(e.total) or 0.0 for e in finding_sizes.events_named(side, is_incomplete))


def waited_share(side: Side) -> float | None:
    whole = side.active_sessions
    return sessions_waiting(side) / whole if side.foreground and whole else None


def writers(side: Side) -> tuple[Event, ...]:
    return tuple(e for name in WRITERS if (e := write_of(side, name)) is not None)


def slow_writers(side: Side) -> tuple[Event, ...]:
    return tuple(e for e in writers(side) if least_average(e) > SLOW_S)


def answer(side: Side) -> tuple[Reason, ...] | Contradicted | Unknown | None:
    """Writes that can hold the time waited; None: nothing to say."""
    share, slow, elapsed = waited_share(side), slow_writers(side), side.elapsed
    if share is None or not writers(side):
        return _NOT_PRINTED if share is None or share >= _FELT else None
    if share < _FELT or not slow:
        return None
    if busy := capacity_limits.saturated_host(side):
        return Contradicted(busy)
    candidates = [Candidate(f"{e.name} {average_text(e)}", e.evidence("avg_wait_s"), e.total.number) for e in slow]
    window_s = elapsed.number if elapsed is not None else 0.0
    reasons = reasons_for(candidates if window_s else (), min(sessions_waiting(side), 1.0) * window_s, window_s)
    took = several(sum(e.total.number for e in slow), "second", "seconds")
    return reasons or Contradicted(f"{slow[0].name}: {took} in all")


def checkpoint_writes(facts: Facts) -> RuleResult:
    """Sessions waited {_FELT:%} of DB time for a checkpoint; its writes take over {SLOW_S:s} and can hold that time."""
    answers = [answer(side) for side in facts.sides]
    before, latest = answers[0], answers[-1]
    in_first = facts.unrelated and isinstance(before, tuple) and not isinstance(latest, tuple)
    side, reasons = (facts.sides[0], before) if in_first else (facts.sides[-1], latest)
    if not isinstance(reasons, tuple):
        return reasons or QUIET
    tone: Tone = "neutral" if isinstance(before, tuple) and not in_first else "worse"
    share = percent(waited_share(side) or 0.0)
    text = f"log file switch (checkpoint incomplete) is {share} of DB time; writes take long: "
    text += f"{'; '.join(r.text for r in reasons)}."
    rows = *(r.evidence for r in reasons), *(e.evidence() for e in finding_sizes.events_named(side, is_incomplete))
    title = f"The checkpoint waits for slow writes{' in First alone' * in_first}."
    return Observation(title, text, rows, None, _SUBJECT, tone, _EXPLAINS, "warning")


_ROW = "log switches (derived)"
OFTEN = 12.0  # per hour: Oracle advises one in 20 minutes at most, so this is four times as often
NOT_PRINTED = Unknown("Instance Activity Stats - Thread Activity: log switches (derived)")
_FEWEST = 4  # switches: the redo of fewer says little about how full a log was
_ADVISED_S = 1_200.0  # between switches: all logs together hold less than one should
_BLOCK = 512  # bytes of redo


class Switches(NamedTuple):
    """`each`: redo bytes per switch; `ahead`: checkpoint lag in bytes."""

    per_hour: float
    each: float | None
    ahead: float | None
    redo_bytes_per_s: float | None


def of_two(facts: FactsOfTwo) -> RuleResult:
    """More than {OFTEN} switches per hour on a side, half as many again as on the other."""
    a, b = switches_of(facts.first), switches_of(facts.second)
    if a is None or b is None:
        return NOT_PRINTED
    is_changed = b.per_hour >= 1.5 * a.per_hour or a.per_hour >= 1.5 * b.per_hour
    if max(a.per_hour, b.per_hour) < OFTEN or not is_changed:
        return QUIET
    fewer = b.per_hour < a.per_hour
    sessions = finding_sizes.sessions_waiting(facts, lambda name: name.startswith("log file switch"))
    waited = [each for each in (sessions.first, sessions.second) if each is not None and each.high > 0]
    if waited and not any(each.low > 0 for each in waited):  # a top list leaves them out: how long, is not known
        return Unknown("Foreground Wait Events, in full: log file switch")
    text = f"{number(a.per_hour)} → {number(b.per_hour)} switches per hour"
    text += f"; {megabytes(a)} → {megabytes(b)} of redo each" if a.each and b.each else ""
    text += f".{deadline(a) if fewer else deadline(b)} "
    text += f"Sessions wait for them: {finding_sizes.text(sessions)}."
    at_limit = capacity_limits.is_out_of_logs(facts.second)
    title = "Fewer log switches." if fewer and not at_limit else title_of(b)
    if fewer and facts.unrelated:
        title = f"{title_of(a)[:-1]} in First."
    return Observation(
        title,
        text,
        rows_of(facts.second),
        sessions,
        Subject("other", "log switches"),
        finding_sizes.tone(sessions),
        at_limit=at_limit,
    )


def of_one(facts: FactsOfOne) -> RuleResult:
    """More than {OFTEN} log switches per hour, with how far a checkpoint may be behind."""
    switches = switches_of(facts.side)
    if switches is None:
        return NOT_PRINTED
    if switches.per_hour < OFTEN or switches.each is None:
        return QUIET
    sessions = finding_sizes.waits(facts.side, lambda name: name.startswith("log file switch"))
    text = f"{number(switches.per_hour)} switches per hour; {megabytes(switches)} of redo each."
    text += deadline(switches)
    waited, share = finding_sizes.middle(sessions) or 0.0, facts.share(sessions) or 0.0
    beside = LOG_SWITCHES.share_beside(facts.side) if facts.commit_latency.material else 0.0
    if waited >= facts.least_sessions:
        text += f" Sessions wait for them: {number(waited)} active sessions."
    elif max(share, beside) < LOG_SWITCHES.least:
        text += " Sessions hardly wait for them."
    else:
        times = percent(beside) if beside < 1 else f"{number(beside)} times"
        commits = f", {times} as long as for commits" if beside else ""
        text += f" Sessions wait for them for {percent(share)} of DB time{commits}."
    return Observation(
        title_of(switches),
        text,
        rows_of(facts.side),
        subject=Subject("other", "log switches"),
        explains=("log-file-switch", "commit-latency"),
    )


def title_of(switches: Switches) -> str:
    return f"A log switch every {seconds(3600 / switches.per_hour)}."


def switches_of(side: Side) -> Switches | None:
    per_hour = side.value("instance_activity_thread", "per_hour", _ROW)
    count = side.value("instance_activity_thread", "total", _ROW)
    if per_hour is None or count is None:
        return None
    redo = side.statistic("redo size")
    each = redo.number / count.number if redo is not None and count.number >= _FEWEST else None
    blocks = side.value("instance_recovery", "log_size_redo_blocks", "E", "B")
    ahead = blocks.number * _BLOCK if blocks is not None else None
    return Switches(per_hour.number, each, ahead, side.per_second(redo))


def deadline(switches: Switches) -> str:
    """Time until a checkpoint must be done."""
    if not switches.ahead or not switches.redo_bytes_per_s:
        return ""
    left_s = switches.ahead / switches.redo_bytes_per_s
    return f" {size(switches.ahead)} of logs cycle in {seconds(left_s)}{': logs too small' * (left_s < _ADVISED_S)}."


def megabytes(switches: Switches) -> str:
    return f"{number((switches.each or 0.0) / (1 << 20))} MB"


def rows_of(side: Side) -> tuple[Evidence, ...]:
    redo = (row("instance_activity_thread", _ROW, "per_hour"), row("instance_activity", "redo size", "total"))
    point = next((p for p in ("E", "B") if side.value("instance_recovery", "log_size_redo_blocks", p)), None)
    return (*redo, row("instance_recovery", point, "log_size_redo_blocks")) if point else redo
