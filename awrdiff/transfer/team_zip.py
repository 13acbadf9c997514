"""A team as a zip, written piece by piece; and a new team made of one, checked whole before anything is made.

awrdiff.json {"awrdiff": "team", "format": 3, "team", "at", "made_by"};

team.jsonl one document a line: {"report": id, …}, {"comparison": id, …}, …; see kinds/;

files/<id> bytes of a report or of an attachment.

Parsed and computed data is left out, as is anything that lets somebody in: passwords, tokens, links, invitations. What
is imported is untrusted: it names no path or id here and puts only its owner on the team. Only the owner's name is a
person here, unless all are (`same_people`).
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from io import RawIOBase
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.db.models import Sum
from django.utils import timezone

from awrdiff.accounts import teams
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Role, Team, User
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.audit.services import note
from awrdiff.comparisons import services
from awrdiff.comparisons.models import REVERSE
from awrdiff.comparisons.report_pairs import pair_of_swap
from awrdiff.incidents.models import Evidence, Verdict
from awrdiff.pins.models import Pin
from awrdiff.reports.errors import UploadRefused
from awrdiff.reports.files import opened
from awrdiff.threads.models import Thread
from awrdiff.transfer.jsonl_column_types import NotImported, text
from awrdiff.transfer.jsonl_row_kinds import ImportRegister, LineKind, LineRegister, Rows, WrittenRegister, people_here
from awrdiff.transfer.kinds import BY_NAME, KINDS, REMEMBERED_KINDS
from awrdiff.transfer.kinds.comparisons import Comparisons, reports_of
from awrdiff.transfer.kinds.threads import attachments_of
from awrdiff.transfer.untrusted_zip_reading import (
    FILES,
    HEAD,
    LINES,
    LONGEST_HEAD,
    MOST_ENTRIES,
    bytes_of,
    document_of,
    documents_of,
    open_zip,
)
from parsers.files.detect import kind_of
from parsers.version import VERSION

FORMATS = (1, 2, 3)  # of format 1 are reports, comparisons and pins; 3 has pairs for what 2 has `swapped`
AT_ONCE = 500  # rows of a transaction: others wait to write until it ends
MOST_NAMED = 5
_CHUNK, _HEAD = 256 * 1024, 64 * 1024
_BROKEN = (NotImported, UploadRefused, DatabaseError, OSError, zipfile.BadZipFile, zlib.error, EOFError)


class _Sink(RawIOBase):
    def __init__(self) -> None:
        self._buffer = bytearray()

    def write(self, data: Any) -> int:
        self._buffer += data
        return len(data)

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
        head = {"awrdiff": "team", "format": FORMATS[-1], "team": team.name}
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


class Swapped:
    """Comparisons of a file, to tell their pairs."""

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed = packed
        self._reports: dict[str, list[str]] = {}
        self._is_read: dict[str, bool] = {}

    def add(self, comparison: str, reports: list[str]) -> None:
        self._reports[comparison] = reports

    def settle(self, document: dict[str, Any]) -> None:
        """Set the line's pair from its two reports."""
        pair = document.get("pair", 0)
        if document.pop("swapped", False) is not True or document.get("baseline") or not isinstance(pair, int):
            return
        reports = self._reports.get(str(document.get("comparison", document.get("pin"))), [])
        document["pair"] = pair_of_swap(pair, 0 if pair == 0 else sum(map(self._is_report, reports)))

    def _is_report(self, report: str) -> bool:
        if report not in self._is_read:
            head = next(bytes_of(self._packed, f"{FILES}{report}"), b"")[:_HEAD]
            self._is_read[report] = kind_of(head.decode("latin-1"), "", []) != TRACE
        return self._is_read[report]


class BrokeOff(NotImported):
    """Raised after part was imported; says what, and where."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`counts`: rows by plural noun. `left_out`: sentences on the rest."""

    team: Team
    counts: Mapping[str, int]
    left_out: tuple[str, ...]

    @property
    def summary(self) -> str:
        return in_words({"reports": 0, "comparisons": 0, "pins": 0, **self.counts})


