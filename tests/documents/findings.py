"""The tables of docs/reference/findings.md: every rule as its docstring has it, and the cases that it is held against."""

from __future__ import annotations

import inspect
import re
import string
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from awrdiff.analysis.commit_latency import committing_statements
from awrdiff.analysis.figures_in_words import number, percent, seconds, size
from awrdiff.analysis.verdict import capacity_limits, rule_inputs, statement_changes, thresholds
from awrdiff.analysis.verdict.rule_registry import RULES_OF_ONE, RULES_OF_TWO
from fixtures.diagnosed import CASES, SINGLE_CASES, Case, SingleCase

_MODULES = (thresholds, statement_changes, committing_statements, capacity_limits, rule_inputs)
_SHARED = [vars(module) for module in _MODULES]
_UNITS: dict[str, Callable[[Any], str]] = {"": number, "%": percent, "s": seconds, "B": size}


class _Figures(string.Formatter):
    """Thresholds in a rule's line: `{FELT:%}` share, `{SLOW_S:s}` seconds, `{MUCH:B}` bytes, `{FEW}`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return _UNITS[format_spec](value)


def of_two() -> str:
    return "\n".join(_rules((r.id, r.of_two) for r in RULES_OF_TWO))


def of_one() -> str:
    return "\n".join(_rules((r.id, r.of_one) for r in RULES_OF_ONE))


def cases_of_two() -> str:
    return "\n".join(_cases(CASES))


def cases_of_one() -> str:
    return "\n".join(_cases(SINGLE_CASES))


def line_of(rule: Callable[..., object]) -> str:
    """Docstring with the thresholds of the rule's module, else of the shared ones."""
    return _Figures().vformat(inspect.getdoc(rule) or "", (), ChainMap(rule.__globals__, *_SHARED))


def reasons_of(rule: Callable[..., object]) -> str:
    """Comments beside the thresholds in the rule's line, after their colon: `20 %: all of parsing, …`."""
    reasons: dict[str, str] = {}
    for _, name, unit, _ in string.Formatter().parse(inspect.getdoc(rule) or ""):
        pattern = rf"^(?:\w+, )*{(name or '').rpartition('.')[2]}(?:, \w+)* = [^#\n]*# [^:\n]*: (.+)$"
        sources = [inspect.getsource(module) for module in (sys.modules[rule.__module__], *_MODULES)]
        comment = next((m[1] for source in sources if (m := re.search(pattern, source, re.MULTILINE))), "")
        if name and comment:
            figure = _Figures().vformat(f"{{{name}:{unit}}}", (), ChainMap(rule.__globals__, *_SHARED))
            reasons.setdefault(figure, comment)
    return "; ".join(f"{figure}: {reason}" for figure, reason in reasons.items())


def source_of(rule: Callable[..., object]) -> str:
    """Last paragraph of the module's docstring, of all its rules."""
    text = inspect.getdoc(sys.modules[rule.__module__]) or ""
    return " ".join(text.partition("Source: ")[2].split()).removesuffix(".")


def _rules(rules: Iterable[tuple[str, Callable[..., object] | None]]) -> Iterator[str]:
    yield "| rule | fires on (figures are least ones) | why so | source |"
    yield "|---|---|---|---|"
    for rule_id, rule in rules:
        if rule is not None:
            yield f"| `{rule_id}` | {_cell(line_of(rule))} | {_cell(reasons_of(rule))} | {_cell(source_of(rule))} |"


def _cases(cases: Sequence[Case | SingleCase]) -> Iterator[str]:
    yield "| case | is said | is never said | rules |"
    yield "|---|---|---|---|"
    for case in cases:
        rules = ", ".join(f"`{rule}` {state}" for rule, state in case.rules.items())
        says, never = (" … ".join(_cell(piece) for piece in pieces) for pieces in (case.says, case.never))
        yield f"| {case.name} | {says} | {never} | {rules} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
