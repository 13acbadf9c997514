"""A team as a zip: its reports as they were uploaded, and lines of JSON that say what was made and said of them.

    awrdiff.json        {"awrdiff": "team", "format": 2, "team", "at", "made_by"}
    team.jsonl          one document a line: {"report": id, …}, {"comparison": id, …}, {"thread": id, …}; see kinds/
    files/<id>          the bytes of a report, or of what is attached to a comment or an event

What can be made again is not in it: what was read and computed. Nor is anything that lets somebody in: passwords,
tokens, links, invitations. It is written piece by piece; nothing of it is held whole.
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
from awrdiff.transfer.kinds import KINDS, NAMED
from awrdiff.transfer.kinds.attachments import attachments_of
from awrdiff.transfer.kinds.reports import reports_of
from awrdiff.transfer.packed import FILES, HEAD, LINES, MOST_ENTRIES
from awrdiff.transfer.register import WrittenLines
from parsers.version import VERSION

FORMAT = 2
_CHUNK = 256 * 1024


class _Sink:
    """A file that only grows: what was written is taken away piece by piece."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        self._held += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """There is nothing to close."""

    def taken(self) -> bytes:
        held, self._held = bytes(self._held), bytearray()
        return held


def may_export(access: AccessContext) -> None:
    if not access.can_administer:
        raise PermissionDenied("Only an owner exports the team.")


def export(access: AccessContext) -> Iterator[bytes]:
    """The zip of the team, for its owners, with their own pins. Raises PermissionDenied before the first byte."""
    may_export(access)
    note(access, "exported", "team", access.team.pk)
    return zip_of(access.team, pins_of=access.user)


def size_of(team: Team) -> int:
    """Bytes of the files in it, not packed."""
    found = (reports_of(team), attachments_of(team))
    return sum(int(one.aggregate(all=Sum("size"))["all"] or 0) for one in found)


def has_too_many_files(team: Team) -> bool:
    """More than are taken in again; head and lines are entries too."""
    return reports_of(team).count() + attachments_of(team).count() + 2 > MOST_ENTRIES


def zip_of(team: Team, *, pins_of: User | None = None) -> Iterator[bytes]:
    """Pins are each person's own: the zip has those of `pins_of`, or everybody's for whoever runs the server."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        head = {"awrdiff": "team", "format": FORMAT, "team": team.name}
        head |= {"at": timezone.now().isoformat(timespec="seconds"), "made_by": VERSION}
        packed.writestr(HEAD, json.dumps(head))
        written = WrittenLines(NAMED, set(), pins_of)
        # Pictures are packed already, and a text that repeats itself must not look like a bomb when it is taken in.
        for found, packing in ((reports_of(team), zipfile.ZIP_DEFLATED), (attachments_of(team), zipfile.ZIP_STORED)):
            for pk, file in list(found.values_list("pk", "file")):
                packed.compression = packing
                if (yield from _file(packed, sink, pk, file)):
                    written.files.add(pk)
        packed.compression = zipfile.ZIP_DEFLATED
        with packed.open(LINES, "w", force_zip64=True) as lines:
            for kind in KINDS:
                for document in kind.documents(team, written):
                    lines.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
                    yield sink.taken()
    yield sink.taken()


def _file(packed: zipfile.ZipFile, sink: _Sink, pk: UUID, file: str) -> Generator[bytes, None, bool]:
    """Returns whether the file is there and whole; one may be removed while others are read."""
    if not file:
        return False
    try:
        with opened(file) as stored, packed.open(f"{FILES}{pk}", "w", force_zip64=True) as entry:
            while chunk := stored.read(_CHUNK):
                entry.write(chunk)
                yield sink.taken()
    except FileNotFoundError:
        return False
    return True
