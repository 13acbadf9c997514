"""Rules of one and of two reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import RuleResult
from awrdiff.analysis.verdict.rules import (
    addm,
    ash,
    backup,
    circumstances,
    commits,
    costs,
    cpu,
    dominant_statements,
    io,
    load,
    log_switches,
    memory,
    network,
    objects,
    one_statement,
    parsing,
    peak,
    sampled,
    sessions,
    statements,
    storage,
    unaccounted,
    undo,
    waits,
)
from parsers.model import Report


class Rule(NamedTuple):
    """`id` stands in links and command lines: never rename it.

    `of_two`, `of_one`: functions for two reports and one; None where the question makes no sense. `anywhere`: needs no
    load of an interval. `kind`: kind of report it needs, "" for any. `one_sided`: trouble of a side by itself; any
    other rule claims a change, and is a note between sides of other work. `per_execution`: holds whatever the windows
    were cut around. `of_median`: also runs where First is a median, which has no clock and no plan.

    `belongs_to`: folded into the first of these that fired; `belongs_if_same`: likewise if about the same event,
    statement or object.
    """

    id: str
    of_two: Callable[[FactsOfTwo], RuleResult] | None = None
    of_one: Callable[[FactsOfOne], RuleResult] | None = None
    anywhere: bool = False
    kind: str = ""
    one_sided: bool = False
    per_execution: bool = False
    of_median: bool = True
    belongs_to: tuple[str, ...] = ()
    belongs_if_same: tuple[str, ...] = ()

    def is_about(self, *reports: Report) -> bool:
        return self.kind in ("", *(report.kind for report in reports))

    @property
    def needs_an_interval(self) -> bool:
        return not (self.anywhere or self.kind)


BY_EVENT = ("event-latency", "event-count")
_BY_READ = ("read-latency", *BY_EVENT)
_BY_STATEMENT = ("sql-slower", "sql-faster", "sql-change", "sql-entering", "sql-leaving", "sql-new-id", "sql-dominant")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("load-against-db-time", load.load_against_db_time),
    Rule("throughput-collapsed", load.throughput_collapsed, belongs_to=("load-against-db-time",)),
    Rule("parsing-dominates", parsing.parsing_dominates_of_two, parsing.parsing_dominates_of_one, one_sided=True),
    Rule("parse-failures", parsing.parse_failures_of_two, parsing.parse_failures_of_one, one_sided=True),
    Rule(
        "hard-parse-rate",
        parsing.hard_parse_rate_of_two,
        parsing.hard_parse_rate_of_one,
        belongs_to=("parsing-dominates",),
    ),
    Rule("shared-pool-pressure", memory.shared_pool_pressure, memory.shared_pool_pressure, one_sided=True),
    Rule("event-latency", waits.event_latency),
    Rule("event-count", waits.event_count),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated, cpu.host_cpu_saturated, one_sided=True),
    Rule("load-average", cpu.load_average, cpu.load_average, one_sided=True),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit_of_two, cpu.cpu_not_the_limit_of_one),
    Rule("cpu-time", cpu.cpu_time_of_two, cpu.cpu_time_of_one, belongs_to=("host-cpu-saturated",)),
    Rule("db-cpu", cpu.db_cpu_change, belongs_to=("host-cpu-saturated", "cpu-time")),
    Rule("resource-manager", cpu.resource_manager, cpu.resource_manager, one_sided=True),
    Rule("session-storm", sessions.session_storm_of_two, sessions.session_storm_of_one),
    Rule("logon-rate", sessions.logon_rate_of_two, sessions.logon_rate_of_one, belongs_to=("session-storm",)),
    Rule(
        "commit-latency",
        commits.commit_latency_of_two,
        commits.commit_latency_of_one,
        belongs_if_same=("row-locks",),  # where its commits hold the locks
    ),
    Rule("commit-nowait", commits.commit_nowait_of_two, commits.commit_nowait_of_one, one_sided=True),
    Rule(
        "log-file-switch",
        waits.log_file_switch,
        waits.log_file_switch,
        one_sided=True,
        belongs_to=("log-switch-rate",),
    ),
    Rule("checkpoint-writes", log_switches.checkpoint_writes, log_switches.checkpoint_writes, one_sided=True),
    Rule("log-switch-rate", log_switches.of_two, log_switches.of_one, one_sided=True),
    Rule("row-locks", waits.row_locks, waits.row_locks, one_sided=True),
    Rule("enqueues", waits.enqueues, waits.enqueues, one_sided=True),
    Rule("pga-over-limit", waits.pga_limit, waits.pga_limit, one_sided=True),
    Rule("buffer-busy", waits.buffer_busy, waits.buffer_busy, one_sided=True),
    Rule("interconnect", waits.interconnect, waits.interconnect, one_sided=True),
    Rule("network-bound", network.network_bound, network.network_bound, one_sided=True),
    Rule("top-wait", of_one=waits.top_wait),
    Rule("hot-object", objects.hot_object, objects.hot_object, one_sided=True),
    Rule("hot-object-io", objects.hot_object_io, objects.hot_object_io),
    Rule(
        "object-sampled",
        sampled.objects_sampled,
        sampled.objects_sampled,
        anywhere=True,
        belongs_if_same=("hot-object", "hot-object-io"),
    ),
    Rule("physical-reads", io.physical_reads),
    Rule("read-latency", io.read_latency_of_two, io.read_latency_of_one, belongs_if_same=BY_EVENT),
    Rule(
        "read-tail",
        storage.read_tail_of_two,
        storage.read_tail_of_one,
        one_sided=True,
        belongs_if_same=_BY_READ,
    ),
    Rule("temp-io", io.temp_io_of_two, io.temp_io_of_one, belongs_if_same=BY_EVENT),
    Rule(
        "writes-together",
        storage.writes_together_of_two,
        storage.writes_together_of_one,
        one_sided=True,
        belongs_if_same=("row-locks",),
    ),
    Rule("throughput", storage.throughput, storage.throughput, one_sided=True),
    Rule("backup", backup.backup, backup.backup, one_sided=True),
    Rule("instance-skew", load.instance_skew, load.instance_skew, one_sided=True),
    Rule("cost-per-unit", costs.unit_costs),
    Rule("gets-per-execution", costs.gets_per_execution),
    Rule("sql-entering", statements.entered_statements),
    Rule("sql-leaving", statements.left_statements),
    Rule("sql-new-id", statements.renamed_statements, per_execution=True),
    Rule("sql-slower", statements.slower_statements, per_execution=True, belongs_if_same=_BY_READ),
    Rule("sql-faster", statements.faster_statements, per_execution=True, belongs_if_same=_BY_READ),
    Rule("sql-change", statements.changed_statements),
    Rule("sql-dominant", dominant_statements.dominant_of_two, dominant_statements.dominant_of_one, one_sided=True),
    Rule(
        "sql-running",
        dominant_statements.running_of_two,
        dominant_statements.running_of_one,
        one_sided=True,
        belongs_if_same=_BY_STATEMENT,
    ),
    Rule(
        "sql-readers",
        dominant_statements.readers,
        dominant_statements.readers,
        one_sided=True,
        belongs_if_same=(*_BY_STATEMENT, "sql-sampled"),
    ),
    Rule(
        "sql-sampled",
        sampled.sampled_statements,
        sampled.sampled_statements,
        anywhere=True,
        belongs_if_same=_BY_STATEMENT,
    ),
    Rule("sampled-events", ash.events_of_two, ash.events_of_one, kind=ash.KIND, of_median=False),
    Rule("sampled-cpu", ash.sampled_cpu, ash.sampled_cpu, kind=ash.KIND, one_sided=True, of_median=False),
    Rule("sampled-blocker", ash.sampled_blockers, ash.sampled_blockers, kind=ash.KIND, one_sided=True, of_median=False),
    Rule("sampled-cache", ash.cache_of_two, ash.cache_of_one, kind=ash.KIND, of_median=False),
    Rule("sql-cost", one_statement.cost_of_two, one_statement.cost_of_one, kind=one_statement.KIND, of_median=False),
    Rule("sql-plan", one_statement.plan_of_two, one_statement.plans_of_one, kind=one_statement.KIND, of_median=False),
    Rule("peak-inside", peak.peak_inside, peak.peak_inside, anywhere=True, one_sided=True),
    Rule("redo", load.redo),
    Rule("unaccounted-time", unaccounted.unaccounted_time, unaccounted.unaccounted_time, one_sided=True),
    Rule("memory-exhausted", memory.memory_exhausted, memory.memory_exhausted, one_sided=True),
    Rule("undo-errors", undo.undo_errors, undo.undo_errors, one_sided=True),
    Rule("cold-start", circumstances.cold_start, circumstances.cold_start, one_sided=True),
    Rule("window-length", of_one=circumstances.window_length),
    Rule("parameters", circumstances.parameters),
    Rule("parameters-inside", circumstances.parameters_inside, circumstances.parameters_inside),
    Rule("addm-change", addm.changed_findings, kind=addm.KIND, of_median=False),
    Rule("addm-said", addm.largest_findings, addm.largest_findings, anywhere=True),
)
RULES_OF_TWO = tuple(rule for rule in RULES if rule.of_two is not None)
RULES_OF_ONE = tuple(rule for rule in RULES if rule.of_one is not None)
# Rules of earlier releases, which say nothing any more: `--fail-on` still takes their names.
RETIRED = ("hit-ratios", "other-hours")
BY_ID = {rule.id: rule for rule in RULES}
