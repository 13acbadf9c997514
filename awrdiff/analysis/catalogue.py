"""What is known about names in a report that the report itself does not print: idle events, renames,
the subject an event belongs to, and the part of the page a section belongs to."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.registry import REGISTRY

# Events of the wait class Idle as the reports of 11.1 to 23ai list them. Reports leave the share of DB time
# of most of these blank, but not of all (11.2 prints 0.00 for "VKRM Idle").
IDLE_EVENTS = frozenset(
    {
        "aqpc idle",
        "arch wait for archivelog lock",
        "asm background timer",
        "asm cluster membership changes",
        "class slave wait",
        "cmon timer",
        "data guard: gap manager",
        "data guard: timer",
        "diag idle wait",
        "dispatcher timer",
        "emon slave idle wait",
        "fbar timer",
        "gcr sleep",
        "gcs remote message",
        "ges remote message",
        "heartbeat redo informer",
        "hs message to agent",
        "i/o slave wait",
        "jobq slave wait",
        "jox jit process sleep",
        "ksv master wait",
        "lgwr worker group idle",
        "lms cr slave timer",
        "lns async archive log",
        "lns async dest activation",
        "lns async end of log",
        "lreg timer",
        "null event",
        "ofs idle",
        "ping",
        "pipe get",
        "pl/sql lock timer",
        "pman timer",
        "pmon timer",
        "px deq credit: need buffer",
        "px deq credit: send blkd",
        "px deq: execute reply",
        "px deq: execution msg",
        "px deq: join ack",
        "px deq: metadata update",
        "px deq: msg fragment",
        "px deq: parse reply",
        "px deq: table q normal",
        "px deq: table q sample",
        "px deq: txn recovery reply",
        "px deq: txn recovery start",
        "px idle wait",
        "queue monitor wait",
        "rdbms ipc message",
        "rman backup & recovery i/o",
        "scm slave idle",
        "shared server idle wait",
        "single-task message",
        "smon timer",
        "space manager: slave idle wait",
        "sql*net message from client",
        "sql*net vector message from client",
        "virtual circuit next request",
        "virtual circuit status",
        "vkrm idle",
        "vktm init wait for gsga",
        "vktm logical idle wait",
        "wait for unread message on broadcast channel",
        "watchdog main loop",
    }
)
_IDLE_PATTERN = re.compile(
    r"^(streams aq: |repl capture/apply: |generic process pool dispatcher: idle|logminer[ :].*idle"
    r"|parallel recovery (slave|coordinator).*(wait|idle)|mrp redo arrival|recovery server (wait|shutdown))",
)
# The two Streams AQ waits of wait class Other.
_NOT_IDLE = frozenset(
    {"streams aq: enqueue blocked on low memory", "streams aq: emn coordinator waiting for slave to start"}
)


# Waits of the log writer, the database writer, the checkpoint process and the archiver: no part of DB time.
_BACKGROUND_EVENTS = frozenset(
    {"log file parallel write", "db file parallel write", "control file parallel write", "log archive i/o"}
)


def is_background_event(name: str) -> bool:
    """Whether (nearly) all who wait for it are background processes; of lists that do not tell them apart."""
    return name.strip().lower() in _BACKGROUND_EVENTS


def is_idle_event(name: str) -> bool:
    low = name.strip().lower()
    if low in IDLE_EVENTS:
        return True
    return low not in _NOT_IDLE and _IDLE_PATTERN.match(low) is not None


# Cross-release identity of row labels, after lower-casing and removal of the trailing colon.
_LOAD_PROFILE = {
    "redo size": "redo size (bytes)",
    "logical reads": "logical read (blocks)",
    "physical reads": "physical read (blocks)",
    "physical writes": "physical write (blocks)",
    "parses": "parses (sql)",
    "hard parses": "hard parses (sql)",
    "executes": "executes (sql)",
    "w/a mb processed": "sql work area (mb)",
    "user logons": "logons",
}
_STATISTICS = {
    # 12.1 dropped the dash
    "consistent gets - examination": "consistent gets examination",
}
_TOP_EVENTS = {"cpu time": "db cpu"}  # to 10.2 and in Statspack
_CACHES = {"shared pool": "shared pool size"}  # Statspack
RENAMED: dict[str, dict[str, str]] = {
    "load_profile": _LOAD_PROFILE,
    "instance_activity": _STATISTICS,
    "top_timed_events": _TOP_EVENTS,
    "cache_sizes": _CACHES,
}
# Names of objects, files and services: "Orders" and "ORDERS" are two tables.
_CASE_MATTERS = re.compile(r"^(sql_|segments_|file_io|tablespace|service_|asm_|buffered_|persistent_|streams_)")


@lru_cache(maxsize=65536)
def canonical_name(section_id: str, text: str) -> str:
    """One part of a row's key as it is compared: spacing, case of Oracle's own names and renames do not count."""
    plain = " ".join(text.split()).rstrip(":").rstrip()
    if _CASE_MATTERS.match(section_id):
        return plain
    low = plain.lower()
    names = RENAMED.get(section_id)
    return names.get(low, low) if names else low


# Which part of the page an undeclared section belongs to; declared ones say it themselves.
_FAMILIES: tuple[tuple[str, str], ...] = (
    (r"^(database|snapshot|host_information|host$|report_|addm|instance_percentages)", "summary"),
    (r"^(top_event|foreground_|background_|wait_|time_model|service_)", "time"),
    (r"^(load_|host_cpu|os_)", "load"),
    (r"^(sql_|top_sql|plan_|key_sql)", "sql"),
    (r"^(instance_activity|activity_|top_sessions|top_blocking|top_service|top_client|session_)", "activity"),
    (r"^(iostat|tablespace_|files?_|redo_|log_|asm_)", "io"),
    (r"^(exadata|cell_|smart_|flash_cache_|storage_)", "exadata"),
    (r"^(global_|gc_|ges_|interconnect|rac_|cluster_)", "rac"),
    (r"^(buffer_|pga_|sga_|shared_pool|java_pool|memory_|process_memory|in_memory|undo_)|_advisory$", "memory"),
    (r"^(latch|mutex|enqueue)", "latches"),
    (r"^segment", "segments"),
    (r"^(init_|parameter|resource_)", "settings"),
)
_COMPILED = tuple((re.compile(pattern), family) for pattern, family in _FAMILIES)


@lru_cache(maxsize=4096)
def family_of(section_id: str) -> str:
    """A table of Oracle's compare report belongs where that of one period does."""
    name = section_id.removeprefix("compare_")
    declared = REGISTRY.family_of(name)
    if declared != "other":
        return declared
    return next((family for pattern, family in _COMPILED if pattern.search(name)), "other")


