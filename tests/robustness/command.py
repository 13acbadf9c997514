"""Running one of the commands from a test, so that it ends, with all it started, when the test does."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys

from tests.harness import prepared
from tests.harness.server import ROOT

_PR_SET_PDEATHSIG = 1


def run(seconds: float, module: str, *arguments: str) -> tuple[int, str]:
    """Exit status and all that was printed; raises TimeoutExpired once the command has cleared up after itself."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_", "DJANGO_"))}
    env |= {k: v for k, v in os.environ.items() if k == prepared.FOLDER}
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=_die_with_parent,  # noqa: PLW1509 - nothing else runs beside a test
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except BaseException:
            process.terminate()
            process.communicate(timeout=90)
            raise
    return process.returncode, said


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
