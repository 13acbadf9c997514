"""Fewer commits, and a commit-time SLA: estimates, each with its source and its range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency.sla import against_sla, commit_time
from awrdiff.analysis.commit_latency.what_if import all_but_paid_off, plateau
from awrdiff.analysis.model.commits import CommitFigures, Fit, WhatIf
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.web import format as fmt
from awrdiff.web.presenters.commit.words import NOTHING, Shown, SideLabel, count, figure, range_of, seconds, share

LESS = (("1/100", 0.01), ("1/10", 0.1), ("1/4", 0.25), ("1/2", 0.5), ("3/4", 0.75))
MORE = (("as now", 1.0), ("3/2", 1.5), ("2", 2.0))


@dataclass(frozen=True, slots=True)
class Linear:
    """What the slider shows: base + slope × factor, a straight line of the number of commits."""

    label: str
    cls: str
    unit: str  # s, count
    base: str
    slope: str
    now: str


@dataclass(frozen=True, slots=True)
class FactorRow:
    factor: str
    commits: str
    figures: tuple[Shown, ...]
    beyond: bool  # outside the range the line was fitted on


@dataclass(frozen=True, slots=True)
class PointRow:
    side: SideLabel
    commits: str
    elapsed: str
    waited: Shown
    without: Shown
    fitted: str
    error: str


@dataclass(frozen=True, slots=True)
class WhatIfView:
    why_not: str
    can_assume: bool  # the reader may say that the reports did the same work
    assumed: bool
    heads: tuple[tuple[str, str], ...]  # label and class of the columns of `rows`
    rows: tuple[FactorRow, ...]
    linears: tuple[Linear, ...]
    most: float  # log2 of the slider's upper end
    lowest: str  # the fitted range as factors of the present number of commits
    highest: str
    points: tuple[PointRow, ...]
    formula: str
    said: tuple[str, ...]

    @property
    def fitted(self) -> bool:
        return bool(self.points)

    @property
    def waits_known(self) -> bool:
        return any(p.waited != NOTHING for p in self.points)

    @property
    def any(self) -> bool:
        return bool(self.rows)


def present(
    what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel], now: int, *, assume: bool
) -> WhatIfView:
    """`now`: the place of the report whose number of commits is the present one."""
    line = what_if.fit or (what_if.fit_if_same_work if assume else None)
    if line is not None and (present_commits := what_if.commits[now]):
        return _fitted(what_if, line, reports, sides, present_commits)
    return _bounds(what_if, reports, sides)


def _bounds(what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> WhatIfView:
    """What each report's own waits allow to say: at least this is saved."""
    known = [(s, t, f) for s, t, f in zip(sides, what_if.removable_s, reports, strict=False) if t is not None]
    rows = [
        FactorRow(label, "", tuple(_saved(total, f, factor) for _, total, f in known), beyond=False)
        for label, factor in LESS
    ]
    linears = [Linear(s.label, s.cls, "s", _exact(t.value), _exact(-t.value), "") for s, t, _ in known]
    return WhatIfView(
        why_not=what_if.why_not,
        can_assume=what_if.fit_if_same_work is not None,
        assumed=False,
        heads=tuple((s.label or "saved at least", s.cls) for s, _, _ in known),
        rows=tuple(rows) if known else (),
        linears=tuple(linears),
        most=0.0,
        lowest="",
        highest="",
        points=(),
        formula="",
        said=(),
    )


def _saved(total: Estimate, f: CommitFigures, factor: float) -> Shown:
    left = 1.0 - factor
    scaled = Estimate(total.low * left, total.value * left, total.high * left)
    text = figure(scaled, seconds)
    of = f.lfs_db_time_share
    if of is None:
        return text
    return Shown(text.text, f"{share(of.value * left)} of {'call' if f.of_call_time else 'DB'} time")


def _fitted(
    what_if: WhatIf, line: Fit, reports: Sequence[CommitFigures], sides: Sequence[SideLabel], present_commits: float
) -> WhatIfView:
    now = line.at(present_commits)
    rows = [_factor(line, label, factor, present_commits, now) for label, factor in (*LESS, *MORE)]
    step = line.c_s * present_commits
    return WhatIfView(
        why_not="",
        can_assume=False,
        assumed=what_if.fit is None,
        heads=(("commits", ""), ("time by the line", ""), ("against now", "")),
        rows=tuple(rows),
        linears=(
            Linear("commits", "", "count", "0", _exact(present_commits), ""),
            Linear("time by the line", "", "s", _exact(line.a_s), _exact(step), _exact(now)),
        ),
        most=1.0,
        lowest=_exact(line.lowest / present_commits),
        highest=_exact(line.highest / present_commits),
        points=tuple(_points(line, what_if, reports, sides)),
        formula=f"T(k) = {fine(line.a_s)} {fmt.MINUS if line.c_s < 0 else '+'} {fine(abs(line.c_s))} · k",
        said=(
            _adds(line, present_commits),
            *_explained(line, what_if, sides),
            *_said(line, present_commits),
        ),
    )


def _factor(line: Fit, label: str, factor: float, present_commits: float, now: float) -> FactorRow:
    commits = present_commits * factor
    time = line.at(commits)
    cells = (Shown(seconds(time)), Shown(_against(time, now)))
    return FactorRow(label, count(commits), cells, line.extrapolates(commits))


