"""Files with several reports: concatenated, or the parts of one mail."""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from parsers.files.encoding import decode
from parsers.files.mail_and_browser_wrappings import PAGE, TITLE, mend

_HEADER: Final = re.compile(
    rb"(?:[A-Z][A-Za-z0-9-]{1,40}:[^\r\n]{0,2000}(?:\r?\n[ \t][^\r\n]{0,2000}){0,50}\r?\n){2,60}\r?\n"
)
_FROM: Final = re.compile(rb"\A(?:From |>From )[^\r\n]{0,500}\r?\n")  # the line a mailbox puts above each mail
_MAIL: Final = re.compile(rb"^(?:Subject|From|Content-Type|MIME-Version):", re.IGNORECASE | re.MULTILINE)
_ENCODING: Final = re.compile(rb"^Content-Transfer-Encoding:\s*([\w-]{1,40})", re.IGNORECASE | re.MULTILINE)
_BOUNDARY: Final = re.compile(
    rb"""^Content-Type:\s*multipart/[^\0]{0,500}?boundary=(?:"([^"\r\n]{1,200})"|([^\s;]{1,200}))""", re.I | re.M
)
_PART_HEADER: Final = re.compile(
    rb"\A(?:\r?\n)?((?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\r\n]{0,2000}(?:\r?\n[ \t][^\r\n]{0,2000}){0,50}\r?\n){0,60})\r?\n"
)
_MAX_PARTS: Final = 200
_MAX_DEPTH: Final = 3


def is_mail(data: bytes) -> bool:
    return bool(_head_of(data))


def parts_of(data: bytes) -> list[bytes]:
    """Decoded parts of a mail; empty for others and unencoded mails."""
    head = _head_of(data)
    if not head:
        return []
    parts = list(_parts(head, data[_start(data) + len(head) :], 0))
    return [p for p in parts if p.strip()][:_MAX_PARTS]


def _start(data: bytes) -> int:
    line = _FROM.match(data)
    return line.end() if line else 0


def _head_of(data: bytes) -> bytes:
    header = _HEADER.match(data, _start(data))
    return header[0] if header and _MAIL.search(header[0]) else b""


def _parts(head: bytes, body: bytes, depth: int) -> Iterator[bytes]:
    boundary = _BOUNDARY.search(head)
    if boundary and depth < _MAX_DEPTH:
        for piece in body.split(b"--" + (boundary[1] or boundary[2]), _MAX_PARTS)[1:]:
            if piece.startswith(b"--"):
                break
            header = _PART_HEADER.match(piece)
            if header:
                yield from _parts(header[1], piece[header.end() :], depth + 1)
        return
    yield _decode(head, body)


