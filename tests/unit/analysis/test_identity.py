"""The identity strip in words: one table, which the page and every file have."""

from __future__ import annotations

from msgspec.structs import replace

from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.brief_summary import as_brief, ticket
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.export.ranked_changes import lies_of
from awrdiff.analysis.export.report_headers import ROWS, identities, identity_in_words
from awrdiff.analysis.model.comparison import IdentityFacts
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Mover, Range, Sessions, Subject
from awrdiff.analysis.verdict.ranked_changes import REST_SUBJECT
from awrdiff.web.presenters.page.overview import present
from tests.unit.analysis.builders import loaded
from tests.unit.analysis.test_typical import mondays


def test_what_is_not_printed_is_nothing_and_never_zero():
    nothing = identity_in_words(IdentityFacts(**dict.fromkeys(IdentityFacts.__struct_fields__)))
    assert [show(nothing) for _, show in ROWS] == [""] * len(ROWS)
    assert nothing.in_a_line == ""
    idle = replace(loaded_facts(), active_sessions=0.0, host_busy_pct=0.0)
    assert (identity_in_words(idle).sessions, identity_in_words(idle).host_busy) == ("0", "0 %")
    assert identity_in_words(replace(idle, active_sessions=0.001)).sessions == "<0.01"


def loaded_facts() -> IdentityFacts:
    return compare_reports(loaded(), loaded()).identity[0]


def test_two_windows_are_told_in_one_unit():
    made = compare_reports(loaded(), loaded())
    day = replace(made.identity[1], elapsed_s=86_400.0)
    first, second = identities(replace(made, identity=(replace(made.identity[0], elapsed_s=21_582.0), day)))
    assert (first.elapsed, second.elapsed) == ("6.0 h", "24.0 h")


def test_the_page_and_the_files_say_the_same_in_the_same_words():
    made = compare_reports(loaded(), loaded(cpus=2))
    _, second = identities(made)
    assert [identity for identity, *_ in present(made, {})["identity"]] == list(identities(made))
    for text in (ticket(made), as_brief([made]), as_markdown([made])):
        assert second.window in text
        assert second.sessions in text
        assert second.database in text


def test_a_median_is_called_so_and_has_no_window_of_its_own():
    made = compare_with_median(mondays(1.0, 2.0), loaded())
    first, second = identities(made)
    assert first.window.startswith("the median of 2 reports")
    assert (first.elapsed, first.of_several, second.of_several) == ("", True, False)
    assert first.in_a_line.startswith(first.window)
    shown, *_ = present(made, {})["identity"][0]
    assert (shown.release, shown.host) == ("", "")  # as Second's: said once, on the page


def test_what_is_left_of_medians_lies_nowhere_as_no_report_prints_it():
    made = compare_with_median(mondays(300.0, 400.0, 500.0), mondays(9000.0)[0])
    (section, row), lies = next(iter(made.median.lies.items()))
    sessions = Sessions(Range(1, 1), Range(2, 2))
    mover = Mover(REST_SUBJECT, "part", sessions, 1.0, "worse", evidence=Evidence(section, "DB time", "time_s", row))
    assert lies_of(made, mover) == ""
    assert lies_of(made, replace(mover, subject=Subject("cpu", "cpu"))) == f"DB time {lies.text}"
