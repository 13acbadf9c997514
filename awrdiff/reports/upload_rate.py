"""How many files one person may send in a minute: counted in the database, so that it holds over all web processes."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import TooMuch
from awrdiff.reports.models import Report

_MINUTE = timedelta(minutes=1)


def check(access: AccessContext) -> None:
    """Before an upload is looked at: raises TooMuch. Whoever runs the server for themselves is not counted.

    Each file of an archive counts, but none stops the archive that it came in.
    """
    if access.is_local:
        return
    own = Report.objects.filter(team=access.team, uploaded_by=access.user, created_at__gt=timezone.now() - _MINUTE)
    if own.count() >= settings.AWRDIFF_UPLOAD_RATE:
        raise TooMuch(f"You have uploaded {settings.AWRDIFF_UPLOAD_RATE} files within a minute: wait a moment.", 20)
