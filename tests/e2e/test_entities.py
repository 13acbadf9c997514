"""One click from any name to everything about it: by mouse and by keyboard, with Back, and under a share link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check

pytestmark = pytest.mark.e2e
WAITS = "foreground_wait_events"


@pytest.fixture
def open_page(page: Page, comparison_path: str) -> Page:
    page.goto(f"{comparison_path}#{WAITS}")
    expect(page.locator(f"#{WAITS} tbody tr").first).to_be_visible()
    return page


def panel(page: Page):
    return page.locator("#panel")


def link_of(page: Page, row: int = 0):
    return page.locator(f"#{WAITS} tbody th a.to").nth(row)


def test_a_click_opens_it_escape_closes_it_and_the_focus_returns(open_page):
    link = link_of(open_page)
    name = link.inner_text()
    link.click()
    expect(panel(open_page).locator("#entity-h")).to_contain_text(name)
    expect(panel(open_page).locator("#entity-h")).to_be_focused()
    expect(open_page).to_have_url(re.compile(r"[?&]panel=event(%2F|/)"))
    expect(open_page.locator("tr.lit").first).to_be_visible()
    open_page.keyboard.press("Escape")
    expect(panel(open_page)).to_be_hidden()
    expect(link).to_be_focused()
    expect(open_page).not_to_have_url(re.compile("panel="))


def test_a_chosen_row_opens_by_enter_and_arrows_choose_another(open_page):
    open_page.locator(f"#{WAITS} tbody tr td").first.click()
    expect(open_page.locator("tr.picked")).to_have_count(1)
    open_page.keyboard.press("ArrowDown")
    open_page.keyboard.press("Enter")
    expect(panel(open_page).locator("#entity-h")).to_contain_text(link_of(open_page, 1).inner_text())


def test_back_closes_it_and_forward_opens_it_again(open_page):
    link_of(open_page, 0).click()
    first = link_of(open_page, 0).inner_text()
    expect(panel(open_page).locator("#entity-h")).to_contain_text(first)
    panel(open_page).locator("a.to").first.click()
    expect(panel(open_page).locator("#entity-h")).not_to_contain_text(first)
    open_page.go_back()
    expect(panel(open_page).locator("#entity-h")).to_contain_text(first)
    open_page.go_back()
    expect(panel(open_page)).to_be_hidden()
    open_page.go_forward()
    expect(panel(open_page).locator("#entity-h")).to_contain_text(first)


def test_the_address_opens_it_and_the_view_keeps_it(open_page, watched, server):
    link_of(open_page).click()
    expect(panel(open_page).locator("#entity-h")).to_be_visible()
    open_page.get_by_role("button", name="per second").click()
    expect(open_page).to_have_url(re.compile("panel="))
    other = watched.context(base_url=server.url).new_page()
    other.goto(open_page.url)
    expect(panel(other).locator("#entity-h")).to_contain_text(link_of(open_page).inner_text())


def test_a_row_of_it_leads_to_the_table(open_page):
    link_of(open_page).click()
    panel(open_page).locator(f'a[href^="#{WAITS}/"]').first.click()
    expect(open_page.locator(f"#{WAITS} tr.aim")).to_be_visible()
    expect(panel(open_page)).to_be_visible()


def test_the_text_of_a_statement_is_copied(watched, server, comparison_path):
    context = watched.context(base_url=server.url)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{comparison_path}#sql_by_elapsed_time")
    page.locator("#sql_by_elapsed_time tbody th a.to").first.click()
    panel(page).locator("[data-copy-code]").first.click()
    expect(panel(page).locator("figcaption [role=status]").first).to_have_text("copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == panel(page).locator("pre").first.text_content().strip()


def test_under_a_share_link(watched, server, comparison_path):
    made = server.client().post(f"{comparison_path}links/", [])
    page = watched.context(base_url=server.url).new_page()
    page.goto(f"{made.json['path']}#{WAITS}")
    link_of(page).click()
    expect(panel(page).locator("#entity-h")).to_be_visible()
    panel(page).get_by_role("link", name="own page").click()
    expect(page).to_have_url(re.compile(f"{made.json['path']}entities/"))
    page.get_by_role("link", name="←").click()
    expect(page).to_have_url(re.compile(f"{made.json['path']}$"))


def test_without_scripts_the_same_link_opens_a_page(watched, server, comparison_path):
    page = watched.context(base_url=server.url, java_script_enabled=False).new_page()
    page.goto(f"{comparison_path}sections/{WAITS}/")
    name = link_of(page).inner_text()
    link_of(page).click()
    expect(page.locator("h1#entity-h")).to_contain_text(name)
    expect(page.locator("[data-copy-code]")).to_have_count(0)


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 390)]
)  # `check` looks at the other colours too
def test_nothing_is_in_the_way_of_anyone(watched, server, comparison_path, scheme, width):
    view = {"width": width, "height": 900}
    page = watched.context(base_url=server.url, color_scheme=scheme, viewport=view).new_page()
    for section in (WAITS, "sql_by_elapsed_time"):
        page.goto(f"{comparison_path}?at={section}#{section}")
        page.locator(f"#{section} tbody th a.to").first.click()
        expect(panel(page).locator("#entity-h")).to_be_visible()
        check(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.goto(panel(page).get_by_role("link", name="own page").get_attribute("href"))
        check(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
