"""Units of V$SYSSTAT statistics that their names do not tell."""

from __future__ import annotations

import pytest

from parsers.sections.report_summary import activity_unit


@pytest.mark.parametrize(
    ("statistic", "unit"),
    [
        ("Effective IO time", "us"),
        ("user I/O wait time", "cs"),
        ("redo write broadcast ack time", "us"),
        ("redo write gather time", "us"),
        ("redo synch time (usec)", "us"),
        ("physical read total bytes", "bytes"),
        ("execute count", "count"),
    ],
)
def test_unit(statistic, unit):
    assert activity_unit(statistic) == unit
