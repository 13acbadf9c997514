"""File type by content: an AWR report, another Oracle report, or something else."""

from __future__ import annotations

import re
from typing import Final

from parsers.model import Kind, UnsupportedReport

_TAKE: Final = "take the file that awrrpt.sql wrote (.html or .txt)"
_OR_PASTE: Final = f"{_TAKE}, or paste its text"
_UNPACK: Final = "unpack it and send the reports in it, or pack them as .zip or .tar.gz"
_FOREIGN: Final = (  # how a file begins, its name, what to do
    (b"\x89PNG", "a PNG image", _TAKE),
    (b"\xff\xd8\xff", "a JPEG image", _TAKE),
    (b"GIF8", "a GIF image", _TAKE),
    (b"%PDF", "a PDF document", _OR_PASTE),
    (b"\xd0\xcf\x11\xe0", "an old Office document or an Outlook message", f"save the report in it, or {_OR_PASTE}"),
    (b"{\\rtf", "a rich text document", _OR_PASTE),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"\x7fELF", "a program", _TAKE),
    (b"SQLite format 3", "an SQLite database", _TAKE),
)
_ZIP: Final = b"PK\x03\x04"
_OFFICE_HEAD: Final = 1 << 16  # bytes among which an Office document lists the first of its parts
_OPEN_DOCUMENT: Final = b"mimetypeapplication/vnd.oasis.opendocument."
_OFFICE: Final = (  # a part, its document's name, what is pasted of it
    (b"word/", "a Word document", "text"),
    (b"xl/", "an Excel workbook", "cells"),
    (b"ppt/", "a PowerPoint presentation", "text"),
    (_OPEN_DOCUMENT + b"text", "an OpenDocument text", "text"),
    (_OPEN_DOCUMENT + b"spreadsheet", "an OpenDocument spreadsheet", "cells"),
)
_NAMES: Final[dict[Kind, str]] = {
    "awr": "AWR report",
    "awr_pdb": "AWR report of a pluggable database",
    "awr_global": "global (RAC) AWR report",
    "awr_compare": "AWR compare period report",
    "awr_sql": "AWR SQL report",
    "statspack": "Statspack report",
    "ash": "ASH report",
    "addm": "ADDM report",
    "lgwr_trace": "LGWR trace file",
}
READ: Final = frozenset[Kind](("awr", "awr_pdb", "awr_global", "awr_compare", "awr_sql", "ash", "lgwr_trace"))
READ_TEXT: Final = frozenset[Kind](("awr", "awr_pdb", "awr_compare", "statspack", "ash", "addm", "lgwr_trace"))
# The same in words, for whoever is about to choose files, and the endings such files have.
READ_IN_WORDS: Final = (
    "AWR, compare and ASH reports as HTML and as text, AWR global, PDB and SQL reports as HTML, "
    "Statspack and ADDM reports as text, and LGWR traces"
)
ENDINGS: Final = (
    ".html",
    ".htm",
    ".txt",
    ".lst",
    ".trc",
    ".csv",
    ".gz",
    ".zip",
    ".tar",
    ".tgz",
    ".bz2",
    ".xz",
    ".zst",
    ".md",
    ".mht",
    ".mhtml",
    ".eml",
)

_TITLES: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "awr_compare",
        r"workload\s+repository\s+compare\s+period|awr compare period report"
        r"|first db/inst:[^\n]{1,300}second db/inst:",  # of a listing that has lost its title, its pages' headings
    ),
    ("awr_global", r"workload\s+repository\s+report\s+\(rac\)|awr rac report|workload\s+repository\s+\(rac\)"),
    ("awr_sql", r"workload\s+repository\s+sql\s+report|awr sql report"),
    ("awr_pdb", r"workload\s+repository\s+pdb\s+report|awr pdb report"),
    ("awr", r"workload\s+repository\s+report\s+for|awr report for"),
    ("ash", r"\bash\s+report\b"),
    ("statspack", r"statspack\s+report\s+for|statspack report"),
    # The title in another language: the task in quotes, underlined.
    (
        "addm",
        r"addm report for|addm task|detailed addm report"
        r"|\baddm\b[^'\n]{0,80}'[^'\n]{1,200}'[ \t]{0,9}\n[ \t]{0,40}-{10}",
    ),
    (
        "lgwr_trace",
        r"trace file \S{1,1000}_lg(?:wr|\d\d)_\d+\.trc|unix process pid[^\n]{0,400}\(lg(?:wr|\d\d)\)"
        r"|log write elapsed time|log file sync switching|awrdiff log writer scheduling"
        r"|\A(?=[^\n]{0,2000}\bevent\b)(?=[^\n]{0,2000}\bp3\b)[^\n]{0,2000}\bsample_time\b\W",  # samples as CSV
    ),
)
_HEAD = 30_000
_MANY_CELLS = 20  # a mail's subject may stand above the markup; no statement builds this many cells
_TAG = re.compile(r"<[^>]{0,500}>")
TITLE_WORDS: Final = ("workload repository", "statspack report for")
_BLANK = re.compile(r"\s*")
SEPARATOR: Final = re.compile(  # the rule below the header of a Markdown table
    r"^[ \t]{0,3}(?=[^\n|]{0,300}\|)\|?[ \t]{0,9}:?-{2,99}:?[ \t]{0,99}"
    r"(?:\|[ \t]{0,9}:?-{2,99}:?[ \t]{0,99}){0,400}\|?[ \t]{0,9}$",
    re.MULTILINE,
)


