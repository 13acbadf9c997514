"""Taking in what `exporting` wrote, as a new team. The file may come from anywhere: it is looked through whole before
anything is made of it, nothing in it names a path or an id here, and nobody but its owner is put on the team.

Reports are read and compared again, by the same limits as any upload.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from awrdiff.accounts import teams
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Role, Team, User
from awrdiff.audit.services import note
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.anchors import LONGEST, LONGEST_TEXT
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.held_anchors import view_of
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.pins.services import MOST_PINS
from awrdiff.processing.storable import storable_text
from awrdiff.reports import services as reports
from awrdiff.reports.incoming import Incoming
from awrdiff.reports.models import Report
from awrdiff.reports.uploads import receive_chunks
from awrdiff.transfer.exporting import FILES, FORMAT, HEAD, LINES

MOST_ENTRIES, MOST_LINES = 20_000, 200_000
LONGEST_HEAD, LONGEST_LINE = 64 * 1024, 1024 * 1024
MOST_TIMES = 200  # a report of mostly spaces packs to a hundredth; a bomb to a thousandth
_CHUNK = 256 * 1024
_ASPECT = re.compile(r"(first|second|instance:[0-9]{1,5})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DAMAGED = "The file is damaged: {what}."


class NotImported(ValueError):
    """The file is no export of a team, or damaged, or more than is taken in; a sentence says which."""


@dataclass(slots=True)
class Contents:
    """What a file holds, as far as it is understood."""

    team: str
    reports: list[dict[str, Any]] = field(default_factory=list)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    pins: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`left_out`: sentences on what was not taken in."""

    team: Team
    reports: int
    comparisons: int
    pins: int
    left_out: tuple[str, ...]


def import_team(path: Path, owner: User, *, name: str = "") -> Outcome:
    """A new team of that name, or of the one in the file, with what it holds. Raises NotImported."""
    with _opened(path) as packed:
        contents = _read(packed)
        _look_through(packed, contents)
        try:
            membership = teams.made_for(owner, name or contents.team)
        except PeopleRefused as refusal:
            raise NotImported(str(refusal)) from refusal
        access = AccessContext(membership.team, owner, role=Role.OWNER, membership=membership.pk)
        note(access, "imported", "team", membership.team.pk)
        return _made(packed, contents, access)


def _made(packed: zipfile.ZipFile, contents: Contents, access: AccessContext) -> Outcome:
    left_out: list[str] = []
    there: dict[str, Report] = {}
    for document in contents.reports:
        if document["file"]:
            there[document["report"]] = _report(packed, document, access)
        else:
            left_out.append(f"“{document['name']}” has no file any more: it is left out, with its comparisons.")
    made: dict[str, Comparison] = {}
    for document in contents.comparisons:
        if all(report in there for report, _ in document["places"]):
            _compare(document, there, access, made, left_out)
    kept = _pins(contents.pins, made, access)
    others = len(contents.pins) - kept
    if others:
        left_out.append(f"{others} pins of other people, or of what is left out.")
    return Outcome(access.team, len(there), len(made), kept, tuple(left_out))


def _report(packed: zipfile.ZipFile, document: dict[str, Any], access: AccessContext) -> Report:
    with closing(receive_chunks(_bytes_of(packed, f"{FILES}{document['report']}"), document["name"])) as file:
        incoming = Incoming(file, document["name"], document["archive"])
        (made,) = reports.store_uploads(access, [incoming])
    Report.objects.filter(pk=made.pk).update(created_at=document["at"])
    return made


def _compare(
    document: dict[str, Any],
    there: dict[str, Report],
    access: AccessContext,
    made: dict[str, Comparison],
    left_out: list[str],
) -> None:
    chosen, aspects = [there[report] for report, _ in document["places"]], [aspect for _, aspect in document["places"]]
    words = {"title": document["title"], "note": document["note"], "aspects": aspects}
    try:
        one = comparisons.create_comparison(access, chosen, order_by_time=document["by_time"], **words)
    except ComparisonRefused as refusal:
        left_out.append(f"The comparison “{document['title']}”: {refusal.sentence}")
        return
    Comparison.objects.filter(pk=one.pk).update(created_at=document["at"])
    made[document["comparison"]] = one


