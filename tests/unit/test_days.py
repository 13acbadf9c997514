"""What a search says of days: a calendar's days only, and the rest stays a word."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrdiff.comparisons.date_search_terms import Term, When, terms

TODAY = date(2026, 11, 22)  # a Sunday


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2018-01-11", When(2018, 1, 11)),
        ("2018-1", When(2018, 1)),
        ("11 jan 2018", When(2018, 1, 11)),
        ("11 January", When(None, 1, 11)),
        ("jan 11, 2018", When(2018, 1, 11)),
        ("MAY", When(None, 5)),
        ("may 2024", When(2024, 5)),
        ("11.1.2018", When(2018, 1, 11)),
        ("11.01.", When(None, 1, 11)),
        ("2018", When(2018)),
        ("9:30", When(clock="09:30")),
        ("today", When(2026, 11, 22)),
        ("yesterday", When(2026, 11, 21)),
        ("sunday", When(2026, 11, 22)),
        ("monday", When(2026, 11, 16)),
        ("29 feb", When(None, 2, 29)),
    ],
)
def test_a_day(text, when):
    assert terms(text, TODAY) == [Term(text.lower(), when)]


@pytest.mark.parametrize(
    "text", ["2018-13-01", "30 feb", "29.2.2023", "0000-01-01", "24:00", "pay2018", "1234", "0 jan"]
)
def test_no_day(text):
    assert all(term.when is None or term.when.day is None for term in terms(text, TODAY))


def test_words_and_days_together():
    found = terms("PAY slow 11 jan 2018 09:30", TODAY)
    assert found == [
        Term("11 jan 2018", When(2018, 1, 11)),
        Term("09:30", When(clock="09:30")),
        Term("pay"),
        Term("slow"),
    ]


@pytest.mark.parametrize(
    ("when", "iso"),
    [
        (When(2018, 1, 11), "2018-01-11T"),
        (When(2018, 1), "2018-01-"),
        (When(2018), "2018-"),
        (When(None, 1), "-01-"),
        (When(None, 1, 11), "-01-11T"),
        (When(clock="09:30"), "T09:30"),
    ],
)
def test_as_it_stands_in_a_moment(when, iso):
    assert when.in_iso() == iso
    assert iso in "2018-01-11T09:30:00"


@given(st.text(max_size=60))
def test_any_text_has_terms(text):
    for term in terms(text, TODAY):
        assert term.text
