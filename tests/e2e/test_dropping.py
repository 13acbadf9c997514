"""The page of a comparison takes files, a title of one's own, and leads to its deletion."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import CASES

pytestmark = pytest.mark.e2e

DROP = """
async ([files]) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector("main").dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  }
  return document.querySelector("#dropped").open;
}
"""
VARIANTS = [CASES.parent / "commit-frequency" / f"variant-{n}.html" for n in (1, 2, 3)]


def drop(page, *paths) -> bool:
    """Whether the dialog with the files is open then: one that is read soon makes way for the comparison."""
    return page.evaluate(DROP, [[[p.name, p.read_text()] for p in paths]])


@pytest.fixture
def own_path(server) -> str:
    """A comparison that this test alone changes."""
    client = server.client()
    ids = [client.upload(p.name, p.read_bytes()).json["id"] for p in VARIANTS[:2]]
    path = client.compare(*ids)
    client.settled(path)
    return path


def test_one_file_dropped_is_compared_with_the_reports_of_the_page(page, own_path):
    page.goto(own_path)
    assert drop(page, VARIANTS[2])
    page.wait_for_url(lambda url: "/comparisons/" in url and own_path not in url, timeout=60_000)
    expect(page.locator("[data-pair-choice] option")).to_have_count(3, timeout=60_000)


def test_of_several_files_it_is_asked_with_what(page, own_path):
    page.goto(own_path)
    drop(page, *VARIANTS[1:])
    alone = page.get_by_role("button", name="Compare these alone")
    expect(alone).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Compare with the reports of this page")).to_be_focused()
    alone.click()
    page.wait_for_url(lambda url: "/comparisons/" in url and own_path not in url, timeout=60_000)
    expect(page.locator("h1.title")).to_be_visible(timeout=60_000)


def test_a_comparison_is_renamed_and_deleted_from_its_page(page, own_path):
    page.goto(own_path)
    page.locator(".own-menu summary").click()
    page.get_by_label("Title").fill("Before and after the batch")
    page.get_by_role("button", name="Rename").click()
    expect(page).to_have_url(re.compile(f"{own_path}$"))
    expect(page.locator("h1.title")).to_have_text("Before and after the batch")
    page.locator(".own-menu summary").click()
    page.get_by_role("link", name="Delete…").click()
    expect(page).to_have_url(re.compile(f"{own_path}delete/$"))


def test_a_wrong_report_is_replaced_and_another_removed(page, own_path):
    page.goto(own_path)
    page.locator(".own-menu summary").click()
    page.get_by_role("button", name=f"Replace {VARIANTS[0].name}").click()
    expect(page.locator("#dropped h2")).to_have_text(f"Replace {VARIANTS[0].name}")
    page.set_input_files("#files", VARIANTS[2])
    page.wait_for_url(lambda url: "/comparisons/" in url and own_path not in url, timeout=60_000)
    expect(page.locator("[data-pair-choice]")).to_have_count(0)
    assert page.request.get(own_path).status == 404
    page.locator(".own-menu summary").click()
    expect(page.locator(".own-reports span")).to_have_text([VARIANTS[1].name, VARIANTS[2].name])
    page.get_by_role("button", name=f"Remove {VARIANTS[1].name}").click()
    expect(page).to_have_url(re.compile("/reports/"))
    expect(page.locator("h1.title")).to_be_visible()


def test_from_the_ranked_list_to_the_row_and_its_panel_by_enter(page, comparison_path):
    page.goto(comparison_path)
    line = page.locator(".movers li", has_text="log file sync").first
    line.locator("summary").click()
    line.locator(".ev a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("tr.aim th a").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#entity-h")).to_contain_text("log file sync")


def test_find_opens_the_panel_of_a_thing(page, comparison_path):
    page.goto(comparison_path)
    page.keyboard.press("/")
    page.keyboard.type("log file sync")
    thing = page.locator("#find-list [role=option]", has_text="wait event").first
    expect(thing).to_be_visible()
    thing.click()
    expect(page.locator("#entity-h")).to_contain_text("log file sync")
    expect(page).to_have_url(re.compile(r"panel=event"))
