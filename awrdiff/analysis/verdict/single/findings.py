"""The rules of one report."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict.answer import Answer, Unknown
from awrdiff.analysis.verdict.outcome import Outcome, outcome
from awrdiff.analysis.verdict.rules import (
    ash,
    backup,
    checkpoints,
    instance_skew,
    one_statement,
    readers,
    run_queue,
    throughput,
)
from awrdiff.analysis.verdict.single import commits, cpu, parsing, storage, waits, who, window
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.verdict.single.ledger import Ledger


class Rule(NamedTuple):
    """`id` is what its findings are known by; a rule of two reports that asks the same has the same. Never renamed.

    `anywhere`: it needs no load, waits or DB time of an interval. `of`: the kind of report that it is about and asked
    of; "" of any.
    """

    id: str
    test: Callable[[Alone], Answer]
    anywhere: bool = False
    of: str = ""


_NOT_WEIGHABLE = Unknown("load, waits and DB time of an interval")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("parsing-dominates", parsing.parsing_dominates),
    Rule("parse-failures", parsing.parse_failures),
    Rule("hard-parse-rate", parsing.hard_parse_rate),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated),
    Rule("load-average", run_queue.of_one),
    Rule("cpu-time", cpu.cpu_time),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit),
    Rule("resource-manager", cpu.resource_manager),
    Rule("session-storm", window.session_storm),
    Rule("logon-rate", parsing.logon_rate),
    Rule("commit-latency", commits.commit_latency),
    Rule("commit-nowait", commits.commit_nowait),
    Rule("log-file-switch", waits.log_file_switch),
    Rule("checkpoint-writes", checkpoints.of_one),
    Rule("log-switch-rate", commits.log_switch_rate),
    Rule("row-locks", waits.row_locks),
    Rule("buffer-busy", waits.buffer_busy),
    Rule("interconnect", waits.interconnect),
    Rule("top-wait", waits.top_wait),
    Rule("hot-object", who.hot_object),
    Rule("hot-object-io", who.hot_object_io),
    Rule("object-sampled", who.sampled_objects, anywhere=True),
    Rule("read-latency", storage.read_latency),
    Rule("read-tail", storage.read_tail),
    Rule("temp-io", storage.temp_io),
    Rule("writes-together", storage.writes_together),
    Rule("throughput", throughput.of_one),
    Rule("backup", backup.of_one),
    Rule("instance-skew", instance_skew.of_one),
    Rule("sql-dominant", who.top_statements),
    Rule("sql-readers", readers.of_one),
    Rule("sql-sampled", who.sampled_statements, anywhere=True),
    Rule("sampled-events", ash.events_of_one, of=ash.KIND),
    Rule("sampled-cpu", ash.cpu_of_one, of=ash.KIND),
    Rule("sampled-blocker", ash.blockers_of_one, of=ash.KIND),
    Rule("sampled-cache", ash.cache_of_one, of=ash.KIND),
    Rule("sql-cost", one_statement.cost_of_one, of=one_statement.KIND),
    Rule("sql-plan", one_statement.plans_of_one, of=one_statement.KIND),
    Rule("peak-inside", window.peak_inside, anywhere=True),
    Rule("unaccounted-time", cpu.unaccounted_time),
    Rule("memory-exhausted", window.memory_exhausted),
    Rule("undo-errors", window.undo_errors),
    Rule("cold-start", window.cold_start),
    Rule("window-length", window.window_length),
    Rule("parameters-inside", window.parameters_inside),
    Rule("addm-said", window.addm_said, anywhere=True),
)


def evaluate(alone: Alone) -> Outcome[SingleFinding]:
    """Every rule that is about such a report is asked."""
    kind = alone.side.report.kind
    asked = [rule for rule in RULES if rule.of in ("", kind)]
    answers = (
        (rule.id, rule.test(alone) if alone.weighable or rule.anywhere or rule.of else _NOT_WEIGHABLE) for rule in asked
    )
    return outcome(answers, Ledger.of(alone)).as_printed(alone.side.report)
