"""Attempts with a password or second factor: counted, delayed, logged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings as mfa
from allauth.mfa.models import Authenticator
from django.http import HttpRequest
from django.utils import timezone

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.models import User
from awrdiff.accounts.sign_in_limits import Codes, TooManyFailures
from awrdiff.logs import Seldom
from awrdiff.notices.services import tell_account
from awrdiff.web.sign_in.browsers import client_address, known_browser

logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=10)


class Outcome:
    """By default a failure. `is_last`: it ends the sign-in."""

    succeeded = False
    is_last = False


@contextmanager
def attempt(request: HttpRequest, name: str) -> Iterator[Outcome]:
    """Raises TooManyFailures while name or address has to wait."""
    address = client_address(request)
    with _refusals_logged(name, address):
        begun = sign_in_limits.begin(name, address=address, browser=known_browser(request, name))
    outcome = Outcome()
    try:
        yield outcome
    finally:
        if outcome.succeeded:
            begun.succeeded()
        else:
            logger.warning("sign-in failed: %s, from %s", _name_shown(name), address or "an unknown address")


@contextmanager
def code_attempt(request: HttpRequest, user: User, code: str) -> Iterator[Outcome]:
    """After the right password or while signed in. Raises TooManyFailures or SignInEnded. The hour's last one notifies
    the user.
    """
    name, address = user.get_username(), client_address(request)
    codes = Codes.APP if len(normalize_user_code(code)) == mfa.TOTP_DIGITS else Codes.RECOVERY
    stage = getattr(request, "_login_stage", None)
    sign_in = f"{request.session.session_key} {stage.login.initiated_at}" if stage else None
    # Browsers known from before it prove only the password.
    factors = Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES)
    begin: datetime | None = factors.order_by("created_at").values_list("created_at", flat=True).first()
    browser = known_browser(request, name, since=begin)
    with _refusals_logged(name, address):
        begun = sign_in_limits.begin_code(name, codes, browser=browser, sign_in=sign_in)
    outcome = Outcome()
    outcome.is_last = begun.ends_sign_in
    try:
        yield outcome
    finally:
        if outcome.succeeded:
            begun.succeeded()
        else:
            logger.warning(
                "sign-in failed by second factor: %s, from %s", _name_shown(name), address or "an unknown address"
            )
            if begun.ends_hour:
                tell_account(user, "codes", key=f"{codes} {timezone.now():%Y-%m-%d}")


@contextmanager
def _refusals_logged(name: str, address: str | None) -> Iterator[None]:
    try:
        yield
    except TooManyFailures as refusal:
        left_out = _refusals.now()
        if left_out is not None:
            logger.warning(
                "sign-in refused for %d s after too many failures: %s, from %s; %d more since the last such line",
                refusal.retry_s,
                _name_shown(name),
                address or "an unknown address",
                left_out,
            )
        raise


def _name_shown(name: str) -> str:
    """Unknown names are hidden: they may be passwords."""
    return f"user {name!r}" if User.objects.filter(username=name).exists() else "a name that nobody has"
