"""Access by share link: views below /s/<token>/ begin with `access = shared(token)`.

Passwords are hashed, rate-limited, and remembered by the browser in a signed, expiring proof. A link's requests per
minute are counted in the cache, its exports at a time in the process: in the database a section would wait for a
worker's transaction.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator
from threading import Lock
from uuid import UUID

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.core import signing

from awrdiff import logs
from awrdiff.accounts import rate_limits, sign_in_limits
from awrdiff.accounts.access import AccessContext, HeldLink, NotFound, require_row
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.passwords import SAFE_FOR_A_LINK, weakness
from awrdiff.accounts.token_hashing import hash_token
from awrdiff.sharing.errors import LinkRefused, PasswordNeeded, WrongPassword
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.queries import is_live, live_links, note_use

GONE = "This link does not exist, has expired or was revoked. Ask whoever sent it for a new one."
# In quarters of a request. A reader who scrolls through the largest comparison opens some two hundred sections.
SECTION, PAGE, EXPORT, MEGABYTE = 1, 4, 40, 2
SEVERAL = 4  # times as much, where each report is read by itself: a baseline, a trend
MOST_ASKED = 8  # times AWRDIFF_LINK_RATE: at the usual rate, 32 open pages which ask every two seconds
RETRY_ASKING_S = 10
MOST_EXPORTS = 2  # of one link at a time
RETRY_EXPORT_S = 5


def link_of(token: str, cost: int = PAGE) -> ShareLink:
    """Raises NotFound (also expired or revoked), TooMuch."""
    links = live_links().select_related("team__copies").defer("document")
    link = require_row(links.filter(token_hash=hash_token(token)), GONE)
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


def spend(link: UUID, cost: int) -> None:
    """Count a request. Raises TooMuch."""
    refusal = "This link was used too often in one minute: it works again"
    rate_limits.spend_this_minute(f"link:{link}", cost, settings.AWRDIFF_LINK_RATE * PAGE, refusal)


def ask(link: UUID) -> None:
    """Polls count separately from reading. Raises TooMuch."""
    if rate_limits.spend_in_cache(f"link:{link}:asked", 1) > settings.AWRDIFF_LINK_RATE * MOST_ASKED:
        raise TooMuch("Too many pages of this link ask what is new: it is asked again by itself.", RETRY_ASKING_S)


_running: Counter[UUID] = Counter()
_lock = Lock()


class ExportSlot:
    """One of a link's parallel exports, until closed. Raises TooMuch.

    Bytes count once sent: a large download delays the next.
    """

    def __init__(self, link: UUID) -> None:
        self._link: UUID | None = link
        self._sent = 0
        with _lock:
            if _running[link] >= MOST_EXPORTS:
                refusal = f"This link is already fetching {MOST_EXPORTS} exports: try again when one of them is done."
                raise TooMuch(refusal, RETRY_EXPORT_S)
            _running[link] += 1

    def weighed(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Pass `chunks` on, counting bytes."""
        for chunk in chunks:
            self._sent += len(chunk)
            yield chunk

    def is_open(self) -> bool:
        """False once closed or its link ended."""
        return self._link is not None and is_live(self._link)

    def close(self) -> None:
        link, self._link = self._link, None
        if link is None:
            return
        with _lock:
            _running[link] -= 1
            if not _running[link]:
                del _running[link]
        if self._sent >= 1_000_000:
            rate_limits.spend_in_cache(f"link:{link}", self._sent // 1_000_000 * MEGABYTE)
