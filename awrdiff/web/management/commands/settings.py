"""The server's settings with their sources; a sample environment file with all of them."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from django.core.management.base import BaseCommand

from awrdiff import server_env_variables
from awrdiff.env_variable_types import Variable

_WIDTH = 100
_SECRET_PART = re.compile(r"(?<=//)([^:@]*):.*@|\?.*")  # a password, whatever it is made of; parameters may hold one


class Command(BaseCommand):
    help = "Show what is set and from where, secrets masked; with --sample an environment file of all there is."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--sample", action="store_true", help="an environment file in which nothing is set yet")

    def handle(self, *_args: Any, sample: bool, **_options: Any) -> None:
        self.stdout.write("\n".join(sample_lines() if sample else setting_lines()))


def setting_lines() -> Iterator[str]:
    """By group: name, value and its source."""
    longest = max(len(variable.name) for variable in server_env_variables.declared())
    for number, (group, some) in enumerate(server_env_variables.GROUPS.items()):
        yield from [""] * bool(number)
        yield f"# {group}"
        for setting in some:
            value, source = setting.setting()
            if not value:
                value, source = default_of(setting).replace("`", ""), "default"
            elif setting.is_secret:
                value = masked(value)
            yield f"{setting.name:<{longest}}  {value}  ({source})"


def masked(secret: str) -> str:
    """Addresses lose password and parameters; all else is hidden."""
    if "://" not in secret:
        return "****"
    return _SECRET_PART.sub(lambda match: "?****" if match[1] is None else f"{match[1]}:****@", secret)


def sample_lines() -> Iterator[str]:
    """For systemd, compose or `set -a; . FILE`: defaults as comments."""
    yield from _comment(
        "Settings of awrdiff. What is set here is read when a process starts; nonsense stops it and names the "
        "variable. A secret may stand in a file of its own instead, named by the variable with _FILE behind its name."
    )
    for group, some in server_env_variables.GROUPS.items():
        yield ""
        yield f"# --- {group}"
        for variable in some:
            default = default_of(variable).replace("`", "")
            says = f"{variable.means.replace('`', '')}." + (f" Without it: {default}." if variable.unset else "")
            yield ""
            yield from _comment(says[0].upper() + says[1:])
            yield f"#{variable.name}={'' if variable.unset or default == 'none' else default}"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def table_lines() -> Iterator[str]:
    """The table of docs/reference/settings.md."""
    yield "| Variable | Default | Meaning |"
    yield "|---|---|---|"
    for variable in server_env_variables.declared():
        secret = f"; or in the file that `{variable.names[-1]}` names" if variable.is_secret else ""
        yield f"| `{variable.name}` | {default_of(variable)} | {variable.means}{secret} |"


def default_of(variable: Variable[Any]) -> str:
    return variable.unset or (str(variable.default) if variable.default not in ("", ()) else "none")
