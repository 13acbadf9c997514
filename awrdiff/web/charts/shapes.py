"""Marks inside a frame; percent, y from the top."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """Rectangle, path (`d`), point (`radius` in pixels) or `text`.

    `title`: crosshair text: `where: figure`, then parts. `key`: for filtering.
    """

    cls: str
    x: str = ""
    y: str = ""
    width: str = ""
    height: str = ""
    d: str = ""
    radius: int = 0
    text: str = ""
    title: str = ""
    url: str = ""
    key: str = ""


def bar(
    cls: str,
    across: tuple[float, float],
    upright: tuple[float, float],
    title: str = "",
    url: str = "",
    *,
    key: str = "",
) -> Mark:
    """Between two x and y, in any order."""
    (x_low, x_high), (top, bottom) = sorted(across), sorted(upright)
    x, y, width, height = map(decimal, (x_low, top, x_high - x_low, bottom - top))
    return Mark(cls, x, y, width, height, title=title, url=url, key=key)


def point(cls: str, place: Place, title: str = "", radius: int = 4) -> Mark:
    return Mark(cls, decimal(place[0]), decimal(place[1]), radius=radius, title=title)


def name(text: str, place: Place) -> Mark:
    return Mark("name", decimal(place[0]), decimal(place[1]), text=text)


def line(cls: str, places: Iterable[Place], key: str = "") -> Mark:
    return Mark(cls, d=path(places), key=key)


def area(cls: str, upper: Sequence[Place], lower: Sequence[Place], key: str = "") -> Mark:
    """Between two lines over the same x."""
    return Mark(cls, d=f"{path([*upper, *reversed(lower)])}Z", key=key)


def arc(x: tuple[float, float], foot: float, rise: float, *, title: str, url: str) -> Mark:
    """Between two x, `rise` above its foot."""
    a, b = x
    d = f"M{decimal(a)} {decimal(foot)}Q{decimal((a + b) / 2)} {decimal(foot - 2 * rise)} {decimal(b)} {decimal(foot)}"
    return Mark("arc", d=d, title=title, url=url)


def steps(edges: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """One edge more than values."""
    return [(edge, value) for at, value in enumerate(values) for edge in edges[at : at + 2]]


def runs(items: Iterable[Item], joined: Callable[[Item, Item], bool]) -> Iterator[list[Item]]:
    """Cut where two neighbours are not joined."""
    run: list[Item] = []
    for item in items:
        if run and not joined(run[-1], item):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def path(places: Iterable[Place]) -> str:
    return "M" + "L".join(f"{decimal(x)} {decimal(y)}" for x, y in places)


def decimal(value: float) -> str:
    """To 0.01 %: a fifth of a pixel on the widest page."""
    return f"{round(value, 2) + 0.0:.10g}"
