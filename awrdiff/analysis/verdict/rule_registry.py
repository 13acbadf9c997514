"""Rules of one and of two reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import RuleResult
from awrdiff.analysis.verdict.rules import (
    addm,
    ash,
    ash_only_statements_and_objects,
    awr_sql_report,
    backup,
    cold_start_and_parameters,
    commits,
    cost_per_call,
    cpu,
    dominant_statements,
    hot_segments,
    io,
    log_switches,
    memory,
    network,
    new_gone_and_slower_statements,
    parsing,
    peak_inside_window,
    sessions,
    storage,
    unaccounted_db_time,
    undo,
    waits,
    workload_throughput,
)
from parsers.model import Report


class Rule(NamedTuple):
    """Functions for two reports and one; None: no sense."""

    id: str  # stands in links and command lines: never rename it
    of_two: Callable[[FactsOfTwo], RuleResult] | None = None
    of_one: Callable[[FactsOfOne], RuleResult] | None = None
    anywhere: bool = False  # needs no load of an interval
    kind: str = ""  # of report that it needs, "" for any
    one_sided: bool = False  # trouble of a side by itself; other rules claim a change: a note between other work
    per_execution: bool = False  # holds whatever the windows were cut around
    of_median: bool = True  # also runs where First is a median, which has no clock and no plan
    belongs_to: tuple[str, ...] = ()  # folded into the first of these that fired
    belongs_if_same: tuple[str, ...] = ()  # likewise if about the same event, statement or object

    def is_about(self, *reports: Report) -> bool:
        return self.kind in ("", *(report.kind for report in reports))

    @property
    def needs_an_interval(self) -> bool:
        return not (self.anywhere or self.kind)


def of_any(
    rule: Callable[[FactsOfOne | FactsOfTwo], RuleResult],
) -> tuple[Callable[[FactsOfTwo], RuleResult], Callable[[FactsOfOne], RuleResult]]:
    return rule, rule


BY_EVENT = ("event-latency", "event-count")
_BY_READ = ("read-latency", *BY_EVENT)
_BY_STATEMENT = ("sql-slower", "sql-faster", "sql-change", "sql-entering", "sql-leaving", "sql-new-id", "sql-dominant")
# Findings of one size stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("load-against-db-time", workload_throughput.load_against_db_time),
    Rule("throughput-collapsed", workload_throughput.throughput_collapsed, belongs_to=("load-against-db-time",)),
    Rule("parsing-dominates", parsing.parsing_dominates_of_two, parsing.parsing_dominates_of_one, one_sided=True),
    Rule("parse-failures", parsing.parse_failures_of_two, parsing.parse_failures_of_one, one_sided=True),
    Rule(
        "hard-parse-rate",
        parsing.hard_parse_rate_of_two,
        parsing.hard_parse_rate_of_one,
        belongs_to=("parsing-dominates",),
    ),
    Rule("shared-pool-pressure", *of_any(memory.shared_pool_pressure), one_sided=True),
    Rule("event-latency", waits.event_latency),
    Rule("event-count", waits.event_count),
    Rule("host-cpu-saturated", *of_any(cpu.host_cpu_saturated), one_sided=True),
    Rule("load-average", *of_any(cpu.load_average), one_sided=True),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit_of_two, cpu.cpu_not_the_limit_of_one),
    Rule("cpu-time", cpu.cpu_time_of_two, cpu.cpu_time_of_one, belongs_to=("host-cpu-saturated",)),
    Rule("db-cpu", cpu.db_cpu_change, belongs_to=("host-cpu-saturated", "cpu-time")),
    Rule("resource-manager", *of_any(cpu.resource_manager), one_sided=True),
    Rule("session-storm", sessions.session_storm_of_two, sessions.session_storm_of_one),
    Rule("logon-rate", sessions.logon_rate_of_two, sessions.logon_rate_of_one, belongs_to=("session-storm",)),
    Rule(
        "commit-latency",
        commits.commit_latency_of_two,
        commits.commit_latency_of_one,
        belongs_if_same=("row-locks",),  # where its commits hold the locks
    ),
    Rule("commit-nowait", commits.commit_nowait_of_two, commits.commit_nowait_of_one, one_sided=True),
    Rule("log-file-switch", *of_any(waits.log_file_switch), one_sided=True, belongs_to=("log-switch-rate",)),
    Rule("checkpoint-writes", *of_any(log_switches.checkpoint_writes), one_sided=True),
    Rule("log-switch-rate", log_switches.of_two, log_switches.of_one, one_sided=True),
    Rule("row-locks", *of_any(waits.row_locks), one_sided=True),
    Rule("enqueues", *of_any(waits.enqueues), one_sided=True),
    Rule("pga-over-limit", *of_any(waits.pga_limit), one_sided=True),
    Rule("buffer-busy", *of_any(waits.buffer_busy), one_sided=True),
    Rule("interconnect", *of_any(waits.interconnect), one_sided=True),
    Rule("network-bound", *of_any(network.network_bound), one_sided=True),
    Rule("top-wait", of_one=waits.top_wait),
    Rule("hot-object", *of_any(hot_segments.hot_object), one_sided=True),
    Rule("hot-object-io", *of_any(hot_segments.hot_object_io)),
    Rule(
        "object-sampled",
        *of_any(ash_only_statements_and_objects.objects_sampled),
        anywhere=True,
        belongs_if_same=("hot-object", "hot-object-io"),
    ),
    Rule("physical-reads", io.physical_reads),
    Rule("read-latency", io.read_latency_of_two, io.read_latency_of_one, belongs_if_same=BY_EVENT),
    Rule("read-tail", storage.read_tail_of_two, storage.read_tail_of_one, one_sided=True, belongs_if_same=_BY_READ),
    Rule("temp-io", io.temp_io_of_two, io.temp_io_of_one, belongs_if_same=BY_EVENT),
    Rule(
        "writes-together",
        storage.writes_together_of_two,
        storage.writes_together_of_one,
        one_sided=True,
        belongs_if_same=("row-locks",),
    ),
    Rule("throughput", *of_any(storage.throughput), one_sided=True),
    Rule("backup", *of_any(backup.backup), one_sided=True),
    Rule("instance-skew", *of_any(workload_throughput.instance_skew), one_sided=True),
    Rule("cost-per-unit", cost_per_call.unit_costs),
    Rule("gets-per-execution", cost_per_call.gets_per_execution),
    Rule("sql-entering", new_gone_and_slower_statements.entered_statements),
    Rule("sql-leaving", new_gone_and_slower_statements.left_statements),
    Rule("sql-new-id", new_gone_and_slower_statements.renamed_statements, per_execution=True),
    Rule("sql-slower", new_gone_and_slower_statements.slower_statements, per_execution=True, belongs_if_same=_BY_READ),
    Rule("sql-faster", new_gone_and_slower_statements.faster_statements, per_execution=True, belongs_if_same=_BY_READ),
    Rule("sql-change", new_gone_and_slower_statements.changed_statements),
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
        *of_any(dominant_statements.readers),
        one_sided=True,
        belongs_if_same=(*_BY_STATEMENT, "sql-sampled"),
    ),
    Rule(
        "sql-sampled",
        *of_any(ash_only_statements_and_objects.sampled_statements),
        anywhere=True,
        belongs_if_same=_BY_STATEMENT,
    ),
    Rule("sampled-events", ash.events_of_two, ash.events_of_one, kind=ash.KIND, of_median=False),
    Rule("sampled-cpu", *of_any(ash.sampled_cpu), kind=ash.KIND, one_sided=True, of_median=False),
    Rule("sampled-blocker", *of_any(ash.sampled_blockers), anywhere=True, one_sided=True, of_median=False),
    Rule("sampled-cache", ash.cache_of_two, ash.cache_of_one, kind=ash.KIND, of_median=False),
    Rule("sql-cost", awr_sql_report.cost_of_two, awr_sql_report.cost_of_one, kind=awr_sql_report.KIND, of_median=False),
    Rule(
        "sql-plan", awr_sql_report.plan_of_two, awr_sql_report.plans_of_one, kind=awr_sql_report.KIND, of_median=False
    ),
    Rule("peak-inside", *of_any(peak_inside_window.peak_inside), anywhere=True, one_sided=True),
    Rule("redo", workload_throughput.redo),
    Rule("unaccounted-time", *of_any(unaccounted_db_time.unaccounted_time), one_sided=True),
    Rule("memory-exhausted", *of_any(memory.memory_exhausted), one_sided=True),
    Rule("undo-errors", *of_any(undo.undo_errors), one_sided=True),
    Rule("cold-start", *of_any(cold_start_and_parameters.cold_start), one_sided=True),
    Rule("window-length", of_one=cold_start_and_parameters.window_length),
    Rule("parameters", cold_start_and_parameters.parameters),
    Rule("parameters-inside", *of_any(cold_start_and_parameters.parameters_inside)),
    Rule("addm-change", addm.changed_findings, kind=addm.KIND, of_median=False),
    Rule("addm-said", *of_any(addm.largest_findings), anywhere=True),
)
RULES_OF_TWO = tuple(rule for rule in RULES if rule.of_two is not None)
RULES_OF_ONE = tuple(rule for rule in RULES if rule.of_one is not None)
# Rules of earlier releases, which say nothing any more: `--fail-on` still takes their names.
RETIRED = ("hit-ratios", "other-hours")
BY_ID = {rule.id: rule for rule in RULES}
