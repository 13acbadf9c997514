"""Downloads and other answers, streamed from the database: no request loads a whole comparison."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import get_text_list, slugify

from awrdiff.accounts.access import HeldLink
from awrdiff.analysis.export.brief_summary import as_brief, ticket_pieces
from awrdiff.analysis.export.formats import FORMATS
from awrdiff.analysis.export.json_encoding import pieces
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.comparisons.stored_comparison_export import Changed
from awrdiff.sharing.access import ExportSlot

TICKET = "txt"


@dataclass(frozen=True, slots=True)
class Export:
    label: str
    hint: str
    content_type: str
    write: Callable[[Sequence[Comparison]], Iterator[str]]
    brief: Callable[[Sequence[Comparison]], str] | None = None  # what stands for it without the sections
    for_people: bool = False  # the pair that is looked at comes first
    tells_sections: bool = True

    def pieces(self, comparisons: Sequence[Comparison], *, sections: bool) -> Iterator[str]:
        if sections or self.brief is None:
            return self.write(comparisons)
        return iter((self.brief(comparisons),))


# By the ending of the file.
EXPORTS = {
    "txt": Export(
        "Ticket",
        "both hours, verdict, who and what, the link: at most 12 lines",
        "text/plain; charset=utf-8",
        ticket_pieces,
        for_people=True,
        tells_sections=False,
    ),
    "md": Export(
        "Markdown",
        "everything that counts, as text",
        "text/markdown; charset=utf-8",
        FORMATS["markdown"],
        as_brief,
        for_people=True,
    ),
    "html": Export(
        "HTML",
        "one page to send: opens without network or script",
        "text/html; charset=utf-8",
        FORMATS["html"],
        for_people=True,
    ),
    "json": Export("JSON", "everything, for scripts", "application/json", FORMATS["json"]),
    "csv": Export("CSV", "every figure on a line, for a spreadsheet", "text/csv; charset=utf-8", FORMATS["csv"]),
}


ENDINGS = get_text_list(list(EXPORTS), "or")


def file_name(title: str, ending: str) -> str:
    """`awrdiff-receipt-11-jan-2018-0930-1030-1130-1231.md`"""
    return f"awrdiff-{slugify(title)[:80].strip('-') or 'comparison'}.{ending}"


CHUNK_CHARACTERS = 64 * 1024
LOOK_EVERY_S = 5
logger = logging.getLogger(__name__)


class CutShort(ConnectionResetError):
    """Aborts the connection, so that clients see it incomplete."""


def stream(
    request: HttpRequest, pieces: Callable[[], Iterable[str]], content_type: str, headers: dict[str, str]
) -> HttpResponseBase:
    """The first two chunks precede the answer: early errors get their status. HEAD makes nothing."""
    if request.method == "HEAD":
        return HttpResponse(content_type=content_type, headers=headers)
    chunks = _chunks(pieces())
    first, second = next(chunks, b""), next(chunks, None)
    if second is None:
        return HttpResponse(first, content_type=content_type, headers=headers)
    following = chain([first, second], _or_cut_short(chunks))
    return StreamingHttpResponse(following, content_type=content_type, headers=headers)


def json_stream(request: HttpRequest, document: object) -> HttpResponseBase:
    return stream(request, lambda: pieces(document), "application/json", {})


def one_of_few(link: HeldLink, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Few concurrent answers per link; its slot is free however one ends."""
    slot = ExportSlot(link.pk)
    try:
        response = make()
    except BaseException:
        slot.close()
        raise
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = slot.weighed(_while_open(slot, iter(response)))
    response._resource_closers.append(slot.close)  # type: ignore[attr-defined]
    return response


def _chunks(pieces: Iterable[str]) -> Iterator[bytes]:
    buffer: list[str] = []
    size = 0
    for piece in pieces:
        buffer.append(piece)
        size += len(piece)
        if size >= CHUNK_CHARACTERS:
            yield _encode(buffer)
            buffer, size = [], 0
    if buffer:
        yield _encode(buffer)


def _encode(texts: list[str]) -> bytes:
    return "".join(texts).encode("utf-8", "replace")  # a lone surrogate out of a broken file is not UTF-8


def _or_cut_short(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Noted in the file: HTTP/1.0 cannot signal a lost version."""
    try:
        yield from chunks
    except Changed:
        yield from _cut_short(Changed.sentence)


def _while_open(slot: ExportSlot, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Slow readers use no more than their team's slots."""
    look_at = time.monotonic() + LOOK_EVERY_S
    for chunk in chunks:
        if time.monotonic() >= look_at:
            look_at = time.monotonic() + LOOK_EVERY_S
            if not slot.is_open():
                yield from _cut_short("The link that it was fetched by has ended.")
        yield chunk


def _cut_short(sentence: str) -> Iterator[bytes]:
    logger.warning("An answer was cut short: %s", sentence)
    yield f"\n\nTHIS FILE IS NOT WHOLE. {sentence}\n".encode()
    raise CutShort(errno.ECONNRESET, sentence) from None


def download(request: HttpRequest, title: str, ending: str, pieces: Callable[[], Iterable[str]]) -> HttpResponseBase:
    disposition = content_disposition_header(as_attachment=True, filename=file_name(title, ending))
    headers = {"Content-Disposition": disposition or ""}
    return stream(request, pieces, EXPORTS[ending].content_type, headers)
