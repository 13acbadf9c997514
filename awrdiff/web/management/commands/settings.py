"""What the server's settings are and where each comes from; a sample of an environment file with all of them."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from django.core.management.base import BaseCommand

from awrdiff import variables
from awrdiff.env import Variable

_WIDTH = 100
_HIDDEN = re.compile(r"(?<=//)([^:@]*):.*@|\?.*")  # a password, whatever it is made of; parameters may hold one


class Command(BaseCommand):
    help = "Show what is set and from where, secrets masked; with --sample an environment file of all there is."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--sample", action="store_true", help="an environment file in which nothing is set yet")

    def handle(self, *_args: Any, sample: bool, **_options: Any) -> None:
        self.stdout.write("\n".join(sample_lines() if sample else found_lines()))


def found_lines() -> Iterator[str]:
    """A line a setting by groups: its name, what holds, and where that comes from."""
    longest = max(len(one.name) for one in variables.declared())
    for number, (group, some) in enumerate(variables.GROUPS.items()):
        yield from [""] * bool(number)
        yield f"# {group}"
        for one in some:
            value, source = _holds(one)
            yield f"{one.name:<{longest}}  {value}  ({source})"


def _holds(one: Variable[Any]) -> tuple[str, str]:
    given = one.setting()
    if not given.value:
        return default_of(one).replace("`", ""), "default"
    if not one.is_secret:
        return given.value, given.source
    return masked(given.value), given.source


def masked(secret: str) -> str:
    """Of an address all but its password and parameters, of anything else nothing."""
    if "://" not in secret:
        return "****"
    return _HIDDEN.sub(lambda found: "?****" if found[1] is None else f"{found[1]}:****@", secret)


def sample_lines() -> Iterator[str]:
    """An environment file for systemd, compose or `set -a; . FILE`: every setting as a comment with its default."""
    yield from _comment(
        "Settings of awrdiff. What is set here is read when a process starts; nonsense stops it and names the "
        "variable. A secret may stand in a file of its own instead, named by the variable with _FILE behind its name."
    )
    for group, some in variables.GROUPS.items():
        yield ""
        yield f"# --- {group}"
        for one in some:
            default = default_of(one).replace("`", "")
            says = f"{one.means.replace('`', '')}." + (f" Without it: {default}." if one.unset else "")
            yield ""
            yield from _comment(says[0].upper() + says[1:])
            yield f"#{one.name}={'' if one.unset or default == 'none' else default}"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def table_lines() -> Iterator[str]:
    """The table of docs/reference/settings.md."""
    yield "| Variable | Default | Meaning |"
    yield "|---|---|---|"
    for one in variables.declared():
        secret = f"; or in the file that `{one.names[-1]}` names" if one.is_secret else ""
        yield f"| `{one.name}` | {default_of(one)} | {one.means}{secret} |"


def default_of(one: Variable[Any]) -> str:
    return one.unset or (str(one.default) if one.default not in ("", ()) else "none")
