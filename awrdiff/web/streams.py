"""Answers streamed from the database: no request loads a whole comparison."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

from awrdiff.analysis.export.pieces import pieces
from awrdiff.comparisons.stored import Changed
from awrdiff.sharing.rate import ExportSlot
from awrdiff.web.presenters.page import exports

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


def until_sent(slot: ExportSlot, response: HttpResponseBase) -> HttpResponseBase:
    """Frees the slot however it ends."""
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


__all__ = ["CutShort", "json_stream", "stream", "until_sent"]


def download(request: HttpRequest, title: str, ending: str, pieces: Callable[[], Iterable[str]]) -> HttpResponseBase:
    disposition = content_disposition_header(as_attachment=True, filename=exports.file_name(title, ending))
    headers = {"Content-Disposition": disposition or ""}
    return stream(request, pieces, exports.EXPORTS[ending].content_type, headers)
