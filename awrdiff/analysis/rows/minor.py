"""Rows that did change, but by less than anybody could notice.

Only where the figure of a row is wait or DB time, so that one threshold means the same everywhere: a change of
0.01 average active sessions is 36 seconds in an hour. No other kind of table has such a yardstick.
"""

from __future__ import annotations

import re

from awrdiff.analysis.model.comparison import Delta

LEAST_SESSIONS = 0.01
_WEIGHED = re.compile(r"^(foreground_wait_events|background_wait_events|(foreground_)?wait_classes|time_model)$")
_TIMES = ("total_wait_time_s", "time_s")


def is_weighed(section_id: str) -> bool:
    """Whether rows of this section can be minor."""
    return _WEIGHED.match(section_id) is not None


def is_minor(section_id: str, values: dict[str, Delta]) -> bool:
    """Whether the row's time changed by less than 0.01 active sessions, or is less where one side has the row.

    A rate that cannot be worked out is unknown, hence not minor.
    """
    if not is_weighed(section_id):
        return False
    time = next((values[c] for c in _TIMES if c in values), None)
    if time is None or (time.first_per_s is None and time.second_per_s is None):
        return False
    if (time.first is None) != (time.first_per_s is None) or (time.second is None) != (time.second_per_s is None):
        return False
    return abs((time.second_per_s or 0.0) - (time.first_per_s or 0.0)) < LEAST_SESSIONS
