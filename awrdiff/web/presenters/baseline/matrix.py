"""Every pair of reports: change of DB time and its main contributor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from awrdiff.analysis.baseline.against import BaselineSelection
from awrdiff.analysis.baseline.members import positions_by_time, unlike
from awrdiff.analysis.baseline.stacked import Stacked, change_between
from awrdiff.analysis.baseline.words import hour_said
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.trend import short
from parsers.model import Report

LEAST, MOST = 3, 8  # reports
_DARKEST = 24  # percent of the colour of a cell


@dataclass(frozen=True, slots=True)
class CellView:
    """`url`: the pair's page; `why`: differences of the pair; `dark`: colour intensity."""

    url: str
    title: str
    change: str
    mover: str
    cls: str
    dark: int
    why: str


@dataclass(frozen=True, slots=True)
class MatrixView:
    heads: tuple[str, ...]
    lines: tuple[tuple[str, str, list[CellView | None]], ...]  # window, sessions; None: not later


def present(
    stacked: Stacked, heads: Sequence[Report], address: Callable[[BaselineSelection], str]
) -> MatrixView | None:
    """First down, Second across, by time; None if empty or too large."""
    if not LEAST <= len(heads) <= MOST or sum(s is not None for s in stacked.sessions) < LEAST:
        return None
    order = positions_by_time(heads)
    pairs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    most = max((abs(m.change) for pair in pairs if (m := change_between(stacked, *pair))), default=0.0) or 1.0
    cells = {(a, b): _cell(stacked, heads, BaselineSelection((a,), b), address, most) for a, b in pairs}
    return MatrixView(
        heads=tuple(short(heads[n]) for n in order[1:]),
        lines=tuple(
            (short(heads[a]), _sessions(stacked.sessions[a]), [cells.get((a, b)) for b in order[1:]])
            for a in order[:-1]
        ),
    )


def _sessions(sessions: float | None) -> str:
    return fmt.significant(sessions) if sessions is not None else fmt.NONE


def _cell(
    stacked: Stacked,
    heads: Sequence[Report],
    two: BaselineSelection,
    address: Callable[[BaselineSelection], str],
    most: float,
) -> CellView:
    first, second = two.all
    what = change_between(stacked, first, second)
    why = listing(list(unlike(heads[first], heads[second])))
    is_known = stacked.sessions[first] is not None and stacked.sessions[second] is not None
    return CellView(
        url=address(two),
        title=f"{hour_said(heads[first])} → {hour_said(heads[second])}{f' ({why})' if why else ''}",
        change=fmt.signed(what.change) if what and what.change else "≈" if is_known else fmt.NONE,
        mover=f"{what.layer} {fmt.signed(what.of_layer)}" if what else "",
        cls="unlike" if why or what is None or not what.change else "worse" if what.change > 0 else "better",
        dark=round(_DARKEST * abs(what.change) / most) if what and not why else 0,
        why=why,
    )
