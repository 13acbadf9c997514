"""The reports of a comparison on a line, each with what it is, and the addresses that choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.changes import ParameterChange
from awrdiff.analysis.baseline.members import (
    SAME_TIME,
    Preset,
    latest,
    positions_by_time,
    presets,
    unlike,
)
from awrdiff.analysis.baseline.stacked import Stacked
from awrdiff.analysis.baseline.words import hour_said, mixed_said
from awrdiff.analysis.windows import duration
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from awrdiff.web.charts.frame import Chart, Key
from awrdiff.web.presenters.baseline.stacked import chart_of, keys_of
from awrdiff.web.presenters.baseline.trend import gap_text
from parsers.model import Report

MOST_REASONS = 2
LABELS = {"earlier": "all {} earlier", "same-hour": "{} of the same weekday and hour"}
ONE = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


@dataclass(frozen=True, slots=True)
class Tick:
    """One report."""

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
    by_hand: bool  # a baseline that no click offers
    left_out: str  # how many reports no click takes, and why
    chart: Chart | None  # DB time of every report; a bar leads to where its report is Second
    keys: tuple[Key, ...]
    mixed: tuple[str, ...]  # why they are not one series


Address = Callable[[Chosen], str]
Changes = Sequence[tuple[ParameterChange, ...]]


def present(
    heads: Sequence[Report], chosen: Chosen, address: Address, stack: Stacked, changes: Changes, *, is_pair: bool
) -> Strip:
    """`is_pair`: two reports are looked at; then what one click offers is about the latest."""
    about = latest(heads) if is_pair else chosen.second
    offered = presets(heads, about) if about is not None else ()
    order = positions_by_time(heads)
    again = {n: why for p in offered for n, why in p.left_out.items() if why == (SAME_TIME,)}
    maker = _Maker(heads, order, chosen, again)
    choices = tuple(_choice(p, chosen, address, is_pair=is_pair) for p in offered)
    urls = _urls(heads, chosen, address)
    return Strip(
        ticks=tuple(map(maker.tick, range(len(order)))),
        choices=choices,
        choices_for=hour_said(heads[about]) if about is not None else "",
        by_hand=not is_pair and not any(c.current for c in choices),
        left_out=_left_out(offered, choices),
        chart=chart_of(stack, heads, changes, urls, _sides(chosen)) if any(stack.sessions) else None,
        keys=tuple(replace(key, url="") for key in keys_of(stack.layers, "")),
        mixed=tuple(mixed_said(heads)),
    )


def _urls(heads: Sequence[Report], chosen: Chosen, address: Address) -> dict[int, str]:
    """Each report as Second, against the same baseline."""
    seconds = [place for place in range(len(heads)) if place != chosen.second]
    members = {p: tuple(m for m in chosen.members if m != p) or (chosen.second,) for p in seconds}
    return {place: address(Chosen(members[place], place)) for place in seconds}


def _sides(chosen: Chosen) -> dict[int, str]:
    return {**dict.fromkeys(chosen.members, "first"), chosen.second: "second"}


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
    again: Mapping[int, tuple[str, ...]]  # reports that print the same time as another

    def tick(self, at: int) -> Tick:
        place = self.order[at]
        head, second = self.heads[place], place == self.chosen.second
        sessions, when = _sessions(head), hour_said(head)
        why = "" if second else listing(list(self.again.get(place) or unlike(head, self.heads[self.chosen.second])))
        busy = fmt.significant(sessions, 3, 2) if sessions is not None else fmt.NONE
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
            member=place in self.chosen.members,
            second=second,
        )


def _sessions(head: Report) -> float | None:
    time, elapsed = head.period.db_time_s, head.period.elapsed_s
    return time.number / elapsed.number if time and elapsed and elapsed.number > 0 else None
