"""Output of bin/serve, which must not fail where nobody listens any more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO


def say(line: str) -> None:
    """Works with any encoding and closed standard output."""
    _write(line, sys.stdout)


def warn(text: str) -> None:
    _write(text, sys.stderr)


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:
        return
    with suppress(AttributeError):
        stream.reconfigure(errors="replace")  # type: ignore[attr-defined]  # of the class that Python opens them with
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # what stays in its buffer must not fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def fail(sentence: str) -> NoReturn:
    warn(f"bin/serve: {sentence}")
    raise SystemExit(1)
