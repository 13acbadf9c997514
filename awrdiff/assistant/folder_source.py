"""Reports of one folder, compared in this process; nothing outside it is read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock

from awrdiff.analysis.entities.entity_json import as_dict as entity_dict
from awrdiff.analysis.entities.kinds import KINDS, LONGEST_KEY, Ref
from awrdiff.analysis.entities.two_report_entity import entity
from awrdiff.analysis.export.comparison_json import conclusions_of_pair, section_parts
from awrdiff.analysis.export.json_encoding import whole
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.assistant.report_source import Document, Page, part
from awrdiff.cli.comparing import compare
from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.report_files import one_line
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.pseudonyms import Pseudonyms
from awrdiff.redaction.report import redact
from parsers import Report, UnsupportedReport, parse_report
from parsers.archive import Limits, Member
from parsers.command_line_inputs import files_in, members_of

PATIENCE_S = 20.0  # that an answer may take over reading files
_REPORTS, _COMPARISONS = 4, 8  # kept in memory
_UNREADABLE = "It cannot be read as a report."
_LARGEST = Limits().all_bytes


Stamp = tuple[int, int]  # of a file: when it was changed in ns, and its size in bytes


@dataclass(slots=True)
class Listing:
    """Reports of a file, as far as time allowed."""

    stamp: Stamp
    lines: list[Document] = field(default_factory=list)
    is_whole: bool = False


class Folder:
    """`rule`: names, also of files and folders, are replaced before any comparison."""

    def __init__(self, folder: Path, rule: Redaction | None) -> None:
        if not folder.is_dir():
            raise Refused(f"{folder}: there is no such folder.")
        self._folder, self._root, self._rule = folder, folder.resolve(), rule
        self._names = Pseudonyms(rule.key) if rule else None
        self._lock = Lock()
        self._listed: dict[Path, Listing] = {}
        self._places: dict[str, tuple[Path, str]] = {}  # of reports by id: the file, and the name in it
        self._compared: dict[str, tuple[str, ...]] = {}  # the reports of each comparison
        self._report = lru_cache(_REPORTS)(self._load)
        self._pairs = lru_cache(_COMPARISONS)(self._computed)

    # Lists

    def databases(self, limit: int, cursor: str) -> Page:
        with self._lock:
            lists, unread = self._read_all()
        databases: dict[str, Document] = {}
        for report in (entry for listed in lists for entry in listed if entry["database"]):
            database = databases.setdefault(
                report["database"], {"id": report["database"], "name": report["database"], "reports": 0}
            )
            database["reports"] += 1
        return Page(*part([databases[name] for name in sorted(databases)], limit, cursor), unread)

    def reports(self, database: str, limit: int, cursor: str) -> Page:
        with self._lock:
            lists, unread = self._read_all()
        matches = [report for listed in lists for report in listed if not database or report["database"] == database]
        return Page(*part(matches, limit, cursor), unread)

    def comparisons(self, limit: int, cursor: str) -> Page:
        compared = list(self._compared.items())
        items: list[Document] = [
            {"id": comparison_id, "state": "ready", "reports": list(reports)} for comparison_id, reports in compared
        ]
        return Page(*part(items, limit, cursor))

    def _read_all(self) -> tuple[list[list[Document]], int]:
        """Reports by file, and number of unfinished files; the next call continues there."""
        try:
            paths = files_in(self._folder)
        except UnsupportedReport:
            paths = []
        except OSError as error:
            raise Refused(f"The folder cannot be read: {error.strerror or error}.") from None
        end = time.monotonic() + PATIENCE_S
        lists, unread = [], 0
        for path in paths:
            stamp = self._stamp(path)
            if stamp is None:
                continue
            listing = self._listed.get(path)
            if listing is None or listing.stamp != stamp:
                listing = self._listed[path] = Listing(stamp)
            if not listing.is_whole and time.monotonic() <= end:
                for member in islice(self._members(path), len(listing.lines), None):
                    if time.monotonic() > end:
                        break
                    listing.lines.append(self._line(path, member))
                else:
                    listing.is_whole = True
            unread += not listing.is_whole
            lists.append(listing.lines)
        return lists, unread

    def _stamp(self, path: Path) -> Stamp | None:
        """None for links out of the folder."""
        try:
            status = path.stat()
            is_inside = path.resolve().is_relative_to(self._root)
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size) if is_inside else None

    def _line(self, path: Path, member: Member) -> Document:
        """As `/api/v1/reports` lists it."""
        report_id = self._id(member.name)
        self._places[report_id] = (path, member.name)
        header: Document = {}
        error = self._refusal(member.refusal) if member.refusal else None
        if not error:
            try:
                header = self._parse(member).header()
            except UnsupportedReport as refusal:
                error = self._refusal(refusal)
        instances = header.get("instances") or [{}]
        snapshots = header.get("snapshots") or {}
        return {
            "id": report_id,
            "name": report_id,
            "state": "failed" if error else "ready",
            "error": error,
            "kind": header.get("kind"),
            "release": header.get("release"),
            "database": (header.get("database") or {}).get("name"),
            "instance": instances[0].get("name"),
            "host": (header.get("host") or {}).get("name"),
            "begin": (snapshots.get("begin") or {}).get("time"),
            "end": (snapshots.get("end") or {}).get("time"),
        }

    def _members(self, path: Path) -> Iterator[Member]:
        try:
            if path.stat().st_size > _LARGEST:
                reason = f"The file is larger than {_LARGEST >> 20} MiB, the most that is read."
                yield Member(str(path), b"", UnsupportedReport(reason))
                return
            yield from (member for member in members_of(str(path)) if not member.stray)
        except UnsupportedReport as refusal:
            yield Member(str(path), b"", refusal)
        except OSError as error:
            yield Member(str(path), b"", UnsupportedReport(f"It cannot be read: {error.strerror or error}."))

    def _id(self, name: str) -> str:
        below = str(Path(name).relative_to(self._folder)) if Path(name).is_relative_to(self._folder) else name
        return self._names.name("report", below) if self._names else below

    def _refusal(self, refusal: UnsupportedReport) -> str:
        return _UNREADABLE if self._rule else one_line(str(refusal))

    def _parse(self, member: Member) -> Report:
        report_id = self._id(member.name)
        report = parse_report(member.data, name=report_id)
        return redact(report, self._rule, report_id) if self._rule else report

    # Comparisons

    def compare(self, reports: list[str]) -> Document:
        digest = sha256("\0".join(reports).encode("utf-8", "surrogatepass")).hexdigest()
        comparison_id = f"comparison-{digest[:12]}"
        with self._lock:
            self._pairs_of(tuple(reports))
            self._compared[comparison_id] = tuple(reports)
        return self.overview(comparison_id, 0)

    def overview(self, comparison: str, pair: int) -> Document:
        computed = self._pair(comparison, pair)
        return {
            "id": comparison,
            "state": "ready",
            "headers": list(computed.headers),
            **conclusions_of_pair(computed),
            "sections": [
                {"id": s.id, "title": s.title, "rows": len(s.rows), "changed": s.changed} for s in computed.sections
            ],
        }

    def section(self, comparison: str, section: str, pair: int) -> Document:
        sections = self._pair(comparison, pair).sections
        match = next((s for s in sections if s.id == section), None)
        if match is None:
            raise Refused(f"There is no section “{section}” in this comparison: list_sections says what there is.")
        document: Document = whole(section_parts(match))
        return document

    def entity(self, comparison: str, kind: str, key: str, pair: int) -> Document:
        computed = self._pair(comparison, pair)
        if kind not in KINDS or not key.strip() or len(key) > LONGEST_KEY:
            raise Refused(f"There is no such thing. The kinds are {', '.join(KINDS)}.")
        history = entity(computed, computed.sections, Ref(kind, key))
        if history is None:
            raise Refused(f"Neither report names a {KINDS[kind].name} “{key}”.")
        return entity_dict(history)

    def _pair(self, comparison: str, pair: int) -> Comparison:
        with self._lock:
            reports = self._compared.get(comparison)
            if reports is None:
                raise Refused(f"There is no comparison “{comparison}”: compare_reports makes one and says its id.")
            pairs = self._pairs_of(reports)
        if pair >= len(pairs):
            raise Refused("There is no such pair in this comparison.")
        return pairs[pair]

    def _pairs_of(self, reports: tuple[str, ...]) -> tuple[Comparison, ...]:
        return self._pairs(tuple((report, *self._place(report)) for report in reports))

    def _computed(self, places: tuple[tuple[str, Stamp, Path, str], ...]) -> tuple[Comparison, ...]:
        return compare([self._report(*place) for place in places])

    def _place(self, wanted: str) -> tuple[Stamp, Path, str]:
        unread = 0
        if wanted not in self._places:
            _, unread = self._read_all()
        place = self._places.get(wanted)
        stamp = self._stamp(place[0]) if place else None
        if place is not None and stamp is not None:
            return stamp, *place
        if unread:
            raise Refused(f"“{wanted}” is not among what was read so far; {unread} files are not read yet: ask again.")
        raise Refused(f"There is no report “{wanted}” in the folder: list_reports says what there is.")

    def _load(self, wanted: str, _stamp: Stamp, path: Path, name: str) -> Report:
        member = next((candidate for candidate in self._members(path) if candidate.name == name), None)
        if member is None:
            raise Refused(f"{wanted}: it is not there any more.")
        try:
            if member.refusal:
                raise member.refusal
            return self._parse(member)
        except UnsupportedReport as refusal:
            raise Refused(f"{wanted}: {self._refusal(refusal)}") from None
