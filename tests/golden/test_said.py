"""Every finding of the diagnosed cases, word by word, with size, tone, subject and evidence; every figure of commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import commits, said


@pytest.mark.parametrize(("kept", "written"), [("said.txt", said.written), ("commits.txt", commits.written)])
def test_what_is_said_is_what_was_read_over(kept, written):
    """What was changed on purpose: write the file anew (said.py, commits.py) and read the difference."""
    assert written().split("\n") == Path(__file__).with_name(kept).read_text(encoding="utf-8").split("\n")
