"""The command `awrdiff`, in this process, or in one of its own where that matters."""

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
    """In this process, where other tests have done most of the importing already."""
    stdin_text, stdout, complained = (
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")
    )
    broken_pipe, status = signal.getsignal(signal.SIGPIPE), 0
    argv, stdin_ = patch.object(sys, "argv", ["awrdiff", *arguments]), patch.object(sys, "stdin", stdin_text)
    with argv, stdin_, redirect_stdout(stdout), redirect_stderr(complained):
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
        finally:
            signal.signal(signal.SIGPIPE, broken_pipe)
            gc.enable()
    return subprocess.CompletedProcess(arguments, status, _bytes(stdout), _bytes(complained))


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    return stream.buffer.getvalue()


def start(*arguments: str, stdin: bytes = b"", **env: str) -> Done:
    """In a process of its own, with these variables set."""
    command = [sys.executable, "-m", "awrdiff.cli.main", *arguments]
    return subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, env={**os.environ, **env}, check=False)
