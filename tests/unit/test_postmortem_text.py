"""What people typed, written as Markdown for elsewhere; and two texts compared line by line."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from awrdiff.postmortems.markdown import as_html, as_markdown
from awrdiff.web.presenters.postmortem.page import differences

ELSEWHERE = MarkdownIt("gfm-like")


def rewritten(text: str) -> str:
    return "\n".join(as_markdown(text))


def letters(html: str) -> str:
    """What is read of it, whatever the spaces."""
    return "".join(re.sub(r"<[^>]+>", "", html).split())


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("a *b* **c** ~~d~~ `e`", "a *b* **c** ~~d~~ `e`"),
        ("# Head", "### Head"),
        ("- a\n  - b\n- c", "- a\n  - b\n- c"),
        ("2. a\n3. b", "2. a\n3. b"),
        ("> a\n> b", "> a  \n> b"),
        ("[a](https://x.example/1)", "[a](<https://x.example/1>)"),
        ("[a](javascript:alert(1))", "\\[`a](javascript:alert(1`))"),
        ("![a](https://x.example/1.png)", "\\![a](<https://x.example/1.png>)"),
        ("<https://x.example>", "[`https://x.example`](<https://x.example>)"),
        ("<b>x</b>", "\\<b\\>x\\</b\\>"),
        ("@all see #1", "`@all` see `#1`"),
        ("````\na```\n````", "````\na```\n````"),
        ("```\nnever closed", "```\nnever closed\n```"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("1\\. a", "1\\. a"),
        ("_a *b* **c _d_ e** f_", "*a b **c d e** f*"),
        ("__]__*a*", "\\]*a*"),
    ],
)
def test_markup_stays_and_the_rest_is_inert(typed, written):
    assert rewritten(typed) == written


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](data:text/html,a)",
    "[x]( java\tscript:alert(1))",
    "[x][1]\n\n[1]: javascript:alert(1)",
    "![x](http://evil.example/pixel.png)",
    "x![x](http://evil.example/pixel.png)",
    "!*x*[x](http://evil.example)",
    "<http://evil.example/><img src=x>",
    '[x](<http://a.example/?q="onmouseover=alert(1)>)',
    "`a` ``b ` c`` <svg/onload=alert(1)>",
    "> " * 60 + "deep",
    "- " * 60 + "deep",
    "*" * 500,
    "[" * 500,
    "```\n<script>\n```\n</pre><script>",
    "&lt;script&gt;&#60;script&#62;",
    "<!-- a --> <![CDATA[ x ]]> <?php ?>",
    "\u202e<b>\u0000",
    "http://evil.example www.evil.example a@evil.example",
]


@pytest.mark.parametrize("typed", HOSTILE)
def test_hostile_text_is_inert_on_the_page_and_elsewhere(typed):
    for made in (as_html(typed), ELSEWHERE.render(rewritten(typed))):
        assert not re.search(r"<(?:script|img|svg|iframe|b|style|!)(?![a-z])", made)
        assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', made))
        targets = re.findall(r'href="([^"]*)"', made)
        assert all(target.startswith(("http://", "https://")) for target in targets), targets
    assert 'rel="nofollow noopener"' in as_html(typed) or "<a " not in as_html(typed)


@given(
    st.lists(
        st.sampled_from([*"*_`~[]()!<>#|-+=1.\\ \n", "\n\n", "word", "a b", "https://x.example", "    "]), max_size=40
    )
)
@example(["`", "|", "`"])
@example(["*", "[", "_", "[", "_", " ", "`", "*"])
@example(["_", "a", "*", "b", "*", "c", "_"])
@settings(max_examples=500, deadline=None)
def test_elsewhere_it_reads_as_on_the_page(pieces):
    typed = "".join(pieces)
    assert letters(ELSEWHERE.render(rewritten(typed))) == letters(as_html(typed))


def test_headings_stand_below_those_of_the_page():
    assert as_html("# a\n\n## b\n\n###### c") == "<h3>a</h3>\n<h4>b</h4>\n<h5>c</h5>\n"


def test_large_hostile_text_is_quick():
    began = time.process_time()
    for typed in ("[" * 20_000, "*a " * 6_000, "`" * 20_000, "> " * 10_000, "<" * 20_000, "|" * 20_000, "- a\n" * 999):
        rewritten(typed)
    assert time.process_time() - began < 10


class TestDifferences:
    def changes(self, first: str, second: str) -> list[str]:
        signs = {"same": " ", "gone": "-", "new": "+", "skipped": "…"}
        return [f"{signs[one.kind]}{one.text}" for one in differences(first, second)]

    def test_the_same_has_none(self):
        assert self.changes("a\nb", "a\nb") == []
        assert self.changes("", "") == []

    def test_from_nothing_and_to_nothing(self):
        assert self.changes("", "a\nb") == ["+a", "+b"]
        assert self.changes("a\nb", "") == ["-a", "-b"]

    def test_what_is_far_from_a_change_is_left_out(self):
        lines = [f"line {n}" for n in range(20)]
        changed = [*lines[:10], "changed", *lines[11:]]
        found = self.changes("\n".join(lines), "\n".join(changed))
        assert found[0] == "…7 lines the same"
        assert found[1:8] == [" line 7", " line 8", " line 9", "-line 10", "+changed", " line 11", " line 12"]
        assert found[-1] == "…6 lines the same"

    @given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
    @settings(max_examples=100, deadline=None)
    def test_either_text_can_be_read_out_of_it(self, first, second):
        found = differences("\n".join(first), "\n".join(second))
        before = {one.before: one.text for one in found if one.before}
        after = {one.after: one.text for one in found if one.after}
        assert all(first[n - 1] == text for n, text in before.items())
        assert all(second[n - 1] == text for n, text in after.items())
        assert (first == second or not "".join(first + second)) == (not found)
        assert len(first) + sum(one.kind == "new" for one in found) - sum(one.kind == "gone" for one in found) == len(
            second
        )

    def test_the_worst_texts_are_compared_quickly(self):
        began = time.process_time()
        differences("\n".join("ab" * 500), "\n".join("ba" * 500))
        differences("\n".join(map(str, range(1000))), "\n".join(map(str, range(1000, 0, -1))))
        assert time.process_time() - began < 5
