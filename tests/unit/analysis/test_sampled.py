"""Comparisons of reports that print neither waits nor statistics: what is said about them, and what is not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.markdown import as_markdown
from fixtures.samples.from_addm import addm_samples
from fixtures.samples.from_ash import TEXT
from parsers import parse_report
from parsers.model import Report

ADDM = addm_samples()["addm_findings/11.2-addm.txt"]
DISK = "DBA_HIST_ACTIVE_SESS_HISTORY\n                                 in AWR snapshot 101"


def ash(*, disk: bool = True, sessions: str = "2.06", day: str = "03-Feb-20") -> Report:
    text = TEXT if disk else TEXT.replace(DISK, "V$ACTIVE_SESSION_HISTORY")
    text = text.replace("Active Sessions:        2.06", f"Active Sessions:        {sessions}")
    return parse_report(text.replace("03-Feb-20", day).encode(), name="ash")


def addm(sessions: str = "2.06", snap: int = 100) -> Report:
    text = ADDM.decode().replace("sessions was 2.06", f"sessions was {sessions}")
    text = text.replace("7412 seconds", f"{float(sessions) * 3605:.0f} seconds")
    text = text.replace("100 to 101", f"{snap} to {snap + 1}").replace("03-FEB-20", f"{snap - 97:02}-FEB-20")
    return parse_report(text.encode(), name="addm")


@pytest.mark.parametrize(
    ("first", "second"), [(ash(), ash(sessions="7.5", day="04-Feb-20")), (addm(), addm("7.5", snap=101))]
)
def test_average_active_sessions_are_said_and_nothing_is_attributed(first: Report, second: Report) -> None:
    c = compare_reports(first, second)
    assert "2.1 → 7.5" in c.summary
    assert c.attribution is None
    said = as_markdown([c])
    assert "Where the time went" not in said
    assert "Not material" not in said
    assert "Neither report prints commit waits" in said


def test_samples_from_disk_against_samples_in_memory() -> None:
    c = compare_reports(ash(), ash(disk=False))
    codes = [w.code for w in c.warnings]
    assert "different-sampling" in codes
    assert "same-report" not in codes  # of the same time, but not the same samples
    assert "different-sampling" not in {w.code for w in compare_reports(ash(), ash(day="04-Feb-20")).warnings}


def test_the_same_samples() -> None:
    (text,) = [w.text for w in compare_reports(ash(), replace(ash(), name="b")).warnings if w.code == "same-report"]
    assert "snapshots" not in text
    assert all(r.status == "same" for s in compare_reports(ash(), ash()).sections for r in s.rows)


def test_kinds_of_the_same_snapshots_are_not_the_same_report() -> None:
    awr = replace(addm(), kind="awr")
    codes = {w.code for w in compare_reports(awr, addm()).warnings}
    assert "different-kind" in codes
    assert "overlapping" in codes
    assert "same-report" not in codes


def test_findings_are_matched_by_what_they_are_about() -> None:
    second = parse_report(ADDM.replace(b"Finding 1: Cart", b"Finding 1: New").replace(b"1  Cart Rows", b"1  New Rows "))
    c = compare_reports(addm(), second)
    (findings,) = [s for s in c.sections if s.id == "addm_findings"]
    status = {r.key["finding"]: r.status for r in findings.rows}
    assert status == {"Cart Rows": "only_first", "New Rows": "only_second", '"Shop" wait Class': "same"}
    assert findings.coverage == "top"  # what is not listed is below ADDM's threshold, not nothing
