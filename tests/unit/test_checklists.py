"""Lines of a section that can be ticked: which they are, what ticking makes of the text, who did it, how it is shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from awrdiff.postmortems import markdown
from awrdiff.postmortems.markdown import as_html, as_markdown

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TEXT = "Asked:\n\n- [ ] who was **paged**\n- [x] [logs](http://a.example)\n  - [X] kept\n- plain [ ] not\n\n1. [ ] call"


def items(text: str) -> list[tuple[bool, str]]:
    return [(one.is_ticked, one.text) for one in markdown.lines_of(text)]


def test_lines_are_those_of_lists_that_begin_with_a_box():
    expected = [(False, "who was **paged**"), (True, "[logs](http://a.example)"), (True, "kept"), (False, "call")]
    assert items(TEXT) == expected
    for none in (
        "[ ] no list",
        "```\n- [ ] code\n```",
        "    - [ ] code",
        "- [x](http://a.example)",
        "- [ ]",
        "- [y] a",
    ):
        assert items(none) == []
    assert items("> - [ ] quoted\n>   more of it") == [(False, "quoted")]


def test_a_tick_changes_the_one_box_and_nothing_else():
    ticked = markdown.tick(TEXT, "who was **paged**", ticked=True)
    assert ticked == TEXT.replace("- [ ] who", "- [x] who")
    assert markdown.tick(ticked, "who was **paged**", ticked=False) == TEXT
    assert markdown.tick(TEXT, "kept", ticked=True) == TEXT  # it is
    assert markdown.tick(TEXT, "who was paged", ticked=True) is None
    twice = "- [x] a\n- [ ] a"
    assert markdown.tick(twice, "a", ticked=True) == "- [x] a\n- [x] a"
    assert markdown.tick(twice, "a", ticked=False) == "- [ ] a\n- [ ] a"


def test_who_ticked_it_stays_until_it_is_not_ticked_any_more():
    def after(before, old, new, user):
        return markdown.ticked_by(before, old, new, user, AT)

    one = after({}, "- [ ] a\n- [ ] b", "- [x] a\n- [ ] b", 1)
    assert one == {"a": {"by": 1, "at": "2026-01-02T03:04:05+00:00"}}
    two = after(one, "- [x] a\n- [ ] b", "Typed.\n\n- [x] b\n- [x] a", 2)
    assert {text: tick["by"] for text, tick in two.items()} == {"a": 1, "b": 2}
    none = after(two, "- [x] b\n- [x] a", "- [x] b", 3)
    assert {text: tick["by"] for text, tick in none.items()} == {"b": 2}
    assert after(none, "- [ ] b", "- [x] b", 3)["b"]["by"] == 3


@pytest.mark.parametrize(
    ("prompt", "text", "rest"),
    [
        ("Ask:\n\n- who  \n- [x] when\n  * where", "- [ ] who\n- [ ] when\n- [ ] where", "Ask:"),
        ("A sentence - with dashes.", "", "A sentence - with dashes."),
        ("- \n-no list\n- [ ]", "", "- \n-no list\n- [ ]"),
    ],
)
def test_a_prompt_becomes_lines_to_be_ticked(prompt, text, rest):
    assert (markdown.begun_with(prompt), markdown.without_lists(prompt)) == (text, rest)
    assert [one.is_ticked for one in markdown.lines_of(text)] == [False] * len(text.splitlines())


def test_as_html_and_as_markdown():
    html = as_html(TEXT, lambda n: f"<i>{n}</i>", lambda n: f" ({n})")
    assert "<li><i>0</i> who was <b>paged</b> (0)</li>".replace("b>", "strong>") in html
    assert "<i>3</i> call (3)" in html
    assert "- plain [ ] not"[2:] in html
    assert as_html("- [x] <b>\n- [ ] b").count("☑") == 1
    written = "\n".join(as_markdown(TEXT, ["", "carl *1*", "", ""]))
    assert "- [ ] who was **paged**\n" in written
    assert "- [x] [logs](<http://a.example>) (carl \\*1\\*)\n  - [x] kept\n" in written
    assert "1. [ ] call" in written
    assert items("\n".join(as_markdown(TEXT))) == [
        (t, line.replace("(http://a.example)", "(<http://a.example>)")) for t, line in items(TEXT)
    ]


@pytest.mark.parametrize("number", ["0", "5"])
def test_no_text_makes_a_box(number):
    """Neither by characters, as they are or escaped in an address, nor by tags."""
    code = f"{number}\ue002"
    hostile = f"- [ ] a\n- \ue000{code}<http://e.x/%EE%80%80{number}%EE%80%82> [b](<http://e.x/<ins></ins>>)<ins></ins>"
    html = as_html(hostile, lambda n: f"<i>{n}</i>", lambda n: "")
    assert html.count("<i>") == 1
    assert "<li><i>0</i> a</li>" in html
    assert "\n".join(as_markdown(hostile)).count("[ ] ") == 1


def test_what_stands_behind_a_line_of_several_and_a_box_that_is_a_link():
    html = as_html("- [x] **a\n  b**", remark=lambda n: f" ({n})")
    assert "<strong>a (0)<br>\nb</strong>" in html
    assert "\n".join(as_markdown("- [x] `a`\n  b", ["carl"])) == "- [x] `a` (carl)  \n  b"
    link = "- [x] a\n\n[x]: http://a.example"
    assert items(link) == []
    assert "☑" not in as_html(link)
