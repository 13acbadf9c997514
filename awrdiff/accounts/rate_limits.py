"""Rate limits by key, counted across processes: in the caller's transaction, from stored rows, or in the cache.

Counter rows are locked last (awrdiff/processing/row_locks.py), in key order. Only Redis shares cache counts between
processes.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import Spent, User

MINUTE_S = 60
FORGOTTEN_AFTER = timedelta(hours=1)
RETRY_STORED_S = 20
MOST_CLEANED = 100
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Budget:
    """`most` free times, then waits doubling from 2 s to `longest_s`. Without `longest_s`: until forgotten, an hour
    after the last.
    """

    most: int
    longest_s: int | None = None

    def wait_s(self, times: int) -> int:
        if times < self.most:
            return 0
        hour_s = int(FORGOTTEN_AFTER.total_seconds())
        return min(2 ** min(times - self.most + 1, 16), self.longest_s) if self.longest_s else hour_s

    def is_over(self, last_at: datetime, now: datetime) -> bool:
        """Also true if the clock was set far back."""
        return abs(last_at - now) > FORGOTTEN_AFTER

    def left_s(self, row: Spent, now: datetime) -> int:
        """Seconds to wait; a clock set back prolongs nothing."""
        wait_s = self.wait_s(row.times)
        return max(0, min(math.ceil((row.last_at - now).total_seconds() + wait_s), wait_s))


class EachMinute(Budget):
    def is_over(self, last_at: datetime, now: datetime) -> bool:
        return last_at.replace(second=0, microsecond=0) != now.replace(second=0, microsecond=0)

    def left_s(self, row: Spent, now: datetime) -> int:
        return 0 if row.times < self.most else MINUTE_S - now.second


CHANGES = EachMinute(60)  # of one person


def key_of(kind: str, value: object) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()


def spend(
    budgets: Mapping[str, Budget],
    refusal: Callable[[int], TooMuch],
    rows: Mapping[str, Spent] | None = None,
    also: Iterable[str] = (),
) -> dict[str, int]:
    """New counts by key; raises `refusal(seconds)`, never for `also`. `rows`: of `locked_rows`, same transaction."""
    now = timezone.now()
    with transaction.atomic():
        rows = rows or locked_rows(budgets)
        if wait_s := max(budget.left_s(rows[key], now) for key, budget in budgets.items()):
            raise refusal(wait_s)
        mine = [rows[key] for key in (*budgets, *also)]
        for row in mine:
            row.times, row.last_at = row.times + 1, now
        Spent.objects.bulk_update(mine, ["times", "last_at"])
        old = Spent.objects.select_for_update(skip_locked=True).filter(last_at__lt=now - FORGOTTEN_AFTER)
        if gone := [row.key for row in old[:MOST_CLEANED]]:
            Spent.objects.filter(key__in=gone).delete()
    return {row.key: row.times for row in mine}


def spend_change(user: User | None) -> None:
    """Count a change in its transaction. Raises TooMuch."""
    if user is not None:
        sentence = f"You have made {CHANGES.most} changes within a minute: try again in {{}} s."
        spend({key_of("changes", user.pk): CHANGES}, lambda wait_s: TooMuch(sentence.format(wait_s), wait_s))


def locked_rows(budgets: Mapping[str, Budget]) -> dict[str, Spent]:
    """Rows by key, locked; forgotten ones count 0."""
    now = timezone.now()
    while True:
        with transaction.atomic():
            new_rows = [Spent(key=key, last_at=now) for key in sorted(budgets)]
            Spent.objects.bulk_create(new_rows, ignore_conflicts=True)
            rows = {row.key: row for row in _lock(budgets)}
            if len(rows) == len(budgets):
                break
            # Between the two statements somebody else ended a count. What is locked is let go first: locks are taken
            # in one order.
            transaction.set_rollback(True)
    for row in rows.values():
        if budgets[row.key].is_over(row.last_at, now):
            row.times = 0
    return rows


def give_back(keys: Iterable[str], *, ended: str = "") -> None:
    """Take one off each key, delete the count `ended`."""
    with transaction.atomic():
        _lock(keys)
        Spent.objects.filter(key=ended).delete()
        Spent.objects.filter(key__in=keys, times__gt=0).update(times=F("times") - 1)


def _lock(keys: Iterable[str]) -> list[Spent]:
    """Key order prevents deadlocks."""
    return list(Spent.objects.select_for_update().filter(key__in=list(keys)).order_by("key"))


def check_stored(most: int, refusal: str, *rows: tuple[QuerySet[Any], str]) -> None:
    """Limit last minute's rows; ignores far-future dates. Raises TooMuch."""
    now, minute = timezone.now(), timedelta(seconds=MINUTE_S)
    span = (now - minute, now + minute)
    if sum(queryset.filter(**{f"{field}__range": span}).count() for queryset, field in rows) >= most:
        raise TooMuch(f"{refusal} within a minute: wait a moment.", RETRY_STORED_S)


def spend_this_minute(key: str, cost: int, most: int, refusal: str) -> None:
    """`refusal`: sentence before the wait. Raises TooMuch."""
    if spend_in_cache(key, cost) > most:
        wait_s = MINUTE_S - int(time.time()) % MINUTE_S
        raise TooMuch(f"{refusal} in {wait_s} s.", wait_s)


def spend_in_cache(key: str, cost: int) -> int:
    """This minute's count, including `cost`."""
    key = minute_key(key)
    try:
        if cache.add(key, cost, 2 * MINUTE_S):
            return cost
        return int(cache.incr(key, cost))
    except ValueError:  # it ended between the two
        return cost
    except (OSError, RedisError):
        logger.warning("The cache is away: requests of share links are not counted.")
        return 0


def minute_key(key: str) -> str:
    return f"{key}:{int(time.time()) // MINUTE_S}"
