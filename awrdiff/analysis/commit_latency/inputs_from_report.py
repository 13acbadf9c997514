"""Printed inputs of the estimate, with resolution and gaps. Statspack lists foreground and background together."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.names.wait_events import is_background_event
from awrdiff.analysis.report.figures_by_name import BACKGROUND, COMBINED, FOREGROUND, TOP, Event, Side
from awrdiff.analysis.rows.align import anchor
from parsers.model import Value

LFS = "log file sync"
LFPW = "log file parallel write"
PMEM = "log file pmem persist write"  # instead of it, with redo on persistent memory
ACTIVITY = "instance_activity"
TOP_FOREGROUND, TOP_BACKGROUND = "top_timed_foreground_events", "top_timed_background_events"  # global reports
EVENT_LISTS = (FOREGROUND, BACKGROUND, COMBINED, TOP, TOP_FOREGROUND, TOP_BACKGROUND)
BLOCK_BYTES = 512  # of a redo log, on most platforms
STATISTICS = (
    "redo writes",
    "redo size",
    "redo wastage",
    "redo synch writes",
    "user calls",
    "user commits",
    "transaction rollbacks",
)


class Inputs(Struct, frozen=True):
    """Seconds; None = not printed. `call_time_share`: 0..1, Statspack's."""

    lfs: Event | None
    lfpw: Event | None
    missing: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    background_lfs: Event | None = None
    lfpw_at_most_s: float | None = None
    db_time: Value | None = None
    call_time_share: Value | None = None
    calls_per_transaction: Value | None = None  # as the load profile prints it
    statistics: Mapping[str, Value] = field(default_factory=dict)

    @property
    def commits(self) -> Value | None:
        """`user rollbacks` counts empty calls: only a substitute."""
        commits = self.statistics.get("user commits")
        rolled = self.statistics.get("transaction rollbacks") or self.statistics.get("user rollbacks")
        if commits is None or rolled is None:
            return commits
        return Value(commits.number + rolled.number, commits.half + rolled.half)


def inputs_of(side: Side) -> Inputs:
    lfs = side.foreground.get(LFS)
    lfpw = side.background.get(LFPW) or side.background.get(PMEM)
    if lfpw is None and not side.has(BACKGROUND):  # one list of all waits
        lfpw = side.foreground.get(LFPW)
    statistics = {n: side.statistic(n) for n in STATISTICS}
    if statistics["transaction rollbacks"] is None:
        statistics["user rollbacks"] = side.statistic("user rollbacks")
    share = None if side.db_time else _printed_share(side, lfs)
    missing = [f"the number of {e.name} waits" for e in (lfs, lfpw) if e is not None and e.waits is None]
    if lfpw is None:
        missing.append(_absent(side, LFPW, BACKGROUND, "background wait events"))
    if lfs is None:
        missing.insert(0, _absent(side, LFS, FOREGROUND, "foreground wait events"))
    missing += [
        f"{n} (instance activity)"
        for n, v in statistics.items()
        if v is None
        and not (n in ("user rollbacks", "transaction rollbacks") and side.statistic("user commits") is not None)
    ]
    if side.db_time is None:
        missing.append("DB time (time model)")
    return Inputs(
        lfs=lfs,
        lfpw=lfpw,
        background_lfs=side.background.get(LFS),
        lfpw_at_most_s=None if lfpw else _least_of_list(side),
        db_time=side.db_time,
        call_time_share=share,
        calls_per_transaction=side.value("load_profile", "per_transaction", "User calls"),
        statistics={n: v for n, v in statistics.items() if v is not None},
        missing=tuple(missing),
        evidence=tuple(e.evidence(c) for e in (lfs, lfpw) if e for c in ("total_wait_time_s", "avg_wait_s")),
    )


def row(section: str, key: str | tuple[str, ...], column: str) -> Evidence:
    keys = (key,) if isinstance(key, str) else key
    return Evidence(section, " ".join(keys), column, anchor(section, *keys))


def statistic_row(name: str) -> Evidence:
    return row(ACTIVITY, name, "total")


def _least_of_list(side: Side) -> float | None:
    """Seconds: upper bound of an unlisted LFPW."""
    section = side.report.section(TOP)
    if section is None or not _is_only_list(side):
        return None
    times = [t.number for r in section.records if (t := section.number(r, "total_wait_time_s")) is not None]
    return min(times) if times else None


def _is_only_list(side: Side) -> bool:
    """AWR's own top list holds no background events."""
    section = side.report.section(TOP)
    if section is None or any(side.has(s) for s in (BACKGROUND, COMBINED, FOREGROUND)):
        return False
    return side.report.kind == "statspack" or any(
        is_background_event(section.text(r, "event")) for r in section.records
    )


def _printed_share(side: Side, lfs: Event | None) -> Value | None:
    """Statspack: share of call time, waits and CPU together."""
    if lfs is None:
        return None
    columns = (side.value(lfs.section, column, lfs.name) for column in ("pct_db_time", "pct_call_time"))
    return next((Value(v.number / 100, v.half / 100) for v in columns if v is not None), None)


def _absent(side: Side, event: str, section_id: str, title: str) -> str:
    if event in side.unread_waits:
        return f"{event} (its time cannot be read)"
    if side.has(section_id):
        return f"{event} (not listed in {title})"
    if side.has(COMBINED):
        return f"{event} (not listed in wait events)"
    if side.has(TOP) and (section_id == FOREGROUND or _is_only_list(side)):
        return f"{event} (not in the top list)"
    return f"{event} (the report prints no {title})"
