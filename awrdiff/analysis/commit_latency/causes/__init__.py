"""Why commits are slow: rules over one report and over the change between two, ranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from awrdiff.analysis.commit_latency.causes import between, single, traced
from awrdiff.analysis.commit_latency.causes.facts import Found, Lacks, ReportFacts, Rule
from awrdiff.analysis.model.commits import Cause, Confidence, Unsettled
from awrdiff.analysis.model.traces import CommitEvents

_RANK: dict[Confidence, int] = {"proven": 0, "high": 1, "medium": 2, "low": 3, "note": 4}
_ACCOUNTS = ("data-guard-sync", "lgwr-workers", "log-parallelism", "rac-broadcast")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Causes:
    ranked: tuple[Cause, ...]
    unsettled: tuple[Unsettled, ...]


def causes_of(facts: ReportFacts, *, report: int = 0) -> Causes:
    """The causes that one report shows, the most certain first; `report` is its place among those compared."""
    found, unsettled = _applied(single.RULES, facts, (report,))
    if not _accounted_for(found, facts):
        rest, _ = _applied((single.NOT_REDO_IO,), facts, (report,))
        found += rest
    return Causes(_ranked(found, (facts,)), tuple(unsettled))


def causes_between(facts: Sequence[ReportFacts], events: CommitEvents | None = None) -> Causes:
    """Those of the change from the first report to the last, and those that either shows by itself if its commits
    matter; with what the traces attached say of them."""
    last = len(facts) - 1
    pair = between.PairFacts(facts[0], facts[last])
    changed, unsettled = _applied(between.RULES, pair, (0, last))
    changed = [replace(c, between=True) for c in changed]
    each = [causes_of(f, report=at) for at, f in enumerate(facts) if at in (0, last) and f.figures.material]
    alone = _merged([c for e in each for c in e.ranked])
    open_ones = _merged_unsettled([*unsettled, *(u for e in each for u in e.unsettled)])
    found = [*changed, *alone]
    if events is not None:
        found = _with_traces(found, traced.Traced(pair, events), (0, last))
    return Causes(_ranked(found, facts), tuple(open_ones))


def _with_traces(found: Sequence[Cause], facts: traced.Traced, reports: tuple[int, ...]) -> list[Cause]:
    """`found` with what the traces say of them, and what the traces alone show."""
    shown = {c.rule for c in found}
    more, _ = _applied([r for r in traced.RULES if traced.INSTEAD_OF[r.rule] not in shown], facts, reports)
    return [*(traced.settled(c, facts) for c in found), *more]


def _applied(rules: Sequence[Rule[T]], facts: T, reports: tuple[int, ...]) -> tuple[list[Cause], list[Unsettled]]:
    found: list[Cause] = []
    unsettled: list[Unsettled] = []
    for rule in rules:
        answer = rule.test(facts)
        if isinstance(answer, Found):
            found.append(_cause(rule, answer, reports))
        elif isinstance(answer, Lacks):
            unsettled.append(Unsettled(rule.rule, rule.title, answer.what, rule.checks, reports))
    return found, unsettled


def _cause(rule: Rule[T], found: Found, reports: tuple[int, ...]) -> Cause:
    return Cause(
        rule=rule.rule,
        title=rule.title,
        confidence=found.confidence,
        text=found.text,
        caveat=rule.caveat,
        checks=rule.checks,
        evidence=tuple(dict.fromkeys(found.evidence)),
        reports=reports,
        explains_s=found.explains_s,
    )


def _accounted_for(found: Sequence[Cause], facts: ReportFacts) -> bool:
    """Whether the causes found account for half of what is not the write."""
    overhead = facts.figures.naive_overhead_s
    if any(c.rule in ("lgwr-cpu", "io-bound") and c.confidence != "low" for c in found):
        return True
    parts = [c.explains_s.value for c in found if _accounts(c) and c.explains_s is not None]
    return overhead is not None and overhead.value > 0 and sum(parts) >= overhead.value / 2


def _accounts(cause: Cause) -> bool:
    return cause.rule in _ACCOUNTS and cause.confidence != "low"


def _merged(causes: Sequence[Cause]) -> list[Cause]:
    """One cause for a rule that fires in several reports: the last one's words, all their evidence."""
    out: dict[str, Cause] = {}
    for cause in causes:
        before = out.pop(cause.rule, None)
        if before is not None:
            evidence = tuple(dict.fromkeys((*cause.evidence, *before.evidence)))
            cause = replace(cause, reports=(*before.reports, *cause.reports), evidence=evidence)  # noqa: PLW2901
        out[cause.rule] = cause
    return list(out.values())


def _merged_unsettled(found: Sequence[Unsettled]) -> list[Unsettled]:
    out: dict[str, Unsettled] = {}
    for one in found:
        before = out.get(one.rule)
        out[one.rule] = replace(one, reports=(*before.reports, *one.reports)) if before else one
    return list(out.values())


def _ranked(causes: Sequence[Cause], facts: Sequence[ReportFacts]) -> tuple[Cause, ...]:
    """By confidence, and then by how much of a commit wait the cause can account for.

    Last among equals: what no other rule accounts for, and then what says nothing of the wait itself.
    """
    return tuple(sorted(causes, key=_by_weight(facts)))


def _by_weight(facts: Sequence[ReportFacts]) -> Callable[[Cause], tuple[int, int, float]]:
    lfs = facts[-1].figures.lfs_avg_s
    whole = lfs.value if lfs is not None and lfs.value > 0 else 1.0

    def weight(cause: Cause) -> tuple[int, int, float]:
        if cause.explains_s is None:
            return _RANK[cause.confidence], 2, 0.0
        return _RANK[cause.confidence], int(cause.rule == single.NOT_REDO_IO.rule), -cause.explains_s.value / whole

    return weight


__all__ = ["Causes", "ReportFacts", "causes_between", "causes_of"]
