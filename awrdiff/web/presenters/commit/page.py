"""The commit latency page: what a commit costs, where it goes, why, and what fewer would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.commits import CommitFigures, CommitLatency
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.web.presenters.commit import causes as commit_causes
from awrdiff.web.presenters.commit import figures as commit_figures
from awrdiff.web.presenters.commit import histograms as commit_histograms
from awrdiff.web.presenters.commit import log_writer as commit_log_writer
from awrdiff.web.presenters.commit import stages as commit_stages
from awrdiff.web.presenters.commit import what_if as commit_what_if
from awrdiff.web.presenters.commit.notes import Notes, notes
from awrdiff.web.presenters.commit.words import Rows, SideLabel, change, range_of, seconds, share, sides_of
from awrdiff.web.presenters.page import trace_events
from awrdiff.web.presenters.page.overview import Piece, pieces


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader chose: the SLA as typed, and whether the reports are known to have done the same work."""

    sla: str = ""
    same_work: bool = False


@dataclass(frozen=True, slots=True)
class CommitPage:
    sides: tuple[SideLabel, ...]
    pair: tuple[SideLabel, ...]  # the reports set against each other; one alone
    not_material: str
    lead: tuple[Piece, ...]
    stages: commit_stages.Stages
    log_writer: commit_log_writer.LedgerView
    figures: tuple[commit_figures.FigureRow, ...]
    histograms: commit_histograms.Histograms
    causes: commit_causes.CausesView
    what_if: commit_what_if.WhatIfView
    sla: commit_what_if.SlaView
    instances: tuple[commit_figures.InstanceRow, ...]
    notes: tuple[Notes, ...]
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
    return _page(Commits(latency, latency), (SideLabel("", "first", 0),), rows, asked)


def of_comparison(commits: Commits, reports: tuple[str, ...], rows: Rows, asked: Asked) -> CommitPage:
    """`reports`: their titles, in their order."""
    return _page(commits, sides_of(len(commits.of_all.reports), commits.second, reports), rows, asked)


def _page(commits: Commits, sides: tuple[SideLabel, ...], rows: Rows, asked: Asked) -> CommitPage:
    own, of_all, reports = commits.own, commits.of_all, commits.of_all.reports
    pair = (0, commits.second) if commits.second else None
    both = tuple(sides[at] for at in pair) if pair else sides
    labels = [side.label for side in sides]
    return CommitPage(
        sides=sides,
        pair=both,
        not_material=own.not_material,
        lead=pieces(_lead(own.reports)),
        stages=commit_stages.present(reports, sides, pair, rows),
        log_writer=commit_log_writer.present(reports, pair, rows),
        figures=commit_figures.present(reports, pair),
        histograms=commit_histograms.present(own.reports, both, rows),
        causes=commit_causes.present(own, both, rows),
        what_if=commit_what_if.present(of_all.what_if, reports, sides, commits.second, assume=asked.same_work),
        sla=commit_what_if.sla(asked.sla, reports, sides),
        instances=commit_figures.instances(of_all.instances, sides, rows),
        notes=(
            *notes("worth knowing", labels, [f.notes for f in reports]),
            *notes("not printed", labels, [f.missing for f in reports]),
        ),
        events=trace_events.present(own.events),
    )


def _lead(reports: Sequence[CommitFigures]) -> str:
    """One paragraph: the wait, the write, and what is neither."""
    waits, writes = [f.lfs_avg_s for f in reports], [f.lfpw_avg_s for f in reports]
    of = " → ".join(_or_unknown(f.lfs_db_time_share) for f in reports)
    time = "call time" if all(f.of_call_time for f in reports if f.lfs_db_time_share) else "DB time"
    shares = f" Commit waits are {of} of {time}." if any(f.lfs_db_time_share for f in reports) else ""
    if not any(waits):
        totals = [f.lfs_total_s for f in reports]
        who = "The report does not print" if len(reports) == 1 else "No report prints"
        said = f"{who} how long a commit waits on average (log file sync)"
        return f"{said}; in all commits waited {_course(totals)}.{shares}" if any(totals) else f"{said}."
    said = f"A commit waits {_course(waits)}"
    said += f"; the redo write itself takes {_course(writes)}." if any(writes) else "."
    return f"{said}{_others(reports)}{_standby(reports)}{shares}"


def _standby(reports: Sequence[CommitFigures]) -> str:
    """Data Guard SYNC: most of what is not the write may lie there, and is no matter of the log writer's CPU."""
    if not any(f.remote for f in reports):
        return ""
    parts = [range_of(f.remote.cost_s, seconds) or seconds(f.remote.cost_s.value) if f.remote else "–" for f in reports]
    return f" To each write the standby (Data Guard SYNC) adds {' → '.join(parts)}."


def _course(found: Sequence[Estimate | None]) -> str:
    """`2.92 ms → 3.86 ms (+32 %)`"""
    text = " → ".join(seconds(e.value) if e else "(not printed)" for e in found)
    if len(found) < 2:
        return text
    moved = change(found[0], found[-1], "s")["t"].lstrip("▲▼ ")
    return f"{text} ({moved})" if moved and not moved.startswith("=") else text


def _others(reports: Sequence[CommitFigures]) -> str:
    """What is not the write; where it is negative, in words."""
    known = [f.naive_overhead_s for f in reports]
    if not any(known):
        return ""
    if all(e is not None and e.value < 0 for e in known):
        less = " → ".join(seconds(-e.value) for e in known if e)
        return f" Commits joined writes under way: they waited less than an average write, by {less}."
    parts = [
        f"{seconds(e.value)}{f' ({share(f.naive_share.value)})' if f.naive_share else ''}" if e else "(unknown)"
        for e, f in zip(known, reports, strict=True)
    ]
    return f" What is not the write: {' → '.join(parts)} of a wait, an upper estimate."


def _or_unknown(found: Estimate | None) -> str:
    return share(found.value) if found else "(unknown)"
