"""Causes of slow commits, over one report and over the change between two, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import lgwr_traces, single_report_rules, two_report_causes
from awrdiff.analysis.commit_latency.causes.rule_types import Match, NotPrinted, PairFacts, ReportFacts, Rule, Step
from awrdiff.analysis.commit_latency.commit_wait_breakdown import FLOOR, MUCH
from awrdiff.analysis.commit_latency.interval_arithmetic import within
from awrdiff.analysis.figures_in_words import seconds
from awrdiff.analysis.model.commit_latency import Cause, Confidence, PartOf, Unsettled
from awrdiff.analysis.model.comparison import Commonality
from awrdiff.analysis.model.lgwr_traces import CommitEvents
from awrdiff.analysis.report.same_database_check import different_databases
from awrdiff.analysis.verdict.same_workload_check import commonality as commonality_of
from awrdiff.analysis.verdict.same_workload_check import is_other_work

SURENESS: dict[Confidence, float] = {"proven": 1.0, "high": 0.8, "medium": 0.5, "low": 0.25, "note": 0.05}


T = TypeVar("T")


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
        causes = _with_traces(causes, lgwr_traces.TraceFacts((facts,), events), (report,))
    return Causes(_rank(causes), tuple(unsettled))


def _report_causes(facts: ReportFacts, report: int, *, matters: bool = True) -> tuple[list[Match], list[Unsettled]]:
    claims: dict[str, Match] = {}
    facts = replace(facts, claims=claims)
    durability, _ = _apply((single_report_rules.DURABILITY,), facts, (report,), claims)
    if facts.figures.lfs_waits is None or facts.figures.has_few_waits or not matters:
        return durability, []
    causes, unsettled = _apply(single_report_rules.RULES, facts, (report,), claims)
    causes += durability
    remaining, _ = _apply((single_report_rules.NOT_REDO_IO,), facts, (report,))
    causes += [m for m in remaining if m.measured]
    causes, budget = _within_budget(sorted(causes, key=lambda m: not m.measured), facts.difference_s)
    if not any(m.measured for m in remaining) and not _is_accounted_for(causes, facts):
        causes += _within_budget(remaining, budget)[0]
    wait = facts.figures.lfs_avg_s
    for at, match in enumerate(causes):
        claim = match.explains_s
        if match.step not in (Step.MEASURED, Step.REMOTE) or claim is None or wait is None:
            continue
        if claim.value < FLOOR * wait.value:
            causes[at] = replace(match, confidence="note")
        elif match.step is Step.MEASURED and claim.value < MUCH * wait.value:
            causes[at] = replace(match, step=Step.OTHER)
    return causes, unsettled


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
    trace_facts = lgwr_traces.TraceFacts((first, second), events) if events is not None else None
    pair = replace(pair, switch_traced=bool(trace_facts and trace_facts.switches))
    a, b = first.side, second.side
    different = different_databases(a.report.header(), b.report.header())
    apart = (different or matters) and is_other_work(commonality or commonality_of(a, b), different=different)
    rules = () if different and apart else (two_report_causes.DURABILITY,)
    changed, unsettled = _apply((*rules, *(two_report_causes.RULES if matters and not apart else ())), pair, (0, last))
    changed.sort(key=lambda m: m.step is not Step.STORAGE)  # the writes' share goes first, whatever switched beside
    changed, _ = _within_budget(changed, abs(pair.change_s), "change")
    each = [_report_causes(f, at, matters=matters and f.figures.material) for at, f in ((0, first), (last, second))]
    merged: dict[str, Match] = {}
    for match in (m for causes, _ in each for m in causes):
        before = merged.pop(match.rule, None)
        merged[match.rule] = match if before is None else _join(before, match)
    open_rules: dict[str, Unsettled] = {}
    for u in (*unsettled, *(u for _, of_report in each for u in of_report)):
        earlier = open_rules[u.rule].reports if u.rule in open_rules else ()
        open_rules[u.rule] = replace(u, reports=(*earlier, *u.reports))
    causes = [*(replace(m, between=True) for m in changed), *merged.values()]
    if trace_facts is not None and matters:
        causes = _with_traces(causes, trace_facts, (0, last))
    return Causes(_rank(causes, last), tuple(open_rules.values()))


def _with_traces(causes: Sequence[Match], facts: lgwr_traces.TraceFacts, reports: tuple[int, ...]) -> list[Match]:
    rules = {m.rule for m in causes}
    more, _ = _apply([r for r in lgwr_traces.RULES if r.instead_of not in rules], facts, reports)
    return [*(lgwr_traces.with_traces(m, facts) for m in causes), *more]


def _apply(
    rules: Sequence[Rule[T]], facts: T, reports: tuple[int, ...], claims: dict[str, Match] | None = None
) -> tuple[list[Match], list[Unsettled]]:
    claims = {} if claims is None else claims
    causes: list[Match] = []
    unsettled: list[Unsettled] = []
    for rule in rules:
        answer = rule.test(facts)
        if isinstance(answer, Match):
            claims[rule.rule] = answer
            causes.append(
                replace(
                    answer,
                    rule=rule.rule,
                    title=answer.title or rule.title,
                    caveat=answer.caveat or rule.caveat,
                    checks=(*answer.checks, *rule.checks),
                    evidence=tuple(dict.fromkeys(answer.evidence)),
                    step=rule.step if answer.step is None else answer.step,
                    reports=reports,
                )
            )
        elif isinstance(answer, NotPrinted):
            unsettled.append(Unsettled(rule.rule, rule.title, answer.what, rule.checks, reports))
    return causes, unsettled


def _within_budget(
    causes: Sequence[Match], whole_s: float, part_of: PartOf = "difference"
) -> tuple[list[Match], float]:
    """(causes cut to `whole_s`, remainder)"""
    budget, out = max(whole_s, 0.0), []
    least = FLOOR * budget if part_of == "change" else 0.0
    for match in causes:
        claim = match.explains_s
        if claim is not None and match.part_of == part_of:
            if budget < least:
                continue
            claim = within(claim, high=budget)
            budget -= claim.value
        elif claim is not None and match.part_of == "wait":  # may be longer than LFS − LFPW
            budget = max(budget - claim.value, 0.0)
        out.append(replace(match, explains_s=claim))
    return out, budget


def _is_accounted_for(causes: Sequence[Match], facts: ReportFacts) -> bool:
    if any(c.rule == "io-bound" and c.confidence != "low" for c in causes):
        return True
    firm = [c for c in causes if c.part_of in ("difference", "wait") and c.confidence in ("proven", "high", "medium")]
    claimed = sum(c.explains_s.value for c in firm if c.explains_s is not None)
    return facts.difference_s > 0 and claimed >= facts.difference_s / 2


def _join(first: Match, last: Match) -> Match:
    if first.title != last.title:
        return last if SURENESS[last.confidence] >= SURENESS[first.confidence] else first
    text, claim, size = last.text, first.explains_s, first.size
    if text != first.text:
        if not size and claim is not None and claim.value > 0:
            size = f"{seconds(claim.value)} of a commit wait"
        whose = "Second" if last.reports == (1,) else "the last report"
        text += f" (In First: {size}.)" if size else f" (The figures are those of {whose}.)"
    evidence = tuple(dict.fromkeys((*last.evidence, *first.evidence)))
    return replace(last, text=text, reports=(*first.reports, *last.reports), evidence=evidence)


def _rank(causes: Sequence[Match], last: int = 0) -> tuple[Cause, ...]:
    def order(match: Match) -> tuple[bool, bool, Step, bool, float, float]:
        size = max(match.weighs_s, match.explains_s.value if match.explains_s is not None else 0.0)
        step = Step.NOTE if match.confidence == "note" or match.step is None else match.step
        if match.explains_s is not None and size <= 0:  # earlier ones left it nothing
            step = max(step, Step.LEFTOVER)
        sureness = SURENESS[match.confidence]
        weight = size if step is Step.MEASURED else size * sureness
        return step is Step.NOTE, last not in match.reports, step, size <= 0, -weight, -sureness

    ranked = sorted(causes, key=order)
    return tuple(Cause(**{name: getattr(m, name) for name in Cause.__struct_fields__}) for m in ranked)


__all__ = ["Causes", "ReportFacts", "causes_between", "causes_of"]
