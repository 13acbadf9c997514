"""What was fetched out of buckets, so that the same objects are not fetched again to see that they are known."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext
from awrdiff.reports.models import FetchedObject, Report

_DIGEST = 32  # bytes
_AT_ONCE = 500


def remember(access: AccessContext, identity: str, sha256s: Sequence[str]) -> None:
    """That the object is taken in whole: the files in it, by their bytes."""
    FetchedObject.objects.get_or_create(
        team=access.team, identity=identity, defaults={"digests": bytes.fromhex("".join(sha256s))}
    )


def known(access: AccessContext, identity: str) -> int:
    """How many files came out of it; 0 where it is to be fetched: it is new, or the team has not all of them now."""
    found = FetchedObject.objects.filter(team=access.team, identity=identity).first()
    if found is None:
        return 0
    packed = bytes(found.digests)
    digests = [packed[at : at + _DIGEST].hex() for at in range(0, len(packed), _DIGEST)]
    for at in range(0, len(digests), _AT_ONCE):
        some = digests[at : at + _AT_ONCE]
        if with_bytes(access, some).values("sha256").distinct().count() < len(set(some)):
            found.delete()
            return 0
    return len(digests)


def with_bytes(access: AccessContext, sha256s: Sequence[str]) -> QuerySet[Report]:
    """Files of several reports and what was refused when it was read count too: reading it again says the same."""
    return Report.objects.filter(team=access.team, sha256__in=sha256s, parent=None, is_demo=False)
