"""Attempts with a password or second factor: counted, delayed, logged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings as mfa
from allauth.mfa.models import Authenticator
from django.http import HttpRequest
from django.utils import timezone

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.models import User
from awrdiff.accounts.sign_in_limits import Attempt, Codes, TooManyFailures
from awrdiff.logs import Seldom
from awrdiff.notices.services import tell_account
from awrdiff.web.sign_in.known_browsers import client_address, known_browser

logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=10)


@contextmanager
def attempt(request: HttpRequest, name: str) -> Iterator[Attempt]:
    """By default a failure. Raises TooManyFailures while name or address has to wait."""
    address = client_address(request)
    begin = partial(sign_in_limits.begin, name, address=address, browser=known_browser(request, name))
    with _logged_attempt(begin, name, address) as begun:
        yield begun


@contextmanager
def code_attempt(request: HttpRequest, user: User, code: str) -> Iterator[Attempt]:
    """After the right password or while signed in. Raises TooManyFailures or SignInEnded. The hour's last one notifies
    the user.
    """
    name = user.get_username()
    codes = Codes.APP if len(normalize_user_code(code)) == mfa.TOTP_DIGITS else Codes.RECOVERY
    stage = getattr(request, "_login_stage", None)
    sign_in = f"{request.session.session_key} {stage.login.initiated_at}" if stage else None
    # Browsers known from before the second factor prove only the password.
    factors = Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES)
    since: datetime | None = factors.order_by("created_at").values_list("created_at", flat=True).first()
    browser = known_browser(request, name, since=since)
    begin = partial(sign_in_limits.begin_code, name, codes, browser=browser, sign_in=sign_in)
    begun = None
    try:
        with _logged_attempt(begin, name, client_address(request), " by second factor") as begun:
            yield begun
    finally:
        if begun is not None and begun.ends_hour and not begun.is_right:
            tell_account(user, "codes", key=f"{codes} {timezone.now():%Y-%m-%d}")


@contextmanager
def _logged_attempt(begin: Callable[[], Attempt], name: str, address: str | None, by: str = "") -> Iterator[Attempt]:
    origin = address or "an unknown address"
    try:
        begun = begin()
    except TooManyFailures as refusal:
        left_out = _refusals.now()
        if left_out is not None:
            logger.warning(
                "sign-in refused for %d s after too many failures: %s, from %s; %d more since the last such line",
                refusal.retry_s,
                _name_shown(name),
                origin,
                left_out,
            )
        raise
    try:
        yield begun
    finally:
        if begun.is_right:
            begun.give_back()
        else:
            logger.warning("sign-in failed%s: %s, from %s", by, _name_shown(name), origin)


def _name_shown(name: str) -> str:
    """Unknown names are hidden: they may be passwords."""
    return f"user {name!r}" if User.objects.filter(username=name).exists() else "a name that nobody has"
