"""Telling at once, from its first bytes, that a file is something else entirely.

Only what cannot be a report in any form is refused here; everything else is for the parsers to say.
"""

from __future__ import annotations

from awrdiff.reports.errors import WrongKind
from awrdiff.reports.uploads import ReceivedFile
from parsers.archive import is_archive
from parsers.files.detect import foreign


def refuse_foreign(file: ReceivedFile, name: str) -> None:
    """Raise WrongKind for images, office documents and the like, whatever the file is called."""
    head = file.read(1 << 16)
    file.seek(0)
    if not is_archive(head) and (known := foreign(head)):
        what, advice = known
        raise WrongKind(f"“{name}” is {what}, not an AWR report: {advice}.")