def _pins(documents: list[dict[str, Any]], made: dict[str, Comparison], access: AccessContext) -> int:
    """The owner's own, as they were: what stands there now is found once it is compared."""
    if access.user is None:
        return 0
    own = [d for d in documents if d["pin"] in made and d["by"] == access.user.get_username()]
    rows: dict[tuple[str, int, str, str], Pin] = {}
    for d in own:
        values = {k: d[k] for k in ("anchor", "pair", "baseline", "swapped", "title", "place", "figures")}
        rows[d["pin"], d["pair"], d["baseline"], d["anchor"]] = Pin(
            team=access.team, user=access.user, comparison=made[d["pin"]], **values
        )
    kept: dict[str, list[Pin]] = {}
    for (of, *_), pin in rows.items():
        kept.setdefault(of, []).append(pin)
    first = [pin for pins in kept.values() for pin in pins[:MOST_PINS]]
    return len(Pin.objects.bulk_create(first, batch_size=200, ignore_conflicts=True))


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
            if len(entries) > MOST_ENTRIES:
                raise NotImported(f"The file holds more than {MOST_ENTRIES} files.")
            if len({entry.filename for entry in entries}) != len(entries):
                raise NotImported(_DAMAGED.format(what="it holds two files of one name"))
            yield packed
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError) as error:
        raise NotImported(f"This is no zip file, or it is damaged: {error}.") from error
    except (NotImplementedError, RuntimeError) as error:  # other ways of packing, and passwords
        raise NotImported("The file is packed in a way that an export never is.") from error


def _read(packed: zipfile.ZipFile) -> Contents:
    head = _json(b"".join(_bytes_of(packed, HEAD, LONGEST_HEAD)), HEAD)
    if head.get("awrdiff") != "team":
        raise NotImported("This is no export of a team.")
    if head.get("format") != FORMAT:
        raise NotImported(f"The file has format {head.get('format')!r}: this version takes in {FORMAT}.")
    contents = Contents(_text(head, "team", teams.LONGEST))
    for number, line in enumerate(_lines(packed), 1):
        if number > MOST_LINES:
            raise NotImported(f"{LINES} has more than {MOST_LINES} lines.")
        _understand(_json(line, f"line {number} of {LINES}"), contents)
    return contents


def _understand(document: dict[str, Any], contents: Contents) -> None:
    """Lines of kinds that this version does not know are left alone, and so are people: nobody is let in by a file."""
    if "report" in document:
        contents.reports.append(_checked_report(document))
    elif "comparison" in document:
        contents.comparisons.append(_checked_comparison(document))
    elif "pin" in document:
        contents.pins.append(_checked_pin(document))


def _checked_report(d: dict[str, Any]) -> dict[str, Any]:
    sha256 = _text(d, "sha256", 64)
    if not _SHA256.fullmatch(sha256):
        raise NotImported(_DAMAGED.format(what="a report has no digest"))
    named = {"name": _text(d, "name", 255) or "report", "archive": _text(d, "archive", 255)}
    return {"report": _id(d, "report"), **named, "sha256": sha256, "file": d.get("file") is True, "at": _at(d)}


def _checked_comparison(d: dict[str, Any]) -> dict[str, Any]:
    places = d.get("places")
    if not isinstance(places, list) or not 2 <= len(places) <= MOST_REPORTS:
        raise NotImported(_DAMAGED.format(what="a comparison has no reports, or too many"))
    return {
        "comparison": _id(d, "comparison"),
        "title": _text(d, "title", comparisons.MOST_TITLE),
        "note": _text(d, "note", 10_000),
        "by_time": d.get("by_time") is True,
        "places": [_place(place) for place in places],
        "at": _at(d),
    }


def _place(place: Any) -> tuple[str, str]:
    if not isinstance(place, list) or len(place) != 2 or not all(isinstance(part, str) for part in place):
        raise NotImported(_DAMAGED.format(what="a place of a comparison is none"))
    if not _ASPECT.fullmatch(place[1]):
        raise NotImported(_DAMAGED.format(what="a part of a report is none"))
    return _id({"id": place[0]}, "id"), place[1]


