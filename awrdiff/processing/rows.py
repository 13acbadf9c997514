"""Locking rows, in one order everywhere, or PostgreSQL finds deadlocks: comparisons, reports, incidents, of each kind
by id, a row before its parts (sections, places, links), and rate limits (awrdiff/accounts/limits.py) last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)


def row_or_none(rows: models.QuerySet[Row]) -> Row | None:
    """The row of a unique match. `first()` would order it, for which Django hashes every column read."""
    return next(iter(rows[:1]), None)


def lock(model: type[Row], pks: Iterable[Any]) -> list[Row]:
    """Rows that still exist, locked until the transaction ends. SQLite has one lock, held already."""
    return list(model._default_manager.select_for_update(of=("self",)).filter(pk__in=list(pks)).order_by("pk"))
