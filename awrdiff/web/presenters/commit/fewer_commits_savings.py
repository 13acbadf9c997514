"""Savings from fewer commits: table, slider, runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from awrdiff.analysis.commit_latency import commit_batching_savings, committing_statements
from awrdiff.analysis.commit_latency.commit_batching_savings import Batch
from awrdiff.analysis.commit_latency.sla import against_sla, commit_time, per_transaction
from awrdiff.analysis.figures_in_words import listing
from awrdiff.analysis.model.commit_latency import CommitFigures, WhatIf
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.commit.figure_texts import (
    Amount,
    SideLabel,
    count,
    figure,
    range_of,
    ratio,
    seconds,
    share,
)

CLASSES = {"breached": "crit", "probably breached": "warn", "within": "ok"}


def present_sla(typed_text: str, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> dict[str, Any]:
    """Lines of average wait and commit time by report; against an SLA its verdict and share, as a range."""
    limit_ms = positive(typed_text, most=1e7) if typed_text else None
    lines = []
    for side, f in zip(sides, reports, strict=True):
        if (wait := f.lfs_avg_s) is not None:
            time = commit_time(wait)
            sla = against_sla(wait, limit_ms / 1e3, f.lfs_histogram) if limit_ms and wait.value > 0 else None
            margin = (CLASSES[sla.verdict], sla, range_of(sla.used, share)) if sla is not None else ("", None, "")
            lines.append((side, figure(wait, seconds), f"{seconds(time.low)} … {seconds(time.high)}", *margin))
    is_wrong = typed_text and limit_ms is None
    return {"sla": lines, "sla_problem": "Give the SLA as a positive number of milliseconds." if is_wrong else ""}


MOST = 1e9


def names(count: int) -> tuple[str, ...]:
    """`tps` of one report, `tps1` and `tps2` of two."""
    return ("tps",) if count == 1 else tuple(f"tps{n + 1}" for n in range(count))


def present_benchmark(
    typed_texts: Mapping[str, str], reports: Sequence[CommitFigures], what_if: WhatIf, sides: Sequence[SideLabel]
) -> dict[str, Any]:
    """Per side; none without elapsed time. `typed_texts`: by form field."""
    rows = []
    for name, side in zip(names(len(sides)), sides, strict=True):
        elapsed, transactions = what_if.elapsed_s[side.at : side.at + 1], what_if.transactions[side.at : side.at + 1]
        if elapsed and elapsed[0] and reports[side.at].lfs_total_s is not None:
            text = typed_texts.get(name, "")
            rate = positive(text, most=MOST) if text else None
            waits, waited = per_transaction(reports[side.at], elapsed[0], rate) if rate else (None, None)
            printed = transactions[0] / elapsed[0] if transactions[0] is not None else None
            row = {
                "name": name,
                "side": side,
                "label": f"{side.label}: transactions per second" if side.label else "Transactions per second",
                "given": text,
                "problem": bool(text) and rate is None,
                "printed": fmt.significant(printed, 4, 2) if printed is not None else fmt.NONE,
                "waits": figure(waits, ratio),
                "waited": figure(waited, seconds),
            }
            rows.append(row)
    return {
        "benchmark": rows,
        "benchmark_typed": any(row["given"] for row in rows),
        "benchmark_problem": any(row["problem"] for row in rows),
    }


def positive(text: str, *, most: float) -> float | None:
    """None unless above 0 and below `most`."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < most else None


LEAST, ABOUT = "saved at least", "saved, about"
MOST_ROWS = 1e15


LinearTexts = tuple[str, str, str, str, str, str, str]  # label, class, unit, base, slope, now; of a saving how sure
FactorRow = tuple[str, list[Amount], bool]  # factor, figures; whether outside the range the line was fitted on


def present(
    what_if: WhatIf,
    reports: Sequence[CommitFigures],
    sides: Sequence[SideLabel],
    now: int,
    *,
    assume: bool,
    rows: str = "",
) -> dict[str, Any]:
    """`now`: index of the current report; `rows`: per run, as typed."""
    typed = positive(rows, most=MOST_ROWS) if rows else None
    runs = commit_batching_savings.runs_of(what_if, now, assume=assume, rows=typed)
    who = [
        f"{side.label}: {text}" if side.label else text
        for side, f in zip(sides, reports, strict=False)
        if f.committers and (text := committing_statements.sentence(f.committers))
    ]
    if runs is None:
        return {**_bounds(what_if, reports, sides), "who_commits": who}
    return {**_fitted(runs, reports, sides), "problem": rows and typed is None, "who_commits": who}


