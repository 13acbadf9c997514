"""A link to a report, an incident and its post-mortem: made in the dialog, opened by a stranger, revoked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def incident(server: Server, comparison_path: str) -> str:
    """Its path: with a window, an action item and a drafted post-mortem."""
    client = server.client()
    made = client.post(f"{comparison_path}incident/", [])
    assert made.status == 201, made.body
    path = made.json["url"]
    assert client.post(f"{path}events/", [("at", "2024-01-31T14:05"), ("text", "failover to node 2")]).status == 201
    assert client.post(f"{path}actions/", [("text", "larger redo logs"), ("due", "2024-02-28")]).status == 201
    assert client.post(f"{path}postmortem/", []).status == 201
    return path


@pytest.fixture(scope="module")
def report(server: Server, comparison_path: str) -> str:
    return server.client().get(comparison_path).json["reports"][0]["url"]


def shared(page: Page, path: str) -> str:
    """The address of a link that the dialog of this page makes."""
    page.goto(path)
    page.locator("[data-share]").click()
    expect(page.locator("#share")).to_be_visible()
    check(page)
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).to_have_value(re.compile(r"/s/"))
    assert page.locator("#share").evaluate("d => d.scrollWidth - d.clientWidth") <= 0
    made = page.locator("#share-url").input_value()
    page.locator("#share [data-close]").click()
    expect(page.locator("#share")).to_be_hidden()
    return made


def revoked(page: Page, path: str) -> None:
    """The link that is listed first: the page knows it after it was loaded again."""
    page.goto(path)
    page.locator("[data-share]").click()
    page.locator("#share-links [data-revoke]").first.click()
    expect(page.locator("#share-links tr").first).to_contain_text("revoked")
    expect(page.locator("#share-links tr").first.locator(":focus")).to_have_text("revoked")
    expect(page.locator("#share-url")).to_be_hidden()


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["wide", "narrow"])
def stranger(watched, server: Server, request) -> Page:
    width, colours = request.param
    context: BrowserContext = watched.context(
        base_url=server.url, viewport={"width": width, "height": 844}, color_scheme=colours, accept_downloads=True
    )
    return context.new_page()


def test_a_report(watched, page: Page, stranger: Page, report: str):
    link = shared(page, f"{report}#foreground_wait_events")
    assert link.endswith("#foreground_wait_events")
    stranger.goto(link)
    expect(stranger.get_by_text("Shared read-only view")).to_be_visible()
    thing = stranger.locator("#foreground_wait_events th a.to").first
    expect(thing).to_be_visible()
    fits(stranger)
    check(stranger)
    thing.click()
    expect(stranger.locator("#panel #entity-h")).to_be_visible()
    expect(stranger.locator("[data-share], form")).to_have_count(0)
    if stranger.locator("[data-commit]").count():
        stranger.goto(link.partition("#")[0] + "commit/")
        expect(stranger.get_by_text("Shared read-only view")).to_be_visible()
    watched.expect_errors("404")
    revoked(page, report)
    assert stranger.goto(link.partition("#")[0]).status == 404


def test_an_incident(watched, page: Page, stranger: Page, incident: str):
    link = shared(page, incident)
    stranger.goto(link)
    expect(stranger.locator(".events")).to_contain_text("failover to node 2")
    expect(stranger.locator(".band rect")).to_have_count(3)
    expect(stranger.get_by_text("larger redo logs")).to_be_visible()
    expect(stranger.locator("form, [data-share]")).to_have_count(0)
    fits(stranger)
    check(stranger)
    expect(stranger.locator(".log")).to_have_count(0)
    watched.expect_errors("404")
    revoked(page, incident)
    assert stranger.goto(link).status == 404


def test_a_post_mortem(watched, page: Page, stranger: Page, incident: str):
    link = shared(page, f"{incident}postmortem/#impact")
    assert link.endswith("#impact")
    stranger.goto(link)
    expect(stranger.locator(".tag", has_text="draft")).to_be_visible()
    fits(stranger)
    check(stranger)
    stranger.get_by_text("Export", exact=True).click()
    with stranger.expect_download() as taken:
        stranger.get_by_role("link", name="Markdown").click()
    assert "# Post-mortem:" in taken.value.path().read_text()
    watched.expect_errors("404")
    revoked(page, f"{incident}postmortem/")
    assert stranger.goto(link.partition("#")[0]).status == 404
