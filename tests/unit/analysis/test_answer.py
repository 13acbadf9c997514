"""The judgement on two reports: which hour is sick, the headline, and the same cause whichever way round."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import dump_overview, load_overview
from awrdiff.analysis.model.diagnosis import NO_ANSWER, Answer
from awrdiff.analysis.single_report import assess
from parsers import parse_report
from parsers.model import Report

PLAIN = Path(__file__).parents[3] / "fixtures" / "cases" / "plain"


@cache
def report(name: str) -> Report:
    return parse_report((PLAIN / f"{name}.html").read_bytes(), name=f"{name}.html")


def answer(first: str, second: str) -> Answer:
    return compare_reports(report(first), report(second)).answer


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        (
            "plan",
            "1vg5d8sk7qz3c takes 6.9 × as long per execution (21.3 → 147 ms) since its plan changed: all of the rise",
        ),
        ("capped", "The instance may use 3 CPUs instead of 16: sessions wait for the resource manager"),
        (
            "locked",
            "Row locks on SHOP.STOCK hold all of the rise of 3.4 active sessions, most of them in 9rb6f0ya2jm4t",
        ),
    ],
)
class TestTheDemos:
    def test_the_headline_is_the_cause(self, name, headline):
        found = answer("usual", name)
        assert found.state == "second_worse"
        assert found.headline.startswith(headline)

    def test_turned_round_it_is_the_same_cause(self, name, headline):
        there, back = answer("usual", name), answer(name, "usual")
        assert back.state == "first_was_sick"
        how = "sick" if back.first else "worse"
        assert back.headline.startswith(f"First was the {how} hour: ")
        assert back.badge == f"First was the {how} hour"
        assert back.cause is not None
        assert there.cause is not None
        assert back.cause.subject == there.cause.subject
        assert back.improvement.startswith("Second is quieter")
        assert back.first == there.second

    def test_the_summary_begins_with_it_and_has_four_sentences_at_most(self, name, headline):
        found = compare_reports(report("usual"), report(name))
        assert found.summary.startswith(found.answer.headline)
        assert len(found.verdict) <= 4


def test_two_alike_hours_are_calm():
    found = answer("usual", "usual")
    assert found.state == "calm"
    assert found.is_all_clear
    assert found.cause is None


def test_of_one_report_that_holds_back_its_sessions():
    found = assess(report("capped"))
    assert found.state == "sick"
    assert [t.rule for t in found.troubles] == ["resource-manager"]
    assert found.verdict.startswith(found.headline)
    assert assess(report("usual")).state == "calm"


def test_it_is_stored_and_read_again():
    found = compare_reports(report("usual"), report("capped"))
    assert load_overview(dump_overview(found)).answer == found.answer


def test_what_an_older_engine_stored_has_none():
    document = dump_overview(compare_reports(report("usual"), report("capped")))
    del document["answer"]
    assert load_overview(document).answer == NO_ANSWER
    assert not NO_ANSWER.is_all_clear
