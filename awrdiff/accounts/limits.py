"""How often something may be done: so many times for each key, counted where every process sees it.

- `spend`: in a row of the database for each key, in the transaction of what is counted: what is refused or broken off
  does not count. The rows are the last that a transaction locks (awrdiff/processing/rows.py), by key;
- `check_stored`: what is stored anyway is counted as it stands;
- `spend_this_minute`: what must wait for nobody, such as a page that is read. It is counted in the cache, of one
  process where there is no Redis, of all with it; where the cache is away nothing is counted.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """`most` times cost nothing. Then one waits 2 s, 4 s, 8 s … to `longest_s`; without it until all is forgotten, an
    hour after the last."""

    most: int
    longest_s: int | None = None

    def wait_s(self, times: int) -> int:
        """From the last time to the next."""
        if times < self.most:
            return 0
        hour_s = int(FORGOTTEN_AFTER.total_seconds())
        return min(2 ** min(times - self.most + 1, 16), self.longest_s) if self.longest_s else hour_s

    def is_over(self, last_at: datetime, now: datetime) -> bool:
        """What was spent is forgotten. A time far ahead: the clock was put back."""
        return abs(last_at - now) > FORGOTTEN_AFTER

    def left_s(self, row: Spent, now: datetime) -> int:
        """Whole seconds that are left to wait; a clock that was put back makes nobody wait for longer."""
        wait_s = self.wait_s(row.times)
        return max(0, min(math.ceil((row.last_at - now).total_seconds() + wait_s), wait_s))


class EachMinute(Budget):
    """`most` times in a minute of the clock."""

    def is_over(self, last_at: datetime, now: datetime) -> bool:
        return last_at.replace(second=0, microsecond=0) != now.replace(second=0, microsecond=0)

    def left_s(self, row: Spent, now: datetime) -> int:
        return 0 if row.times < self.most else MINUTE_S - now.second


@dataclass(frozen=True)
class Count:
    key: str
    budget: Budget


CHANGES = EachMinute(60)  # of one person


def key_of(kind: str, value: object) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()


def spend(
    counts: Sequence[Count],
    refusal: Callable[[int], TooMuch],
    rows: Mapping[str, Spent] | None = None,
    also: Iterable[Count] = (),
) -> dict[str, int]:
    """One more of each; how often it is then, by key. Raises what `refusal` makes of the seconds to wait. `rows`: what
    `locked_rows` gave in this transaction; those of `also` hold nobody up."""
    now = timezone.now()
    with transaction.atomic():
        rows = rows or locked_rows(counts)
        if wait_s := max(one.budget.left_s(rows[one.key], now) for one in counts):
            raise refusal(wait_s)
        mine = [rows[one.key] for one in (*counts, *also)]
        for row in mine:
            row.times, row.last_at = row.times + 1, now
        Spent.objects.bulk_update(mine, ["times", "last_at"])
        old = Spent.objects.select_for_update(skip_locked=True).filter(last_at__lt=now - FORGOTTEN_AFTER)
        if gone := [row.key for row in old[:MOST_CLEANED]]:
            Spent.objects.filter(key__in=gone).delete()
    return {row.key: row.times for row in mine}


def spend_change(user: User | None) -> None:
    """Somebody changes something, in the transaction that does it. Raises TooMuch."""

    def refusal(wait_s: int) -> TooMuch:
        return TooMuch(f"You have made {CHANGES.most} changes within a minute: try again in {wait_s} s.", wait_s)

    if user is not None:
        spend([Count(key_of("changes", user.pk), CHANGES)], refusal)


def locked_rows(counts: Iterable[Count]) -> dict[str, Spent]:
    """By key, until the transaction ends nobody else's; forgotten ones are 0."""
    now, budgets = timezone.now(), {one.key: one.budget for one in counts}
    while True:
        with transaction.atomic():
            made = [Spent(key=key, last_at=now) for key in sorted(budgets)]
            Spent.objects.bulk_create(made, ignore_conflicts=True)
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
    """One less of each, and nothing of `ended`."""
    with transaction.atomic():
        _lock(keys)
        Spent.objects.filter(key=ended).delete()
        Spent.objects.filter(key__in=keys, times__gt=0).update(times=F("times") - 1)


def _lock(keys: Iterable[str]) -> list[Spent]:
    """In the order in which everybody does."""
    return list(Spent.objects.select_for_update().filter(key__in=list(keys)).order_by("key"))


def check_stored(most: int, said: str, *rows: tuple[QuerySet[Any], str]) -> None:
    """Of the last minute by the time in the field that stands beside them; what is dated later than that was stored
    before the clock was put back. Raises TooMuch."""
    now, minute = timezone.now(), timedelta(seconds=MINUTE_S)
    if sum(found.filter(**{f"{field}__range": (now - minute, now + minute)}).count() for found, field in rows) >= most:
        raise TooMuch(f"{said} within a minute: wait a moment.", RETRY_STORED_S)


def spend_this_minute(key: str, cost: int, most: int, said: str) -> None:
    """`said` goes before how long to wait: until the next minute. Raises TooMuch."""
    if spend_in_cache(key, cost) > most:
        wait_s = MINUTE_S - int(time.time()) % MINUTE_S
        raise TooMuch(f"{said} in {wait_s} s.", wait_s)


def spend_in_cache(key: str, cost: int) -> int:
    """How much it is in this minute, with this."""
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
