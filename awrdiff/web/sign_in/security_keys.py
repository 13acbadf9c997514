"""Security keys, for this server's exact origin.

Browsers share keys between ports and with subdomains: the origin must match to the letter.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn import forms
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django.conf import settings
from fido2.utils import websafe_decode

# What reading an answer ends in that no key gives.
_ODD = (
    AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error, InvalidSignature,
    UnsupportedAlgorithm,
)  # fmt: skip


@contextmanager
def _odd_ones_refused() -> Iterator[None]:
    try:
        yield
    except _ODD as error:
        raise get_adapter().validation_error("incorrect_code") from error


def _refuse_others(credential: Any) -> None:
    with _odd_ones_refused():
        client_data = json.loads(websafe_decode(credential["response"]["clientDataJSON"]))
        origin, is_framed = client_data["origin"], client_data.get("crossOrigin", False)
    host = context.request.get_host()
    trusted = {own for own in settings.CSRF_TRUSTED_ORIGINS if own.partition("://")[2] == host}
    if is_framed or origin not in [*trusted, f"{context.request.scheme}://{host}"]:
        raise get_adapter().validation_error("incorrect_code")


class AddForm(forms.AddWebAuthnForm):  # type: ignore[misc]
    def clean(self) -> Any:
        if credential := self.cleaned_data.get("credential"):
            _refuse_others(credential)
        with _odd_ones_refused():
            return super().clean()


class _OfThisServer:
    cleaned_data: dict[str, Any]

    def clean_credential(self) -> Any:
        _refuse_others(self.cleaned_data["credential"])
        with _odd_ones_refused():
            return super().clean_credential()  # type: ignore[misc]


class AuthenticateForm(_OfThisServer, forms.AuthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class ReauthenticateForm(_OfThisServer, forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]
    pass
