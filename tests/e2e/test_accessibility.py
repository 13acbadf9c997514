"""axe-core over every kind of page, in light and dark colours: see axe.py."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from fixtures.stories.sampled import ash_pair
from tests.e2e.axe import check, clean
from tests.e2e.conftest import CASES

pytestmark = pytest.mark.e2e

SECTIONS = ("load_profile", "foreground_wait_events", "sql_by_elapsed_time", "wait_event_histogram", "init_parameters")


@pytest.fixture(scope="module")
def shared_path(server, comparison_path) -> str:
    made = server.client().post(f"{comparison_path}links/", [])
    assert made.status == 201, made.body
    return made.json["path"]


@pytest.fixture(scope="module")
def traced_path(server) -> str:
    """The published adaptive switch, with its trace."""
    client = server.client()
    ids = []
    for name in ("before.html", "after.html", "lgwr.trc"):
        answer = client.upload(name, (CASES.parent / "adaptive-switch" / name).read_bytes())
        assert answer.status == 201, answer.body
        ids.append(answer.json["id"])
        client.settled(answer.json["url"])
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    return made


@pytest.fixture(scope="module")
def ash_path(server) -> str:
    client = server.client()
    ids = [client.upload(f"ash-{n}.html", data).json["id"] for n, data in enumerate(ash_pair())]
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    return made


def open_sections(page: Page) -> None:
    for section in SECTIONS:
        link = page.locator(f'.rail a[data-s="{section}"]')
        if link.count():
            link.click()
            page.evaluate(
                "id => { if (document.getElementById(id).classList.contains('folded')) document.querySelector(`#${id} .fold`).click(); }",
                section,
            )
            expect(page.locator(f"#{section} tbody tr").first).to_be_visible()
    page.locator(".top").first.scroll_into_view_if_needed()


def test_the_first_page(page):
    page.goto("/")
    check(page)


def test_a_comparison_with_sections_open(page, comparison_path):
    page.goto(f"{comparison_path}?all=1")
    open_sections(page)
    check(page)


def test_the_list_of_databases(page, comparison_path):
    page.goto("/databases/")
    page.get_by_role("link", name="The last 24 hours that are").click()
    expect(page.locator(".night li").first).to_be_visible()
    check(page)


def test_figures_of_a_database_over_time(page, comparison_path):
    page.goto("/databases/")
    page.locator(".night h3 a").first.click()
    page.goto(f"{page.url}metrics/?range=all&metric=db_time&metric=redo")
    expect(page.locator("figure.course")).to_have_count(2)
    check(page)


def test_two_ash_reports(page, ash_path):
    page.goto(ash_path)
    page.locator("#activity_over_time .fold").click()
    expect(page.locator("#activity_over_time tbody tr").first).to_be_visible()
    page.evaluate("() => { scrollTo(0, 0); document.getElementById('rail').scrollTop = 0; }")
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    clean(page)


def test_the_panel_of_one_report_and_added_files(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".own-menu summary").click()
    check(page, ".own-menu")
    page.get_by_role("button", name="Add reports…").click()
    expect(page.locator("#dropped")).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="report", exact=True).first.click()
    page.locator('.rail a[data-s="foreground_wait_events"]').click()
    page.locator("#foreground_wait_events tbody th a.to").first.click()
    expect(page.locator("#entity-h")).to_be_visible()
    check(page)


def test_menus_and_dialogs(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".menu:has(#copied) summary").click()
    expect(page.locator(".menu:has(#copied) .menu-list")).to_be_visible()
    check(page, ".menu:has(#copied)")
    page.keyboard.press("Escape")
    page.locator("[data-share]").click()
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-new")).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("log file")
    expect(page.locator("#find-list a").first).to_be_visible()
    check(page)


def test_a_comparison_with_a_trace(page, traced_path):
    page.goto(f"{traced_path}commit/")
    expect(page.locator("#trace-events")).to_contain_text("1 switch")
    check(page)


def test_a_section_alone(page, comparison_path):
    page.goto(f"{comparison_path}sections/foreground_wait_events/")
    check(page)


def test_one_report(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    open_sections(page)
    check(page)


def test_a_shared_page(page, shared_path):
    page.goto(shared_path)
    check(page)


def test_a_narrow_window(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 800}).new_page()
    page.goto(comparison_path)
    page.locator("#foreground_wait_events").scroll_into_view_if_needed()
    expect(page.locator("#foreground_wait_events tbody tr").first).to_be_visible()
    check(page)
    page.locator(".rail-button").click()
    expect(page.locator(".rail")).to_be_visible()
    check(page)


def test_a_document(page):
    page.goto("/docs/commit-latency/#section-4")
    check(page)
    page.get_by_role("searchbox").fill("commit time sla")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="found for")).to_be_visible()
    check(page)
    page.get_by_role("listitem").get_by_role("link").first.click()
    page.set_viewport_size({"width": 390, "height": 844})
    clean(page)


def test_a_refusal(page, watched):
    watched.expect_errors("404")
    page.goto("/comparisons/00000000-0000-0000-0000-000000000000/")
    check(page)
