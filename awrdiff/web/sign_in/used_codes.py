"""A code of an authenticator app counts once, in whichever process it is given.

django-allauth remembers one for half a minute, in the cache, which without Redis each process has for itself; a code is
good for a minute and a half.
"""

from __future__ import annotations

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.db import transaction

LAST = "last_counter"  # in what is kept of an app: the number of the half minute whose code was taken last


def use_up(app: Authenticator, code: str) -> None:
    """Raises ValidationError where this code, or a later one, was taken before."""
    with transaction.atomic():
        kept = Authenticator.objects.select_for_update().get(pk=app.pk)
        counter = _counter_of(totp.decrypt(kept.data["secret"]), code)
        if counter <= kept.data.get(LAST, 0):
            raise get_adapter().validation_error("incorrect_code")
        kept.data[LAST] = counter
        kept.save(update_fields=["data"])


def _counter_of(secret: str, code: str) -> int:
    """0: it has run out since it was looked at."""
    near = totp.yield_hotp_counters_from_time()
    shown = ((n, totp.format_hotp_value(totp.hotp_value(secret, n))) for n in near)
    return next((n for n, text in shown if compare_user_code(actual=code, expected=text)), 0)