SHARED_POOL = "shared pool and library cache"
CACHE_READS = "reads through the buffer cache"
DIRECT_IO = "direct path I/O"
FILE_IO = "file I/O"

# What an event is about, in the words a DBA would use for the group.
_SUBJECTS: tuple[tuple[str, str], ...] = (
    (r"^(library cache|cursor: |latch: (shared pool|library cache|row cache)|row cache|kksfbc)", SHARED_POOL),
    (r"^enq: tx - row lock", "row locks"),
    (r"^enq: tm", "table locks"),
    (r"^enq: tx - (index|allocate itl)", "index and ITL contention"),
    (r"^(buffer busy|latch: cache buffers|free buffer|write complete|gc buffer busy)", "buffer cache contention"),
    (r"^(log file sync|log file parallel|lgwr )", "commits"),
    (r"^(log file switch|log buffer space|latch: redo)", "redo logs"),
    (
        r"^(db file (sequential|scattered|parallel) read|read by other session"
        r"|cell (single|multi)|cell list of blocks)",
        CACHE_READS,
    ),
    (r"^(direct path|cell smart|cell direct)", DIRECT_IO),
    (r"^(gc |ges |gcs |cr request retry)", "the cluster interconnect"),
    (r"^(sql\*net|tcp socket)", "the network"),
    (r"^(px |pq )", "parallel query"),
    (r"^(resmgr|scheduler)", "the resource manager"),
    (r"^(latch)", "latches"),
    (r"^(enq:)", "locks"),
    (r"^(control file|disk file|db file|cell |asm |kfk)", FILE_IO),
)
_SUBJECTS_COMPILED = tuple((re.compile(pattern), subject) for pattern, subject in _SUBJECTS)


@lru_cache(maxsize=4096)
def subject_of(event: str) -> str | None:
    low = event.lower()
    return next((subject for pattern, subject in _SUBJECTS_COMPILED if pattern.match(low)), None)


IO_SUBJECTS = frozenset({CACHE_READS, DIRECT_IO, FILE_IO})

# Wait classes of the events most often seen on top, for reports whose event table does not print the class.
_CLASSES: tuple[tuple[str, str], ...] = (
    (r"^(db file|direct path|read by other|cell (single|multi|smart|list)|disk file|local write|utl_file)", "User I/O"),
    (r"^(control file|log file (parallel|single|sequential)|db file parallel write)", "System I/O"),
    (r"^log file sync", "Commit"),
    (
        r"^(log file switch|log buffer space|free buffer|write complete|enq: (st|hw|ss|sq|tx - allocate))",
        "Configuration",
    ),
    (
        r"^(enq: tx - index|latch: (shared pool|library|row cache|cache buffers|in memory undo)|library cache"
        r"|cursor: |buffer busy|row cache|os thread startup)",
        "Concurrency",
    ),
    (r"^(enq: (tx - row|tm|ul|ro|ko)|sql\*net break|wait for (a|stopper))", "Application"),
    (r"^(sql\*net|tcp socket|arch wait|lns |lgwr-lns|sync remote)", "Network"),
    (r"^(gc |gcs |ges )", "Cluster"),
    (r"^(resmgr:)", "Scheduler"),
)
_CLASSES_COMPILED = tuple((re.compile(pattern), name) for pattern, name in _CLASSES)


@lru_cache(maxsize=4096)
def wait_class_of(event: str) -> str | None:
    low = event.lower()
    if low.startswith("db file parallel write"):
        return "System I/O"
    return next((name for pattern, name in _CLASSES_COMPILED if pattern.match(low)), None)
