"""Locking rows. One order everywhere, or PostgreSQL finds two transactions waiting for each other: comparisons before
reports before incidents, of each kind by id, and a row before what hangs on it (its sections, places, links); what
somebody has done in a minute (awrdiff/accounts/limits.py) after all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)


def row_or_none(rows: models.QuerySet[Row]) -> Row | None:
    """The one row of what is unique. `first()` would order them, for which Django hashes every column that is read."""
    return next(iter(rows[:1]), None)


def lock(model: type[Row], pks: Iterable[Any]) -> list[Row]:
    """The rows that are still there, locked until the transaction ends. SQLite has one lock, which it holds already."""
    return list(model._default_manager.select_for_update(of=("self",)).filter(pk__in=list(pks)).order_by("pk"))
