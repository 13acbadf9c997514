"""A report cut off anywhere is read as far as it goes, says so, and invents nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, write
from parsers import UnsupportedReport, parse_report

FILES = {
    "19c": write(invented.after()),
    "11.2": write(invented.after(modern=False), LAYOUT_112),
}
WHOLE = {name: parse_report(data) for name, data in FILES.items()}


@pytest.mark.parametrize("name", sorted(FILES))
@settings(deadline=None, max_examples=25)
@given(share=st.floats(0, 0.999))
def test_a_cut_report_is_read_as_far_as_it_goes(name: str, share: float) -> None:
    data, whole = FILES[name], WHOLE[name]
    try:
        report = parse_report(data[: int(share * len(data))])
    except UnsupportedReport:
        report = None
    if report is None:
        assert share < 0.02, "refused, although the heading and the database are there"
        return
    assert any("cut" in i.code or "end" in i.code or "truncat" in i.code for i in report.issues), report.issues
    known = {s.id for s in whole.sections}
    for section in report.sections[:-1]:
        if section.id == "wait_event_histogram":
            continue  # a chain of tables: links may be missing
        assert section.id in known
        same = whole.section(section.id)
        assert same is not None
        read, there = [same.key_of(r) for r in section.records], [same.key_of(r) for r in same.records]
        assert read == there[: len(read)], section.id


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, b"<html><body>hello</body></html>"])
def test_what_is_no_report_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(UnsupportedReport, match=r"\w+ \w+"):
        parse_report(data)


def test_both_layouts_are_read_completely() -> None:
    for name, layout in (("19c", LAYOUT_19), ("11.2", LAYOUT_112)):
        report = WHOLE[name]
        story = invented.after(modern=layout is LAYOUT_19)
        missing = [
            s for s in story.sections if report.section(s) is None and any(t.section == s for t in layout.tables)
        ]
        assert missing == []
        assert [(i.code, i.text) for i in report.issues] == []
        assert [s.id for s in report.sections if not s.known] == []
