"""Worst hours of a day by distance above normal, and the reports they leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Hour(NamedTuple, Generic[Key]):
    """Report at `begin` (ISO); `above`: active sessions above normal.

    None = unmeasured or not printed. `of`: common ground of comparable reports. `is_alarm`: beyond chance.
    """

    key: Key
    of: Hashable
    begin: str
    above: float | None
    sessions: float | None
    is_alarm: bool = False


def beside_the_worst(hours: Iterable[Hour[Key]], keep: int) -> set[Key]:
    """Keys neither alarms nor among the `keep` worst.

    Of equal hours the earlier is worse; measured and unmeasured are ranked apart, unknown never returned. Idempotent.
    """
    ranked: dict[tuple[bool, Hashable], dict[str, tuple[bool, float]]] = defaultdict(dict)
    measured: list[tuple[Key, tuple[bool, Hashable], str]] = []
    for hour in hours:
        value = hour.above if hour.above is not None else hour.sessions
        if value is None:
            continue
        among, window = (hour.above is not None, hour.of), hour.begin[:16]
        bad = (hour.is_alarm, value)
        ranked[among][window] = max(bad, ranked[among].get(window, bad))
        measured.append((hour.key, among, window))
    worst = set[tuple[tuple[bool, Hashable], str]]()
    for among, values in ranked.items():
        order = sorted((not is_alarm, -value, window) for window, (is_alarm, value) in values.items())
        worst |= {(among, window) for n, (is_none, _, window) in enumerate(order) if n < keep or not is_none}
    return {key for key, among, window in measured if (among, window) not in worst}
