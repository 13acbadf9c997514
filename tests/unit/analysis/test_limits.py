"""Resources at their limit: each clause of each condition decides alone."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict import capacity_limits
from tests.unit.analysis.builders import loaded

SWITCH, ARCHIVER = "log file switch (checkpoint incomplete)", "log file switch (archiving needed)"
QUANTUM = {"resmgr:cpu quantum": (10_000, 7_200.0)}
WRITE, COMMIT = "log file parallel write", "log file sync"


def side(**more: object) -> Side:
    return Side(loaded(**more))


@pytest.mark.parametrize(
    ("asked", "figures", "expected"),
    [
        (capacity_limits.is_cpu_capped, {"waits": QUANTUM, "db_time": 36_000.0}, True),  # 20 % of it, two sessions
        (capacity_limits.is_cpu_capped, {"waits": QUANTUM, "db_time": 36_500.0}, False),
        (capacity_limits.is_cpu_capped, {"waits": {"resmgr:cpu quantum": (9, 3_500.0)}, "db_time": 7_200.0}, False),
        (capacity_limits.is_cpu_overloaded, {"waits": QUANTUM, "db_time": 36_000.0, "busy": 90}, True),
        (capacity_limits.is_cpu_overloaded, {"waits": QUANTUM, "db_time": 36_000.0, "busy": 89}, False),
        (
            capacity_limits.is_cpu_overloaded,
            {"db_time": 36_000.0, "cpu": 27_000.0, "busy": 95},
            True,
        ),  # unaccounted for
        (capacity_limits.is_cpu_overloaded, {"db_time": 36_000.0, "cpu": 35_000.0, "busy": 95}, False),
        (capacity_limits.is_out_of_logs, {"waits": {SWITCH: (900, 3_600.0)}, "db_time": 36_000.0}, True),
        (capacity_limits.is_out_of_logs, {"waits": {ARCHIVER: (900, 3_600.0)}, "db_time": 36_000.0}, True),
        (capacity_limits.is_out_of_logs, {"waits": {SWITCH: (900, 3_500.0)}, "db_time": 36_000.0}, False),
        (
            capacity_limits.is_out_of_logs,
            {"waits": {SWITCH: (900, 1_700.0)}, "db_time": 7_200.0},
            False,
        ),  # under half a session
        (
            capacity_limits.is_out_of_logs,
            {"waits": {"log file switch completion": (900, 7_200.0)}, "db_time": 36_000.0},
            False,
        ),
        (
            capacity_limits.is_redo_write_slow,
            {"waits": {COMMIT: (9_000, 1_900.0)}, "background": {WRITE: (100, 2.0)}},
            True,
        ),
        (
            capacity_limits.is_redo_write_slow,
            {"waits": {COMMIT: (9_000, 1_900.0)}, "background": {WRITE: (100, 1.9)}},
            False,
        ),
        (
            capacity_limits.is_redo_write_slow,
            {"waits": {COMMIT: (9_000, 1_700.0)}, "background": {WRITE: (100, 2.0)}},
            False,
        ),
        (capacity_limits.is_redo_write_slow, {"waits": {COMMIT: (9_000, 1_900.0)}}, False),
    ],
)
def test_a_resource_at_its_limit(asked, figures, expected):
    assert asked(side(**figures)) is expected
