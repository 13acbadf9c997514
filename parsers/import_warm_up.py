"""Imports and tables of the first report: 5 MB and 40 ms, whatever its size."""

from __future__ import annotations

from parsers.reader import parse_report

# One page and one listing that need all of it; € is no UTF-8, so that the declared charset is looked for.
_PAGE = """<html><head><meta charset="windows-1252"></head><body>
<h1>WORKLOAD REPOSITORY report for</h1>
<table summary="database instance information"><tr><th>DB Name</th><th>DB Id</th><th>Release</th></tr>
<tr><td>€</td><td>1</td><td>19.0.0.0.0</td></tr></table>
<h3>Wait Classes</h3><table><tr><th>Wait Class</th><th>Waits</th></tr><tr><td>Commit</td><td>1.5</td></tr></table>
</body></html>"""
_LISTING = """WORKLOAD REPOSITORY report for

DB Name         DB Id    Release
------------ ----------- -----------
WARM                   1 19.0.0.0.0
"""


def load() -> None:
    """Loads imports and tables before forks, to be shared."""
    parse_report(_PAGE.encode("cp1252"))
    parse_report(_LISTING.encode())
