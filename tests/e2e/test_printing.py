"""What goes to paper: the title, the open sections whole, nothing that only a screen is for."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

UNREAD = "() => document.querySelectorAll('.sec:not(.folded) > .body:not(.loaded)').length"
CHECKS = "{ contentVisibilityAuto: true }"
PRINTED = "() => { window.print = () => { document.body.dataset.printed = '1'; }; }"


def test_open_sections_are_read_before_printing(page, comparison_path):
    page.goto(comparison_path)
    page.evaluate(PRINTED)
    assert page.evaluate(UNREAD) > 0
    page.keyboard.press("Control+p")
    expect(page.locator("body")).to_have_attribute("data-printed", "1", timeout=40_000)
    assert page.evaluate(UNREAD) == 0


def test_on_paper_stand_title_and_what_is_open(page, comparison_path):
    page.goto(comparison_path)
    page.locator('.rail a[data-s="load_profile"]').click()
    expect(page.locator("#load_profile tbody tr").first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("h1.title")).to_be_visible()
    expect(page.locator("#load_profile tbody tr").first).to_be_visible()
    for hidden in (".rail", ".tools-row", "[data-share]", ".menu", ".sec.folded", ".pins"):
        assert page.locator(hidden).evaluate_all("all => all.every((one) => !one.checkVisibility())"), hidden
    head = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--page-head')")
    title = page.locator("h1.title").inner_text()
    assert head == f'"{title}"'


def test_every_finding_and_ranked_row_is_on_paper_and_folded_again_behind_it(page, comparison_path):
    """As the browser prints: what it is told to do before and after."""
    page.goto(comparison_path)
    listed = page.locator("#findings .find > li, :is(#ranked, #time) .movers > li, :is(#ranked, #time) .settings > li")
    sentences = page.locator("#findings .find > li > details > p")
    assert listed.count() > 3
    assert sentences.count() > 1
    seen = f"all => all.filter((one) => one.checkVisibility({CHECKS})).length"
    before = [listed.evaluate_all(seen), sentences.evaluate_all(seen)]
    assert before[1] == 0
    page.evaluate(
        "addEventListener('beforeprint', () => { window.shown = [...document.querySelectorAll("
        "'#findings .find > li > details > p, #findings .find > li, .movers > li')]"
        f".map((one) => one.checkVisibility({CHECKS})); }})"
    )
    page.pdf()
    shown = page.evaluate("window.shown")
    assert len(shown) >= listed.count() + sentences.count() - page.locator(".settings > li").count()
    assert all(shown)
    assert [listed.evaluate_all(seen), sentences.evaluate_all(seen)] == before
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert listed.evaluate_all(seen) == listed.count()
    assert sentences.evaluate_all(seen) == sentences.count()


def test_the_pdf_has_numbered_pages(page, comparison_path, tmp_path):
    page.goto(comparison_path)
    data = page.pdf(prefer_css_page_size=True)
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) >= 2
