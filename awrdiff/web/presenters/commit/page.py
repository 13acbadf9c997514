"""Commit latency page: cost, parts, causes, possible savings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from awrdiff.analysis.commit_latency import figure_catalogue
from awrdiff.analysis.commit_latency.figure_catalogue import stage_kind
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.model.commit_latency import Cause, CommitFigures, CommitLatency, LgwrLine
from awrdiff.web.presenters.commit import fewer_commits_savings, histograms, stages
from awrdiff.web.presenters.commit.figure_texts import (
    NO_CHANGE,
    NOTHING,
    Amount,
    Link,
    Rows,
    SideLabel,
    TableRow,
    change,
    count,
    figure,
    notes,
    range_of,
    row_of,
    seconds,
    share,
    sides_of,
)
from awrdiff.web.presenters.page import trace_events

MARKS = {"proven": "crit", "high": "crit", "medium": "warn", "low": "note", "note": "note"}
LITTLE_SPREAD = 0.05  # of the value: a range as narrow says nothing more
STATEMENT = re.compile(r"^(?P<before>.*?)(?P<sql>SELECT .+?;)(?P<after>.*)$")
Check = tuple[str, str, str]  # a next step: its text before a statement, the statement, the text after it
SERVED = "of processes that wait for the log writer, not its own time"
# What surrounds a commit, of the catalogue, in this order.
SURROUNDING = (
    "lfs_waits",
    "lfs_total_s",
    "lfs_db_time_share",
    "naive_share",
    "naive_total_s",
    "naive_db_time_share",
    "waiter_weighted_write_s",
    "lfpw_waits",
    "group_commit",
    "synch_writes_per_write",
    "commit_wait_ratio",
    "calls_per_commit",
    "redo_per_write_bytes",
    "wastage_share",
    "worker_share",
    "polling_share",
    "polls_per_poll_write",
    "polling.interval_s",
    "polling.posted_s",
    "broadcast_ack_s",
    "background_lfs_waits",
    "background_lfs_avg_s",
)


@dataclass(frozen=True, slots=True)
class CommitInputs:
    """As typed: SLA in ms, benchmark transactions per second by field name."""

    sla: str = ""
    same_work: bool = False
    rows: str = ""
    tps: Mapping[str, str] = field(default_factory=dict)


def present(
    own: CommitLatency,
    of_all: CommitLatency,
    rows: Rows,
    inputs: CommitInputs,
    *,
    pair: tuple[int, int] | None = None,
    names: tuple[str, ...] = (),
) -> dict[str, Any]:
    """`own`: of the reports at `pair`, or of the only one."""
    reports = of_all.reports
    sides = sides_of(len(reports), pair, names) if len(reports) > 1 else (SideLabel("", "first", 0),)
    pair_sides = tuple(sides[at] for at in pair) if pair else sides
    labels = [side.label for side in sides]
    now = pair[1] if pair else 0
    return {
        "sides": sides,
        "single": len(sides) == 1,
        "not_material": own.not_material,
        "lead": lead(own.reports),
        "stages": stages.present(reports, sides, pair, rows),
        **_log_writer(reports, pair, rows),
        "figures": [
            row for line in figure_catalogue.figures(*SURROUNDING) if (row := row_of(line, reports, pair)) is not None
        ],
        "histograms": histograms.present(own.reports, pair_sides, rows),
        "causes": ranked_causes(own, pair_sides, rows),
        "what_if": fewer_commits_savings.present(
            of_all.what_if, reports, sides, now, assume=inputs.same_work, rows=inputs.rows
        ),
        "typed": inputs,
        **fewer_commits_savings.present_sla(inputs.sla, reports, sides),
        **fewer_commits_savings.present_benchmark(inputs.tps, reports, of_all.what_if, pair_sides),
        "instances": instance_rows(of_all.instances, sides, rows),
        "notes": [
            *notes("worth knowing", labels, [f.notes for f in reports]),
            *notes("missing", labels, [f.missing for f in reports]),
        ],
        "events": trace_events.present(own.events, alone=len(sides) == 1),
    }


def instance_rows(
    report_instances: Sequence[tuple[CommitFigures, ...]], sides: Sequence[SideLabel], rows: Rows
) -> list[tuple[str, SideLabel, list[Amount], tuple[Link, ...]]]:
    """Every instance that a global report names: waits, average, write, difference; and where they are from."""
    instance_names = list(dict.fromkeys(f.whose for of_report in report_instances for f in of_report))
    lines = []
    for name in instance_names:
        for side, figures in zip(sides, report_instances, strict=False):
            # None where the top lists lack the event.
            f = next((f for f in figures if f.whose == name), None) or CommitFigures()
            times = [figure(time, seconds) for time in (f.lfs_avg_s, f.lfpw_avg_s, f.naive_overhead_s)]
            links = rows.links(f.evidence, in_section=False)
            lines.append((name, side, [figure(f.lfs_waits, count), *times], links))
    return lines


def _log_writer(reports: Sequence[CommitFigures], pair: tuple[int, int] | None, rows: Rows) -> dict[str, Any]:
    """Share of time writing redo, its change; stages and events."""
    ledgers = [
        {(line.is_event, line.label): line for line in (f.log_writer.lines if f.log_writer else ())} for f in reports
    ]
    labels = dict.fromkeys(key for of in ledgers for key in sorted(of, key=lambda k: k[0]))
    busy = [f.log_writer.busy if f.log_writer is not None else None for f in reports]
    return {
        "busy": [figure(b, share) for b in busy],
        "busy_change": change(busy[pair[0]], busy[pair[1]], "share") if pair else NO_CHANGE,
        "log_writer": [
            _ledger_row(label, [of.get((event, label)) for of in ledgers], pair, rows) for event, label in labels
        ],
    }


def _ledger_row(label: str, lines: Sequence[LgwrLine | None], pair: tuple[int, int] | None, rows: Rows) -> TableRow:
    known_lines = [line for line in lines if line is not None]
    inside = next((line.inside for line in known_lines if line.inside is not None), None)
    served = any(line.use == "served" for line in known_lines)
    figures = []
    for line in lines:
        each = f"{seconds(line.per_write_s)} per write" if line and line.per_write_s is not None else ""
        figures.append(Amount(seconds(line.seconds.value), each) if line else NOTHING)
    totals = [line.seconds if line is not None else None for line in lines]
    return TableRow(
        label=label,
        note=SERVED if served else f"part of {stage_kind(inside).label}, not added" if inside else "",
        part=served or inside is not None,
        figures=tuple(figures),
        change=change(totals[pair[0]], totals[pair[1]], "s") if pair else NO_CHANGE,
        sources=rows.links((e for line in known_lines for e in line.evidence), in_section=False),
    )


def ranked_causes(latency: CommitLatency, sides: Sequence[SideLabel], rows: Rows) -> dict[str, Any]:
    """`size`: first cause's part of a commit wait."""
    listed: set[str] = set()
    ranked = [
        {
            "cause": c,
            "cls": MARKS[c.confidence],
            "where": _where(c.reports, sides, between=c.between),
            "explains": _explains(c),
            "checks": _fresh(c.checks, listed),
            "evidence": rows.links(c.evidence),
        }
        for c in latency.causes
    ]
    unsettled = [(u, _where(u.reports, sides, between=False), _fresh(u.checks, listed)) for u in latency.unsettled]
    return {
        "ranked": ranked,
        "main": [view for view, c in zip(ranked, latency.causes, strict=True) if c.confidence != "note"],
        "beside": [view for view, c in zip(ranked, latency.causes, strict=True) if c.confidence == "note"],
        "unsettled": unsettled,
        "size": _size_of_first(latency, sides),
    }


