"""Causes of slow commits, over one report and over the change between two, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import changes, single, traces
from awrdiff.analysis.commit_latency.causes.facts import Match, NotPrinted, PairFacts, ReportFacts, Rule, Step
from awrdiff.analysis.commit_latency.intervals import within
from awrdiff.analysis.commit_latency.split import FLOOR, MUCH
from awrdiff.analysis.model.commit_latency import Cause, Confidence, PartOf, Unsettled
from awrdiff.analysis.model.comparison import Commonality
from awrdiff.analysis.model.lgwr_traces import CommitEvents
from awrdiff.analysis.report.databases import different_databases
from awrdiff.analysis.verdict.same_work import commonality, is_other_work
from awrdiff.analysis.words import seconds

SURENESS: dict[Confidence, float] = {"proven": 1.0, "high": 0.8, "medium": 0.5, "low": 0.25, "note": 0.05}


T = TypeVar("T")


class WeightedCause(Struct, frozen=True):
    """Seconds per commit wait; `measured`: timed by the log writer."""

    cause: Cause
    seconds: float
    step: Step
    measured: bool = False


class Causes(Struct, frozen=True):
    ranked: tuple[Cause, ...]
    unsettled: tuple[Unsettled, ...]


def causes_of(
    facts: ReportFacts, *, report: int = 0, events: CommitEvents | None = None, matters: bool = True
) -> Causes:
    """`report`: index. Without `matters` durability alone."""
    facts = replace(facts, sampled=events.sampled_in(0)) if events is not None else facts
    causes, unsettled = _report_causes(facts, report, matters=matters)
    if events is not None and matters:
        causes = _with_traces(causes, traces.TraceFacts((facts,), events), (report,))
    return Causes(_rank(causes), tuple(unsettled))


def _report_causes(
    facts: ReportFacts, report: int, *, matters: bool = True
) -> tuple[list[WeightedCause], list[Unsettled]]:
    claims: dict[str, Match] = {}
    facts = replace(facts, claims=claims)
    durability, _ = _apply((single.DURABILITY,), facts, (report,), claims)
    if facts.figures.lfs_waits is None or facts.figures.has_few_waits or not matters:
        return durability, []
    causes, unsettled = _apply(single.RULES, facts, (report,), claims)
    causes += durability
    remaining, _ = _apply((single.NOT_REDO_IO,), facts, (report,))
    causes += [w for w in remaining if w.measured]
    causes, budget = _within_budget(sorted(causes, key=lambda w: not w.measured), facts.difference_s)
    if not any(w.measured for w in remaining) and not _is_accounted_for([w.cause for w in causes], facts):
        causes += _within_budget(remaining, budget)[0]
    return [_with_floor(w, facts) for w in causes], unsettled


def _with_floor(weighted: WeightedCause, facts: ReportFacts) -> WeightedCause:
    claim, wait = weighted.cause.explains_s, facts.figures.lfs_avg_s
    if weighted.step not in (Step.MEASURED, Step.REMOTE) or claim is None or wait is None:
        return weighted
    if claim.value < FLOOR * wait.value:
        return replace(weighted, cause=replace(weighted.cause, confidence="note"))
    is_little = weighted.step is Step.MEASURED and claim.value < MUCH * wait.value
    return replace(weighted, step=Step.OTHER) if is_little else weighted


def causes_between(
    facts: Sequence[ReportFacts],
    events: CommitEvents | None = None,
    commonality: Commonality | None = None,
    *,
    matters: bool = True,
) -> Causes:
    last = len(facts) - 1
    first, second = (
        replace(facts[at], other=facts[last - at].figures, sampled=events.sampled_in(min(at, 1)) if events else ())
        for at in (0, last)
    )
    pair = PairFacts(first, second)
    trace_facts = traces.TraceFacts((first, second), events) if events is not None else None
    pair = replace(pair, switch_traced=bool(trace_facts and trace_facts.switches))
    changed, unsettled = _apply(_rules_of_changes(pair, commonality, matters=matters), pair, (0, last))
    changed.sort(key=lambda w: w.step is not Step.STORAGE)  # the writes' share goes first, whatever switched beside
    changed, _ = _within_budget(changed, abs(pair.change_s), "change")
    changed = [replace(w, cause=replace(w.cause, between=True)) for w in changed]
    each = [_report_causes(f, at, matters=matters and f.figures.material) for at, f in ((0, first), (last, second))]
    alone = _merge([w for causes, _ in each for w in causes])
    open_ones = _merge_unsettled([*unsettled, *(u for _, of_report in each for u in of_report)])
    causes = [*changed, *alone]
    if trace_facts is not None and matters:
        causes = _with_traces(causes, trace_facts, (0, last))
    return Causes(_rank(causes, last), tuple(open_ones))


def _rules_of_changes(pair: PairFacts, shared_sql: Commonality | None, *, matters: bool) -> tuple[Rule[PairFacts], ...]:
    first, second = pair.first.side, pair.second.side
    different = different_databases(first.report.header(), second.report.header())
    apart = (different or matters) and is_other_work(shared_sql or commonality(first, second), different=different)
    durability = () if different and apart else (changes.DURABILITY,)
    return (*durability, *(changes.RULES if matters and not apart else ()))


def _with_traces(
    causes: Sequence[WeightedCause], facts: traces.TraceFacts, reports: tuple[int, ...]
) -> list[WeightedCause]:
    rules = {w.cause.rule for w in causes}
    more, _ = _apply([r for r in traces.RULES if traces.INSTEAD_OF[r.rule] not in rules], facts, reports)
    return [*(replace(w, cause=traces.with_traces(w.cause, facts)) for w in causes), *more]


def _apply(
    rules: Sequence[Rule[T]], facts: T, reports: tuple[int, ...], claims: dict[str, Match] | None = None
) -> tuple[list[WeightedCause], list[Unsettled]]:
    claims = {} if claims is None else claims
    causes: list[WeightedCause] = []
    unsettled: list[Unsettled] = []
    for rule in rules:
        answer = rule.test(facts)
        if isinstance(answer, Match):
            claims[rule.rule] = answer
            causes.append(_cause(rule, answer, reports))
        elif isinstance(answer, NotPrinted):
            unsettled.append(Unsettled(rule.rule, rule.title, answer.what, rule.checks, reports))
    return causes, unsettled


def _cause(rule: Rule[T], match: Match, reports: tuple[int, ...]) -> WeightedCause:
    cause = Cause(
        rule=rule.rule,
        title=match.title or rule.title,
        confidence=match.confidence,
        text=match.text,
        caveat=match.caveat or rule.caveat,
        checks=(*match.checks, *rule.checks),
        evidence=tuple(dict.fromkeys(match.evidence)),
        reports=reports,
        explains_s=match.explains_s,
        part_of=match.part_of,
        criteria=match.criteria,
        size=match.size,
    )
    return WeightedCause(cause, match.weighs_s or 0.0, rule.step if match.step is None else match.step, match.measured)


def _within_budget(
    causes: Sequence[WeightedCause], whole_s: float, part_of: PartOf = "difference"
) -> tuple[list[WeightedCause], float]:
    """(causes cut to `whole_s`, remainder)"""
    budget, out = max(whole_s, 0.0), []
    least = FLOOR * budget if part_of == "change" else 0.0
    for weighted in causes:
        claim, cause = weighted.cause.explains_s, weighted.cause
        if claim is not None and cause.part_of == part_of:
            if budget < least:
                continue
            claim = within(claim, high=budget)
            budget, cause = budget - claim.value, replace(cause, explains_s=claim)
        elif claim is not None and cause.part_of == "wait":  # may be longer than LFS − LFPW
            budget = max(budget - claim.value, 0.0)
        out.append(replace(weighted, cause=cause))
    return out, budget


def _is_accounted_for(causes: Sequence[Cause], facts: ReportFacts) -> bool:
    if any(c.rule == "io-bound" and c.confidence != "low" for c in causes):
        return True
    sure = [c for c in causes if c.part_of in ("difference", "wait") and c.confidence in ("proven", "high", "medium")]
    claimed = sum(c.explains_s.value for c in sure if c.explains_s is not None)
    return facts.difference_s > 0 and claimed >= facts.difference_s / 2


def _merge(causes: Sequence[WeightedCause]) -> list[WeightedCause]:
    out: dict[str, WeightedCause] = {}
    for cause in causes:
        before = out.pop(cause.cause.rule, None)
        out[cause.cause.rule] = cause if before is None else _join(before, cause)
    return list(out.values())


def _join(first: WeightedCause, last: WeightedCause) -> WeightedCause:
    a, b = first.cause, last.cause
    if a.title != b.title:
        return last if SURENESS[b.confidence] >= SURENESS[a.confidence] else first
    text = b.text if a.text == b.text else f"{b.text} ({_before(a, b)}.)"
    evidence = tuple(dict.fromkeys((*b.evidence, *a.evidence)))
    return replace(last, cause=replace(b, text=text, reports=(*a.reports, *b.reports), evidence=evidence))


def _before(first: Cause, last: Cause) -> str:
    claim, size = first.explains_s, first.size
    if not size and claim is not None and claim.value > 0:
        size = f"{seconds(claim.value)} of a commit wait"
    if size:
        return f"In First: {size}"
    return f"The figures are those of {'Second' if last.reports == (1,) else 'the last report'}"


def _merge_unsettled(unsettled: Sequence[Unsettled]) -> list[Unsettled]:
    out: dict[str, Unsettled] = {}
    for rule in unsettled:
        before = out.get(rule.rule)
        out[rule.rule] = replace(rule, reports=(*before.reports, *rule.reports)) if before else rule
    return list(out.values())


def _rank(causes: Sequence[WeightedCause], last: int = 0) -> tuple[Cause, ...]:
    return tuple(w.cause for w in sorted(causes, key=lambda w: _order(w, last)))


def _order(weighted: WeightedCause, last: int) -> tuple[bool, bool, Step, bool, float, float]:
    cause = weighted.cause
    of_first = last not in cause.reports
    claim = cause.explains_s.value if cause.explains_s is not None else None
    size = max(weighted.seconds, claim or 0.0)
    step = Step.NOTE if cause.confidence == "note" else weighted.step
    if claim is not None and size <= 0:  # earlier ones left it nothing
        step = max(step, Step.LEFTOVER)
    sure = SURENESS[cause.confidence]
    weight = size if step is Step.MEASURED else size * sure
    return step is Step.NOTE, of_first, step, size <= 0, -weight, -sure


__all__ = ["Causes", "ReportFacts", "causes_between", "causes_of"]
