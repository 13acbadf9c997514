"""Sending files to a server: each once, and known where it was sent before."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from awrdiff.cli.refusal import Refused
from awrdiff.cli.server import Server
from parsers import UnsupportedReport
from parsers.archive import is_archive, stray_refusal
from parsers.inputs import STDIN, STDIN_NAME, files_in

AT_ONCE = 4
ASKED_AT_ONCE = 200  # files that the server is asked for by their digests before any of them is sent
BULK = 100  # more files than that are history: they are read after what somebody waits for
PUSHED, KNOWN, COMPARED = "reports/", "reports/known/", "comparisons/"


class Failed(Refused):
    """It was sent, and reading or comparing it has failed."""


class Source(NamedTuple):
    """A file, or what standard input held. `beside`: nobody named it, it lies in a folder that was named."""

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
    """What became of a file: the documents of its reports and whether they were there before, or why there is none;
    `left_out` are sentences about what is no report in an archive or folder."""

    name: str
    reports: tuple[dict[str, Any], ...] = ()
    known: bool = False
    refusals: tuple[str, ...] = ()
    digest: str = ""
    later: bool = False  # it may be otherwise then
    left_out: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        for one in self.reports:
            said = "failed" if _has_failed(one) else "known" if self.known else "new"
            yield f"{one['id']} {said} {one.get('name') or self.name}"


def sources_of(paths: Sequence[str]) -> list[Source]:
    """Files as they are, of folders all that is below, by name; hidden ones are left out."""
    found: list[Source] = []
    for given in dict.fromkeys(paths):
        path = Path(given)
        if given == STDIN:
            found.append(Source(STDIN_NAME, sys.stdin.buffer.read()))
            continue
        if not path.exists():
            raise Refused(f"{path}: there is no such file or folder.")
        try:
            in_folder = path.is_dir()
            found += [Source(str(one), beside=in_folder) for one in (files_in(path) if in_folder else [path])]
        except UnsupportedReport as empty:
            raise Refused(f"{path}: {empty}") from empty
    return found


def push(sources: Sequence[Source], server: Server, tell: Callable[[Sent], object]) -> None:
    """Each is told of in its order. Raises as `Server`."""
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
    """What is sent at once: of files with the same bytes the first goes, and the others are known by it."""

    def __init__(self, server: Server, *, in_bulk: bool) -> None:
        self.server, self._in_bulk = server, in_bulk
        self._asks = True
        self._first: dict[str, tuple[Source, Future[Sent]]] = {}
        self._known: dict[str, dict[str, Any]] = {}

    def ask(self, sources: Sequence[Source], digests: Sequence[str]) -> None:
        """What the server has already, it is not sent again. An older one is not asked twice."""
        for source, digest in zip(sources, digests, strict=True):
            self._first.setdefault(digest, (source, Future()))
        if self._asks and any(digests):
            answer = self.server.post(KNOWN, [("sha256", one) for one in digests if one])
            self._asks = answer.is_fine
            known = answer.said.get("known")
            self._known |= known if answer.is_fine and isinstance(known, dict) else {}

    def send(self, source: Source, digest: str) -> Sent:
        name = Path(source.name).name
        if digest in self._known:
            found = {**self._known[digest], "name": name}
            return Sent(
                source.name, (found,), known=True, refusals=tuple(_failures(source.name, [found])), digest=digest
            )
        if not digest:
            return send(source, self.server, in_bulk=self._in_bulk)
        first, answer = self._first[digest]
        if source is not first:
            told = answer.result()
            reports = tuple({**one, "name": name} for one in told.reports) if len(told.reports) == 1 else told.reports
            return replace(told, name=source.name, reports=reports, known=True)
        try:
            sent = replace(send(source, self.server, in_bulk=self._in_bulk), digest=digest)
        except BaseException as error:
            answer.set_exception(error)
            raise
        answer.set_result(sent)
        return sent


def digest_of(source: Source) -> str:
    """Empty where it cannot be read: sending says why."""
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
    said = answer.said
    if not {"reports", "id"} & said.keys():  # a proxy's own page; what was sent may never have come
        why = f"{source.name}: what answers there is no awrdiff server."
        return Sent(source.name, refusals=(why,), later=True)
    several = said.get("reports")
    found = tuple(several if several is not None else (said,))
    refusals = [f"{source.name}: {one.get('name')}: {one.get('error')}" for one in said.get("refused", ())]
    left_out = [f"{source.name}: {one.get('name')}: left out: {one.get('error')}" for one in said.get("left_out", ())]
    refusals += _failures(source.name, found)
    return Sent(source.name, found, answer.status == 200, tuple(refusals), left_out=tuple(left_out))


def _has_failed(report: dict[str, Any]) -> bool:
    """It was sent before, and could not be read: sending it again would end the same."""
    return report.get("state") == "failed" and not _is_left_out(report)


def _is_left_out(report: dict[str, Any]) -> bool:
    """It is no report, beside those of an archive."""
    return report.get("error_code") == "left-out"


def _failures(name: str, reports: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (f"{name}: {one.get('error') or 'it could not be read'}" for one in reports if _has_failed(one))


def compared(ids: Sequence[str], server: Server, *, by_time: bool) -> str:
    """The id of the comparison of these reports; the one that is there already, where there is one. Raises Refused."""
    order = [("order", "time")] if by_time else []
    answer = server.post(COMPARED, [*(("report", one) for one in ids), *order])
    if not answer.is_fine:
        raise Refused(f"Nothing is compared: {answer.reason}")
    return str(answer.said["id"])


def findings_in(report: str, server: Server) -> list[Finding]:
    """Of the report once it is read, or of each in a file of several. Raises Failed where it cannot be."""
    said = server.settled(f"{PUSHED}{report}/")
    if _is_left_out(said):
        return []
    ready(said)
    found = [Finding(one["severity"], one["rule"], one["title"]) for one in said.get("findings") or ()]
    return [*found, *(one for part in said.get("parts") or () for one in findings_in(part["id"], server))]


def findings_between(comparison: str, server: Server) -> list[Finding]:
    """Of every pair of it, once it is computed. Raises Failed where it cannot be."""
    ready(server.settled(f"{COMPARED}{comparison}/status/"))
    answer = server.get(f"{COMPARED}{comparison}/export.json?part=summary")
    if not answer.is_fine:
        raise Refused(f"{comparison}: {answer.reason}")
    said = answer.said
    found = (one for pair in (said, *said.get("pairs", ())) for one in pair.get("findings", ()))
    return list(dict.fromkeys(Finding(one["severity"], one["rule"], one["title"]) for one in found))


def ready(said: dict[str, Any]) -> dict[str, Any]:
    if said["state"] == "failed":
        name = said.get("name") or said.get("title") or said["id"]
        raise Failed(f"{name}: {said.get('error') or 'it has failed'}")
    return said
