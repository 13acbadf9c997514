"""Every rule says what docs/reference/findings.md lists: when it fires, and by which source."""

from __future__ import annotations

import inspect
import re

from awrdiff.analysis.figures_in_words import percent
from awrdiff.analysis.verdict.rule_registry import RETIRED, RULES, RULES_OF_ONE, RULES_OF_TWO
from awrdiff.analysis.verdict.rules.sessions import logon_rate_of_two
from awrdiff.analysis.verdict.rules.waits import ROW_LOCKS, event_latency, row_locks
from tests.documents.findings import line_of, reasons_of, source_of

LOOKS = [(rule.id, looks) for rule in RULES for looks in (rule.of_two, rule.of_one) if looks is not None]


def test_every_rule_says_in_one_line_when_it_fires():
    lines = {rule: inspect.getdoc(looks) or "" for rule, looks in LOOKS}
    assert [rule for rule, line in lines.items() if not line or "\n" in line or len(line.split()) > 25] == []


def test_every_rule_names_its_source():
    assert [rule for rule, looks in LOOKS if len(source_of(looks)) < 10] == []


def test_shares_in_a_rules_line_are_its_constants():
    """A share typed by hand would stay when its threshold moves."""
    assert [rule for rule, looks in LOOKS if re.search(r"\d ?%", inspect.getdoc(looks) or "")] == []
    assert [rule for rule, looks in LOOKS if "{" in line_of(looks)] == []
    assert line_of(row_locks).startswith(f"Row locks of {percent(ROW_LOCKS.least)} of DB time")


def test_a_threshold_has_the_reason_beside_it_in_the_code():
    assert reasons_of(logon_rate_of_two) == "3 %: a logon in every call takes more, a pool connects once"
    assert reasons_of(event_latency) == "15 %: what is less explains little of it"  # of another module
    assert sum(bool(reasons_of(looks)) for _, looks in LOOKS) >= len(LOOKS) // 2


def test_ids_of_one_report_are_those_of_two_but_for_what_only_one_can_say():
    ids = [rule.id for rule in RULES_OF_ONE]
    assert len(ids) == len(set(ids))
    assert set(ids) - {rule.id for rule in RULES_OF_TWO} == {"top-wait", "window-length"}


def test_ids_are_stable():
    """Threads, links and command lines hang on them: an id of this list may fall silent, never be renamed."""
    known = {
        "addm-change",
        "addm-said",
        "backup",
        "buffer-busy",
        "checkpoint-writes",
        "cold-start",
        "commit-latency",
        "commit-nowait",
        "cost-per-unit",
        "cpu-not-the-limit",
        "cpu-time",
        "db-cpu",
        "enqueues",
        "event-count",
        "event-latency",
        "gets-per-execution",
        "hard-parse-rate",
        "host-cpu-saturated",
        "hot-object",
        "hot-object-io",
        "instance-skew",
        "interconnect",
        "load-against-db-time",
        "load-average",
        "log-file-switch",
        "log-switch-rate",
        "logon-rate",
        "memory-exhausted",
        "network-bound",
        "object-sampled",
        "parameters",
        "parameters-inside",
        "parse-failures",
        "parsing-dominates",
        "peak-inside",
        "pga-over-limit",
        "physical-reads",
        "read-latency",
        "read-tail",
        "redo",
        "resource-manager",
        "row-locks",
        "session-storm",
        "sampled-blocker",
        "sampled-cache",
        "sampled-cpu",
        "sampled-events",
        "sql-change",
        "sql-cost",
        "sql-dominant",
        "sql-entering",
        "sql-faster",
        "sql-leaving",
        "sql-new-id",
        "sql-plan",
        "sql-running",
        "sql-sampled",
        "sql-readers",
        "shared-pool-pressure",
        "sql-slower",
        "temp-io",
        "throughput",
        "throughput-collapsed",
        "unaccounted-time",
        "undo-errors",
        "writes-together",
    }
    ids = [rule.id for rule in RULES_OF_TWO]
    assert RETIRED == ("hit-ratios", "other-hours")
    assert known <= set(ids), "an id that links hang on is gone: a rule is never renamed"
    assert set(ids) <= known, "a new rule: name it here too, from now on links hang on it"
    assert len(ids) == len(set(ids))
    assert [i for i in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)*", i)] == []
