"""Instance activity statistics."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.sections.readers import read_once
from parsers.tables.declare import Family, count, number, per_s, text

ACTIVITY = Family("activity")
section = ACTIVITY.section

# Text reports cut the names that end in `interconnect bytes`.
_BYTES = re.compile(r"\bbytes\b")
_OF_BYTES = (
    "cell physical IO ", "cell simulated physical IO ", "redo size", "redo wastage", "session uga", "session pga",
)  # fmt: skip
_KILOBYTES = re.compile(r"\bKB\b")
# The stages of a redo write, from 12.1 on: cumulative microseconds, although the name does not say so.
_STAGE = re.compile(r"redo write (?:gather|schedule|issue|finish|total) time$")
# Microseconds too: as centiseconds it would be thousands of sessions where it equals the user I/O wait time.
_MICROSECONDS = frozenset({"redo write broadcast ack time", "Effective IO time"})
# V$SYSSTAT keeps times in centiseconds unless the name says otherwise.
_OF_CENTISECONDS = ("parse time ", "CPU used ")
_CENTISECONDS = re.compile(r"(?<!real )\btime$|\btime \(")


@lru_cache(maxsize=8192)
def activity_unit(statistic: str) -> str:
    """The unit of a V$SYSSTAT statistic, by its name."""
    # The broadcast acknowledgements are in microseconds from 11.2 on (11.1: centiseconds).
    if "usec" in statistic or _STAGE.match(statistic) or statistic in _MICROSECONDS:
        return "us"
    # A pattern is tried where its word is: a report prints a thousand statistics, most of which count something.
    if "KB" in statistic and _KILOBYTES.search(statistic):
        return "KB"
    if statistic.startswith(_OF_BYTES) or statistic.endswith(("memory", "memory max")):
        return "bytes"
    if "bytes" in statistic and _BYTES.search(statistic):
        return "bytes"
    timed = statistic.startswith(_OF_CENTISECONDS) or ("time" in statistic and _CENTISECONDS.search(statistic))
    return "cs" if timed and not statistic.endswith("last non-idle time") else "count"


_STATISTIC = text("statistic", "Statistic", "Statistic Name")
_TOTAL = number("total", "as_labelled", "Total", measure="total", per_row=True)

section(
    "instance_activity",
    "Instance Activity Stats",
    [
        _STATISTIC,
        _TOTAL,
        number("per_second", "per_s", "per Second", measure="rate", per_row=True),
        number("per_transaction", "per_txn", "per Trans", measure="average", per_row=True),
        # A global report adds how the instances' rates differ.
        number("avg_per_second", "per_s", "Average", measure="rate", per_row=True),
        number("std_dev_per_second", "per_s", "Std Dev", measure="rate", per_row=True),
        number("min_per_second", "per_s", "Min", measure="rate", per_row=True),
        number("max_per_second", "per_s", "Max", measure="rate", per_row=True),
    ],
    titles=["System Statistics (Global)", "Key Instance Activity Stats", "Other Instance Activity Stats"],
    forbids=["Begin Value", "per Hour"],  # Statspack heads all three alike
    coverage="nonzero",
    row_unit=activity_unit,
    reader=read_once,
)
section(
    "instance_activity_absolute",
    "Instance Activity Stats - Absolute Values",
    [
        _STATISTIC,
        number("begin_value", "as_labelled", "Begin Value", measure="level", per_row=True),
        number("end_value", "as_labelled", "End Value", measure="level", per_row=True),
    ],
    titles=["Instance Activity Stats"],
    requires=["Begin Value"],
    row_unit=activity_unit,
)
section(
    "instance_activity_thread",
    "Instance Activity Stats - Thread Activity",
    [_STATISTIC, count("total", "Total"), number("per_hour", "per_hour", "per Hour", measure="rate")],
    titles=["Instance Activity Stats"],
    requires=["per Hour"],
)
section(
    "shared_servers_activity",
    "Shared Servers Activity",
    [
        count("avg_total_connections", "Avg Total Connections", measure="average"),
        count("avg_active_connections", "Avg Active Connections", measure="average"),
        count("avg_total_shared_servers", "Avg Total Shared Srvrs", measure="average"),
        count("avg_active_shared_servers", "Avg Active Shared Srvrs", measure="average"),
        count("avg_total_dispatchers", "Avg Total Dispatchers", measure="average"),
        count("avg_active_dispatchers", "Avg Active Dispatchers", measure="average"),
    ],
    key="-",
)
section(
    "shared_servers_rates",
    "Shared Servers Rates",
    [
        per_s("common_queue_per_s", "Common Queue Per Sec"),
        per_s("dispatcher_queue_per_s", "Disp Queue Per Sec"),
        per_s("server_messages_per_s", "Server Msgs/Sec"),
        number("server_bytes_per_s", "bytes_per_s", "Server KB/Sec", measure="rate", scale=1024),
        count("common_queue_total", "Common Queue Total"),
        count("dispatcher_queue_total", "Disp Queue Total"),
        count("server_messages_total", "Server Total Msgs"),
        number("server_total_bytes", "bytes", "Server Total(KB)", measure="total", scale=1024),
    ],
    key="-",
)
for _id, _title in (
    ("shared_servers_utilization", "Shared Servers Utilization"),
    ("shared_servers_dispatchers", "Shared Servers Dispatchers"),
    ("shared_servers_common_queue", "Shared Servers Common Queue"),
):
    section(_id, _title, None)
