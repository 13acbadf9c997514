"""Names of one thing in different releases."""

from __future__ import annotations

import re
from functools import lru_cache

# Cross-release identity of row labels, after lower-casing and removal of the trailing colon.
_LOAD_PROFILE = {
    "redo size": "redo size (bytes)",
    "logical reads": "logical read (blocks)",
    "physical reads": "physical read (blocks)",
    "physical writes": "physical write (blocks)",
    "parses": "parses (sql)",
    "hard parses": "hard parses (sql)",
    "executes": "executes (sql)",
    "w/a mb processed": "sql work area (mb)",
    "user logons": "logons",
}
_STATISTICS = {
    # 12.1 dropped the dash
    "consistent gets - examination": "consistent gets examination",
}
_TOP_EVENTS = {"cpu time": "db cpu"}  # to 10.2 and in Statspack
_CACHES = {"shared pool": "shared pool size"}  # Statspack
RENAMED: dict[str, dict[str, str]] = {
    "load_profile": _LOAD_PROFILE,
    "instance_activity": _STATISTICS,
    "top_timed_events": _TOP_EVENTS,
    "cache_sizes": _CACHES,
}
# Names of objects, files and services: "Orders" and "ORDERS" are two tables.
_FOOTNOTE = re.compile(r" \[\d\]$")  # `parse time elapsed [1]` of 23ai
_CASE_MATTERS = re.compile(r"^(sql_|segments_|file_io|tablespace|service_|asm_|buffered_|persistent_|streams_)")


def plain_name(text: str) -> str:
    """Oracle's own name in any release's spelling, except case."""
    return _FOOTNOTE.sub("", " ".join(text.split()).rstrip(":").rstrip())


@lru_cache(maxsize=65536)
def canonical_name(section_id: str, text: str) -> str:
    """Key without spacing, footnotes, case and Oracle's renames."""
    if _CASE_MATTERS.match(section_id):
        return " ".join(text.split()).rstrip(":").rstrip()
    low = plain_name(text).lower()
    names = RENAMED.get(section_id)
    return names.get(low, low) if names else low
