"""Which part of which document is made of what."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from awrdiff.analysis.commit_latency import figure_catalogue  # noqa: E402
from awrdiff.cli.main import awrdiff  # noqa: E402
from awrdiff.web.management.commands.settings import table_lines  # noqa: E402
from tests.documents import (  # noqa: E402
    addresses,
    causes,
    commands,
    findings,
    kinds,
    metrics,
    options,
    sections,
    tables_of_teams,
    tools,
)

MADE: dict[tuple[str, str], Callable[[], str]] = {
    ("reference/settings", "settings"): lambda: "\n".join(table_lines()),
    ("reference/findings", "rules"): findings.of_two,
    ("reference/findings", "cases"): findings.cases_of_two,
    ("reference/findings", "rules of one"): findings.of_one,
    ("reference/findings", "cases of one"): findings.cases_of_one,
    ("reference/sections", "sections"): sections.sections,
    ("reference/metrics", "metrics"): lambda: metrics.metrics().strip(),
    ("operations", "commands"): commands.table,
    ("mcp", "tools"): tools.table,
    ("entities", "kinds"): kinds.table,
    ("reference/commit-latency", "figures"): figure_catalogue.as_table,
    ("reference/commit-latency", "causes"): causes.table,
    ("reference/team", "roles"): tables_of_teams.roles,
    ("reference/team", "limits"): tables_of_teams.how_many,
    ("reference/team", "failed sign-ins"): tables_of_teams.sign_ins,
    ("reference/http", "scopes"): tables_of_teams.scopes,
    ("reference/http", "api"): addresses.api,
    **{("reference/http", f"pages: {room}"): partial(addresses.pages, room) for room in addresses.PAGES},
    **{
        ("reference/command-line", f"options of {name}"): partial(options.of, command)
        for name, command in awrdiff.commands.items()
    },
}
