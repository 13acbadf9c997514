"""Objects already fetched from buckets, so that they are not fetched again."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.reports.models import FetchedObject, Report

_DIGEST = 32  # bytes
_AT_ONCE = 500


def remember(access: AccessContext, identity: str, sha256s: Sequence[str]) -> None:
    """Record an object and the SHA-256 of its files."""
    FetchedObject.objects.get_or_create(
        team=access.team, identity=identity, defaults={"digests": bytes.fromhex("".join(sha256s))}
    )


def file_count(access: AccessContext, identity: str) -> int:
    """Number of files that came from it; 0 if new or no longer complete in the team."""
    row = FetchedObject.objects.filter(team=access.team, identity=identity).first()
    if row is None:
        return 0
    packed = bytes(row.digests)
    digests = [packed[at : at + _DIGEST].hex() for at in range(0, len(packed), _DIGEST)]
    for at in range(0, len(digests), _AT_ONCE):
        some = digests[at : at + _AT_ONCE]
        if with_bytes(access, some).values("sha256").distinct().count() < len(set(some)):
            row.delete()
            return 0
    return len(digests)


def with_bytes(access: AccessContext, sha256s: Sequence[str]) -> QuerySet[Report]:
    """Reports with these bytes, also multi-report files and failed ones."""
    return Report.objects.filter(team=access.team, sha256__in=sha256s, parent=None, is_demo=False)
