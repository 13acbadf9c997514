"""The reports of a comparison on a line, each with what it is, and the addresses that choose among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.members import Preset, by_time, latest, presets, restarted_between, unlike
from awrdiff.analysis.baseline.words import hour_said
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from parsers.model import Report

WIDTH, HEIGHT = 1000.0, 30.0
NARROWEST = 7.0
LOWEST = 4.0
LABELS = {"earlier": "all {} earlier", "same-hour": "{} of the same weekday and hour"}
ONE = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


@dataclass(frozen=True, slots=True)
class Tick:
    """One report. `toggle`: the address with it in the baseline, or without; "" where it is Second."""

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
    toggle: str
    title: str
    x: float
    y: float
    width: float
    height: float

    @property
    def cls(self) -> str:
        return "second" if self.second else "first" if self.member else "rest"


@dataclass(frozen=True, slots=True)
class Choice:
    """A baseline that one click chooses."""

    url: str
    label: str
    note: str
    current: bool


@dataclass(frozen=True, slots=True)
class Strip:
    ticks: tuple[Tick, ...]  # by time
    choices: tuple[Choice, ...]
    choices_for: str
    begin: str
    end: str
    by_hand: bool  # a baseline that no click offers
    width: float = WIDTH
    height: float = HEIGHT


Address = Callable[[Chosen], str]


def present(heads: Sequence[Report], chosen: Chosen, address: Address, *, is_pair: bool) -> Strip:
    """`is_pair`: two reports are looked at; then what one click offers is about the latest."""
    about = latest(heads) if is_pair else chosen.second
    offered = presets(heads, about) if about is not None else ()
    order = by_time(heads)
    scale = _Scale([heads[n] for n in order])
    maker = _Maker(heads, order, chosen, address, scale)
    choices = tuple(_choice(p, chosen, address, is_pair=is_pair) for p in offered)
    return Strip(
        ticks=tuple(map(maker.tick, range(len(order)))),
        choices=choices,
        choices_for=hour_said(heads[about]) if about is not None else "",
        begin=scale.said[0],
        end=scale.said[1],
        by_hand=not is_pair and not any(c.current for c in choices),
    )


def _choice(preset: Preset, chosen: Chosen, address: Address, *, is_pair: bool) -> Choice:
    found = Chosen(preset.members, preset.second)
    count = len(preset.members)
    label = ONE[preset.id] if count == 1 else LABELS[preset.id].format(count)
    note = f"{preset.left_out} left out: not like it" if preset.left_out else ""
    return Choice(address(found), label, note, not is_pair and found == chosen)


@dataclass(frozen=True, slots=True)
class _Maker:
    heads: Sequence[Report]
    order: Sequence[int]
    chosen: Chosen
    address: Address
    scale: _Scale

    def tick(self, at: int) -> Tick:
        place = self.order[at]
        head, second = self.heads[place], place == self.chosen.second
        sessions, when = _sessions(head), hour_said(head)
        why = "" if second else listing(list(unlike(head, self.heads[self.chosen.second])))
        busy = fmt.significant(sessions, 3, 2) if sessions is not None else fmt.NONE
        x, width = self.scale.extent(head, at)
        height = self.scale.height(sessions)
        return Tick(
            number=at + 1,
            place=place,
            when=when,
            database=head.database.name or fmt.NONE,
            name=head.name,
            sessions=busy,
            length=fmt.duration(head.period.elapsed_s.number if head.period.elapsed_s else None),
            why=why,
            between=gap_text(self.heads[self.order[at - 1]], head) if at else "",
            member=place in self.chosen.members,
            second=second,
            toggle=self.toggle(place),
            title=f"{when}: {busy} active sessions{f' ({why})' if why else ''}",
            x=round(x, 1),
            y=round(HEIGHT - height, 1),
            width=round(width, 1),
            height=round(height, 1),
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
    parts = [f"{fmt.duration(gap)} later"] if gap > 60 else ["overlaps"] if gap < -60 else []
    parts += [f"restarted {moment.day} {moment:%b %H:%M}" for moment in restarted_between(before, after)]
    return ", ".join(parts)


def _sessions(head: Report) -> float | None:
    time, elapsed = head.period.db_time_s, head.period.elapsed_s
    return time.number / elapsed.number if time and elapsed and elapsed.number > 0 else None


class _Scale:
    """Time from left to right; where a report does not say when it was, all stand side by side."""

    def __init__(self, heads: Sequence[Report]) -> None:
        begins = [h.period.begin.time for h in heads]
        ends = [h.period.end.time or h.period.begin.time for h in heads]
        self._count = len(heads)
        self._begin = min((b for b in begins if b), default=None) if all(begins) else None
        last = max((e for e in ends if e), default=None)
        self._span = (last - self._begin).total_seconds() if self._begin and last else 0.0
        self._most = max((s for h in heads if (s := _sessions(h)) is not None), default=0.0)
        known = self._begin and last
        self.said = tuple(f"{m:%a} {m.day} {m:%b %Y}" for m in (self._begin, last) if m) if known else ("", "")

    def extent(self, head: Report, at: int) -> tuple[float, float]:
        begin, end = head.period.begin.time, head.period.end.time
        if self._begin is None or not self._span or begin is None:
            return WIDTH * at / self._count, WIDTH / self._count * 0.8
        seconds = ((end or begin) - begin).total_seconds()
        width = max(NARROWEST, WIDTH * seconds / self._span)
        x = WIDTH * (begin - self._begin).total_seconds() / self._span
        return min(x, WIDTH - width), width

    def height(self, sessions: float | None) -> float:
        if sessions is None or not self._most:
            return HEIGHT / 3
        return max(LOWEST, HEIGHT * sessions / self._most)
