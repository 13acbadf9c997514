"""Savings from fewer commits: table, slider, runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.commit_latency import commit_batching_savings, committing_statements
from awrdiff.analysis.commit_latency.commit_batching_savings import Batch
from awrdiff.analysis.commit_latency.sla import Sla, against_sla, commit_time, per_transaction
from awrdiff.analysis.figures_in_words import listing
from awrdiff.analysis.model.commit_latency import CommitFigures, WhatIf
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.commit.figure_texts import (
    NOTHING,
    Shown,
    SideLabel,
    count,
    figure,
    range_of,
    ratio,
    seconds,
    share,
)


@dataclass(frozen=True, slots=True)
class SlaLine:
    """`sla`: against the one typed in; `used`: its share, as a range."""

    side: SideLabel
    wait: Shown
    time: str
    sla: Sla | None = None
    used: str = ""

    @property
    def cls(self) -> str:
        return CLASSES[self.sla.verdict] if self.sla is not None else ""


CLASSES = {"breached": "crit", "probably breached": "warn", "within": "ok"}


def present_sla(
    typed_text: str, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]
) -> tuple[tuple[SlaLine, ...], str]:
    """Second: error in the typed milliseconds, "" if none."""
    limit_ms = positive(typed_text, most=1e7) if typed_text else None
    lines = []
    for side, f in zip(sides, reports, strict=True):
        if (wait := f.lfs_avg_s) is not None:
            time = commit_time(wait)
            line = SlaLine(side, figure(wait, seconds), f"{seconds(time.low)} … {seconds(time.high)}")
            if limit_ms is not None and wait.value > 0:
                sla = against_sla(wait, limit_ms / 1e3, f.lfs_histogram)
                line = replace(line, sla=sla, used=range_of(sla.used, share))
            lines.append(line)
    is_wrong = typed_text and limit_ms is None
    return tuple(lines), "Give the SLA as a positive number of milliseconds." if is_wrong else ""


MOST = 1e9


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """`name`: form field."""

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


def names(count: int) -> tuple[str, ...]:
    """`tps` of one report, `tps1` and `tps2` of two."""
    return ("tps",) if count == 1 else tuple(f"tps{n + 1}" for n in range(count))


def present_benchmark(
    typed_texts: Sequence[str], reports: Sequence[CommitFigures], what_if: WhatIf, sides: Sequence[SideLabel]
) -> tuple[BenchmarkRow, ...]:
    """Per side; none without elapsed time."""
    benchmark_rows = []
    for name, side, text in zip(names(len(sides)), sides, typed_texts, strict=True):
        elapsed, transactions = what_if.elapsed_s[side.at : side.at + 1], what_if.transactions[side.at : side.at + 1]
        if elapsed and elapsed[0] and reports[side.at].lfs_total_s is not None:
            rate = positive(text, most=MOST) if text else None
            waits, waited = per_transaction(reports[side.at], elapsed[0], rate) if rate else (None, None)
            printed = transactions[0] / elapsed[0] if transactions[0] is not None else None
            benchmark_rows.append(
                BenchmarkRow(
                    name=name,
                    side=side,
                    given=text,
                    problem=bool(text) and rate is None,
                    printed=fmt.significant(printed, 4, 2) if printed is not None else fmt.NONE,
                    waits=figure(waits, ratio),
                    waited=figure(waited, seconds),
                )
            )
    return tuple(benchmark_rows)


def positive(text: str, *, most: float) -> float | None:
    """None unless above 0 and below `most`."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < most else None


LEAST, ABOUT = "saved at least", "saved, about"
MOST_ROWS = 1e15


@dataclass(frozen=True, slots=True)
class Linear:
    """Slider figure: base + slope × factor of commits."""

    label: str
    cls: str
    unit: str  # s, count
    base: str
    slope: str
    now: str
    word: str = ""  # where it is a saving: how sure


Head = tuple[str, str]  # text and class
FactorRow = tuple[str, tuple[Shown, ...], bool]  # factor, figures; whether outside the range the line was fitted on


@dataclass(frozen=True, slots=True)
class PointRow:
    side: SideLabel
    commits: str
    batch: str
    elapsed: str
    waited: Shown
    without: Shown
    fitted: str
    error: str


@dataclass(frozen=True, slots=True)
class WhatIfView:
    why_not: str = ""
    can_assume: bool = False  # the reader may say that the reports did the same work
    assumed: bool = False
    heads: tuple[Head, ...] = ()  # of the columns of `rows`
    rows: tuple[FactorRow, ...] = ()
    linears: tuple[Linear, ...] = ()
    most: float = 0.0  # log2 of the slider's upper end
    lowest: str = ""  # the fitted range as factors of the present number of commits
    highest: str = ""
    points: tuple[PointRow, ...] = ()
    formula: str = ""
    batch_formula: str = ""
    batch: str = ""  # what a commit ends, where that is known: rows, executions
    sentences: tuple[str, ...] = ()
    problem: str = ""  # with the rows typed in
    no_bounds: tuple[str, ...] = ()
    who_commits: tuple[str, ...] = ()

    @property
    def fitted(self) -> bool:
        return bool(self.points)

    @property
    def waits_known(self) -> bool:
        return any(p.waited != NOTHING for p in self.points)

    @property
    def is_bound(self) -> bool:
        """True if all savings are lower bounds."""
        return all(linear.word == LEAST for linear in self.linears)


