"""The reports of a comparison on a line, each with what it is, and the addresses that choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.members import (
    SAME_TIME,
    Preset,
    latest,
    positions_by_time,
    presets,
    restarted_between,
    unlike,
)
from awrdiff.analysis.baseline.words import hour_said
from awrdiff.analysis.windows import duration
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Time, extent_of, time_scale
from awrdiff.web.charts.frame import Chart
from awrdiff.web.charts.marks import Mark, bar
from parsers.model import Report

MOST_REASONS = 2
NARROWEST, LOWEST = 0.7, 13.0  # percent: an hour in a month is still to be clicked
LABELS = {"earlier": "all {} earlier", "same-hour": "{} of the same weekday and hour"}
ONE = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


@dataclass(frozen=True, slots=True)
class Tick:
    """One report. `bar` leads to the address with it in the baseline, or without; nowhere where it is Second."""

    number: int
    place: int
    when: str
    database: str
    name: str
    sessions: str
    length: str
    why: str  # it does not count by itself
    between: str  # since the report before: a gap, a restart
    member: bool
    second: bool
    bar: Mark


@dataclass(frozen=True, slots=True)
class Choice:
    """A baseline that one click chooses."""

    url: str
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class Strip:
    ticks: tuple[Tick, ...]  # by time
    choices: tuple[Choice, ...]
    choices_for: str
    begin: str
    end: str
    by_hand: bool  # a baseline that no click offers
    left_out: str  # how many reports no click takes, and why

    @property
    def chart(self) -> Chart:
        return Chart(tuple(t.bar for t in self.ticks), height=46)


Address = Callable[[Chosen], str]


def present(heads: Sequence[Report], chosen: Chosen, address: Address, *, is_pair: bool) -> Strip:
    """`is_pair`: two reports are looked at; then what one click offers is about the latest."""
    about = latest(heads) if is_pair else chosen.second
    offered = presets(heads, about) if about is not None else ()
    order = positions_by_time(heads)
    scale = _Scale([heads[n] for n in order])
    again = {n: why for p in offered for n, why in p.left_out.items() if why == (SAME_TIME,)}
    maker = _Maker(heads, order, chosen, address, scale, again)
    choices = tuple(_choice(p, chosen, address, is_pair=is_pair) for p in offered)
    return Strip(
        ticks=tuple(map(maker.tick, range(len(order)))),
        choices=choices,
        choices_for=hour_said(heads[about]) if about is not None else "",
        begin=scale.said[0],
        end=scale.said[1],
        by_hand=not is_pair and not any(c.current for c in choices),
        left_out=_left_out(offered, choices),
    )


def _choice(preset: Preset, chosen: Chosen, address: Address, *, is_pair: bool) -> Choice:
    found = Chosen(preset.members, preset.second)
    count = len(preset.members)
    label = ONE[preset.id] if count == 1 else LABELS[preset.id].format(count)
    return Choice(address(found), label, not is_pair and found == chosen)


def _left_out(offered: Sequence[Preset], choices: Sequence[Choice]) -> str:
    """Of what is chosen, else of what is offered first: `6 left out (another database (X) and the same time again)`."""
    current = (preset for preset, choice in zip(offered, choices, strict=True) if choice.current)
    found = next(current, offered[0] if offered else None)
    if found is None or not found.left_out:
        return ""
    reasons = [*dict.fromkeys(why for one in found.left_out.values() for why in one)]
    shown, more = reasons[:MOST_REASONS], len(reasons) - MOST_REASONS
    said = listing([*shown, f"{more} more"] if more > 0 else shown)
    return f"{len(found.left_out)} left out ({said})"


@dataclass(frozen=True, slots=True)
class _Maker:
    heads: Sequence[Report]
    order: Sequence[int]
    chosen: Chosen
    address: Address
    scale: _Scale
    again: Mapping[int, tuple[str, ...]]  # reports that print the same time as another

    def tick(self, at: int) -> Tick:
        place = self.order[at]
        head, second = self.heads[place], place == self.chosen.second
        sessions, when = _sessions(head), hour_said(head)
        why = "" if second else listing(list(self.again.get(place) or unlike(head, self.heads[self.chosen.second])))
        busy = fmt.significant(sessions, 3, 2) if sessions is not None else fmt.NONE
        member, toggle = place in self.chosen.members, self.toggle(place)
        cls = "second" if second else "first" if member else "rest"
        title = f"{when}: {busy} active sessions{f' ({why})' if why else ''}"
        height = self.scale.height(sessions)
        return Tick(
            number=at + 1,
            place=place,
            when=when,
            database=head.database.name or fmt.NONE,
            name=head.name,
            sessions=busy,
            length=duration(head.period.elapsed_s.number if head.period.elapsed_s else None),
            why=why,
            between=gap_text(self.heads[self.order[at - 1]], head) if at else "",
            member=member,
            second=second,
            bar=bar(f"tick {cls}", self.scale.extent(head, at), (100.0 - height, 100.0), title, toggle),
        )

    def toggle(self, place: int) -> str:
        others = set(self.chosen.members) ^ {place}
        if place == self.chosen.second or not others:
            return ""
        return self.address(Chosen(tuple(sorted(others)), self.chosen.second))


def gap_text(before: Report, after: Report) -> str:
    """What lies between two reports: how long nothing is known, and a restart."""
    a, b = before.period.end.time, after.period.begin.time
    gap = (b - a).total_seconds() if a and b else 0.0
    parts = [f"{duration(gap)} later"] if gap > 60 else ["overlaps"] if gap < -60 else []
    parts += [f"restarted {moment.day} {moment:%b %H:%M}" for moment in restarted_between(before, after)]
    return ", ".join(parts)


def _sessions(head: Report) -> float | None:
    time, elapsed = head.period.db_time_s, head.period.elapsed_s
    return time.number / elapsed.number if time and elapsed and elapsed.number > 0 else None


def time_of(heads: Sequence[Report]) -> Time | None:
    """From left to right; None where a report does not say when it was: then all stand side by side."""
    windows = [(p.begin.time, p.end.time or p.begin.time) for p in (h.period for h in heads) if p.begin.time]
    return time_scale(windows, least_s=1.0) if len(windows) == len(heads) else None


class _Scale:
    def __init__(self, heads: Sequence[Report]) -> None:
        self._count, self._time = len(heads), time_of(heads)
        self._most = max((s for h in heads if (s := _sessions(h)) is not None), default=0.0)
        ends = (self._time.begin, self._time.end) if self._time else ()
        self.said = tuple(f"{m:%a} {m.day} {m:%b %Y}" for m in ends) or ("", "")

    def extent(self, head: Report, at: int) -> tuple[float, float]:
        begin, end = head.period.begin.time, head.period.end.time
        if self._time is None or begin is None:
            return 100.0 * at / self._count, 100.0 * (at + 0.8) / self._count
        return extent_of(self._time, begin, end or begin, NARROWEST)

    def height(self, sessions: float | None) -> float:
        if sessions is None or not self._most:
            return 100.0 / 3
        return max(LOWEST, 100.0 * sessions / self._most)
