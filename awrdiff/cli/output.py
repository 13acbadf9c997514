"""Output in UTF-8, whatever the locale, to a file or standard output."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TextIO

import click

from awrdiff.cli.exit_statuses import Refused

_HEADING = re.compile(r"^#+ .*", re.MULTILINE)


def write(text: str, target: Path | None) -> None:
    """Raises Refused where unwritable."""
    write_bytes(text.encode("utf-8", "replace"), target)


def write_bytes(data: bytes, target: Path | None) -> None:
    if target is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()  # where this fails, `main` says so
        return
    try:
        target.write_bytes(data)
    except OSError as error:
        raise Refused(f"{target}: {error.strerror}") from error


def takes_escapes(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def for_a_terminal(markdown: str) -> str:
    """Bold headings, unless `NO_COLOR` (no-color.org)."""
    if not takes_escapes(sys.stdout) or os.environ.get("NO_COLOR"):
        return markdown
    return _HEADING.sub(lambda heading: click.style(heading[0], bold=True), markdown)
