"""How much one person may write in a minute: counted in the database, so that it holds over all web processes."""

from __future__ import annotations

from django.utils import timezone

from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import User, Writing

MOST_A_MINUTE = 60
_MINUTE_S = 60


def count(user: User | None) -> None:
    """A change more, in the transaction that makes it: what is refused does not count. Raises TooMuch.

    The row is the last that a transaction locks (awrdiff/processing/rows.py).
    """
    if user is None:
        return
    now = timezone.now()
    minute = now.replace(second=0, microsecond=0)
    Writing.objects.bulk_create([Writing(user=user, minute=minute)], ignore_conflicts=True)
    own = Writing.objects.select_for_update().get(user=user)
    changes = own.changes + 1 if own.minute == minute else 1
    if changes > MOST_A_MINUTE:
        wait_s = _MINUTE_S - now.second
        raise TooMuch(f"You have made {MOST_A_MINUTE} changes within a minute: try again in {wait_s} s.", wait_s)
    Writing.objects.filter(user=user).update(minute=minute, changes=changes)
