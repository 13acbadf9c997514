"""The rules of two reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.verdict.answer import Answer, Unknown
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.verdict.folding import folded
from awrdiff.analysis.verdict.ledger import Ledger
from awrdiff.analysis.verdict.outcome import Outcome, outcome
from awrdiff.analysis.verdict.rules import (
    addm,
    ash,
    backup,
    checkpoints,
    circumstances,
    commits,
    costs,
    cpu,
    dominant_statements,
    instance_skew,
    io,
    load,
    log_switches,
    memory,
    objects,
    objects_sampled,
    one_statement,
    parsing,
    peak,
    readers,
    run_queue,
    sampled,
    sessions,
    settings,
    statements,
    storage,
    throughput,
    unaccounted,
    undo,
    waits,
)


class Rule(NamedTuple):
    """`id` is what its findings are known by, in links and on command lines: it is never renamed.

    `anywhere`: it needs no load, waits or DB time of an interval. `of`: the kind of report that it is about, asked
    where one of the two is such; "" of any. `one_sided`: it says what a side suffers by itself,
    whatever the other did (row locks, a CPU cap, log switches). Every other rule claims a change, and is a note where
    the two sides do other work. `per_execution`: it holds whatever the windows were cut around.
    """

    id: str
    test: Callable[[FactsOfTwo], Answer]
    anywhere: bool = False
    of: str = ""
    one_sided: bool = False
    per_execution: bool = False


_WINDOWS = "load-against-db-time"
_NOT_WEIGHABLE = Unknown("load, waits and DB time of an interval, on both sides")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("load-against-db-time", load.load_against_db_time),
    Rule("throughput-collapsed", load.throughput_collapsed),
    Rule("parsing-dominates", parsing.parsing_dominates_of_two, one_sided=True),
    Rule("parse-failures", parsing.parse_failures_of_two, one_sided=True),
    Rule("hard-parse-rate", parsing.hard_parse_rate_of_two),
    Rule("event-latency", waits.event_latency),
    Rule("event-count", waits.event_count),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated_of_two, one_sided=True),
    Rule("load-average", run_queue.of_two, one_sided=True),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit_of_two),
    Rule("cpu-time", cpu.cpu_time_of_two),
    Rule("db-cpu", cpu.db_cpu_change),
    Rule("resource-manager", cpu.resource_manager_of_two, one_sided=True),
    Rule("session-storm", sessions.session_storm_of_two),
    Rule("logon-rate", sessions.logon_rate_of_two),
    Rule("commit-latency", commits.commit_latency_of_two),
    Rule("commit-nowait", commits.commit_nowait_of_two, one_sided=True),
    Rule("log-file-switch", waits.log_file_switch_of_two, one_sided=True),
    Rule("checkpoint-writes", checkpoints.of_two, one_sided=True),
    Rule("log-switch-rate", log_switches.of_two, one_sided=True),
    Rule("row-locks", waits.row_locks_of_two, one_sided=True),
    Rule("buffer-busy", waits.buffer_busy_of_two, one_sided=True),
    Rule("interconnect", waits.interconnect_of_two, one_sided=True),
    Rule("hot-object", objects.hot_object_of_two, one_sided=True),
    Rule("hot-object-io", objects.hot_object_io_of_two),
    Rule("object-sampled", objects_sampled.of_two, anywhere=True),
    Rule("physical-reads", io.physical_reads),
    Rule("read-latency", io.read_latency_of_two),
    Rule("read-tail", storage.read_tail_of_two, one_sided=True),
    Rule("temp-io", io.temp_io_of_two),
    Rule("writes-together", storage.writes_together_of_two, one_sided=True),
    Rule("throughput", throughput.of_two, one_sided=True),
    Rule("backup", backup.of_two, one_sided=True),
    Rule("instance-skew", instance_skew.of_two, one_sided=True),
    Rule("cost-per-unit", costs.unit_costs),
    Rule("gets-per-execution", costs.gets_per_execution),
    Rule("hit-ratios", io.hit_ratios),
    Rule("sql-entering", statements.entering),
    Rule("sql-leaving", statements.leaving),
    Rule("sql-new-id", statements.renamed, per_execution=True),
    Rule("sql-slower", statements.slower, per_execution=True),
    Rule("sql-faster", statements.faster, per_execution=True),
    Rule("sql-change", statements.changing),
    Rule("sql-dominant", dominant_statements.of_two, one_sided=True),
    Rule("sql-readers", readers.of_two, one_sided=True),
    Rule("sql-sampled", sampled.of_two, anywhere=True),
    Rule("sampled-events", ash.events_of_two, of=ash.KIND),
    Rule("sampled-cpu", ash.cpu_of_two, of=ash.KIND, one_sided=True),
    Rule("sampled-blocker", ash.blockers_of_two, of=ash.KIND, one_sided=True),
    Rule("sampled-cache", ash.cache_of_two, of=ash.KIND),
    Rule("sql-cost", one_statement.cost_of_two, of=one_statement.KIND),
    Rule("sql-plan", one_statement.plan_of_two, of=one_statement.KIND),
    Rule("peak-inside", peak.of_two, anywhere=True, one_sided=True),
    Rule("redo", load.redo),
    Rule("unaccounted-time", unaccounted.of_two, one_sided=True),
    Rule("memory-exhausted", memory.of_two, one_sided=True),
    Rule("undo-errors", undo.of_two, one_sided=True),
    Rule("cold-start", circumstances.cold_start_of_two, one_sided=True),
    Rule("other-hours", circumstances.other_hours),
    Rule("parameters", settings.parameters),
    Rule("parameters-inside", settings.parameters_inside_of_two),
    Rule("addm-change", addm.changed_findings, of=addm.KIND),
    Rule("addm-said", addm.largest_findings_of_two, anywhere=True),
)


def evaluate(facts: FactsOfTwo) -> Outcome[Finding]:
    """Every rule that is about such reports is asked."""
    weighed = weighable(facts.first, facts.second)
    kinds = ("", facts.first.report.kind, facts.second.report.kind)
    asked = [rule for rule in RULES if rule.of in kinds]
    answers = ((r.id, r.test(facts) if weighed or r.anywhere or r.of else _NOT_WEIGHABLE) for r in asked)
    ledger = Ledger.of(
        facts, frozenset(rule.id for rule in RULES if rule.one_sided or (rule.per_execution and facts.runs))
    )
    found = outcome(answers, ledger).as_printed(facts.first.report, facts.second.report)
    if not weighed:
        return found
    busier = max((s for s in (ledger.first, ledger.second) if s), default=None)
    findings = folded(found.findings, busier, different_databases=ledger.unrelated)
    return replace(found, findings=_under_the_windows(findings) if facts.runs else findings)


def _under_the_windows(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Of two windows around the same runs: what is only their length stands under the note that says so."""
    if not any(f.rule == _WINDOWS for f in findings):
        return findings
    kept = {_WINDOWS, *(rule.id for rule in RULES if rule.one_sided), "sql-entering", "sql-leaving", "sql-change"}
    return tuple(
        replace(f, folded_into=_WINDOWS, folded_because="")
        if f.severity == "note" and f.sessions is not None and f.rule not in kept
        else f
        for f in findings
    )
