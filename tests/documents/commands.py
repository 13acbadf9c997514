"""The table of docs/operations.md: every command of `manage.py` that is this project's, as its help has it."""

from __future__ import annotations

from argparse import Action
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

_OF_DJANGO = {one.dest for one in BaseCommand().create_parser("manage.py", "")._actions}


def table() -> str:
    names = sorted(name for name, app in get_commands().items() if app.startswith("awrdiff."))
    return "\n".join(["| `manage.py` | what it does |", "|---|---|", *map(_row, names)])


def _row(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    actions = command.create_parser("manage.py", name)._actions
    words = " ".join([name, *_arguments([one for one in actions if one.dest not in _OF_DJANGO])])
    return f"| `{words.replace('|', chr(92) + '|')}` | {' '.join(str(command.help).split())} |"


def _arguments(actions: list[Action]) -> Iterator[str]:
    for one in sorted(actions, key=lambda action: bool(action.option_strings)):
        named = one.metavar or one.dest.upper()
        value = " ".join(named) if isinstance(named, tuple) else named
        if one.choices and not one.metavar:
            value = "|".join(map(str, one.choices))
        many = "…" if one.nargs in ("+", "*") else ""
        if not one.option_strings:
            yield value + many
            continue
        written = one.option_strings[-1] + ("" if one.nargs == 0 else f" {value}{many}")
        yield written if one.required else f"[{written}]"
