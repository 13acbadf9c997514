"""DB time as stacked bars on one scale, and their CSS classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from awrdiff.analysis.baseline.stacked_db_time import STACKED_OF
from awrdiff.analysis.figures_in_words import number, seconds
from awrdiff.analysis.model.comparison import Attribution, Comparison, Consumer
from awrdiff.analysis.names.wait_events import wait_class_of
from awrdiff.analysis.report.activity_over_time_slots import SLOTS
from awrdiff.analysis.report.addm_analyses import SECTION as ANALYSES
from awrdiff.analysis.report.ash_and_addm_load import mean_sessions
from awrdiff.analysis.report.figures_by_name import ASH_PERIOD, Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.verdict.active_sessions_attribution import CPU, attribute

MOST_EVENTS = 5
LEAST = 0.02  # of the scale: an event of less is of the other waits
ASH_LISTS = ("top_user_events", "top_background_events")
# A report read for its bar and its course needs no other section.
BARS_OF = (*STACKED_OF, ASH_PERIOD, "addm_period", *ASH_LISTS, SLOTS, ANALYSES)
CPU_NAME, OTHER_WAITS, REST, UNLISTED = "CPU", "other waits", "unaccounted", "not listed"
SAMPLED_CPU = "CPU + Wait for CPU"
_SIDES = ("First", "Second")


class BarPart(Struct, frozen=True):
    """`sessions`: average active sessions. `wait_class`: "CPU", or "" without one."""

    name: str
    wait_class: str
    sessions: float
    waits_per_s: float | None = None
    avg_wait_s: float | None = None
    is_event: bool = False

    @property
    def text(self) -> str:
        """`db file sequential read 4.0 = 9,500 a second × 421 µs`"""
        size = f"{self.name} {number(self.sessions)}"
        if not self.waits_per_s or self.avg_wait_s is None:
            return size
        return f"{size} = {number(self.waits_per_s)} a second × {seconds(self.avg_wait_s)}"


class Bar(Struct, frozen=True):
    """DB time per second; names keep their place in all bars."""

    side: str
    sessions: float
    parts: tuple[BarPart, ...]

    @property
    def length(self) -> float:
        """Active sessions; waits and CPU may exceed DB time."""
        return max(self.sessions, sum(p.sessions for p in self.parts))

    def place(self, name: str) -> int:
        if name in (OTHER_WAITS, REST, UNLISTED):
            return 1000 + (name != OTHER_WAITS)
        return next((at for at, p in enumerate(self.parts) if p.name == name), -1)


class Bars(Struct, frozen=True):
    bars: tuple[Bar, ...]

    @property
    def scale(self) -> float:
        return max(bar.length for bar in self.bars)

    @property
    def names(self) -> list[tuple[BarPart | None, ...]]:
        listed = dict.fromkeys(p.name for bar in self.bars for p in bar.parts)
        by_bar = [{p.name: p for p in bar.parts} for bar in self.bars]
        order = {name: max(bar.place(name) for bar in self.bars) for name in listed}
        return [tuple(parts.get(name) for parts in by_bar) for name in sorted(listed, key=lambda n: order[n])]


def bars_of(comparison: Comparison) -> Bars | None:
    """None where no side prints its parts of DB time."""
    if comparison.sampled is not None:
        sampled = comparison.sampled
        listed: list[list[BarPart]] = [[], []]
        for row in sampled.of_kind("event"):
            for parts, side in zip(listed, (row.first, row.second), strict=True):
                if side is not None:
                    parts.append(_sampled_part(row.key, row.beside, side.middle))
        return (
            _stacked(_SIDES, (sampled.first.middle, sampled.second.middle), listed, UNLISTED) if any(listed) else None
        )
    return _of_time(comparison.attribution, _SIDES) if comparison.attribution is not None else None


def bars_of_report(side: Side) -> Bars | None:
    if side.report.kind == "ash":
        mean = mean_sessions(side)
        if mean is None:
            return None
        parts: dict[str, BarPart] = {}
        for row in (row for section in map(side.report.section, ASH_LISTS) for row in printed_rows(section)):
            name, share = row.text("event"), row.number("pct_event")
            if share is not None:
                sessions = share.number / 100 * mean.number
                parts.setdefault(name, _sampled_part(name, row.text("event_class"), sessions))
        return _stacked(("",), (mean.number,), [[*parts.values()]], UNLISTED) if parts else None
    whole = attribute(side, side)
    return _of_time(whole, ("",)) if whole is not None else None


def _of_time(whole: Attribution, sides: Sequence[str]) -> Bars | None:
    listed = [[*_parts(whole.parts, at)] for at in range(len(sides))]
    if not any(listed):
        return None
    return _stacked(sides, (whole.first_per_s, whole.second_per_s), listed, REST)


def _parts(consumers: Iterable[Consumer], side: int) -> Iterator[BarPart]:
    for c in consumers:
        sessions, avg_wait_s = ((c.first_per_s, c.first_avg_s), (c.second_per_s, c.second_avg_s))[side]
        if not sessions:
            continue
        if c.key == CPU:
            yield BarPart(CPU_NAME, CPU_NAME, sessions)
        else:
            waits_per_s = sessions / avg_wait_s if avg_wait_s else None
            wait_class = c.wait_class or wait_class_of(c.key) or "Other"
            yield BarPart(c.key, wait_class, sessions, waits_per_s, avg_wait_s, is_event=True)


def _sampled_part(name: str, wait_class: str, sessions: float) -> BarPart:
    if name == SAMPLED_CPU:
        return BarPart(CPU_NAME, CPU_NAME, sessions)
    return BarPart(name, wait_class.partition(" · ")[0] or wait_class_of(name) or "Other", sessions, is_event=True)


def _stacked(sides: Sequence[str], wholes: Sequence[float], listed: Sequence[Sequence[BarPart]], rest: str) -> Bars:
    wholes = wholes[: len(sides)]
    least = LEAST * max(wholes)
    most: dict[str, float] = {}
    for part in (p for parts in listed for p in parts if p.is_event and p.sessions >= least):
        most[part.name] = max(most.get(part.name, 0.0), part.sessions)
    largest = sorted(most, key=lambda name: -most[name])[:MOST_EVENTS]
    bars = []
    for side, whole, parts in zip(sides, wholes, listed, strict=True):
        by_name = {p.name: p for p in parts}
        stacked = [by_name[name] for name in (CPU_NAME, *largest) if name in by_name]
        if other_waits := sum(p.sessions for p in parts if p.is_event and p.name not in largest):
            stacked.append(BarPart(OTHER_WAITS, "", other_waits))
        unlisted = whole - sum(p.sessions for p in parts)
        if unlisted > least / 4:
            stacked.append(BarPart(rest, "", unlisted))
        bars.append(Bar(side, whole, tuple(stacked)))
    return Bars(tuple(bars))


FILLS = {
    "CPU": "db-cpu",
    "Scheduler": "w-scheduler",
    "User I/O": "w-user-io",
    "System I/O": "w-system-io",
    "Concurrency": "w-concurrency",
    "Application": "w-application",
    "Commit": "w-commit",
    "Configuration": "w-configuration",
    "Administrative": "w-administrative",
    "Network": "w-network",
    "Cluster": "w-cluster",
    "Queueing": "w-administrative",
    "Other": "w-other",
}
OTHER_FILL, REST_FILL = "w-others", "w-rest"


def fill_of(wait_class: str) -> str:
    return FILLS.get(wait_class, FILLS["Other"])


def shades_of(wait_classes: list[str]) -> list[str]:
    """CSS classes; events of a wait class alternate shades."""
    earlier: dict[str, int] = {}
    shades = []
    for wait_class in wait_classes:
        fill = fill_of(wait_class)
        earlier[fill] = earlier.get(fill, 0) + 1
        shades.append(fill if earlier[fill] % 2 else f"{fill} darker")
    return shades


def fills_of(parts: Sequence[BarPart]) -> list[str]:
    shades = iter(shades_of([p.wait_class for p in parts if p.wait_class]))
    fixed = {OTHER_WAITS: OTHER_FILL, REST: REST_FILL, UNLISTED: REST_FILL}
    return [next(shades) if p.wait_class else fixed.get(p.name, OTHER_FILL) for p in parts]
