"""Failed sign-ins make the next one wait: longer each time, never for good, and nobody can make others wait at will.

Counted in the database, so that it holds over all web processes. An attempt counts before its password is looked at:
many at once get no further than one after the other. Each count is forgotten an hour after its last failure, so that of
an `Hourly` one no hour has more than `most`. Of passwords:

- of the name: from wherever. It holds for networks that have failed themselves, so that a stranger's failures
  elsewhere do not keep a person out;
- of the name, by all networks together that have not: whoever has many gets no further than STRANGERS;
- of the network, where it is known: whatever the names;
- of the browser, instead of all, where the person has signed in with it before: nobody else's failures count.

Codes of a second factor are counted by account alone, those of the app apart from recovery codes, or by such a browser;
and by the sign-in whose password was right. Passwords of links are counted by link, and by network.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import IPv6Address, ip_address, ip_network

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts.models import FailedSignIns

FORGOTTEN_AFTER = timedelta(hours=1)
CLEAN_ADDRESS = 3  # failures from which on an address waits for a name too
NETWORKS = {64: 1, 56: 2, 48: 4}  # of IPv6, by prefix: times as much as one address of IPv4
MOST_CLEANED = 100


class TooManyFailures(Exception):
    """Raised instead of looking at a password; `retry_s` is how long to wait, in whole seconds."""

    def __init__(self, wait_s: int, sentence: str = "Too many failed sign-ins: try again in {}.") -> None:
        super().__init__(sentence.format(_in_words(wait_s)))
        self.retry_s = wait_s


class SignInEnded(Exception):
    """This sign-in has had its codes: it begins again with the password."""

    def __init__(self) -> None:
        super().__init__(f"{SIGN_IN.most} wrong codes: sign in again.")


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


@dataclass(frozen=True, slots=True)
class Hourly:
    """`most` failures; then none is taken until an hour after the last."""

    most: int

    def wait_s(self, failures: int) -> int:
        return 0 if failures < self.most else int(FORGOTTEN_AFTER.total_seconds())


NAME = Limit(free=5, longest_s=60)
ADDRESS = Limit(free=20, longest_s=300)  # an office may share one
BROWSER = Limit(free=5, longest_s=60)
LINK = Limit(free=5, longest_s=60)
STRANGERS = Hourly(100)
SIGN_IN = Hourly(5)  # a half of one lasts a quarter of an hour


class Codes(StrEnum):
    """Codes of a second factor; each sort can be tried while the other is not taken."""

    APP = "app"
    RECOVERY = "recovery"


# Of an app three codes of a million are right at a time, of recovery codes at most ten of a hundred million.
CODES = {Codes.APP: Hourly(10), Codes.RECOVERY: Hourly(100)}
_MANY_CODES = {
    Codes.APP: "Too many wrong codes: try again in {}. A recovery code, a security key, and a browser that you have "
    "signed in with before work meanwhile.",
    Codes.RECOVERY: "Too many wrong recovery codes: try again in {}.",
}


@dataclass(frozen=True, slots=True)
class Count:
    key: str
    limit: Limit | Hourly
    clean_below: int = 0  # failures with which a network is not known yet


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that may go on; `succeeded` takes it back. `failures`: by key, this one among them."""

    failures: dict[str, int]
    ended: str = ""  # the count that a success ends

    def succeeded(self) -> None:
        """The count of the name or browser is over; no other is: who has an account could reset it for guessing."""
        with transaction.atomic():
            _lock(self.failures)
            FailedSignIns.objects.filter(key=self.ended).delete()
            FailedSignIns.objects.filter(key__in=self.failures, failures__gt=0).update(failures=F("failures") - 1)


@dataclass(frozen=True, slots=True)
class CodeAttempt:
    attempt: Attempt
    ends_sign_in: bool  # it is the last that this sign-in has
    ends_hour: bool  # the account's, or the browser's

    def succeeded(self) -> None:
        self.attempt.succeeded()


def begin(name: str, *, address: str | None, browser: str | None) -> Attempt:
    """Count an attempt to sign in as `name`, or raise TooManyFailures.

    `address` is the client's where it is known; `browser` the id of one that signed in by this name before.
    """
    if browser:
        own = Count(_key("browser", browser), BROWSER)
        with transaction.atomic():
            return _count_one_more(_rows([own]), [own], ended=own.key)
    own, networks = Count(_key("name", name_key(name)), NAME), networks_of(address)
    strangers = Count(_key("strangers", name_key(name)), STRANGERS)
    with transaction.atomic():
        rows = _rows([own, strangers, *networks])
        if networks and all(rows[one.key].failures < one.clean_below for one in networks):
            return _count_one_more(rows, [strangers, *networks], also=[own], ended=own.key)
        return _count_one_more(rows, [own, *networks], ended=own.key)


