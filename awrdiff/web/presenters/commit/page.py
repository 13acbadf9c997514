"""Commit latency page: cost, parts, causes, possible savings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.web.presenters.commit import causes, figures, histograms, stages, what_if
from awrdiff.web.presenters.commit.figures import InstanceRow
from awrdiff.web.presenters.commit.what_if import BenchmarkRow, SlaLine
from awrdiff.web.presenters.commit.words import Notes, Rows, SideLabel, TableRow, notes, sides_of
from awrdiff.web.presenters.page import trace_events
from awrdiff.web.presenters.page.pieces import Piece, pieces


@dataclass(frozen=True, slots=True)
class CommitInputs:
    """As typed: SLA in ms, benchmark transactions per second by field name."""

    sla: str = ""
    same_work: bool = False
    rows: str = ""
    tps: Mapping[str, str] = field(default_factory=dict)

    def of_benchmark(self, count: int) -> tuple[str, ...]:
        return tuple(self.tps.get(name, "") for name in what_if.names(count))


@dataclass(frozen=True, slots=True)
class CommitPage:
    """`pair`: the compared reports, or one. `typed`: by the reader."""

    sides: tuple[SideLabel, ...]
    pair: tuple[SideLabel, ...]
    not_material: str
    lead: tuple[Piece, ...]
    stages: stages.Stages
    busy: TableRow
    log_writer: tuple[TableRow, ...]
    figures: tuple[TableRow, ...]
    histograms: histograms.Histograms
    causes: causes.CausesView
    what_if: what_if.WhatIfView
    typed: CommitInputs
    sla: tuple[SlaLine, ...]
    sla_problem: str
    benchmark: tuple[BenchmarkRow, ...]
    instances: tuple[InstanceRow, ...]
    notes: tuple[Notes, ...]
    events: trace_events.EventsView | None

    @property
    def single(self) -> bool:
        return len(self.sides) == 1

    @property
    def benchmark_typed(self) -> bool:
        return any(r.given for r in self.benchmark)

    @property
    def benchmark_problem(self) -> str:
        wrong = any(r.problem for r in self.benchmark)
        return "Give transactions per second as a positive number." if wrong else ""


@dataclass(frozen=True, slots=True)
class Commits:
    """`own`: reports at `places`, or a single one; `of_all`: all compared."""

    own: CommitLatency
    of_all: CommitLatency
    places: tuple[int, int] | None = None


def of_report(latency: CommitLatency, rows: Rows, inputs: CommitInputs) -> CommitPage:
    return _page(Commits(latency, latency), (SideLabel("", "first", 0),), rows, inputs)


def of_comparison(commits: Commits, reports: tuple[str, ...], rows: Rows, inputs: CommitInputs) -> CommitPage:
    return _page(commits, sides_of(len(commits.of_all.reports), commits.places, reports), rows, inputs)


def _page(commits: Commits, sides: tuple[SideLabel, ...], rows: Rows, inputs: CommitInputs) -> CommitPage:
    own, of_all, reports = commits.own, commits.of_all, commits.of_all.reports
    pair = commits.places
    pair_sides = tuple(sides[at] for at in pair) if pair else sides
    labels = [side.label for side in sides]
    busy, log_writer = figures.log_writer(reports, pair, rows)
    sla, sla_problem = what_if.present_sla(inputs.sla, reports, sides)
    return CommitPage(
        sides=sides,
        pair=pair_sides,
        not_material=own.not_material,
        lead=pieces(lead(own.reports)),
        stages=stages.present(reports, sides, pair, rows),
        busy=busy,
        log_writer=log_writer,
        figures=figures.present(reports, pair),
        histograms=histograms.present(own.reports, pair_sides, rows),
        causes=causes.present(own, pair_sides, rows),
        what_if=what_if.present(
            of_all.what_if, reports, sides, pair[1] if pair else 0, assume=inputs.same_work, rows=inputs.rows
        ),
        typed=inputs,
        sla=sla,
        sla_problem=sla_problem,
        benchmark=what_if.present_benchmark(inputs.of_benchmark(len(pair_sides)), reports, of_all.what_if, pair_sides),
        instances=figures.instances(of_all.instances, sides, rows),
        notes=(
            *notes("worth knowing", labels, [f.notes for f in reports]),
            *notes("missing", labels, [f.missing for f in reports]),
        ),
        events=trace_events.present(own.events, alone=len(sides) == 1),
    )
