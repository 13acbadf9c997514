"""Bytes to text. Reports declare no charset; SQL text may hold GBK or windows-1251."""

from __future__ import annotations

import codecs
import re
from itertools import islice, pairwise
from typing import NamedTuple

from parsers.files.languages import encoding_of

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED_WITHIN = 4096
_MANY_BYTES = {"gb2312", "gbk", "gb18030", "big5", "big5hkscs", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949"}
_WESTERN = {"ascii", "iso8859-1", "iso8859-15", "cp1252", "utf-8"}
# A byte beyond ASCII and what may belong to it: the second byte of a Chinese character can be an ASCII letter.
_BEYOND = re.compile(rb"[\x80-\xff][\x40-\xff]{0,200}")
_PROBE_RUNS = 4096
_PROBE_BYTES = 65_536  # of non-ASCII text, enough to tell the encodings apart


class Decoded(NamedTuple):
    text: str
    encoding: str
    damaged: int  # characters that could not be read and were replaced


def decode(data: bytes) -> Decoded:
    """Text of `data`, its encoding, and the number of replaced characters."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return _lenient(data[len(bom) :] if name == "utf-8" else data, name)
    sample = data[:200]
    if sample.count(0) * 3 > len(sample) > 1:
        return _lenient(data, "utf-16-le" if sample[1] == 0 else "utf-16-be")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", 0)
    except UnicodeDecodeError:
        pass  # it holds a copy of the data, and is let go of here
    return _lenient(data, _guess(data, _declared_charset(data)))


def _lenient(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _declared_charset(data: bytes) -> str:
    """Charset written by the browser that saved the page, or "".

    It is a guess, used only if the bytes decode.
    """
    from bs4.dammit import EncodingDetector  # noqa: PLC0415 - few files need it, and it is slow to load

    charset = EncodingDetector.find_declared_encoding(
        data[:_DECLARED_WITHIN], is_html=True, search_entire_document=True
    )
    try:
        name = codecs.lookup(charset).name if charset else ""
    except (LookupError, ValueError):
        return ""
    if name not in _MANY_BYTES and not name.startswith(("cp12", "iso8859", "koi8", "mac-")):
        return ""
    return "" if name in _WESTERN else name


def _guess(data: bytes, declared: str) -> str:
    """Encoding of a file that is not UTF-8, by its non-ASCII runs."""
    runs = islice(_BEYOND.finditer(data), _PROBE_RUNS)
    high = b" ".join(data[max(m.start() - 1, 0) : m.end()] for m in runs)[:_PROBE_BYTES]
    utf8 = high.decode("utf-8", errors="replace")
    if utf8.count("\ufffd") * 4 < sum(ord(c) > 127 for c in utf8):
        return "utf-8"
    believed = declared if declared and _reads_as(data, declared) else ""
    if believed in _MANY_BYTES:
        return believed
    encoding = encoding_of(data, high, believed)
    return encoding or ("windows-1251" if _reads_as_cyrillic(high) else "windows-1252")


def _reads_as(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _reads_as_cyrillic(high: bytes) -> bool:
    """windows-1251 Russian is runs of bytes E0-FF (lower case); Western text has single ones."""
    letters = sum(b >= 0xC0 for b in high)
    adjacent = sum(a >= 0xC0 and b >= 0xC0 for a, b in pairwise(high))
    return letters > 0 and adjacent * 2 > letters
