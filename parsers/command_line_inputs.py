"""Reports of a command-line argument: a path, `-` for standard input, a folder, an archive."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

from parsers.archive import Member, is_archive, open_reports, stray_refusal
from parsers.model import UnsupportedReport

STDIN = "-"
STDIN_NAME = "standard input"


def members_of(argument: str) -> Iterator[Member]:
    """Members sorted by name; raises OSError, or UnsupportedReport without reports."""
    if argument == STDIN:
        yield from open_reports(sys.stdin.buffer.read(), STDIN_NAME)
    elif Path(argument).is_dir():
        folder = Path(argument)
        for path in files_in(folder):
            data = path.read_bytes()
            try:
                stray = None if is_archive(data) else stray_refusal(data)
                if stray:
                    yield Member(str(path), b"", stray, stray=True)
                else:
                    yield from open_reports(data, str(path))
            except UnsupportedReport as refusal:
                yield Member(str(path), b"", refusal)
    else:
        yield from open_reports(Path(argument).read_bytes(), argument)


def files_in(folder: Path) -> list[Path]:
    """Files not hidden; raises UnsupportedReport if there are none."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and not is_hidden(p.relative_to(folder))]
    if not files:
        raise UnsupportedReport("The folder holds no files.", code="empty")
    return files


def is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") for part in path.parts)
