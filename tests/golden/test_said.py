"""Every finding of the diagnosed cases, word by word, with size, tone, subject and evidence."""

from __future__ import annotations

from pathlib import Path

from tests.golden.said import written


def test_what_is_said_of_the_cases_is_what_was_read_over():
    """A rule that was changed on purpose: write the file anew (said.py) and read the difference."""
    kept = Path(__file__).with_name("said.txt").read_text(encoding="utf-8")
    assert written().split("\n") == kept.split("\n")
