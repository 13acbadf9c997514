"""The sheet in Chromium: the ranked list, the threshold, the box that finds, addresses of rows, and that nothing jumps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

SHIFTS = """
window.shifts = 0;
window.shifted = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    window.shifts += entry.value;
    const moved = entry.sources.map((source) => [source.node?.cloneNode?.(false).outerHTML ?? source.node?.nodeName,
      source.previousRect.y, source.previousRect.height, source.currentRect.y, source.currentRect.height]);
    window.shifted.push([entry.value, scrollY, moved]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
AIMED = "document.querySelector('tr.aim')"


@pytest.fixture
def clipboard(context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return lambda page: page.evaluate("navigator.clipboard.readText()")


def test_a_row_of_the_list_leads_to_its_evidence(page, comparison_path):
    page.goto(comparison_path)
    row = page.locator(".movers > li").first
    row.locator("summary").click()
    link = row.locator(".ev a[href*='/']").first
    row_id = link.get_attribute("href").split("/")[1]
    link.click()
    expect(page.locator(f"#r-{row_id}")).to_have_class(re.compile("aim"))
    expect(page.locator(f"#r-{row_id}")).to_be_in_viewport()


def test_by_keys_from_a_finding_to_its_evidence_and_back(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".verdict").wait_for()
    page.keyboard.press("f")
    finding = page.locator(".find > li").first
    link = finding.locator(".ev a[href*='/']").first
    expect(link).to_be_focused()
    row_id = link.get_attribute("href").split("/")[1]
    page.keyboard.press("Enter")
    expect(page.locator(f"#r-{row_id}")).to_be_in_viewport()
    page.go_back()
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("f")
    expect(page.locator(".find > li").nth(1).locator("details")).to_have_attribute("open", "")
    expect(finding.locator("details")).not_to_have_attribute("open", "")


def test_by_keys_another_threshold_and_a_section_as_csv(page, comparison_path):
    page.goto(comparison_path)
    choice = page.locator("[data-material-choice]")
    expect(choice).to_have_value("1")
    for key, value in (("+", "2"), ("-", "1"), ("-", "0.5")):
        page.keyboard.press(key)
        expect(choice).to_have_value(value)
        expect(page).to_have_url(re.compile(rf"material={value}"))
    page.keyboard.press("/")
    page.keyboard.type("foreground wait events")
    page.keyboard.press("Enter")
    expect(page.locator("#foreground_wait_events .fold")).to_be_focused()
    expect(page.locator("#foreground_wait_events .take a")).to_be_visible()
    with page.expect_download() as taken:
        page.keyboard.press("X")
    assert "foreground_wait_events" in taken.value.suggested_filename


def test_why_a_statement_is_not_there(page, comparison_path):
    page.goto(comparison_path)
    page.keyboard.press("/")
    page.keyboard.type("8k507ua6gpr5z")
    expect(page.locator("#find-said")).to_have_text("nothing holds “8k507ua6gpr5z”")
    expect(page.locator("#find-list")).to_contain_text(
        re.compile("it did not run, or for no longer than the last here: .+ in First, .+ in Second")
    )
    page.keyboard.press("Enter")
    expect(page.locator("#sql_by_elapsed_time .fold")).to_be_focused()


def test_the_threshold_is_in_the_address_and_in_the_browser(page, comparison_path):
    page.goto(comparison_path)
    few = page.locator(".by-cause > li").count()
    page.locator("[data-material-choice]").select_option("10")
    page.wait_for_url("**/?material=10*")
    assert 0 < page.locator(".by-cause > li").count() < few
    page.goto(comparison_path)  # without it in the address: as this browser remembers it
    expect(page.locator("[data-material-choice]")).to_have_value("10")
    page.wait_for_url("**/?material=10*")
    page.goto(f"{comparison_path}?material=1")
    expect(page.locator("[data-material-choice]")).to_have_value("1")
    assert page.locator(".by-cause > li").count() == few


def test_the_box_finds_rows_of_sections_that_were_not_opened(page, comparison_path):
    page.goto(comparison_path)
    page.keyboard.press("Control+k")
    page.keyboard.type("sync file LOG")
    expect(page.locator("#find-said")).to_contain_text("rows in")
    page.keyboard.press("Escape")  # once: by itself a search box would only be emptied by it
    expect(page.locator("#find")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.locator("#find-said")).to_contain_text("rows in")
    row = page.locator('#find-list a[href^="#"][href*="/"]', has_text="log file sync").first
    expect(row.locator(".sides")).to_contain_text("→")
    target = row.get_attribute("href")
    for _ in range(int(row.get_attribute("data-at"))):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#find")).to_be_hidden()
    expect(page.locator(f"#r-{target.split('/')[1]}")).to_have_class(re.compile("aim"))
    page.keyboard.press("n")
    page.wait_for_function("hash => location.hash !== hash", arg=target)
    page.keyboard.press("N")
    page.wait_for_function("hash => location.hash === hash", arg=target)


def test_the_address_of_a_row_opens_the_same_view(page, comparison_path, clipboard):
    page.goto(f"{comparison_path}?all=1#foreground_wait_events")
    section = page.locator("#foreground_wait_events")
    section.locator("[data-sort='0f']").click()
    expect(section.locator("[aria-sort]")).to_have_count(1)
    section.locator("tbody tr").nth(3).hover()
    page.keyboard.press("y")
    expect(page.locator("#copied-link")).to_contain_text("copied")
    address = clipboard(page)
    assert "sort=0f" in address
    assert "all=1" in address
    row_id = section.locator("tbody tr").nth(3).get_attribute("id")
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(f"#{row_id}")).to_have_class(re.compile("aim"))
    expect(page.locator(f"#{row_id}")).to_be_in_viewport()
    expect(section.locator("[aria-sort] [data-sort='0f']")).to_have_count(1)


def test_without_a_clipboard_the_address_stands_selected(page, comparison_path):
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(f"{comparison_path}?all=1#foreground_wait_events")
    page.locator("#foreground_wait_events tbody tr").first.hover()
    page.locator("#foreground_wait_events .pl").first.click()
    box = page.locator("#copied-link textarea")
    expect(box).to_be_focused()
    assert page.evaluate("getSelection().toString() || document.activeElement.value").endswith(page.url.split("#")[1])


def test_a_share_link_takes_the_row_along(page, comparison_path):
    page.goto(f"{comparison_path}?basis=total#foreground_wait_events")
    page.locator("[data-share]").click()
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).to_have_value(re.compile(r"/s/.+#foreground_wait_events$"))


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (768, 1024), (390, 844)])
def test_nothing_jumps_on_the_way_to_the_end(watched, server, comparison_path, width, height):
    size = {"width": width, "height": height}
    page = watched.context(base_url=server.url, viewport=size, has_touch=width < 600).new_page()
    page.add_init_script(SHIFTS)
    page.goto(comparison_path)
    page.mouse.move(width * 0.6, 500)
    last = -1
    while (now := page.evaluate("scrollY")) != last:
        last = now
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(120)
    assert page.evaluate("shifts") <= 0.05, page.evaluate("JSON.stringify(shifted)")


