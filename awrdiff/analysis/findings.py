"""Runs the rules. A rule whose inputs are not printed is counted as such, never as quiet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from awrdiff.analysis.kinds import weighable
from awrdiff.analysis.model import Finding
from awrdiff.analysis.rules import cpu, io, load, parsing, sessions, settings, sql, waits
from awrdiff.analysis.rules.facts import UNKNOWN, Answer, Facts


class Rule(NamedTuple):
    """`id` is what its findings are known by, in links and on command lines: it is never renamed."""

    id: str
    test: Callable[[Facts], Answer]


# Within a severity, findings stand in this order.
RULES: tuple[Rule, ...] = (
    Rule("load-against-db-time", load.load_against_db_time),
    Rule("parsing-dominates", parsing.parsing_dominates),
    Rule("parse-failures", parsing.parse_failures),
    Rule("hard-parse-rate", parsing.hard_parse_rate),
    Rule("event-latency", waits.event_latency),
    Rule("event-count", waits.event_count),
    Rule("host-cpu-saturated", cpu.host_cpu_saturated),
    Rule("cpu-not-the-limit", cpu.cpu_not_the_limit),
    Rule("db-cpu", cpu.db_cpu_change),
    Rule("resource-manager", cpu.resource_manager),
    Rule("session-storm", sessions.session_storm),
    Rule("logon-rate", sessions.logon_rate),
    Rule("commit-latency", waits.commits),
    Rule("log-file-switch", waits.log_file_switch),
    Rule("row-locks", waits.row_locks),
    Rule("buffer-busy", waits.buffer_busy),
    Rule("interconnect", waits.interconnect),
    Rule("physical-reads", io.physical_reads),
    Rule("read-latency", io.read_latency),
    Rule("temp-io", io.temp_io),
    Rule("hit-ratios", io.hit_ratios),
    Rule("sql-entering", sql.entering),
    Rule("sql-slower", sql.slower),
    Rule("redo", load.redo),
    Rule("unaccounted-time", waits.unaccounted),
    Rule("parameters", settings.parameters),
    Rule("parameters-inside", settings.changed_inside),
)
_RANK = {"critical": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class Outcome:
    findings: tuple[Finding, ...]
    checked: int
    quiet: int
    unknown: int


def evaluate(facts: Facts) -> Outcome:
    """`checked` counts all rules: those that fired, the quiet ones and those that could not be checked."""
    weighed = weighable(facts.first, facts.second)
    answers = [rule.test(facts) if weighed else UNKNOWN for rule in RULES]
    fired = sorted((a for a in answers if isinstance(a, Finding)), key=lambda f: _RANK[f.severity])
    unknown = sum(a is UNKNOWN for a in answers)
    return Outcome(tuple(fired), len(answers), len(answers) - len(fired) - unknown, unknown)
