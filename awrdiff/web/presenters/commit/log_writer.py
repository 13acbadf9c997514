"""Ledger of the log writer's time per report: stages and all its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency.catalogue import stage_kind
from awrdiff.analysis.model.commits import CommitFigures, LgwrLine
from awrdiff.web.presenters.commit.words import (
    NO_CHANGE,
    NOTHING,
    Rows,
    Shown,
    TableRow,
    change,
    figure,
    seconds,
    share,
)
from awrdiff.web.presenters.section.figures import Cell

SERVED = "of processes that wait for the log writer, not its own time"


@dataclass(frozen=True, slots=True)
class LedgerView:
    """`busy`: share of time with a redo write in progress."""

    busy: tuple[Shown, ...]
    busy_change: Cell
    rows: tuple[TableRow, ...]

    @property
    def any(self) -> bool:
        return bool(self.rows)


def present(reports: Sequence[CommitFigures], pair: tuple[int, int] | None, rows: Rows) -> LedgerView:
    ledgers = [
        {(line.is_event, line.label): line for line in (f.log_writer.lines if f.log_writer else ())} for f in reports
    ]
    labels = dict.fromkeys(key for of in ledgers for key in sorted(of, key=lambda k: k[0]))
    busy = [f.log_writer.busy if f.log_writer is not None else None for f in reports]
    table_rows = [_row(label, [of.get((event, label)) for of in ledgers], pair, rows) for event, label in labels]
    busy_change = change(busy[pair[0]], busy[pair[1]], "share") if pair else NO_CHANGE
    return LedgerView(tuple(figure(b, share) for b in busy), busy_change, tuple(table_rows))


def _row(label: str, lines: Sequence[LgwrLine | None], pair: tuple[int, int] | None, rows: Rows) -> TableRow:
    known_lines = [line for line in lines if line is not None]
    inside = next((line.inside for line in known_lines if line.inside is not None), None)
    served = any(line.use == "served" for line in known_lines)
    totals = [line.seconds if line is not None else None for line in lines]
    return TableRow(
        label=label,
        note=SERVED if served else f"part of {stage_kind(inside).label}, not added" if inside else "",
        part=served or inside is not None,
        figures=tuple(_figure(line) for line in lines),
        change=change(totals[pair[0]], totals[pair[1]], "s") if pair else NO_CHANGE,
        sources=rows.links((e for line in known_lines for e in line.evidence), in_section=False),
    )


def _figure(line: LgwrLine | None) -> Shown:
    """In all, and below it per redo write."""
    if line is None:
        return NOTHING
    each = f"{seconds(line.per_write_s)} per write" if line.per_write_s is not None else ""
    return Shown(seconds(line.seconds.value), each)
