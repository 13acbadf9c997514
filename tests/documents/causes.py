"""The table of docs/reference/commit-latency.md: when each cause of commit latency fires, as its rule says."""

from __future__ import annotations

import inspect
import re
from typing import Any

from awrdiff.analysis.commit_latency.causes import changes, single, traces
from awrdiff.analysis.commit_latency.causes.facts import Rule

RULES: tuple[Rule[Any], ...] = (
    *single.RULES,
    single.DURABILITY,
    changes.DURABILITY,
    single.NOT_REDO_IO,
    *changes.RULES,
    *traces.RULES,
)


def table() -> str:
    return "\n".join(["| rule | fires when |", "| --- | --- |", *map(_row, RULES)])


def _row(rule: Rule[Any]) -> str:
    said = " ".join((inspect.getdoc(rule.test) or "").split("\n\n", maxsplit=1)[0].split())
    linked = re.sub(r"\bsection (\d)\b", r"[section \1](../commit-latency.md#section-\1)", said)
    return f"| `{rule.rule}` | {linked} |"
