"""Every finding of the diagnosed cases, word by word, with size, tone, subject and evidence; every figure of commits."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from tests.golden import commits, said


@pytest.mark.parametrize(("kept", "lines"), [("said.txt", said.lines), ("commits.txt", commits.lines)])
def test_what_is_said_is_what_was_read_over(kept, lines):
    """What was changed on purpose: write the file anew (said.py, commits.py) and read the difference."""
    read_over = Path(__file__).with_name(kept).read_text(encoding="utf-8").split("\n")
    found = (line for text in lines() for line in text.split("\n"))
    for number, (now, before) in enumerate(zip_longest(found, read_over[:-1]), 1):
        assert now == before, f"{kept}, line {number}"
