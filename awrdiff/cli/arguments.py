"""Options of the command line; invalid ones raise Refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import click

from awrdiff.cli.exit_statuses import Refused

_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s?(us|µs|ms|s)")
_UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
OUTSIDE = "outside"  # of what the reports print that First is the median of: no finding by itself
_BY_ENDING = {
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
    ".txt": "ticket",
}
SEVERITIES = {"critical": ("critical",), "warning": ("critical", "warning")}


class RatedFinding(Protocol):
    @property
    def severity(self) -> str: ...
    @property
    def rule(self) -> str: ...


def sla_seconds(text: str) -> float:
    """`10ms`, `0.5s`, `800us` in seconds."""
    match = _TIME.fullmatch(text.strip())
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if seconds <= 0:
        raise Refused(f"--sla {text}: give a time with its unit, such as 10ms or 0.5s.")
    return seconds


def form_of(output: Path | None, forms: Collection[str]) -> str | None:
    """Format by the file's ending, or None."""
    form = _BY_ENDING.get(output.suffix.lower()) if output is not None else None
    return form if form in forms else None


def rules_of_two() -> list[str]:
    from awrdiff.analysis.verdict.rule_registry import RETIRED, RULES_OF_TWO  # noqa: PLC0415 - hundreds of modules, for --fail-on alone

    return [*(rule.id for rule in RULES_OF_TWO), *RETIRED]


def rules_of_one() -> list[str]:
    from awrdiff.analysis.verdict.rule_registry import RULES_OF_ONE  # noqa: PLC0415

    return [rule.id for rule in RULES_OF_ONE]


def failing(condition: str, rules: Sequence[str]) -> Callable[[RatedFinding], bool]:
    """Test for `--fail-on`: minimum severity, or rules."""
    if condition == OUTSIDE:
        raise Refused(f"--fail-on {OUTSIDE}: outside of what? It goes with --baseline.")
    if condition in SEVERITIES:
        return lambda finding: finding.severity in SEVERITIES[condition]
    if condition not in rules:
        from difflib import get_close_matches  # noqa: PLC0415

        close = get_close_matches(condition, rules, n=3)
        instead = f"did you mean {' or '.join(close)}?" if close else f"the rules are {', '.join(rules)}."
        raise Refused(f"--fail-on {condition}: critical, warning, or a rule; {instead}")
    return lambda finding: finding.rule == condition


def complete_sections(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    from parsers.sections.registry import REGISTRY  # noqa: PLC0415 - no other command needs them so early

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{section_id}" for section_id in sorted(REGISTRY.by_id) if section_id.startswith(last)]


Completion = Callable[[click.Context, click.Parameter, str], list[str]]


def _complete(rules_of: Callable[[click.Context], Iterable[str]]) -> Completion:
    return lambda context, _, begun: [rule for rule in (*SEVERITIES, *rules_of(context)) if rule.startswith(begun)]


complete_rules_of_two = _complete(lambda _: [*rules_of_two(), OUTSIDE])
complete_rules_of_one = _complete(lambda _: rules_of_one())
complete_rules_of_push = _complete(lambda push: rules_of_two() if push.params.get("compares") else rules_of_one())
