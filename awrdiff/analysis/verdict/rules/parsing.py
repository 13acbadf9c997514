"""Parsing: share of DB time, hard parses, failures.

Source: Oracle Database Performance Tuning Guide, tuning the shared pool; Reference, V$SYS_TIME_MODEL, V$SYSSTAT.
"""

from __future__ import annotations

from awrdiff.analysis.figures_in_words import change, number, percent, seconds
from awrdiff.analysis.model.comparison import Evidence, Sessions, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes

PARSE = "parse time elapsed"
HARD = "hard parse elapsed time"
FAILED = "failed parse elapsed time"
FAILURES = "parse count (failures)"
NO_TIMES = Unknown("Time Model Statistics: parse time elapsed")
WORK = Subject("work", "parsing")
_FEW = 0.01  # parse errors per second: 36 an hour come with any application
LIBRARY = "Library Hit %"
_MUCH = 0.20  # of DB time, of all parsing: a healthy application takes a few percent
_HEALTHY = 0.10  # of DB time: below it parsing is no trouble
_HARD = 0.05  # of DB time
_FAILED = 0.01  # of DB time
_HARD_PARSES = 10  # per second: at some milliseconds each a twentieth of a CPU


def parsing_dominates_of_two(facts: FactsOfTwo) -> RuleResult:
    """Parsing takes {_MUCH:%} of DB time on a side; it dominates from half on, has ended below {_HEALTHY:%}."""
    share, hard = facts.share(PARSE), facts.share(HARD)
    if share is None:
        return NO_TIMES
    if max(share.first, share.second) < _MUCH:
        return QUIET
    a, b = facts.first.time_model(PARSE), facts.second.time_model(PARSE)
    text = f"Parse time {percent(share.first)} → {percent(share.second)} of DB time"
    text += f" ({seconds(a.number)} → {seconds(b.number)})" if a and b and facts.as_long else ""
    evidence = [row("time_model", PARSE, "time_s")]
    if hard is not None:
        text += f"; hard parsing {percent(hard.first)} → {percent(hard.second)}"
        evidence.append(row("time_model", HARD, "time_s"))
    hits = facts.both_sides(lambda s: v.number if (v := s.value("instance_efficiency", "pct", LIBRARY)) else None)
    if hits is not None:
        text += f"; library cache hits {percent(hits.first / 100)} → {percent(hits.second / 100)}"
        evidence.append(row("instance_efficiency", LIBRARY, "pct"))
    sessions = finding_sizes.sessions_in(facts, lambda s: s.time_model(PARSE))
    if sessions.change * share.diff < 0 or not facts.as_long:
        text += f"; {finding_sizes.text(sessions)}"
    tone: Tone = "worse" if facts.unrelated else finding_sizes.tone(sessions)
    return Observation(_dominates(facts, share, sessions), f"{text}.", tuple(evidence), sessions, WORK, tone)


def parsing_dominates_of_one(facts: FactsOfOne) -> RuleResult:
    """Parsing takes {_MUCH:%} of DB time; it dominates from half on."""
    sessions = facts.sessions_in(facts.side.time_model(PARSE))
    share = facts.share(sessions)
    if share is None:
        return NO_TIMES
    if share < _MUCH:
        return QUIET
    text = f"Parsing took {percent(share)} of DB time, {number(finding_sizes.middle(sessions) or 0.0)} active sessions"
    evidence = [row("time_model", PARSE, "time_s")]
    hard = facts.share(facts.sessions_in(facts.side.time_model(HARD)))
    if hard is not None:
        text += f"; hard parsing {percent(hard)}"
        evidence.append(row("time_model", HARD, "time_s"))
    rate = facts.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    if rate and hard is not None:
        each = hard * (facts.sessions or 0.0) / rate
        text += f" ({number(rate)} hard parses per second, {seconds(each)} each)"
    hits = facts.side.value("instance_efficiency", "pct", LIBRARY)
    if hits is not None:
        text += f"; library cache hits {percent(hits.number / 100)}"
        evidence.append(row("instance_efficiency", LIBRARY, "pct"))
    title = "Parsing dominates DB time." if share >= 0.5 else "Parsing takes much of DB time."
    return Observation(title, f"{text}.", tuple(evidence), sessions, WORK, tone="worse")


def _dominates(facts: FactsOfTwo, share: FirstSecond, sessions: Sessions) -> str:
    if share.second < _MUCH:
        if finding_sizes.tone(sessions) == "neutral" and not facts.unrelated:
            return "Parsing takes about as much time as before."
        if sessions.change > 0 and not facts.unrelated:
            return "Parsing is a smaller share of a longer DB time."
        ended = "Parsing no longer weighs on DB time."
        if share.second >= _HEALTHY:
            ended = f"Parsing takes less time, and still {percent(share.second)} of DB time."
        return facts.end_of_trouble("Parsing weighs on DB time", ended)
    on_both = facts.unrelated and share.first >= _MUCH
    weighs = (
        "dominates DB time"
        if (min(share.first, share.second) if on_both else share.second) >= 0.5
        else "takes much of DB time"
    )
    if facts.unrelated or finding_sizes.tone(sessions) != "better":
        return f"Parsing {weighs}{' on both sides' * on_both}."
    if share.diff > 0:
        return "Parsing is a larger share of a shorter DB time."
    return f"Parsing takes less time, and still {weighs.removeprefix('takes ')}."