def _size_of_first(latency: CommitLatency, sides: Sequence[SideLabel]) -> str:
    cause = next((c for c in latency.causes if c.confidence != "note"), None)
    if cause is None:
        return ""
    where, size = _where(cause.reports, sides, between=cause.between), _size(cause, latency)
    if where and not cause.between and len(set(cause.reports)) > 1:  # the size is that of the last
        first, *_, last = (sides[at].label for at in dict.fromkeys(cause.reports))
        where = f"in {last}, as in {first}"
    text = ": ".join(p for p in (where, size) if p)
    return f"{text[:1].upper()}{text[1:]}."


def _size(cause: Cause, latency: CommitLatency) -> str:
    if cause.size:
        return cause.size
    if cause.explains_s is None or cause.explains_s.value <= 0:
        return "its size in a commit wait cannot be told"
    part, waits = cause.explains_s.value, [f.lfs_avg_s.value if f.lfs_avg_s else 0.0 for f in latency.reports]
    whole, of, longer = waits[min(cause.reports[-1], len(waits) - 1)], "that a commit waits", "a commit waits"
    if cause.part_of == "change":
        whole, of, longer = abs(whole - waits[0]), "by which commit waits differ", "the waits differ"
    if part == whole > 0:
        return f"all of the {seconds(whole)} {of}"
    if whole <= 0 or part > whole:
        return f"{seconds(part)}, longer than {longer}"
    return f"{seconds(part)} of the {seconds(whole)} {of} ({share(part / whole)})"


def _fresh(checks: Sequence[str], listed: set[str]) -> tuple[Check, ...]:
    fresh = [c for c in checks if c not in listed]
    listed.update(fresh)
    return tuple(map(check_of, fresh))


def _explains(cause: Cause) -> str:
    claim = cause.explains_s
    if claim is None or claim.value <= 0:
        return ""
    of, about = "the change" if cause.part_of == "change" else "a commit wait", seconds(claim.value)
    if claim.high - claim.low > LITTLE_SPREAD * claim.value:
        return f"Can account for about {about} of {of} ({range_of(claim, seconds)})."
    return "" if about in cause.text else f"Can account for up to {about} of {of}."


def _where(reports: Sequence[int], sides: Sequence[SideLabel], *, between: bool) -> str:
    if len(sides) < 2:
        return ""
    labels = [sides[at].label for at in dict.fromkeys(reports) if at < len(sides)]
    return f"between {' and '.join(labels)}" if between else f"in {' and '.join(labels)}"


def check_of(text: str) -> Check:
    match = STATEMENT.match(text)
    if match is None:
        return text, "", ""
    return match["before"].rstrip(), match["sql"], match["after"].strip()
