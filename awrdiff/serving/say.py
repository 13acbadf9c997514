"""What bin/serve tells whoever started it; it must not fail where nobody listens any more."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import NoReturn


def say(line: str) -> None:
    """To standard output, whatever its encoding, also where it was closed."""
    with suppress(OSError, ValueError, AttributeError):
        print(line, flush=True)  # noqa: T201


def warn(text: str) -> None:
    """To standard error."""
    with suppress(OSError, ValueError, AttributeError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201


def fail(sentence: str) -> NoReturn:
    warn(f"bin/serve: {sentence}")
    raise SystemExit(1)
