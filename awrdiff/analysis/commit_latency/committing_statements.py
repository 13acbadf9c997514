"""Statements run about as often as commits, and settings by which commits do not wait.

`commit_wait` and NOWAIT give up durability; BATCH with WAIT does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import row, statistic_row
from awrdiff.analysis.figures_in_words import listing, percent
from awrdiff.analysis.model.commit_latency import Committer
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.names.sql_text_normalisation import changes_rows
from awrdiff.analysis.report.figures_by_name import Side

NEAR = 0.15  # executions against commits
LEAST_COMMITS = 1_000
MOST = 3
_LONGEST = 60  # characters of a text


def committers_of(side: Side) -> tuple[Committer, ...]:
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


def sentence(committers: Sequence[Committer]) -> str:
    """`About as often as commits ran 7abc… (1.02 per commit) of module batch.exe.`"""
    parts = []
    by_module: dict[str, list[Committer]] = defaultdict(list)
    for committer in committers:
        by_module[committer.module].append(committer)
    for module, those in by_module.items():
        ids = listing([f"{c.sql_id} ({c.per_commit:.2f} per commit)" for c in those])
        parts.append(f"{ids} of module {module}" if module else ids)
    return f"About as often as commits ran {listing(parts)}." if parts else ""


LEAST_SHARE = 0.05  # of the commits; 0.1 to 1.3 % are what the database does by itself
NOWAIT, BATCH, WAITED = "commit nowait performed", "commit batch performed", "commit wait performed"
COMMITS, SYNCHS = "user commits", "redo synch writes"
WAITED_FOR = 0.5  # synch writes to a commit: from here on most waited
_SETTINGS = ("commit_wait", "commit_logging", "commit_write")
_COLUMNS = ("begin_value", "end_value")


class CommitSetting(Struct, frozen=True):
    """`share` of commits (0..1), `synchs` per commit; None = not printed."""

    share: float | None
    text: str
    evidence: tuple[Evidence, ...]
    synchs: float | None = None

    @property
    def is_counted(self) -> bool:
        """Many were performed, whatever a parameter asks."""
        return (self.share or 0.0) >= LEAST_SHARE

    @property
    def is_doubted(self) -> bool:
        """Only a parameter asks for it, and most commits waited."""
        return not self.is_counted and self.synchs is not None and self.synchs >= WAITED_FOR

    @property
    def size(self) -> str:
        return f"{percent(self.share or 0.0)} of the commits" if self.is_counted else self.text


def nowait_of(side: Side) -> CommitSetting | None:
    """None under 5 % without a parameter."""
    return _setting(side, NOWAIT, "NOWAIT")


def batch_of(side: Side) -> CommitSetting | None:
    """Batched commits that wait; None where few, or NOWAIT."""
    return None if nowait_of(side) is not None else _setting(side, BATCH, "BATCH")


def share_of(side: Side, statistic: str = NOWAIT) -> float | None:
    """0 where the printed statistics lack this one."""
    commits, count = side.statistic(COMMITS), side.statistic(statistic)
    if commits is None or commits.number <= 0:
        return None
    return count.number / commits.number if count is not None else 0.0


def _setting(side: Side, statistic: str, word: str) -> CommitSetting | None:
    share, count = share_of(side, statistic), side.statistic(statistic)
    texts: list[str] = []
    rows: list[Evidence] = []
    if count is not None and share is not None and share >= LEAST_SHARE:
        texts.append(f"{statistic} {count.number:,.0f} ({percent(share)} of the commits)")
        rows += [statistic_row(statistic), statistic_row(COMMITS)]
        waited = side.statistic(WAITED)
        if waited is not None:
            texts.append(f"{WAITED} {waited.number:,.0f}")
            rows.append(statistic_row(WAITED))
    for name in _SETTINGS:
        for column in _COLUMNS:
            value = side.text("init_parameters", column, name) or ""
            if word in value.upper().replace(" ", "").split(","):
                texts.append(f"{name} = {value}")
                rows.append(row("init_parameters", name, column))
                break
    commits, synchs = side.statistic(COMMITS), side.statistic(SYNCHS)
    each = synchs.number / commits.number if synchs is not None and commits is not None and commits.number > 0 else None
    return CommitSetting(share, listing(texts), tuple(rows), each) if texts else None
