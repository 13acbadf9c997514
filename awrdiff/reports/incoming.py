"""What came in becomes rows: of an uploaded file, and of each report in one that holds several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import uuid5

from awrdiff.accounts.access import AccessContext
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.storable import storable_text
from awrdiff.reports import files
from awrdiff.reports.models import Report
from awrdiff.reports.uploads import ReceivedFile, receive_chunks

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class Incoming(NamedTuple):
    """A file that was received; `archive` is the name of the one it came in with others; `in_bulk`: with so many that
    nobody waits for this one."""

    file: ReceivedFile
    name: str
    archive: str = ""
    in_bulk: bool = False


def stored_parts(parent: Report, pieces: Sequence[bytes]) -> list[Report]:
    """The reports in one file as unsaved rows, their bytes kept. The same ones however often it is done."""
    access = AccessContext(team=parent.team, user=parent.uploaded_by)
    rows = []
    for number, piece in enumerate(pieces, 1):
        name = f"{parent.name[:245]}#{number}"
        with closing(receive_chunks([piece], name)) as file:
            stored = files.store(access.team.pk, file)
            made = row_of(access, Incoming(file, name, in_bulk=parent.in_bulk), stored, parent=parent, number=number)
        made.pk = uuid5(parent.pk, str(number))
        rows.append(made)
    return rows


def row_of(access: AccessContext, one: Incoming, stored: str, **values: Any) -> Report:
    """The unsaved row of a file whose bytes are kept as `stored`, waiting for the workers."""
    return Report(
        team=access.team,
        uploaded_by=access.user,
        name=clean_name(one.name),
        size=one.file.size or 0,
        sha256=one.file.sha256,
        file=stored,
        in_bulk=one.in_bulk,
        **values,
        **enqueue_values(),
    )


def clean_name(name: str) -> str:
    """The last part of a file's name as it is shown; it is never a path."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return storable_text(_CONTROL.sub(" ", last)).strip()[-255:] or "report"
