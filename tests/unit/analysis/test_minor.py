"""Rows that changed by less than 0.01 active sessions: said, counted apart, and never in tables without that yardstick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from awrdiff.analysis.export import document
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Delta
from awrdiff.analysis.rows.minor import is_minor, is_weighed
from parsers.model import Value

WAITS = "foreground_wait_events"


def time(first: float | None, second: float | None, elapsed: float | None = 3600.0) -> dict[str, Delta]:
    a, b = (None if v is None else Value(v, 0.5) for v in (first, second))
    rates = [None if v is None or elapsed is None else v / elapsed for v in (first, second)]
    return {"total_wait_time_s": Delta(a, b, first_per_s=rates[0], second_per_s=rates[1])}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (9.0, 44.0, True),  # 35 s in an hour
        (9.0, 46.0, False),
        (46.0, 9.0, False),
        (None, 35.0, True),
        (None, 37.0, False),
        (37.0, None, False),
        (None, None, False),  # not printed: unknown
    ],
)
def test_below_a_hundredth_of_a_session(first, second, expected):
    assert is_minor(WAITS, time(first, second)) is expected


def test_without_elapsed_time_nothing_is_minor():
    assert not is_minor(WAITS, time(1.0, 2.0, elapsed=None))
    half = time(1.0, 2.0)["total_wait_time_s"]._replace(second_per_s=None)
    assert not is_minor(WAITS, {"total_wait_time_s": half})


def test_only_time_tables_have_the_yardstick():
    assert all(
        map(is_weighed, (WAITS, "background_wait_events", "wait_classes", "foreground_wait_classes", "time_model"))
    )
    for other in ("latch_activity", "instance_activity", "sql_by_elapsed_time", "enqueue_activity", "buffer_waits"):
        assert not is_minor(other, time(1.0, 2.0))


def test_a_minor_row_keeps_its_status_and_is_not_counted():
    row = ComparedRow("a" * 12, {"event": "a"}, "changed", time(1.0, 2.0), minor=True)
    rows = (row, replace(row, minor=False), replace(row, minor=False, status="same"))
    section = ComparedSection(WAITS, "Waits", True, "time", "nonzero", (), ("event",), rows)
    assert section.changed == 1
    assert [r.matters for r in rows] == [False, True, False]
    stored = document.load_section(document.dump_section(replace(section, columns=())))
    assert [r.minor for r in stored.rows] == [True, False, False]
    assert [r.status for r in stored.rows] == ["changed", "changed", "same"]
