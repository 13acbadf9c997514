"""The first screen answers without scrolling: how much, what the time is, who, and the first finding or that there is none."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

WORDS, BEFORE_TABLES, SCREEN = 480, 300, 900
# Words a reader sees above "All tables": without what is folded, what is said to screen readers alone, choices, and the
# letters of charts.
COUNT = r"""(before) => {
  const end = document.getElementById(before);
  const texts = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const node = texts.currentNode, parent = node.parentElement;
    if (!(end.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING)) break;
    if (!parent.checkVisibility({ contentVisibilityAuto: true }) || parent.closest("title, select, .vh, svg, .stack")) continue;
    words += node.data.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  }
  return words;
}"""


@pytest.fixture
def page(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 1280, "height": SCREEN}).new_page()
    page.goto(comparison_path)
    return page


def test_how_much_what_who_and_the_first_finding_stand_on_it(page):
    for answer in (
        page.locator("#summary .strip > li").last,
        page.locator("#summary .verdict"),
        page.locator("#summary .stack").last,
        page.locator("#findings").locator(".find > li summary b, .none").first,
    ):
        expect(answer).to_be_visible()
        box = answer.bounding_box()
        assert box["y"] + box["height"] <= SCREEN


def test_few_words_stand_above_the_tables(page):
    expect(page.locator("#evidence")).to_contain_text("All tables")
    assert 50 < page.evaluate(COUNT, "evidence") <= WORDS
    assert 50 < page.evaluate(COUNT, "time") <= BEFORE_TABLES


def test_what_adds_up_and_the_same_time_again_are_two_lists(page):
    expect(page.get_by_role("region", name="Where the time went")).to_contain_text("adds up to")
    expect(page.get_by_role("region", name="Who", exact=False)).to_contain_text("overlaps")
    assert page.locator("#time .tag").count() == 0  # events alone
    assert page.locator("#ranked .movers > li").count() == page.locator("#ranked .movers .tag").count()


def test_a_row_opens_how_its_change_splits(page):
    row = page.locator("#time .movers > li", has_text="log file sync").first
    expect(row.locator(".ev")).to_be_hidden()
    row.locator("summary").click()
    expect(row.locator(".ev")).to_contain_text("waits")
