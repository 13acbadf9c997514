"""Uploads to a server: each file once, if it lacks it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.http_client import Server
from parsers import UnsupportedReport
from parsers.archive import is_archive, stray_refusal
from parsers.command_line_inputs import STDIN, STDIN_NAME, files_in

AT_ONCE = 4
ASKED_AT_ONCE = 200  # files that the server is asked for by their digests before any of them is sent
BULK = 100  # more files than that are history: they are read after what somebody waits for
PUSHED, DIGESTS, COMPARED = "reports/", "reports/known/", "comparisons/"


class Failed(Refused):
    """File sent, but reading or comparing it failed."""


class Source(NamedTuple):
    """File, or standard input. `beside`: from a named folder."""

    name: str
    data: bytes | None = None
    beside: bool = False

    def read(self) -> bytes:
        return Path(self.name).read_bytes() if self.data is None else self.data


class Finding(NamedTuple):
    severity: str
    rule: str
    title: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Upload of one file. `left_out`: sentences about members that are no reports."""

    name: str
    reports: tuple[dict[str, Any], ...] = ()
    was_known: bool = False
    refusals: tuple[str, ...] = ()
    digest: str = ""
    later: bool = False  # it may be otherwise then
    left_out: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        for report in self.reports:
            state = "failed" if _has_failed(report) else "known" if self.was_known else "new"
            yield f"{report['id']} {state} {report.get('name') or self.name}"


def sources_of(paths: Sequence[str]) -> list[Source]:
    """Files, and visible ones below folders, by name."""
    sources: list[Source] = []
    for argument in dict.fromkeys(paths):
        path = Path(argument)
        if argument == STDIN:
            sources.append(Source(STDIN_NAME, sys.stdin.buffer.read()))
            continue
        if not path.exists():
            raise Refused(f"{path}: there is no such file or folder.")
        try:
            in_folder = path.is_dir()
            sources += [Source(str(file), beside=in_folder) for file in (files_in(path) if in_folder else [path])]
        except UnsupportedReport as empty:
            raise Refused(f"{path}: {empty}") from empty
    return sources


def push(sources: Sequence[Source], server: Server, tell: Callable[[Sent], object]) -> None:
    """Calls `tell` for each, in order. Raises as `Server`."""
    pushing = _Pushing(server, in_bulk=len(sources) > BULK)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for start in range(0, len(sources), ASKED_AT_ONCE):
                some = sources[start : start + ASKED_AT_ONCE]
                digests = list(pool.map(digest_of, some))
                pushing.ask(some, digests)
                for sent in pool.map(pushing.send, some, digests):
                    tell(sent)
        except BaseException:
            server.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Pushing:
    """Parallel uploads; of equal files only the first is sent."""

    def __init__(self, server: Server, *, in_bulk: bool) -> None:
        self.server, self._in_bulk = server, in_bulk
        self._asks = True
        self._first: dict[str, tuple[Source, Future[Sent]]] = {}
        self._known_documents: dict[str, dict[str, Any]] = {}

    def ask(self, sources: Sequence[Source], digests: Sequence[str]) -> None:
        """Older servers cannot answer: ask only once."""
        for source, digest in zip(sources, digests, strict=True):
            self._first.setdefault(digest, (source, Future()))
        if self._asks and any(digests):
            answer = self.server.post(DIGESTS, [("sha256", digest_hex) for digest_hex in digests if digest_hex])
            self._asks = answer.is_fine
            reports = answer.document.get("known")
            self._known_documents |= reports if answer.is_fine and isinstance(reports, dict) else {}

    def send(self, source: Source, digest: str) -> Sent:
        name = Path(source.name).name
        if digest in self._known_documents:
            existing = {**self._known_documents[digest], "name": name}
            return Sent(
                source.name,
                (existing,),
                was_known=True,
                refusals=tuple(_failures(source.name, [existing])),
                digest=digest,
            )
        if not digest:
            return send(source, self.server, in_bulk=self._in_bulk)
        first, answer = self._first[digest]
        if source is not first:
            earlier = answer.result()
            reports = (
                tuple({**report, "name": name} for report in earlier.reports)
                if len(earlier.reports) == 1
                else earlier.reports
            )
            return replace(earlier, name=source.name, reports=reports, was_known=True)
        try:
            sent = replace(send(source, self.server, in_bulk=self._in_bulk), digest=digest)
        except BaseException as error:
            answer.set_exception(error)
            raise
        answer.set_result(sent)
        return sent


