"""Values under the pointer and by the arrow keys, keys that filter, and a chart as an image."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from fixtures.stories import series
from fixtures.writer import LAYOUT_19, write
from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e
HELD = "async () => (await navigator.clipboard.read()).flatMap((item) => item.types)"
OF_NO_KEY = (
    "(figure) => [...figure.querySelectorAll('[data-k=first]')].filter((mark) => !mark.checkVisibility()).join()"
)
FEET = """(svg) => Object.values([...svg.querySelectorAll("[data-k]:not(.off)")].reduce((feet, mark) => {
  const [y, height] = ["y", "height"].map((name) => parseFloat(mark.getAttribute(name)));
  feet[mark.getAttribute("x")] = Math.max(feet[mark.getAttribute("x")] || 0, y + height);
  return feet;
}, {}))"""


@pytest.fixture(scope="module")
def series_path(server: Server) -> str:
    client = server.client()
    ids = [client.upload(f"week-{n}.html", write(series.monday(n), LAYOUT_19)).json["id"] for n in range(3)]
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    return made


@pytest.fixture
def readout(page: Page) -> Locator:
    return page.locator(".readout")


def lines(readout: Locator) -> list[str]:
    return readout.locator("b, span").all_inner_texts()


def test_a_stretch_of_a_bar_says_count_and_latency_of_both_sides(page: Page, readout: Locator, comparison_path: str):
    page.goto(comparison_path)
    bar = page.locator("#summary .stack").last
    waits = bar.locator("span", has_text="log file sync").first
    said = waits.get_attribute("title")
    waits.hover()
    expect(readout).to_be_visible()
    assert [line.split(":")[0] for line in lines(readout)] == ["First", "Second"]
    assert lines(readout)[1] == said
    assert re.search(r"log file sync [\d.]+ = [\d,.]+ a second × [\d.]+ [mµ]?s$", said or "")
    page.locator("#summary .verdict").first.hover()
    expect(readout).to_be_hidden()


def test_the_arrow_keys_lead_the_crosshair_from_report_to_report(page: Page, readout: Locator, series_path: str):
    page.goto(series_path)
    chart = page.locator(".reports-line svg.drawing")
    chart.focus()
    expect(readout).to_be_hidden()
    heads = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"):
        page.keyboard.press(key)
        heads.append(lines(readout)[0])
    first, second, third = heads[:3]
    assert len({first, second, third}) == 3
    assert heads[3:] == [third, second, first, third]
    assert any(line.startswith("CPU ") for line in lines(readout))
    cross, frame = page.locator(".crosshair").bounding_box(), chart.bounding_box()
    assert cross is not None
    assert frame is not None
    assert cross["x"] > frame["x"] + frame["width"] * 2 / 3
    expect(page.locator("[role=status].vh", has_text=third)).to_be_attached()
    check(page)
    page.keyboard.press("Escape")
    expect(readout).to_be_hidden()
    page.keyboard.press("Home")  # a report that is not Second yet: Enter makes it so
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("second="))


def test_a_histogram_says_both_sides_of_a_bucket(page: Page, readout: Locator, comparison_path: str):
    page.goto(f"{comparison_path}#wait_event_histogram")
    figure = page.locator("#wait_event_histogram figure")
    figure.locator("svg.drawing").focus()
    page.keyboard.press("End")
    while len(lines(readout)) < 3:
        page.keyboard.press("ArrowLeft")
    assert [line.split()[0] for line in lines(readout)[1:]] == ["First", "Second"]
    figure.locator(".keys button", has_text="First").click()
    expect(figure.locator("[data-k=second]").first).to_be_hidden()
    expect(figure.locator("rect[data-k=first]").first).to_be_visible()
    figure.locator("[data-explore]").click()
    expect(figure.locator(".plot .main-svg").first).to_be_visible(timeout=30_000)
    drawn = "() => document.querySelector('#wait_event_histogram .plot')._fullData.filter((run) => run.visible).map((run) => run.name)"
    assert set(page.evaluate(drawn)) == {"First"}
    figure.locator(".keys button", has_text="First").click()
    page.wait_for_function(f"new Set(({drawn})()).size === 2")


def test_a_key_shows_its_part_alone_and_with_shift_hides_it(page: Page, readout: Locator, comparison_path: str):
    page.goto(comparison_path)
    figure = page.locator("#summary figure.bars")
    parts = figure.locator(".stack").last.locator("span")
    every = parts.count()
    figure.evaluate("(figure) => { figure.querySelector('.side').dataset.k = 'first'; }")
    cpu, other = (figure.locator(".keys button").nth(n) for n in (0, 1))
    cpu.focus()
    page.keyboard.press("Enter")
    expect(cpu).to_have_attribute("aria-pressed", "true")
    expect(parts.filter(visible=True)).to_have_count(1)
    expect(figure.locator(".stack").first.locator("span").filter(visible=True)).to_have_count(1)
    assert figure.evaluate(OF_NO_KEY) == ""
    other.click()
    expect(parts.filter(visible=True)).to_have_count(2)
    other.click()
    cpu.click()
    expect(parts.filter(visible=True)).to_have_count(every)
    expect(figure.locator("[aria-pressed=true]")).to_have_count(0)
    cpu.focus()
    page.keyboard.press("Shift+Enter")
    expect(parts.filter(visible=True)).to_have_count(every - 1)
    expect(parts.first).to_be_hidden()


def test_what_is_left_of_a_stack_stands_on_its_foot(page: Page, readout: Locator, series_path: str):
    page.goto(f"{series_path}trend/")
    figure = page.locator("#db-time figure")
    chart = figure.locator("svg.drawing")
    before = chart.locator("rect").first.get_attribute("y")
    figure.locator(".keys button").first.click()
    feet = chart.evaluate(FEET)
    assert len(feet) == 3
    assert all(abs(foot - 100) < 0.1 for foot in feet)
    chart.focus()
    page.keyboard.press("ArrowRight")
    assert len(lines(readout)) == 2  # the report, and what is shown of it
    figure.locator(".keys button").first.click()
    assert (
        abs(
            float((before or "").rstrip("%"))
            - float((chart.locator("rect").first.get_attribute("y") or "").rstrip("%"))
        )
        < 0.1
    )


def test_a_chart_is_copied_as_an_image(watched, server, comparison_path):
    context = watched.context(base_url=server.url, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(comparison_path)
    tools = page.locator("#summary .bars .chart-tools")
    tools.locator("summary").click()
    tools.locator("[data-picture=copy]").click()
    expect(tools.locator("[data-picture=copy] small")).to_have_text("Copied")
    assert page.evaluate(HELD) == ["image/png"]


def test_without_a_clipboard_the_image_is_a_file(page: Page, comparison_path: str):
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(comparison_path)
    tools = page.locator("#summary .bars .chart-tools")
    tools.locator("summary").click()
    with page.expect_download() as download:
        tools.locator("[data-picture=copy]").click()
    data = Path(download.value.path()).read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
    assert width > 1000
    assert height > 200
    expect(tools.locator("[data-picture=copy] small")).to_contain_text("Saved")
