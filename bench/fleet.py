"""How well changes in a fleet are found: built databases with planted regressions, and quiet and shuffled ones."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, Measured, normal_at
from awrdiff.analysis.normal.level_shifts import Step, steps_in
from bench import alarms
from bench.line import cpu_seconds, line
from fixtures.fleet.figures import FIGURES, histories_of
from fixtures.fleet.hours import BEGIN, HOUR, SORTS, FleetDatabase, Planted, fleet, hours_of, plant

WEEK_H = 7 * 24
YEAR_H = 8766
WITHIN = 3  # reports
# Which figure tells of which sort, and how large it is planted.
TELLS = {"load step": "db_time", "plan change": "db_time", "log switch storm": "log_switches", "quiet week": "db_time"}
FACTORS = {"load step": 1.5, "plan change": 8.0, "log switch storm": 6.0, "quiet week": 0.4}


@dataclass
class Score:
    """By sort of what was planted. `false_alarms`: by figure, of databases and hours in which nothing was."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    found_late: Counter[str] = field(default_factory=Counter)
    found_in_any: Counter[str] = field(default_factory=Counter)  # of its figures, in time
    false_alarms: Counter[str] = field(default_factory=Counter)
    figure_years: float = 0.0

    @property
    def false_in_hundred_years(self) -> float:
        return 100 * sum(self.false_alarms.values()) / self.figure_years if self.figure_years else 0.0


def planted_fleet(count: int, seed: int, noise: float) -> list[FleetDatabase]:
    """One change in each database, which begins at some hour of its eleventh week."""
    random = Random(seed)  # noqa: S311 - the same fleet every time
    made = []
    for number, database in enumerate(fleet(count, seed, noise=noise)):
        sort = SORTS[number % len(SORTS)]
        first = 10 * WEEK_H + random.randrange(WEEK_H)
        end = {"log switch storm": first + 4, "quiet week": first + WEEK_H}.get(sort, 2**31)
        made.append(plant(database, Planted(sort, first, end, FACTORS[sort])))
    return made


def score_planted(databases: Sequence[FleetDatabase], weeks: int = 12, figures: Sequence[str] = FIGURES) -> Score:
    """Every step in every figure: of what was planted, within three reports or later, or of nothing."""
    score = Score()
    for database in databases:
        planted = database.planted[0]
        score.planted[planted.sort] += 1
        histories = histories_of(hours_of(database, weeks * WEEK_H))
        in_time = 0
        for figure in figures:
            history = histories[figure]
            steps = steps_in(history, BY_ID[figure].unit)
            score.figure_years += planted.first / YEAR_H
            score.false_alarms[figure] += sum(s.proved_at < BEGIN + planted.first * HOUR for s in steps)
            in_time += _is_in_time(planted, history, steps)
            if figure == TELLS[planted.sort]:
                _score_one(score, planted, history, steps)
        score.found_in_any[planted.sort] += in_time > 0
    return score


def _is_in_time(planted: Planted, history: Sequence[Measured], steps: Sequence[Step]) -> bool:
    first = BEGIN + planted.first * HOUR
    reports = [m.begin for m in history if m.begin >= first]
    since = [s for s in steps if s.proved_at >= first and s.factor > 1]
    return bool(since) and since[0].proved_at <= reports[WITHIN - 1]


def _score_one(score: Score, planted: Planted, history: Sequence[Measured], steps: Sequence[Step]) -> None:
    """A quiet week is none of its own: what matters is that the week after it is no regression."""
    first, end = (BEGIN + hour * HOUR for hour in (planted.first, min(planted.end, YEAR_H)))
    if planted.sort == "quiet week":
        score.found[planted.sort] += not any(s.proved_at >= end and s.factor > 1 and not s.returns for s in steps)
        return
    if _is_in_time(planted, history, steps):
        score.found[planted.sort] += 1
    else:
        score.found_late[planted.sort] += any(s.proved_at >= first and s.factor > 1 for s in steps)


def score_quiet(databases: Sequence[FleetDatabase], *, shuffled: bool, seed: int = 1) -> Score:
    """A year in which nothing was planted; `shuffled`: each hour of the week among its own weeks, so that the shape of
    the week stays and no hour leans on the one before."""
    score, random = Score(), Random(seed)  # noqa: S311 - the same order every time
    for database in databases:
        for figure, history in histories_of(hours_of(database, YEAR_H)).items():
            asked = within_hours(history, random) if shuffled else history
            score.figure_years += 1
            score.false_alarms[figure] += len(steps_in(asked, BY_ID[figure].unit))
    return score


