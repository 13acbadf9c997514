"""The first page as a library, as people use it: find, rename, choose the other report, drop anywhere, delete, and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e

DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: "text/html" }));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.querySelector("h1").dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def lines(page: Page):
    return page.locator(".work li")


def test_a_comparison_is_found_renamed_and_opened_by_keyboard_alone(page, comparison_path):
    page.goto("/")
    check(page)
    page.locator("#find").focus()
    page.keyboard.type("before.html after.html")
    expect(page.locator("h2", has_text="Found for")).to_be_visible()
    check(page)
    line = lines(page).filter(has=page.locator(f'a[href="{comparison_path}"]'))
    expect(line).to_have_count(1)
    line.locator("summary").focus()
    page.keyboard.press("Enter")
    box = line.locator("input[name=title]")
    expect(box).to_be_visible()
    check(page)
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    page.keyboard.type("Slow Monday")
    page.keyboard.press("Enter")
    named = page.get_by_role("link", name="Slow Monday").first
    expect(named).to_be_visible()
    named.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{comparison_path}")
    expect(page.locator("h1")).to_have_text("Slow Monday")
    page.get_by_role("link", name="Comparisons", exact=True).focus()
    page.keyboard.press("Enter")
    page.locator("#find").fill("Slow Monday")  # of many comparisons the first page shows the latest
    page.keyboard.press("Enter")
    expect(page.locator("h2", has_text="Found for")).to_be_visible()
    line = lines(page).filter(has=page.locator(f'a[href="{comparison_path}"]'))
    line.locator("summary").first.click()
    line.locator("input[name=title]").first.fill("")
    line.get_by_role("button", name="Rename").first.click()
    expect(page.get_by_role("link", name="Slow Monday")).to_have_count(0)


def test_a_whole_report_and_back_to_where_it_was_opened(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    page.wait_for_url("**/reports/**")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator("main a", has_text="←").click()
    page.wait_for_url(f"**{comparison_path}")


def test_the_same_pair_dropped_beside_the_box_opens_what_is_there(page, pair, comparison_path):
    """The two files of a comparison that exists, let go over the heading."""
    page.goto("/")
    for path in pair:
        page.evaluate(DROP, [path.name, path.read_text(encoding="utf-8")])
    page.wait_for_url(re.compile(r"/comparisons/"), timeout=60_000)
    there = page.url
    page.goto("/")
    for path in reversed(pair):
        page.evaluate(DROP, [path.name, path.read_text(encoding="utf-8")])
    page.wait_for_url(there, timeout=60_000)


def test_an_earlier_report_is_chosen_on_a_reports_page_or_in_the_list(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    expect(page.locator("#partner option").first).to_be_attached()
    page.locator(".partners").get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"/comparisons/"))
    page.go_back()
    page.get_by_role("link", name="Several…").click()
    expect(page.locator(".hero")).to_contain_text("To compare with")
    check(page)
    page.locator(".picks input").first.check()
    page.get_by_role("button", name="Compare with the chosen").click()
    page.wait_for_url(re.compile(r"/comparisons/"))


def test_a_file_dropped_on_a_reports_page_is_compared_with_it(page, pair, comparison_path, request):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    expect(page.locator(".partners #drop.js")).to_be_visible()
    text = pair[1].read_text(encoding="utf-8") + f"<!-- {request.node.name} -->"
    page.evaluate(DROP, ["third.html", text])
    page.wait_for_url(re.compile(r"/comparisons/"), timeout=60_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)


def test_what_goes_is_named_before_it_goes(page, server: Server, pair: tuple[Path, Path], request):
    client = server.client()
    ids = [client.upload(p.name, p.read_bytes() + request.node.name.encode()).json["id"] for p in pair]
    made = client.compare(*ids)
    client.settled(made)
    assert client.post(f"{made}links/", []).status == 201
    page.goto(f"/?q={pair[0].name}")
    line = lines(page).filter(has=page.locator(f'a[href="{made}"]'))
    line.locator("summary").click()
    line.get_by_role("link", name="Delete…").click()
    expect(page.locator(".hangs").first).to_contain_text("its share link")
    check(page)
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#find")).to_be_visible()
    assert client.get(made).status == 404


def test_the_former_place_of_the_threads_that_wait_leads_to_them(page):
    page.goto("/#turn")
    page.wait_for_url("**/notices/?turn=1")
    expect(page.locator("[aria-current=page]", has_text="Your turn")).to_be_visible()
