"""“Is today unusual?”: eight files dropped, a baseline by one click, the row that is outside, its course over time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fixtures.stories import series
from fixtures.writer import LAYOUT_19, write
from tests.e2e.axe import check
from tests.e2e.test_first_screen import COUNT, WORDS
from tests.harness.server import Server

pytestmark = pytest.mark.e2e

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def mondays(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("mondays")
    paths = [folder / f"monday-{n + 1}.html" for n in range(series.WEEKS)]
    for n, path in enumerate(paths):
        path.write_bytes(write(series.monday(n), LAYOUT_19))
    return paths


@pytest.fixture(scope="module")
def series_path(server: Server, mondays: list[Path]) -> str:
    client = server.client()
    ids = [client.upload(path.name, path.read_bytes()).json["id"] for path in mondays]
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    return made


def test_today_against_the_last_seven_mondays(page: Page, mondays: list[Path]):
    page.goto("/")
    page.set_input_files("#files", [str(path) for path in reversed(mondays)])
    page.wait_for_url(re.compile(r"/comparisons/.*baseline=0,1,2,3,4,5,6&second=7"))
    expect(page.locator(".title")).to_contain_text("Monday 20 May 2024 09:00–10:00 against the median of 7 reports")
    expect(page.locator("#summary .strip")).to_contain_text("above all 7 · z = ")
    opened = page.url

    sync = page.locator("#time .movers > li", has_text="log file sync")
    expect(sync.locator(".beyond")).to_have_attribute("title", re.compile("above all 7"))
    sync.locator("summary").click()
    sync.get_by_role("link", name="in Foreground events").click()
    row = page.locator("#foreground_wait_events tr.aim")
    expect(row).to_be_in_viewport()
    expect(row).to_contain_text("above all 7")
    row.locator("a.trend").click()
    expect(page.get_by_role("heading", name="log file sync")).to_be_visible()
    charts = page.locator(".charts .drawing")
    expect(charts.nth(1)).to_be_visible()
    expect(charts.nth(1).locator("circle")).to_have_count(series.WEEKS)
    expect(page.locator("table.course")).to_contain_text("restarted 17 Apr 22:41")
    expect(page.locator("table.course")).to_contain_text("open_cursors 500 → 1000")

    page.go_back()
    expect(page.locator("#time")).to_be_visible()
    page.go_back()  # from the row to the page as it was opened
    assert page.url == opened


def test_the_first_screen_answers_there_too(page: Page, series_path: str):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{series_path}?baseline=3,4,5,6&second=7")
    expect(page.locator("#findings .find > li").first.locator("summary b")).to_be_in_viewport()
    assert 50 < page.evaluate(COUNT, "evidence") <= WORDS + 100  # with the reports to choose from
    page.keyboard.press("c")  # commits are told of two reports
    expect(page).to_have_url(re.compile(r"/commit/[?]pair=7"))


def test_the_baseline_is_chosen_with_the_keyboard_and_back_never_lies(page: Page, series_path: str):
    page.goto(f"{series_path}?baseline=0,1,2,3,4,5,6&second=7")
    page.locator("#reports > details summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the box that scrolls
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox").first).to_be_focused()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Show", exact=True).press("Enter")
    page.wait_for_url("**/?baseline=1,2,3,4,5,6&second=7")
    expect(page.locator(".title")).to_contain_text("the median of 6 reports")
    page.go_back()
    expect(page.locator(".title")).to_contain_text("the median of 7 reports")
    expect(page.locator("#reports input[name=baseline]:checked")).to_have_count(7)


def test_a_pin_leads_back_to_the_baseline_it_was_made_against(page: Page, series_path: str):
    view = f"{series_path}?baseline=0,1,2,3,4,5,6&second=7"
    page.goto(view)
    page.wait_for_load_state("networkidle")  # what is loaded afterwards moves the page below the pointer
    page.locator("#time .movers > li", has_text="log file sync").hover()
    page.keyboard.press("p")
    expect(page.locator("[data-pin-count]")).to_have_text("1")
    page.goto(f"{series_path}?pair=0")
    page.locator(".pins summary").click()
    pin = page.locator(".pins li")
    expect(pin).to_contain_text("against the median of 7 reports")
    pin.get_by_role("link").click()
    expect(page.locator("#foreground_wait_events tr.aim")).to_contain_text("above all 7")
    assert page.url.startswith(page.evaluate("location.origin") + view)
    page.locator(".pins summary").click()
    page.locator("[data-unpin]").click()
    expect(pin).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_such_a_pin_is_kept_as_evidence_and_leads_back(watched, server: Server, series_path: str, width: int):
    scheme = "dark" if width < 500 else "light"
    context = watched.context(base_url=server.url, color_scheme=scheme, viewport={"width": width, "height": 900})
    page, client = context.new_page(), server.client()
    incident = client.post(f"{series_path}incident/", []).json["url"]
    view = f"{series_path}?baseline=0,1,2,3,4,5,6&second=7"
    page.goto(view)
    page.wait_for_load_state("networkidle")  # what is loaded afterwards moves the page below the pointer
    page.locator("#time .movers > li", has_text="log file sync").hover()
    page.keyboard.press("p")
    expect(page.locator(".pins .toast")).to_contain_text("log file sync")
    page.locator(".pins summary").click()
    expect(page.locator('.pins [aria-label="Remove the incident\'s evidence log file sync"]')).to_have_count(1)
    page.goto(incident)
    kept = page.locator(".evidence-list li")
    expect(kept).to_contain_text("Unchanged since.")
    expect(kept).to_contain_text("above all 7")
    check(page)
    assert page.evaluate(OVERFLOW) == 0
    kept.get_by_role("link", name="log file sync").click()
    expect(page.locator("#foreground_wait_events tr.aim")).to_contain_text("above all 7")
    assert page.url.startswith(page.evaluate("location.origin") + view)
    assert client.post(f"{incident}delete/", []).status == 204


def test_a_table_with_a_column_for_each_report(page: Page, series_path: str):
    page.goto(f"{series_path}#load_profile")
    section = page.locator("#load_profile")
    section.locator("[data-columns=each]").click()
    expect(section.locator("thead th")).to_have_count(2 + series.WEEKS)
    expect(section.locator("svg.spark").first).to_be_visible()
    section.locator("[data-sort='1f']").click()
    expect(section.locator(".figures b")).to_have_text("Per Transaction")
    section.locator("[data-columns=main]").click()
    expect(section.locator("[data-columns=each]")).to_be_visible()
    expect(section.locator("svg.spark")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(page: Page, series_path: str, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    for where in ("?baseline=0,1,3&second=7", "trend/", "trend/?section=time_model"):
        page.goto(f"{series_path}{where}")
        assert page.evaluate(OVERFLOW) <= 0, where


def test_everyone_can_use_it(page: Page, series_path: str):
    page.goto(f"{series_path}?baseline=0,1,3&second=7")
    page.locator("#load_profile").scroll_into_view_if_needed()
    expect(page.locator("#load_profile tbody tr").first).to_be_visible()
    check(page)
    page.goto(f"{series_path}trend/")
    check(page)
    page.locator("table.each a.to").first.click()
    expect(page.locator(".charts .drawing").first).to_be_visible()
    check(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_panel_of_a_thing_against_the_baseline(page: Page, series_path: str, width: int):
    page.set_viewport_size({"width": width, "height": 850})
    page.goto(f"{series_path}?baseline=0,1,2,3,4,5,6&second=7")
    page.keyboard.press("/")
    page.keyboard.type("log file sync")
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_contain_text("above all 7")
    assert page.evaluate(OVERFLOW) <= 0
    check(page)
    page.keyboard.press("Escape")
    page.goto(f"{series_path}?baseline=0,1,2,3,4,5,6&second=7#foreground_wait_events")
    page.locator("#foreground_wait_events tbody tr", has_text="log file sync").first.locator("a.to").click()
    expect(page.locator("#entity-h")).to_contain_text("log file sync")


def test_the_trend_is_explored_and_taken_as_a_picture(page: Page, series_path: str):
    page.goto(f"{series_path}trend/")
    figure = page.locator("#db-time figure")
    figure.locator(".chart-tools summary").click()
    with page.expect_download() as download:
        figure.locator("[data-picture=save]").click()
    assert download.value.suggested_filename.startswith("db-time-of-every-report")
    figure.locator("[data-explore]").click()
    kinds = "() => document.querySelector('#db-time .plot')._fullData.map((run) => run.type)"
    expect(figure.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
    assert set(page.evaluate(kinds)) == {"bar"}
    figure.locator("[data-log]").click()  # what stands on each other has no log axis
    page.wait_for_function(f"({kinds})().every((one) => one === 'scatter')")

    page.goto(f"{series_path}trend/?section=foreground_wait_events")
    page.locator("a.to", has_text="log file sync").first.click()
    course = page.locator(".charts figure").nth(1)
    course.locator("[data-explore]").click()
    expect(course.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
    assert page.evaluate("document.querySelectorAll('.charts .plot')[1]._fullData[0].y.length") == series.WEEKS
