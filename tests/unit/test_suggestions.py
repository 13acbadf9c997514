"""Suggested changes of a post-mortem's section: their lines, where they go, and when they are refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from awrdiff.postmortems.suggested_changes import applied, comment_text, digest_of

LINES = st.lists(st.sampled_from(["", "a", "b", "```", "````", "-", "+x", "@@ -1 +1 @@", "\\ end"]), max_size=9)
TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine"


def block(*lines: str, fence: str = "```", info: str = "suggestion") -> str:
    return "\n".join([f"{fence}{info}", *lines, fence])


@given(LINES, LINES)
def test_a_text_becomes_the_suggested_one(before, after):
    old, new = "\n".join(before), "\n".join(after)
    body = comment_text(old, new)
    assert bool(body) == bool(digest_of(body)) == (old != new)
    assert not body or applied(old, body) == new


def test_it_reads_as_a_unified_diff_of_two_lines_around():
    body = comment_text(TEXT, TEXT.replace("five", "5"))
    assert body == block("@@ -3,5 +3,5 @@", " three", " four", "-five", "+5", " six", " seven")


def test_its_fence_is_longer_than_those_inside():
    for ticks, fence in (("``", "```"), ("```", "````"), ("`````", "``````")):
        assert comment_text("a", f"a\n{ticks}") == block("@@ -1 +1,2 @@", " a", f"+{ticks}", fence=fence)


def test_both_of_two_changes_go_where_others_added_lines():
    body = comment_text(TEXT, TEXT.replace("two", "2\n2½").replace("nine", "9"))
    assert applied(f"zero\n{TEXT}\nten", body) == f"zero\n{TEXT}\nten".replace("two", "2\n2½").replace("nine", "9")


def test_none_of_two_is_made_where_the_lines_of_one_are_gone():
    body = comment_text(TEXT, TEXT.replace("two", "2").replace("nine", "9"))
    assert applied(TEXT.replace("one", "1"), body) is None
    assert applied(TEXT.replace("eight", "8"), body) is None


def test_of_equal_places_it_is_the_one_that_was_meant():
    twice = "a\nb\nc\na\nb\nc"
    assert applied(twice, block("@@ -2 +2 @@", "-b", "+B")) == "a\nB\nc\na\nb\nc"
    assert applied(twice, block("@@ -5 +5 @@", "-b", "+B")) == "a\nb\nc\na\nB\nc"
    assert applied(twice, block("@@ -4 +4 @@", "-b", "+B")) is None, "either may be meant"
    assert applied("b\na\nb", block("@@ -1 +1 @@", "-b", "+B")) == "B\na\nb"


def test_lines_that_moved_are_met_at_either_end():
    assert applied("x\ny\nb", block("@@ -1 +1 @@", "-b", "+B")) == "x\ny\nB"
    assert applied("b\nx\ny", block("@@ -3 +3 @@", "-b", "+B")) == "B\nx\ny"


def test_an_empty_section_takes_lines_and_another_takes_none_of_them():
    body = comment_text("", "a\nb")
    assert body == block("@@ -0,0 +1,2 @@", "+a", "+b")
    assert applied("", body) == "a\nb"
    assert applied("c", body) is None


def test_lines_that_are_there_already_are_not_added_again():
    body = comment_text("a\nb", "a\nb\nc")
    assert applied("a\nb\nc", body) is None
    assert applied("a\nb\nd", body) == "a\nb\nc\nd"


def test_lines_that_go_may_leave_what_follows_as_it_was():
    body = comment_text("a\na\na\na", "a\na\na")
    assert applied("a\na\na\na", body) == "a\na\na"


def test_other_comments_suggest_nothing():
    diff = "@@ -1 +1 @@", "-a", "+b"
    assert digest_of(block(*diff))
    assert digest_of(block(*diff, info=" suggestion "))
    assert digest_of(f"Better:\n\n{block(*diff)}\n\nOr not.")
    for body in (
        "a suggestion",
        block(*diff, info=""),
        block(*diff, info="suggestion x"),
        block("-a", "+b"),
        block("a line of no hunk", *diff),
        block(*diff, "a line without its sign"),
        block(""),
        f"{block('text', info='')}\n\n{block(*diff)}",
    ):
        assert digest_of(body) == "", body
        assert applied("a", body) == "a", body


def test_an_empty_line_stays_where_an_editor_cut_its_space():
    assert applied("a\n\nb", block("@@ -1,3 +1,3 @@", " a", "", "-b", "+c")) == "a\n\nc"


def test_digests_tell_suggestions_apart():
    first, second = block("@@ -1 +1 @@", "-a", "+b"), block("@@ -1 +1 @@", "-a", "+c")
    assert len({digest_of(first), digest_of(second), digest_of(first)}) == 2
    assert len(digest_of(first)) == 16
