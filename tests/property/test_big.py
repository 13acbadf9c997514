"""The reports built for benchmarks have the size asked for and are read without a complaint."""

from __future__ import annotations

import pytest

from fixtures.writer import LAYOUT_112, big
from parsers import parse_report


@pytest.mark.parametrize("size_mb", [0.5, 2.0])
def test_size_is_about_what_was_asked_for(size_mb: float) -> None:
    data = big(size_mb)
    assert abs(len(data) / (size_mb * 1e6) - 1) < 0.2
    assert big(size_mb) == data


def test_every_row_is_read() -> None:
    report = parse_report(big(1.0, LAYOUT_112))
    assert report.issues == ()
    sizes = {s.id: len(s.records) for s in report.sections}
    assert sizes["sql_text"] == sizes["instance_activity"] == sizes["file_io"] > 300
