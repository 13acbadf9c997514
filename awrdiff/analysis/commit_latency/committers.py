"""Who commits: statements that run about as often as there are commits, by the lists that print their executions.

A statement that changes rows, or a block, of as many executions as there were commits is a candidate for the place that
commits: one row to a commit. It proves nothing, and a statement below the end of every list is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from awrdiff.analysis.model.commits import Committer
from awrdiff.analysis.names.statement_texts import changes_rows
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.words import listing

NEAR = 0.15  # executions against commits
LEAST_COMMITS = 1_000
MOST = 3
_LONGEST = 60  # characters of a text


def committers_of(side: Side) -> tuple[Committer, ...]:
    """The nearest first; empty where commits are few or not printed."""
    commits = side.statistic("user commits")
    if commits is None or commits.number < LEAST_COMMITS:
        return ()
    out = []
    for statement in side.statements.values():
        runs, figure = statement.executions, statement.figures.get("executions")
        if runs is None or figure is None or not (statement.is_plsql or changes_rows(statement.text)):
            continue
        each = runs.number / commits.number
        if abs(each - 1.0) <= NEAR:
            text = " ".join(statement.text.split())
            short = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…"
            out.append(
                Committer(statement.key.sql_id, statement.module, runs.number, each, short, (figure.evidence(),))
            )
    return tuple(sorted(out, key=lambda c: abs(c.per_commit - 1.0))[:MOST])


def modules_of(committers: Sequence[Committer]) -> dict[str, list[Committer]]:
    """By module, where one is printed."""
    found: dict[str, list[Committer]] = defaultdict(list)
    for committer in committers:
        found[committer.module or ""].append(committer)
    return dict(found)


def sentence(committers: Sequence[Committer]) -> str:
    """`About as often as commits ran 7abc… of module batch.exe (1.02 executions per commit).`"""
    parts = []
    for module, those in modules_of(committers).items():
        ids = listing([f"{c.sql_id} ({c.per_commit:.2f} per commit)" for c in those])
        parts.append(f"{ids} of module {module}" if module else ids)
    return f"About as often as commits ran {listing(parts)}." if parts else ""


__all__ = ["committers_of", "modules_of", "sentence"]
