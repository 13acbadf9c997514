"""Reports in a mail or a saved page (`.mhtml`): their decoded parts."""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator
from typing import Final

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
    """Decoded parts of a mail; empty for other files and unencoded mails."""
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
