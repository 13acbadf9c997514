"""Rate limits of a share link: requests per minute in the cache, exports at a time in the process.

Not in the database: there a section would wait for a worker's transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from threading import Lock
from uuid import UUID

from django.conf import settings

from awrdiff.accounts import rate_limits
from awrdiff.accounts.errors import TooMuch
from awrdiff.sharing.queries import is_live

# In quarters of a request. A reader who scrolls through the largest comparison opens some two hundred sections.
SECTION, PAGE, EXPORT, MEGABYTE = 1, 4, 40, 2
SEVERAL = 4  # times as much, where each report is read by itself: a baseline, a trend
MOST_ASKED = 8  # times AWRDIFF_LINK_RATE: at the usual rate, 32 open pages which ask every two seconds
RETRY_ASKING_S = 10
MOST_EXPORTS = 2  # of one link at a time
RETRY_EXPORT_S = 5


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
