"""Telling at once, from its first bytes, that a file is something else entirely.

Only what cannot be a report in any form is refused here; everything else is for the parsers to say.
"""

from __future__ import annotations

from awrdiff.reports.errors import WrongKind
from awrdiff.reports.uploads import ReceivedFile

_FOREIGN = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Microsoft Office document"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database file"),
)
_OFFICE = ((b"word/", "a Word document"), (b"xl/", "an Excel workbook"), (b"ppt/", "a PowerPoint presentation"))


def refuse_foreign(file: ReceivedFile, name: str) -> None:
    """Raise WrongKind for images, office documents and the like, whatever the file is called."""
    head = file.read(1 << 16)
    file.seek(0)
    found = next((what for magic, what in _FOREIGN if head.startswith(magic)), None)
    if found is None and head.startswith(b"PK\x03\x04") and b"[Content_Types].xml" in head:
        found = next((what for part, what in _OFFICE if part in head), "an Office document")
    if found:
        raise WrongKind(f"“{name}” is {found}, not an AWR report. Take the file that awrrpt.sql wrote (.html or .txt).")
