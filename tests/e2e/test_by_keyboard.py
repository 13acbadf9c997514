"""What people come for, by keys alone: each in three actions, one key, a few words typed, or a walk down a list."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_baselines import mondays, series_path  # noqa: F401 - fixtures

pytestmark = pytest.mark.e2e

FOCUSED = "document.activeElement.innerText.trim()"
KIND = "(document.activeElement.closest('li')?.querySelector('.tag') || {}).innerText"
MOST_ROWS = 30


@pytest.fixture
def page(watched, server) -> Page:
    """Of a desk: a narrow window has the same keys, and a phone (test_fifteen_tasks) none."""
    context = watched.context(base_url=server.url, viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context.new_page()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def find(page: Page, words: str) -> None:
    """`/`, the words, Enter: also where Enter comes before the answer."""
    press(page, "/")
    page.keyboard.type(words)
    press(page, "Enter")


def clipboard(page: Page) -> str:
    found: str = page.evaluate("navigator.clipboard.readText()")
    return found


def walk_to(page: Page, kind: str) -> None:
    for _ in range(MOST_ROWS):
        if page.evaluate(KIND) == kind:
            return
        press(page, "ArrowDown")
    raise AssertionError(f"no {kind} in the list")


def test_a_statement_that_got_worse_with_its_text(page, comparison_path):
    page.goto(comparison_path)
    press(page, "w")
    walk_to(page, "SQL")
    name = page.evaluate(FOCUSED)
    press(page, "Enter")
    expect(page.locator("#entity-h")).to_contain_text(name)
    expect(page.locator("#panel pre").first).to_be_visible()
    expect(page.locator("#panel")).to_contain_text("per execution")
    press(page, "Escape")
    assert page.evaluate(FOCUSED) == name  # back where the reader was
    press(page, "j")
    assert page.evaluate(FOCUSED) != name


def test_w_leads_into_the_middle_and_again_to_the_list_of_statements(page, comparison_path):
    page.goto(comparison_path)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    press(page, "w")
    where = page.evaluate("document.activeElement.getBoundingClientRect().top / innerHeight")
    assert 0.2 < where < 0.8
    assert page.evaluate("Boolean(document.activeElement.closest('#time'))")
    press(page, "w")
    assert page.evaluate("Boolean(document.activeElement.closest('#ranked'))")


def test_the_link_to_a_row_of_the_list_leads_to_its_figures(page, comparison_path):
    page.goto(comparison_path)
    press(page, "w", "y")
    expect(page.locator("#copied-link")).to_contain_text("Link to this row copied")
    address = clipboard(page)
    assert re.search(r"#\w+/\w+$", address)
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("tr.aim")).to_be_in_viewport()


def test_hot_objects_and_parameters_are_found_by_their_heading(page, comparison_path):
    page.goto(comparison_path)
    find(page, "segments by")
    expect(page.locator('[id^="segments_by"] .fold:focus')).to_have_count(1)
    find(page, "init parameters")
    page.wait_for_url(re.compile("#init_parameters$"))


def test_everything_of_a_thing_and_its_histogram(page, comparison_path):
    page.goto(comparison_path)
    find(page, "log file sync")
    expect(page.locator("#entity-h")).to_contain_text("log file sync")
    expect(page.locator("#panel .drawn svg").first).to_be_visible()


def test_a_database_and_another_of_its_figures(page, comparison_path):
    page.goto("/databases/")
    name = page.locator(".night h3").first.inner_text()
    page.keyboard.press("Tab")
    for _ in range(MOST_ROWS):
        if page.evaluate(FOCUSED) == name:
            break
        press(page, "Tab")
    press(page, "Enter")
    expect(page.locator("h1")).to_contain_text(name)
    page.goto(f"{page.url}metrics/?range=all")
    page.locator("#metric").focus()
    page.keyboard.type("Redo")
    press(page, "Enter")
    expect(page.locator(".chosen li")).to_have_count(2)
    expect(page.locator("figure.course")).to_have_count(2)


def test_a_finding_that_was_found_has_the_focus(page, comparison_path):
    page.goto(comparison_path)
    title = page.locator(".find > li b").first.inner_text()
    find(page, title)
    expect(page.locator(".find > li:focus")).to_contain_text(title)


def test_the_ticket_is_copied(page, comparison_path):
    page.goto(comparison_path)
    press(page, "e", "Enter")
    expect(page.locator("#copied-link")).to_contain_text("copied")
    assert clipboard(page).startswith("First: ")


def test_a_menu_opened_and_closed_leaves_the_page_where_it_is(page, comparison_path):
    page.goto(comparison_path)
    press(page, "/")
    page.keyboard.type("time model")
    press(page, "Enter")
    expect(page.locator("#time_model table")).to_be_visible()
    page.evaluate("scrollTo({ top: 900, behavior: 'instant' })")
    before = page.evaluate("scrollY")
    assert before > 300
    press(page, "e")
    expect(page.locator(".menu[open] [data-copy-ticket]")).to_be_focused()
    press(page, "Escape")
    expect(page.locator(".menu summary:focus")).to_have_count(1)
    assert page.evaluate("scrollY") == before


def test_today_against_the_weeks_before(page, series_path):  # noqa: F811 - a fixture
    page.goto(f"{series_path}?pair=0")
    press(page, "a", "Enter")
    page.wait_for_url(re.compile(r"\?baseline="))
    press(page, "w")
    expect(page.locator(".movers > li:has(:focus) .beyond").first).to_be_visible()


def test_a_comparison_of_the_list_and_back_to_what_was_found(page, comparison_path):
    page.goto("/")
    find(page, "before.html after.html")
    expect(page.locator(".work li a:focus")).to_have_count(1)
    press(page, "ArrowUp")
    expect(page.locator("#find")).to_be_focused()
    for _ in range(MOST_ROWS):
        press(page, "ArrowDown")
        if page.evaluate("document.activeElement.getAttribute('href')") == comparison_path:
            break
    press(page, "Enter")
    page.wait_for_url(f"**{comparison_path}")
    page.go_back()
    expect(page.locator("#find")).to_have_value("before.html after.html")
    expect(page.locator("h2", has_text="Found for")).to_be_visible()
