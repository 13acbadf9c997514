"""The options of a command of `awrdiff`, as its help has them."""

from __future__ import annotations

import click


def of(command: click.Command) -> str:
    options = [one for one in command.params if isinstance(one, click.Option)]
    lines = [f"| `{_written(one)}` | {(one.help or '').replace('|', chr(92) + '|').rstrip('.')} |" for one in options]
    return "\n".join(["| option | |", "|---|---|", *lines]) if lines else "No options."


def _written(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if option.metavar:
        value = option.metavar
    elif isinstance(option.type, click.Choice):
        value = "|".join(option.type.choices)
    else:
        value = option.human_readable_name.upper()
    return f"{names} {value}".replace("|", r"\|")
