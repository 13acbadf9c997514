"""Failed sign-ins make the next one wait: longer each time, never for good, and nobody can make others wait at will.

Counted in the database, so that it holds over all web processes. An attempt counts before its password is looked at:
many at once get no further than one after the other. Three counts, each forgotten an hour after its last failure:

- of the name: from wherever. It holds for addresses that have failed themselves, so that a stranger's failures
  elsewhere do not keep a person out;
- of the address, where it is known: whatever the names;
- of the browser, instead of both, where the person has signed in with it before: nobody else's failures count.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts.models import FailedSignIns

FORGOTTEN_AFTER = timedelta(hours=1)
CLEAN_ADDRESS = 3  # failures from which on an address waits for a name too


class TooManyFailures(Exception):
    """Raised instead of looking at a password; `retry_s` is how long to wait, in whole seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"Too many failed sign-ins: try again in {_in_words(wait_s)}.")
        self.retry_s = wait_s


def _in_words(seconds: int) -> str:
    if seconds == 1:
        return "a second"
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"


@dataclass(frozen=True, slots=True)
class Limit:
    """`free` failures cost nothing; then 2 s, 4 s, 8 s … to `longest_s`."""

    free: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        return 0 if failures < self.free else min(2 ** min(failures - self.free + 1, 16), self.longest_s)


NAME = Limit(free=5, longest_s=60)
ADDRESS = Limit(free=20, longest_s=300)  # an office may share one
BROWSER = Limit(free=5, longest_s=60)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that may go on; `succeeded` takes it back."""

    personal: str  # key of the name or of the browser
    address: str  # key of the address, or an empty string

    def succeeded(self) -> None:
        """The name's count is over; that of the address is not: who has an account could reset it for guessing."""
        FailedSignIns.objects.filter(key=self.personal).delete()
        FailedSignIns.objects.filter(key=self.address, failures__gt=0).update(failures=F("failures") - 1)


def begin(name: str, *, address: str | None, browser: str | None) -> Attempt:
    """Count an attempt to sign in as `name`, or raise TooManyFailures.

    `address` is the client's where it is known; `browser` the id of one that signed in by this name before.
    """
    if browser:
        attempt, limits = Attempt(_key("browser", browser), ""), [BROWSER]
    else:
        attempt = Attempt(_key("name", name_key(name)), _key("address", household(address)) if address else "")
        limits = [NAME, ADDRESS]
    now = timezone.now()
    with transaction.atomic():
        rows = _locked([key for key in (attempt.personal, attempt.address) if key], now)
        waits = [_left_s(row, limit, now) for row, limit in zip(rows, limits, strict=False)]
        if attempt.address and rows[1].failures < CLEAN_ADDRESS:
            waits[0] = 0
        if any(waits):
            raise TooManyFailures(max(waits))
        for row in rows:
            row.failures, row.last_at = row.failures + 1, now
        FailedSignIns.objects.bulk_update(rows, ["failures", "last_at"])
        FailedSignIns.objects.filter(last_at__lt=now - FORGOTTEN_AFTER).delete()
    return attempt


def _locked(keys: list[str], now: datetime) -> list[FailedSignIns]:
    """The counts under `keys`, in their order, until the transaction ends nobody else's; forgotten ones are 0."""
    FailedSignIns.objects.bulk_create([FailedSignIns(key=key, last_at=now) for key in keys], ignore_conflicts=True)
    rows = {row.key: row for row in FailedSignIns.objects.select_for_update().filter(key__in=keys).order_by("key")}
    for row in rows.values():
        if row.last_at < now - FORGOTTEN_AFTER:
            row.failures = 0
    return [rows[key] for key in keys]


def _left_s(row: FailedSignIns, limit: Limit, now: datetime) -> int:
    """Whole seconds that are left to wait; a clock that was put back makes nobody wait for longer."""
    wait_s = limit.wait_s(row.failures)
    left_s = (row.last_at - now).total_seconds() + wait_s
    return max(0, min(math.ceil(left_s), wait_s))


def household(address: str) -> str:
    """What one client can have at will: an IPv4 address, or a /64 network of IPv6."""
    found = ip_address(address)
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else address


def name_key(name: str) -> str:
    """Names as one writes them differ in nothing that matters here."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _key(kind: str, value: str) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()
