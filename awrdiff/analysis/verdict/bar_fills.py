"""The one palette of waits, by wait class: the class of each colour in static/css/base.css and export/html.css."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.verdict import bars
from awrdiff.analysis.verdict.bars import BarPart

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
OTHERS, REST = "w-others", "w-rest"


def fill_of(wait_class: str) -> str:
    return FILLS.get(wait_class, FILLS["Other"])


def shades_of(wait_classes: list[str]) -> list[str]:
    """A class for each of several events: those of one wait class take turns of its two shades."""
    earlier: dict[str, int] = {}
    shades = []
    for wait_class in wait_classes:
        fill = fill_of(wait_class)
        earlier[fill] = earlier.get(fill, 0) + 1
        shades.append(fill if earlier[fill] % 2 else f"{fill} darker")
    return shades


def fills_of(parts: Sequence[BarPart]) -> list[str]:
    """Fills of the parts of a bar."""
    shades = iter(shades_of([p.wait_class for p in parts if p.wait_class]))
    left = {bars.OTHERS: OTHERS, bars.REST: REST, bars.UNLISTED: REST}
    return [next(shades) if p.wait_class else left.get(p.name, OTHERS) for p in parts]


__all__ = ["FILLS", "OTHERS", "REST", "fill_of", "fills_of", "shades_of"]
