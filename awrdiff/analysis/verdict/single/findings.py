"""The rules of one report."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict.answer import Answer, Unknown
from awrdiff.analysis.verdict.facts import FactsOfOne
from awrdiff.analysis.verdict.outcome import Outcome, outcome
from awrdiff.analysis.verdict.rules import (
    addm,
    ash,
    backup,
    checkpoints,
    circumstances,
    commits,
    cpu,
    dominant_statements,
    instance_skew,
    io,
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
    storage,
    throughput,
    unaccounted,
    undo,
    waits,
)
from awrdiff.analysis.verdict.single.ledger import Ledger


class Rule(NamedTuple):
    """`id` is what its findings are known by; a rule of two reports that asks the same has the same. Never renamed.

    `anywhere`: it needs no load, waits or DB time of an interval. `of`: the kind of report that it is about and asked
    of; "" of any.
    """

    id: str
    test: Callable[[FactsOfOne], Answer]
    anywhere: bool = False
    of: str = ""


_NOT_WEIGHABLE = Unknown("load, waits and DB time of an interval")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("parsing-dominates", parsing.parsing_dominates_of_one),
    Rule("parse-failures", parsing.parse_failures_of_one),
    Rule("hard-parse-rate", parsing.hard_parse_rate_of_one),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated_of_one),
    Rule("load-average", run_queue.of_one),
    Rule("cpu-time", cpu.cpu_time_of_one),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit_of_one),
    Rule("resource-manager", cpu.resource_manager_of_one),
    Rule("session-storm", sessions.session_storm_of_one),
    Rule("logon-rate", sessions.logon_rate_of_one),
    Rule("commit-latency", commits.commit_latency_of_one),
    Rule("commit-nowait", commits.commit_nowait_of_one),
    Rule("log-file-switch", waits.log_file_switch_of_one),
    Rule("checkpoint-writes", checkpoints.of_one),
    Rule("log-switch-rate", log_switches.of_one),
    Rule("row-locks", waits.row_locks_of_one),
    Rule("buffer-busy", waits.buffer_busy_of_one),
    Rule("interconnect", waits.interconnect_of_one),
    Rule("top-wait", waits.top_wait),
    Rule("hot-object", objects.hot_object_of_one),
    Rule("hot-object-io", objects.hot_object_io_of_one),
    Rule("object-sampled", objects_sampled.of_one, anywhere=True),
    Rule("read-latency", io.read_latency_of_one),
    Rule("read-tail", storage.read_tail_of_one),
    Rule("temp-io", io.temp_io_of_one),
    Rule("writes-together", storage.writes_together_of_one),
    Rule("throughput", throughput.of_one),
    Rule("backup", backup.of_one),
    Rule("instance-skew", instance_skew.of_one),
    Rule("sql-dominant", dominant_statements.of_one),
    Rule("sql-readers", readers.of_one),
    Rule("sql-sampled", sampled.of_one, anywhere=True),
    Rule("sampled-events", ash.events_of_one, of=ash.KIND),
    Rule("sampled-cpu", ash.cpu_of_one, of=ash.KIND),
    Rule("sampled-blocker", ash.blockers_of_one, of=ash.KIND),
    Rule("sampled-cache", ash.cache_of_one, of=ash.KIND),
    Rule("sql-cost", one_statement.cost_of_one, of=one_statement.KIND),
    Rule("sql-plan", one_statement.plans_of_one, of=one_statement.KIND),
    Rule("peak-inside", peak.of_one, anywhere=True),
    Rule("unaccounted-time", unaccounted.of_one),
    Rule("memory-exhausted", memory.of_one),
    Rule("undo-errors", undo.of_one),
    Rule("cold-start", circumstances.cold_start_of_one),
    Rule("window-length", circumstances.window_length),
    Rule("parameters-inside", settings.parameters_inside_of_one),
    Rule("addm-said", addm.largest_findings_of_one, anywhere=True),
)


def evaluate(facts: FactsOfOne) -> Outcome[SingleFinding]:
    """Every rule that is about such a report is asked."""
    kind = facts.side.report.kind
    asked = [rule for rule in RULES if rule.of in ("", kind)]
    answers = (
        (rule.id, rule.test(facts) if facts.weighable or rule.anywhere or rule.of else _NOT_WEIGHABLE) for rule in asked
    )
    return outcome(answers, Ledger.of(facts)).as_printed(facts.side.report)
