"""Locking rows in one order, or PostgreSQL finds deadlocks.

Comparisons, reports, incidents, each by id, a row before its parts; rate limits (awrdiff/accounts/rate_limits.py) last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)


def row_or_none(rows: models.QuerySet[Row]) -> Row | None:
    """`first()` would order: Django hashes every column read."""
    return next(iter(rows[:1]), None)


def lock_one(model: type[Row], pk: Any) -> Row | None:
    """`lock` of a row; None if gone."""
    return next(iter(lock(model, [pk])), None)


def lock(model: type[Row], pks: Iterable[Any]) -> list[Row]:
    """Existing rows, until the transaction ends; SQLite has one lock."""
    return list(model._default_manager.select_for_update(of=("self",)).filter(pk__in=list(pks)).order_by("pk"))
