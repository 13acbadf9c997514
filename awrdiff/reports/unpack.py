"""Files of one upload: itself or its archive's, stored TOGETHER at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice

from awrdiff.accounts.access import AccessContext
from awrdiff.reports import services
from awrdiff.reports.errors import NoRoom, UploadRefused, WrongKind
from awrdiff.reports.foreign_files import refuse_foreign
from awrdiff.reports.models import Report
from awrdiff.reports.queries import same_bytes
from awrdiff.reports.received_files import ReceivedFile, limit_bytes, receive_chunks
from awrdiff.reports.uploaded_report_rows import Incoming, clean_name
from parsers import UnsupportedReport
from parsers.archive import Limits, Packed, is_archive, unpack

HEAD = 1 << 16  # bytes that tell an archive
TOGETHER = 50  # each is an open file until it is kept
_LARGEST = 32  # times what one file may have, together: an archive of that size unpacks to half of it, seldom to all
_SECONDS = 150  # less than what a proxy waits for an answer (docs/operations.md)


@dataclass(slots=True)
class Outcome:
    """Received and then a row, or a reason."""

    name: str
    file: ReceivedFile | None = None
    archive: str = ""  # that it came in with others
    report: Report | None = None
    refusal: UploadRefused | None = None
    is_known: bool = False  # the team had one of these bytes
    left_out: bool = False  # no report at all, as a picture beside reports


def store_all(
    access: AccessContext, file: ReceivedFile, name: str, *, reuse: bool = False, in_bulk: bool = False
) -> list[Outcome]:
    """Closes `file`. Raises UploadRefused for the whole."""
    outcomes: list[Outcome] = []
    with closing(file):
        opening = _open(file, name)
        while True:
            with _closing([]) as batch:
                batch.extend(islice(opening, TOGETHER))
                if not batch:
                    break
                alone = not outcomes and len(batch) == 1
                _from_archive(batch, "" if alone or batch[0].file is file else clean_name(name))
                keep(access, batch, reuse=reuse, in_bulk=in_bulk or len(outcomes + batch) >= TOGETHER)
            outcomes += batch
    if not any(outcome.report for outcome in outcomes):
        raise _without_reports(clean_name(name), outcomes)
    return outcomes


@contextmanager
def received_files(file: ReceivedFile, name: str, most: int) -> Iterator[list[Outcome]]:
    """Batches up to `most` and one more; unstored ones vanish. Raises UploadRefused."""
    outcomes: list[Outcome] = []
    with closing(file), _closing(outcomes):
        for outcome in _open(file, name):
            outcomes.append(outcome)
            if sum(o.file is not None for o in outcomes) > most:
                break
        if not any(outcome.file for outcome in outcomes):
            raise _without_reports(clean_name(name), outcomes)
        _from_archive(outcomes, clean_name(name) if len(outcomes) > 1 else "")
        yield outcomes


@contextmanager
def _closing(outcomes: list[Outcome]) -> Iterator[list[Outcome]]:
    try:
        yield outcomes
    finally:
        for outcome in outcomes:
            if outcome.file is not None:
                outcome.file.close()


def _from_archive(outcomes: list[Outcome], name: str) -> None:
    for outcome in outcomes:
        outcome.archive = name


def keep(access: AccessContext, outcomes: Iterable[Outcome], *, reuse: bool = False, in_bulk: bool = False) -> None:
    """Rows in one transaction. `reuse`: use equal bytes' report."""
    good = [o for o in outcomes if o.file]
    there = same_bytes(access, [o.file.sha256 for o in good if o.file]) if reuse else {}
    for outcome in good:
        outcome.report = there.get(outcome.file.sha256) if outcome.file else None
        outcome.is_known = outcome.report is not None
    if not in_bulk:
        services.hasten(there.values())
    new = [o for o in good if o.report is None]
    incoming = [Incoming(o.file, o.name, o.archive, in_bulk) for o in new if o.file]
    for outcome, report in zip(new, services.store_uploads(access, incoming), strict=True):
        outcome.report = report


def _open(file: ReceivedFile, name: str) -> Iterator[Outcome]:
    """Raises UploadRefused for the whole, before the first."""
    head = file.read(HEAD)
    file.seek(0)
    if not is_archive(head):
        _refuse(file, clean_name(name))
        yield Outcome(clean_name(name), file)
        return
    limits = Limits(seconds=_SECONDS, one_bytes=limit_bytes(), all_bytes=_LARGEST * limit_bytes())
    try:
        for packed in unpack(file, name, limits):
            yield _receive(packed)
    except UnsupportedReport as refusal:
        raise WrongKind(f"“{clean_name(name)}”: {refusal}") from refusal


def _receive(packed: Packed) -> Outcome:
    """An error stops no other file."""
    name = clean_name(packed.name)
    try:
        file = receive_chunks(packed.chunks, packed.name)
    except UnsupportedReport as refusal:
        return Outcome(name, refusal=WrongKind(f"“{name}”: {refusal}"))
    except NoRoom:
        raise
    except UploadRefused as refusal:
        return Outcome(name, refusal=refusal)
    try:
        _refuse(file, name)
    except UploadRefused as refusal:
        file.close()
        return Outcome(name, refusal=refusal, left_out=True)
    return Outcome(name, file)


def _refuse(file: ReceivedFile, name: str) -> None:
    if not file.size:
        raise UploadRefused(f"“{name}” is empty: copy it again, or have the report written again.")
    refuse_foreign(file, name)


def _without_reports(name: str, outcomes: list[Outcome]) -> UploadRefused:
    refusals = [o.refusal for o in sorted(outcomes, key=lambda o: o.left_out) if o.refusal]
    further = len(refusals) - 1
    also = "The other file in it cannot" if further == 1 else f"None of the {further} other files in it can"
    more = f" {also} be read either." if further else ""
    return type(refusals[0])(f"“{name}” holds no report that can be read. {refusals[0].sentence}{more}")
