"""Files that do not hold all of their report: what is not in them is unknown, and nothing is said of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.single_report import assess
from parsers.model import Issue, Report
from tests.golden.test_diagnosed import NAMES, both
from tests.unit.analysis.builders import events, instead, loaded, parameters, statements
from tests.unit.analysis.commit_builders import committing
from tests.unit.analysis.test_rule_words import failing

READ, LOCK = "db file sequential read", "enq: TX - row lock contention"
SETTINGS = {"cpu_count": "8", "cursor_sharing": "EXACT", "optimizer_mode": "RULE", "sga_target": "8G"}
CUTS = ("init_parameters", "foreground_wait_events", "time_model", "os_statistics", "sql_by_elapsed_time")


def cut(made: Report, section_id: str, kept: int | None = None) -> Report:
    """What is read of a file that ends behind `kept` rows of the section, or half of them."""
    at = next((i for i, s in enumerate(made.sections) if s.id == section_id), None)
    if at is None:
        return made
    last = made.sections[at]
    last = replace(last, coverage="top", records=last.records[: len(last.records) // 2 if kept is None else kept])
    issue = Issue("truncated", "The report ends early (line 9): what comes after that is missing, not zero.", line=9)
    return replace(made, sections=(*made.sections[:at], last), issues=(issue,))


def by_rule(first: Report, second: Report):
    return {f.rule: f for f in compare_reports(first, second).findings}


def test_a_parameter_that_the_file_does_not_reach_is_not_at_its_default():
    whole = loaded(more=[parameters(SETTINGS)])
    ended = cut(whole, "init_parameters", kept=2)
    for pair in ((whole, ended), (ended, whole), (ended, ended)):
        said = by_rule(*pair)["parameters"]
        assert (said.title, said.text) == (
            "Of the parameters in both files none changed.", "None of the 2 printed differs.",
        )  # fmt: skip
    other = cut(loaded(more=[parameters({**SETTINGS, "cursor_sharing": "FORCE"})]), "init_parameters", kept=2)
    assert by_rule(whole, other)["parameters"].text == "cursor_sharing: EXACT → FORCE."


def test_a_parameter_that_only_the_cut_file_lists_is_at_its_default_in_the_whole_one():
    ended = cut(loaded(more=[parameters(SETTINGS)]), "init_parameters", kept=2)
    said = by_rule(ended, loaded(more=[parameters({"sga_target": "8G"})]))["parameters"]
    assert said.text == "cpu_count: 8 → default; cursor_sharing: EXACT → default."


def test_the_row_of_a_cut_list_is_unknown_on_the_page_as_well():
    whole = loaded(more=[parameters(SETTINGS)])
    for pair in ((whole, cut(whole, "init_parameters", kept=2)), (cut(whole, "init_parameters", kept=2), whole)):
        (made,) = (s for s in compare_reports(*pair).sections if s.id == "init_parameters")
        assert made.coverage == "top"


def test_parse_errors_that_the_file_does_not_reach_were_not_none():
    none, many = failing(0.01), failing(400.0, 5_000)
    assert by_rule(none, many)["parse-failures"].title == "Parse errors: new."
    said = by_rule(cut(none, "instance_activity", kept=2), many)["parse-failures"]
    assert (said.title, "failed parses" in said.text) == ("Parse errors cost time.", False)


def test_time_of_waits_that_the_file_does_not_reach_is_not_lost_time():
    waits = {READ: (100_000, 500.0), LOCK: (1_000, 9_000.0)}
    whole = loaded(waits=waits)
    ended = shortened(whole, "foreground_wait_events", kept=1)
    assert "unaccounted-time" not in by_rule(loaded(), ended)
    assert "unaccounted-time" not in {f.rule for f in assess(ended).findings}
    lost = instead(whole, events({READ: waits[READ]}))
    assert "unaccounted-time" in by_rule(loaded(), lost)
    assert "unaccounted-time" in {f.rule for f in assess(lost).findings}


@pytest.mark.parametrize("ends", ["os_statistics", "init_parameters"])
def test_cpu_is_not_the_limit_only_where_all_that_could_deny_it_is_there(ends):
    settings = [statements({"a": (9.0, 1.0), "b": (5.0, 1.0)}), parameters(SETTINGS)]
    first, second = loaded(more=settings), loaded(waits={READ: (100_000, 9_000.0)}, more=settings)
    assert "cpu-not-the-limit" in by_rule(first, second)
    assert "cpu-not-the-limit" in {f.rule for f in assess(second).findings}
    beside = shortened(second, "sql_by_elapsed_time")
    assert beside.gaps
    assert "cpu-not-the-limit" in by_rule(first, beside)
    ended = shortened(second, ends, kept=3)
    assert "cpu-not-the-limit" not in by_rule(first, ended)
    assert "cpu-not-the-limit" not in {f.rule for f in assess(ended).findings}


def test_what_a_cut_side_does_not_tell_is_neither_better_nor_worse():
    """Commits of Second wait; whether they did in First is not in its file."""
    second = committing(lfs=(36_000, 720.0), db_time=1_500.0)
    for first, tone in ((committing(), "worse"), (cut(committing(), "time_model", kept=1), "neutral")):
        assert by_rule(first, second)["commit-latency"].tone == tone


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_no_rule_speaks_because_rows_are_missing(name):
    """Each list for itself, as where one is too large to be kept."""
    first, second = both(name)
    whole = {f.rule for f in compare_reports(first, second).findings}
    for section_id in CUTS:
        ends = [(shortened(first, section_id), second), (first, shortened(second, section_id))]
        for pair in (
            pair for pair in ends if pair[0] is not first or pair[1] is not second
        ):  # a report may not print the list
            told = {f.rule for f in compare_reports(*pair).findings}
            assert told <= whole, (section_id, told - whole)


def shortened(made: Report, section_id: str, kept: int | None = None) -> Report:
    """With all other sections, and `kept` rows of that one or half of them."""
    ended = cut(made, section_id, kept)
    if ended is made:
        return made
    return replace(instead(made, ended.sections[-1]), issues=ended.issues)
