"""Kind of an untitled report by its sections: an excerpt, or a mere mention."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from parsers.model import Kind
from parsers.pasted.vocabulary import is_figure
from parsers.sections.addm import ADDM
from parsers.sections.ash_report import ASH_REPORT
from parsers.sections.compare import COMPARE
from parsers.sections.lgwr import LGWR
from parsers.sections.registry import REGISTRY
from parsers.sections.statspack import IO as STATSPACK_IO
from parsers.sections.statspack import STATSPACK
from parsers.tables.declare import Family
from parsers.tables.rawtable import RawTable, normal_labels

_OWN: Final[tuple[tuple[Kind, tuple[Family, ...]], ...]] = (
    ("awr_compare", (COMPARE,)),
    ("lgwr_trace", (LGWR,)),
    ("addm", (ADDM,)),
    ("ash", (ASH_REPORT,)),
    ("statspack", (STATSPACK, STATSPACK_IO)),
)
# Labels and sections that only Statspack has; 9i and 10g print the share of elapsed, later of call time.
_STATSPACK_LABELS: Final = frozenset(("%totalcalltime", "%totalelatime", "%totalwttime", "oldhashvalue"))
_STATSPACK_SECTIONS: Final = frozenset(("wait_events", "load_profile_ratios"))
# One of these alone is an excerpt worth reading.
_CORE: Final = frozenset(
    (
        "load_profile",
        "top_timed_events",
        "foreground_wait_events",
        "background_wait_events",
        "wait_events",
        "time_model",
        "instance_activity",
        "snapshot_information",
        "database_information",
        "wait_event_histogram",
    )
)


def kind_by_sections(tables: Sequence[RawTable]) -> Kind | None:
    """Kind of report with these tables; None for too few or weak sections."""
    sections = {s.id: t for t in tables if (s := REGISTRY.find(t)) and _has_figures(t)}
    if len(sections) < 2 and not _CORE.intersection(sections):
        return None
    for kind, families in _OWN:
        own = {d.id for family in families for d in family.declarations}
        if len(own.intersection(sections)) > 1:
            return kind
    labels = {label for table in tables for label in normal_labels(table.labels)[0]}
    if labels & _STATSPACK_LABELS or _STATSPACK_SECTIONS.intersection(sections):
        return "statspack"
    by_instance = sum(normal_labels(t.labels)[1] == "instances" for t in sections.values())
    return "awr_global" if 2 * by_instance > len(sections) else "awr"


def _has_figures(table: RawTable) -> bool:
    return any(is_figure(cell) for row in table.rows[:20] for cell in row)


def names_itself(sections: Iterable[str]) -> bool:
    """True if database and snapshots have tables: only the title was lost."""
    return {"database_information", "snapshot_information"} <= set(sections)
