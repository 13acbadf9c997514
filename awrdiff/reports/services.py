"""Writes of the reports app."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import uuid5

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
from awrdiff.reports.uploads import ReceivedFile, receive_chunks

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class Incoming(NamedTuple):
    """A file that was received; `archive` is the name of the one it came in with others."""

    file: ReceivedFile
    name: str
    archive: str = ""


def store_upload(access: AccessContext, file: ReceivedFile, name: str, *, is_demo: bool = False) -> Report:
    """Keep the bytes and a pending row, and send it to the workers. Raises UploadRefused. Closes `file`."""
    with closing(file):
        name = clean_name(name)
        if not file.size:
            raise UploadRefused(f"“{name}” is empty: it holds 0 bytes.")
        refuse_foreign(file, name)
        return store_uploads(access, [Incoming(file, name)], is_demo=is_demo)[0]


def store_uploads(access: AccessContext, incoming: Sequence[Incoming], *, is_demo: bool = False) -> list[Report]:
    """The same for all files of an upload: their rows are made together or not at all. Leaves the files open."""
    if not access.can_write:
        raise PermissionDenied
    stored = [_store_bytes(access, one.file) for one in incoming]
    rows = [
        _row(access, one, file, is_demo=is_demo, archive=one.archive)
        for one, file in zip(incoming, stored, strict=True)
    ]
    with transaction.atomic():
        Report.objects.bulk_create(rows)
        for row in rows:
            send_on_commit(tasks.read_report, row.pk)
    return rows


def store_parts(parent: Report, pieces: Sequence[bytes]) -> list[Report]:
    """The reports in one file as unsaved rows, their bytes kept. The same ones however often it is done."""
    access = AccessContext(team=parent.team, user=parent.uploaded_by)
    rows = []
    for number, piece in enumerate(pieces, 1):
        name = f"{parent.name[:245]}#{number}"
        with closing(receive_chunks([piece], name)) as file:
            stored = _store_bytes(access, file)
            made = _row(access, Incoming(file, name), stored, parent=parent, number=number)
        made.pk = uuid5(parent.pk, str(number))
        rows.append(made)
    return rows


def _row(access: AccessContext, one: Incoming, stored: str, **values: Any) -> Report:
    return Report(
        team=access.team,
        uploaded_by=access.user,
        name=clean_name(one.name),
        size=one.file.size or 0,
        sha256=one.file.sha256,
        file=stored,
        **values,
        **enqueue_values(),
    )


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