def _checked_pin(d: dict[str, Any]) -> dict[str, Any]:
    pair, figures = d.get("pair"), d.get("figures")
    if not isinstance(pair, int) or isinstance(pair, bool) or not 0 <= pair < MOST_REPORTS:
        raise NotImported(_DAMAGED.format(what="a pin is of no pair"))
    if (baseline := d.get("baseline", "")) != "" and (not isinstance(baseline, str) or view_of(baseline) is None):
        raise NotImported(_DAMAGED.format(what="a pin is of no baseline"))
    if not isinstance(figures, list) or len(figures) > 50 or not all(_is_figure(one) for one in figures):
        raise NotImported(_DAMAGED.format(what="a pin has figures that are none"))
    return {
        "pin": _id(d, "pin"),
        "by": _text(d, "by", 150),
        "anchor": _text(d, "anchor", LONGEST),
        "pair": pair,
        "baseline": baseline,
        "swapped": d.get("swapped") is True,
        "title": _text(d, "title", LONGEST_TEXT),
        "place": _text(d, "place", LONGEST_TEXT),
        "figures": [[storable_text(text) for text in one] for one in figures],
    }


def _is_figure(one: Any) -> bool:
    """A label and a text."""
    pair = isinstance(one, list) and len(one) == 2
    return pair and all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in one)


def _look_through(packed: zipfile.ZipFile, contents: Contents) -> None:
    """Every file is whole, what its line says, and no larger than an upload may be."""
    seen: set[str] = set()
    for document in contents.reports:
        if document["report"] in seen:
            raise NotImported(_DAMAGED.format(what="two reports have one id"))
        seen.add(document["report"])
        if not document["file"]:
            continue
        digest = hashlib.sha256()
        for chunk in _bytes_of(packed, f"{FILES}{document['report']}"):
            digest.update(chunk)
        if digest.hexdigest() != document["sha256"]:
            raise NotImported(_DAMAGED.format(what=f"“{document['name']}” is not what was exported"))


def _bytes_of(packed: zipfile.ZipFile, name: str, most: int | None = None) -> Iterator[bytes]:
    """What is unpacked is counted: what an entry says of its size may be anything."""
    try:
        entry = packed.getinfo(name)
    except KeyError:
        raise NotImported(_DAMAGED.format(what=f"{name} is missing")) from None
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImported("The file is packed in a way that an export never is.")
    limit = settings.AWRDIFF_MAX_UPLOAD_MB * 1024 * 1024 if most is None else most
    limit = min(limit, max(_CHUNK, entry.compress_size * MOST_TIMES)) if most is None else limit
    unpacked = 0
    with packed.open(entry) as file:
        while chunk := file.read(_CHUNK):
            unpacked += len(chunk)
            if unpacked > limit:
                raise NotImported(f"{name} is larger than {limit} bytes, the most that is taken in.")
            yield chunk


def _lines(packed: zipfile.ZipFile) -> Iterator[bytes]:
    held = b""
    for chunk in _bytes_of(packed, LINES, MOST_LINES * 1024):
        *whole, held = (held + chunk).split(b"\n")
        yield from filter(None, whole)
        if len(held) > LONGEST_LINE:
            raise NotImported(f"A line of {LINES} is longer than {LONGEST_LINE} bytes.")
    if held:
        yield held


def _json(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NotImported(_DAMAGED.format(what=f"{where} is no JSON document"))
    return found


def _text(document: dict[str, Any], name: str, longest: int) -> str:
    found = document.get(name, "")
    if not isinstance(found, str) or len(found) > longest:
        raise NotImported(_DAMAGED.format(what=f"“{name}” is no text, or too long"))
    return storable_text(found)


def _id(document: dict[str, Any], name: str) -> str:
    try:
        return str(UUID(document.get(name, "")))
    except (ValueError, AttributeError, TypeError):
        raise NotImported(_DAMAGED.format(what=f"“{name}” is no id")) from None


def _at(document: dict[str, Any]) -> datetime:
    """When it was made; never later than now."""
    try:
        found = datetime.fromisoformat(_text(document, "at", 40))
    except ValueError:
        raise NotImported(_DAMAGED.format(what="a time is none")) from None
    now = timezone.now()
    return min(found, now) if found.tzinfo and found.year > 1970 else now
