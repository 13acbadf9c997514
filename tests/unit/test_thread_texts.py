"""Comments as HTML: what Markdown makes, what never gets through, and who is meant by @name."""

from __future__ import annotations

import re
import time

import pytest
from markdown_it.token import Token

from awrdiff.threads.comment_rendering import excerpt, html, html_of, names_mentioned, without_names

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html,<script>1</script>)",
    "[x](//evil.example)",
    "[x](/logout/)",
    "![x](https://evil.example/pixel.png)",
    '[x](https://a.example "onmouseover=alert(1)")',
    "<https://a.example/\"onclick='x'>",
    '**<b onclick="x">y</b>**',
    "```html\n<script>1</script>\n```",
    "`<svg/onload=1>`",
    "[a]: javascript:1\n\n[a]",
    "@ana<script>",
    "&lt;script&gt;",
]
TAG = re.compile(r"<(/?)([a-z0-9]+)((?:\s[^<>]*)?)>")
ALLOWED = {"p", "br", "b", "strong", "em", "s", "code", "pre", "a", "h4", "ul", "ol", "li", "hr", "blockquote"}


@pytest.mark.parametrize("body", HOSTILE)
def test_nothing_but_plain_tags_and_links_to_the_web(body):
    made = html(body, ["ana"])
    rest = made
    for tag in TAG.finditer(made):
        assert tag[2] in ALLOWED
        if tag[2] == "a" and not tag[1]:
            assert re.fullmatch(r' href="https?://[^"]*" rel="nofollow noopener"', tag[3]), tag[3]
        else:
            assert tag[3] in ("", ' class="at"')
        rest = rest.replace(tag[0], "", 1)
    assert "<" not in rest


def test_markdown():
    made = html("# Big\n\n**b** *i* ~~s~~ `c`\n- one\n\n> q\n\n[link](https://example.com) https://plain.example")
    for part in ("<h4>Big</h4>", "<strong>b</strong>", "<s>s</s>", "<code>c</code>", "<li>one</li>", "<blockquote>"):
        assert part in made
    assert made.count("<a ") == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("@ana", ["ana"]),
        ("Hi @Ana, and @bo.", ["ana", "bo"]),
        ("**@ana**, twice @ana", ["ana"]),
        ("@ana.b is another", ["ana.b"]),
        ("[@bo](https://a.example)", ["bo"]),
        ("`@ana` is code", []),
        ("```\n@ana\n```", []),
        ("mail ana@bo or x/@ana", []),
        ("@anabel @", []),
        ("@zoë", ["zoë"]),
    ],
)
def test_who_is_meant(body, expected):
    assert names_mentioned(body, ["ana", "bo", "ana.b", "zoë"]) == expected


def test_only_those_who_were_meant_are_marked():
    assert html("@ana and @bo", ["bo"]) == '<p>@ana and <b class="at">@bo</b></p>\n'


@pytest.mark.parametrize(
    "body",
    ["> " * 5000, "[" * 10000, "*a_ " * 2500, "<" * 10000, "@a." * 3333, "- a\n" * 2500, "|" * 10000, "`a``" * 2500],
)
def test_no_comment_takes_long_or_grows_much(body):
    began = time.process_time()
    made = html(body[:10_000], ["a"])
    assert time.process_time() - began < 1
    assert len(made) < 60_000


def test_an_excerpt_is_one_short_line():
    assert excerpt("a\n\n b  c") == "a b c"
    assert excerpt("# A\n**b** [c](https://a.example)\n```\nd\n```\n- `e`\n- f\\\ng") == "A b c d e f g"
    assert len(excerpt("x " * 500)) == 140


def test_of_what_writers_add_only_named_elements_stay():
    added = [Token("html_block", "", 0, content="<img src=x><table></table><b onclick=x>y</b>")]
    assert html_of(added, ()) == "<b>y</b>"
    assert html_of(added, ["table"]) == "<table></table><b>y</b>"


def test_an_excerpt_names_people_as_the_page_does():
    assert excerpt("@ANA and @bo", ["ana", "bo"], {"ana": "Ana Lee"}) == "@Ana Lee and @bo"


@pytest.mark.parametrize(
    ("body", "names", "said"),
    [
        ("@ana the analysis of plan a is banal", ["ana"], "X the analysis of plan a is banal"),
        ("`@Ana`, Ana's, (ana) and @ana.", ["ana"], "`X`, X's, (X) and X."),
        ("@ana.b and @ana", ["ana", "ana.b"], "X and X"),
        ("@STRAUSS or Strauß", ["Strauß"], "X or X"),
        ("a+b and a.b", ["a+b"], "X and a.b"),
        ("nobody @here", [], "nobody @here"),
    ],
)
def test_who_is_mentioned_can_be_left_unnamed(body, names, said):
    assert without_names(body, names, "X") == said


def test_what_else_they_are_called_goes_too_but_no_word_like_any_other():
    also = ["olivia", "Will", "Berg", "van", "Will van Berg", "王芳"]
    said = "X and X will ask X's van, WAITS of X: X, X, X"
    text = "@olivia and Will will ask berg's van, WAITS of 王芳: WILL, Will van Berg, will van berg"
    assert without_names(text, ["olivia"], "X", also) == said
