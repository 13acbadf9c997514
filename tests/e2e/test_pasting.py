"""A report that is pasted into the first page: a copied page, a text, and what is no report."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check

pytestmark = pytest.mark.e2e

PASTE = """([selector, kinds]) => {
  const data = new DataTransfer();
  for (const [kind, text] of Object.entries(kinds)) data.setData(kind, text);
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(event);
}"""
TEXT = """Top 5 Timed Foreground Events

Event\tWaits\tTime(s)\tAvg wait (ms)\t% DB time\tWait Class
enq: TX - row lock contention\t310\t7,900\t25484\t93.4\tApplication
DB CPU\t\t400\t\t4.7\t
"""


def paste(page: Page, selector: str, **kinds: str) -> None:
    page.evaluate(PASTE, [selector, {f"text/{kind}": text for kind, text in kinds.items()}])


def test_a_page_copied_in_the_browser_is_pasted_with_its_tables_and_read(page, context, pair):
    """With the browser's own clipboard, by the keyboard, outside of any field."""
    copied = context.new_page()
    copied.set_content(pair[0].read_text(encoding="utf-8"))
    copied.keyboard.press("Control+a")
    copied.keyboard.press("Control+c")
    copied.close()
    page.goto("/")
    box = page.get_by_label("A copied page, text, Markdown or HTML")
    expect(box).to_be_hidden()
    page.keyboard.press("Control+v")
    expect(box).to_be_focused()
    expect(box).to_have_value(re.compile("WORKLOAD REPOSITORY"))
    check(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#file-list .file.good .name")).to_have_text("pasted.html", timeout=30_000)
    expect(box).to_have_value("")
    page.get_by_role("link", name="look at it alone").click()
    expect(page.locator("h1")).to_contain_text("INVENTED · 14 May 2024 10:00")


def test_html_and_text_pasted_one_after_the_other_are_two_reports(page, pair):
    page.goto("/")
    page.locator("#paste > summary").click()
    for nth, path in enumerate(pair, 1):
        paste(page, "#pasted", html=path.read_text(encoding="utf-8"), plain=f"copied page {nth}")
        page.get_by_role("button", name="Read what is pasted").click()
    page.wait_for_url("**/comparisons/**", timeout=30_000)


def test_an_excerpt_is_read_as_text_though_an_editor_gives_it_colours(page):
    page.goto("/")
    paste(page, "#pasted", html="<div><span style='color:red'>Top 5 Timed</span></div>", plain=TEXT)
    page.get_by_role("button", name="Read what is pasted").click()
    expect(page.locator("#file-list .file.good .name")).to_have_text("pasted.txt", timeout=30_000)


def test_a_copied_page_that_was_edited_is_sent_as_it_stands_in_the_box(page):
    page.goto("/")
    paste(page, "#pasted", html="<table><tr><td>Milk</td></tr></table>", plain="Milk")
    page.locator("#pasted").fill(TEXT)
    page.get_by_role("button", name="Read what is pasted").click()
    expect(page.locator("#file-list .file.good .name")).to_have_text("pasted.txt", timeout=30_000)


def test_a_pasted_text_that_is_no_report_gets_the_sentence_of_an_upload(page):
    said = []
    for send in (
        lambda: page.set_input_files("#files", [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"Milk, bread"}]),
        lambda: (
            paste(page, "body", plain="Milk, bread"),
            page.get_by_role("button", name="Read what is pasted").click(),
        ),
    ):
        page.goto("/")
        send()
        problem = page.locator("#file-list .file.bad .what")
        expect(problem).to_be_visible(timeout=30_000)
        said.append(problem.inner_text())
    assert said[0] == said[1]


def test_what_is_pasted_into_another_field_stays_there(page):
    page.goto("/")
    paste(page, "#files", plain=TEXT)
    expect(page.locator("#pasted")).to_be_hidden()


def test_the_box_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    paste(page, "body", plain=TEXT)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