def parse_failures_of_two(facts: FactsOfTwo) -> RuleResult:
    """Failed parses take {_FAILED:%} of DB time; new or more only where their number rose by half."""
    share, spent = facts.share(FAILED), facts.both_sides(lambda s: v.number if (v := s.time_model(FAILED)) else None)
    if share is None or spent is None:
        return Unknown("Time Model Statistics: failed parse elapsed time")
    if max(share.first, share.second) < _FAILED:
        return QUIET
    sessions = finding_sizes.sessions_in(facts, lambda s: s.time_model(FAILED))
    text = f"Failed parse time {percent(share.first)} → {percent(share.second)} of DB time"
    text += (
        f" ({seconds(spent.first)} → {seconds(spent.second)})" if facts.as_long else f", {finding_sizes.text(sessions)}"
    )
    evidence: list[Evidence] = [row("time_model", FAILED, "time_s")]
    two = facts.both_sides(failures_of)
    count = None if two is None or max(two.first, two.second) <= 0 else two
    if count is not None:
        text += f"; {facts.count_text(count.first, count.second, 'failed parses')}"
        if count.first and count.second:
            text += f", {seconds(spent.first / count.first)} → {seconds(spent.second / count.second)} each"
        evidence.append(row("instance_activity", FAILURES, "total"))
    tone = finding_sizes.tone(sessions)
    return Observation(_failures_title(facts, count, tone), text + ".", tuple(evidence), sessions, WORK, tone)


def parse_failures_of_one(facts: FactsOfOne) -> RuleResult:
    """Failed parses take {_FAILED:%} of DB time: wrong syntax, missing objects or rights, parsed again on every try."""
    spent = facts.side.time_model(FAILED)
    sessions = facts.sessions_in(spent)
    share = facts.share(sessions)
    if spent is None or share is None:
        return Unknown("Time Model Statistics: failed parse elapsed time")
    if share < _FAILED:
        return QUIET
    text = f"Failed parses took {percent(share)} of DB time ({seconds(spent.number)})"
    evidence: list[Evidence] = [row("time_model", FAILED, "time_s")]
    count = failures_of(facts.side)
    if count:
        text += f": {number(count)} of them, {seconds(spent.number / count)} each"
        evidence.append(row("instance_activity", FAILURES, "total"))
    return Observation("Parse errors cost time.", f"{text}.", tuple(evidence), sessions, WORK, tone="worse")


def failures_of(side: Side) -> float | None:
    """0 where a list of non-zero values omits it."""
    failures = side.statistic(FAILURES)
    return failures.number if failures is not None else 0.0 if side.lists_all("instance_activity") else None


def _failures_title(facts: FactsOfTwo, count: FirstSecond | None, tone: Tone) -> str:
    rate = facts.rate(FAILURES) if count is not None and count.first and count.second else None
    if tone == "better":
        return "Parse errors cost less time."
    if count is None:
        return "Parse errors cost time."
    if count.first == 0 or (rate is not None and rate.first < _FEW and rate.second >= 1.5 * rate.first):
        return "Parse errors cost time in Second." if facts.unrelated else "Parse errors: new."
    if rate is not None and rate.second >= 1.5 * rate.first:
        return "More parse errors."
    return "Parse errors take longer, there are no more of them." if tone == "worse" else "Parse errors cost time."


def hard_parse_rate_of_two(facts: FactsOfTwo) -> RuleResult:
    """{_HARD_PARSES} hard parses per second on the busier side; half as many again, or a third fewer."""
    hard = facts.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    every = facts.rate("parse count (total)", "Parses (SQL)", "Parses")
    if hard is None or every is None:
        return Unknown("parse count (hard), parse count (total)")
    if max(hard.first, hard.second) < _HARD_PARSES or every.second <= 0 or not hard.factor or 2 / 3 < hard.factor < 1.5:
        return QUIET
    text = (
        f"{number(hard.first)} → {number(hard.second)} hard parses per second ({change(hard.first, hard.second)}), "
        f"{percent(hard.second / every.second)} of all parses."
    )
    sessions = finding_sizes.sessions_in(facts, lambda s: s.time_model(HARD))
    has_size = sessions.first is not None or sessions.second is not None
    evidence = [row("instance_activity", "parse count (hard)", "total")]
    evidence.append(row("instance_activity", "parse count (total)", "total"))
    if has_size:
        text = f"{text[:-1]}; hard parsing takes {finding_sizes.text(sessions)}."
        evidence.append(row("time_model", HARD, "time_s"))
    return Observation(
        "More hard parses." if hard.factor > 1 else "Fewer hard parses.",
        text,
        tuple(evidence),
        sessions if has_size else None,
        WORK,
        finding_sizes.tone_of(sessions, "worse" if hard.factor > 1 else "better") if has_size else "neutral",
    )


def hard_parse_rate_of_one(facts: FactsOfOne) -> RuleResult:
    """{_HARD_PARSES} hard parses per second that take {_HARD:%} of DB time, unless all parsing is named."""
    hard = facts.rate("parse count (hard)", "Hard parses (SQL)", "Hard parses")
    every = facts.rate("parse count (total)", "Parses (SQL)", "Parses")
    sessions = facts.sessions_in(facts.side.time_model(HARD))
    if hard is None or every is None or sessions is None:
        return Unknown("parse count (hard), parse count (total) and hard parse elapsed time")
    share = facts.share(sessions) or 0.0
    whole = facts.share(facts.sessions_in(facts.side.time_model(PARSE))) or 0.0
    if hard < _HARD_PARSES or every <= 0 or share < _HARD or whole >= _MUCH:
        return QUIET
    text = f"{number(hard)} hard parses per second, {percent(hard / every)} of all parses, take {percent(share)}"
    text += f" of DB time ({number(finding_sizes.middle(sessions) or 0.0)} active sessions)."
    evidence = (row("instance_activity", "parse count (hard)", "total"), row("time_model", HARD, "time_s"))
    return Observation("Many statements are parsed hard.", text, evidence, sessions, WORK, tone="worse")
