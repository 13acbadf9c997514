"""The command `awrdiff` as a test gives it: in this process, or in one of its own where that makes a difference."""

from __future__ import annotations

import gc
import io
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from awrdiff.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
Done = subprocess.CompletedProcess[bytes]


def run(*arguments: str, stdin: bytes = b"") -> Done:
    """In this process: what the command needs was imported by other tests, which is most of what it costs."""
    given, said, complained = (io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b""))
    broken_pipe, status = signal.getsignal(signal.SIGPIPE), 0
    argv, stdin_ = patch.object(sys, "argv", ["awrdiff", *arguments]), patch.object(sys, "stdin", given)
    with argv, stdin_, redirect_stdout(said), redirect_stderr(complained):
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
        finally:
            signal.signal(signal.SIGPIPE, broken_pipe)
            gc.enable()
    return subprocess.CompletedProcess(arguments, status, _bytes(said), _bytes(complained))


def _bytes(written: io.TextIOWrapper) -> bytes:
    written.flush()
    return written.buffer.getvalue()


def start(*arguments: str, stdin: bytes = b"", **env: str) -> Done:
    """In a process of its own, with these variables set."""
    command = [sys.executable, "-m", "awrdiff.cli.main", *arguments]
    return subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, env={**os.environ, **env}, check=False)
