"""Early refusal of foreign files by their first bytes; doubtful ones go to the parsers."""

from __future__ import annotations

from awrdiff.reports.errors import WrongKind
from awrdiff.reports.received_files import ReceivedFile
from parsers.archive import is_archive
from parsers.files.detect import foreign


def refuse_foreign(file: ReceivedFile, name: str) -> None:
    """Raise WrongKind for images, office documents and the like."""
    head = file.read(1 << 16)
    file.seek(0)
    if not is_archive(head) and (kind := foreign(head)):
        what, advice = kind
        raise WrongKind(f"“{name}” is {what}, not an AWR report: {advice}.")
