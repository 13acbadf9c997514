"""What DB time was made of in each of several reports: CPU and the largest waits, in active sessions, for a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.baseline.series import MEASURED
from awrdiff.analysis.names.events import wait_class_of
from awrdiff.analysis.report.side import COMBINED, FOREGROUND, TOP, Side

# A report read for this needs no other section.
STACKED_OF = tuple(dict.fromkeys((*MEASURED, FOREGROUND, COMBINED, TOP)))
MOST_EVENTS = 6
_LEAST = 0.01  # of DB time

LayerKind = Literal["cpu", "event", "others", "rest"]


class Layer(Struct, frozen=True):
    """`sessions`: of each report; None where it does not print that. `section`: where its row is, of an event."""

    part: LayerKind
    name: str
    sessions: tuple[float | None, ...]
    section: str = ""
    wait_class: str = ""


class Stacked(Struct, frozen=True):
    """From the bottom up. `sessions`: DB time of each report; None where it is not printed, and then nothing of it is
    stacked."""

    layers: tuple[Layer, ...]
    sessions: tuple[float | None, ...]


def stack_of(sides: Sequence[Side]) -> Stacked:
    """The events that took most in any of the reports; what a list of the top leaves out is of the rest."""
    known = [s if s.per_second(s.db_time) is not None else None for s in sides]
    listed = [_events(s) if s is not None else {} for s in known]
    most = {name: max(found.get(name, (0.0, ""))[0] for found in listed) for found in listed for name in found}
    shown = sorted(most, key=lambda name: -most[name])[:MOST_EVENTS]
    layers = [
        Layer("cpu", "CPU", tuple(s.per_second(s.db_cpu) if s is not None else None for s in known)),
        *(_of_event(name, listed, known) for name in shown),
        Layer("others", "other waits", tuple(_others(s, f, shown) for s, f in zip(known, listed, strict=True))),
    ]
    total = tuple(s.per_second(s.db_time) if s is not None else None for s in known)
    rest = tuple(_rest(whole, [layer.sessions[n] for layer in layers]) for n, whole in enumerate(total))
    layers.append(Layer("rest", "neither, or not listed", rest))
    return Stacked(tuple(layer for layer in layers if any(layer.sessions)), total)


class Moved(Struct, frozen=True):
    """From one report to another: DB time in active sessions (0: by less than a hundredth), and what of it changed
    most."""

    change: float
    layer: str
    of_layer: float


def moved(found: Stacked, first: int, second: int) -> Moved | None:
    """None where a side does not print DB time, or nothing of it moved by a hundredth of the larger."""
    before, after = found.sessions[first], found.sessions[second]
    if before is None or after is None:
        return None
    sides = [(layer.name, layer.sessions[first], layer.sessions[second]) for layer in found.layers]
    changes = [(name, b - a) for name, a, b in sides if a is not None and b is not None]
    name, most = max(changes, key=lambda one: round(abs(one[1]), 9), default=("", 0.0))  # the rest only if it is more
    least = _LEAST * max(before, after)
    change = after - before if abs(after - before) >= least else 0.0
    return Moved(change, name, most) if abs(most) >= least > 0 else None


def _events(side: Side) -> dict[str, tuple[float, str]]:
    """Active sessions and section by event."""
    return {e.name: (s, e.section) for e in side.foreground.values() if (s := side.per_second(e.total)) is not None}


def _of_event(name: str, listed: Sequence[dict[str, tuple[float, str]]], sides: Sequence[Side | None]) -> Layer:
    """What a list of all waits does not have was not waited for."""
    sessions = tuple(
        found[name][0] if name in found else 0.0 if side is not None and not side.foreground_is_partial else None
        for found, side in zip(listed, sides, strict=True)
    )
    section = next(found[name][1] for found in reversed(listed) if name in found)
    classes = (side.foreground[name].wait_class for side in sides if side is not None and name in side.foreground)
    return Layer("event", name, sessions, section, next(filter(None, classes), None) or wait_class_of(name) or "Other")


def _others(side: Side | None, found: dict[str, tuple[float, str]], shown: Sequence[str]) -> float | None:
    return sum(s for name, (s, _) in found.items() if name not in shown) if side is not None and found else None


def _rest(whole: float | None, parts: Sequence[float | None]) -> float | None:
    """Nothing where waits and CPU come to more than DB time."""
    return max(whole - sum(p or 0.0 for p in parts), 0.0) if whole is not None else None
