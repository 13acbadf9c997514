"""Commits that do not wait for their redo to be written: their waits are gone, and so is the promise that they survive.

Asked for by COMMIT WRITE NOWAIT, by `commit_wait` or by `commit_write`; told by `commit nowait performed`. BATCH says
how redo is handed to the log writer: with WAIT a commit is as durable as ever. Source: docs/commit-latency.md,
section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.words import listing, percent

LEAST_SHARE = 0.05  # of the commits; 0.1 to 1.3 % are what the database does by itself
NOWAIT, BATCH, WAITED = "commit nowait performed", "commit batch performed", "commit wait performed"
COMMITS, SYNCHS = "user commits", "redo synch writes"
WAITED_FOR = 0.5  # synch writes to a commit: from here on most waited
_SETTINGS = ("commit_wait", "commit_logging", "commit_write")
_COLUMNS = ("begin_value", "end_value")


@dataclass(frozen=True, slots=True)
class CommitSetting:
    """Commits of one kind: their share of all (0..1; None = not to be told), and what says so.

    `synchs`: synch writes to each commit, of all that there were; None = not printed.
    """

    share: float | None
    text: str
    evidence: tuple[Evidence, ...]
    synchs: float | None = None

    @property
    def is_counted(self) -> bool:
        """Whether so many were performed, and not only asked for by a parameter."""
        return (self.share or 0.0) >= LEAST_SHARE

    @property
    def is_doubted(self) -> bool:
        """A parameter alone asks for it, and most commits waited all the same: sessions may set it otherwise."""
        return not self.is_counted and self.synchs is not None and self.synchs >= WAITED_FOR

    @property
    def size(self) -> str:
        """Their share where they were counted as many; else what asks for them."""
        return f"{percent(self.share or 0.0)} of the commits" if self.is_counted else self.text


def nowait_of(side: Side) -> CommitSetting | None:
    """None where under 5 % of the commits are NOWAIT and no parameter makes them so."""
    return _setting(side, NOWAIT, "NOWAIT")


def batch_of(side: Side) -> CommitSetting | None:
    """Commits whose redo is handed over in batches, of those that wait for it; None where they are few, or NOWAIT."""
    return None if nowait_of(side) is not None else _setting(side, BATCH, "BATCH")


def share_of(side: Side, statistic: str = NOWAIT) -> float | None:
    """Of the commits; 0 where the report prints its statistics without this one."""
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
                rows.append(Evidence("init_parameters", name, column, anchor("init_parameters", name)))
                break
    commits, synchs = side.statistic(COMMITS), side.statistic(SYNCHS)
    each = synchs.number / commits.number if synchs is not None and commits is not None and commits.number > 0 else None
    return CommitSetting(share, listing(texts), tuple(rows), each) if texts else None


__all__ = ["COMMITS", "LEAST_SHARE", "SYNCHS", "CommitSetting", "batch_of", "nowait_of", "share_of"]
