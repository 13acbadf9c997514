"""Bugs as data, by what they are in; tests/planted_bugs.py puts them in."""

from __future__ import annotations

from tests.bugs import analysis, comparisons, processing, sharing, teamwork
from tests.bugs.bug import Bug

BUGS: tuple[Bug, ...] = (
    *processing.BUGS,
    *analysis.BUGS,
    *comparisons.BUGS,
    *sharing.BUGS,
    *teamwork.BUGS,
)
