"""Fewer commits: table, slider and runs behind the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.commit_latency import committers, fewer
from awrdiff.analysis.commit_latency.fewer import Batch
from awrdiff.analysis.model.commits import CommitFigures, WhatIf
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.commit.typed import positive
from awrdiff.web.presenters.commit.words import NOTHING, Shown, SideLabel, count, figure, seconds, share

LEAST, ABOUT = "saved at least", "saved, about"
MOST_ROWS = 1e15


@dataclass(frozen=True, slots=True)
class Linear:
    """Slider figure: base + slope × factor, linear in the number of commits."""

    label: str
    cls: str
    unit: str  # s, count
    base: str
    slope: str
    now: str
    word: str = ""  # where it is a saving: how sure


@dataclass(frozen=True, slots=True)
class Head:
    label: str
    cls: str = ""


@dataclass(frozen=True, slots=True)
class FactorRow:
    factor: str
    figures: tuple[Shown, ...]
    beyond: bool  # outside the range the line was fitted on


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
    said: tuple[str, ...] = ()
    given_rows: str = ""  # as typed
    problem: str = ""
    no_bounds: tuple[str, ...] = ()
    who_commits: tuple[str, ...] = ()

    @property
    def fitted(self) -> bool:
        return bool(self.points)

    @property
    def waits_known(self) -> bool:
        return any(p.waited != NOTHING for p in self.points)

    @property
    def any(self) -> bool:
        return bool(self.rows)

    @property
    def is_bound(self) -> bool:
        """True if every saving shown is a lower bound."""
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
    """`now`: index of the report with the current number of commits; `rows`: per run, as typed."""
    typed = positive(rows, most=MOST_ROWS) if rows else None
    runs = fewer.runs_of(what_if, now, assume=assume, rows=typed)
    who = tuple(_who_commits(reports, sides))
    if runs is None:
        return replace(_bounds(what_if, reports, sides), who_commits=who)
    problem = "Give the rows as a positive number." if rows and typed is None else ""
    return replace(_fitted(runs, reports, sides), given_rows=rows, problem=problem, who_commits=who)


def _who_commits(reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> Iterator[str]:
    """Statements that run as often as commits: the place to begin."""
    for side, f in zip(sides, reports, strict=False):
        if f.committers:
            yield (
                f"{side.label}: {committers.sentence(f.committers)}"
                if side.label
                else committers.sentence(f.committers)
            )


def _bounds(what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> WhatIfView:
    """Savings that each report's own waits allow to say."""
    savings = [(s, t, f) for s, t, f in zip(sides, what_if.removable_s, reports, strict=False) if t is not None]
    rows = [
        FactorRow(label, tuple(_saved(fewer.saving_of(total, f, factor), f) for _, total, f in savings), beyond=False)
        for label, factor in fewer.LESS
    ]
    doubts = [(s.label, fewer.no_bound(f)) for s, _, f in savings]
    words = [ABOUT if why else LEAST for _, why in doubts]
    linears = [
        Linear(s.label, s.cls, "s", _exact(t.value), _exact(-t.value), "", word)
        for (s, t, _), word in zip(savings, words, strict=True)
    ]
    heads = [
        Head(f"{s.label}: {word}" if s.label else word, s.cls) for (s, _, _), word in zip(savings, words, strict=True)
    ]
    return WhatIfView(
        why_not=what_if.why_not,
        can_assume=what_if.fit_if_same_work is not None,
        heads=tuple(heads),
        rows=tuple(rows) if savings else (),
        linears=tuple(linears),
        no_bounds=tuple(_no_bounds(doubts)),
    )


def _no_bounds(doubts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each reason once, with the reports it holds for."""
    for why in dict.fromkeys(why for _, why in doubts if why):
        labels = [label for label, of in doubts if of == why and label]
        yield f"No bound{f' in {listing(labels)}' if labels else ''}: {why}."


def _saved(saved: fewer.Saved, f: CommitFigures) -> Shown:
    text = figure(saved.seconds, seconds)
    if saved.share is None:
        return text
    return Shown(text.text, f"{share(saved.share)} of {'call' if f.of_call_time else 'DB'} time")


def _fitted(runs: fewer.Runs, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> WhatIfView:
    line, now, batch = runs.line, runs.now, runs.batch
    per_commit = (Head(f"{batch.unit} per commit"),) if batch else ()
    return WhatIfView(
        assumed=runs.what_if.fit is None,
        heads=(Head("commits"), *per_commit, Head("time by the line"), Head("against now")),
        rows=tuple(_factor(scenario, batch) for scenario in fewer.scenarios(runs)),
        linears=(
            Linear("commits", "", "count", "0", _exact(now), ""),
            Linear("time by the line", "", "s", _exact(line.a_s), _exact(line.c_s * now), _exact(line.at(now))),
        ),
        most=1.0,
        lowest=_exact(line.lowest / now),
        highest=_exact(line.highest / now),
        points=tuple(_points(runs, reports, sides)),
        formula=fewer.formula(runs),
        batch_formula=fewer.batch_formula(runs),
        batch=batch.unit if batch else "",
        said=fewer.sentences(runs, [s.label for s in sides]),
    )


def _factor(scenario: fewer.Scenario, batch: Batch | None) -> FactorRow:
    each = (Shown(_batch(batch, scenario.commits)),) if batch else ()
    against = "=" if scenario.against == 0 else fewer.signed_percent(scenario.against)
    cells = (Shown(count(scenario.commits)), *each, Shown(seconds(scenario.seconds)), Shown(against))
    return FactorRow(scenario.factor, cells, scenario.extrapolates)


def _batch(batch: Batch | None, commits: float) -> str:
    each = batch.per_commit(commits) if batch is not None else None
    return fewer.batch_size(each) if each is not None else fmt.NONE


def _points(runs: fewer.Runs, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> list[PointRow]:
    return [
        PointRow(
            side=side,
            commits=count(point.commits),
            batch=_batch(runs.batch, point.commits),
            elapsed=seconds(point.elapsed_s),
            waited=figure(f.lfs_total_s, seconds),
            without=figure(without, seconds),
            fitted=seconds(point.fitted_s),
            error="=" if abs(point.error) < 1e-9 else fewer.signed_percent(point.error),
        )
        for point, f, side, without in zip(runs.line.points, reports, sides, runs.what_if.without_s, strict=True)
    ]


def _exact(number: float) -> str:
    return f"{number:.9g}"
