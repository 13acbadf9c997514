"""Passwords of share links: hashed, rate-limited, remembered by the browser in a signed, expiring proof."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from django.contrib.auth.hashers import check_password, make_password
from django.core import signing

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.passwords import SAFE_FOR_A_LINK, weakness
from awrdiff.sharing.errors import BadPassword, WrongPassword
from awrdiff.sharing.models import ShareLink

SHORTEST, LONGEST = 9, 128  # no eight characters are hard enough to guess
OPEN_FOR_S = 12 * 3600
_SALT = "awrdiff.sharing.password"


def hashed_password(password: str, names: Iterable[str]) -> str:
    """ "" for none. `names`: first guesses. Raises BadPassword."""
    if not password:
        return ""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadPassword(f"The password of a link has {SHORTEST} to {LONGEST} characters.")
    if reason := weakness(password, names, safe_score=SAFE_FOR_A_LINK):
        raise BadPassword(reason)
    return make_password(password)


def unlock(link: ShareLink, password: str, address: str | None) -> str:
    """Proof of the password. Raises WrongPassword, TooManyFailures."""
    attempt = sign_in_limits.begin_link(link.pk, address=address)
    if not check_password(password[: LONGEST + 1], link.password):
        raise WrongPassword("This is not the password of this link.")
    attempt.succeeded()
    return proof_of(link)


def proof_of(link: ShareLink) -> str:
    return signing.dumps(_subject(link), salt=_SALT)


def proves(proof: str, link: ShareLink) -> bool:
    try:
        subject = signing.loads(proof, salt=_SALT, max_age=OPEN_FOR_S)
    except signing.BadSignature:
        return False
    return isinstance(subject, str) and hmac.compare_digest(subject.encode(), _subject(link).encode())


def _subject(link: ShareLink) -> str:
    return hashlib.sha256(f"{link.pk} {link.password}".encode()).hexdigest()
