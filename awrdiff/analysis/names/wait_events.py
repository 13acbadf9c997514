"""Wait event facts that reports omit: idle, subject, class."""

from __future__ import annotations

import re
from functools import lru_cache

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
    """True if nearly all waiters are background processes."""
    return name.strip().lower() in _BACKGROUND_EVENTS


def is_idle_event(name: str) -> bool:
    low = name.strip().lower()
    if low in IDLE_EVENTS:
        return True
    return low not in _NOT_IDLE and _IDLE_PATTERN.match(low) is not None


SHARED_POOL = "shared pool and library cache"
CACHE_READS = "reads through the buffer cache"
DIRECT_IO = "direct path I/O"
FILE_IO = "file I/O"

# What an event is about, in the words a DBA would use for the group.
_SUBJECTS: tuple[tuple[str, str], ...] = (
    (r"^(library cache|cursor: |latch: (shared pool|library cache|row cache)|row cache|kksfbc)", SHARED_POOL),
    (r"^enq: tx - row lock", "row locks"),
    (r"^enq: tm", "table locks"),
    (r"^enq: tx - (index|allocate itl)", "index splits and ITL slots"),
    (r"^(buffer busy|latch: cache buffers)", "busy buffers"),
    (r"^(free buffer|write complete)", "the database writer"),
    (r"^gc buffer busy", "busy blocks in the global cache"),
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
