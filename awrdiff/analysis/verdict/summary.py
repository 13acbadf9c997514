"""Verdict of at most four sentences, each borne out by the findings."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.figures_in_words import listing, number, percent, several, stretch
from awrdiff.analysis.model.comparison import Answer, Comparison, Finding, Sentence
from awrdiff.analysis.model.ranked_changes import Mover
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.verdict import capacity_limits, reports_without_interval
from awrdiff.analysis.verdict.comparability_warnings import unread_text
from awrdiff.analysis.verdict.db_time_contributors import UNEXPLAINED, composition, contributors_text
from awrdiff.analysis.verdict.findings import Outcome
from awrdiff.analysis.verdict.ranked_changes import label
from awrdiff.analysis.verdict.rule_inputs import MEASURES, FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rules import backup, memory
from awrdiff.analysis.verdict.rules.commits import are_traced, commit_wait_text, commits_text, same_work
from awrdiff.analysis.verdict.rules.cpu import is_others
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.verdict.rules.workload_throughput import idle_text, load_in_brief, load_text
from awrdiff.analysis.verdict.statement_changes import CAPTURED, other_statements_text, runs_text
from awrdiff.analysis.verdict.thresholds import FELT, QUEUEING_PCT, SATURATED_PCT, UNACCOUNTED

LEAST_PART, LEAST_WHO = 0.25, 0.15  # of the change: one wait alone is named only where it is much of it
_STEADY = 0.10  # of DB time: less has no parts of its change
_LONGEST = 160


def line_of(comparison: Comparison) -> str:
    """`2.8 → 9.3 active sessions · Row locks on STOCK …`"""
    parts = list(_load(comparison))
    answer = comparison.answer
    if answer.headline:
        tells_load = answer.cause is None and answer.state != "partial"
        parts = [*([] if tells_load else parts[:1]), answer.headline.removesuffix(".")]
    elif len(parts) < 2:
        titles = [finding.title for finding, _ in comparison.stands_out() if finding.severity != "note"]
        parts += [titles[0].removesuffix(".")] if titles else []
    if comparison.median is not None:
        parts.insert(1, f"against the median of {comparison.median.of}")
    if not parts:
        parts = [comparison.verdict[0].text if comparison.verdict else comparison.summary]
    if comparison.unrelated and "databases" not in answer.headline:
        parts.insert(0, "two databases")
    line = " · ".join(part for part in parts if part)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _load(comparison: Comparison) -> Iterator[str]:
    ranked = comparison.ranked
    if ranked is None or not max(ranked.first, ranked.second):
        return
    steady = abs(ranked.second - ranked.first) < _STEADY * max(ranked.first, ranked.second)
    if steady:
        yield f"about {several(ranked.second, 'active session', 'active sessions')} on both sides"
        return
    yield f"{number(ranked.first)} → {number(ranked.second)} active sessions"
    whole = ranked.second - ranked.first
    part = _largest([m for m in ranked.movers if m.view == "part"], whole, LEAST_PART)
    who = _largest([m for m in ranked.movers if m.subject.kind in ("sql", "object")], whole, LEAST_WHO)
    yield from (label(mover.subject) for mover in (part, who) if mover is not None)


def _largest(movers: list[Mover], whole: float, least: float) -> Mover | None:
    candidates = [m for m in movers if m.change * whole > 0 and abs(m.change) >= least * abs(whole)]
    return max(candidates, key=lambda m: abs(m.change), default=None)


MOST_SENTENCES = 4
# Without what these look at, hardly anything can be said of where the time went.
_MAJOR = ("event-latency", "cpu-time", "parsing-dominates")
_LEAST_WORK = 1.0  # per second
_PARSING = 0.20  # of DB time
_LEAST_OF_SUBJECT = 0.15
_WORSE = {"second_worse": "Second", "first_was_sick": "First"}
_WORTH_SAYING = ("", "improved")  # of what is folded
_SYMPTOMS = ("logical reads", "executions")  # of a statement that is the cause: no work of anybody else


def sentences_of_two(facts: FactsOfTwo, outcome: Outcome[Finding], answer: Answer) -> tuple[Sentence, ...]:
    headline = answer.headline
    rest = [
        Sentence(s.about, s.text.removeprefix(headline).lstrip())
        for s in _beside_the_headline(facts, outcome, answer)
        if not _repeats(s.text, headline)
    ]
    return (Sentence("answer", headline), *rest[: MOST_SENTENCES - 1])


def _repeats(text: str, headline: str) -> bool:
    return text[1:].rstrip(".") in headline


def _beside_the_headline(facts: FactsOfTwo, outcome: Outcome[Finding], answer: Answer) -> tuple[Sentence, ...]:
    if not weighable(*facts.sides):
        return (Sentence("load", reports_without_interval.of_two(facts, outcome)),)
    if facts.idle:
        return (Sentence("load", idle_text(facts)),)
    same = same_work(facts)
    if same:
        return (Sentence("load", same),)
    load, carriers = _load_and_contributors(facts, outcome, answer)
    if answer.state == "partial":
        loads = [load] if facts.sessions() is not None else []
        return tuple(Sentence("load", text) for text in (*loads, *commits_text(facts), *_unseen(facts, outcome)))
    lines = (Sentence("load", load), Sentence("also", _memory(facts, outcome)), Sentence("time", carriers))
    sentences = [s for s in lines if s.text and not _repeats(s.text, answer.headline)]
    limits = [s for s in _limits(facts, outcome) if "naccounted" not in carriers or UNEXPLAINED not in s]
    limits = [*_peak(outcome, _WORSE.get(answer.state, "")), *limits]
    if any(f.rule == "backup" for f in outcome.findings) and (ran := backup.verdict_sentence(facts)):
        limits.append(ran)
    further = [*commits_text(facts), *_unseen(facts, outcome)]
    is_full = len(sentences) + len(limits) + len(further) >= MOST_SENTENCES
    is_in_headline = "all of" in answer.headline and "all of" in carriers and ";" not in carriers
    if _is_of(answer, "other") or (is_full and _is_of(answer, "event", "commit", "storage")):
        sentences = [s for s in sentences if s.about != "time" or not is_in_headline]
    room = MOST_SENTENCES - 1 - len(sentences)
    rest = further if len(further) >= room and limits == [_spare(facts)] else [*limits, *further]
    return (*sentences, *(Sentence("also", text) for text in rest[:room]))


def _load_and_contributors(facts: FactsOfTwo, outcome: Outcome[Finding], answer: Answer) -> tuple[str, str]:
    if answer.state == "different_databases":
        work = load_text(facts).partition("; ")[2]
        load = f"{work[:1].upper()}{work[1:]}" if "another workload" not in work else ""
        return load, contributors_text(facts, outcome.findings)
    if not facts.runs:
        load = load_in_brief(facts, _SYMPTOMS) if _is_of(answer, "sql") else load_text(facts)
        return load, contributors_text(facts, outcome.findings)
    sides, worse = facts.sides, any(f.severity != "note" for f in outcome.findings)
    return runs_text(*sides, facts.runs, worse=worse), other_statements_text(*sides, facts.runs)


def _is_of(answer: Answer, *kinds: str) -> bool:
    return answer.cause is not None and answer.cause.subject is not None and answer.cause.subject.kind in kinds


def _limits(facts: FactsOfTwo, outcome: Outcome[Finding]) -> Iterator[str]:
    fired = {f.rule: f for f in outcome.findings}
    busy = facts.both_sides(lambda s: s.host_busy_pct)
    if _memory(facts, outcome):
        return
    if "resource-manager" in fired and fired["resource-manager"].severity != "note":
        in_first = (
            capacity_limits.managed_share(facts.second)
            < capacity_limits.MANAGED
            <= capacity_limits.managed_share(facts.first)
        )
        side = facts.first if in_first else facts.second
        yield _resource_manager(side, "First's " if in_first else "Second's " if facts.unrelated else "")
    elif "host-cpu-saturated" in fired and busy is not None and busy.second >= SATURATED_PCT:
        since = f", up from {percent(busy.first / 100)}" if busy.diff >= 5 else ""
        others_text = ", mostly for others than this database" if is_others(facts.second) else ""
        text = f"The host's CPUs are {percent(busy.second / 100)} busy{others_text}{since}"
        yield f"{text}: part of every wait is waiting for CPU."
    elif "cpu-not-the-limit" in fired:
        yield _spare(facts)
    elif "unaccounted-time" in fired and fired["unaccounted-time"].severity != "note":
        missing = facts.unaccounted
        if missing is not None and missing.second >= UNACCOUNTED:
            yield f"{percent(missing.second)} of DB time is {UNEXPLAINED}."
    elif "cpu-time" in fired and busy is not None and busy.second < QUEUEING_PCT:
        cpu = facts.both_sides(lambda s: s.per_second(s.db_cpu))
        if cpu is not None and cpu.diff > 0 and capacity_limits.sign_in_settings(facts.second) is None:
            yield f"The host is {percent(busy.second / 100)} busy."


def _resource_manager(side: Side, of_side: str = "") -> str:
    why = "".join(f": {cap.text}" for cap in capacity_limits.caps(side)[:1])
    share = percent(capacity_limits.managed_share(side))
    return f"The resource manager held sessions back for {share} of {of_side}DB time{why}."


def _memory(facts: FactsOfTwo, outcome: Outcome[Finding]) -> str:
    """Swapping explains every other figure, so it comes first."""
    finding = next((f for f in outcome.findings if f.rule == "memory-exhausted"), None)
    return memory.exhausted_text(facts.second, facts.first) if finding is not None and finding.tone != "better" else ""


def _spare(facts: FactsOfTwo) -> str:
    return f"CPU is not the limit: the host is {percent((facts.second.host_busy_pct or 0.0) / 100)} busy."


def _unseen(facts: FactsOfTwo, outcome: Outcome[Finding]) -> Iterator[str]:
    lacking = dict.fromkeys(r.by for r in outcome.rules if r.state == "unknown" and r.rule in _MAJOR)
    if lacking:
        cluster = any(s.report.kind == "awr_global" for s in facts.sides)
        where = "is not printed for the whole cluster" if cluster else "is not printed in both reports"
        yield f"What {where} is not weighed: {'; '.join(lacking)}."


def summary_of_one(facts: FactsOfOne, outcome: Outcome[SingleFinding], headline: str = "", leads: str = "") -> str:
    """At most four sentences. `leads`: rule of the headline."""
    if not facts.weighable:
        return reports_without_interval.of_one(facts)
    if facts.sessions is None:
        return headline or "The report lacks DB time or elapsed time, so that its load cannot be weighed."
    if facts.idle:
        return f"The database is nearly idle: on average {_active_sessions(facts)}."
    exhausted = any(f.rule == "memory-exhausted" for f in outcome.findings)
    short = memory.exhausted_text(facts.side) if exhausted else ""
    sentences = [s for s in (headline, _work_done(facts), short, _composition(facts, outcome)) if s][:MOST_SENTENCES]
    share, latency = facts.commits.lfs_db_time_share, facts.commit_latency
    are_felt = latency.material and ((share is not None and share.value >= FELT) or are_traced(latency))
    limits, waits = list(_limits_of_one(facts, outcome)), commit_wait_text(latency) if are_felt else ()
    nearer = [*waits, *limits] if leads == "commit-latency" else [*limits, *waits]
    rest = [*nearer, *_peak(outcome), *_not_shown(facts)]
    return " ".join([*sentences, *rest[: MOST_SENTENCES - len(sentences)]])


def _active_sessions(facts: FactsOfOne) -> str:
    elapsed, cpus = facts.side.elapsed, facts.side.cpus
    over = f" over {stretch(elapsed.number)}" if elapsed is not None else ""
    on = f" on {several(cpus, 'CPU', 'CPUs')}" if cpus else ""
    if facts.side.report.kind == "awr_global":
        on = f" on {several(len(facts.side.report.instances), 'instance', 'instances')}"
    return f"{several(facts.sessions or 0.0, 'session was', 'sessions were')} active{over}{on}"


def _work_done(facts: FactsOfOne) -> str:
    transactions, elapsed = facts.side.transactions, facts.side.elapsed
    rates = {name: facts.rate(*MEASURES[name]) for name in ("executions", "logical reads")}
    per_s = transactions / elapsed.number if transactions is not None and elapsed is not None else None
    rates = {"transactions": per_s, **rates}
    work = [f"{number(v)} {n}" for n, v in rates.items() if v is not None and v >= _LEAST_WORK]
    did = f", doing {listing(work)} per second" if work else ""
    return f"On average {_active_sessions(facts)}{did}."


def _composition(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> str:
    nothing = "" if facts.side.report.partial else "No single wait takes a tenth of DB time, nor does CPU."
    text = composition(facts.attribution) or nothing
    parsing = facts.share(facts.sessions_in(facts.side.time_model(PARSE)))
    more = [f"parsing takes {percent(parsing)} of DB time"] if parsing is not None and parsing >= _PARSING else []
    sized = [(facts.share(f.sessions) or 0.0, f.subject) for f in outcome.findings]
    candidates = [
        (share, s) for share, s in sized if s is not None and s.kind in ("sql", "object") and share >= _LEAST_OF_SUBJECT
    ]
    if candidates:
        share, subject = max(candidates, key=lambda each: each[0])
        who = f"statement {subject.key} takes" if subject.kind == "sql" else f"waits on {subject.key} take"
        more += [f"{who} {percent(share)} of DB time"]
    return f"{text[:-1]}; {'; '.join(more)}." if more and text else text


def _limits_of_one(facts: FactsOfOne, outcome: Outcome[SingleFinding]) -> Iterator[str]:
    fired = {f.rule: f for f in outcome.findings}
    side = facts.side
    busy = percent((side.host_busy_pct or 0.0) / 100)
    if "memory-exhausted" in fired:
        return  # said first of all
    if "resource-manager" in fired:
        yield _resource_manager(side)
    elif "host-cpu-saturated" in fired:
        yield f"The host's CPUs are {busy} busy: part of every wait is waiting for CPU."
    elif "unaccounted-time" in fired and facts.unaccounted is not None:
        yield f"{percent(facts.unaccounted)} of DB time is {UNEXPLAINED}."
    elif "cpu-not-the-limit" in fired:
        yield f"CPU is not the limit: the host is {busy} busy."


def _peak(outcome: Outcome[Finding] | Outcome[SingleFinding], whose: str = "") -> Iterator[str]:
    peaks = [f for f in outcome.findings if f.rule == "peak-inside" and f.title.startswith(whose)]
    finding = next((f for f in peaks if not isinstance(f, Finding) or f.folded_because in _WORTH_SAYING), None)
    if finding is not None:
        yield f"{finding.title.rstrip('.')}: {finding.text.split('. ')[0].rstrip('.')}."


def _not_shown(facts: FactsOfOne) -> Iterator[str]:
    if not facts.side.foreground:
        yield "The report prints no wait events, so that waits are not weighed."
        return
    if facts.side.unread_waits:
        yield unread_text(facts.side, "the report")
    captured = facts.side.captured_sql.best
    if captured is not None and captured < CAPTURED:
        yield f"The SQL tables hold {percent(captured)} of DB time: the statements behind the rest are not listed."
