"""The table of docs/reference/commit-latency.md: when each cause of commit latency fires, as its rule says."""

from __future__ import annotations

import inspect
import re
from typing import Any

from awrdiff.analysis.commit_latency.causes import lgwr_traces, single_report_rules, two_report_causes
from awrdiff.analysis.commit_latency.causes.rule_types import Rule

RULES: tuple[Rule[Any], ...] = (
    *single_report_rules.RULES,
    single_report_rules.DURABILITY,
    two_report_causes.DURABILITY,
    single_report_rules.NOT_REDO_IO,
    *two_report_causes.RULES,
    *lgwr_traces.RULES,
)


def table() -> str:
    return "\n".join(["| rule | fires when |", "| --- | --- |", *map(_row, RULES)])


def _row(rule: Rule[Any]) -> str:
    said = " ".join((inspect.getdoc(rule.test) or "").split("\n\n", maxsplit=1)[0].split())
    linked = re.sub(r"\bsection (\d)\b", r"[section \1](../commit-latency.md#section-\1)", said)
    return f"| `{rule.rule}` | {linked} |"
