"""`Report` × `Report` → `Comparison`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.commit_latency import WhatIf
from awrdiff.analysis.model.comparison import CommitLatency, Comparison, Warning_
from awrdiff.analysis.names.truncated_names import with_full_names
from awrdiff.analysis.report.figures_by_name import Bases, Side
from awrdiff.analysis.report.pair_identity import identity_of
from awrdiff.analysis.rows.figures_from_other_sql_lists import OtherLists
from awrdiff.analysis.rows.materiality import Yardstick, weight_of_section
from awrdiff.analysis.rows.section_comparison import compare_sections
from awrdiff.analysis.rows.statement_matching import same_statements
from awrdiff.analysis.verdict.active_sessions_attribution import attribute
from awrdiff.analysis.verdict.ash_activity import activity_of, sampled_of
from awrdiff.analysis.verdict.comparability_warnings import warnings_of
from awrdiff.analysis.verdict.diagnosis import answer_of, resting_on, sick_hour, with_own_findings
from awrdiff.analysis.verdict.findings import findings_of_two
from awrdiff.analysis.verdict.ranked_changes import rank_movers
from awrdiff.analysis.verdict.rule_inputs import FactsOfTwo
from awrdiff.analysis.verdict.same_workload_check import commonality
from awrdiff.analysis.verdict.summary import sentences_of_two
from parsers.model import Report

_SAME_LENGTH = 1.02  # up to here totals read as rates do


def compare_reports(
    first: Report,
    second: Report,
    traces: Sequence[Report] = (),
    *,
    what_if: WhatIf | None = None,
    of_median: bool = False,
) -> Comparison:
    """First against second, whichever is earlier.

    `traces`: LGWR traces of either. `what_if`: of all reports. `of_median`: First is a median
    (baseline/report_vs_median.py).
    """
    first, second = with_full_names(first, second)
    a, b = Side(first), Side(second)
    attribution = attribute(a, b)
    shared = commonality(a, b)
    latency = commit_latency((a, b), traces, shared)
    if what_if is not None:
        latency = replace(latency, what_if=what_if)
    facts = FactsOfTwo(a, b, attribution, latency, shared, of_median)
    outcome = findings_of_two(facts)
    bases, yardstick = Bases(a.basis, b.basis), Yardstick.of(a, b)
    sections = compare_sections(first, second, bases, yardstick, OtherLists(a.statements, b.statements, bases))
    answer, claim = answer_of(facts, outcome)
    sampled, verdict = sampled_of(a, b, sections), sentences_of_two(facts, outcome, answer)
    if sick_hour(answer):
        outcome = with_own_findings(facts, outcome, answer)
        answer = resting_on(answer, claim, outcome)
    return Comparison(
        headers=(first.header(), second.header()),
        identity=(identity_of(a), identity_of(b)),
        warnings=(*warnings_of(a, b), *_trace_warnings(latency)),
        summary=" ".join(s.text for s in verdict),
        attribution=attribution,
        commit_latency=latency,
        findings=outcome.findings,
        rules=outcome.rules,
        sections=sections,
        elapsed_differs=_elapsed_differs(a, b),
        same_statements=tuple(same_statements(facts.statements)),
        ranked=rank_movers(facts, outcome.findings, yardstick),
        weights=tuple(weight_of_section(s, yardstick) for s in sections),
        activity=activity_of(a, b),
        sampled=sampled,
        commonality=shared,
        verdict=verdict,
        answer=answer,
    )


def compare_all(reports: Sequence[Report], traces: Sequence[Report] = ()) -> tuple[Comparison, ...]:
    """First report against each other, with all traces.

    The first pair of several has the commits of all.
    """
    if len(reports) < 3:
        return tuple(compare_reports(reports[0], other, traces) for other in reports[1:])
    with_names = [with_full_names(reports[0], other) for other in reports[1:]]
    together = commit_latency([Side(with_names[0][0]), *(Side(second) for _, second in with_names)], traces)
    pairs = [compare_reports(reports[0], other, traces, what_if=together.what_if) for other in reports[1:]]
    return (replace(pairs[0], commits_of_all=together), *pairs[1:])


def _trace_warnings(latency: CommitLatency) -> tuple[Warning_, ...]:
    warnings = latency.events.warnings if latency.events is not None else ()
    return tuple(Warning_("other-trace", text) for text in warnings)


def _elapsed_differs(first: Side, second: Side) -> bool:
    if first.elapsed is None or second.elapsed is None:
        return False
    a, b = first.elapsed.number, second.elapsed.number
    return max(a, b) / min(a, b) > _SAME_LENGTH