def within_hours(history: Sequence[Measured], random: Random) -> list[Measured]:
    made = list(history)
    of_hour: dict[tuple[int, int], list[int]] = {}
    for at, measured in enumerate(history):
        of_hour.setdefault((measured.begin.weekday(), measured.begin.hour), []).append(at)
    for places in of_hour.values():
        values = [history[at].value for at in places]
        random.shuffle(values)
        for at, value in zip(places, values, strict=True):
            made[at] = made[at]._replace(value=value)
    return made


@dataclass(frozen=True, slots=True)
class Night:
    """Of the hours of all databases: how many of the planted ones are beyond `ALARM`, and of the others."""

    planted: int
    found: int
    bursts: int  # hours with more work than any around them: no false alarms
    others: int
    hours: int


def score_night(count: int, hours: int, seed: int = 7) -> Night:
    """The last day of a fleet; a tenth of its databases have 2.5 times the load in the same hour of it."""
    databases = fleet(count, seed)
    chosen = Random(seed).sample(range(count), count // 10)  # noqa: S311 - the same ones every time
    planted, planted_alarms, bursts, others, asked = 0, 0, 0, 0, 0
    for number, database in enumerate(databases):
        first = hours - 12 if number in chosen else None
        made = plant(database, Planted("load step", first, first + 1, 2.5)) if first is not None else database
        made_hours = list(hours_of(made, hours))
        history = histories_of(made_hours)["db_time"]
        for hour, measured in list(zip(made_hours, history, strict=True))[-24:]:
            normal = normal_at(measured.begin, None, history, unit="sessions")
            is_planted = first is not None and measured.begin == BEGIN + first * HOUR
            asked, planted = asked + 1, planted + is_planted
            if normal is None or normal.departure(measured.value) < ALARM:
                continue
            planted_alarms, bursts = planted_alarms + is_planted, bursts + (hour.is_burst and not is_planted)
            others += not (hour.is_burst or is_planted)
    return Night(planted, planted_alarms, bursts, others, asked)


def run() -> Iterator[str]:
    for noise in (0.05, 0.08, 0.10, 0.12):
        score = score_planted(planted_fleet(120, 9, noise))
        for sort in SORTS:
            share = 100 * score.found[sort] / score.planted[sort]
            late = 100 * score.found_late[sort] / score.planted[sort]
            yield line(f"{sort} found within {WITHIN} reports, noise {noise:.0%}", share, "percent", baseline=90)
            if sort != "quiet week":
                anywhere = 100 * score.found_in_any[sort] / score.planted[sort]
                yield line(f"{sort} in any of {len(FIGURES)} figures so, noise {noise:.0%}", anywhere, "percent")
            if late:
                yield line(f"{sort} found later, noise {noise:.0%}", late, "percent")
    asked = [(0.5, 0.08, True), *((leaning, noise, False) for leaning in (0.3, 0.5, 0.6) for noise in (0.08, 0.12))]
    for leaning, noise, shuffled in asked:
        score = score_quiet(fleet(12, 50, noise=noise, leaning=leaning), shuffled=shuffled)
        order = "shuffled" if shuffled else f"each hour leaning on the one before by {leaning}, noise {noise:.0%}"
        name = f"false alarms in 100 figures and years, {order}, {score.figure_years:.0f} measured"
        yield line(name, score.false_in_hundred_years, "count", baseline=1)
    for days in (2, 16, 52):
        night = score_night(300 if days < 50 else 120, days * 24)
        yield line(f"planted hours of {night.planted} beyond {ALARM:.0f} deviations, {days} days", night.found, "count")
        yield line(f"bursts beyond, of {night.hours} hours, {days} days", night.bursts, "count")
        yield line(f"other hours beyond, of {night.hours} hours, {days} days", night.others, "count")
    history = histories_of(hours_of(fleet(1)[0], 1000))
    taken = cpu_seconds(lambda: [steps_in(history[name], "per_s") for name in FIGURES]) / len(FIGURES)
    yield line("steps of one figure in 1,000 reports, processor time", taken * 1000, "ms")
    yield from alarms.run()
    for pages in ("database_page", "fleet_page"):  # they need Django, which all before does not
        yield from importlib.import_module(f"bench.{pages}").run()
