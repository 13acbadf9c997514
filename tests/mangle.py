"""Ways a report is mangled between the database and whoever reads it: each is a function of bytes to bytes."""

from __future__ import annotations

import base64
import quopri
import re
from collections.abc import Callable
from html import escape

_END_TAGS = re.compile(rb"</(?:td|th|tr|li|p|thead|tbody|html|body|head)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""=(["'])([\w#%.-]+)\1""")
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
MAIL = (
    b"From: Olivia <olivia@example.com>\nTo: Noah <noah@example.com>\nDate: Mon, 3 Feb 2020 11:20:00 +0000\n"
    b"Subject: WORKLOAD REPOSITORY report for the slow hour\nMessage-ID: <1@example.com>\n"
)
HELLO = b"Hello Noah,\n\nhere is the report of the slow hour.\n\n"


def minified(data: bytes) -> bytes:
    """As a minifier saves a page: no end tags that may be left out, unquoted attributes, few line ends."""
    return re.sub(rb">\s*\n\s*<", b"><", _ATTRIBUTE.sub(rb"=\2", _END_TAGS.sub(b"", data)))


def upper_case_tags(data: bytes) -> bytes:
    return _TAG.sub(lambda m: b"<" + m[1] + m[2].upper(), data)


def saved_by_browser(data: bytes) -> bytes:
    """The page as a browser writes its tree: tbody added, a comment on top, a meta tag put in."""
    comment = b"<!-- saved from url=(0045)file://server/reports/awrrpt_1_10_11.html -->\n"
    data = data.replace(b"<head>", b'<head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8">', 1)
    return comment + re.sub(rb"(<table[^>]*>)", rb"\1<tbody>", data).replace(b"</table>", b"</tbody></table>")


def without_row_ends(data: bytes) -> bytes:
    return data.replace(b"</tr>", b"").replace(b"</td>", b"").replace(b"</th>", b"")


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def classic_mac(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r")


def doubled_line_ends(data: bytes) -> bytes:
    """CRLF written once more as text: CR CR LF."""
    return data.replace(b"\n", b"\r\r\n")


def with_bom(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def in_mail(data: bytes) -> bytes:
    return MAIL + b"Content-Type: text/plain\n\n" + HELLO + data


def in_mail_quoted_printable(data: bytes) -> bytes:
    return (
        MAIL + b"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n" + quopri.encodestring(data)
    )


def in_mail_base64(data: bytes) -> bytes:
    return MAIL + b"Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(data)


def quoted(data: bytes) -> bytes:
    return b"".join(b"> " + line for line in data.splitlines(keepends=True))


def quoted_twice(data: bytes) -> bytes:
    return HELLO + b"".join(b">> " + line for line in data.splitlines(keepends=True))


def in_pre(data: bytes) -> bytes:
    """The report's source shown on a page, as a wiki or a ticket shows it."""
    shown = escape(data.decode()).encode()
    return b"<html><head><title>Ticket 12</title></head><body><p>See:</p><pre>\n" + shown + b"</pre></body></html>"


def view_source_firefox(data: bytes) -> bytes:
    lines = (
        f'<span id="line{n}"></span><span>{escape(line, quote=False)}</span>'
        for n, line in enumerate(data.decode().split("\n"), 1)
    )
    body = "\n".join(lines)
    return (
        f'<html><head><title>view-source</title></head><body id="viewsource"><pre>{body}</pre></body></html>'.encode()
    )


def view_source_chrome(data: bytes) -> bytes:
    rows = (
        f'<tr><td class="line-number" value="{n}"></td><td class="line-content">'
        f'<span class="html-tag">{escape(line, quote=False)}</span></td></tr>\n'
        for n, line in enumerate(data.decode().split("\n"), 1)
    )
    return f"<html><body><table><tbody>{''.join(rows)}</tbody></table></body></html>".encode()


def utf16(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


def utf16_without_bom(data: bytes) -> bytes:
    return data.decode().encode("utf-16-be")


def utf32(data: bytes) -> bytes:
    return data.decode().encode("utf-32")


def wrong_charset(data: bytes) -> bytes:
    """A meta tag that names another charset than the bytes are in."""
    return data.replace(b"<head>", b'<head><meta charset="utf-16"><meta charset="ISO-8859-7">', 1)


def one_line(data: bytes) -> bytes:
    return data.replace(b"\n", b" ")


def long_lines(data: bytes) -> bytes:
    """A line of a megabyte on top and one inside."""
    half = data.find(b"\n\n", len(data) // 2) + 1
    filler = b"<!-- " + b"x" * 2**20 + b" -->\n" if b"<table" in data.lower() else b" " * 2**20 + b"\n"
    return filler + data[:half] + filler + data[half:]


def with_nul(data: bytes) -> bytes:
    return data.replace(b"\n", b"\0\n", 50)


HTML: dict[str, Callable[[bytes], bytes]] = {
    f.__name__: f
    for f in (
        minified, upper_case_tags, saved_by_browser, without_row_ends, crlf, classic_mac, doubled_line_ends, with_bom,
        in_mail, in_mail_quoted_printable, in_mail_base64, quoted, quoted_twice, in_pre, view_source_firefox,
        view_source_chrome, utf16, utf16_without_bom, utf32, wrong_charset, one_line, long_lines, with_nul,
    )
}  # fmt: skip
TEXT: dict[str, Callable[[bytes], bytes]] = {
    f.__name__: f
    for f in (
        crlf, classic_mac, doubled_line_ends, with_bom, in_mail, in_mail_quoted_printable, in_mail_base64, quoted,
        quoted_twice, in_pre, view_source_firefox, utf16, utf16_without_bom, utf32, long_lines, with_nul,
    )
}  # fmt: skip
