"""A comparison asked for while its reports are still read, by a page that shows for each file what becomes of it.

It is meant for two plain reports. Where reading finds anything else (a file that is none, one of several, a trace), the
page says so and asks again for what is wanted: this one is removed, so that nobody finds a failed one in the list.
Where more files come, the page asks for all of them in its stead: it is removed, unless somebody has opened it.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE
from awrdiff.audit.services import note, note_chore
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.removal import remove
from awrdiff.processing.claims import Claim
from awrdiff.processing.rows import lock
from awrdiff.reports.models import SEVERAL, Report


def is_mistaken(reports: Collection[Report]) -> bool:
    """Whether these, all settled, are not what it was asked for."""
    plain = [report.is_ready and report.kind not in (SEVERAL, TRACE) for report in reports]
    return all(report.is_settled for report in reports) and not all(plain)


def confirm(comparison: Comparison) -> bool:
    """Somebody has opened it, or asks for it whatever its reports are; False where it went at this very moment."""
    return bool(Comparison.objects.filter(pk=comparison.pk).update(provisional=False))


def give_up(access: AccessContext, pk: UUID) -> None:
    """Whoever asked for it wants another in its stead."""
    with transaction.atomic():
        own = [one for one in lock(Comparison, [pk]) if one.provisional and one.team_id == access.team.pk]
        if own and own[0].created_by_id == (access.user.pk if access.user else None):
            note(access, "deleted", "comparison", pk)
            remove([pk])


def withdraw(held: Claim) -> bool:
    """Remove it; False where it is not provisional any more. Its reports stay."""
    with transaction.atomic():
        gone = [one for one in lock(Comparison, [held.pk]) if one.provisional and one.attempt == held.attempt]
        if gone:
            note_chore(gone[0].team_id, "deleted", "comparison", [held.pk])
            remove([held.pk])
    return bool(gone)