def digest_of(source: Source) -> str:
    """ "" if unreadable: sending says why."""
    try:
        return hashlib.sha256(source.read()).hexdigest()
    except OSError:
        return ""


def send(source: Source, server: Server, *, in_bulk: bool = False) -> Sent:
    try:
        data = source.read()
    except OSError as error:
        return Sent(source.name, refusals=(f"{source.name}: {error.strerror or error}.",), later=True)
    stray = stray_refusal(data) if source.beside and not is_archive(data) else None
    if stray:
        return Sent(source.name, left_out=(f"{source.name}: left out: {stray}",))
    answer = server.send(PUSHED, Path(source.name).name, data, in_bulk=in_bulk)
    if not answer.is_fine:
        return Sent(source.name, refusals=(f"{source.name}: {answer.reason}",), later=not answer.is_final)
    document = answer.document
    if not {"reports", "id"} & document.keys():  # a proxy's own page; what was sent may never have come
        why = f"{source.name}: what answers there is no awrdiff server."
        return Sent(source.name, refusals=(why,), later=True)
    several = document.get("reports")
    reports = tuple(several if several is not None else (document,))
    refusals = [f"{source.name}: {member.get('name')}: {member.get('error')}" for member in document.get("refused", ())]
    left_out = [
        f"{source.name}: {member.get('name')}: left out: {member.get('error')}"
        for member in document.get("left_out", ())
    ]
    refusals += _failures(source.name, reports)
    return Sent(source.name, reports, answer.status == 200, tuple(refusals), left_out=tuple(left_out))


def _has_failed(report: dict[str, Any]) -> bool:
    """Known and unreadable: resending would not help."""
    return report.get("state") == "failed" and not _is_left_out(report)


def _is_left_out(report: dict[str, Any]) -> bool:
    return report.get("error_code") == "left-out"


def _failures(name: str, reports: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (f"{name}: {report.get('error') or 'it could not be read'}" for report in reports if _has_failed(report))


def compared(ids: Sequence[str], server: Server, *, by_time: bool) -> str:
    """Comparison id. Raises Refused."""
    order = [("order", "time")] if by_time else []
    answer = server.post(COMPARED, [*(("report", report) for report in ids), *order])
    if not answer.is_fine:
        raise Refused(f"Nothing is compared: {answer.reason}")
    return str(answer.document["id"])


def findings_in(report: str, server: Server) -> list[Finding]:
    """Waits until read. Raises Failed."""
    document = server.wait_until_settled(f"{PUSHED}{report}/")
    if _is_left_out(document):
        return []
    ready(document)
    findings = [
        Finding(finding["severity"], finding["rule"], finding["title"]) for finding in document.get("findings") or ()
    ]
    return [
        *findings,
        *(finding for part in document.get("parts") or () for finding in findings_in(part["id"], server)),
    ]


def findings_between(comparison: str, server: Server) -> list[Finding]:
    """Waits until computed. Raises Failed."""
    ready(server.wait_until_settled(f"{COMPARED}{comparison}/status/"))
    answer = server.get(f"{COMPARED}{comparison}/export.json?part=summary")
    if not answer.is_fine:
        raise Refused(f"{comparison}: {answer.reason}")
    summary = answer.document
    documents = (finding for pair in (summary, *summary.get("pairs", ())) for finding in pair.get("findings", ()))
    return list(
        dict.fromkeys(Finding(document["severity"], document["rule"], document["title"]) for document in documents)
    )


def ready(document: dict[str, Any]) -> dict[str, Any]:
    if document["state"] == "failed":
        name = document.get("name") or document.get("title") or document["id"]
        raise Failed(f"{name}: {document.get('error') or 'it has failed'}")
    return document