def _bounds(what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> dict[str, Any]:
    savings = [(s, t, f) for s, t, f in zip(sides, what_if.removable_s, reports, strict=False) if t is not None]
    rows: list[FactorRow] = [
        (label, [_saved(total, f, factor) for _, total, f in savings], False)
        for label, factor in commit_batching_savings.LESS
    ]
    doubts = [(s.label, commit_batching_savings.no_bound(f)) for s, _, f in savings]
    words = [ABOUT if why else LEAST for _, why in doubts]
    labels = {why: [label for label, of in doubts if of == why and label] for _, why in doubts if why}
    linears: list[LinearTexts] = [
        (s.label, s.cls, "s", _exact(t.value), _exact(-t.value), "", word)
        for (s, t, _), word in zip(savings, words, strict=True)
    ]
    heads = [(f"{s.label}: {word}" if s.label else word, s.cls) for (s, _, _), word in zip(savings, words, strict=True)]
    return {
        "why_not": what_if.why_not,
        "can_assume": what_if.fit_if_same_work is not None,  # the reader may say that the reports did the same work
        "heads": heads,
        "rows": rows if savings else [],
        "linears": linears,
        "most": 0.0,
        "is_bound": all(word == LEAST for word in words),
        "no_bounds": [f"No bound{f' in {listing(of)}' if of else ''}: {why}." for why, of in labels.items()],
    }


def _saved(total: Estimate, f: CommitFigures, factor: float) -> Amount:
    saved, part = commit_batching_savings.saving_of(total, f, factor)
    text = figure(saved, seconds)
    return (
        replace(text, range=f"{share(part)} of {'call' if f.of_call_time else 'DB'} time") if part is not None else text
    )


def _fitted(
    runs: commit_batching_savings.Runs, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]
) -> dict[str, Any]:
    line, now, batch = runs.line, runs.now, runs.batch
    per_commit = (f"{batch.unit} per commit",) if batch else ()
    points = [
        (
            side,
            count(point.commits),
            _batch(batch, point.commits),
            seconds(point.elapsed_s),
            figure(f.lfs_total_s, seconds),
            figure(without, seconds),
            seconds(point.fitted_s),
            "=" if abs(point.error) < 1e-9 else commit_batching_savings.signed_percent(point.error),
        )
        for point, f, side, without in zip(line.points, reports, sides, runs.what_if.without_s, strict=True)
    ]
    linears: list[LinearTexts] = [
        ("commits", "", "count", "0", _exact(now), "", ""),
        ("time by the line", "", "s", _exact(line.a_s), _exact(line.c_s * now), _exact(line.at(now)), ""),
    ]
    return {
        "fitted": True,
        "assumed": runs.what_if.fit is None,
        "heads": [(text, "") for text in ("commits", *per_commit, "time by the line", "against now")],
        "rows": [_factor(label, now * factor, runs) for label, factor in commit_batching_savings.FACTORS],
        "linears": linears,
        "most": 1.0,  # log2 of the slider's upper end
        "lowest": _exact(line.lowest / now),  # the fitted range as factors of the present number of commits
        "highest": _exact(line.highest / now),
        "points": points,
        "waits_known": any(f.lfs_total_s is not None for f in reports),
        "formula": commit_batching_savings.formula(runs),
        "batch_formula": commit_batching_savings.batch_formula(runs),
        "batch": batch.unit if batch else "",  # what a commit ends, where that is known: rows, executions
        "sentences": list(commit_batching_savings.sentences(runs, [s.label for s in sides])),
    }


def _factor(label: str, commits: float, runs: commit_batching_savings.Runs) -> FactorRow:
    line, base = runs.line, runs.line.at(runs.now)
    change = line.at(commits) / base - 1.0 if base > 0 else 0.0
    each = [Amount(_batch(runs.batch, commits))] if runs.batch else []
    signed = Amount("=" if change == 0 else commit_batching_savings.signed_percent(change))
    return label, [Amount(count(commits)), *each, Amount(seconds(line.at(commits))), signed], line.extrapolates(commits)


def _batch(batch: Batch | None, commits: float) -> str:
    each = batch.per_commit(commits) if batch is not None else None
    return commit_batching_savings.batch_size(each) if each is not None else fmt.NONE


def _exact(number: float) -> str:
    return f"{number:.9g}"
