"""Signing in, with failures counted and logged."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.models import User
from awrdiff.accounts.sign_in_limits import TooManyFailures
from awrdiff.logs import Seldom
from awrdiff.web.sign_in.addresses import client_address
from awrdiff.web.sign_in.browsers import known_browser

logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=10)


class SignInForm(AuthenticationForm):
    """Raises TooManyFailures, instead of looking at the password, while the name or the address has to wait."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not password or self.request is None:
            return super().clean()
        address = client_address(self.request)
        try:
            attempt = sign_in_limits.begin(name, address=address, browser=known_browser(self.request, name))
        except TooManyFailures as refusal:
            _log_refusal(name, address, refusal)
            raise
        try:
            cleaned = super().clean()
        except ValidationError:
            logger.warning("sign-in failed: %s, from %s", _shown(name), address or "an unknown address")
            raise
        attempt.succeeded()
        return cleaned


def _log_refusal(name: str, address: str | None, refusal: TooManyFailures) -> None:
    left_out = _refusals.now()
    if left_out is not None:
        logger.warning(
            "sign-in refused for %d s after too many failures: %s, from %s; %d more since the last such line",
            refusal.wait_s,
            _shown(name),
            address or "an unknown address",
            left_out,
        )


def _shown(name: str) -> str:
    """A name that nobody has may be a password in the wrong field: it is not told."""
    return f"user {name!r}" if User.objects.filter(username=name).exists() else "a name that nobody has"