def import_team(path: Path, owner: User, *, name: str = "", same_people: bool = False) -> Outcome:
    """Named after the file's team without `name`. Raises NotImported."""
    with open_zip(path) as packed:
        team_name, checked = _checked(packed)
        try:
            membership = teams.make_for(owner, name or team_name)
        except PeopleRefused as refusal:
            raise NotImported(str(refusal)) from refusal
        access = AccessContext(membership.team, owner, role=Role.OWNER, membership=membership.pk)
        note(access, "imported", "team", membership.team.pk)
        people = people_here(checked.people if same_people else checked.people & {owner.get_username()})
        register = ImportRegister(REMEMBERED_KINDS, access, packed, people)
        try:
            _make(packed, register)
            pks: set[UUID] = set()
            for model in (Pin, Evidence, Verdict, Thread):
                rows = model._default_manager.filter(comparison__team=access.team, pair=REVERSE)
                pks.update(rows.values_list("comparison", flat=True).distinct())
            services.compute_both_ways(pks)
        except _BROKEN as error:
            so_far = in_words(register.counts) or "nothing"
            here = f"The team “{access.team.name}” holds what had come in until then: {so_far}"
            again = "Mend the cause, and import the file again under another name (--team)."
            raise BrokeOff(f"The import broke off: {str(error).rstrip('.')}. {here}. {again}") from error
        return Outcome(access.team, dict(register.counts), tuple(_left_out(register, checked.people - people.keys())))


def _checked(packed: zipfile.ZipFile) -> tuple[str, LineRegister]:
    head = document_of(b"".join(bytes_of(packed, HEAD, LONGEST_HEAD)), HEAD)
    if head.get("awrdiff") != "team":
        raise NotImported(
            "This is not the export of a team: take the zip that export_team, or an owner's page of the team, wrote."
        )
    if head.get("format") not in FORMATS:
        raise NotImported(
            f"The file has format {head.get('format')!r}; this version takes in up to {FORMATS[-1]}: use a later one."
        )
    register = LineRegister(REMEMBERED_KINDS, packed)
    for _ in _read(packed, register):
        pass
    return text(teams.LONGEST).read(head.get("team"), "team"), register


def _read(packed: zipfile.ZipFile, register: LineRegister | None = None) -> Iterator[tuple[LineKind, dict[str, Any]]]:
    """Unknown kinds are skipped; a `register` checks each."""
    swapped = Swapped(packed)
    for number, document in enumerate(documents_of(packed), 1):
        kind = BY_NAME.get(next(iter(document), ""))
        if kind is None:
            continue
        try:
            swapped.settle(document)
            values = kind.read(document)
            if isinstance(kind, Comparisons):
                swapped.add(values[kind.name], [pk for pk, _ in values["places"]])
            if register is not None:
                kind.check(values, register)
        except NotImported as refusal:
            raise NotImported(f"Line {number} of {LINES}: {refusal}") from refusal
        yield kind, values


def _make(packed: zipfile.ZipFile, register: ImportRegister) -> None:
    """Stores files outside transactions, or a crash would leave unknown ones."""
    for are_rows, lines in groupby(_read(packed), key=lambda line: isinstance(line[0], Rows) and not line[0].has_files):
        more = True
        while more:
            more = False
            with transaction.atomic() if are_rows else nullcontext():
                for kind, values in islice(lines, AT_ONCE):
                    kind.make(values, register)
                    more = True


def _left_out(register: ImportRegister, strangers: Collection[str]) -> Iterator[str]:
    yield from register.remarks
    if register.without:
        yield f"{in_words(register.without)}, of what is left out."
    if strangers:
        names = [f"“{name}”" for name in sorted(strangers)[:MOST_NAMED]]
        more = f" and {len(strangers) - MOST_NAMED:,} more" if len(strangers) > MOST_NAMED else ""
        keep = "comments keep their names, other lines stand without one"
        yield f"the sign-ins of {', '.join(names)}{more}, who are not known here; {keep}."
    if register.of_nobody:
        yield f"{in_words(register.of_nobody)}, of people who are not known here."
    if register.of_others:
        yield f"{in_words(register.of_others)} of other people."
    if register.doubles:
        yield f"{in_words(register.doubles)}, as another line says the same."


def in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {_kind_name(number, many)}" for many, number in Counter(counts).items())


def _kind_name(number: int, many: str) -> str:
    if number != 1:
        return many
    first, of, rest = many.partition(" of ")
    return f"{first.removesuffix('s')}{of}{rest}"
