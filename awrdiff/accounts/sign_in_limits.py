"""Waits after failed sign-ins: growing, never permanent, and nobody can lock others out.

An attempt counts before its password is checked, so parallel ones gain nothing. Passwords are counted by:
- name, for networks that have failed themselves;
- name over all networks without failures, up to STRANGERS;
- network, where known;
- browser alone, where the person has signed in with it before.

Second-factor codes: by account or such a browser, and by sign-in. Passwords of links: by link and network.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network

from django.db import transaction

from awrdiff.accounts import rate_limits
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.rate_limits import Budget, key_of

CLEAN_ADDRESS = 3  # failures from which on an address waits for a name too
NETWORKS = {64: 1, 56: 2, 48: 4}  # of IPv6, by prefix: times as much as one address of IPv4


class TooManyFailures(TooMuch):
    """Raised before a password is checked."""

    def __init__(self, wait_s: int, sentence: str = "Too many failed sign-ins: try again in {}.") -> None:
        in_words = f"{wait_s} seconds" if wait_s < 120 else f"{-(-wait_s // 60)} minutes"
        super().__init__(sentence.format("a second" if wait_s == 1 else in_words), wait_s)


class SignInEnded(Exception):
    """No codes left: begin again with the password."""

    def __init__(self) -> None:
        super().__init__(f"{SIGN_IN.most} wrong codes: sign in again.")


NAME = Budget(5, longest_s=60)
ADDRESS = Budget(20, longest_s=300)  # an office may share one
BROWSER = Budget(5, longest_s=60)
LINK = Budget(5, longest_s=60)
STRANGERS = Budget(100)
SIGN_IN = Budget(5)  # a half of one lasts a quarter of an hour


class Codes(StrEnum):
    """Sorts of second-factor code, blocked independently."""

    APP = "app"
    RECOVERY = "recovery"


# Of an app three codes of a million are right at a time, of recovery codes at most ten of a hundred million.
CODES = {Codes.APP: Budget(10), Codes.RECOVERY: Budget(100)}
_MANY_CODES = {
    Codes.APP: "Too many wrong codes: try again in {}. A recovery code, a security key, and a browser that you have "
    "signed in with before work meanwhile.",
    Codes.RECOVERY: "Too many wrong recovery codes: try again in {}.",
}


@dataclass(slots=True)
class Attempt:
    """`failures`: counts by key, including this one. `is_right`: whoever checks says so."""

    failures: dict[str, int]
    ended: str = ""  # the count that a success ends
    ends_sign_in: bool = False  # it is the last code that this sign-in has
    ends_hour: bool = False  # the last that the account, or the browser, has
    is_right: bool = False

    def give_back(self) -> None:
        """Other counts only lose this attempt: an account's owner could reset them to guess on."""
        rate_limits.give_back(self.failures, ended=self.ended)


def begin(name: str, *, address: str | None, browser: str | None) -> Attempt:
    """`browser`: id of one signed in before. Raises TooManyFailures."""
    if browser:
        own = key_of("browser", browser)
        return Attempt(rate_limits.spend({own: BROWSER}, TooManyFailures), own)
    own, strangers, networks = key_of("name", name_key(name)), key_of("strangers", name_key(name)), networks_of(address)
    with transaction.atomic():
        rows = rate_limits.locked_rows({own: NAME, strangers: STRANGERS, **networks})
        # Networks that are larger may fail as many times more often.
        if networks and all(rows[key].times * ADDRESS.most < CLEAN_ADDRESS * of.most for key, of in networks.items()):
            return Attempt(
                rate_limits.spend({strangers: STRANGERS, **networks}, TooManyFailures, rows, also=[own]), own
            )
        return Attempt(rate_limits.spend({own: NAME, **networks}, TooManyFailures, rows), own)


def begin_code(account: str, codes: Codes, *, browser: str | None, sign_in: str | None) -> Attempt:
    """`sign_in` None: already signed in. Raises TooManyFailures, SignInEnded."""
    own = key_of(f"{codes} code by browser", browser) if browser else key_of(f"{codes} code", name_key(account))
    half = key_of("sign-in", sign_in)
    budgets = {own: CODES[codes], **({half: SIGN_IN} if sign_in else {})}
    with transaction.atomic():
        rows = rate_limits.locked_rows(budgets)
        if sign_in and rows[half].times >= SIGN_IN.most:
            raise SignInEnded
        failures = rate_limits.spend(budgets, partial(TooManyFailures, sentence=_MANY_CODES[codes]), rows)
    ends_sign_in = failures.get(half, 0) >= SIGN_IN.most
    return Attempt(failures, ends_sign_in=ends_sign_in, ends_hour=failures[own] >= CODES[codes].most)


def begin_link(link: object, *, address: str | None) -> Attempt:
    """Success ends no count: many know it. Raises TooManyFailures."""
    return Attempt(rate_limits.spend({key_of("link", link): LINK, **networks_of(address)}, TooManyFailures))


def networks_of(address: str | None) -> dict[str, Budget]:
    """IPv4 address, or IPv6 networks with larger budgets."""
    if not address:
        return {}
    ip = ip_address(address)
    if not isinstance(ip, IPv6Address):
        return {key_of("address", address): ADDRESS}
    return {
        key_of("address", ip_network((ip, prefix), strict=False)): Budget(ADDRESS.most * times, ADDRESS.longest_s)
        for prefix, times in NETWORKS.items()
    }


def name_key(name: str) -> str:
    """Key shared by spellings of one name."""
    return unicodedata.normalize("NFKC", name).casefold().strip()
