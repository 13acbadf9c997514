"""Runs the rules. A rule whose inputs are not printed is counted as such, never as quiet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from awrdiff.analysis.kinds import weighable
from awrdiff.analysis.model import Finding
from awrdiff.analysis.rules import cpu, io, load, parsing, sessions, settings, sql, waits
from awrdiff.analysis.rules.facts import UNKNOWN, Answer, Facts

Rule = Callable[[Facts], Answer]

# Within a severity, findings stand in this order.
RULES: tuple[Rule, ...] = (
    load.load_against_db_time,
    parsing.parsing_dominates,
    parsing.parse_failures,
    parsing.hard_parse_rate,
    waits.event_latency,
    waits.event_count,
    cpu.host_cpu_saturated,
    cpu.cpu_not_the_limit,
    cpu.db_cpu_change,
    cpu.resource_manager,
    sessions.session_storm,
    sessions.logon_rate,
    waits.commits,
    waits.log_file_switch,
    waits.row_locks,
    waits.buffer_busy,
    waits.interconnect,
    io.physical_reads,
    io.read_latency,
    io.temp_io,
    io.hit_ratios,
    sql.entering,
    sql.slower,
    load.redo,
    waits.unaccounted,
    settings.parameters,
    settings.changed_inside,
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
    answers = [rule(facts) if weighed else UNKNOWN for rule in RULES]
    fired = sorted((a for a in answers if isinstance(a, Finding)), key=lambda f: _RANK[f.severity])
    unknown = sum(a is UNKNOWN for a in answers)
    return Outcome(tuple(fired), len(answers), len(answers) - len(fired) - unknown, unknown)