def _against(time: float, base: float) -> str:
    if base <= 0 or time == base:
        return "="
    return _signed(time / base - 1.0)


def _signed(part: float) -> str:
    text = fmt.plain(abs(part) * 100, 1)
    return f"{text} %" if text.startswith("<") or not part else f"{fmt.MINUS if part < 0 else '+'}{text} %"


def _points(line: Fit, what_if: WhatIf, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> list[PointRow]:
    return [
        PointRow(
            side=side,
            commits=count(point.commits),
            elapsed=seconds(point.elapsed_s),
            waited=figure(f.lfs_total_s, seconds),
            without=figure(without, seconds),
            fitted=seconds(point.fitted_s),
            error=_against(point.fitted_s, point.elapsed_s),
        )
        for point, f, side, without in zip(line.points, reports, sides, what_if.without_s, strict=True)
    ]


def _adds(line: Fit, present_commits: float) -> str:
    """What c comes to, for the commits of now and for the most of all runs."""
    said = f"The {count(present_commits)} commits now take {fine(line.c_s * present_commits)}"
    said += f" of {fine(line.at(present_commits))}"
    if line.highest <= present_commits:
        return f"{said}."
    most = f"{fine(line.c_s * line.highest)} of {fine(line.at(line.highest))}"
    return f"{said}, the most of all, {count(line.highest)}, {most}."


def _explained(line: Fit, what_if: WhatIf, sides: Sequence[SideLabel]) -> list[str]:
    """How much of the difference between the slowest run and the fastest is log file sync itself."""
    known = [
        (p.elapsed_s, p.elapsed_s - without.value, s)
        for p, s, without in zip(line.points, sides, what_if.without_s, strict=True)
        if without is not None
    ]
    if len(known) < 2:
        return []
    slow, fast = max(known, key=lambda k: k[0]), min(known, key=lambda k: k[0])
    apart = slow[0] - fast[0]
    if apart <= 0:
        return []
    labels = " and ".join(k[2].label for k in known if k in (slow, fast))
    return [f"Between {labels} log file sync alone explains {fine(slow[1] - fast[1])} of the {fine(apart)}."]


def fine(number: float) -> str:
    """Seconds of a fit to four digits."""
    return fmt.quantity(number, "s", digits=4)


def _said(line: Fit, present_commits: float) -> list[str]:
    fitted = f"Fitted by least squares on {len(line.points)} reports of {count(line.lowest)} to {count(line.highest)} "
    out = [f"{fitted}commits; worst error {fmt.plain(line.worst_error * 100, 2)} %."]
    if len(line.points) == 2:
        out[0] += " Through two points a line always fits: a third report would test it."
    if line.c_s <= 0:
        out.append("The run with more commits was not slower: the line shows nothing to gain from fewer.")
        return out
    out += _measured_plateau(line)
    if (enough := all_but_paid_off(line)) is not None:
        where = " (beyond the range it was fitted on)" if line.extrapolates(enough) else ""
        out.append(
            f"By the line more batching stops paying at about {count(float(f'{enough:.2g}'))} commits, "
            f"{fmt.significant(enough / present_commits, 2)} of now{where}: all that is left to save is then under 5 %."
        )
    return out


def _measured_plateau(line: Fit) -> list[str]:
    """Among three runs or more: the one from which on fewer commits hardly gained."""
    found = plateau([(p.commits, p.elapsed_s) for p in line.points])
    if found is None:
        return []
    if found.commits == line.highest:
        return ["As measured, fewer commits gained less than 5 %."]
    part = f", 1/{fmt.significant(line.highest / found.commits, 2)} of the most" if found.commits > 0 else ""
    return [
        f"As measured, more batching stops paying at {count(found.commits)} commits{part}: "
        f"{_signed(found.change)}, and {_signed(found.best_change)} at best ({count(found.best_commits)} commits)."
    ]


def _exact(number: float) -> str:
    return f"{number:.9g}"


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


def sla(given: str, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> SlaView:
    """`given`: milliseconds as the reader typed them; empty: commit times alone."""
    limit_s, problem = _limit(given)
    lines = [
        _sla_line(side, f, f.lfs_avg_s, limit_s)
        for side, f in zip(sides, reports, strict=True)
        if f.lfs_avg_s is not None
    ]
    return SlaView(given, problem, tuple(lines))


def _limit(given: str) -> tuple[float | None, str]:
    if not given:
        return None, ""
    try:
        milliseconds = float(given.replace(",", "."))
    except ValueError:
        milliseconds = 0.0
    if not 0 < milliseconds < 1e7:
        return None, "Give the SLA as a positive number of milliseconds."
    return milliseconds / 1e3, ""


def _sla_line(side: SideLabel, f: CommitFigures, wait: Estimate, limit_s: float | None) -> SlaLine:
    time = commit_time(wait)
    spread = f"{seconds(time.low)} … {seconds(time.high)}"
    shown = figure(wait, seconds)
    if limit_s is None or wait.value <= 0:
        return SlaLine(side, shown, spread, "", "", "", "")
    found = against_sla(wait, limit_s, f.lfs_histogram)
    return SlaLine(side, shown, spread, found.verdict, CLASSES[found.verdict], found.text, range_of(found.used, share))
