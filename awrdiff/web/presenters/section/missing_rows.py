"""Missing and hidden rows of a section, in words."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.web.presenters.section.columns_and_cells import Absent


def absent(section: ComparedSection, *, first: bool) -> Absent:
    """Two words for a narrow column, and the reason."""
    if not (section.first_present if first else section.second_present):
        return Absent("not printed", "the whole section is not printed there: unknown, not zero")
    if section.coverage == "top":
        return Absent("not listed", "not in the part of the list that stands there: unknown, not zero")
    if section.id == "init_parameters":
        return Absent("default there", "not among the parameters printed there, so it has its default value")
    if section.coverage == "nonzero":
        return Absent("not listed", "not printed there: nothing to count in that interval")
    return Absent("not listed", "not printed there")


def absent_sides(section: ComparedSection) -> tuple[Absent, Absent]:
    return absent(section, first=True), absent(section, first=False)


def coverage_text(coverage: str) -> str:
    return {
        "top": "not listed: that side lists only a part, so unknown, not zero",
        "nonzero": "not listed: nothing to count on that side",
    }.get(coverage, "")


def one_report_coverage(coverage: str) -> str:
    return "not all rows: what is not listed may still have happened" if coverage == "top" else ""
