"""DB time of several reports, stacked by event; the strip of reports, with links that change the choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from awrdiff.analysis.baseline.baseline_sentences import hour_text, mixed_series_sentences
from awrdiff.analysis.baseline.member_selection import (
    SAME_TIME,
    Preset,
    latest,
    positions_by_time,
    presets,
    restarted_between,
    unlike,
)
from awrdiff.analysis.baseline.parameter_differences import ParameterChange
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.baseline.stacked_db_time import Layer, Stacked, change_between
from awrdiff.analysis.figures_in_words import listing, number
from awrdiff.analysis.report_time_windows import duration
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict import db_time_bars
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, round_ticks
from awrdiff.web.charts.frame import WIDE, Chart, Frame, Key, Rule, Run, explored, levels, room, rules
from awrdiff.web.charts.shapes import bar, decimal
from awrdiff.web.presenters.baseline.trend import between_text, changes_text, dates, follows, short
from awrdiff.web.query_options import Choice
from parsers.model import Report

_WIDTH, _WIDEST = 0.72, 8.0  # of a bar: of its place, and percent of the frame at most
_MOST_TICKS = 4
_HEIGHT, _LOW = 190, 110  # pixels; low on a page that has more to say
_FOOT = (101.5, 105.0)  # percent: just below the frame


def present(
    stacked: Stacked, heads: Sequence[Report], changes: Sequence[tuple[ParameterChange, ...]], query: str
) -> dict[str, Any] | None:
    """None if no report prints DB time."""
    if not any(stacked.sessions):
        return None
    order = positions_by_time(heads)
    when = [hour_text(heads[n]) for n in order]
    runs = []
    for layer, cls in zip(stacked.layers, _classes(stacked.layers), strict=True):
        values = [layer.sessions[n] for n in order]
        phrases = [
            f"{at}: {layer.name} {number(v) if v is not None else fmt.NONE}" for at, v in zip(when, values, strict=True)
        ]
        runs.append(Run(layer.name, cls, values, phrases))
    chart = chart_of(stacked, heads, changes)
    return {
        "chart": chart,
        "data": explored([short(heads[n]) for n in order], runs, stacked=True),
        "keys": list(keys_of(stacked.layers, query)),
        "lines": list(_lines(stacked, heads, order)),  # window, figures, since the report before
        "missing": sum(s is None for s in stacked.sessions),  # reports without DB time
        "has_gaps": any(rule.cls == "gap" for rule in chart.rules),
        "letters": "".join(rule.text for rule in chart.rules),
    }


def _classes(layers: Sequence[Layer]) -> list[str]:
    shades = iter(db_time_bars.shades_of([layer.wait_class for layer in layers if layer.part == "event"]))
    own = {"cpu": db_time_bars.FILLS["CPU"], "others": db_time_bars.OTHER_FILL, "rest": db_time_bars.REST_FILL}
    return [next(shades) if layer.part == "event" else own[layer.part] for layer in layers]


def chart_of(
    stacked: Stacked,
    heads: Sequence[Report],
    changes: Sequence[tuple[ParameterChange, ...]],
    urls: Mapping[int, str] | None = None,
    sides: Mapping[int, str] | None = None,
) -> Chart:
    """`urls`: of the bars; `sides`: CSS classes of First's and Second's foot."""
    urls, sides = urls or {}, sides or {}
    order = positions_by_time(heads)
    heights = [above for n in order for *_, above in _stack(stacked, n, "")]
    ticks = round_ticks(max([*heights, *(s for s in stacked.sessions if s is not None)], default=0.0), _MOST_TICKS)
    frame = Frame(Linear(0, len(order)), Linear(0, ticks[-1][0]))
    middles = [frame.x(at + 0.5) for at in range(len(order))]
    half = min(_WIDEST, frame.x(_WIDTH)) / 2
    sessions = levels(frame.up, ticks)
    places = [*zip(middles, order, strict=True)]
    return Chart(
        marks=(
            *(
                bar(cls, (x - half, x + half), (frame.y(below), frame.y(above)), label, urls.get(n, ""), key=key)
                for x, n in places
                for key, cls, label, below, above in _stack(stacked, n, hour_text(heads[n]))
            ),
            *(bar(f"fill-{sides[n]}", (x - half, x + half), _FOOT) for x, n in places if n in sides),
        ),
        height=_HEIGHT if not sides else _LOW,
        alt="DB time of every report in active sessions, by CPU and event.",
        left=room(sessions),
        right=12,
        top=20,
        bottom=26,
        rules=(*rules(sessions), *_between([heads[n] for n in order], changes, frame)),
        levels=sessions,
        names=dates([heads[n] for n in order], middles, wide=WIDE),
    )


def _stack(stacked: Stacked, report: int, when: str) -> Iterator[tuple[str, str, str, float, float]]:
    """Edges in active sessions."""
    whole, below = stacked.sessions[report], 0.0
    for at, (layer, cls) in enumerate(zip(stacked.layers, _classes(stacked.layers), strict=True)):
        sessions = layer.sessions[report]
        if whole is not None and sessions:
            text = f"{when}: {layer.name} {number(sessions)} of {number(whole)}"
            yield str(at), cls, text, below, below + sessions
            below += sessions


def _between(heads: Sequence[Report], changes: Sequence[tuple[ParameterChange, ...]], frame: Frame) -> Iterator[Rule]:
    for at in range(1, len(heads)):
        before, after = heads[at - 1], heads[at]
        title = "; ".join(s for s in (between_text(before, after), *changes_text(changes[at])) if s)
        letters = f"{'R' if restarted_between(before, after) else ''}{'P' if changes[at] else ''}"
        if not follows(before, after):
            yield Rule(decimal(frame.x(at)), upright=True, cls="gap", title=title)
        if letters:
            yield Rule(decimal(frame.x(at)), upright=True, cls="mark", title=title, text=letters)


def keys_of(layers: Sequence[Layer], query: str) -> Iterator[Key]:
    """Layers from top to bottom, linked to trends."""
    for at, (layer, cls) in reversed([*enumerate(zip(layers, _classes(layers), strict=True))]):
        row = f"?section={layer.section}&row={anchor(layer.section, layer.name)}&{query}" if layer.section else ""
        yield Key(cls, layer.name, row, str(at))


def _lines(stacked: Stacked, heads: Sequence[Report], order: Sequence[int]) -> Iterator[tuple[str, list[str], str]]:
    for at, n in enumerate(order):
        figures = [stacked.sessions[n], *(layer.sessions[n] for layer in reversed(stacked.layers))]
        cells = [number(f) if f is not None else fmt.NONE for f in figures]
        yield hour_text(heads[n]), cells, between_text(heads[order[at - 1]], heads[n]) if at else ""


Address = Callable[[BaselineSelection], str]
LEAST, MOST = 3, 8  # reports
_DARKEST = 24  # percent of the colour of a cell


def matrix_of(stacked: Stacked, heads: Sequence[Report], address: Address) -> dict[str, Any] | None:
    """First down, Second across; None if empty or too large."""
    if not LEAST <= len(heads) <= MOST or sum(s is not None for s in stacked.sessions) < LEAST:
        return None
    order = positions_by_time(heads)
    pairs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    most = max((abs(m.change) for pair in pairs if (m := change_between(stacked, *pair))), default=0.0) or 1.0
    cells = {(a, b): _cell(stacked, heads, BaselineSelection((a,), b), address, most) for a, b in pairs}
    lines = []  # window, sessions; None: not later
    for a in order[:-1]:
        sessions = stacked.sessions[a]
        text = fmt.significant(sessions) if sessions is not None else fmt.NONE
        lines.append((short(heads[a]), text, [cells.get((a, b)) for b in order[1:]]))
    return {"heads": [short(heads[n]) for n in order[1:]], "lines": lines}


def _cell(
    stacked: Stacked,
    heads: Sequence[Report],
    two: BaselineSelection,
    address: Address,
    most: float,
) -> dict[str, Any]:
    """`why`: differences of the pair; `dark`: colour intensity."""
    first, second = two.all
    what = change_between(stacked, first, second)
    why = listing(list(unlike(heads[first], heads[second])))
    is_known = stacked.sessions[first] is not None and stacked.sessions[second] is not None
    return {
        "url": address(two),
        "title": f"{hour_text(heads[first])} → {hour_text(heads[second])}{f' ({why})' if why else ''}",
        "change": fmt.signed(what.change) if what and what.change else "≈" if is_known else fmt.NONE,
        "mover": f"{what.layer} {fmt.signed(what.of_layer)}" if what else "",
        "cls": "unlike" if why or what is None or not what.change else "worse" if what.change > 0 else "better",
        "dark": round(_DARKEST * abs(what.change) / most) if what and not why else 0,
        "why": why,
    }


MOST_REASONS = 2
LABELS = {"earlier": "all {} earlier", "same-hour": "{} of the same weekday and hour"}
SINGULAR_TEXTS = {"earlier": "the one earlier", "same-hour": "the one of the same weekday and hour"}


def strip_view(
    heads: Sequence[Report],
    selection: BaselineSelection,
    address: Address,
    stack: Stacked,
    changes: Sequence[tuple[ParameterChange, ...]],
    *,
    is_pair: bool,
) -> dict[str, Any]:
    """`is_pair`: one-click choices then concern the latest."""
    about = latest(heads) if is_pair else selection.second
    offered = presets(heads, about) if about is not None else ()
    again = {n: why for p in offered for n, why in p.left_out.items() if why == (SAME_TIME,)}
    choices = [_choice(p, selection, address, is_pair=is_pair) for p in offered]
    seconds = [place for place in range(len(heads)) if place != selection.second]
    members = {p: tuple(m for m in selection.members if m != p) or (selection.second,) for p in seconds}
    urls = {place: address(BaselineSelection(members[place], place)) for place in seconds}
    sides = {**dict.fromkeys(selection.members, "first"), selection.second: "second"}
    return {
        "reports": list(_reports(heads, selection, again)),
        "choices": choices,  # baselines that one click chooses
        "choices_for": hour_text(heads[about]) if about is not None else "",
        "left_out": _exclusions_text(offered, choices),  # how many reports no click takes, and why
        # DB time of every report; a bar leads to where its report is Second.
        "chart": chart_of(stack, heads, changes, urls, sides) if any(stack.sessions) else None,
        "keys": [replace(key, url="") for key in keys_of(stack.layers, "")],
        "mixed": list(mixed_series_sentences(heads)),  # why they are not one series
    }


def _choice(preset: Preset, selection: BaselineSelection, address: Address, *, is_pair: bool) -> Choice:
    candidate = BaselineSelection(preset.members, preset.second)
    count = len(preset.members)
    label = SINGULAR_TEXTS[preset.id] if count == 1 else LABELS[preset.id].format(count)
    return Choice(address(candidate), label, not is_pair and candidate == selection)


def _exclusions_text(offered: Sequence[Preset], choices: Sequence[Choice]) -> str:
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


def _reports(
    heads: Sequence[Report], selection: BaselineSelection, again: Mapping[int, tuple[str, ...]]
) -> Iterator[dict[str, Any]]:
    """By time. `why`: it does not count by itself; `between`: since the report before, a gap, a restart."""
    before: Report | None = None
    for place in positions_by_time(heads):
        head, second = heads[place], place == selection.second
        time, elapsed = head.period.db_time_s, head.period.elapsed_s
        sessions = time.number / elapsed.number if time and elapsed and elapsed.number > 0 else None
        yield {
            "place": place,
            "when": hour_text(head),
            "database": head.database.name or fmt.NONE,
            "name": head.name,
            "sessions": fmt.significant(sessions, 3, 2) if sessions is not None else fmt.NONE,
            "length": duration(elapsed.number if elapsed else None),
            "why": "" if second else listing(list(again.get(place) or unlike(head, heads[selection.second]))),
            "between": between_text(before, head) if before is not None else "",
            "member": place in selection.members,
            "second": second,
        }
        before = head
