"""A link for outsiders, as its owner makes it and as a stranger's browser sees it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e
PASSWORD = "horse battery"


@pytest.fixture
def link(watched, server: Server, comparison_path) -> str:
    """Made in the dialog, looked at by the owner."""
    context: BrowserContext = watched.context(base_url=server.url)
    page = context.new_page()
    page.goto(comparison_path)
    page.locator("[data-share]").click()
    page.get_by_label("Password (optional)").fill(PASSWORD)
    page.get_by_label("Names").select_option("yes")
    expect(page.locator("#redaction")).to_be_visible()
    page.get_by_label("SQL text").select_option("shape")
    check(page)
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).not_to_have_value("")
    with context.expect_page() as opened:
        page.get_by_role("link", name="See it as they will").click()
    seen = opened.value
    expect(seen.get_by_text("Names are pseudonyms")).to_be_visible()
    made = page.locator("#share-url").input_value()
    page.goto("/links/")
    expect(page.get_by_text("pseudonyms, password").first).to_be_visible()
    check(page)
    context.close()
    return made


@pytest.fixture
def stranger(watched, server: Server) -> Page:
    return watched.context(base_url=server.url, accept_downloads=True).new_page()


def names(server: Server, path: str) -> set[str]:
    """Of databases, hosts and instances, in lower case."""
    reports = server.client().get(f"{path}export.json?part=summary").json["reports"]
    found = {r["database"]["name"] for r in reports} | {r["host"]["name"] for r in reports}
    return {n.lower() for n in found | {i["name"] for r in reports for i in r["instances"]} if n}


def test_a_stranger_enters_the_password_filters_opens_a_panel_and_exports(
    link, stranger, watched, server, comparison_path
):
    watched.expect_errors("401")
    named = names(server, comparison_path)
    assert named
    stranger.goto(link)
    check(stranger)
    stranger.get_by_label("Password").fill("wrong wrong")
    stranger.get_by_role("button", name="Open").click()
    expect(stranger.get_by_text("This is not the password")).to_be_visible()
    stranger.get_by_label("Password").fill(PASSWORD)
    stranger.get_by_role("button", name="Open").click()
    expect(stranger.get_by_text("Names are pseudonyms")).to_be_visible()
    expect(stranger).to_have_title(re.compile("(db|inst)-"))
    check(stranger)
    stranger.goto(f"{link}?q=log+file#foreground_wait_events")
    stranger.locator("#foreground_wait_events tbody tr th a.to").first.click()
    expect(stranger.locator("#panel #entity-h")).to_be_visible()
    exported = stranger.request.get(f"{link}export.md").text().lower()
    whole = stranger.content().lower()
    assert "host-" in exported
    assert [name for name in named if name in exported or name in whole] == []


def test_a_single_report_too(stranger, watched, server, comparison_path):
    """Made in the dialog of its page, and looked at on a narrow screen."""
    report = server.client().get(comparison_path).json["reports"][0]
    named = names(server, comparison_path)
    page = watched.context(base_url=server.url).new_page()
    page.goto(report["url"])
    page.locator("[data-share]").click()
    page.get_by_label("Names").select_option("yes")
    expect(page.locator("#redaction")).to_be_visible()
    check(page)
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).not_to_have_value("")
    link = page.locator("#share-url").input_value()
    stranger.set_viewport_size({"width": 390, "height": 900})
    stranger.goto(link)
    expect(stranger.get_by_text("Names are pseudonyms")).to_be_visible()
    expect(stranger).to_have_title(re.compile("(db|inst)-"))
    check(stranger)
    assert stranger.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    stranger.goto(f"{link}?q=log+file#foreground_wait_events")
    stranger.locator("#foreground_wait_events tbody tr th a.to").first.click()
    expect(stranger.locator("#panel #entity-h")).to_be_visible()
    whole = stranger.content().lower()
    assert [name for name in named if name in whole] == []


def test_a_password_that_the_dialog_generates_opens_the_link(watched, server: Server, comparison_path):
    watched.expect_errors("status of 40[01]")  # the password is asked for; a weak one is refused
    page = watched.context(base_url=server.url).new_page()
    page.goto(comparison_path)
    page.locator("[data-share]").click()
    field = page.get_by_label("Password (optional)")
    page.get_by_role("button", name="Generate one").click()
    first = field.input_value()
    page.get_by_role("button", name="Generate one").click()
    generated = field.input_value()
    assert generated != first
    assert re.fullmatch(r"([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}", generated)
    assert field.get_attribute("type") == "text"
    check(page)
    page.locator("#share-form .primary").click()
    kept = page.get_by_label("Password of the link")
    expect(kept).to_have_value(generated)
    expect(field).to_have_value("")
    assert field.get_attribute("type") == "password"
    check(page)
    stranger = watched.context(base_url=server.url).new_page()
    stranger.goto(page.locator("#share-url").input_value())
    stranger.get_by_label("Password").fill(generated)
    stranger.get_by_role("button", name="Open").click()
    expect(stranger.locator("#foreground_wait_events").first).to_be_attached()
    field.fill(PASSWORD)  # what somebody types is not shown
    page.locator("#share-form .primary").click()
    expect(kept).to_be_hidden()
    field.fill("password1")
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-error")).to_contain_text("easy to guess")


@pytest.mark.parametrize("width", [1280, 390])
def test_an_incident_is_looked_at_before_its_link_is_made(watched, stranger, server: Server, comparison_path, width):
    context: BrowserContext = watched.context(base_url=server.url, viewport={"width": width, "height": 900})
    page, named = context.new_page(), sorted(names(server, comparison_path))
    page.goto("/incidents/new/")
    page.get_by_label("Title").fill(f"Zdenka lost {named[0]}")
    page.get_by_label("Begins").fill("2024-01-01T11:05")
    page.locator("main form .primary").click()
    page.locator("[data-share]").click()
    page.get_by_role("link", name="a link with pseudonyms").click()
    expect(page.locator("#as-shown")).to_be_visible()
    check(page)
    page.get_by_label("Zdenka").check()
    page.get_by_label("For whom").fill("Vendor Ltd")
    page.get_by_role("button", name="Make the link").click()
    made = page.locator("#made-url").input_value()
    check(page)
    page.goto("/links/")
    expect(page.get_by_text("for Vendor Ltd").first).to_be_visible()
    context.close()
    stranger.goto(made)
    expect(stranger.get_by_text("Names are pseudonyms")).to_be_visible()
    check(stranger)
    assert "Zdenka" in stranger.content()
    assert "Vendor" not in stranger.content()