def present(
    what_if: WhatIf,
    reports: Sequence[CommitFigures],
    sides: Sequence[SideLabel],
    now: int,
    *,
    assume: bool,
    rows: str = "",
) -> WhatIfView:
    """`now`: index of the current report; `rows`: per run, as typed."""
    typed = positive(rows, most=MOST_ROWS) if rows else None
    runs = commit_batching_savings.runs_of(what_if, now, assume=assume, rows=typed)
    who = tuple(
        f"{side.label}: {text}" if side.label else text
        for side, f in zip(sides, reports, strict=False)
        if f.committers and (text := committing_statements.sentence(f.committers))
    )
    if runs is None:
        return replace(_bounds(what_if, reports, sides), who_commits=who)
    problem = "Give the rows as a positive number." if rows and typed is None else ""
    return replace(_fitted(runs, reports, sides), problem=problem, who_commits=who)


def _bounds(what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> WhatIfView:
    savings = [(s, t, f) for s, t, f in zip(sides, what_if.removable_s, reports, strict=False) if t is not None]
    rows = [
        (label, tuple(_saved(total, f, factor) for _, total, f in savings), False)
        for label, factor in commit_batching_savings.LESS
    ]
    doubts = [(s.label, commit_batching_savings.no_bound(f)) for s, _, f in savings]
    words = [ABOUT if why else LEAST for _, why in doubts]
    labels = {why: [label for label, of in doubts if of == why and label] for _, why in doubts if why}
    linears = [
        Linear(s.label, s.cls, "s", _exact(t.value), _exact(-t.value), "", word)
        for (s, t, _), word in zip(savings, words, strict=True)
    ]
    heads = [(f"{s.label}: {word}" if s.label else word, s.cls) for (s, _, _), word in zip(savings, words, strict=True)]
    return WhatIfView(
        why_not=what_if.why_not,
        can_assume=what_if.fit_if_same_work is not None,
        heads=tuple(heads),
        rows=tuple(rows) if savings else (),
        linears=tuple(linears),
        no_bounds=tuple(f"No bound{f' in {listing(of)}' if of else ''}: {why}." for why, of in labels.items()),
    )


def _saved(total: Estimate, f: CommitFigures, factor: float) -> Shown:
    saved, part = commit_batching_savings.saving_of(total, f, factor)
    text = figure(saved, seconds)
    return (
        replace(text, range=f"{share(part)} of {'call' if f.of_call_time else 'DB'} time") if part is not None else text
    )


def _fitted(
    runs: commit_batching_savings.Runs, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]
) -> WhatIfView:
    line, now, batch = runs.line, runs.now, runs.batch
    per_commit = (f"{batch.unit} per commit",) if batch else ()
    points = [
        PointRow(
            side=side,
            commits=count(point.commits),
            batch=_batch(batch, point.commits),
            elapsed=seconds(point.elapsed_s),
            waited=figure(f.lfs_total_s, seconds),
            without=figure(without, seconds),
            fitted=seconds(point.fitted_s),
            error="=" if abs(point.error) < 1e-9 else commit_batching_savings.signed_percent(point.error),
        )
        for point, f, side, without in zip(line.points, reports, sides, runs.what_if.without_s, strict=True)
    ]
    return WhatIfView(
        assumed=runs.what_if.fit is None,
        heads=tuple((text, "") for text in ("commits", *per_commit, "time by the line", "against now")),
        rows=tuple(_factor(label, now * factor, runs) for label, factor in commit_batching_savings.FACTORS),
        linears=(
            Linear("commits", "", "count", "0", _exact(now), ""),
            Linear("time by the line", "", "s", _exact(line.a_s), _exact(line.c_s * now), _exact(line.at(now))),
        ),
        most=1.0,
        lowest=_exact(line.lowest / now),
        highest=_exact(line.highest / now),
        points=tuple(points),
        formula=commit_batching_savings.formula(runs),
        batch_formula=commit_batching_savings.batch_formula(runs),
        batch=batch.unit if batch else "",
        sentences=tuple(commit_batching_savings.sentences(runs, [s.label for s in sides])),
    )


def _factor(label: str, commits: float, runs: commit_batching_savings.Runs) -> FactorRow:
    line, base = runs.line, runs.line.at(runs.now)
    change = line.at(commits) / base - 1.0 if base > 0 else 0.0
    each = (Shown(_batch(runs.batch, commits)),) if runs.batch else ()
    against = Shown("=" if change == 0 else commit_batching_savings.signed_percent(change))
    return label, (Shown(count(commits)), *each, Shown(seconds(line.at(commits))), against), line.extrapolates(commits)


def _batch(batch: Batch | None, commits: float) -> str:
    each = batch.per_commit(commits) if batch is not None else None
    return commit_batching_savings.batch_size(each) if each is not None else fmt.NONE


def _exact(number: float) -> str:
    return f"{number:.9g}"
