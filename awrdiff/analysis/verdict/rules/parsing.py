"""Parsing: how much of DB time it takes, how much of it is hard, how much of it fails."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Severity
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, row
from awrdiff.analysis.words import change, number, percent, seconds

PARSE = "parse time elapsed"
HARD = "hard parse elapsed time"
FAILED = "failed parse elapsed time"


def parsing_dominates(facts: Facts) -> Answer:
    """Parse time of at least a fifth of DB time, on the side where it is larger."""
    share, hard = facts.share(PARSE), facts.share(HARD)
    if share is None:
        return UNKNOWN
    if max(share.first, share.second) < 0.20:
        return QUIET
    a, b = facts.first.time_model(PARSE), facts.second.time_model(PARSE)
    grew = share.diff > 0.10
    severity: Severity = "critical" if grew and share.second >= 0.3 else "warning" if share.second >= 0.2 else "note"
    text = f"Parse time {percent(share.first)} → {percent(share.second)} of DB time"
    if a and b:
        text += f" ({seconds(a.number)} → {seconds(b.number)})"
    if hard is not None:
        text += f"; hard parsing {percent(hard.first)} → {percent(hard.second)}"
    title = "Parsing dominates DB time." if share.second >= 0.2 else "Parsing no longer weighs on DB time."
    evidence = [row("time_model", PARSE, "time_s")]
    if hard is not None:
        evidence.append(row("time_model", HARD, "time_s"))
    evidence.append(row("instance_efficiency", "Library Hit %", "pct"))
    return Said(title, text + ".", tuple(evidence), severity=severity)


def parse_failures(facts: Facts) -> Answer:
    """Statements that do not parse: wrong syntax, missing objects or rights, parsed again on every try."""
    share = facts.share(FAILED)
    if share is None:
        return UNKNOWN
    if max(share.first, share.second) < 0.01:
        return QUIET
    new = share.first < 0.005
    title = "Parse errors: new." if new else "Parse errors cost time."
    severity: Severity = "critical" if share.second >= 0.05 else "warning" if share.second >= 0.01 else "note"
    text = f"Failed parse time {percent(share.first)} → {percent(share.second)} of DB time"
    a, b = facts.first.time_model(FAILED), facts.second.time_model(FAILED)
    text += f" ({seconds(a.number)} → {seconds(b.number)})." if a and b else "."
    evidence = [row("time_model", FAILED, "time_s"), row("instance_activity", "parse count (failures)", "total")]
    return Said(title, text, tuple(evidence), severity=severity)


def hard_parse_rate(facts: Facts) -> Answer:
    """More hard parses per second, of a share of all parses that matters."""
    hard = facts.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    every = facts.rate("parse count (total)", "Parses (SQL)", "Parses")
    if hard is None or every is None:
        return UNKNOWN
    if hard.second < 10 or every.second <= 0 or hard.factor is None or hard.factor < 1.5:
        return QUIET
    text = (
        f"{number(hard.first)} → {number(hard.second)} hard parses per second ({change(hard.first, hard.second)}), "
        f"{percent(hard.second / every.second)} of all parses."
    )
    return Said(
        "More hard parses.",
        text,
        (row("instance_activity", "parse count (hard)", "total"), row("load_profile", "Hard parses", "per_second")),
        severity="warning",
    )
