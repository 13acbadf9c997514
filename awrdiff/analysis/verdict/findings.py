"""Runs the rules. A rule whose inputs are not printed is counted as such, never as quiet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from awrdiff.analysis.model.comparison import Finding, RuleOutcome
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.verdict.ledger import Ledger
from awrdiff.analysis.verdict.rules import (
    addm,
    circumstances,
    costs,
    cpu,
    io,
    load,
    log_switches,
    memory,
    objects,
    parsing,
    peak,
    sessions,
    settings,
    statements,
    storage,
    unaccounted,
    waits,
)
from awrdiff.analysis.verdict.rules.facts import Answer, Facts, Forbidden, Said, Unknown


class Rule(NamedTuple):
    """`id` is what its findings are known by, in links and on command lines: it is never renamed."""

    id: str
    test: Callable[[Facts], Answer]


_NOT_WEIGHABLE = Unknown("load, waits and DB time of an interval, on both sides")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("load-against-db-time", load.load_against_db_time),
    Rule("throughput-collapsed", load.throughput_collapsed),
    Rule("parsing-dominates", parsing.parsing_dominates),
    Rule("parse-failures", parsing.parse_failures),
    Rule("hard-parse-rate", parsing.hard_parse_rate),
    Rule("event-latency", waits.event_latency),
    Rule("event-count", waits.event_count),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit),
    Rule("cpu-time", cpu.cpu_time),
    Rule("db-cpu", cpu.db_cpu_change),
    Rule("resource-manager", cpu.resource_manager),
    Rule("session-storm", sessions.session_storm),
    Rule("logon-rate", sessions.logon_rate),
    Rule("commit-latency", waits.commits),
    Rule("log-file-switch", waits.log_file_switch),
    Rule("log-switch-rate", log_switches.log_switch_rate),
    Rule("row-locks", waits.row_locks),
    Rule("buffer-busy", waits.buffer_busy),
    Rule("interconnect", waits.interconnect),
    Rule("hot-object", objects.hot_object),
    Rule("hot-object-io", objects.hot_object_io),
    Rule("physical-reads", io.physical_reads),
    Rule("read-latency", io.read_latency),
    Rule("read-tail", storage.read_tail),
    Rule("temp-io", io.temp_io),
    Rule("writes-together", storage.writes_together),
    Rule("cost-per-unit", costs.unit_costs),
    Rule("gets-per-execution", costs.gets_per_execution),
    Rule("hit-ratios", io.hit_ratios),
    Rule("sql-entering", statements.entering),
    Rule("sql-leaving", statements.leaving),
    Rule("sql-new-id", statements.renamed),
    Rule("sql-slower", statements.slower),
    Rule("sql-faster", statements.faster),
    Rule("sql-change", statements.changing),
    Rule("sql-dominant", statements.dominant),
    Rule("peak-inside", peak.peak_inside),
    Rule("redo", load.redo),
    Rule("unaccounted-time", unaccounted.unaccounted),
    Rule("memory-exhausted", memory.memory_exhausted),
    Rule("cold-start", circumstances.cold_start),
    Rule("other-hours", circumstances.other_hours),
    Rule("parameters", settings.parameters),
    Rule("parameters-inside", settings.changed_inside),
    Rule("addm-said", addm.addm_said),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Findings in the order they are shown, and what became of every rule."""

    findings: tuple[Finding, ...]
    rules: tuple[RuleOutcome, ...]


def evaluate(facts: Facts) -> Outcome:
    """Every rule is asked; what is too small to matter counts as quiet (see ledger)."""
    weighed = weighable(facts.first, facts.second)
    ledger = Ledger.of(facts)
    findings: list[Finding] = []
    outcomes: list[RuleOutcome] = []
    for rule in RULES:
        answer = rule.test(facts) if weighed else _NOT_WEIGHABLE
        heard = [f for said in _said(answer) if (f := ledger.finding(rule.id, said)) is not None]
        findings += heard
        outcomes.append(_outcome(rule.id, answer, fired=bool(heard)))
    return Outcome(ledger.ordered(findings), tuple(outcomes))


def _said(answer: Answer) -> tuple[Said, ...]:
    if isinstance(answer, Said):
        return (answer,)
    return answer if isinstance(answer, tuple) else ()


def _outcome(rule: str, answer: Answer, *, fired: bool) -> RuleOutcome:
    if fired:
        return RuleOutcome(rule, "fired")
    if isinstance(answer, Forbidden):
        return RuleOutcome(rule, "forbidden", answer.by)
    if isinstance(answer, Unknown):
        return RuleOutcome(rule, "unknown", answer.lacks)
    return RuleOutcome(rule, "quiet")
