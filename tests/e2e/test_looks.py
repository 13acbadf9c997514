"""Keyboard, dark colours, a narrow window, a page without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.harness.server import ROOT

pytestmark = pytest.mark.e2e

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_the_keyboard_reaches_everything(page, comparison_path):
    page.goto(comparison_path)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    changed = page.locator("[data-changed]")
    expect(changed).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("u")
    expect(changed).to_have_attribute("aria-pressed", "false")
    assert "all=1" in page.url
    page.keyboard.press("3")
    expect(page.locator('.seg [data-basis="total"]')).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("j")
    focused = page.evaluate("document.activeElement.className")
    assert focused == "fold"
    page.keyboard.press("Enter")


def test_files_can_be_chosen_with_the_keyboard(page):
    page.on("filechooser", lambda _: None)  # the browser is told now: telling it beside the key press comes too late
    page.goto("/")
    expect(page.locator("#drop.js")).to_be_visible()
    page.locator("#files").focus()
    expect(page.locator("#files")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    assert chooser.value.is_multiple()


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 390), ("light", 820), ("dark", 1440)])
def test_no_page_scrolls_sideways(watched, server, comparison_path, scheme, width):
    page = watched.context(
        base_url=server.url, color_scheme=scheme, viewport={"width": width, "height": 800}
    ).new_page()
    for path in ("/", comparison_path):
        page.goto(path)
        assert page.evaluate(OVERFLOW) <= 0
    page.locator("#foreground_wait_events").scroll_into_view_if_needed()
    expect(page.locator("#foreground_wait_events tbody tr").first).to_be_visible()
    assert page.evaluate(OVERFLOW) <= 0


def test_dark_is_dark_and_the_choice_stays(watched, server):
    page = watched.context(base_url=server.url, color_scheme="light").new_page()
    page.goto("/")
    brightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    )
    assert page.evaluate(brightness) > 600
    page.locator("[data-theme-toggle]").click()
    page.locator("[data-theme-toggle]").click()
    assert page.evaluate(brightness) < 120
    page.reload()
    assert page.evaluate(brightness) < 120


def test_servers_below_paths_of_one_name_have_a_choice_of_colours_each(watched):
    page = watched.context().new_page()
    script = (ROOT / "static" / "js" / "theme.js").read_text()

    def answer(route) -> None:
        below, _, rest = route.request.url.removeprefix("http://awr.example").partition("/static/")
        if rest:
            route.fulfill(content_type="text/javascript", body=script)
        else:
            text = f'<script src="{below.rstrip("/")}/static/js/theme.4711.js"></script><button data-theme-toggle>x</button>'
            route.fulfill(content_type="text/html", body=text)

    page.route("**/*", answer)

    def shown(below: str) -> str:
        page.goto(f"http://awr.example{below}/")
        return page.evaluate("document.documentElement.dataset.theme")

    for below, clicks, name in (("/one", 1, "light"), ("/two", 2, "dark"), ("", 1, "light")):
        assert shown(below) == "auto"
        for _ in range(clicks):
            page.locator("[data-theme-toggle]").click()
        assert page.evaluate("document.documentElement.dataset.theme") == name
    assert [shown(below) for below in ("/one", "/two", "")] == ["light", "dark", "light"]
    assert page.evaluate("localStorage.getItem('theme')") == "light"


def test_the_sections_menu_of_a_narrow_window(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 800}).new_page()
    page.goto(comparison_path)
    expect(page.locator(".rail")).to_be_hidden()
    page.locator(".rail-button").click()
    page.locator('.rail a[data-s="time_model"]').click()
    expect(page.locator(".rail")).to_be_hidden()
    expect(page.locator("#time_model tbody tr").first).to_be_visible()


def test_a_section_without_scripts(watched, server, comparison_path):
    page = watched.context(base_url=server.url, java_script_enabled=False).new_page()
    page.goto(comparison_path)
    page.locator("#foreground_wait_events .fold").click()
    expect(page.locator("table.fig tbody tr").first).to_be_visible()


def test_a_phone_shows_find_and_nothing_runs_over(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 844}).new_page()
    page.goto(comparison_path)
    expect(page.locator("[data-find]")).to_be_in_viewport(ratio=1)
    expect(page.locator("[data-basis='s']").first).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.locator("[data-share]").click()
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).to_be_visible()
    assert page.locator("#share").evaluate("d => d.scrollWidth - d.clientWidth") <= 0


def test_menus_stay_in_the_window_of_a_phone(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 844}).new_page()
    page.goto(comparison_path)
    menus = page.locator("header .menu")
    for n in range(menus.count()):
        menus.nth(n).locator("summary").first.click()
        box = menus.nth(n).locator(".menu-list").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.keyboard.press("Escape")


def test_under_a_finger_the_link_of_a_row_stands_on_no_figure(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    page.goto(f"{comparison_path}?all=1#foreground_wait_events")
    row = page.locator("#foreground_wait_events tbody tr").first
    link, head = row.locator("a.pl").bounding_box(), row.locator("th").bounding_box()
    assert link is not None
    assert head is not None
    assert link["width"] >= 24
    assert link["x"] + link["width"] <= head["x"] + head["width"]
    assert row.locator("a.to").evaluate("a => a.getBoundingClientRect().right") <= link["x"]


@pytest.mark.parametrize("width", [1000, 1280])
def test_a_title_is_whole_and_the_bar_one_row(watched, server, comparison_path, width):
    page = watched.context(base_url=server.url, viewport={"width": width, "height": 800}).new_page()
    page.goto(comparison_path)
    title = page.locator("h1.title")
    assert title.evaluate("h => h.scrollHeight <= h.clientHeight")
    share, brand = page.locator("[data-share]").bounding_box(), page.locator(".brand").bounding_box()
    assert share is not None
    assert brand is not None
    assert abs(share["y"] + share["height"] / 2 - brand["y"] - brand["height"] / 2) < 8


def test_a_wide_window_is_used(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 1920, "height": 900}).new_page()
    page.goto(comparison_path)
    card = page.locator("#summary").bounding_box()
    assert card is not None
    assert card["x"] + card["width"] > 1860


def test_the_wheel_over_a_wide_table_moves_the_page_and_its_head_stays(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 700, "height": 700}).new_page()
    page.goto(f"{comparison_path}?all=1&columns=all#foreground_wait_events")
    box = page.locator("#foreground_wait_events .scroll.wide")
    expect(box).to_be_visible()
    page.wait_for_load_state("networkidle")  # until the sections above have come the page is still on its way here
    box.scroll_into_view_if_needed()
    page.mouse.move(350, 500)
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 400)
    page.wait_for_function("before => scrollY > before + 300", arg=before)
    assert box.evaluate("b => b.scrollTop") == 0
    head = page.locator("#foreground_wait_events thead").bounding_box()
    assert head is not None
    assert head["y"] >= 0


def test_the_text_of_a_statement_opens_by_key(page, comparison_path):
    page.goto(f"{comparison_path}?all=1#sql_by_elapsed_time")
    text = page.locator("#sql_by_elapsed_time .under[role=button]").first
    text.wait_for()
    text.focus()
    page.keyboard.press("Enter")
    expect(text).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#panel")).to_be_hidden()


def test_the_content_comes_before_the_list_of_sections_by_tab(page, comparison_path):
    page.goto(comparison_path)
    order = page.evaluate(
        "() => document.querySelector('main').compareDocumentPosition(document.querySelector('.rail'))"
    )
    assert order & 4  # the list follows