def begin_code(account: str, codes: Codes, *, browser: str | None, sign_in: str | None) -> CodeAttempt:
    """Count a code of a second factor, or raise TooManyFailures, or SignInEnded.

    `browser` as in `begin`; `sign_in` is an id of the one whose password was right, None where somebody is signed in.
    """
    key = _key(f"{codes} code by browser", browser) if browser else _key(f"{codes} code", name_key(account))
    own, half = Count(key, CODES[codes]), Count(_key("sign-in", sign_in), SIGN_IN) if sign_in else None
    with transaction.atomic():
        rows = _rows([own, half] if half else [own])
        if half and rows[half.key].failures >= SIGN_IN.most:
            raise SignInEnded
        attempt = _count_one_more(rows, [own, half] if half else [own], sentence=_MANY_CODES[codes])
    ends_sign_in = half is not None and attempt.failures[half.key] >= SIGN_IN.most
    return CodeAttempt(attempt, ends_sign_in, ends_hour=attempt.failures[own.key] >= CODES[codes].most)


def begin_link(link: object, *, address: str | None) -> Attempt:
    """Count a password of a share link, or raise TooManyFailures. Whoever knows it ends no count: many may."""
    counts = [Count(_key("link", str(link)), LINK), *networks_of(address)]
    with transaction.atomic():
        return _count_one_more(_rows(counts), counts)


def networks_of(address: str | None) -> list[Count]:
    """What one client can have at will: an IPv4 address; of IPv6 networks, the larger the more they may."""
    if not address:
        return []
    found = ip_address(address)
    if not isinstance(found, IPv6Address):
        return [Count(_key("address", address), ADDRESS, CLEAN_ADDRESS)]
    return [
        Count(
            _key("address", str(ip_network((found, prefix), strict=False))),
            Limit(ADDRESS.free * times, ADDRESS.longest_s),
            CLEAN_ADDRESS * times,
        )
        for prefix, times in NETWORKS.items()
    ]


def _rows(counts: list[Count]) -> dict[str, FailedSignIns]:
    """By key, until the transaction ends nobody else's; forgotten ones are 0."""
    now = timezone.now()
    keys = sorted(one.key for one in counts)
    while True:
        with transaction.atomic():
            FailedSignIns.objects.bulk_create(
                [FailedSignIns(key=key, last_at=now) for key in keys], ignore_conflicts=True
            )
            rows = {row.key: row for row in _lock(keys)}
            if len(rows) == len(keys):
                break
            # Between the two statements a sign-in that succeeded deleted its count. What is locked is let go first:
            # locks are taken in one order.
            transaction.set_rollback(True)
    for row in rows.values():
        if abs(row.last_at - now) > FORGOTTEN_AFTER:  # far ahead: the clock was put back
            row.failures = 0
    return rows


def _lock(keys: Iterable[str]) -> list[FailedSignIns]:
    """In the order in which everybody does."""
    return list(FailedSignIns.objects.select_for_update().filter(key__in=list(keys)).order_by("key"))


def _count_one_more(
    rows: dict[str, FailedSignIns],
    counts: list[Count],
    *,
    also: Iterable[Count] = (),
    sentence: str = "",
    ended: str = "",
) -> Attempt:
    """One more in each, where none has to wait; those of `also` hold nobody up."""
    now = timezone.now()
    wait_s = max(_left_s(rows[one.key], one.limit, now) for one in counts)
    if wait_s:
        raise TooManyFailures(wait_s, sentence) if sentence else TooManyFailures(wait_s)
    mine = [rows[one.key] for one in (*counts, *also)]
    for row in mine:
        row.failures, row.last_at = row.failures + 1, now
    FailedSignIns.objects.bulk_update(mine, ["failures", "last_at"])
    old = FailedSignIns.objects.select_for_update(skip_locked=True).filter(last_at__lt=now - FORGOTTEN_AFTER)
    FailedSignIns.objects.filter(key__in=[row.key for row in old[:MOST_CLEANED]]).delete()
    return Attempt({row.key: row.failures for row in mine}, ended)


def _left_s(row: FailedSignIns, limit: Limit | Hourly, now: datetime) -> int:
    """Whole seconds that are left to wait; a clock that was put back makes nobody wait for longer."""
    wait_s = limit.wait_s(row.failures)
    left_s = (row.last_at - now).total_seconds() + wait_s
    return max(0, min(math.ceil(left_s), wait_s))


def name_key(name: str) -> str:
    """Names as one writes them differ in nothing that matters here."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _key(kind: str, value: str) -> str:
    return hashlib.sha256(f"{kind} {value}".encode("utf-8", "surrogatepass")).hexdigest()
