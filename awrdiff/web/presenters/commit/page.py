"""The commit latency page: what a commit costs, where it goes, why, and what fewer would save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from awrdiff.analysis.commit_latency.lead import lead
from awrdiff.analysis.model.commits import CommitLatency
from awrdiff.web.presenters.commit import causes as commit_causes
from awrdiff.web.presenters.commit import figures as commit_figures
from awrdiff.web.presenters.commit import histograms as commit_histograms
from awrdiff.web.presenters.commit import log_writer as commit_log_writer
from awrdiff.web.presenters.commit import stages as commit_stages
from awrdiff.web.presenters.commit import typed as commit_typed
from awrdiff.web.presenters.commit import what_if as commit_what_if
from awrdiff.web.presenters.commit.words import Notes, Rows, SideLabel, TableRow, notes, sides_of
from awrdiff.web.presenters.page import trace_events
from awrdiff.web.presenters.page.pieces import Piece, pieces


@dataclass(frozen=True, slots=True)
class Asked:
    """Answers of the reader, as typed: an SLA in milliseconds, that the reports did the same work, how many rows it
    was, and by the name of its field the transactions per second that a benchmark counted."""

    sla: str = ""
    same_work: bool = False
    rows: str = ""
    tps: Mapping[str, str] = field(default_factory=dict)

    def of_benchmark(self, count: int) -> tuple[str, ...]:
        return tuple(self.tps.get(name, "") for name in commit_typed.names(count))


@dataclass(frozen=True, slots=True)
class CommitPage:
    sides: tuple[SideLabel, ...]
    pair: tuple[SideLabel, ...]  # the reports set against each other; one alone
    not_material: str
    lead: tuple[Piece, ...]
    stages: commit_stages.Stages
    log_writer: commit_log_writer.LedgerView
    figures: tuple[TableRow, ...]
    histograms: commit_histograms.Histograms
    causes: commit_causes.CausesView
    what_if: commit_what_if.WhatIfView
    sla: commit_typed.SlaView
    benchmark: commit_typed.BenchmarkView
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
    """`own`: of the reports at these two `places`, or of one report alone; `of_all`: every report compared."""

    own: CommitLatency
    of_all: CommitLatency
    places: tuple[int, int] | None = None


def of_report(latency: CommitLatency, rows: Rows, asked: Asked) -> CommitPage:
    return _page(Commits(latency, latency), (SideLabel("", "first", 0),), rows, asked)


def of_comparison(commits: Commits, reports: tuple[str, ...], rows: Rows, asked: Asked) -> CommitPage:
    """`reports`: their titles, in their order."""
    return _page(commits, sides_of(len(commits.of_all.reports), commits.places, reports), rows, asked)


def _page(commits: Commits, sides: tuple[SideLabel, ...], rows: Rows, asked: Asked) -> CommitPage:
    own, of_all, reports = commits.own, commits.of_all, commits.of_all.reports
    pair = commits.places
    both = tuple(sides[at] for at in pair) if pair else sides
    labels = [side.label for side in sides]
    return CommitPage(
        sides=sides,
        pair=both,
        not_material=own.not_material,
        lead=pieces(lead(own.reports)),
        stages=commit_stages.present(reports, sides, pair, rows),
        log_writer=commit_log_writer.present(reports, pair, rows),
        figures=commit_figures.present(reports, pair),
        histograms=commit_histograms.present(own.reports, both, rows),
        causes=commit_causes.present(own, both, rows),
        what_if=commit_what_if.present(
            of_all.what_if, reports, sides, pair[1] if pair else 0, assume=asked.same_work, rows=asked.rows
        ),
        sla=commit_typed.present_sla(asked.sla, reports, sides),
        benchmark=commit_typed.present_benchmark(asked.of_benchmark(len(both)), reports, of_all.what_if, both),
        instances=commit_figures.instances(of_all.instances, sides, rows),
        notes=(
            *notes("worth knowing", labels, [f.notes for f in reports]),
            *notes("missing", labels, [f.missing for f in reports]),
        ),
        events=trace_events.present(own.events, alone=len(sides) == 1),
    )
