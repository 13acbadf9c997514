"""Attempts to prove who one is, by password or second factor: counted, made to wait, and logged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.models import User
from awrdiff.accounts.sign_in_limits import TooManyFailures
from awrdiff.logs import Seldom
from awrdiff.web.sign_in.addresses import client_address
from awrdiff.web.sign_in.browsers import known_browser

logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=10)
PASSWORD = "password"  # noqa: S105 - the word


class Outcome:
    """Whether the attempt succeeded; until somebody says so it did not."""

    succeeded = False


@contextmanager
def attempt(request: HttpRequest, name: str, *, by: str = PASSWORD) -> Iterator[Outcome]:
    """One attempt of `name`. Raises TooManyFailures instead, while the name or the address has to wait.

    A second factor is counted apart from the password: who knows the password has no more tries for it.
    """
    address, browser = client_address(request), known_browser(request, name)
    if by != PASSWORD:
        name_key, browser = f"{by} of {name}", browser and f"{by} {browser}"
    else:
        name_key = name
    try:
        begun = sign_in_limits.begin(name_key, address=address, browser=browser)
    except TooManyFailures as refusal:
        _log_refusal(name, address, refusal)
        raise
    outcome = Outcome()
    try:
        yield outcome
    finally:
        if outcome.succeeded:
            begun.succeeded()
        else:
            how = "" if by == PASSWORD else f" by {by}"
            logger.warning("sign-in failed%s: %s, from %s", how, _shown(name), address or "an unknown address")


def _log_refusal(name: str, address: str | None, refusal: TooManyFailures) -> None:
    left_out = _refusals.now()
    if left_out is not None:
        logger.warning(
            "sign-in refused for %d s after too many failures: %s, from %s; %d more since the last such line",
            refusal.retry_s,
            _shown(name),
            address or "an unknown address",
            left_out,
        )


def _shown(name: str) -> str:
    """A name that nobody has may be a password in the wrong field: it is not told."""
    return f"user {name!r}" if User.objects.filter(username=name).exists() else "a name that nobody has"