def is_office(head: bytes) -> bool:
    """True for the ZIP of Office or LibreOffice documents."""
    head = head[:_OFFICE_HEAD]
    return head.startswith(_ZIP) and (b"[Content_Types].xml" in head or _OPEN_DOCUMENT in head)


def foreign(head: bytes) -> tuple[str, str] | None:
    """Name with article, and advice, for types without reports."""
    if head.startswith(_ZIP):
        parts = [(what, pasted) for part, what, pasted in _OFFICE if part in head[:_OFFICE_HEAD]]
        if not parts and not is_office(head):
            return "a ZIP archive", _UNPACK
        what, pasted = parts[0] if parts else ("an Office document", "text")
        return what, f"{_TAKE}, or paste its {pasted}"
    return next(((what, advice) for magic, what, advice in _FOREIGN if head.startswith(magic)), None)


def refuse_binary(data: bytes) -> None:
    """Raises `UnsupportedReport` for empty files and formats without reports."""
    if not data.strip():
        raise UnsupportedReport("The file is empty.", code="empty")
    if file_type := foreign(data):
        raise UnsupportedReport("This is {}, not a report: {}.".format(*file_type), code="not-a-report")


def begin_of(text: str) -> int:
    at = 0
    while blank := _BLANK.match(text, at):
        at = blank.end()
        end = text.find("-->", at) if text.startswith("<!--", at) else -1
        if end < 0:
            return at
        at = end + 3
    return at


def _head(text: str) -> str:
    begin = begin_of(text)
    return text[begin : begin + _HEAD]


def is_html(text: str) -> bool:
    """True if markup comes first; SQL and Markdown have tags, too."""
    head = _head(text).lower()
    if not any(tag in head for tag in ("<html", "<body", "<!doctype html")) and SEPARATOR.search(head):
        return False
    tags = [at for at in map(head.find, ("<html", "<table", "<body", "<!doctype html")) if at >= 0]
    titles = [at for at in map(head.find, TITLE_WORDS) if at >= 0]
    cells = head.count("<td") + head.count("<th")
    return bool(tags) and (not titles or min(tags) < min(titles) or cells > _MANY_CELLS)


def kind_of(text: str, title: str, headings: list[str]) -> Kind | None:
    """Kind by title and first headings, else by first lines."""
    return _kind_in(" ".join([title, *headings[:3]])) or _kind_in(_TAG.sub(" ", _head(text)))


def _kind_in(source: str) -> Kind | None:
    low = source.lower()
    return next((kind for kind, pattern in _TITLES if re.search(pattern, low)), None)


def in_words(kind: Kind) -> str:
    name = _NAMES[kind]
    return f"{'an' if name[0] in 'AL' else 'a'} {name}"


def require_readable(kind: Kind | None, *, html: bool) -> Kind:
    """Raises `UnsupportedReport` with the file's type and readable types."""
    if kind is None:
        what = "an HTML page" if html else "a text file"
        raise UnsupportedReport(
            f"This is {what} in which no Oracle performance report was found: take the file that awrrpt.sql wrote.",
            code="not-a-report",
        )
    name = in_words(kind)
    if kind in READ and not html and kind not in READ_TEXT:
        raise UnsupportedReport(
            f"This is {name} as text. That kind is only read in HTML: please send the HTML report.",
            code="unsupported-kind",
        )
    if kind in READ_TEXT and html and kind not in READ:
        raise UnsupportedReport(
            f"This is {name} as HTML. That kind is only read as text: please send the text report.",
            code="unsupported-kind",
        )
    if kind not in (READ if html else READ_TEXT):
        raise UnsupportedReport(
            f"This is {name}. That kind is not read yet: please send the AWR report of one instance in HTML.",
            code="unsupported-kind",
        )
    return kind
