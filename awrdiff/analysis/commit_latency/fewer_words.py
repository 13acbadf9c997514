"""Fewer commits, in sentences: what the line says, how far it is to be believed, and where batching stops paying."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency.fewer import Batch, Runs, Split
from awrdiff.analysis.commit_latency.what_if import all_but_paid_off, plateau
from awrdiff.analysis.model.commits import Fit, WhatIf
from awrdiff.analysis.words import fine_seconds as fine
from awrdiff.analysis.words import number

MINUS = "−"


def formula(runs: Runs) -> str:
    """Over the number of commits."""
    line = runs.line
    return f"T(k) = {fine(line.a_s)} {_sign(line)} {fine(abs(line.c_s))} · k"


def batch_formula(runs: Runs) -> str:
    """The same line over what each commit ends; empty where that is not known."""
    line, batch = runs.line, runs.batch
    return f"T(b) = {fine(line.a_s)} {_sign(line)} {fine(abs(line.c_s) * batch.whole)} ÷ b" if batch else ""


def _sign(line: Fit) -> str:
    return MINUS if line.c_s < 0 else "+"


def sentences(runs: Runs, labels: Sequence[str]) -> tuple[str, ...]:
    """`labels`: how the reports are called."""
    line, now, batch = runs.line, runs.now, runs.batch
    said = [_adds(line, now), *_explained(line, runs.what_if, labels), *_split(runs.split), _fitted(line)]
    if line.c_s <= 0:
        return (*said, "The run with more commits was not slower: the line shows nothing to gain from fewer.")
    return (*said, *_plateau(line, batch), *_paid_off(line, now, batch))


def _adds(line: Fit, now: float) -> str:
    """What c comes to, for the commits of now and for the most of all runs."""
    said = f"The {number(now)} commits now take {fine(line.c_s * now)} of {fine(line.at(now))}"
    if line.highest <= now:
        return f"{said}."
    most = f"{fine(line.c_s * line.highest)} of {fine(line.at(line.highest))}"
    return f"{said}, the most of all, {number(line.highest)}, {most}."


def _explained(line: Fit, what_if: WhatIf, labels: Sequence[str]) -> list[str]:
    """How much of the difference between the slowest run and the fastest is log file sync itself."""
    known = [
        (p.elapsed_s, p.elapsed_s - without.value, label)
        for p, label, without in zip(line.points, labels, what_if.without_s, strict=True)
        if without is not None
    ]
    if len(known) < 2:
        return []
    slow, fast = max(known, key=lambda k: k[0]), min(known, key=lambda k: k[0])
    apart, waited = slow[0] - fast[0], slow[1] - fast[1]
    if apart <= 0:
        return []
    both = " and ".join(k[2] for k in known if k in (slow, fast))
    text = f"Between {both} log file sync alone explains {fine(waited)} of the {fine(apart)}"
    if waited < apart:
        text += f"; the other {fine(apart - waited)} are what a commit costs besides: CPU, redo and undo"
    return [f"{text}."]


def _split(split: Split | None) -> list[str]:
    """Of one commit."""
    if split is None:
        return ["Log file sync is not printed for two runs of one session: what a commit adds cannot be split."]
    text = f"Of the {fine(split.whole_s)} that a commit adds, {fine(split.lfs_s)} are log file sync"
    if split.cpu_s is None:
        return [f"{text} and {fine(split.rest_s)} are not: CPU, redo and undo. DB CPU is not printed."]
    return [f"{text}, {fine(split.cpu_s)} DB CPU and {fine(split.rest_s)} all else."]


def _fitted(line: Fit) -> str:
    fitted = f"Fitted by least squares on {len(line.points)} reports of {number(line.lowest)} to {number(line.highest)}"
    worst = line.worst_error * 100
    said = f"{fitted} commits; worst error {f'{worst:.2f}' if worst >= 0.005 else 'under 0.01'} %."
    if len(line.points) == 2:
        said += " Through two points a line always fits: a third report would test it."
    return said


def _plateau(line: Fit, batch: Batch | None) -> list[str]:
    """Among three runs or more: the one from which on fewer commits hardly gained."""
    found = plateau([(p.commits, p.elapsed_s) for p in line.points])
    if found is None:
        return []
    if found.commits == line.highest:
        return ["As measured, fewer commits gained less than 5 %."]
    part = f", 1/{number(line.highest / found.commits)} of the most" if found.commits > 0 else ""
    return [
        f"As measured, more batching stops paying at {_commits(found.commits, batch)}{part}: "
        f"{signed_percent(found.change)}, and {signed_percent(found.best_change)} at best "
        f"({_commits(found.best_commits, batch)})."
    ]


def _paid_off(line: Fit, now: float, batch: Batch | None) -> list[str]:
    enough = all_but_paid_off(line)
    if enough is None or now <= 0:
        return []
    where = " (beyond the range it was fitted on)" if line.extrapolates(enough) else ""
    return [
        f"By the line more batching stops paying at about {_commits(float(f'{enough:.2g}'), batch)}, "
        f"{number(float(f'{enough / now:.2g}'))} of now{where}: all that is left to save is then under 5 %."
    ]


def _commits(commits: float, batch: Batch | None) -> str:
    each = batch.per_commit(commits) if batch is not None else None
    return f"{number(commits)} commits" + (f" ({batch_size(each)} {batch.unit} each)" if each and batch else "")


def batch_size(each: float) -> str:
    return number(float(round(each))) if each >= 10 or abs(each - round(each)) < 0.05 else f"{each:.2g}"


def signed_percent(part: float) -> str:
    """A fraction as a change: −45.7 %."""
    points = part * 100
    if 0 < abs(points) < 0.05:
        return "under 0.1 %"
    return f"{points:+.1f} %".replace("-", MINUS) if points else "0 %"


__all__ = ["batch_formula", "batch_size", "formula", "sentences", "signed_percent"]
