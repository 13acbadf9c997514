"""A commit's time as bars on one scale.

Upper bar: the log writer's measurement. Lower bar: average redo write and rest of the wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.model.commit_latency import CommitFigures, Stage
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.web.presenters.commit.figure_texts import (
    NO_CHANGE,
    NOTHING,
    Amount,
    Link,
    Rows,
    SideLabel,
    TableRow,
    bounds,
    change,
    figure,
    row_of,
    seconds,
    share,
)
from awrdiff.web.presenters.section.columns_and_cells import Cell

STANDBY = "standby (Data Guard SYNC)"
# The wait, the write, and what lies between: how each is coloured, and where its rows are.
SUMS = {
    "lfs_avg_s": ("wait", "log file sync"),
    "lfpw_avg_s": ("io", "log file parallel write"),
    "naive_overhead_s": ("rest", ""),
    "measured_overhead_s": ("", "stages"),
    "typical_overhead_s": ("", "histograms"),
    "slow_writes_up_to_s": ("", "histogram"),
}
CHARACTER = 0.56  # percent of the width that a character of a label takes
LEAST_REST = 0.005  # of the wait: below, sum and wait are the same


def present(
    reports: Sequence[CommitFigures], sides: Sequence[SideLabel], pair: tuple[int, int] | None, rows: Rows
) -> dict[str, Any]:
    """`pair`: indexes; None for a single report."""
    scale = max((_extent(f) for f in reports), default=0.0)
    side_views = [_side(side, f, scale) for side, f in zip(sides, reports, strict=True)] if scale > 0 else []
    table = _Table(tuple(reports), pair, rows)
    return {
        "sides": [s for s in side_views if s["bars"]],
        "stages": table.stages(),
        "sums": table.sums(),  # the wait, the write, and what lies between
        "marks_wake_up": any(bar["inside"] for side in side_views for bar in side["bars"]),
    }


def _added(f: CommitFigures) -> list[Stage]:
    return [s for s in f.stages if not s.inside and not s.bounds_only and s.seconds.value > 0]


def _extent(f: CommitFigures) -> float:
    ends = [e.value for e in (f.lfs_avg_s, f.lfpw_avg_s) if e is not None]
    return max([*ends, sum(s.seconds.value for s in _added(f)), 0.0])


def _side(side: SideLabel, f: CommitFigures, scale: float) -> dict[str, Any]:
    bars = [b for b in (_measured(f, scale), _naive(f, scale)) if b is not None]
    out = []
    naive, queue = f.naive_overhead_s, f.stage("queue")
    if naive is not None and naive.value < 0:
        out.append(f"Commits joined writes under way: they waited {seconds(-naive.value)} less than an average write.")
    if queue is not None and queue.seconds.value < 0:
        out.append(
            f"The queue is negative ({seconds(queue.seconds.value)}): the stages of a whole write add up to more "
            "than the wait, whose end the mark shows."
        )
    if f.lfs_avg_s is None:
        out.append("The average commit wait is not printed.")
    elif f.lfpw_avg_s is None:
        out.append(_at_most(f))
    wait = seconds(f.lfs_avg_s.value) if f.lfs_avg_s else ""
    return {"side": side, "wait": wait, "bars": bars, "remarks": out}


def _measured(f: CommitFigures, scale: float) -> dict[str, Any] | None:
    if f.stage("io") is None:
        return None
    segments = [_segment(*_label_of(s, f), s.seconds.value, scale) for s in _added(f)]
    total = sum(s.seconds.value for s in _added(f))
    wait = f.lfs_avg_s.value if f.lfs_avg_s else None
    if wait is not None and wait - total > LEAST_REST * wait:
        segments.append(_segment("rest", "unexplained", wait - total, scale))
    beyond = wait is not None and total - wait > LEAST_REST * wait
    wake = f.stage("wake_up")
    inside = None
    if wake is not None and not wake.bounds_only and wake.seconds.value > 0:
        end = wait if wait is not None else total
        width = min(wake.seconds.value, end)
        inside = (_percent(end - width, scale), _percent(width, scale))
    at = _percent(wait, scale) if beyond and wait is not None else None
    return _bar("measured by the log writer", segments, at, inside)


def _naive(f: CommitFigures, scale: float) -> dict[str, Any] | None:
    wait, write = f.lfs_avg_s, f.lfpw_avg_s
    if wait is None or wait.value <= 0:
        return None
    if write is None:
        return _bar("log file sync", [_segment("rest", "not split: the write is not printed", wait.value, scale)])
    segments = [_segment("io", "LFPW", write.value, scale)]
    if wait.value > write.value:
        segments.append(_segment("rest", "LFS − LFPW", wait.value - write.value, scale))
    at = _percent(wait.value, scale) if wait.value < write.value else None
    return _bar("average write and the rest", segments, at)


def _bar(
    name: str, segments: list[dict[str, Any]], wait_at: float | None = None, inside: tuple[float, float] | None = None
) -> dict[str, Any]:
    """`wait_at`: average wait in percent, unless at the end. `inside`: (left, width) of the wake-up."""
    text = ", ".join(f"{s['label']} {s['text']}" for s in segments)
    return {"name": name, "segments": segments, "wait_at": wait_at, "inside": inside, "text": text}


def _segment(cls: str, label: str, value: float, scale: float) -> dict[str, Any]:
    """Named and valued where these fit on a usual screen."""
    text, width = seconds(value), _percent(value, scale)
    name_width, value_width = 1 + CHARACTER * len(label), 2 + CHARACTER * (len(label) + len(text))
    return {
        "cls": cls,
        "label": label,
        "text": text,
        "width": width,
        "named": width >= name_width,
        "valued": width >= value_width,
    }


def _percent(value: float, scale: float) -> float:
    return round(max(value, 0.0) / scale * 100, 2)


def _label_of(stage: Stage, f: CommitFigures) -> tuple[str, str]:
    is_remote = stage.id == "post_io" and f.remote is not None
    return ("remote", STANDBY) if is_remote else (stage.id, figure_catalogue.stage_kind(stage.id).short)


def _at_most(f: CommitFigures) -> str:
    if f.lfpw_at_most_s is None or f.lfs_total_s is None or f.lfs_total_s.value <= 0:
        return "log file parallel write is not printed: what is left of the wait is unknown."
    of = share(f.lfpw_at_most_s / f.lfs_total_s.value)
    return (
        f"log file parallel write is below the end of the top list: all redo writes together took at most "
        f"{seconds(f.lfpw_at_most_s)}, {of} of what commits waited."
    )


@dataclass(frozen=True, slots=True)
class _Table:
    reports: tuple[CommitFigures, ...]
    pair: tuple[int, int] | None
    rows: Rows

    def stages(self) -> list[TableRow]:
        table_rows = []
        for kind in figure_catalogue.STAGES:
            report_stages = [next((s for s in f.stages if s.id == kind.id), None) for f in self.reports]
            known_stages = [s for s in report_stages if s is not None]
            if known_stages:
                table_rows.append(self._stage(report_stages, known_stages))
            remotes = [f.remote for f in self.reports]
            if kind.id == "post_io" and any(remotes):
                exact = all(r.from_histograms for r in remotes if r is not None)
                how = "from both histograms" if exact else "bounds from both averages"
                adds = TableRow(
                    cls="remote",
                    label="what the standby adds to the local write",
                    note=f"per write, {how}; part of the line above, not added",
                    part=True,
                    figures=tuple(figure(r.cost_s, seconds) if r else NOTHING for r in remotes),
                    change=self._change([r.cost_s if r else None for r in remotes]),
                    sources=self._links([r.evidence if r else () for r in remotes]),
                )
                table_rows.append(adds)
        return table_rows

    def _stage(self, report_stages: Sequence[Stage | None], known_stages: Sequence[Stage]) -> TableRow:
        stage = known_stages[-1]
        remote = stage.id == "post_io" and any(f.remote for f in self.reports)
        note = f"per {stage.per}"
        note += "".join(f"; {n}" for n in dict.fromkeys(f"range {s.note}" for s in known_stages if s.bounds_only))
        if stage.inside:
            note += f"; part of {' and '.join(figure_catalogue.stage_kind(i).short for i in stage.inside)}, not added"
        return TableRow(
            cls="remote" if remote else stage.id,
            label=f"{stage.label}: {STANDBY}" if remote else stage.label,
            note=note,
            part=bool(stage.inside),
            figures=tuple(_stage_figure(s) for s in report_stages),
            change=self._change([None if s is None or s.bounds_only else s.seconds for s in report_stages]),
            sources=self._links([s.evidence if s else () for s in report_stages]),
        )

    def sums(self) -> list[TableRow]:
        sum_rows = []
        for name, (cls, source) in SUMS.items():
            (listed,) = figure_catalogue.figures(name)
            links = self._links([_evidence(source, f) for f in self.reports])
            if (row := row_of(listed, self.reports, self.pair, links)) is not None:
                sum_rows.append(replace(row, cls=cls))
        return sum_rows

    def _links(self, report_evidence: Sequence[Sequence[Evidence]]) -> tuple[Link, ...]:
        side_evidence = [report_evidence[at] for at in self.pair] if self.pair else report_evidence
        links = self.rows.links((e for of in side_evidence for e in of), in_section=False)
        linked_keys = {e.key for of in side_evidence for e in of}
        other_keys = dict.fromkeys(e.key for of in report_evidence for e in of if e.key not in linked_keys)
        return (*links, *(("", key) for key in other_keys))

    def _change(self, estimates: Sequence[Estimate | None]) -> Cell:
        return change(estimates[self.pair[0]], estimates[self.pair[1]], "s") if self.pair else NO_CHANGE


def _evidence(source: str, f: CommitFigures) -> list[Evidence]:
    if source.startswith("histogram"):
        histograms = (f.lfs_histogram, f.lfpw_histogram) if source == "histograms" else (f.lfpw_histogram,)
        return [h.evidence for h in histograms if h is not None]
    return [e for e in f.evidence if e.key.lower() == source and e.column == "avg_wait_s"]


def _stage_figure(stage: Stage | None) -> Amount:
    if stage is None:
        return NOTHING
    if stage.bounds_only:
        return bounds(stage.seconds)
    text = figure(stage.seconds, seconds)
    return Amount(text.text, text.range, "flag") if stage.seconds.value < 0 else text
