"""Files with several reports: concatenated, or the parts of one mail."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from parsers.files.encoding import decode
from parsers.files.mail import is_mail, parts_of
from parsers.files.mend import PAGE, TITLE, mend

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
    """Reports in `data`, each as a file; `[data]`, unchanged, for one or none."""
    if is_mail(data):
        parts = [part for part in parts_of(data) if _has_title(part)]
        if len(parts) > 1:
            return [piece for part in parts for piece in _pieces(part)][:MOST_REPORTS]
    return _pieces(data)


def body_of(data: bytes) -> bytes:
    """First part of a mail with a report, decoded; else `data`."""
    if not is_mail(data):
        return data
    return next((part for part in parts_of(data) if _has_title(part)), data)


def report_starts(text: str, most: int = MOST_REPORTS) -> list[int]:
    """Offsets of the reports of a mended text, the first 0."""
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
    """Offsets of excerpts without titles: repetitions of the first one's beginning with figures below."""
    marks = [m for m in _OF_EXCERPTS.finditer(text) if _ROW.search(text, m.start(), m.end() + 2_000)]
    starts = [_above(text, m.start()) for m in marks if m.lastindex == marks[0].lastindex]
    return [0, *starts[1:most]]


def _above(text: str, at: int) -> int:
    """Start of the lines directly above `at`, up to a blank one."""
    for _ in range(_MOST_ABOVE):
        before = text.rfind("\n", 0, max(0, at - 1)) + 1
        if at == 0 or not text[before : at - 1].strip():
            break
        at = before
    return at


def _is_repeated(text: str, word: str) -> bool:
    """True if `word` occurs twice: searching from the end takes half the time of counting."""
    return text.find(word, 0, max(0, text.rfind(word))) >= 0


def _pieces(data: bytes) -> list[bytes]:
    text = mend(decode(body_of(data)).text).text
    starts = report_starts(text)
    if len(starts) == 1:
        return [data]
    return [text[a:b].encode("utf-8", "replace") for a, b in pairwise([*starts, len(text)])]


def _has_title(part: bytes) -> bool:
    return bool(_TITLE_BYTES.search(part.replace(b"\0", b"")))
