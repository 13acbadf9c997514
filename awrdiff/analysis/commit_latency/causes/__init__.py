"""Causes of slow commits: rules over one report and over the change between two, ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import changes, single, traces
from awrdiff.analysis.commit_latency.causes.facts import Match, NotPrinted, PairFacts, ReportFacts, Rule, Step
from awrdiff.analysis.commit_latency.intervals import within
from awrdiff.analysis.commit_latency.split import FLOOR, MUCH
from awrdiff.analysis.model.commits import Cause, Confidence, PartOf, Unsettled
from awrdiff.analysis.model.comparison import Commonality
from awrdiff.analysis.model.traces import CommitEvents
from awrdiff.analysis.report.databases import different_databases
from awrdiff.analysis.verdict.commonality import commonality, is_other_work
from awrdiff.analysis.words import seconds

SURENESS: dict[Confidence, float] = {"proven": 1.0, "high": 0.8, "medium": 0.5, "low": 0.25, "note": 0.05}


T = TypeVar("T")


class WeightedCause(Struct, frozen=True):
    """Cause with its place in the order: step, seconds per commit wait; `measured`: the log writer timed it."""

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
    """One report's causes with what the traces say of them. `report`: its place; without `matters`: durability
    alone."""
    facts = replace(facts, sampled=events.sampled_in(0)) if events is not None else facts
    found, unsettled = _report_causes(facts, report, matters=matters)
    if events is not None and matters:
        found = _with_traces(found, traces.TraceFacts((facts,), events), (report,))
    return Causes(_rank(found), tuple(unsettled))


def _report_causes(
    facts: ReportFacts, report: int, *, matters: bool = True
) -> tuple[list[WeightedCause], list[Unsettled]]:
    """Claims within one budget: measured first, in the order of the rules; then inferred; the rest gets what they
    leave."""
    claims: dict[str, Match] = {}
    facts = replace(facts, claims=claims)
    durability, _ = _apply((single.DURABILITY,), facts, (report,), claims)
    if facts.figures.lfs_waits is None or facts.figures.has_few_waits or not matters:
        return durability, []
    found, unsettled = _apply(single.RULES, facts, (report,), claims)
    found += durability
    remaining, _ = _apply((single.NOT_REDO_IO,), facts, (report,))
    found += [w for w in remaining if w.measured]
    found, left = _within_budget(sorted(found, key=lambda w: not w.measured), facts.difference_s)
    if not any(w.measured for w in remaining) and not _is_accounted_for([w.cause for w in found], facts):
        found += _within_budget(remaining, left)[0]
    return [_with_floor(w, facts) for w in found], unsettled


def _with_floor(found: WeightedCause, facts: ReportFacts) -> WeightedCause:
    """Measured causes under a quarter of a wait rank by size; under the floor they are notes."""
    claim, wait = found.cause.explains_s, facts.figures.lfs_avg_s
    if found.step not in (Step.MEASURED, Step.REMOTE) or claim is None or wait is None:
        return found
    if claim.value < FLOOR * wait.value:
        return replace(found, cause=replace(found.cause, confidence="note"))
    is_little = found.step is Step.MEASURED and claim.value < MUCH * wait.value
    return replace(found, step=Step.OTHER) if is_little else found


def causes_between(
    facts: Sequence[ReportFacts],
    events: CommitEvents | None = None,
    commonality: Commonality | None = None,
    *,
    matters: bool = True,
) -> Causes:
    """Causes of the change from first to last, and of either report alone if its commits matter."""
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
    alone = _merge([w for found, _ in each for w in found])
    open_ones = _merge_unsettled([*unsettled, *(u for _, of_report in each for u in of_report)])
    found = [*changed, *alone]
    if trace_facts is not None and matters:
        found = _with_traces(found, trace_facts, (0, last))
    return Causes(_rank(found, last), tuple(open_ones))


def _rules_of_changes(pair: PairFacts, known: Commonality | None, *, matters: bool) -> tuple[Rule[PairFacts], ...]:
    """Rules of a change: none of two databases without the same work; of one's other work durability alone."""
    first, second = pair.first.side, pair.second.side
    different = different_databases(first.report.header(), second.report.header())
    apart = (different or matters) and is_other_work(known or commonality(first, second), different=different)
    durability = () if different and apart else (changes.DURABILITY,)
    return (*durability, *(changes.RULES if matters and not apart else ()))


def _with_traces(
    found: Sequence[WeightedCause], facts: traces.TraceFacts, reports: tuple[int, ...]
) -> list[WeightedCause]:
    """`found` with what the traces say of them, and what the traces alone show."""
    shown = {w.cause.rule for w in found}
    more, _ = _apply([r for r in traces.RULES if traces.INSTEAD_OF[r.rule] not in shown], facts, reports)
    return [*(replace(w, cause=traces.with_traces(w.cause, facts)) for w in found), *more]


