"""Comparison requested during an upload, meant for two plain reports.

On anything else the page asks anew, and it is removed unless opened.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.audit.services import note, note_chore
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.removal import remove
from awrdiff.processing.row_locks import lock
from awrdiff.processing.work_claims import Claim
from awrdiff.reports.models import SEVERAL, Report


def is_mistaken(reports: Collection[Report]) -> bool:
    """True if the reports are not two plain ones."""
    plain = [report.is_ready and report.kind not in (SEVERAL, TRACE) for report in reports]
    return all(report.is_settled for report in reports) and not all(plain)


def confirm(comparison: Comparison) -> bool:
    """Keep it; False if just removed."""
    return bool(Comparison.objects.filter(pk=comparison.pk).update(provisional=False))


def give_up(access: AccessContext, pk: UUID) -> None:
    """Its requester wants another instead."""
    with transaction.atomic():
        own = [
            comparison
            for comparison in lock(Comparison, [pk])
            if comparison.provisional and comparison.team_id == access.team.pk
        ]
        if own and own[0].created_by_id == (access.user.pk if access.user else None):
            note(access, "deleted", "comparison", pk)
            remove([pk])


def withdraw(claim: Claim) -> bool:
    """Keeps its reports; False if no longer provisional."""
    with transaction.atomic():
        gone = [
            comparison
            for comparison in lock(Comparison, [claim.pk])
            if comparison.provisional and comparison.attempt == claim.attempt
        ]
        if gone:
            note_chore(gone[0].team_id, "deleted", "comparison", [claim.pk])
            remove([claim.pk])
    return bool(gone)
