"""The commit latency page: what a commit costs, where it goes, why, and what fewer would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_model import CommitFigures, CommitLatency
from awrdiff.analysis.evidence import Estimate
from awrdiff.analysis.words import listing
from awrdiff.web.presenters import (
    commit_causes,
    commit_figures,
    commit_histograms,
    commit_stages,
    commit_what_if,
    trace_events,
)
from awrdiff.web.presenters.commit_words import Rows, Side, change, seconds, share, sides_of
from awrdiff.web.presenters.overview import Piece, pieces


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader chose: the SLA as typed, and whether the reports are known to have done the same work."""

    sla: str = ""
    same_work: bool = False


@dataclass(frozen=True, slots=True)
class SideNotes:
    """What is to be known of one report, or of several alike."""

    label: str
    notes: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitPage:
    sides: tuple[Side, ...]
    pair: tuple[Side, ...]  # the reports set against each other; one alone
    not_material: str
    lead: tuple[Piece, ...]
    stages: commit_stages.Stages
    figures: tuple[commit_figures.FigureRow, ...]
    histograms: commit_histograms.Histograms
    causes: commit_causes.CausesView
    what_if: commit_what_if.WhatIfView
    sla: commit_what_if.SlaView
    instances: tuple[commit_figures.InstanceRow, ...]
    notes: tuple[SideNotes, ...]
    events: trace_events.EventsView | None

    @property
    def single(self) -> bool:
        return len(self.sides) == 1

    @property
    def has_instances(self) -> bool:
        return bool(self.instances)


@dataclass(frozen=True, slots=True)
class Commits:
    """`own`: First against the report at place `second`, or one report alone; `of_all`: every report compared."""

    own: CommitLatency
    of_all: CommitLatency
    second: int = 0


def of_report(latency: CommitLatency, rows: Rows, asked: Asked) -> CommitPage:
    return _page(Commits(latency, latency), (Side("", "first", 0),), rows, asked)


def of_comparison(commits: Commits, reports: tuple[str, ...], rows: Rows, asked: Asked) -> CommitPage:
    """`reports`: their titles, in their order."""
    return _page(commits, sides_of(len(commits.of_all.reports), commits.second, reports), rows, asked)


def _page(commits: Commits, sides: tuple[Side, ...], rows: Rows, asked: Asked) -> CommitPage:
    own, of_all, reports = commits.own, commits.of_all, commits.of_all.reports
    pair = (0, commits.second) if commits.second else None
    both = tuple(sides[at] for at in pair) if pair else sides
    return CommitPage(
        sides=sides,
        pair=both,
        not_material=own.not_material,
        lead=pieces(_lead(own.reports)),
        stages=commit_stages.present(reports, sides, pair, rows),
        figures=commit_figures.present(reports, pair),
        histograms=commit_histograms.present(own.reports, both, rows),
        causes=commit_causes.present(own, both, rows),
        what_if=commit_what_if.present(of_all.what_if, reports, sides, commits.second, assume=asked.same_work),
        sla=commit_what_if.sla(asked.sla, reports, sides),
        instances=commit_figures.instances(of_all.instances, sides, rows),
        notes=_notes(sides, reports),
        events=trace_events.present(own.events),
    )


def _notes(sides: Sequence[Side], reports: Sequence[CommitFigures]) -> tuple[SideNotes, ...]:
    """Of more than two, those of which the same is to be said are named together: sixteen runs need not repeat it."""
    said = [(side.label, f.notes, f.missing) for side, f in zip(sides, reports, strict=True) if f.notes or f.missing]
    if len(sides) < 3:
        return tuple(SideNotes(*one) for one in said)
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for label, *what in said:
        alike.setdefault((what[0], what[1]), []).append(label)
    return tuple(SideNotes(_named(labels, len(sides)), *both) for both, labels in alike.items())


def _named(labels: list[str], reports: int) -> str:
    return f"All {reports} reports" if len(labels) == reports else listing(labels)


def _lead(reports: Sequence[CommitFigures]) -> str:
    """One paragraph: the wait, the write, and what is neither."""
    waits, writes = [f.lfs_avg_s for f in reports], [f.lfpw_avg_s for f in reports]
    if all(w is None for w in waits):
        return "No report prints the average commit wait (log file sync), so what a commit costs cannot be told."
    said = f"A commit waits {_course(waits)}"
    said += f"; the redo write itself takes {_course(writes)}." if any(writes) else "."
    others = [f.naive_overhead_s for f in reports]
    if any(others):
        said += f" What is not the write: {_others(reports)} of a wait, an upper estimate."
    shares = [f.lfs_db_time_share for f in reports]
    if any(shares):
        said += f" Commit waits are {' → '.join(_or_unknown(s) for s in shares)} of DB time."
    return said


def _course(found: Sequence[Estimate | None]) -> str:
    """`2.92 ms → 3.86 ms (+32 %)`"""
    text = " → ".join(seconds(e.value) if e else "(not printed)" for e in found)
    if len(found) < 2:
        return text
    moved = change(found[0], found[-1], "s")["t"].lstrip("▲▼ ")
    return f"{text} ({moved})" if moved and not moved.startswith("=") else text


def _others(reports: Sequence[CommitFigures]) -> str:
    parts = []
    for f in reports:
        if f.naive_overhead_s is None:
            parts.append("(unknown)")
        else:
            of = f" ({share(f.naive_share.value)})" if f.naive_share else ""
            parts.append(f"{seconds(f.naive_overhead_s.value)}{of}")
    return " → ".join(parts)


def _or_unknown(found: Estimate | None) -> str:
    return share(found.value) if found else "(unknown)"
