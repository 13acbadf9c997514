"""Growing metrics, counted in memory, added to rows that /metrics reads; a killed process loses its unadded ones.

Nothing is counted without AWRDIFF_METRICS_TOKEN.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import defaultdict

from django.apps import apps
from django.conf import settings
from django.db import Error, connection, transaction

logger = logging.getLogger(__name__)

EVERY_S = 10.0  # by which a web server adds what it counted
BOUNDS = {  # of the buckets of each histogram, in seconds; a value counts in the first that holds it
    "request_seconds": (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    "work_seconds": (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
}
SUM = "sum"  # stands where a series has its bound
_ADD = (
    "INSERT INTO processing_tally (name, labels, amount) VALUES (%s, %s, %s) ON CONFLICT (name, labels) "
    "DO UPDATE SET amount = processing_tally.amount + excluded.amount"
)
Series = tuple[str, tuple[str, ...]]  # its name and what its labels say
_pending: defaultdict[Series, float] = defaultdict(float)
_lock = threading.Lock()


def add(name: str, *labels: str, amount: float = 1) -> None:
    if settings.AWRDIFF_METRICS_TOKEN:
        with _lock:
            _pending[name, labels] += amount


def observe(name: str, *labels: str, value: float) -> None:
    """Count in a histogram's bucket and in its sum."""
    add(name, *labels, next((f"{bound:g}" for bound in BOUNDS[name] if value <= bound), "+Inf"))
    add(name, *labels, SUM, amount=value)


def add_up() -> None:
    """Counts stay for later where the database fails."""
    if not _pending:
        return
    with _lock:
        amounts = dict(_pending)
        _pending.clear()
    rows = sorted((name, json.dumps(labels), amount) for (name, labels), amount in amounts.items())
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":  # others wait for a machine that was lost meanwhile, not for ever
                cursor.execute("SET LOCAL lock_timeout = '1s'")
            cursor.executemany(_ADD, rows)  # in one order everywhere, or two processes wait for each other
    except Error as error:
        logger.warning("what was counted for /metrics is added later: %s", error)
        with _lock:
            for series, amount in amounts.items():
                _pending[series] += amount


def all_added() -> dict[str, dict[tuple[str, ...], float]]:
    """Amounts by labels, by name."""
    series: dict[str, dict[tuple[str, ...], float]] = {}
    rows = apps.get_model("processing", "Tally")._default_manager.values_list("name", "labels", "amount")
    for name, labels, amount in rows:
        series.setdefault(name, {})[tuple(json.loads(labels))] = amount
    return series
