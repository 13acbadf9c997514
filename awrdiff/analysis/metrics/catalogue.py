"""Labels of metric groups and units."""

from __future__ import annotations

UNITS = {
    "sessions": "active sessions",
    "per_s": "per second",
    "bytes_per_s": "bytes per second",
    "per_hour": "per hour",
    "s": "seconds",
    "percent": "%",
    "load": "run queue",
}
GROUPS = {
    "load": "Load",
    "time": "Time model",
    "waits": "Wait classes of sessions",
    "events": "Wait events",
    "commits": "Commits and redo",
    "io": "Reads and writes",
    "memory": "Memory",
    "host": "Host and sessions",
    "cluster": "Cluster",
}
