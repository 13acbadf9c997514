"""The chart library is loaded for a chart that somebody explores, never by scrolling."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e
LIBRARY = "/static/plotly/"
NEXT_EVENT = """(select) => {
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}"""
LOADING_DONE = 1_500  # ms; by scrolling the library used to be asked for within 300


def loads_of(page: Page) -> list[str]:
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if LIBRARY in request.url else None)
    return found


def test_a_histogram(page, comparison_path):
    loads = loads_of(page)
    page.goto(comparison_path)
    page.locator('.rail a[data-s="wait_event_histogram"]').click()
    section = page.locator("#wait_event_histogram")
    figure = section.locator("figure")
    expect(figure.locator(".plot > svg")).to_be_visible()
    figure.scroll_into_view_if_needed()
    with page.expect_response(lambda answer: "only=chart" in answer.url):
        figure.locator("select").evaluate(NEXT_EVENT)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(LOADING_DONE)
    assert loads == []

    figure.locator("[data-explore]").click()
    expect(figure.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
    expect(figure.locator("[data-explore]")).to_be_hidden()
    assert len(loads) == 1


def test_curves_of_commit_latency(page, comparison_path):
    loads = loads_of(page)
    page.goto(f"{comparison_path}commit/#histograms")
    first, second = page.locator("#histograms figure").all()
    first.scroll_into_view_if_needed()
    page.wait_for_timeout(LOADING_DONE)  # a chart that is passed within one frame would never have been noticed
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(LOADING_DONE)
    assert loads == []

    first.locator("[data-explore]").click()
    expect(first.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
    assert len(loads) == 1
    assert second.locator(".main-svg").count() == 0


def test_the_log_axis_of_a_histogram_is_pressed_and_let_go(page, comparison_path):
    page.goto(f"{comparison_path}#wait_event_histogram")
    figure = page.locator("#wait_event_histogram figure")
    expect(figure.locator("[data-log]")).to_be_hidden()
    figure.locator("[data-explore]").click()
    kind = "() => document.querySelector('#wait_event_histogram .plot')._fullLayout.yaxis.type"
    expect(figure.locator("[data-log]")).to_be_visible()
    assert page.evaluate(kind) == "linear"
    figure.locator("[data-log]").click()
    expect(figure.locator("[data-log]")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"({kind})() === 'log'")
    figure.locator("[data-log]").click()
    page.wait_for_function(f"({kind})() === 'linear'")


def test_a_library_that_does_not_come_leaves_the_drawing_and_may_be_asked_again(page, watched, comparison_path):
    watched.expect_errors("ERR_FAILED")
    page.goto(f"{comparison_path}commit/#histograms")
    figure = page.locator("#histograms figure").first
    page.route(f"**{LIBRARY}**", lambda route: route.abort())
    figure.locator("[data-explore]").click()
    expect(figure.locator("[data-explore]")).to_contain_text("could not be loaded")
    expect(figure.locator(".plot > svg")).to_be_visible()

    page.unroute(f"**{LIBRARY}**")
    figure.locator("[data-explore]").click()
    expect(figure.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
