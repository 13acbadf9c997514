"""A team as a zip: its reports as they were uploaded, and lines of JSON that say what was made of them.

    awrdiff.json        {"awrdiff": "team", "format": 1, "team", "at", "made_by"}
    team.jsonl          one document a line: {"report": id, …}, {"comparison": id, …}, {"pin": …}, {"person": …}
    files/<report id>   the uploaded bytes

What can be made again is not in it: what was read and computed. Nor is anything that lets somebody in: passwords,
tokens, links, invitations. It is written piece by piece; nothing of it is held whole.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Generator, Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db.models import QuerySet, Sum
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Membership, Team
from awrdiff.audit.services import note
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.reports.models import SEVERAL, Report
from parsers.version import VERSION

FORMAT = 1
HEAD, LINES, FILES = "awrdiff.json", "team.jsonl", "files/"
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


def export(access: AccessContext) -> Iterator[bytes]:
    """The zip of the team, for its owners. Raises PermissionDenied before the first byte."""
    if not access.can_invite:
        raise PermissionDenied("Only an owner exports the team.")
    note(access, "exported", "team", access.team.pk)
    return zip_of(access.team)


def size_of(team: Team) -> int:
    """Bytes of the files in it, not packed."""
    return int(_reports(team).aggregate(all=Sum("size"))["all"] or 0)


def zip_of(team: Team) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        head = {"awrdiff": "team", "format": FORMAT, "team": team.name, "at": _iso(timezone.now())}
        packed.writestr(HEAD, json.dumps({**head, "made_by": VERSION}))
        missing: set[UUID] = set()
        for pk, file in list(_reports(team).values_list("pk", "file")):
            if not (yield from _file(packed, sink, pk, file)):
                missing.add(pk)
        with packed.open(LINES, "w", force_zip64=True) as lines:
            for document in _documents(team, missing):
                lines.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
                yield sink.taken()
    yield sink.taken()


def _file(packed: zipfile.ZipFile, sink: _Sink, pk: UUID, file: str) -> Generator[bytes, None, bool]:
    """Returns whether the file is there; one may be removed while others are read."""
    try:
        stored = default_storage.open(file) if file else None
    except FileNotFoundError:
        stored = None
    if stored is None:
        return False
    with stored, packed.open(f"{FILES}{pk}", "w", force_zip64=True) as entry:
        while chunk := stored.read(_CHUNK):
            entry.write(chunk)
            yield sink.taken()
    return True


def _reports(team: Team) -> QuerySet[Report]:
    """Demos are there anyway, and a file of several is its reports."""
    found = Report.objects.filter(team=team, is_demo=False).exclude(kind=SEVERAL)
    return found.defer("header", "issues", "head", "assessment").order_by("created_at", "pk")


def _documents(team: Team, missing: set[UUID]) -> Iterator[dict[str, Any]]:
    for person in Membership.objects.filter(team=team).select_related("user").order_by("pk"):
        yield {"person": person.user.get_username(), "role": person.role}
    for report in _reports(team).select_related("uploaded_by").iterator(chunk_size=200):
        yield _report(report, kept=report.pk not in missing)
    made = Comparison.objects.filter(team=team, is_demo=False, mirror_of=None).select_related("created_by")
    for one in made.defer("overview").order_by("created_at", "pk").iterator(chunk_size=200):
        yield _comparison(one)
    pins = Pin.objects.filter(team=team, comparison__is_demo=False).select_related("user")
    for pin in pins.order_by("pk").iterator(chunk_size=200):
        yield _pin(pin)


def _report(report: Report, *, kept: bool) -> dict[str, Any]:
    return {
        "report": str(report.pk),
        "name": report.name,
        "archive": report.archive,
        "size": report.size,
        "sha256": report.sha256,
        "file": kept,
        "at": _iso(report.created_at),
        "by": report.uploaded_by.get_username() if report.uploaded_by else "",
    }


def _comparison(one: Comparison) -> dict[str, Any]:
    places = one.places.order_by("position").values_list("report", "aspect")
    return {
        "comparison": str(one.pk),
        "title": one.title,
        "note": one.note,
        "by_time": one.order_by_time,
        "places": [[str(report), aspect] for report, aspect in places],
        "at": _iso(one.created_at),
        "by": one.created_by.get_username() if one.created_by else "",
    }


def _pin(pin: Pin) -> dict[str, Any]:
    kept = ("anchor", "pair", "baseline", "swapped", "title", "place", "figures")
    return {"pin": str(pin.comparison_id), "by": pin.user.get_username(), **{k: getattr(pin, k) for k in kept}}


def _iso(at: Any) -> str:
    return str(at.isoformat(timespec="seconds"))
