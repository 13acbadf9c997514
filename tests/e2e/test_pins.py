"""Pins by keyboard and by mouse: a row, a finding, a section; the tray; copied as a text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(watched, server: Server) -> Page:
    context = watched.context(base_url=server.url)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context.new_page()


def pinned(page: Page):
    return page.locator(".pins li")


def test_pinned_by_keyboard_alone_copied_and_removed(page, comparison_path):
    page.goto(f"{comparison_path}#foreground_wait_events")
    row = page.locator("#foreground_wait_events tbody tr").first
    expect(row).to_be_visible()
    name = row.locator("th").inner_text().split("\n")[0].removesuffix("#").strip()
    row.locator("a.pl").focus()
    page.keyboard.press("p")
    expect(pinned(page)).to_have_count(1)
    page.keyboard.press("P")
    expect(page.locator(".pins summary")).to_be_focused()
    expect(pinned(page).first).to_be_visible()
    expect(pinned(page).first).to_contain_text(name)
    expect(pinned(page).first).to_contain_text("→")
    check(page, ".pins")
    page.get_by_role("button", name="Markdown", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pins .toast")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert f"{comparison_path}#foreground_wait_events/" in copied
    pinned(page).locator("[data-unpin]").focus()
    page.keyboard.press("Enter")
    expect(pinned(page)).to_have_count(0)
    expect(page.locator(".pins summary")).to_be_focused()


def test_what_is_under_the_pointer_is_pinned_and_stays(page, comparison_path):
    page.goto(comparison_path)
    page.wait_for_load_state("networkidle")  # what is loaded afterwards moves the page below the pointer
    page.locator("#findings li[data-finding] b").first.hover()
    page.keyboard.press("p")
    expect(pinned(page)).to_have_count(1)
    page.locator("#time h2").hover()
    page.keyboard.press("p")
    expect(pinned(page)).to_have_count(2)
    page.reload()
    expect(page.locator("[data-pin-count]")).to_have_text("2")
    page.locator(".pins summary").click()
    for _ in range(2):
        pinned(page).locator("[data-unpin]").first.click()
        page.wait_for_timeout(300)
    expect(pinned(page)).to_have_count(0)


def test_without_a_pointer_the_marked_row_is_pinned(page, comparison_path):
    page.goto(f"{comparison_path}#foreground_wait_events")
    page.locator("#foreground_wait_events a.pl").first.click()
    expect(page.locator("tr.aim")).to_have_count(1)
    page.locator(".pins summary").click()
    page.get_by_role("button", name="Keep the marked row").click()
    expect(pinned(page)).to_have_count(1)
    pinned(page).locator("[data-unpin]").click()
    expect(pinned(page)).to_have_count(0)


def test_what_is_pointed_at_comes_before_what_has_the_focus(page, comparison_path):
    page.goto(comparison_path)
    page.locator("#findings li[data-finding] summary").first.click()
    page.locator("#time h2").hover()
    page.keyboard.press("p")
    expect(page.locator(".pins .toast")).to_contain_text("Where the time went")
    page.locator(".pins summary").click()
    pinned(page).locator("[data-unpin]").click()
    expect(pinned(page)).to_have_count(0)


def test_typing_a_p_pins_nothing(page, comparison_path):
    page.goto(comparison_path)
    page.keyboard.press("/")
    page.locator("#find-text").press("p")
    expect(page.locator("#find-text")).to_have_value("p")
    expect(pinned(page)).to_have_count(0)


@pytest.mark.parametrize("width", [961, 1280, 2600])
def test_closed_it_lies_over_no_figures_and_no_line_of_the_rail(watched, server, comparison_path, width):
    page = watched.context(base_url=server.url, viewport={"width": width, "height": 700}).new_page()
    page.goto(comparison_path)
    page.wait_for_load_state("networkidle")
    page.locator("#time h2").hover()
    page.keyboard.press("p")
    expect(pinned(page)).to_have_count(1)
    expect(page.locator(".pins .toast")).to_be_hidden(timeout=10_000)
    tray, main, rail = (page.locator(of).bounding_box() for of in (".pins", "main", ".rail"))
    assert tray["x"] >= rail["x"]
    assert tray["x"] + tray["width"] <= main["x"]
    assert rail["y"] + rail["height"] <= tray["y"]
    expect(page.locator(".pins summary")).to_be_in_viewport()
