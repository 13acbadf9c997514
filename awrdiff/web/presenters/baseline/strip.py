"""Reports on a line, with links that change the choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from awrdiff.web.presenters.page.pieces import Choice
from parsers.model import Report

MOST_REASONS = 2
LABELS = {"earlier": "all {} earlier", "same-hour": "{} of the same weekday and hour"}
SINGULAR_TEXTS = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


@dataclass(frozen=True, slots=True)
class Tick:
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
class Strip:
    ticks: tuple[Tick, ...]  # by time
    choices: tuple[Choice, ...]  # baselines that one click chooses
    choices_for: str
    by_hand: bool  # a baseline that no click offers
    left_out: str  # how many reports no click takes, and why
    chart: Chart | None  # DB time of every report; a bar leads to where its report is Second
    keys: tuple[Key, ...]
    mixed: tuple[str, ...]  # why they are not one series


Address = Callable[[BaselineSelection], str]
Changes = Sequence[tuple[ParameterChange, ...]]


def strip_view(
    heads: Sequence[Report],
    selection: BaselineSelection,
    address: Address,
    stack: Stacked,
    changes: Changes,
    *,
    is_pair: bool,
) -> Strip:
    """`is_pair`: one-click choices then concern the latest."""
    about = latest(heads) if is_pair else selection.second
    offered = presets(heads, about) if about is not None else ()
    again = {n: why for p in offered for n, why in p.left_out.items() if why == (SAME_TIME,)}
    choices = tuple(_choice(p, selection, address, is_pair=is_pair) for p in offered)
    urls = _urls(heads, selection, address)
    sides = {**dict.fromkeys(selection.members, "first"), selection.second: "second"}
    return Strip(
        ticks=tuple(_ticks(heads, selection, again)),
        choices=choices,
        choices_for=hour_said(heads[about]) if about is not None else "",
        by_hand=not is_pair and not any(c.current for c in choices),
        left_out=_left_out(offered, choices),
        chart=chart_of(stack, heads, changes, urls, sides) if any(stack.sessions) else None,
        keys=tuple(replace(key, url="") for key in keys_of(stack.layers, "")),
        mixed=tuple(mixed_said(heads)),
    )


def _urls(heads: Sequence[Report], selection: BaselineSelection, address: Address) -> dict[int, str]:
    seconds = [place for place in range(len(heads)) if place != selection.second]
    members = {p: tuple(m for m in selection.members if m != p) or (selection.second,) for p in seconds}
    return {place: address(BaselineSelection(members[place], place)) for place in seconds}


def _choice(preset: Preset, selection: BaselineSelection, address: Address, *, is_pair: bool) -> Choice:
    candidate = BaselineSelection(preset.members, preset.second)
    count = len(preset.members)
    label = SINGULAR_TEXTS[preset.id] if count == 1 else LABELS[preset.id].format(count)
    return Choice(address(candidate), label, not is_pair and candidate == selection)


def _left_out(offered: Sequence[Preset], choices: Sequence[Choice]) -> str:
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


def _ticks(
    heads: Sequence[Report], selection: BaselineSelection, again: Mapping[int, tuple[str, ...]]
) -> Iterator[Tick]:
    before: Report | None = None
    for place in positions_by_time(heads):
        head, second = heads[place], place == selection.second
        time, elapsed = head.period.db_time_s, head.period.elapsed_s
        sessions = time.number / elapsed.number if time and elapsed and elapsed.number > 0 else None
        yield Tick(
            place=place,
            when=hour_said(head),
            database=head.database.name or fmt.NONE,
            name=head.name,
            sessions=fmt.significant(sessions, 3, 2) if sessions is not None else fmt.NONE,
            length=duration(elapsed.number if elapsed else None),
            why="" if second else listing(list(again.get(place) or unlike(head, heads[selection.second]))),
            between=gap_text(before, head) if before is not None else "",
            member=place in selection.members,
            second=second,
        )
        before = head
