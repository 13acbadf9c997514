"""A recovery is described by its sick hour: First's own findings keep their severity."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.diagnosis import text_without_repeats
from fixtures.diagnosed.hour import hour
from fixtures.writer import Model, write
from parsers import Report, parse_report

LOCK = "enq: TX - row lock contention"
QUIET = hour()
LOCKED = hour(waits={LOCK: (900, 9_000.0)})
MORE_LOCKED = hour(waits={LOCK: (900, 20_000.0)})


def read(model: Model) -> Report:
    return parse_report(write(model))


def compared(first: Model, second: Model) -> Comparison:
    return compare_reports(read(first), read(second))


def alarms(comparison: Comparison) -> list[tuple[str, str]]:
    return [(f.rule, f.severity) for f in comparison.findings if f.severity != "note" and not f.is_folded]


def test_the_findings_of_the_sick_hour_warn_also_where_it_is_first():
    comparison = compared(LOCKED, QUIET)
    assert comparison.answer.state == "first_was_sick"
    own = {(f.rule, f.severity) for f in assess(read(LOCKED)).findings if f.severity != "note"}
    assert own
    assert own <= set(alarms(comparison))
    first = comparison.findings[0]
    assert first.title.startswith("In First: ")
    assert first.tone == "worse"


def test_what_the_sick_hour_and_its_change_have_in_common_stands_once():
    alone = single(
        "Part of DB time is unaccounted for.",
        "24 % of DB time is in no wait and not on CPU: 19.1 active sessions. Reasons that the report prints: 3 CPUs.",
    )
    change = pair(
        "Part of DB time is unaccounted for.",
        "24 % → 20 % of DB time is in no wait and not on CPU: 19.1 → 0.75 active sessions. "
        "Reasons that First's report prints: 3 CPUs.",
    )
    assert text_without_repeats(alone, change) == change.text
    more = single(
        "Parse errors cost time.", "Failed parses took 16 % of DB time: 6,819 of them. It is named by a view."
    )
    less = pair("Parse errors cost less time.", "Failed parse time 16 % → 1 % of DB time. It is named by a view.")
    assert text_without_repeats(more, less) == (
        "Failed parses took 16 % of DB time: 6,819 of them. It is named by a view. "
        "Parse errors cost less time. Failed parse time 16 % → 1 % of DB time."
    )


def single(title, text):
    return SingleFinding("rule", "warning", title, text)


def pair(title, text):
    return Finding("rule", "note", title, text)


def test_a_change_by_the_same_rule_is_part_of_the_finding():
    comparison = compared(LOCKED, QUIET)
    locks = [f for f in comparison.findings if f.rule == "row-locks"]
    assert len(locks) == 1
    assert locks[0].sessions is not None
    assert locks[0].sessions.first is not None
    assert len([r for r in comparison.rules if r.rule == "row-locks" and r.state == "fired"]) == 1
    assert len({r.rule for r in comparison.rules}) == len(comparison.rules)


@pytest.mark.parametrize(
    ("first", "second", "has_own"),
    [
        (LOCKED, QUIET, True),
        (QUIET, LOCKED, False),  # Second got worse
        (QUIET, QUIET, False),
        (MORE_LOCKED, LOCKED, True),  # both sick, First more
        (LOCKED, MORE_LOCKED, False),
        (hour(waits={LOCK: (900, 9_500.0)}), LOCKED, False),  # as sick: the later hour leads
    ],
)
def test_only_the_sicker_hour_s_own_findings_are_added(first, second, has_own):
    assert any(f.title.startswith("In First: ") for f in compared(first, second).findings) is has_own


def test_the_other_of_two_sick_hours_has_its_own_trouble():
    held = "enq: TX - row lock contention holds 2.5 of 3.3 active sessions."
    assert compared(LOCKED, MORE_LOCKED).answer.detail == f"First was sick already: {held}"
    assert compared(MORE_LOCKED, LOCKED).answer.detail == f"Second is quieter and still sick: {held}"
    assert compared(LOCKED, LOCKED).answer.detail == ""


@pytest.mark.parametrize("first", [LOCKED, MORE_LOCKED])
def test_no_critical_finding_stands_below_a_warning(first):
    ranks = [
        severity == "warning" for _, severity in alarms(compared(first, LOCKED if first is MORE_LOCKED else QUIET))
    ]
    assert ranks == sorted(ranks)


def test_the_answer_points_at_a_finding_that_alarms():
    comparison = compared(LOCKED, QUIET)
    assert comparison.findings[comparison.answer.findings[0]].severity != "note"
