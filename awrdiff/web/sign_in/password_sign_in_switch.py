"""Switch for this server's passwords (`AWRDIFF_PASSWORD_SIGN_IN`)."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.sign_in.permission_helpers import View


def refuse_unless_taken() -> None:
    if not settings.AWRDIFF_PASSWORD_SIGN_IN:
        raise PermissionDenied(f"No password lets anybody in here: sign in with {settings.AWRDIFF_OTHER_WAYS_IN}.")


def are_asked_for() -> bool:
    """True if this server or a directory takes passwords."""
    return bool(settings.AWRDIFF_PASSWORD_SIGN_IN or settings.AWRDIFF_LDAP_URI)


def instead() -> str:
    """Advice while the sign-on service does not answer."""
    if settings.AWRDIFF_PASSWORD_SIGN_IN:
        return "try again later, or sign in with your password if you have one here."
    return "try again later. Meanwhile whoever runs this server can make you an address that signs you in once."


def of_passwords(view: View) -> View:
    """404 unless passwords are in use."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        refuse_unless_taken()
        return view(request, *args, **kwargs)

    return guarded
