"""Late checkpoints, and whether slow writes can be the reason.

Source: Oracle Database Reference, wait event log file switch (checkpoint incomplete).
"""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Subject, Tone
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.facts import Facts
from awrdiff.analysis.verdict.reasons import Candidate, Reason, reasons_for
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.storage import average_text, least_average, write_of
from awrdiff.analysis.verdict.thresholds import SATURATED_PCT, SLOW_S
from awrdiff.analysis.words import percent, several

WRITERS = ("db file async i/o submit", "db file parallel write", "control file parallel write")
_FELT = 0.01  # of DB time
_NOT_PRINTED = Unknown("Foreground and Background Wait Events, of the checkpoint and of its writes")
_SUBJECT = Subject("storage", "checkpoint")
_EXPLAINS = ("log-file-switch", "event-latency", "event-count", "top-wait", "log-switch-rate")


def is_incomplete(name: str) -> bool:
    return name.startswith("log file switch (checkpoint")


def sessions_waiting(side: Side) -> float:
    """Average sessions, as far as listed."""
    return sum(side.per_second(e.total) or 0.0 for e in sizes.events_named(side, is_incomplete))


def waited_share(side: Side) -> float | None:
    """Share (0..1) of DB time; None where no events are printed."""
    whole = side.active_sessions
    return sessions_waiting(side) / whole if side.foreground and whole else None


def writers(side: Side) -> tuple[Event, ...]:
    return tuple(e for name in WRITERS if (e := write_of(side, name)) is not None)


def slow_writers(side: Side) -> tuple[Event, ...]:
    return tuple(e for e in writers(side) if least_average(e) > SLOW_S)


def reasons_of(side: Side) -> tuple[Reason, ...]:
    """Writes that can hold the time in which a session waited, at most the whole window."""
    elapsed = side.elapsed
    if elapsed is None:
        return ()
    candidates = [
        Candidate(f"{e.name} {average_text(e)}", e.evidence("avg_wait_s"), e.total.number) for e in slow_writers(side)
    ]
    return reasons_for(candidates, min(sessions_waiting(side), 1.0) * elapsed.number, elapsed.number)


def answer(side: Side) -> tuple[Reason, ...] | Contradicted | Unknown | None:
    """None: nothing to say."""
    share = waited_share(side)
    if share is None or not writers(side):
        return _NOT_PRINTED if share is None or share >= _FELT else None
    if share < _FELT or not slow_writers(side):
        return None
    busy = side.host_busy_pct or 0.0
    if busy >= SATURATED_PCT:
        return Contradicted(f"BUSY_TIME: the host is {percent(busy / 100)} busy")
    reasons = reasons_of(side)
    took = sum(e.total.number for e in slow_writers(side))
    return reasons or Contradicted(f"{slow_writers(side)[0].name}: {several(took, 'second', 'seconds')} in all")


def checkpoint_writes(facts: Facts) -> RuleResult:
    """Sessions waited {_FELT:%} of DB time for a checkpoint; its writes take over {SLOW_S:s} and can hold that time."""
    answers = [answer(side) for side in facts.sides]
    before, latest = answers[0], answers[-1]
    if facts.unrelated and isinstance(before, tuple) and not isinstance(latest, tuple):
        text, rows = text_and_rows(facts.sides[0], before)
        title = "The checkpoint waits for slow writes in First alone."
        return Observation(title, text, rows, None, _SUBJECT, "worse", _EXPLAINS, "warning")
    if latest is None:
        return QUIET
    if not isinstance(latest, tuple):
        return latest
    text, rows = text_and_rows(facts.sides[-1], latest)
    tone: Tone = "neutral" if isinstance(before, tuple) else "worse"
    return Observation("The checkpoint waits for slow writes.", text, rows, None, _SUBJECT, tone, _EXPLAINS, "warning")


def text_and_rows(side: Side, reasons: tuple[Reason, ...]) -> tuple[str, tuple[Evidence, ...]]:
    share = percent(waited_share(side) or 0.0)
    text = f"log file switch (checkpoint incomplete) is {share} of DB time; writes take long: "
    rows = [e.evidence() for e in sizes.events_named(side, is_incomplete)]
    return text + "; ".join(r.text for r in reasons) + ".", (*(r.evidence for r in reasons), *rows)
