"""Layers of active sessions: CPU and wait classes in Oracle's order and colours."""

from __future__ import annotations

from typing import NamedTuple

from awrdiff.analysis.metrics.declare import Metric
from awrdiff.analysis.metrics.declared import BY_ID
from awrdiff.analysis.verdict.bars import fill_of


class Layer(NamedTuple):
    """`cls`: of its colour."""

    metric: Metric
    name: str
    cls: str


DB_TIME = BY_ID["db_time"]
LAYERS = tuple(
    Layer(BY_ID[metric], name, fill_of(name))
    for metric, name in (
        ("db_cpu", "CPU"),
        ("waits_scheduler", "Scheduler"),
        ("waits_user_io", "User I/O"),
        ("waits_system_io", "System I/O"),
        ("waits_concurrency", "Concurrency"),
        ("waits_application", "Application"),
        ("waits_commit", "Commit"),
        ("waits_configuration", "Configuration"),
        ("waits_administrative", "Administrative"),
        ("waits_network", "Network"),
        ("waits_cluster", "Cluster"),
        ("waits_other", "Other"),
    )
)
