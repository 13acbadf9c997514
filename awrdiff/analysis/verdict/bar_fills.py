"""Palette of waits by wait class: CSS classes of static/css/base.css and export/html.css."""

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
OTHER_WAITS, REST = "w-others", "w-rest"


def fill_of(wait_class: str) -> str:
    return FILLS.get(wait_class, FILLS["Other"])


def shades_of(wait_classes: list[str]) -> list[str]:
    """CSS class of each event; events of one wait class alternate between its two shades."""
    earlier: dict[str, int] = {}
    shades = []
    for wait_class in wait_classes:
        fill = fill_of(wait_class)
        earlier[fill] = earlier.get(fill, 0) + 1
        shades.append(fill if earlier[fill] % 2 else f"{fill} darker")
    return shades


def fills_of(parts: Sequence[BarPart]) -> list[str]:
    """CSS classes of the parts of a bar."""
    shades = iter(shades_of([p.wait_class for p in parts if p.wait_class]))
    fixed = {bars.OTHER_WAITS: OTHER_WAITS, bars.REST: REST, bars.UNLISTED: REST}
    return [next(shades) if p.wait_class else fixed.get(p.name, OTHER_WAITS) for p in parts]
