"""Commit latency page: cost of a commit, its parts, causes, and savings from fewer commits."""

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
from awrdiff.web.presenters.commit import what_if
from awrdiff.web.presenters.commit import what_if as commit_what_if
from awrdiff.web.presenters.commit.words import Notes, Rows, SideLabel, TableRow, notes, sides_of
from awrdiff.web.presenters.page import trace_events
from awrdiff.web.presenters.page.pieces import Piece, pieces


@dataclass(frozen=True, slots=True)
class CommitInputs:
    """Reader's input as typed: SLA in ms, equal work, rows, and benchmark transactions per second by field name."""

    sla: str = ""
    same_work: bool = False
    rows: str = ""
    tps: Mapping[str, str] = field(default_factory=dict)

    def of_benchmark(self, count: int) -> tuple[str, ...]:
        return tuple(self.tps.get(name, "") for name in what_if.names(count))


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
    sla: what_if.SlaView
    benchmark: what_if.BenchmarkView
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
    """`own`: the reports at both `places`, or a single report; `of_all`: every report compared."""

    own: CommitLatency
    of_all: CommitLatency
    places: tuple[int, int] | None = None


def of_report(latency: CommitLatency, rows: Rows, inputs: CommitInputs) -> CommitPage:
    return _page(Commits(latency, latency), (SideLabel("", "first", 0),), rows, inputs)


def of_comparison(commits: Commits, reports: tuple[str, ...], rows: Rows, inputs: CommitInputs) -> CommitPage:
    """`reports`: their titles, in their order."""
    return _page(commits, sides_of(len(commits.of_all.reports), commits.places, reports), rows, inputs)


def _page(commits: Commits, sides: tuple[SideLabel, ...], rows: Rows, inputs: CommitInputs) -> CommitPage:
    own, of_all, reports = commits.own, commits.of_all, commits.of_all.reports
    pair = commits.places
    pair_sides = tuple(sides[at] for at in pair) if pair else sides
    labels = [side.label for side in sides]
    return CommitPage(
        sides=sides,
        pair=pair_sides,
        not_material=own.not_material,
        lead=pieces(lead(own.reports)),
        stages=commit_stages.present(reports, sides, pair, rows),
        log_writer=commit_log_writer.present(reports, pair, rows),
        figures=commit_figures.present(reports, pair),
        histograms=commit_histograms.present(own.reports, pair_sides, rows),
        causes=commit_causes.present(own, pair_sides, rows),
        what_if=commit_what_if.present(
            of_all.what_if, reports, sides, pair[1] if pair else 0, assume=inputs.same_work, rows=inputs.rows
        ),
        sla=what_if.present_sla(inputs.sla, reports, sides),
        benchmark=what_if.present_benchmark(inputs.of_benchmark(len(pair_sides)), reports, of_all.what_if, pair_sides),
        instances=commit_figures.instances(of_all.instances, sides, rows),
        notes=(
            *notes("worth knowing", labels, [f.notes for f in reports]),
            *notes("missing", labels, [f.missing for f in reports]),
        ),
        events=trace_events.present(own.events, alone=len(sides) == 1),
    )
