"""Commit figures as text, with ranges and links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency import lgwr_trace_events
from awrdiff.analysis.commit_latency.figure_catalogue import Figure, Unit, label_of, value_of
from awrdiff.analysis.commit_latency.log_writer_samples import SCHEDULING
from awrdiff.analysis.figures_in_words import listing
from awrdiff.analysis.model.commit_latency import CommitFigures
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section.columns_and_cells import Cell, difference_text, tone
from parsers.model import Better

Show = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class SideLabel:
    """`cls`: of its colour."""

    label: str
    cls: str  # first, second or other
    at: int  # its place among the reports
    title: str = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """Estimate as text, with interval; `cls`: of the cell."""

    text: str
    range: str = ""
    cls: str = ""


Link = tuple[str, str]  # address, empty if the page lacks the row; text


@dataclass(frozen=True, slots=True)
class TableRow:
    """`part`: included in other lines, never added."""

    label: str
    note: str
    figures: tuple[Amount, ...]
    change: Cell
    sources: tuple[Link, ...] = ()
    part: bool = False
    cls: str = ""


# Events of traces stand on every page that has causes.
OF_TRACES = frozenset(
    {lgwr_trace_events.SWITCHES, lgwr_trace_events.SLOW_WRITES, lgwr_trace_events.SLOW_BROADCASTS, SCHEDULING}
)
# In sentences; the page has no line for each.
IN_WORDS = frozenset({lgwr_trace_events.SLOW_BROADCASTS, SCHEDULING})
NOTHING = Amount(fmt.NONE, cls="na")
NO_CHANGE = Cell(c="na", t="", h="")


def sides_of(count: int, pair: tuple[int, int] | None, titles: tuple[str, ...] = ()) -> tuple[SideLabel, ...]:
    """`pair`: indexes of First and Second."""
    sides = dict(zip(pair or (), (("First", "first"), ("Second", "second")), strict=False))
    labels = []
    for at in range(count):
        label, cls = sides.get(at, (f"Report {at + 1}", "other"))
        labels.append(SideLabel(label, cls, at, titles[at] if at < len(titles) else ""))
    return tuple(labels)


def seconds(number: float) -> str:
    return fmt.quantity(number, "s")


def share(number: float) -> str:
    return fmt.share(number * 100)


def ratio(number: float) -> str:
    return fmt.significant(number, 3, 2)


def size(number: float) -> str:
    return fmt.quantity(number, "bytes")


def count(number: float) -> str:
    return fmt.plain(number)


SHOW: Mapping[Unit, Show] = {"count": count, "s": seconds, "share": share, "ratio": ratio, "bytes": size}


def range_of(estimate: Estimate, show: Show) -> str:
    """Empty if both ends print alike."""
    low, high = show(estimate.low), show(estimate.high)
    return "" if low == high else f"{low} … {high}"


def figure(estimate: Estimate | None, show: Show) -> Amount:
    if estimate is None:
        return NOTHING
    return Amount(show(estimate.value), range_of(estimate, show), "down0" if estimate.value < 0 else "")


def bounds(estimate: Estimate) -> Amount:
    """Both ends of a time, where only they are known."""
    return Amount(range_of(estimate, seconds) or seconds(estimate.value))


def change(first: Estimate | None, second: Estimate | None, unit: str | None, better: Better = "lower") -> Cell:
    """Overlapping intervals give no change. `unit`: s, bytes, count (ratios), or share (points)."""
    if first is None or second is None:
        return NO_CHANGE
    difference = second.value - first.value
    if difference == 0:
        return Cell(c="same", t="=", h="")
    if first.low <= second.high and second.low <= first.high:
        return Cell(c="same", t="= below print", h="the intervals that the printed digits allow overlap")
    if unit == "share":
        by = fmt.points(difference * 100)
    elif first.value <= 0 or second.value < 0:
        by = difference_text(difference, unit)
    else:
        wide = sum((e.high - e.low) / 2 / e.value for e in (first, second) if e.value)
        by = fmt.relative(first.value, second.value, wide)
    way = fmt.direction(difference)
    return Cell(c=tone(way, better), t=f"{fmt.ARROWS[way]} {by}", h="")


def row_of(
    line: Figure, reports: Sequence[CommitFigures], pair: tuple[int, int] | None, sources: tuple[Link, ...] = ()
) -> TableRow | None:
    """A figure of the catalogue in each report; None where none has it. `pair`: whose change is told."""
    estimates = [value_of(line.name, f) for f in reports]
    if all(e is None for e in estimates):
        return None
    sides = pair if pair and not line.bounds_only else None
    return TableRow(
        label_of(line, tuple(reports)),
        line.hint,
        tuple(bounds(e) if e and line.bounds_only else figure(e, SHOW[line.unit]) for e in estimates),
        change(estimates[sides[0]], estimates[sides[1]], line.unit, line.better) if sides else NO_CHANGE,
        sources,
    )


@dataclass(frozen=True, slots=True)
class Rows:
    page_url: str  # with its query, without a fragment
    titles: Mapping[str, str]

    def links(self, evidence: Iterable[Evidence], *, in_section: bool = True) -> tuple[Link, ...]:
        """One link per row; `in_section`: with section title."""
        row_links: dict[tuple[str, str | None], Link] = {}
        for e in evidence:
            title = "LGWR trace" if e.section in OF_TRACES else self.titles.get(e.section, e.section.replace("_", " "))
            text = (f"{title}: {e.key}" if e.key else title) if in_section else e.key
            page = "" if e.section in OF_TRACES else self.page_url
            url = "" if e.section in IN_WORDS else f"{page}#{e.section}" + (f"/{e.row_id}" if e.row_id else "")
            row_links.setdefault((e.section, e.row_id), (url, text))
        return tuple(row_links.values())


Notes = tuple[str, list[str]]  # the reports and note or gap, and the lines that they share


def notes(what: str, labels: Sequence[str], report_lines: Sequence[Sequence[str]]) -> tuple[Notes, ...]:
    """Each line once, grouped by reports that share it."""
    places: dict[str, list[int]] = {}
    for at, lines in enumerate(report_lines):
        for line in dict.fromkeys(lines):
            places.setdefault(line, []).append(at)
    grouped: dict[tuple[int, ...], list[str]] = {}
    for line, where in places.items():
        grouped.setdefault(tuple(where), []).append(line)
    return tuple((_which(where, labels, what), grouped[where]) for where in sorted(grouped))


def _which(where: tuple[int, ...], labels: Sequence[str], what: str) -> str:
    if len(labels) == 1:
        return what.capitalize()
    if len(where) == len(labels):
        return f"{'Both' if len(labels) == 2 else f'All {len(labels)}'} reports: {what}"
    return f"{listing([labels[at] for at in where])}: {what}"
