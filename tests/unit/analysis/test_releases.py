from __future__ import annotations

import pytest

from awrdiff.analysis.names.releases import release_numbers


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
