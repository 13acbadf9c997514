"""Bytes to text. Reports declare no charset; SQL text may hold GBK or windows-1251."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from itertools import islice, pairwise
from typing import Final, NamedTuple

from parsers.identity.months import DATE, month_of, plain

_MOST_DATES: Final = 8
_WITHIN: Final = 262_144  # bytes from the beginning: a report's own times are at its head
_DATE_BYTES: Final = re.compile(rb"(?<!\d)\d{1,2}-(?=[^\s<>]{0,12}?[\x80-\xff])[^\r\n<>:]{1,16}?-\d{2,4}(?!\d)")
_CYRILLIC: Final = ("windows-1251", "koi8-r", "cp866")
_USUAL_CYRILLIC: Final = frozenset("оеаинтсрвлкмдпуяыьгзбчйхіїє")
_COMMON_CYRILLIC: Final = frozenset("оеаинтсрвліи")
_SIGNS: Final = frozenset("«»№–—…“”„’ \u00a0")
_SIGN_INSIDE: Final = re.compile(r"[^\W\d_][¹³¿£¥¯][^\W\d_]")
_POLISH: Final = frozenset("ąćęłńóśźż")
_TURKISH: Final = frozenset("çğıöşüâîûi\u0307")
_OWN_TURKISH: Final = frozenset("ğışİĞŞ")
_FEWEST_HANGUL: Final = 6  # of fewer, the bytes are as likely Chinese


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0


def _non_ascii(high: bytes, encoding: str) -> str:
    return "".join(c for c in high.decode(encoding, errors="replace") if c > "\x7f")


def _characters(text: str) -> int:
    """Half-width kana are not counted."""
    return sum("\u4e00" <= c <= "\u9fff" or "\u3000" <= c <= "\u303f" or "\uff01" <= c <= "\uff60" for c in text)


def _is_japanese(high: bytes, encoding: str) -> bool:
    text = _non_ascii(high, encoding)
    kana = sum("\u3041" <= c <= "\u30fe" for c in text)
    return _share(kana, len(text)) >= 0.2 and _share(kana + _characters(text), len(text)) >= 0.95


def _is_korean(high: bytes, encoding: str) -> bool:
    """Hangul of the 2,350 usual syllables: first byte B0 to C8."""
    text = _non_ascii(high, encoding)
    hangul = sum("\uac00" <= c <= "\ud7a3" for c in text)
    usual = len(re.findall(rb"[\xb0-\xc8][\xa1-\xfe]", high))
    return hangul >= _FEWEST_HANGUL and _share(hangul, len(text)) >= 0.9 and usual >= 0.9 * hangul


def _is_chinese(high: bytes, encoding: str) -> bool:
    """GB 2312's first level: lead B0 to D7; second byte never ASCII."""
    text = _non_ascii(high, encoding)
    common = _characters(text)
    lead = sum(0xB0 <= b <= 0xD7 for b in high)
    beyond = sum(b > 0x7F for b in high)
    return _share(common, len(text)) >= 0.9 and lead * 3 >= common and beyond >= 1.8 * common


def _is_traditional(high: bytes, encoding: str) -> bool:
    """Big5's first level: lead A4 to C6; second byte often an ASCII letter."""
    text = _non_ascii(high, encoding)
    common = _characters(text)
    usual = len(re.findall(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]", high))
    ascii_second = len(re.findall(rb"[\xa4-\xf9][\x40-\x7e]", high))
    beyond = sum(b > 0x7F for b in high)
    return (
        _share(common, len(text)) >= 0.95
        and usual >= 0.9 * common
        and ascii_second * 5 >= common
        and beyond >= 1.3 * common
    )


def _is_cyrillic(high: bytes, encoding: str) -> bool:
    text = _non_ascii(high, encoding)
    letters = [c for c in text if "\u0400" <= c <= "\u04ff"]
    low = [c.lower() for c in letters]
    runs = re.findall(r"[\u0400-\u04ff]{2,}", high.decode(encoding, errors="replace"))
    together = sum(map(len, runs))
    odd = sum(not (r.islower() or r.isupper() or r[1:].islower()) for r in runs)
    signs = sum(c in _SIGNS for c in text)
    return (
        _share(len(letters) + signs, len(text)) >= 0.95
        and together * 2 > len(letters)
        and _share(odd, len(runs)) <= 0.1
        and _share(sum(c in _USUAL_CYRILLIC for c in low), len(low)) >= 0.8
        and _share(sum(c in _COMMON_CYRILLIC for c in low), len(low)) >= 0.4
    )


def _is_polish(high: bytes, encoding: str) -> bool:
    letters = [c.lower() for c in _non_ascii(high, encoding) if c.isalpha()]
    signs_inside = _SIGN_INSIDE.search(high.decode("windows-1252", errors="replace")) is not None
    return signs_inside and _share(sum(c in _POLISH for c in letters), len(letters)) >= 0.95


def _is_turkish(high: bytes, encoding: str) -> bool:
    letters = [c for c in _non_ascii(high, encoding) if c.isalpha()]
    turkish = sum(c.lower()[0] in _TURKISH for c in letters)
    return any(c in _OWN_TURKISH for c in letters) and _share(turkish, len(letters)) >= 0.95


# In the order they are tried: the stricter the test, the earlier.
_TESTS: Final[tuple[tuple[str, Callable[[bytes, str], bool]], ...]] = (
    *((encoding, _is_cyrillic) for encoding in _CYRILLIC),
    ("cp932", _is_japanese),
    ("euc_jp", _is_japanese),
    ("cp949", _is_korean),
    ("big5", _is_traditional),
    ("gb18030", _is_chinese),
    ("windows-1250", _is_polish),
    ("windows-1254", _is_turkish),
)
_MULTI_BYTE: Final = ("gb18030", "cp932", "cp949", "euc_jp", "big5")
_BY_DATE: Final = (*_CYRILLIC, "windows-1252", "windows-1250", "windows-1254", "iso8859-2", *_MULTI_BYTE)


def encoding_of(data: bytes, high: bytes, declared: str = "") -> str | None:
    """Encoding that decodes most dates, else by letters, or None.

    `high`: runs beyond ASCII; `declared` precedes other single-byte encodings.
    """
    likely = [encoding for encoding, test in _TESTS if test(high, encoding)]
    if declared:
        at = next((i for i, e in enumerate(likely) if e not in _MULTI_BYTE), len(likely))
        likely.insert(at, declared)
    order = [*likely, *(e for e in _BY_DATE if e not in likely)]
    candidates = (m[0] for m, _ in zip(_DATE_BYTES.finditer(data[:_WITHIN]), range(4 * _MOST_DATES), strict=False))
    dates = list(dict.fromkeys(candidates))[:_MOST_DATES]
    counts = [sum(_is_date(date, e) for date in dates) for e in order]
    most = max(counts)
    return order[counts.index(most)] if most else next(iter(likely), None)


def _is_date(date: bytes, encoding: str) -> bool:
    try:
        date_match = DATE.fullmatch(plain(date.decode(encoding)))
    except UnicodeDecodeError:
        return False
    return date_match is not None and month_of(date_match[2]) is not None


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
    """Charset of the browser that saved the page: a guess."""
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
    """windows-1251 Russian is runs of E0-FF; Western text has single ones."""
    letters = sum(b >= 0xC0 for b in high)
    adjacent = sum(a >= 0xC0 and b >= 0xC0 for a, b in pairwise(high))
    return letters > 0 and adjacent * 2 > letters