def test_pointing_at_a_heading_moves_nothing_on_a_narrow_window(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 844}).new_page()
    page.goto(comparison_path)
    page.locator(".verdict").wait_for()
    headings = page.locator(".sec.folded > h3").all()
    before = [one.bounding_box()["height"] for one in headings]
    lines = {round(height / 17) for height in before}
    assert len(lines) > 1  # some break into a second line
    for one, height in zip(headings, before, strict=True):
        one.hover()
        assert one.bounding_box()["height"] == height


def test_the_rows_shown_are_copied_as_markdown(page, comparison_path, clipboard):
    """By the button and by its key; what the filter or "changed only" hides is not in it."""
    page.goto(f"{comparison_path}#foreground_wait_events")
    section = page.locator("#foreground_wait_events")
    shown = section.locator("tbody tr:visible")
    expect(shown.first).to_be_visible()
    section.get_by_role("button", name="Copy").click()
    expect(page.locator("#copied-link")).to_contain_text("Table copied")
    head, rule, *rows = clipboard(page).strip().splitlines()
    assert head.startswith("| Event | ")
    assert set(rule) <= set("|-: ")
    assert len({line.replace(r"\|", "").count("|") for line in (head, rule, *rows)}) == 1
    names = [row.split("|")[1].strip().replace("\\", "") for row in rows]
    assert len(names) == shown.count()
    assert names[0].startswith(shown.first.locator("th a").first.inner_text())
    section.locator("tbody tr").first.click()
    shown.first.evaluate("row => { row.hidden = true; }")
    section.locator(".fold").focus()
    page.keyboard.press("x")
    page.wait_for_timeout(300)
    assert len(clipboard(page).strip().splitlines()) == len(rows) + 1
    with page.expect_download() as download:
        section.get_by_role("link", name="as CSV").click()
    assert download.value.suggested_filename.endswith(".csv")
    assert len(download.value.path().read_text().splitlines()) == len(rows) + 1
