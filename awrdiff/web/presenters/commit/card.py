"""Commit-wait card: log file sync minus log file parallel write."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.commit_latency.figure_catalogue import Figure
from awrdiff.analysis.model.comparison import CommitFigures, CommitLatency
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.commit.figure_texts import NO_CHANGE, NOTHING, SHOW, TableRow, figure, notes

# Of the catalogue of commit figures, in this order.
CARD_FIGURES = ("naive_overhead_s", "slow_writes_up_to_s", "naive_db_time_share", "lfs_waits")


def present(commit: CommitLatency, *, cited: bool = False) -> dict[str, Any]:
    """`cited`: a finding points to commits."""
    first, second = pair = commit.reports[0], commit.reports[1]
    meters = (_meter("First", first), _meter("Second", second))
    lines = [_line(listed, pair) for listed in figure_catalogue.figures(*CARD_FIGURES)]
    return {
        "headline": _headline(commit),
        "stands_high": commit.material or cited,  # else a line is enough
        "meters": [meter for meter in meters if meter is not None],
        "lines": [line for line in lines if any(f != NOTHING for f in line.figures)],
        "missing": notes("missing", ("First", "Second"), (first.missing, second.missing)),
    }


def _headline(commit: CommitLatency) -> str:
    if all(f.lfs_waits is None for f in commit.reports):
        return "no commit waits printed"
    shares = [fmt.share(f.lfs_db_time_share.value * 100) for f in commit.reports[:2] if f.lfs_db_time_share]
    of = "call time" if any(f.of_call_time for f in commit.reports) else "DB time"
    of_db_time = f"{' → '.join(shares)} of {of}" if shares else ""
    if commit.material:
        return of_db_time or "material"
    return f"not material here: {of_db_time}" if of_db_time else "not material here"


def _meter(side: str, figures: CommitFigures) -> dict[str, Any] | None:
    """Bar of write and rest; widths in percent."""
    wait, write = figures.lfs_avg_s, figures.lfpw_avg_s
    if wait is None or wait.value <= 0:
        return None
    meter = {"side": side, "wait": fmt.quantity(wait.value, "s")}
    if write is None:
        return {**meter, "other_width": 100.0}
    other = wait.value - write.value
    whole = max(wait.value, write.value)
    return {
        **meter,
        "write": fmt.quantity(write.value, "s"),
        "other": fmt.quantity(other, "s") if other > 0 else "",
        "write_width": round(write.value / whole * 100, 1),
        "other_width": round(max(other, 0.0) / whole * 100, 1),
        "shorter": other < 0,  # commits waited less than an average write
    }


def _line(listed: Figure, pair: tuple[CommitFigures, CommitFigures]) -> TableRow:
    figures = [figure(figure_catalogue.value_of(listed.name, f), SHOW[listed.unit]) for f in pair]
    label = listed.label
    if listed.name == "naive_overhead_s":
        label = "Outside the redo write"
        shares = [figure_catalogue.value_of("naive_share", f) for f in pair]
        figures = [
            replace(f, text=f"{f.text} ({fmt.share(share.value * 100)})") if share else f
            for f, share in zip(figures, shares, strict=True)
        ]
    return TableRow(label, listed.hint, tuple(figures), NO_CHANGE)
