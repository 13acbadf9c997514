"""The commit latency page in a browser: charts, the slider, keys, narrow and dark, and for who sees or hears it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.e2e.test_looks import OVERFLOW

pytestmark = pytest.mark.e2e
LOOKS = ("light", 1440), ("dark", 400)  # either is looked at in the other colours too


def opened(page: Page, path: str) -> Page:
    """With its charts drawn."""
    page.goto(path)
    page.locator("main details").first.wait_for()
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    page.locator("#histograms").scroll_into_view_if_needed()
    for figure in page.locator("#histograms figure").all():
        figure.locator("[data-explore]").click()
        expect(figure.locator(".plot .main-svg").first).to_be_visible()
    return page


@pytest.fixture(params=LOOKS, ids=lambda p: f"{p[0]}-{p[1]}")
def page(request, watched, server) -> Page:
    scheme, width = request.param
    return watched.context(
        base_url=server.url, color_scheme=scheme, viewport={"width": width, "height": 900}
    ).new_page()


def test_everybody_can_read_it(page, comparison_path):
    opened(page, f"{comparison_path}commit/?sla=5")
    assert page.evaluate(OVERFLOW) <= 0
    check(page)


def test_one_report_has_the_page_too(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    page.locator("[data-commit]").click()
    expect(page).to_have_url(re.compile(r"/reports/[^/]+/commit/$"))
    opened(page, page.url)
    assert page.evaluate(OVERFLOW) <= 0
    check(page)


@pytest.fixture
def wide(watched, server) -> Page:
    return watched.context(base_url=server.url).new_page()


def test_keys_lead_there_and_back(wide, comparison_path):
    wide.goto(comparison_path)
    wide.keyboard.press("c")
    wide.wait_for_url(re.compile(r"/commit/$"))  # loaded: keys are heard from then on
    wide.keyboard.press("?")
    expect(wide.locator("#keys")).to_be_visible()
    wide.keyboard.press("Escape")
    wide.keyboard.press("j")
    wide.keyboard.press("j")
    expect(wide.locator(".rail a[aria-current]")).not_to_have_text("Summary")
    wide.keyboard.press("c")
    expect(wide).to_have_url(re.compile(r"/comparisons/[^/]+/$"))


def test_the_slider_says_what_is_saved(wide, comparison_path):
    wide.goto(f"{comparison_path}commit/#what-if")
    slider = wide.locator("#factor")
    saved = wide.locator("[data-slope]").last
    half = saved.inner_text()
    table = wide.locator("#what-if tbody tr", has_text="1/2").locator("td").last
    assert half.split()[0] in table.inner_text()
    slider.focus()
    slider.press("Home")
    expect(wide.locator("[data-factor]")).to_have_text("1/100 of now")
    assert saved.inner_text() != half
    assert slider.get_attribute("aria-valuetext") == "1/100 of now"
    slider.press("End")
    expect(saved).to_have_text("0 s")


def test_evidence_opens_the_row(wide, comparison_path):
    wide.goto(f"{comparison_path}commit/")
    wide.locator("#stages summary").click()
    wide.locator("#stages a", has_text="log file parallel write").first.click()
    expect(wide.locator("#background_wait_events tr.aim")).to_contain_text("log file parallel write")


def test_an_sla_stays_in_the_address(wide, comparison_path):
    wide.goto(f"{comparison_path}commit/#sla")
    wide.locator("#sla-ms").fill("0.5")
    wide.locator("#sla-ms").press("Enter")
    expect(wide).to_have_url(re.compile(r"commit/\?sla=0\.5#sla$"))
    expect(wide.locator("#sla tbody")).to_contain_text("breached")


def test_without_scripts_every_figure_is_there(watched, server, comparison_path):
    page = watched.context(base_url=server.url, java_script_enabled=False).new_page()
    page.goto(f"{comparison_path}commit/")
    expect(page.locator(".slider")).to_be_hidden()
    for part in ("what-if", "stages"):
        page.locator(f"#{part} summary").first.click()
        expect(page.locator(f"#{part} tbody tr").first).to_be_visible()


MOST_WORDS = 900


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_read_in_two_minutes(watched, server, comparison_path, width):
    page = watched.context(base_url=server.url, viewport={"width": width, "height": 900}).new_page()
    page.goto(f"{comparison_path}commit/")
    assert len(page.locator("main").inner_text().split()) <= MOST_WORDS
    first, why, stages = (page.locator(s).bounding_box()["y"] for s in (".first-cause", "#causes", "#stages"))
    assert first < why < stages
    sides = [page.locator(f".commit-side.of-{side}").bounding_box()["y"] for side in ("first", "second")]
    assert (sides[1] < sides[0]) is (width == 390), "Second is what a narrow page begins with"


def test_second_stands_before_first_in_narrow_tables(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 900}).new_page()
    page.goto(f"{comparison_path}commit/#figures")
    first, second = (page.locator(f"#figures tbody tr >> nth=0 >> td >> nth={n}").bounding_box() for n in (0, 1))
    assert second["x"] < first["x"]
    assert abs(second["y"] - first["y"]) < 2
    assert page.evaluate(OVERFLOW) <= 0


def test_a_link_opens_the_part_that_it_leads_to(wide, comparison_path):
    wide.goto(f"{comparison_path}commit/")
    expect(wide.locator("#figures table")).to_be_hidden()
    wide.locator(".rail a", has_text="Figures").click()
    expect(wide.locator("#figures table")).to_be_visible()
