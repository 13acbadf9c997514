"""A statement's text set out and marked: the same words, never another, and quickly whatever it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrdiff.web.presenters.entity.page import Piece, differing, mark_words, set_out

PIECES = (
    "select",
    "from",
    "t",
    ",",
    "'a  b'",
    "q'[it's  it]'",
    "--x\n",
    "/* c */",
    "(",
    ")",
    " ",
    "  ",
    "\n",
    ":b1",
    '"A  b"',
    "'",
    "/*",
    "5.0",
    "<b>",
    "ключ",
)


def test_sql_on_one_line_gets_lines():
    text = "select a, b from t where c = 'x  y' and d in (select 1 from dual)"
    assert set_out(text).splitlines()[:4] == ["select a,", "       b", "from t", "where c = 'x  y'"]


@pytest.mark.parametrize(
    "text",
    [
        "begin  p(1);  end;",
        "select q'[it's  a]' from t",
        "select 1 --  note  select 2 from t",
        "select a\nfrom t\nwhere b\n  = 1",
        "select " + "a, " * 3_000 + "b from t",
    ],
)
def test_what_white_space_could_mean_something_in_stays_as_printed(text):
    assert set_out(text) == text


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_no_character_is_added_or_lost(text):
    assert "".join(set_out(text).split()) == "".join(text.split())
    assert "".join(p.text for p in mark_words(text)) == text


@given(st.lists(st.sampled_from(PIECES), max_size=20), st.lists(st.sampled_from(PIECES), max_size=20))
def test_a_difference_holds_both_texts(first, second):
    a, b = " ".join(first), " ".join(second)
    pieces = differing(a, b)
    assert "".join(p.text for p in pieces if p.cls != "second") == a
    assert "".join(p.text for p in pieces if p.cls != "first") == b


def test_words_are_marked_by_what_they_are():
    pieces = mark_words("select 'a', 5, :b1, scn from t -- c")
    assert [(p.cls, p.text) for p in pieces if p.cls] == [
        ("k", "select"), ("s", "'a'"), ("n", "5"), ("b", ":b1"), ("k", "from"), ("c", "-- c"),
    ]  # fmt: skip
    assert pieces[-1] == Piece("c", "-- c")


@pytest.mark.parametrize(
    "text",
    ["(" * 5_900, "select " + "a+" * 2_900, "." * 5_900, "case when 1 then " * 350, "'" * 5_999, " " * 5_999 + "x"],
)
def test_no_text_takes_long(text):
    before = time.process_time()
    set_out(text)
    mark_words(text * 3)
    differing(f"x {text}", f"{text[::-1]} y")
    differing("a b , " * 400, "b a , " * 400)
    assert time.process_time() - before < 2
