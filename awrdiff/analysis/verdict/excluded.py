"""Causes ruled out, each with the figure that excludes it."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.verdict import limits
from awrdiff.analysis.verdict.attribution import unaccounted_share
from awrdiff.analysis.verdict.claims import Claim, View
from awrdiff.analysis.verdict.rules import circumstances
from awrdiff.analysis.verdict.same_work import OTHER
from awrdiff.analysis.verdict.thresholds import QUEUEING_PCT, SLOW_S, UNACCOUNTED
from awrdiff.analysis.words import change, percent, seconds

_ALIKE = 1.25
_MOST = 4
_SYMPTOMS = ("logical reads", "executions")
_OF_COMMITS = ("commit-latency",)
_OF_CPU = ("resource-manager", "host-cpu-saturated", "cpu-time")


def excluded(view: View, claim: Claim | None) -> tuple[str, ...]:
    """At most four clauses, most telling first."""
    rule = claim.rule if claim is not None else ""
    clauses = [*_cpu(view, rule), *_parameters(view), *_commits(view, rule), *_work(view, claim), *_reads(view, rule)]
    return tuple(clauses[:_MOST])


def _cpu(view: View, rule: str) -> Iterator[str]:
    busy, lost = view.bad.host_busy_pct, unaccounted_share(view.bad)
    if rule in _OF_CPU or busy is None or busy >= QUEUEING_PCT or limits.sign_in_settings(view.bad) is not None:
        return
    if lost is None or lost < UNACCOUNTED:
        yield f"CPU is not the limit (host {percent(busy / 100)} busy)"


def _parameters(view: View) -> Iterator[str]:
    facts = view.facts
    if all(s.lists_all(circumstances.SECTION) for s in facts.sides) and not circumstances.changed_parameters(facts):
        yield f"no parameter changed ({len(facts.first.report.by_id[circumstances.SECTION].records)} alike)"


def _commits(view: View, rule: str) -> Iterator[str]:
    two = [s.foreground.get("log file sync") for s in (view.good, view.bad)]
    if rule in _OF_COMMITS or two[1] is None:
        return
    share = view.bad.share_of_db_time(two[1].total) or 0.0
    if share < 0.05:
        yield f"commits wait {percent(share)} of DB time"
    elif two[0] is not None and two[0].average is not None and two[1].average is not None:
        a, b = two[0].average.number, two[1].average.number
        if a > 0 and 1 / _ALIKE < b / a < _ALIKE:
            yield f"commits as before ({seconds(b)} each)"


def _work(view: View, claim: Claim | None) -> Iterator[str]:
    of_statement = claim is not None and claim.subject is not None and claim.subject.kind == "sql"
    pairs = {n: view.pair(two) for n, two in view.facts.work().items() if n not in _SYMPTOMS or not of_statement}
    if any(b >= _ALIKE * a for a, b in pairs.values()):
        return
    shared = view.facts.commonality
    shares = [s for s in (shared.first, shared.second) if s is not None]
    # Statements that fill the sick hour alone are no proof of the same work, however much of the other's it runs.
    if shared.work == "same" and min(shares) >= OTHER:
        low, high = percent(min(shares)), percent(max(shares))
        yield f"same workload ({low if low == high else f'{low[:-2]}–{high}'} of captured SQL in common)"
    measures = {n: two for n, two in view.facts.work().items() if two.factor is not None and n != "logical reads"}
    name = next((n for n, two in measures.items() if 1 / _ALIKE < (two.factor or 0.0) < _ALIKE), None)
    if name is not None and view.is_rise:
        yield f"no more work ({name} {change(measures[name].first, measures[name].second)})"


def _reads(view: View, rule: str) -> Iterator[str]:
    if rule in ("read-latency", "event-latency"):
        return
    two = [s.foreground.get("db file sequential read") for s in (view.good, view.bad)]
    if two[0] is None or two[1] is None or two[0].average is None or two[1].average is None:
        return
    a, b = two[0].average.number, two[1].average.number
    if a > 0 and b <= _ALIKE * a and b < SLOW_S:
        unit = "a single-block read"
        yield f"{unit} is no slower ({seconds(a)} → {seconds(b)})" if view.is_second else f"{unit} took {seconds(b)}"
