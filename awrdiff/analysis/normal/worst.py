"""The worst hours of a day, by how far they lie above normal, and which of its reports are left out by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Hour(NamedTuple, Generic[Key]):
    """A report that begins at `begin` (ISO text). `above`: active sessions above normal, None where that was not
    measured; `sessions`: that were active on average, None where it does not print them. `of`: whatever two reports
    must have in common to be held against each other, such as the instance. `is_alarm`: it lies too
    far above for chance."""

    key: Key
    of: Hashable
    begin: str
    above: float | None
    sessions: float | None
    is_alarm: bool = False


def beside_the_worst(hours: Iterable[Hour[Key]], keep: int) -> set[Key]:
    """The reports of one day that are no alarm and of none of its `keep` worst hours: alarms are the worst, and however
    many they are none is left out; of equal hours the earlier is worse.

    Hours that were held against normal are ranked among themselves, and so are those of which their active sessions
    alone are known: the one says nothing of the other. What tells neither is never among them: it is unknown, not
    quiet. Whoever takes these away and asks again is told none.
    """
    ranked: dict[tuple[bool, Hashable], dict[str, tuple[bool, float]]] = defaultdict(dict)
    known: list[tuple[Key, tuple[bool, Hashable], str]] = []
    for hour in hours:
        value = hour.above if hour.above is not None else hour.sessions
        if value is None:
            continue
        among, window = (hour.above is not None, hour.of), hour.begin[:16]
        bad = (hour.is_alarm, value)
        ranked[among][window] = max(bad, ranked[among].get(window, bad))
        known.append((hour.key, among, window))
    worst = set[tuple[tuple[bool, Hashable], str]]()
    for among, values in ranked.items():
        order = sorted((not is_alarm, -value, window) for window, (is_alarm, value) in values.items())
        worst |= {(among, window) for n, (is_none, _, window) in enumerate(order) if n < keep or not is_none}
    return {key for key, among, window in known if (among, window) not in worst}


__all__ = ["Hour", "beside_the_worst"]
