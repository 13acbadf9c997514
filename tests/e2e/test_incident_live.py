"""Two people in two browsers at one incident: each sees what the other does without a reload; drafts outlive a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.axe import check
from tests.e2e.test_threads import COMES_MS, SOON_MS, Place, opened, place  # noqa: F401 - a fixture
from tests.e2e.watch import Watched

pytestmark = pytest.mark.e2e


def at_an_incident(watched: Watched, where: Place) -> tuple[Page, Page]:
    olivia, nina = opened(watched, where, "olivia"), opened(watched, where, "nina")
    olivia.get_by_label("More: add reports, rename or delete").click()
    olivia.get_by_role("button", name="Make an incident of this").click()
    olivia.wait_for_url(re.compile(r"/incidents/"))
    nina.goto(olivia.url)
    for page, name in ((olivia, "nina"), (nina, "olivia")):
        expect(page.locator("[data-looking]")).to_have_text(f"{name} is looking", timeout=COMES_MS)
        page.evaluate("window.loaded = true")
    return olivia, nina


def test_what_one_does_the_other_sees(watched: Watched, place: Place) -> None:  # noqa: F811
    olivia, nina = at_an_incident(watched, place)
    nina.get_by_label("What happened").fill("failover to node 2")
    expect(olivia.locator(".add-event .typing")).to_have_text("nina is writing here", timeout=SOON_MS)
    olivia.get_by_label("What happened").fill("half a sentence of hers")
    nina.locator(".add-event button:not([type=button])").click()
    expect(olivia.locator("#timeline")).to_contain_text("failover to node 2", timeout=SOON_MS)
    expect(olivia.get_by_label("What happened")).to_have_value("half a sentence of hers")
    nina.locator("#action-text").fill("larger redo logs")
    nina.locator("#action-text").press("Control+Enter")
    expect(olivia.locator("#actions .action")).to_contain_text("larger redo logs", timeout=SOON_MS)
    nina.get_by_label("Status").select_option("mitigated")
    nina.get_by_role("button", name="Set status").click()
    expect(olivia.locator(".inc-head")).to_contain_text("mitigated", timeout=SOON_MS)
    nina.locator(".inc-head summary").click()
    nina.locator(".inc-head input[name=title]").fill("Slow payments")
    expect(olivia.locator("[data-live=head] .typing")).to_have_text("nina is writing here", timeout=SOON_MS)
    nina.get_by_role("button", name="Rename it").click()
    expect(olivia.locator("#incident-h")).to_contain_text("Slow payments", timeout=SOON_MS)
    assert olivia.evaluate("window.loaded")  # it was not loaded again
    check(olivia)

    nina.locator(".events .edit").first.click()
    nina.locator("#f-text").fill("failover to node 3")
    line = olivia.locator(".events > li", has_text="failover to node 2")
    expect(line.locator(".typing")).to_have_text("nina is writing here", timeout=SOON_MS)
    line.locator(".edit").click()
    olivia.reload()
    expect(olivia.locator(".draft-note")).to_have_count(0)  # she has typed nothing
    expect(olivia.locator("form .typing")).to_have_text("nina is writing here", timeout=SOON_MS)
    check(olivia)


def test_drafts_outlive_a_reload_and_a_server_that_is_away(watched: Watched, place: Place) -> None:  # noqa: F811
    page, nina = at_an_incident(watched, place)
    page.get_by_label("What happened").fill("half a sentence")
    page.locator("#action-text").fill("half an item")
    page.reload()
    expect(page.get_by_label("What happened")).to_have_value("half a sentence")
    expect(page.locator("#action-text")).to_have_value("half an item")
    expect(page.locator(".add-event .draft-note")).to_contain_text("not saved")
    sent: list[str] = []

    def lose_the_answer(route: Route) -> None:
        """It arrives, and nobody hears of it."""
        sent.append("")
        if len(sent) == 1:
            assert route.fetch().status == 201
            route.abort()
        else:
            route.continue_()

    watched.expect_errors("ERR_FAILED")
    page.route("**/events/", lose_the_answer)
    add = page.locator(".add-event button:not([type=button])")
    add.click()
    expect(page.locator(".add-event .draft-note")).to_contain_text("The server does not answer")
    add.click()
    expect(page.get_by_label("What happened")).to_have_value("")
    expect(page.locator(".events .what", has_text="half a sentence")).to_have_count(1)
    page.locator("#actions .draft-note button").click()
    expect(page.locator("#action-text")).to_have_value("")

    page.get_by_role("link", name="Post-mortem").click()
    page.get_by_role("button", name="Draft the post-mortem").click()
    page.get_by_role("link", name="Edit Summary").click()
    text = page.get_by_label("Text, as Markdown")
    text.fill("As Olivia saw it.")
    page.reload()
    expect(text).to_have_value("As Olivia saw it.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".md").first).to_contain_text("As Olivia saw it.")
    nina.goto(page.url.split("sections/")[0])
    nina.evaluate("window.loaded = true")
    text.press("Control+Enter")
    expect(page.locator("#summary .md")).to_contain_text("As Olivia saw it.")
    expect(nina.locator("#summary .md")).to_contain_text("As Olivia saw it.", timeout=COMES_MS)
    assert nina.evaluate("window.loaded")
    page.get_by_role("link", name="Edit Summary").click()
    expect(text).to_have_value("As Olivia saw it.")
    expect(page.locator(".draft-note")).to_have_count(0)
