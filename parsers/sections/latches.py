"""Enqueues, latches, mutexes, dictionary and library cache."""

from __future__ import annotations

from parsers.tables.declare import Family, count, percent, ratio, seconds, text

LATCHES = Family(
    "latches",
    text("latch", "Latch Name", "Latch"),
    count("get_requests", "Get Requests"),
    percent("pct_miss", "Pct Miss", better="lower"),
    count("sleeps", "Sleeps", better="lower"),
)
section = LATCHES.section

section(
    "enqueue_activity",
    "Enqueue Activity",
    [
        text("enqueue", "Enqueue Type (Request Reason)"),
        count("requests", "Requests"),
        count("succeeded_gets", "Succ Gets"),
        count("failed_gets", "Failed Gets", better="lower"),
        count("waits", "Waits", better="lower"),
        seconds("wait_time_s", "Wt Time (s)"),
        seconds("avg_wait_s", "Av Wt Time(ms)", measure="average", scale=1e-3),
    ],
    coverage="nonzero",
)
section(
    "latch_activity",
    "Latch Activity",
    [
        "latch get_requests",
        percent("pct_get_miss", "Pct Get Miss", better="lower"),
        ratio("sleeps_per_miss", "Avg Slps /Miss", better="lower"),
        seconds("wait_time_s", "Wait Time (s)"),
        count("nowait_requests", "NoWait Requests"),
        percent("pct_nowait_miss", "Pct NoWait Miss", better="lower"),
        "pdb_name",
    ],
    key="latch pdb_name",
)
section(
    "latch_sleep_breakdown",
    "Latch Sleep Breakdown",
    [
        "latch get_requests",
        count("misses", "Misses", better="lower"),
        "sleeps",
        count("spin_gets", "Spin Gets"),
        "pdb_name",
    ],
    key="latch pdb_name",
    coverage="nonzero",
)
section(
    "latch_miss_sources",
    "Latch Miss Sources",
    [
        "latch",
        text("where", "Where"),
        count("nowait_misses", "NoWait Misses", better="lower"),
        "sleeps",
        count("waiter_sleeps", "Waiter Sleeps", better="lower"),
        "pdb_name",
    ],
    key="latch where pdb_name",
    coverage="nonzero",
)
section(
    "mutex_sleep_summary",
    "Mutex Sleep Summary",
    [
        text("mutex_type", "Mutex Type"),
        text("location", "Location"),
        "sleeps",
        seconds("wait_time_s", "Wait Time (ms)", "Wait Time (s)"),
    ],
    key="mutex_type location",
    titles=["Mutex Sleep"],
    coverage="nonzero",
)
section("parent_latch_statistics", "Parent Latch Statistics", None)
section("child_latch_statistics", "Child Latch Statistics", None)
section(
    "dictionary_cache",
    "Dictionary Cache Stats",
    [
        text("cache", "Cache"),
        "get_requests pct_miss",
        count("scan_requests", "Scan Reqs"),
        percent("pct_scan_miss", "Pct Miss (2)", better="lower"),
        count("modification_requests", "Mod Reqs"),
        count("final_usage", "Final Usage", measure="level"),
    ],
    coverage="nonzero",
)
section(
    "library_cache",
    "Library Cache Activity",
    [
        text("namespace", "Namespace"),
        "get_requests pct_miss",
        count("pin_requests", "Pin Requests"),
        percent("pct_pin_miss", "Pct Miss (2)", better="lower"),
        count("reloads", "Reloads", better="lower"),
        count("invalidations", "Invali- dations", better="lower"),
        # In one table with the others in a global report.
        count("ges_lock_requests", "GES Lock Requests"),
        count("ges_pin_requests", "GES Pin Requests"),
        count("ges_pin_releases", "GES Pin Releases"),
        count("ges_invalidation_requests", "GES Inval Requests"),
        count("ges_invalidations", "GES Invali- dations"),
    ],
    requires=["Get Requests"],
    coverage="nonzero",
)
