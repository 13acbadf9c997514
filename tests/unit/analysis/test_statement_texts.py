"""What is left of a statement's text when two writings of it are to be told to be one."""

from __future__ import annotations

import pytest

from awrdiff.analysis.names.sql_text_normalisation import is_plsql, opening, plain, sql_form, words

QUERY = "select a.x from orders a where a.id = 17 and a.state in ('NEW', 'OLD')"


@pytest.mark.parametrize(
    "other",
    [
        "SELECT a.x  FROM orders a WHERE a.id = :1 AND a.state IN (:b2)",
        "select /* from the shop */ a.x from orders a where a.id = 4 and a.state in ('A') -- why",
        "select /*+ full(a) */ a.x from orders a where a.id=17.5 and a.state in (?, ?, ?)",
        "select a.x from orders a where a.id = 17 and a.state in ('it''s', q'(x)', n'y');",
    ],
)
def test_one_statement_in_two_writings(other):
    assert plain(other) == plain(QUERY)


@pytest.mark.parametrize(
    "other",
    [
        "select a.x from orders2 a where a.id = 17 and a.state in ('NEW')",
        "select a.x from orders a where a.id > 17 and a.state in ('NEW')",
        "select a.x, a.y from orders a where a.id = 17 and a.state in ('NEW')",
        "select a.x from orders a where a.id = 17 and a.state in (select s from t)",
    ],
)
def test_two_statements(other):
    assert plain(other) != plain(QUERY)
    assert sql_form(other) != sql_form(QUERY)


def test_names_with_digits_are_no_literals():
    assert plain("select c1 from t2") == "SELECT C1 FROM T2"


def test_a_literal_in_a_comment_and_a_comment_in_a_literal():
    assert plain("select '/* no comment */' from t -- 'open") == "SELECT?FROM T"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("select a . x , b from t where x = - 1", "SELECT A.X,B FROM T WHERE X=-?"),
        ("begin p ( :a , c ) ; end ;", "BEGIN P(?,C);END"),
        ('select "a b" , c from "t" where d <> &v', 'SELECT "A B",C FROM "T" WHERE D!=?'),
    ],
)
def test_blanks_stay_between_words_alone(text, bare):
    assert plain(text) == bare


def test_parsing_sees_through_optional_writing():
    """Parentheses around one comparison, INNER, quotes: the words are the same, the tokens are not."""
    first = "select a.x from t a inner join u b on (a.id = b.id) where (a.d = 'x') and a.c in (1, 2)"
    second = 'SELECT "A"."X" FROM t a JOIN u b ON a.id = b.id WHERE a.d = :1 AND a.c IN (:2)'
    assert plain(first) != plain(second)
    assert words(first) == words(second)
    assert sql_form(first) == sql_form(second) is not None


def test_parentheses_that_matter_stay():
    first, second = (
        "select 1 from t where (a = 1 or b = 2) and c = 3",
        "select 1 from t where a = 1 or (b = 2 and c = 3)",
    )
    assert sql_form(first) != sql_form(second)


@pytest.mark.parametrize(
    "text", ["", "select * from (((", "begin x; end;", "select 1 from t where", "select " + "x," * 9000]
)
def test_what_cannot_be_parsed_is_left_to_the_plain_reading(text):
    assert sql_form(text) is None


@pytest.mark.parametrize(
    "other", ["/* v2 */ SELECT a.x from", "select /*+ full(a) */ a.x from", "/*" + "long" * 200 + "*/ select a.x"]
)
def test_openings_tell_statements_apart_before_their_texts_are_read(other):
    assert opening(other) == opening("select a.x from t") == ("SELECT", "A", "X")
    assert opening("select a.y from t") != opening("select a.x from t")


def test_a_text_too_long_is_not_compared():
    assert plain("x" * 10_001) is None


@pytest.mark.parametrize(
    "text",
    [
        "begin x; end;",
        "/* shop */ DECLARE n number; begin",
        "call f(:1)",
        "{? = call f(:1)}",
        "<<l>> begin",
        "--x\nBEGIN",
    ],
)
def test_blocks(text):
    assert is_plsql(text)


@pytest.mark.parametrize(
    "text", ["select 1 from dual", "beginning", "update t set x = 'begin'", "", "/* begin */ select 1"]
)
def test_no_blocks(text):
    assert not is_plsql(text)
