"""Two people in two browsers judge the same finding: each sees it at once, and neither is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.e2e.test_threads import COMES_MS, Place, opened, place  # noqa: F401 - a fixture
from tests.e2e.watch import Watched

pytestmark = pytest.mark.e2e
PROMISED_MS = 3_000


def judge(page: Page, state: str, why: str) -> None:
    finding = page.locator("[data-finding]").first
    if not finding.locator("[data-judge]").first.is_visible():
        finding.locator("summary").click()
    finding.locator("[data-judge]").first.click()
    page.locator(f"#judge [name=state][value={state}]").check()
    page.locator("#judge [name=why]").fill(why)
    page.locator("#judge .primary").click()


def test_both_judgements_stand_on_both_open_pages(watched: Watched, place: Place) -> None:  # noqa: F811
    olivia, nina = opened(watched, place, "olivia"), opened(watched, place, "nina")
    for page, name in ((olivia, "nina"), (nina, "olivia")):
        expect(page.locator("[data-looking]")).to_have_text(f"{name} is looking", timeout=COMES_MS)
    nina.evaluate("window.loaded = true")
    judge(olivia, "confirmed", "the plan changed")
    finding = nina.locator("[data-finding]").first
    expect(finding).to_contain_text("because the plan changed", timeout=PROMISED_MS)
    assert nina.evaluate("window.loaded")  # it was not loaded again
    expect(olivia.locator("[data-looking]")).to_have_text("nina is looking", timeout=COMES_MS)

    olivia.evaluate("window.loaded = true")
    judge(nina, "rejected", "a batch job")
    finding = olivia.locator("[data-finding]").first
    expect(finding).to_contain_text("because a batch job", timeout=PROMISED_MS)
    expect(finding).to_contain_text("because the plan changed")
    expect(finding).to_contain_text("Disputed")
    assert olivia.evaluate("window.loaded")
    check(olivia)

    olivia.goto("/notices/")
    expect(olivia.locator("main")).to_contain_text("says otherwise of a finding that you judged: confirmed → rejected")