def _decode(head: bytes, body: bytes) -> bytes:
    match = _ENCODING.search(head)
    encoding = match[1].lower() if match else b""
    if encoding == b"quoted-printable":
        return quopri.decodestring(body)
    if encoding == b"base64":
        try:
            return binascii.a2b_base64(body)
        except binascii.Error:  # cut off: what is there up to the last whole group
            body = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            try:
                return binascii.a2b_base64(body[: len(body) // 4 * 4])
            except binascii.Error:
                return b""
    return body


MOST_REPORTS: Final = 200  # in one file
_SHORTEST: Final = 200  # characters of a report; a title printed over and over is one
_END: Final = re.compile(r"</html|^[ \t]{0,40}End of Report\b", re.IGNORECASE | re.MULTILINE)
# Oracle's compare report as text ends without saying so.
_ENDLESS: Final = re.compile(r"[ \t]{0,40}WORKLOAD REPOSITORY COMPARE PERIOD", re.IGNORECASE)
# A title with the names of the database below it begins another report though the first was cut off.
_HEADED: Final = re.compile(
    r"[ \t]{0,40}(?:#{1,6} )?WORKLOAD REPOSITORY report for[^\n]{0,200}\n(?:[^\n]{0,200}\n){0,4}?[^\n]{0,99}DB Name",
    re.IGNORECASE,
)
_TITLE_BYTES: Final = re.compile(
    rb"workload\s+repository|statspack rep|ash report|addm|_lg(?:wr|\d\d)_|log write", re.I
)
_TITLES: Final = ("WORKLOAD REPOSITORY", "STATSPACK report for")
_QUOTED: Final = ("ASH Report For", "ADDM Report for Task", "ADDM REPORT FOR TASK")  # AWR reports hold such too
_HEAD: Final = 30_000
# What an excerpt begins with: its snapshots, its load profile or its largest events, whichever comes first.
_OF_EXCERPTS: Final = re.compile(
    r"^[ \t>#*|]{0,20}(?:(Begin Snap:)|(Load Profile\b(?![ \t]+(?!Per\b)\w))|(Top \d{1,2} (?:Timed|Foreground)\b))"
    r"[^\n]{0,200}$",
    re.MULTILINE,
)
_ROW: Final = re.compile(r"\d[\d,.]*[KMG]?[ \t|]+[\d,.]*\d")
_MOST_ABOVE: Final = 4  # lines over the first figures of an excerpt


def split_reports(data: bytes) -> list[bytes]:
    """Reports in `data`; `[data]`, unchanged, for one or none."""
    if is_mail(data):
        parts = [part for part in parts_of(data) if _has_title(part)]
        if len(parts) > 1:
            return [piece for part in parts for piece in _pieces(part)][:MOST_REPORTS]
    return _pieces(data)


def body_of(data: bytes) -> bytes:
    """First part of a mail with a report, else `data`."""
    if not is_mail(data):
        return data
    return next((part for part in parts_of(data) if _has_title(part)), data)


def report_starts(text: str, most: int = MOST_REPORTS) -> list[int]:
    """Offsets of the reports of a mended text, from 0."""
    starts = [0]
    heading = "<H1" if "<H1" in text[:_HEAD] else "<h1"
    words = (heading, *_TITLES)
    if not any(word in text[:_HEAD] for word in words):
        words = _QUOTED
        if "<t" not in text[:_HEAD] and not any(word in text for word in (*_TITLES, *_QUOTED)):
            return _excerpt_starts(text, most)
    if not any(_is_repeated(text, word) for word in words):  # a fast look before the slow one
        return starts
    titles = [m.start() for m in TITLE.finditer(text)]
    for before, title in pairwise(titles):
        if title - before < _SHORTEST:
            continue
        pages = [m.start() for m in PAGE.finditer(text, before, title)]
        ended = pages or _END.search(text, before, title) or _ENDLESS.match(text, before) or _HEADED.match(text, title)
        if len(starts) < most and ended:
            starts.append(pages[-1] if pages else text.rfind("\n", before, title) + 1 or title)
    return starts


def _excerpt_starts(text: str, most: int) -> list[int]:
    marks = [m for m in _OF_EXCERPTS.finditer(text) if _ROW.search(text, m.start(), m.end() + 2_000)]
    starts = [_above(text, m.start()) for m in marks if m.lastindex == marks[0].lastindex]
    return [0, *starts[1:most]]


def _above(text: str, at: int) -> int:
    for _ in range(_MOST_ABOVE):
        before = text.rfind("\n", 0, max(0, at - 1)) + 1
        if at == 0 or not text[before : at - 1].strip():
            break
        at = before
    return at


def _is_repeated(text: str, word: str) -> bool:
    return text.find(word, 0, max(0, text.rfind(word))) >= 0


def _pieces(data: bytes) -> list[bytes]:
    text = mend(decode(body_of(data)).text).text
    starts = report_starts(text)
    if len(starts) == 1:
        return [data]
    return [text[a:b].encode("utf-8", "replace") for a, b in pairwise([*starts, len(text)])]


def _has_title(part: bytes) -> bool:
    return bool(_TITLE_BYTES.search(part.replace(b"\0", b"")))
