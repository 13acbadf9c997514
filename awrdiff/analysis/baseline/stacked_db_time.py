"""DB time of several reports for a chart: CPU and the largest waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.baseline.aligned_sections import MEASURED
from awrdiff.analysis.names.wait_events import wait_class_of
from awrdiff.analysis.report.figures_by_name import COMBINED, FOREGROUND, TOP, Side

# A report read for this needs no other section.
STACKED_OF = tuple(dict.fromkeys((*MEASURED, FOREGROUND, COMBINED, TOP)))
MOST_EVENTS = 6
_LEAST = 0.01  # of DB time

LayerKind = Literal["cpu", "event", "others", "rest"]


class Layer(Struct, frozen=True):
    """Active sessions per report, None = not printed."""

    part: LayerKind
    name: str
    sessions: tuple[float | None, ...]
    section: str = ""
    wait_class: str = ""


class Stacked(Struct, frozen=True):
    """Layers, bottom up; `sessions` None: not printed, nothing stacked."""

    layers: tuple[Layer, ...]
    sessions: tuple[float | None, ...]


def stack_of(sides: Sequence[Side]) -> Stacked:
    """Layers of the largest events; the rest has unlisted ones."""
    timed = [s if s.per_second(s.db_time) is not None else None for s in sides]
    listed = [_events(s) if s is not None else {} for s in timed]
    most = {
        name: max(events.get(name, (0.0, ""))[0] for events in listed) for of_report in listed for name in of_report
    }
    largest = sorted(most, key=lambda name: -most[name])[:MOST_EVENTS]
    layers = [
        Layer("cpu", "CPU", tuple(s.per_second(s.db_cpu) if s is not None else None for s in timed)),
        *(_of_event(name, listed, timed) for name in largest),
        Layer(
            "others",
            "other waits",
            tuple(_other_waits(s, f, largest) for s, f in zip(timed, listed, strict=True)),
        ),
    ]
    total = tuple(s.per_second(s.db_time) if s is not None else None for s in timed)
    rest = tuple(_rest(whole, [layer.sessions[n] for layer in layers]) for n, whole in enumerate(total))
    layers.append(Layer("rest", "neither, or not listed", rest))
    return Stacked(tuple(layer for layer in layers if any(layer.sessions)), total)


class StackChange(Struct, frozen=True):
    """DB time in active sessions (0: under a hundredth), largest part."""

    change: float
    layer: str
    of_layer: float


def change_between(stack: Stacked, first: int, second: int) -> StackChange | None:
    """None without DB time, or if all moved under a hundredth."""
    before, after = stack.sessions[first], stack.sessions[second]
    if before is None or after is None:
        return None
    sides = [(layer.name, layer.sessions[first], layer.sessions[second]) for layer in stack.layers]
    changes = [(name, b - a) for name, a, b in sides if a is not None and b is not None]
    name, most = max(
        changes, key=lambda name_and_change: round(abs(name_and_change[1]), 9), default=("", 0.0)
    )  # the rest only if it is more
    least = _LEAST * max(before, after)
    change = after - before if abs(after - before) >= least else 0.0
    return StackChange(change, name, most) if abs(most) >= least > 0 else None


def _events(side: Side) -> dict[str, tuple[float, str]]:
    return {e.name: (s, e.section) for e in side.foreground.values() if (s := side.per_second(e.total)) is not None}


def _of_event(name: str, listed: Sequence[dict[str, tuple[float, str]]], sides: Sequence[Side | None]) -> Layer:
    sessions = tuple(
        events[name][0] if name in events else 0.0 if side is not None and not side.foreground_is_partial else None
        for events, side in zip(listed, sides, strict=True)
    )
    section = next(events[name][1] for events in reversed(listed) if name in events)
    classes = (side.foreground[name].wait_class for side in sides if side is not None and name in side.foreground)
    return Layer("event", name, sessions, section, next(filter(None, classes), None) or wait_class_of(name) or "Other")


def _other_waits(side: Side | None, events: dict[str, tuple[float, str]], names: Sequence[str]) -> float | None:
    return sum(s for name, (s, _) in events.items() if name not in names) if side is not None and events else None


def _rest(whole: float | None, parts: Sequence[float | None]) -> float | None:
    return max(whole - sum(p or 0.0 for p in parts), 0.0) if whole is not None else None
