"""Writes of the reports app."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import PurePosixPath

from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db import transaction

from awrdiff.accounts.access import AccessContext
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.dispatch import send_on_commit
from awrdiff.processing.models import State
from awrdiff.reports import tasks
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.models import Report
from awrdiff.reports.sniff import refuse_foreign
from awrdiff.reports.uploads import ReceivedFile

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def store_upload(access: AccessContext, file: ReceivedFile, name: str, *, is_demo: bool = False) -> Report:
    """Keep the bytes and a pending row, and send it to the workers. Raises UploadRefused. Closes `file`."""
    if not access.can_write:
        raise PermissionDenied
    name = clean_name(name)
    with closing(file):
        if not file.size:
            raise UploadRefused(f"“{name}” is empty: it holds 0 bytes.")
        refuse_foreign(file, name)
        stored = _store_bytes(access, file)
    with transaction.atomic():
        report = Report.objects.create(
            team=access.team,
            uploaded_by=access.user,
            name=name,
            size=file.size,
            sha256=file.sha256,
            file=stored,
            is_demo=is_demo,
            **enqueue_values(),
        )
        send_on_commit(tasks.read_report, report.pk)
    return report


def retry(report: Report) -> Report:
    """Read the file again from the start, whatever came of it before."""
    restart([report])
    report.refresh_from_db()
    return report


def restart(reports: list[Report]) -> None:
    """Put settled reports back to the start; one that is being worked on is left alone."""
    for report in reports:
        with transaction.atomic():
            rows = Report.objects.filter(pk=report.pk, state__in=[State.READY, State.FAILED])
            if rows.update(**enqueue_values()):
                send_on_commit(tasks.read_report, report.pk)


def restart_stale(limit: int) -> int:
    """Read again what another version of the parsers read, or refused. Returns how many."""
    stale = list(tasks.stale_reports()[:limit])
    restart(stale)
    return len(stale)


def delete(reports: list[Report]) -> None:
    """Delete rows, and the files that no other row stands on."""
    names = {r.file for r in reports}
    with transaction.atomic():
        Report.objects.filter(pk__in=[r.pk for r in reports]).delete()
        kept = set(Report.objects.filter(file__in=names).values_list("file", flat=True))
        transaction.on_commit(lambda: _delete_files(names - kept))


def _delete_files(names: set[str]) -> None:
    for name in names:
        default_storage.delete(name)


def _store_bytes(access: AccessContext, file: ReceivedFile) -> str:
    """One copy of the same bytes per team."""
    name = f"reports/{access.team.pk}/{file.sha256[:2]}/{file.sha256}"
    if default_storage.exists(name):
        return name
    return default_storage.save(name, file)


def clean_name(name: str) -> str:
    """The last part of a file's name as it is shown; it is never a path."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return _CONTROL.sub(" ", last).strip()[-255:] or "report"
