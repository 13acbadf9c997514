"""Access by share link: views below /s/<token>/ begin with `access = shared(token)`.

Passwords are hashed, rate-limited, and remembered by the browser in a signed, expiring proof.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from django.contrib.auth.hashers import check_password, make_password
from django.core import signing

from awrdiff import logs
from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.accounts.passwords import SAFE_FOR_A_LINK, weakness
from awrdiff.sharing.errors import LinkRefused, PasswordNeeded, WrongPassword
from awrdiff.sharing.link_rate_limits import PAGE, spend
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.queries import live_link, note_use

GONE = "This link does not exist, has expired or was revoked. Ask whoever sent it for a new one."


def link_of(token: str, cost: int = PAGE) -> ShareLink:
    """Raises NotFound (also expired or revoked), TooMuch."""
    link = live_link(token)
    if link is None:
        raise NotFound(GONE)
    logs.bind(team_id=link.team_id, link_id=str(link.pk))
    spend(link.pk, cost)
    return link


def shared(token: str, cost: int = PAGE, proof: str = "") -> AccessContext:
    """Redacted links reach only their copy. Raises PasswordNeeded."""
    link = link_of(token, cost)
    if link.password and not proves(proof, link):
        raise PasswordNeeded
    note_use(link)
    if link.redacted and link.copy_id is None and link.report_copy_id is None and link.incident_id is None:
        raise NotFound(GONE)
    held_link = HeldLink(
        pk=link.pk,
        comparison_id=link.copy_id if link.redacted else link.comparison_id,
        expires_at=link.expires_at,
        token=token,
        redacted=link.redacted,
        source_id=link.about_id,
        source_team_id=link.team_id,
        may_comment=link.may_comment,
        shows=link.shows,
        report_id=link.report_copy_id if link.redacted else link.report_id,
        incident_id=None if link.redacted else link.incident_id,
        pair=link.pair,
    )
    return AccessContext(team=link.team.copies if link.redacted else link.team, link=held_link)


SHORTEST_PASSWORD, LONGEST_PASSWORD = 9, 128  # no eight characters are hard enough to guess
OPEN_FOR_S = 12 * 3600
_SALT = "awrdiff.sharing.password"


def hashed_password(password: str, names: Iterable[str]) -> str:
    """ "" for none. `names`: first guesses. Raises LinkRefused."""
    if not password:
        return ""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise LinkRefused(f"The password of a link has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")
    if reason := weakness(password, names, safe_score=SAFE_FOR_A_LINK):
        raise LinkRefused(reason)
    return make_password(password)


def unlock(link: ShareLink, password: str, address: str | None) -> None:
    """Raises WrongPassword, TooManyFailures."""
    attempt = sign_in_limits.begin_link(link.pk, address=address)
    if not check_password(password[: LONGEST_PASSWORD + 1], link.password):
        raise WrongPassword("This is not the password of this link.")
    attempt.give_back()


def proof_of(link: ShareLink) -> str:
    return signing.dumps(_password_subject(link), salt=_SALT)


def proves(proof: str, link: ShareLink) -> bool:
    try:
        subject = signing.loads(proof, salt=_SALT, max_age=OPEN_FOR_S)
    except signing.BadSignature:
        return False
    return isinstance(subject, str) and hmac.compare_digest(subject.encode(), _password_subject(link).encode())


def _password_subject(link: ShareLink) -> str:
    return hashlib.sha256(f"{link.pk} {link.password}".encode()).hexdigest()