def _apply(
    rules: Sequence[Rule[T]], facts: T, reports: tuple[int, ...], claims: dict[str, Match] | None = None
) -> tuple[list[WeightedCause], list[Unsettled]]:
    """Tests each rule; `claims` gets what matches, for the rules after it."""
    claims = {} if claims is None else claims
    found: list[WeightedCause] = []
    unsettled: list[Unsettled] = []
    for rule in rules:
        answer = rule.test(facts)
        if isinstance(answer, Match):
            claims[rule.rule] = answer
            found.append(_cause(rule, answer, reports))
        elif isinstance(answer, NotPrinted):
            unsettled.append(Unsettled(rule.rule, rule.title, answer.what, rule.checks, reports))
    return found, unsettled


def _cause(rule: Rule[T], found: Match, reports: tuple[int, ...]) -> WeightedCause:
    cause = Cause(
        rule=rule.rule,
        title=found.title or rule.title,
        confidence=found.confidence,
        text=found.text,
        caveat=found.caveat or rule.caveat,
        checks=(*found.checks, *rule.checks),
        evidence=tuple(dict.fromkeys(found.evidence)),
        reports=reports,
        explains_s=found.explains_s,
        part_of=found.part_of,
        criteria=found.criteria,
        size=found.size,
    )
    return WeightedCause(cause, found.weighs_s or 0.0, rule.step if found.step is None else found.step, found.measured)


def _within_budget(
    found: Sequence[WeightedCause], whole_s: float, part_of: PartOf = "difference"
) -> tuple[list[WeightedCause], float]:
    """Causes with claims cut to what earlier ones left of `whole_s` (per commit wait), and the remainder. Of a change
    less than the floor is left out."""
    left, out = max(whole_s, 0.0), []
    least = FLOOR * left if part_of == "change" else 0.0
    for one in found:
        claim, cause = one.cause.explains_s, one.cause
        if claim is not None and cause.part_of == part_of:
            if left < least:
                continue
            claim = within(claim, high=left)
            left, cause = left - claim.value, replace(cause, explains_s=claim)
        elif claim is not None and cause.part_of == "wait":  # may be longer than LFS − LFPW
            left = max(left - claim.value, 0.0)
        out.append(replace(one, cause=cause))
    return out, left


def _is_accounted_for(found: Sequence[Cause], facts: ReportFacts) -> bool:
    """Says whether the causes account for half of what is not the write; slow writes leave no other question."""
    if any(c.rule == "io-bound" and c.confidence != "low" for c in found):
        return True
    sure = [c for c in found if c.part_of in ("difference", "wait") and c.confidence in ("proven", "high", "medium")]
    claimed = sum(c.explains_s.value for c in sure if c.explains_s is not None)
    return facts.difference_s > 0 and claimed >= facts.difference_s / 2


def _merge(causes: Sequence[WeightedCause]) -> list[WeightedCause]:
    """One cause for a rule that fires in several reports."""
    out: dict[str, WeightedCause] = {}
    for found in causes:
        before = out.pop(found.cause.rule, None)
        out[found.cause.rule] = found if before is None else _join(before, found)
    return list(out.values())


def _join(first: WeightedCause, last: WeightedCause) -> WeightedCause:
    """The last one's words with its size in the first, and all evidence; of two titles the surer cause."""
    a, b = first.cause, last.cause
    if a.title != b.title:
        return last if SURENESS[b.confidence] >= SURENESS[a.confidence] else first
    text = b.text if a.text == b.text else f"{b.text} ({_before(a, b)}.)"
    evidence = tuple(dict.fromkeys((*b.evidence, *a.evidence)))
    return replace(last, cause=replace(b, text=text, reports=(*a.reports, *b.reports), evidence=evidence))


def _before(first: Cause, last: Cause) -> str:
    """Size in the first report; where no figure tells, whose figures the others are."""
    claim, size = first.explains_s, first.size
    if not size and claim is not None and claim.value > 0:
        size = f"{seconds(claim.value)} of a commit wait"
    if size:
        return f"In First: {size}"
    return f"The figures are those of {'Second' if last.reports == (1,) else 'the last report'}"


def _merge_unsettled(found: Sequence[Unsettled]) -> list[Unsettled]:
    out: dict[str, Unsettled] = {}
    for one in found:
        before = out.get(one.rule)
        out[one.rule] = replace(one, reports=(*before.reports, *one.reports)) if before else one
    return list(out.values())


def _rank(found: Sequence[WeightedCause], last: int = 0) -> tuple[Cause, ...]:
    """Second or the change before First alone; by step; within one by size × confidence (measured: by size)."""
    return tuple(w.cause for w in sorted(found, key=lambda w: _order(w, last)))


def _order(found: WeightedCause, last: int) -> tuple[bool, bool, Step, bool, float, float]:
    cause = found.cause
    of_first = last not in cause.reports
    claim = cause.explains_s.value if cause.explains_s is not None else None
    size = max(found.seconds, claim or 0.0)
    step = Step.NOTE if cause.confidence == "note" else found.step
    if claim is not None and size <= 0:  # earlier ones left it nothing
        step = max(step, Step.LEFTOVER)
    sure = SURENESS[cause.confidence]
    weight = size if step is Step.MEASURED else size * sure
    return step is Step.NOTE, of_first, step, size <= 0, -weight, -sure


__all__ = ["Causes", "ReportFacts", "causes_between", "causes_of"]
