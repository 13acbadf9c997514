"""The verdict: at most four sentences, each of which the findings below bear out."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict import partial
from awrdiff.analysis.verdict.batch import also_said, runs_said
from awrdiff.analysis.verdict.carriers import UNEXPLAINED, carriers_said
from awrdiff.analysis.verdict.commits import commits_said, same_work
from awrdiff.analysis.verdict.facts import FactsOfTwo, Two
from awrdiff.analysis.verdict.load import idle_said, load_said
from awrdiff.analysis.verdict.outcome import Outcome
from awrdiff.analysis.verdict.rules import backup, headroom, memory
from awrdiff.analysis.verdict.rules.cpu import SATURATED, is_others
from awrdiff.analysis.words import listing, percent

MOST_SENTENCES = 4
# Without what these look at, hardly anything can be said of where the time went.
_MAJOR = ("event-latency", "cpu-time", "parsing-dominates")


def summarise(facts: FactsOfTwo, outcome: Outcome[Finding]) -> str:
    """How much against which work; what carries it; what was ruled out; commits that matter; what was not seen."""
    if not weighable(facts.first, facts.second):
        return partial.of_two(facts, outcome)
    if facts.idle:
        return idle_said(facts)
    same = same_work(facts)
    if same:
        return same
    load, carriers = _told(facts, outcome)
    told = [s for s in (load, _memory(facts, outcome), carriers) if s]
    limits = [s for s in _limits(facts, outcome) if UNEXPLAINED not in told[-1] or UNEXPLAINED not in s]
    if any(f.rule == "backup" for f in outcome.findings) and (ran := backup.said(facts)):
        limits = [*limits, ran]
    further = [*commits_said(facts), *_unseen(facts, outcome)]
    room = MOST_SENTENCES - len(told)
    rest = further if len(further) >= room and limits == [_spare(facts)] else [*limits, *further]
    return " ".join([*told, *rest[:room]])


def _told(facts: FactsOfTwo, outcome: Outcome[Finding]) -> tuple[str, str]:
    """How much more or less, and what carries it; of long runs that windows were cut around, how long they took."""
    if not facts.runs:
        return load_said(facts), carriers_said(facts, outcome.findings)
    sides, worse = (facts.first, facts.second), any(f.severity != "note" for f in outcome.findings)
    return runs_said(*sides, facts.runs, worse=worse), also_said(*sides, facts.runs)


def _limits(facts: FactsOfTwo, outcome: Outcome[Finding]) -> Iterator[str]:
    """What the host or a setting kept from the sessions; else that the host had CPU to spare. One sentence."""
    fired = {f.rule: f for f in outcome.findings}
    busy = facts.both(lambda s: s.host_busy_pct)
    if _memory(facts, outcome):
        return
    if "resource-manager" in fired and fired["resource-manager"].severity != "note":
        yield _held_back(facts)
    elif "host-cpu-saturated" in fired and busy is not None and busy.second >= SATURATED:
        yield _host(busy, facts.second)
    elif "cpu-not-the-limit" in fired:
        yield _spare(facts)
    elif "unaccounted-time" in fired and fired["unaccounted-time"].severity != "note":
        missing = facts.unaccounted
        if missing is not None:
            yield f"{percent(missing.second)} of DB time is {UNEXPLAINED}."


def _memory(facts: FactsOfTwo, outcome: Outcome[Finding]) -> str:
    """Beside a host that swaps every other figure is one of its swapping: it stands before what carries the change."""
    found = next((f for f in outcome.findings if f.rule == "memory-exhausted"), None)
    return memory.exhausted_said(facts.second, facts.first) if found is not None and found.tone != "better" else ""


def _spare(facts: FactsOfTwo) -> str:
    return f"CPU is not the limit: the host is {percent((facts.second.host_busy_pct or 0.0) / 100)} busy."


def _held_back(facts: FactsOfTwo) -> str:
    reasons = listing([cap.said for cap in headroom.caps(facts.second)[:1]])
    why = f": {reasons}" if reasons else ""
    return f"The resource manager held sessions back for {percent(headroom.managed(facts.second))} of DB time{why}."


def _host(busy: Two, side: Side) -> str:
    since = f", up from {percent(busy.first / 100)}" if busy.diff >= 5 else ""
    others = ", mostly for others than this database" if is_others(side) else ""
    said = f"The host's CPUs are {percent(busy.second / 100)} busy{others}{since}"
    return f"{said}: part of every wait is waiting for CPU."


def _unseen(facts: FactsOfTwo, outcome: Outcome[Finding]) -> Iterator[str]:
    """The tables without which the main rules cannot be asked."""
    lacking = dict.fromkeys(r.by for r in outcome.rules if r.state == "unknown" and r.rule in _MAJOR)
    if lacking:
        cluster = any(s.report.kind == "awr_global" for s in (facts.first, facts.second))
        where = "is not printed for the whole cluster" if cluster else "is not printed in both reports"
        yield f"What {where} is not weighed: {'; '.join(lacking)}."
