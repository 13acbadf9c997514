"""The HTML file: nothing in it comes from outside or runs, report text is text, and all that is known is in it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import lxml.html
import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.export.html import POLICY, as_html
from awrdiff.analysis.model.comparison import Delta
from awrdiff.analysis.model.diagnosis import Answer
from parsers import parse_report
from parsers.version import VERSION
from tests.unit.analysis.test_inert import HOSTILE
from tests.web.compared import comparison, parameters_section, row, waits_section
from tests.web.pages import check_markup

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"


def compared(case: str):
    paths = sorted((CASES / case).glob("*.html"), reverse=True)
    return compare_all([parse_report(path.read_bytes(), name=path.name) for path in paths])


def tags(text: str) -> list[str]:
    return [element.tag for element in lxml.html.fromstring(text).iter() if isinstance(element.tag, str)]


def of_parameters(texts: tuple[str, ...]) -> str:
    values = ({"begin_value": Delta(t, f"x {t}", significant=True), "end_value": Delta(None, None)} for t in texts)
    keys = ({"parameter": t} for t in texts)
    rows = tuple(row("init_parameters", key, value) for key, value in zip(keys, values, strict=True))
    return as_html([comparison((replace(parameters_section(), title=texts[0], rows=rows),))])


def test_it_needs_nothing_and_runs_nothing():
    text = as_html(compared("invented"))
    check_markup(text)
    page = lxml.html.fromstring(text)
    assert len(page.findall(".//td")) > 1_000
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(tags(text))
    assert {
        name for e in page.iter() if isinstance(e.tag, str) for name in e.attrib if name in ("src", "style")
    } == set()
    assert all(url.startswith("#") for url in page.xpath("//@href"))


def test_its_policy_names_its_own_styles_and_nothing_else():
    text = as_html([comparison()])
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert f"default-src 'none'; style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" == POLICY
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in text
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_text_is_text():
    harmless, hostile = of_parameters(("a",) * len(HOSTILE)), of_parameters(HOSTILE)
    assert tags(hostile) == tags(harmless)
    shown = lxml.html.fromstring(hostile).text_content()
    assert [t for t in HOSTILE if t not in shown] == []


@pytest.mark.parametrize("code", [0, 8, 0x1B, 0x7F, 0x85, 0x202E, 0xFFFE])
def test_what_no_page_may_hold_is_shown_as_such(code: int):
    text = of_parameters((f"a{chr(code)}b",))
    assert chr(code) not in text
    assert "a\ufffdb" in text


def test_blanks_of_other_scripts_stay():
    assert "a\xa0b\u3000c" in of_parameters(("a\xa0b\u3000c",))


def test_findings_lead_to_rows_and_say_their_sessions():
    page = lxml.html.fromstring(as_html(compared("invented")))
    links = [url[1:] for url in page.xpath("//li//a/@href")]
    assert len(links) > 3
    assert [link for link in links if not page.xpath("//tr[@id=$link]", link=link)] == []
    said = [small.text_content() for small in page.xpath("//li/small")]
    assert any(re.search(r"^active sessions: [\d.]+( … [\d.]+)? → [\d.]+", text) for text in said)


def test_every_row_is_in_it_and_those_that_did_not_change_are_hidden_by_the_styles_alone():
    section = waits_section(60)
    text = as_html([comparison((section,))])
    lines = lxml.html.fromstring(text).xpath("//details//tbody/tr")
    assert [line.get("id") for line in lines] == [f"p0-{r.row_id}" for r in section.rows]
    assert [line.get("class") == "quiet" for line in lines] == [not r.matters for r in section.rows]
    assert {True, False} == {r.matters for r in section.rows}
    assert 'id="all"' in text


def test_better_and_worse_are_told_apart():
    page = lxml.html.fromstring(as_html([comparison((waits_section(20),))]))
    assert page.xpath("//td/span[@class='worse' and starts-with(., '+')]")
    assert not page.xpath("//td/span[@class='better' and starts-with(., '+')]")


def test_many_pairs_have_ids_of_their_own():
    check_markup(text := as_html(compared("batch-size")))
    assert 'id="p0-' in text
    assert 'id="p1-' in text


def test_it_says_who_wrote_it():
    assert f"Written by awrdiff {VERSION}." in as_html([comparison()])


def test_it_opens_with_the_answer_and_the_bars_of_both_sides():
    answer = Answer("second_worse", "Commits wait.", not_the_cause=("CPU is not the limit (host 4.5 % busy)",))
    text = as_html([replace(comparison(), answer=answer)])
    assert (
        text.index("Second got worse: Commits wait.")
        < text.index('<div class="bars">')
        < text.index("Not the cause: CPU")
    )
    drawn = text.split('<div class="bars">')[1].split("</div>")[0].split('role="img"')[1:]
    widths = [sum(map(float, re.findall(r' width="([\d.]+)%"', side))) for side in drawn]
    assert len(widths) == 2
    assert max(widths) == pytest.approx(100, abs=0.1)
