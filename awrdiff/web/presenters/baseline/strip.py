"""The reports of a comparison on a line, and links that change the choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.baseline.against import BaselineSelection
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
SINGULAR_TEXTS = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


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


Address = Callable[[BaselineSelection], str]
Changes = Sequence[tuple[ParameterChange, ...]]


def present(
    heads: Sequence[Report],
    selection: BaselineSelection,
    address: Address,
    stack: Stacked,
    changes: Changes,
    *,
    is_pair: bool,
) -> Strip:
    """`is_pair`: two reports are compared; one-click choices then concern the latest."""
    about = latest(heads) if is_pair else selection.second
    offered = presets(heads, about) if about is not None else ()
    order = positions_by_time(heads)
    again = {n: why for p in offered for n, why in p.left_out.items() if why == (SAME_TIME,)}
    maker = _Maker(heads, order, selection, again)
    choices = tuple(_choice(p, selection, address, is_pair=is_pair) for p in offered)
    urls = _urls(heads, selection, address)
    return Strip(
        ticks=tuple(map(maker.tick, range(len(order)))),
        choices=choices,
        choices_for=hour_said(heads[about]) if about is not None else "",
        by_hand=not is_pair and not any(c.current for c in choices),
        left_out=_left_out(offered, choices),
        chart=chart_of(stack, heads, changes, urls, _sides(selection)) if any(stack.sessions) else None,
        keys=tuple(replace(key, url="") for key in keys_of(stack.layers, "")),
        mixed=tuple(mixed_said(heads)),
    )


def _urls(heads: Sequence[Report], selection: BaselineSelection, address: Address) -> dict[int, str]:
    """Each report as Second, against the same baseline."""
    seconds = [place for place in range(len(heads)) if place != selection.second]
    members = {p: tuple(m for m in selection.members if m != p) or (selection.second,) for p in seconds}
    return {place: address(BaselineSelection(members[place], place)) for place in seconds}


def _sides(selection: BaselineSelection) -> dict[int, str]:
    return {**dict.fromkeys(selection.members, "first"), selection.second: "second"}


def _choice(preset: Preset, selection: BaselineSelection, address: Address, *, is_pair: bool) -> Choice:
    candidate = BaselineSelection(preset.members, preset.second)
    count = len(preset.members)
    label = SINGULAR_TEXTS[preset.id] if count == 1 else LABELS[preset.id].format(count)
    return Choice(address(candidate), label, not is_pair and candidate == selection)


def _left_out(offered: Sequence[Preset], choices: Sequence[Choice]) -> str:
    """For the current choice, else the first: `6 left out (another database (X) and the same time again)`."""
    current = (preset for preset, choice in zip(offered, choices, strict=True) if choice.current)
    current_preset = next(current, offered[0] if offered else None)
    if current_preset is None or not current_preset.left_out:
        return ""
    reasons = [
        *dict.fromkeys(why for reasons_of_report in current_preset.left_out.values() for why in reasons_of_report)
    ]
    listed_reasons, more = reasons[:MOST_REASONS], len(reasons) - MOST_REASONS
    text = listing([*listed_reasons, f"{more} more"] if more > 0 else listed_reasons)
    return f"{len(current_preset.left_out)} left out ({text})"


@dataclass(frozen=True, slots=True)
class _Maker:
    heads: Sequence[Report]
    order: Sequence[int]
    chosen: BaselineSelection
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
