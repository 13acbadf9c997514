from __future__ import annotations

import pytest

from awrdiff.analysis.names.oracle_releases import release_numbers, with_product


@pytest.mark.parametrize(
    ("printed", "numbers"),
    [
        ("11.2.0.4.0", (11, 2, 0, 4, 0)),
        ("19.0.0.0.0", (19, 0, 0, 0, 0)),
        ("23.7.0.25.01", (23, 7, 0, 25, 1)),
        (None, ()),
        ("", ()),
        ("unknown", ()),
    ],
)
def test_a_release_as_numbers(printed, numbers):
    assert release_numbers(printed) == numbers


def test_digits_beyond_all_releases_end_no_comparison():
    assert release_numbers("9" * 50_000)[0] == 999_999_999


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("23.26.0.0.0", "23.26.0.0.0 (26ai)"),
        ("23.26.1.2.0", "23.26.1.2.0 (26ai)"),
        ("23.27.0.0.0", "23.27.0.0.0 (26ai)"),
        ("23.7.0.25.01", "23.7.0.25.01 (23ai)"),
        ("23.4", "23.4 (23ai)"),
        ("23.0.0.0.0", "23.0.0.0.0"),
        ("23", "23"),
        ("19.26.0.0.0", "19.26.0.0.0"),
        ("21.3.0.0.0", "21.3.0.0.0"),
        ("", ""),
        ("–", "–"),
    ],
)
def test_what_it_is_sold_as(printed, shown):
    assert with_product(printed) == shown
