"""Words that a shell offers for `--only` and `--fail-on`."""

from __future__ import annotations

from collections.abc import Iterable

import click


def sections(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Section ids, also after a comma."""
    from parsers.sections.registry import REGISTRY  # noqa: PLC0415 - no other command needs them so early

    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{section_id}" for section_id in sorted(REGISTRY.by_id) if section_id.startswith(last)]


def rules_of_two(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    from awrdiff.cli import arguments  # noqa: PLC0415

    return _beginning([*arguments.rules_of_two(), arguments.OUTSIDE], begun)


def rules_of_one(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    from awrdiff.cli import arguments  # noqa: PLC0415

    return _beginning(arguments.rules_of_one(), begun)


def rules_of_push(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    from awrdiff.cli import arguments  # noqa: PLC0415

    offered = rules_of_two if context.params.get("compares") else rules_of_one
    return [rule for rule in offered(context, option, begun) if rule != arguments.OUTSIDE]


def _beginning(rules: Iterable[str], begun: str) -> list[str]:
    from awrdiff.cli import arguments  # noqa: PLC0415

    return [rule for rule in (*arguments.SEVERITIES, *rules) if rule.startswith(begun)]
