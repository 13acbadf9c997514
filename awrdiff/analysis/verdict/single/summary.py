"""The verdict on one report: at most four sentences, each of which the findings below bear out."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict import partial
from awrdiff.analysis.verdict.carriers import UNEXPLAINED, composition
from awrdiff.analysis.verdict.commits import are_traced, waited_said
from awrdiff.analysis.verdict.facts import FactsOfOne
from awrdiff.analysis.verdict.moved import CAPTURED
from awrdiff.analysis.verdict.outcome import Outcome
from awrdiff.analysis.verdict.rules import headroom, memory
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.words import listing, number, percent, several, stretch

MOST_SENTENCES = 4
_LEAST_WORK = 1.0  # per second
_PARSING = 0.20  # of DB time
_WHO = 0.15
_COMMITS = 0.05


def summarise(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> str:
    """What was done; where the time went, and whose; what limited it or did not; commits, a peak, what is not seen."""
    if not facts.weighable:
        return partial.of_one(facts)
    if facts.sessions is None:
        return "The report lacks DB time or elapsed time, so that its load cannot be weighed."
    if facts.idle:
        return f"The database is nearly idle: on average {_active(facts)}."
    exhausted = any(f.rule == "memory-exhausted" for f in outcome.findings)
    short = memory.exhausted_said(facts.side) if exhausted else ""
    told = [s for s in (_load(facts), short, _where(facts, outcome)) if s]
    rest = [*_limits(facts, outcome), *_commits(facts), *_peak(outcome), *_unseen(facts)]
    return " ".join([*told, *rest[: MOST_SENTENCES - len(told)]])


def _active(facts: FactsOfOne) -> str:
    """`7.1 sessions were active over 15 min on 8 CPUs`"""
    elapsed, cpus = facts.side.elapsed, facts.side.cpus
    over = f" over {stretch(elapsed.number)}" if elapsed is not None else ""
    on = f" on {several(cpus, 'CPU', 'CPUs')}" if cpus else ""
    if facts.side.report.kind == "awr_global":
        on = f" on {several(len(facts.side.report.instances), 'instance', 'instances')}"
    return f"{several(facts.sessions or 0.0, 'session was', 'sessions were')} active{over}{on}"


def _load(facts: FactsOfOne) -> str:
    transactions = facts.side.transactions
    elapsed = facts.side.elapsed
    rates = {
        "transactions": transactions / elapsed.number if transactions is not None and elapsed is not None else None,
        "executions": facts.rate("execute count", "Executes (SQL)", "Executes"),
        "logical reads": facts.rate("session logical reads", "Logical read (blocks)", "Logical reads"),
    }
    work = [f"{number(v)} {n}" for n, v in rates.items() if v is not None and v >= _LEAST_WORK]
    did = f", doing {listing(work)} per second" if work else ""
    return f"On average {_active(facts)}{did}."


def _where(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> str:
    """What takes at least a tenth of DB time; parsing; the statement or object with most of it."""
    said = composition(facts.spread) or "No single wait takes a tenth of DB time, nor does CPU."
    parsing = facts.share(facts.spent(facts.side.time_model(PARSE)))
    more = [f"parsing takes {percent(parsing)} of DB time"] if parsing is not None and parsing >= _PARSING else []
    more += _who(facts, outcome)
    return f"{said[:-1]}; {'; '.join(more)}." if more else said


def _who(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> list[str]:
    """The largest of statements and objects, wherever its finding stands."""
    found = [(facts.share(f.sessions) or 0.0, f.subject) for f in outcome.findings]
    told = [(share, s) for share, s in found if s is not None and s.kind in ("sql", "object") and share >= _WHO]
    if not told:
        return []
    share, subject = max(told, key=lambda each: each[0])
    who = f"statement {subject.key} takes" if subject.kind == "sql" else f"waits on {subject.key} take"
    return [f"{who} {percent(share)} of DB time"]


def _limits(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> Iterator[str]:
    """What the host or a setting kept from the sessions; else that the host had CPU to spare. One sentence."""
    fired = {f.rule: f for f in outcome.findings}
    side = facts.side
    busy = percent((side.host_busy_pct or 0.0) / 100)
    if "memory-exhausted" in fired:
        return  # said first of all
    if "resource-manager" in fired:
        reasons = [cap.said for cap in headroom.caps(side)[:1]]
        why = f": {reasons[0]}" if reasons else ""
        yield f"The resource manager held sessions back for {percent(headroom.managed(side))} of DB time{why}."
    elif "host-cpu-saturated" in fired:
        yield f"The host's CPUs are {busy} busy: part of every wait is waiting for CPU."
    elif "unaccounted-time" in fired and facts.unaccounted is not None:
        yield f"{percent(facts.unaccounted)} of DB time is {UNEXPLAINED}."
    elif "cpu-not-the-limit" in fired:
        yield f"CPU is not the limit: the host is {busy} busy."


def _commits(facts: FactsOfOne) -> Iterator[str]:
    """Where they take 5 % of DB time, or a trace of this instance's log writer is there."""
    share, latency = facts.commits.lfs_db_time_share, facts.commit_latency
    much = share is not None and share.value >= _COMMITS
    if latency.material and (much or are_traced(latency)):
        yield from waited_said(facts.commit_latency)


def _peak(outcome: Outcome[SingleFinding]) -> Iterator[str]:
    found = next((f for f in outcome.findings if f.rule == "peak-inside"), None)
    if found is not None:
        yield f"The mean hides a peak: {found.text.split('. ')[0].rstrip('.')}."


def _unseen(facts: FactsOfOne) -> Iterator[str]:
    """What the report cannot show of the sessions' time."""
    if not facts.side.foreground:
        yield "The report prints no wait events, so that waits are not weighed."
        return
    captured = facts.side.captured_sql.best
    if captured is not None and captured < CAPTURED:
        yield f"The SQL tables hold {percent(captured)} of DB time: the statements behind the rest are not listed."
