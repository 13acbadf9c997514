"""Where the answer goes: UTF-8 whatever the locale says, to a file or to standard output."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TextIO

import click

from awrdiff.cli.refusal import Refused

_HEADING = re.compile(r"^#+ .*", re.MULTILINE)


def write(text: str, target: Path | None) -> None:
    """Raises Refused where the file cannot be written."""
    write_bytes(text.encode("utf-8", "replace"), target)


def write_bytes(data: bytes, target: Path | None) -> None:
    """Raises Refused where the file cannot be written."""
    if target is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()  # where this fails, `main` says so
        return
    try:
        target.write_bytes(data)
    except OSError as error:
        raise Refused(f"{target}: {error.strerror}") from error


def takes_escapes(stream: TextIO) -> bool:
    """True for a terminal that moves its cursor and knows bold."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def for_a_terminal(markdown: str) -> str:
    """Headings in bold where standard output is such a terminal and `NO_COLOR` is not set (no-color.org)."""
    if not takes_escapes(sys.stdout) or os.environ.get("NO_COLOR"):
        return markdown
    return _HEADING.sub(lambda heading: click.style(heading[0], bold=True), markdown)
