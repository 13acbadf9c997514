"""Export of a team as a zip, written piece by piece.

awrdiff.json {"awrdiff": "team", "format": 3, "team", "at", "made_by"};

team.jsonl one document a line: {"report": id, …}, {"comparison": id, …}, …; see kinds/;

files/<id> bytes of a report or of an attachment.

Parsed and computed data is left out, as is anything that lets somebody in: passwords, tokens, links, invitations.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Generator, Iterator
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team, User
from awrdiff.audit.services import note
from awrdiff.reports.files import opened
from awrdiff.transfer.kinds import KINDS, REMEMBERED_KINDS
from awrdiff.transfer.kinds.comparisons import reports_of
from awrdiff.transfer.kinds.threads import attachments_of
from awrdiff.transfer.packed import FILES, HEAD, LINES, MOST_ENTRIES
from awrdiff.transfer.rows import WrittenRegister
from parsers.version import VERSION

FORMAT = 3
_CHUNK = 256 * 1024


class _Sink:
    def __init__(self) -> None:
        self._buffer = bytearray()

    def write(self, data: bytes) -> int:
        self._buffer += data
        return len(data)

    def flush(self) -> None: ...
    def close(self) -> None: ...

    def take(self) -> bytes:
        data, self._buffer = bytes(self._buffer), bytearray()
        return data


def may_export(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner exports the team.")


def export(access: AccessContext) -> Iterator[bytes]:
    """Zip for an owner, with their pins. Raises PermissionDenied before the first byte."""
    may_export(access)
    note(access, "exported", "team", access.team.pk)
    return zip_of(access.team, pins_of=access.user)


def size_of(team: Team) -> int:
    """Bytes of its files, unpacked."""
    rows = (reports_of(team), attachments_of(team))
    return sum(int(files.aggregate(all=Sum("size"))["all"] or 0) for files in rows)


def has_too_many_files(team: Team) -> bool:
    """True beyond an import's limit; head and lines count."""
    return reports_of(team).count() + attachments_of(team).count() + 2 > MOST_ENTRIES


def zip_of(team: Team, *, pins_of: User | None = None) -> Iterator[bytes]:
    """`pins_of`: None for everybody's, for the server's administrator."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        head = {"awrdiff": "team", "format": FORMAT, "team": team.name}
        head |= {"at": timezone.now().isoformat(timespec="seconds"), "made_by": VERSION}
        packed.writestr(HEAD, json.dumps(head))
        register = WrittenRegister(REMEMBERED_KINDS, set(), pins_of)
        # Pictures are packed already, and a text that repeats itself must not look like a bomb when it is taken in.
        for rows, packing in ((reports_of(team), zipfile.ZIP_DEFLATED), (attachments_of(team), zipfile.ZIP_STORED)):
            for pk, file in list(rows.values_list("pk", "file")):
                packed.compression = packing
                if (yield from _file(packed, sink, pk, file)):
                    register.files.add(pk)
        packed.compression = zipfile.ZIP_DEFLATED
        with packed.open(LINES, "w", force_zip64=True) as stream:
            for kind in KINDS:
                for document in kind.documents(team, register):
                    stream.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
                    yield sink.take()
    yield sink.take()


def _file(packed: zipfile.ZipFile, sink: _Sink, pk: UUID, file: str) -> Generator[bytes, None, bool]:
    """False where incomplete: files may be removed meanwhile."""
    if not file:
        return False
    try:
        with opened(file) as stored, packed.open(f"{FILES}{pk}", "w", force_zip64=True) as entry:
            while chunk := stored.read(_CHUNK):
                entry.write(chunk)
                yield sink.take()
    except FileNotFoundError:
        return False
    return True
