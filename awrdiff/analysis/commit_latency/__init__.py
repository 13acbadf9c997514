"""Commit latency: log file sync minus log file parallel write with bounds, its stages, causes, and fewer commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import ReportFacts, causes_between, causes_of
from awrdiff.analysis.commit_latency.causes.commit_and_redo_load import most_do_not_wait
from awrdiff.analysis.commit_latency.commit_batching_savings import what_if
from awrdiff.analysis.commit_latency.commit_wait_breakdown import change_of
from awrdiff.analysis.commit_latency.figure_catalogue import change_between
from awrdiff.analysis.commit_latency.figures import LEAST_SHARE, figures_of, instances_of
from awrdiff.analysis.commit_latency.inputs_from_report import LFS, inputs_of
from awrdiff.analysis.commit_latency.lgwr_trace_events import events_of
from awrdiff.analysis.commit_latency.session_wake_up import mostly_polls
from awrdiff.analysis.figures_in_words import number, percent, wait_text
from awrdiff.analysis.model.commit_latency import LEAST_WAITS, CommitSplit
from awrdiff.analysis.model.comparison import CommitFigures, CommitLatency, Commonality
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import KINDS, OF_AN_INTERVAL
from parsers.model import Report

_MANY_COMMITS = 10  # to one that waited


def commit_latency(
    sides: Sequence[Side], traces: Sequence[Report] = (), commonality: Commonality | None = None
) -> CommitLatency:
    """Figures of each report, change from first to last. `traces`: of LGWR."""
    reports = tuple(figures_of(s) for s in sides)
    if len(reports) > 1 and False in (mostly_polls(reports[0]), mostly_polls(reports[-1])):
        # no model of posted waits beside a report that measures them
        reports = tuple(replace(f, polling=replace(f.polling, posted_s=None)) if f.polling else f for f in reports)
    material = reports[-1].material
    if not material and reports[0].material and not _left_out(sides[-1]):
        apart = abs((_spent(sides[-1]) or 0.0) - (_spent(sides[0]) or 0.0))
        material = apart >= LEAST_SHARE * max(s.active_sessions or 0.0 for s in (sides[0], sides[-1]))
    events = events_of(traces, sides[0].report, sides[-1].report if len(sides) > 1 else None)
    facts = [ReportFacts(s, inputs_of(s), f) for s, f in zip(sides, reports, strict=True)]
    change: Mapping[str, Estimate | None] = {}
    split = CommitSplit()
    if len(facts) > 1:
        causes = causes_between(facts, events, commonality, matters=material)
        change, split = change_between(reports[0], reports[-1]), change_of(reports[0], reports[-1])
    else:
        causes = causes_of(facts[0], events=events, matters=material)
    return CommitLatency(
        reports=reports,
        change=change,
        split=split,
        causes=causes.ranked,
        material=material,
        not_material="" if material else (_no_longer if reports[0].material else _not_material)(sides, reports),
        unsettled=causes.unsettled,
        what_if=what_if(sides, [f.lfs_total_s for f in reports]),
        instances=tuple(instances_of(s) for s in sides),
        events=events,
    )


def facts_of(side: Side) -> ReportFacts:
    return ReportFacts(side, inputs_of(side), figures_of(side))


def _not_material(sides: Sequence[Side], reports: Sequence[CommitFigures]) -> str:
    figures = next((f for f in reversed(reports) if f.lfs_waits is not None), None)
    if figures is None or figures.lfs_waits is None:
        if any(f.lfs_total_s is not None for f in reports):
            return "How many commit waits there were is not printed: no cause is ranked."
        if not any(s.report.kind in OF_AN_INTERVAL for s in sides):
            return f"A report about {KINDS[sides[-1].report.kind]} counts no commit waits: no cause is ranked."
        return "log file sync is not among the events printed: no cause is ranked."
    if figures.lfs_waits.value < LEAST_WAITS:
        few = f"{figures.lfs_waits.value:,.0f} commit waits in the whole window are too few to rank causes by"
        commits = sides[reports.index(figures)].statistic("user commits")
        if commits is not None and commits.number >= _MANY_COMMITS * LEAST_WAITS:
            few += f", beside {commits.number:,.0f} commits: those inside PL/SQL, or with NOWAIT, do not wait"
        return f"{few}."
    average = f"{wait_text(figures.lfs_avg_s)} on average" if figures.lfs_avg_s is not None else "of unknown length"
    if figures.lfs_db_time_share is None:
        return f"Commit waits are {average}, and no DB time to weigh them against is printed: no cause is ranked."
    little = f"Commit waits are {percent(figures.lfs_db_time_share.value)} of DB time, {average}: no cause is ranked."
    if most_do_not_wait(facts_of(sides[reports.index(figures)])):
        little += " Most commits do not wait at all: those inside PL/SQL, or with NOWAIT."
    return little


def _no_longer(sides: Sequence[Side], reports: Sequence[CommitFigures]) -> str:
    before, after = reports[0], reports[-1]
    if _left_out(sides[-1]):
        return (
            f"Commits matter in First ({before.material_by[0]}); Second's list of top events leaves log file sync out. "
            "No cause is ranked; the page of First alone has its own."
        )
    share = f" ({percent(after.lfs_db_time_share.value)} of DB time)" if after.lfs_db_time_share is not None else ""
    spent = " → ".join(number(_spent(s) or 0.0) for s in (sides[0], sides[-1]))
    whole = " → ".join(number(s.active_sessions or 0.0) for s in (sides[0], sides[-1]))
    return (
        f"Commits matter in First ({before.material_by[0]}), not in Second{share}: they took {spent} of the {whole} "
        "active sessions. No cause is ranked; the page of First alone has its own."
    )


def _left_out(side: Side) -> bool:
    """A top list without log file sync: the wait is unknown."""
    return LFS not in side.foreground and side.foreground_is_partial


def _spent(side: Side) -> float | None:
    event = side.foreground.get(LFS)
    return side.per_second(event.total) if event else 0.0


__all__ = ["ReportFacts", "causes_between", "causes_of", "commit_latency", "facts_of"]
