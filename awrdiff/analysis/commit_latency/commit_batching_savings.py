"""Savings of fewer commits, in figures and sentences. docs/commit-latency.md, section 6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import linear_regression

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.interval_arithmetic import estimate, minus, scaled
from awrdiff.analysis.figures_in_words import fine_seconds as fine
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.commit_latency import CommitFigures, Fit, FitPoint, Plateau, WhatIf
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Value

SAME_WORK = 0.10
PLATEAU = 0.05  # of the best time: from here on more batching hardly pays
_LEAST_SPREAD = 0.05  # of the number of commits: else there is nothing to fit
_SAME_WINDOW = 0.02  # windows as equal as this were cut by the clock, not by the end of the work
_ONE_SESSION = (0.9, 1.02)  # DB time ÷ elapsed time: then a wait of the session is a wait of the run
_UNTOLD = "The reports do not print by what to tell whether they did the same work."
_MEASURES = ("db block changes", "redo entries", "execute count", "session logical reads")


def saved_at_least(lfs_total: Estimate, ratio: float) -> Estimate:
    """Seconds, at least: CPU, latches and redo go too; ValueError outside 0..1."""
    if not 0.0 <= ratio <= 1.0:
        raise ValueError("The commits that remain are a fraction of 1.")
    return scaled(lfs_total, 1.0 - ratio)


def fit(points: Sequence[tuple[float, float]]) -> Fit:
    """(commits, elapsed seconds); ValueError under two numbers of commits."""
    if len({k for k, _ in points}) < 2:
        raise ValueError("A line needs two different numbers of commits.")
    c, a = linear_regression(*zip(*points, strict=True))
    fit_points = tuple(FitPoint(k, t, a + c * k) for k, t in points)
    worst = max(abs(p.error) for p in fit_points)
    return Fit(a, c, fit_points, worst, min(k for k, _ in points), max(k for k, _ in points))


def all_but_paid_off(line: Fit) -> float | None:
    """Commits below which under 5 % of `a` remains."""
    return line.a_s * PLATEAU / line.c_s if line.a_s > 0 and line.c_s > 0 else None


def what_if(sides: Sequence[Side], lfs_totals: Sequence[Estimate | None]) -> WhatIf:
    inputs = WhatIf(
        removable_s=tuple(lfs_totals),
        commits=_numbers(s.statistic("user commits") for s in sides),
        without_s=tuple(without_lfs(s, total) for s, total in zip(sides, lfs_totals, strict=True)),
        elapsed_s=_numbers(s.elapsed for s in sides),
        cpu_s=_numbers(s.db_cpu for s in sides),
        executions=_numbers(s.statistic("execute count") for s in sides),
        transactions=tuple(s.transactions for s in sides),
    )
    why_not = _nothing_to_fit(sides, inputs.commits)
    if why_not:
        return replace(inputs, why_not=why_not)
    points = [(k, t) for k, t in zip(inputs.commits, inputs.elapsed_s, strict=True) if k is not None and t is not None]
    line, apart = fit(points), _work_apart(sides)
    if apart is None:
        return replace(inputs, why_not=_UNTOLD, fit_if_same_work=line)
    if apart:
        return replace(inputs, why_not=apart)
    return replace(inputs, fit=line, stops_paying=plateau(points))


def _numbers(values: Iterable[Value | None]) -> tuple[float | None, ...]:
    return tuple(v.number if v is not None else None for v in values)


def plateau(points: Sequence[tuple[float, float]]) -> Plateau | None:
    """None for two runs, or none within 5 %."""
    places = range(len(points))
    best = min(places, key=lambda i: points[i][1])
    near = max((i for i in places if points[i][1] <= points[best][1] * (1.0 + PLATEAU)), key=lambda i: points[i][0])
    base = points[max(places, key=lambda i: points[i][0])][1]
    if len(points) < 3 or near == best or base <= 0:
        return None
    (near_k, near_t), (best_k, best_t) = points[near], points[best]
    return Plateau(near, near_k, near_t, near_t / base - 1.0, best, best_k, best_t, best_t / base - 1.0)


def without_lfs(side: Side, lfs_total: Estimate | None) -> Estimate | None:
    """None with more than one session."""
    elapsed, sessions = side.elapsed, side.active_sessions
    if elapsed is None or lfs_total is None or sessions is None:
        return None
    if not _ONE_SESSION[0] <= sessions <= _ONE_SESSION[1]:
        return None
    return minus(estimate(elapsed), lfs_total)


def _nothing_to_fit(sides: Sequence[Side], commits: Sequence[float | None]) -> str:
    if len(sides) < 2:
        return "One report alone gives a bound: a line needs two or more of the same work."
    if any(k is None for k in commits) or any(s.elapsed is None for s in sides):
        return "Not every report prints both its number of commits and its elapsed time."
    printed_commits = [k for k in commits if k is not None]
    if (
        max(printed_commits) <= 0
        or (max(printed_commits) - min(printed_commits)) / max(printed_commits) < _LEAST_SPREAD
    ):
        return "The reports have about the same number of commits: there is nothing to fit a line to."
    windows = [s.elapsed.number for s in sides if s.elapsed is not None]
    if (max(windows) - min(windows)) / max(windows) < _SAME_WINDOW:
        return "The windows are equally long: they end by the clock, and do not tell how long the work took."
    return ""


def _work_apart(sides: Sequence[Side]) -> str | None:
    """ "" where none, None where nothing printed tells."""
    for name in _MEASURES:
        totals = [v.number for s in sides if (v := s.statistic(name)) is not None]
        if len(totals) == len(sides) and max(totals) > 0:
            apart = (max(totals) - min(totals)) / max(totals)
            return (
                "" if apart <= SAME_WORK else f"The reports did different work: {name} differ by {apart * 100:.0f} %."
            )
    return None


LESS = (("1/100", 0.01), ("1/10", 0.1), ("1/4", 0.25), ("1/2", 0.5), ("3/4", 0.75))
FACTORS = (*LESS, ("as now", 1.0), ("3/2", 1.5), ("2", 2.0))
OTHER_SYNCS = 1.1  # synch writes per transaction: above, not all the waits are those of commits
LARGE_WRITE_BYTES = 1 << 20  # the largest I/O request of the log writer: larger writes take as long as they are


class Batch(Struct, frozen=True):
    """Work per commit, on the published axis; `whole`: all units."""

    unit: str  # "rows", "executions"
    whole: float

    def per_commit(self, commits: float) -> float | None:
        return self.whole / commits if commits > 0 else None


class Split(Struct, frozen=True):
    """Seconds a commit adds, in one session; `cpu_s` None without DB CPU."""

    whole_s: float
    lfs_s: float
    cpu_s: float | None
    runs: int

    @property
    def rest_s(self) -> float:
        return self.whole_s - self.lfs_s - (self.cpu_s or 0.0)


class Runs(Struct, frozen=True):
    """Runs of the same work; `now`: present number of commits."""

    line: Fit
    what_if: WhatIf
    now: float
    batch: Batch | None
    split: Split | None


def runs_of(what_if: WhatIf, now: int, *, assume: bool, rows: float | None = None) -> Runs | None:
    """`now`: index of the present report. None without line."""
    line = what_if.fit or (what_if.fit_if_same_work if assume else None)
    commits = what_if.commits[now] if line is not None else None
    if line is None or not commits:
        return None
    return Runs(line, what_if, commits, _batch_of(what_if, rows), _split_of(line, what_if))


def saving_of(total: Estimate, figures: CommitFigures, factor: float) -> tuple[Estimate, float | None]:
    """Session seconds; share (0..1) of DB or call time."""
    of, least = figures.lfs_db_time_share, saved_at_least(total, factor)
    return least, of.value * least.value / total.value if of is not None and total.value > 0 else None


def no_bound(f: CommitFigures) -> str:
    """Reason that it is no bound, or ""."""
    if f.commit_wait_ratio is None:
        return "how many of the waits are those of commits is not printed"
    if f.commit_wait_ratio.value > OTHER_SYNCS:
        syncs = number(f.commit_wait_ratio.value)
        return f"{syncs} synch writes to a commit: others than commits wait too, and may go on waiting"
    if f.redo_per_write_bytes is not None and f.redo_per_write_bytes.value >= LARGE_WRITE_BYTES:
        return "redo writes are larger than one I/O request: fewer commits would make each longer"
    return ""


def _batch_of(what_if: WhatIf, rows: float | None) -> Batch | None:
    if rows:
        return Batch("rows", rows)
    counts = [n for n in what_if.executions if n]
    if len(counts) < 2 or len(counts) < len(what_if.commits) or max(counts) > 1.1 * min(counts):
        return None
    return Batch("executions", sum(counts) / len(counts))


def _split_of(line: Fit, what_if: WhatIf) -> Split | None:
    cpu = what_if.cpu_s or (None,) * len(what_if.commits)
    runs = list(zip(line.points, what_if.removable_s, what_if.without_s, cpu, strict=True))
    printed_runs = [(p, lfs, cpu) for p, lfs, without, cpu in runs if lfs is not None and without is not None]
    if len({p.commits for p, _, _ in printed_runs}) < 2:
        return None
    whole = fit([(p.commits, p.elapsed_s) for p, _, _ in printed_runs]).c_s
    waited = fit([(p.commits, lfs.value) for p, lfs, _ in printed_runs]).c_s
    spent = [(p.commits, cpu) for p, _, cpu in printed_runs if cpu is not None]
    return Split(whole, waited, fit(spent).c_s if len(spent) == len(printed_runs) else None, len(printed_runs))


MINUS = "−"


def formula(runs: Runs) -> str:
    line = runs.line
    return f"T(k) = {fine(line.a_s)} {MINUS if line.c_s < 0 else '+'} {fine(abs(line.c_s))} · k"


def batch_formula(runs: Runs) -> str:
    """Line over the work per commit; "" if unknown."""
    line, batch = runs.line, runs.batch
    sign = MINUS if line.c_s < 0 else "+"
    return f"T(b) = {fine(line.a_s)} {sign} {fine(abs(line.c_s) * batch.whole)} ÷ b" if batch else ""


def sentences(runs: Runs, labels: Sequence[str]) -> Iterator[str]:
    """`labels`: names of the reports."""
    line, now, split = runs.line, runs.now, runs.split
    text = f"The {number(now)} commits now take {fine(line.c_s * now)} of {fine(line.at(now))}"
    most = f"{fine(line.c_s * line.highest)} of {fine(line.at(line.highest))}"
    yield f"{text}." if line.highest <= now else f"{text}, the most of all, {number(line.highest)}, {most}."
    yield from _explained(line, runs.what_if, labels)
    if split is None:
        yield "Log file sync is not printed for two runs of one session: what a commit adds cannot be split."
    else:
        text = f"Of the {fine(split.whole_s)} that a commit adds, {fine(split.lfs_s)} are log file sync"
        if split.cpu_s is None:
            yield f"{text} and {fine(split.rest_s)} are not: CPU, redo and undo. DB CPU is not printed."
        else:
            yield f"{text}, {fine(split.cpu_s)} DB CPU and {fine(split.rest_s)} all else."
    worst = f"{line.worst_error * 100:.2f}" if line.worst_error >= 0.00005 else "under 0.01"
    text = f"Fitted by least squares on {len(line.points)} reports of {number(line.lowest)} to {number(line.highest)}"
    always = " Through two points a line always fits: a third report would test it." if len(line.points) == 2 else ""
    yield f"{text} commits; worst error {worst} %.{always}"
    if line.c_s <= 0:
        yield "The run with more commits was not slower: the line shows nothing to gain from fewer."
    else:
        yield from _stops_paying(line, now, runs.batch)


def _explained(line: Fit, what_if: WhatIf, labels: Sequence[str]) -> Iterator[str]:
    timed = [
        (p.elapsed_s, p.elapsed_s - without.value, label)
        for p, label, without in zip(line.points, labels, what_if.without_s, strict=True)
        if without is not None
    ]
    slow, fast = (of(timed, key=lambda k: k[0], default=None) for of in (max, min))
    if slow is None or fast is None or slow[0] <= fast[0]:
        return
    apart, waited = slow[0] - fast[0], slow[1] - fast[1]
    slow_and_fast = " and ".join(k[2] for k in timed if k in (slow, fast))
    text = f"Between {slow_and_fast} log file sync alone explains {fine(waited)} of the {fine(apart)}"
    if waited < apart:
        text += f"; the other {fine(apart - waited)} are what a commit costs besides: CPU, redo and undo"
    yield f"{text}."


def _stops_paying(line: Fit, now: float, batch: Batch | None) -> Iterator[str]:
    measured = plateau([(p.commits, p.elapsed_s) for p in line.points])
    if measured is not None and measured.commits == line.highest:
        yield "As measured, fewer commits gained less than 5 %."
    elif measured is not None:
        part = f", 1/{number(line.highest / measured.commits)} of the most" if measured.commits > 0 else ""
        yield (
            f"As measured, more batching stops paying at {_commits(measured.commits, batch)}{part}: "
            f"{signed_percent(measured.change)}, and {signed_percent(measured.best_change)} at best "
            f"({_commits(measured.best_commits, batch)})."
        )
    enough = all_but_paid_off(line)
    if enough is not None and now > 0:
        where = " (beyond the range it was fitted on)" if line.extrapolates(enough) else ""
        yield (
            f"By the line more batching stops paying at about {_commits(float(f'{enough:.2g}'), batch)}, "
            f"{number(float(f'{enough / now:.2g}'))} of now{where}: all that is left to save is then under 5 %."
        )


def _commits(commits: float, batch: Batch | None) -> str:
    each = batch.per_commit(commits) if batch is not None else None
    return f"{number(commits)} commits" + (f" ({batch_size(each)} {batch.unit} each)" if each and batch else "")


def batch_size(each: float) -> str:
    return number(float(round(each))) if each >= 10 or abs(each - round(each)) < 0.05 else f"{each:.2g}"


def signed_percent(part: float) -> str:
    """`−45.7 %`"""
    points = part * 100
    if 0 < abs(points) < 0.05:
        return "under 0.1 %"
    return f"{points:+.1f} %".replace("-", MINUS) if points else "0 %"
