"""Whole numbers in texts: digits and nothing else, within bounds."""

from __future__ import annotations

import pytest

from awrdiff.whole_number_input import MOST_OF_A_KEY, whole_number


@pytest.mark.parametrize("text", ["", None, "-1", "+1", " 1", "1 ", "1.0", "1e3", "1_0", "²", "١", "１", "x", "9" * 19])
def test_what_is_no_whole_number(text):
    assert whole_number(text) is None


def test_bounds():
    assert whole_number("007", 999) == 7
    assert whole_number("9" * 18) == MOST_OF_A_KEY
    assert [whole_number(text, 23, 1) for text in ("0", "1", "23", "24", "0023")] == [None, 1, 23, None, 23]
    assert [whole_number("0" * n + "7") for n in (39, 40)] == [7, None]
