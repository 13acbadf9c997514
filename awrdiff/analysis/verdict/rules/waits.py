"""Wait events: which of them carry the change of DB time, and those that mean the same wherever they occur."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Evidence, Part, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import QUIET, WAITS, Answer, Facts, Said
from awrdiff.analysis.words import change, listing, number, percent, seconds

_LEAST_PART = 0.15  # of the change of active sessions


@dataclass(frozen=True, slots=True)
class Family:
    """Events that mean the same wherever they occur, by the beginning of their lower-case names; `who` does `what`.

    Worth a word from `least` of DB time on (0..1), or of the time of the events that begin with `beside`.
    """

    events: str
    who: str
    what: str
    least: float
    beside: str = ""

    def wanted(self, name: str) -> bool:
        return name.startswith(self.events)

    def share_beside(self, side: Side) -> float:
        whole = _seconds(side, self.beside) if self.beside else 0.0
        return _seconds(side, self.events) / whole if whole > 0 else 0.0


def _seconds(side: Side, beginning: str) -> float:
    return sum(e.total.number for e in sizes.chosen(side, lambda name: name.startswith(beginning)))


LOG_SWITCHES = Family("log file switch", "Sessions wait", "for log switches", 0.01, beside="log file sync")
ROW_LOCKS = Family("enq: tx - row lock", "Sessions wait", "for each other's row locks", 0.05)
BUFFER_BUSY = Family("buffer busy waits", "Sessions contend", "for the same blocks", 0.05)
INTERCONNECT = Family("gc ", "Sessions wait", "for blocks of other instances", 0.15)


def event_latency(facts: Facts) -> Answer:
    """Events that carry 15 % of the change or more, mainly by waiting longer (or less long).

    Source: the split of the change, awrdiff/analysis/verdict/attribution.py.
    """
    return _carriers(facts, latency=True)


def event_count(facts: Facts) -> Answer:
    """Events that carry 15 % of the change or more, mainly by waiting more (or less) often.

    Source: the split of the change, awrdiff/analysis/verdict/attribution.py.
    """
    return _carriers(facts, latency=False)


def _carriers(facts: Facts, *, latency: bool) -> Answer:
    a = facts.attribution
    if a is None or not facts.first.foreground or not facts.second.foreground:
        return WAITS
    whole = a.second_per_s - a.first_per_s
    if abs(whole) < 0.05 * max(a.first_per_s, a.second_per_s):
        return QUIET
    found = [p for p in a.parts if _carries(p, whole, latency=latency)]
    if not found:
        return QUIET
    names = {p.key.lower() for p in found}
    sessions = sizes.waited(facts, lambda name: name in names)
    return Said(
        _how_title(found, grew=whole > 0, latency=latency),
        _how_much(found, whole, latency=latency),
        _rows(found),
        sessions,
        Subject("event", found[0].key),
        "worse" if whole > 0 else "better",
    )


def _how_title(found: list[Part], *, grew: bool, latency: bool) -> str:
    names = [p.key for p in found]
    named = listing(names) if len(names) <= 2 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    return f"Sessions wait {_how(grew=grew, latency=latency)} for {named}."


def _how(*, grew: bool, latency: bool) -> str:
    return ("longer" if grew else "less long") if latency else ("more often" if grew else "less often")


def _how_much(found: list[Part], whole: float, *, latency: bool) -> str:
    grew, moved = whole > 0, sum(p.diff_per_s for p in found)
    names = listing([p.key for p in found[:4]])
    part, total, sessions = number(abs(moved)), number(abs(whole)), f"{'extra' if grew else 'fewer'} active sessions"
    of = f"of the {total} {sessions}"
    if abs(moved) > abs(whole) and part != total:  # something else went the other way
        of = f"{sessions}, of {total} in all"
    details = "; ".join(_detail(p, latency=latency) for p in found[:3])
    return f"{names}: {part} {of}, mainly by waiting {_how(grew=grew, latency=latency)} ({details})."


def _carries(part: Part, whole: float, *, latency: bool) -> bool:
    if part.by_count_per_s is None or part.by_latency_per_s is None or part.diff_per_s * whole <= 0:
        return False
    mainly_latency = abs(part.by_latency_per_s) >= abs(part.by_count_per_s)
    return mainly_latency == latency and abs(part.diff_per_s) >= _LEAST_PART * abs(whole)


def _detail(part: Part, *, latency: bool) -> str:
    if part.first_avg_s is None or part.second_avg_s is None:
        return "new" if part.first_per_s is None else "gone"
    if latency:
        return f"{seconds(part.first_avg_s)} → {seconds(part.second_avg_s)} per wait"
    if not part.first_per_s or part.second_per_s is None or not part.first_avg_s or not part.second_avg_s:
        return "new"
    return f"waits per second {change(part.first_per_s / part.first_avg_s, part.second_per_s / part.second_avg_s)}"


def _rows(parts: list[Part]) -> tuple[Evidence, ...]:
    return tuple(Evidence(p.section, p.key, "total_wait_time_s", p.row_id) for p in parts)


def log_file_switch(facts: Facts) -> Answer:
    """Waits of any kind for a log switch of 1 % of DB time, or of the time that commits waited.

    Completion, checkpoint incomplete, archiving needed, private strand flush incomplete: whatever it is called, the
    session waits because a log is full.

    Source: Oracle Database Reference, wait events log file switch (…).
    """
    return _family(facts, LOG_SWITCHES)


def row_locks(facts: Facts) -> Answer:
    """Row locks of 5 % of DB time on either side.

    Source: Oracle Database Reference, wait event enq: TX - row lock contention.
    """
    return _family(facts, ROW_LOCKS)


def buffer_busy(facts: Facts) -> Answer:
    """Buffer busy waits of 5 % of DB time on either side.

    Source: Oracle Database Reference, wait event buffer busy waits.
    """
    return _family(facts, BUFFER_BUSY)


def interconnect(facts: Facts) -> Answer:
    """Global cache waits of 15 % of DB time on either side.

    Source: Oracle Real Application Clusters Administration and Deployment Guide, gc wait events.
    """
    return _family(facts, INTERCONNECT)


def _family(facts: Facts, family: Family) -> Answer:
    """Of either side."""
    wanted = family.wanted
    if not facts.first.foreground or not facts.second.foreground or facts.second.db_time is None:
        return WAITS
    before, found = sizes.chosen(facts.first, wanted), sizes.chosen(facts.second, wanted)
    sessions = sizes.waited(facts, wanted)
    shares = sizes.share_of(facts, sessions) if before or found else (0.0, 0.0)
    if max(sizes.most(shares), *(family.share_beside(s) for s in (facts.first, facts.second))) < family.least:
        return QUIET
    names = list(dict.fromkeys(e.name for e in (*found, *before)))
    known = before or not facts.first.foreground_is_partial
    since = f"{_percent(shares[0])} → {_percent(shares[1])} of DB time" if known else _not_listed(shares[1] or 0.0)
    tone = sizes.tone(sessions)
    said = f"{family.who}{' less' if tone == 'better' else ''} {family.what}."
    text = f"{listing(names[:3])}: {since}, {sizes.said(sessions)}{_of_each(facts, names[0])}."
    subject = Subject("event", names[0])
    return Said(said, text, sizes.rows_of(found[:3], before[:3]), sessions, subject, tone)


def _of_each(facts: Facts, name: str) -> str:
    """How long one wait took, where both sides tell."""
    a, b = (s.foreground.get(name.lower()) for s in (facts.first, facts.second))
    if a is None or b is None or a.average is None or b.average is None:
        return ""
    return f", {seconds(a.average.number)} → {seconds(b.average.number)} per wait"


def _percent(share: float | None) -> str:
    return "not printed" if share is None else percent(share)


def _not_listed(share: float) -> str:
    """What is missing from a top list may still have been waited for."""
    return f"{percent(share)} of DB time, not in First's top list"
