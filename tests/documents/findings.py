"""The tables of docs/reference/findings.md: every rule as its docstring has it, and the cases that it is held against."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.verdict.table import RULES_OF_ONE, RULES_OF_TWO
from fixtures.diagnosed import CASES, SINGLE_CASES, Case, SingleCase


def of_two() -> str:
    return "\n".join(_rules((r.id, r.of_two) for r in RULES_OF_TWO))


def of_one() -> str:
    return "\n".join(_rules((r.id, r.of_one) for r in RULES_OF_ONE))


def cases_of_two() -> str:
    return "\n".join(_cases(CASES))


def cases_of_one() -> str:
    return "\n".join(_cases(SINGLE_CASES))


def _rules(rules: Iterable[tuple[str, object]]) -> Iterator[str]:
    yield "| rule | looks at, and says something from when on | why so, and what it does not claim | source |"
    yield "|---|---|---|---|"
    for rule_id, rule in rules:
        looks, reason, source = _parts(rule)
        yield f"| `{rule_id}` | {looks} | {reason} | {source} |"


def _parts(rule: object) -> tuple[str, str, str]:
    """The first paragraph of the rule's docstring, the others, and the one that begins with Source."""
    text = inspect.getdoc(rule) or ""
    paragraphs = [_cell(p) for p in re.split(r"\n\s*\n", text)]
    source = next((p.removeprefix("Source: ") for p in paragraphs if p.startswith("Source: ")), "")
    rest = [p for p in paragraphs[1:] if not p.startswith("Source: ")]
    return paragraphs[0], " ".join(rest), source


def _cases(cases: Sequence[Case | SingleCase]) -> Iterator[str]:
    yield "| case | is said | is never said | rules |"
    yield "|---|---|---|---|"
    for case in cases:
        rules = ", ".join(f"`{rule}` {state}" for rule, state in case.rules.items())
        says, never = (" … ".join(_cell(piece) for piece in pieces) for pieces in (case.says, case.never))
        yield f"| {case.name} | {says} | {never} | {rules} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
