"""No text of a report becomes markup in the Markdown export, whatever renderer shows it, and it reads as it was."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from awrdiff.analysis.export.csv import as_csv
from awrdiff.analysis.export.markdown import as_markdown, escape
from awrdiff.analysis.model.comparison import Delta
from tests.web.compared import comparison, parameters_section, row

HOSTILE = (
    "http://evil.example/x?a=b&c=d#e",
    "https://evil.example",
    "HTTP://EVIL.EXAMPLE/",
    "see http://evil.example, or (https://evil.example/a_b_c).",
    "ftp://evil.example/",
    "//evil.example/path",
    "www.evil.example",
    "WWW.evil.com.",
    "evil.com",
    "db01.payments.evil.co.uk:1521/service",
    "mailto:joe@evil.example",
    "joe.bloggs@evil.example",
    "@channel @octocat ＠here",
    "#123 GH-77 octo/repo#9 !45 octo/repo@0123456789abcdef",
    "deadbeef0123456",
    "<http://evil.example>",
    "<joe@evil.example>",
    "<!channel> <@U012AB3CD>",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "<!-- --><b>x</b>&lt;b&gt;",
    "&#104;ttp://evil.example &#x3c;b&#62;",
    "http&#58;//evil.example",
    "[name](http://evil.example)",
    "![picture](http://evil.example/x.png)",
    "[a][b] [b]: http://evil.example 'title'",
    "[^1] [^1]: footnote",
    "`code` ``co`de`` ` http://evil.example `",
    "`http://a.example`http://b.example`",
    "a|b|http://evil.example|c \\| d",
    "\\http://evil.example\\ \\[x\\]",
    "C:\\temp\\evil.com\\|`x",
    "*bold* _emphasis_ ~~gone~~ **http://evil.example**",
    "# heading",
    "=====",
    "- item",
    "+ item",
    "12. item",
    "12) item",
    "> quoted",
    "$x^2$ $$y$$",
    ":smile: :+1:",
    "line one\n\n# line two\n- http://evil.example",
    "javascript:alert(1) data:text/html,x",
)
LIVE = {"a", "img", "script", "b", "em", "strong", "s", "h1", "h2", "ul", "ol", "blockquote", "hr"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(markdown: str) -> _Page:
    """As a renderer with GitHub's extensions shows it that also looks for bare names of hosts."""
    renderer = MarkdownIt("gfm-like", {"html": True, "linkify": True, "typographer": False})
    renderer.linkify.set({"fuzzy_link": True, "fuzzy_email": True, "fuzzy_ip": True})
    page = _Page()
    page.feed(renderer.render(markdown))
    return page


def test_the_renderer_of_these_tests_does_make_links() -> None:
    assert all("a" in shown(t).tags for t in ("http://evil.example", "www.evil.com", "evil.com", "joe@evil.com"))
    assert "script" in shown("<script>").tags


@pytest.mark.parametrize("text", HOSTILE)
def test_a_paragraph_of_it_is_text(text: str) -> None:
    page = shown(escape(text))
    assert not LIVE & set(page.tags)
    assert page.text.strip() == " ".join(text.split())


@pytest.mark.parametrize("text", HOSTILE)
def test_so_is_a_cell_of_a_table(text: str) -> None:
    page = shown(f"| a | b |\n| --- | --- |\n| {escape(text)} | {escape(text)} |\n")
    assert not LIVE & set(page.tags)
    assert page.tags.count("td") == 2
    assert page.text.count(" ".join(text.split())) == 2


@pytest.mark.parametrize(
    "text", ["http://evil.example", "www.evil.com", "joe@evil.com", "@octocat", "#12", "a.evil.com"]
)
def test_what_looks_like_a_link_is_code(text: str) -> None:
    """Escapes do not hold on GitHub, which looks for addresses after it has resolved them."""
    assert escape(f"({text}), say") == f"(`{text}`), say"


@given(st.text(st.sampled_from(list("ab1:/.@#|`\\<>[]()!*_~&;$ \n-+=w")), max_size=40))
def test_any_mixture_is_text(text: str) -> None:
    page = shown(f"x {escape(text)}")
    assert not LIVE & set(page.tags)
    assert page.text.split() == ["x", *text.split()]


def test_ordinary_names_stay_as_they_are() -> None:
    for text in ("log file sync", "enq: TX - row lock contention", "1.9T", "11 Jan 2018 09:30:05", "19.24.0.0.0"):
        assert escape(text) == text


def test_a_whole_export_of_hostile_names_has_no_link() -> None:
    name = "init_parameters"
    rows = tuple(
        row(
            name,
            {"parameter": t},
            {"begin_value": Delta(t, f"x {t}", significant=True), "end_value": Delta(None, None)},
        )
        for t in HOSTILE
    )
    made = comparison((type(parameters_section())(**{**_fields(), "title": HOSTILE[0], "rows": rows}),))
    tags = shown(as_markdown([made])).tags
    assert not {"a", "img", "script", "b"} & set(tags)
    assert tags.count("tr") > len(HOSTILE)


def _fields() -> dict[str, object]:
    section = parameters_section()
    return {name: getattr(section, name) for name in section.__struct_fields__}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", "\n", " =", " \t@", "＝", "＋", "－", "＠"])
def test_no_cell_of_the_csv_is_a_formula(start: str) -> None:
    evil = f"{start}HYPERLINK(1)"
    rows = (
        row("init_parameters", {"parameter": evil}, {"begin_value": Delta(evil, evil), "end_value": Delta(None, None)}),
    )
    made = comparison((type(parameters_section())(**{**_fields(), "rows": rows}),))
    lines = list(csv.reader(io.StringIO(as_csv([made]), newline="")))
    cells = [cell for line in lines for cell in line if "HYPERLINK" in cell]
    assert len(cells) == 3
    assert all(cell.startswith("'") for cell in cells)
