"""Numbers typed by the reader and kept in the address: SLA, benchmark transactions per second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency.sla import PerTransaction, against_sla, commit_time, per_transaction
from awrdiff.analysis.model.commits import CommitFigures, WhatIf
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.web import format as fmt
from awrdiff.web.presenters.commit.words import NOTHING, Shown, SideLabel, figure, range_of, ratio, seconds, share


@dataclass(frozen=True, slots=True)
class SlaLine:
    side: SideLabel
    wait: Shown
    time: str
    verdict: str
    cls: str
    text: str
    used: str


@dataclass(frozen=True, slots=True)
class SlaView:
    given: str  # as typed
    problem: str
    lines: tuple[SlaLine, ...]


CLASSES = {"breached": "crit", "probably breached": "warn", "within": "ok"}


def present_sla(typed_text: str, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> SlaView:
    """`given`: milliseconds as typed; empty for commit times only."""
    limit_s, problem = _limit(typed_text)
    lines = [
        _sla_line(side, f, f.lfs_avg_s, limit_s)
        for side, f in zip(sides, reports, strict=True)
        if f.lfs_avg_s is not None
    ]
    return SlaView(typed_text, problem, tuple(lines))


def _limit(text: str) -> tuple[float | None, str]:
    if not text:
        return None, ""
    milliseconds = positive(text, most=1e7)
    return (milliseconds / 1e3, "") if milliseconds else (None, "Give the SLA as a positive number of milliseconds.")


def _sla_line(side: SideLabel, f: CommitFigures, wait: Estimate, limit_s: float | None) -> SlaLine:
    time = commit_time(wait)
    spread = f"{seconds(time.low)} … {seconds(time.high)}"
    wait_text = figure(wait, seconds)
    if limit_s is None or wait.value <= 0:
        return SlaLine(side, wait_text, spread, "", "", "", "")
    sla_result = against_sla(wait, limit_s, f.lfs_histogram)
    return SlaLine(
        side,
        wait_text,
        spread,
        sla_result.verdict,
        CLASSES[sla_result.verdict],
        sla_result.text,
        range_of(sla_result.used, share),
    )


MOST = 1e9


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """`name`: of the field in the address."""

    name: str
    side: SideLabel
    given: str
    problem: bool
    printed: str
    waits: Shown
    waited: Shown

    @property
    def label(self) -> str:
        return f"{self.side.label}: transactions per second" if self.side.label else "Transactions per second"


@dataclass(frozen=True, slots=True)
class BenchmarkView:
    rows: tuple[BenchmarkRow, ...]

    @property
    def given(self) -> bool:
        return any(r.given for r in self.rows)

    @property
    def problem(self) -> str:
        wrong = any(r.problem for r in self.rows)
        return "Give transactions per second as a positive number." if wrong else ""


def names(count: int) -> tuple[str, ...]:
    """Query parameter names: `tps` of one report, `tps1` and `tps2` of a pair."""
    return ("tps",) if count == 1 else tuple(f"tps{n + 1}" for n in range(count))


def present_benchmark(
    typed_texts: Sequence[str], reports: Sequence[CommitFigures], what_if: WhatIf, sides: Sequence[SideLabel]
) -> BenchmarkView:
    """`given`: as typed, per side; reports without elapsed time have no row."""
    benchmark_rows = []
    for name, side, text in zip(names(len(sides)), sides, typed_texts, strict=True):
        elapsed, transactions = what_if.elapsed_s[side.at : side.at + 1], what_if.transactions[side.at : side.at + 1]
        if elapsed and elapsed[0] and reports[side.at].lfs_total_s is not None:
            rate = positive(text, most=MOST) if text else None
            per_commit = per_transaction(reports[side.at], elapsed[0], transactions[0], rate) if rate else None
            printed = transactions[0] / elapsed[0] if transactions[0] is not None else None
            benchmark_rows.append(_row(name, side, text, per_commit, printed))
    return BenchmarkView(tuple(benchmark_rows))


def _row(
    name: str, side: SideLabel, typed_text: str, measured: PerTransaction | None, printed: float | None
) -> BenchmarkRow:
    return BenchmarkRow(
        name=name,
        side=side,
        given=typed_text,
        problem=bool(typed_text) and measured is None,
        printed=fmt.significant(printed, 4, 2) if printed is not None else fmt.NONE,
        waits=figure(measured.waits, ratio) if measured else NOTHING,
        waited=figure(measured.waited_s, seconds) if measured else NOTHING,
    )


def positive(text: str, *, most: float) -> float | None:
    """None unless above 0 and below `most`."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < most else None
