"""Report rows of uploaded files and of each report in a multi-report file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import uuid5

from awrdiff.accounts.access import AccessContext
from awrdiff.processing.storable_values import storable_text
from awrdiff.processing.work_claims import enqueue_values
from awrdiff.reports import files
from awrdiff.reports.models import Report
from awrdiff.reports.received_files import ReceivedFile, receive_chunks

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class Incoming(NamedTuple):
    """`archive`: name of its archive; `in_bulk`: nobody waits for it."""

    file: ReceivedFile
    name: str
    archive: str = ""
    in_bulk: bool = False


def stored_parts(parent: Report, pieces: Sequence[bytes]) -> list[Report]:
    """Unsaved rows with stored bytes; repeatable."""
    access = AccessContext(team=parent.team, user=parent.uploaded_by)
    rows = []
    for number, piece in enumerate(pieces, 1):
        name = f"{parent.name[:245]}#{number}"
        with closing(receive_chunks([piece], name)) as file:
            stored = files.store(access.team.pk, file)
            row = row_of(access, Incoming(file, name, in_bulk=parent.in_bulk), stored, parent=parent, number=number)
        row.pk = uuid5(parent.pk, str(number))
        rows.append(row)
    return rows


def row_of(access: AccessContext, incoming: Incoming, stored: str, **values: Any) -> Report:
    """Unsaved pending row of a file stored as `stored`."""
    return Report(
        team=access.team,
        uploaded_by=access.user,
        name=clean_name(incoming.name),
        size=incoming.file.size or 0,
        sha256=incoming.file.sha256,
        file=stored,
        in_bulk=incoming.in_bulk,
        **values,
        **enqueue_values(),
    )


def clean_name(name: str) -> str:
    last = PurePosixPath(name.replace("\\", "/")).name
    return storable_text(_CONTROL.sub(" ", last)).strip()[-255:] or "report"
