"""Reading a comparison: heads that stay, small changes hidden and said, more than two reports, taking it away."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import CASES

pytestmark = pytest.mark.e2e

VARIANTS = [CASES.parent / "commit-frequency" / f"variant-{n}.html" for n in (1, 2, 3)]

# What of a stuck head does not cover the rows beneath it.
HOLES = """
(id) => {
  const head = document.querySelector(`#${id} table.fig thead`);
  const { top, bottom } = head.getBoundingClientRect();
  const box = head.closest(".scroll").getBoundingClientRect();
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const clear = [...head.querySelectorAll("th, td")].filter((c) => getComputedStyle(c).backgroundColor === "rgba(0, 0, 0, 0)");
  const holes = clear.map((c) => `no background: ${c.outerHTML}`);
  // A wide one is moved by whole pixels: its first ones may lie beneath the bars, which end between two.
  for (let y = top + 2; y < bottom - 1; y += 2) {
    for (const part of [0.01, 0.25, 0.5, 0.75, 0.99]) {
      const seen = document.elementFromPoint(left + (right - left) * part, y);
      if (!seen || !seen.closest("thead")) holes.push(`${part}, ${y} in ${top} to ${bottom} of ${box.top} to ${box.bottom}: ${seen && seen.outerHTML}`);
    }
  }
  return holes;
}
"""
# How far below the bars the head of a table stands that scrolls with the page; one too wide has a box of its own.
GAP = """
(id) => {
  const head = document.querySelector(`#${id} table.fig thead`);
  const bars = [...document.querySelectorAll(".top")].map((el) => el.getBoundingClientRect().bottom);
  return head.closest(".wide") ? 0 : head.getBoundingClientRect().top - Math.max(...bars);
}
"""


# As browsers zoom: text alone, and everything to pixels that are no whole ones.
LARGE_TEXT = ".bar, .fig, .fig th, .fig td { font-size: 19px !important }"


@pytest.mark.parametrize(("scheme", "text", "zoom"), [("light", "", 1), ("dark", LARGE_TEXT, 1), ("light", "", 1.1)])
def test_the_head_of_a_table_covers_what_scrolls_beneath_it(watched, server, comparison_path, scheme, text, zoom):
    view = {"width": int(1440 / zoom), "height": int(500 / zoom)}
    page = watched.context(base_url=server.url, color_scheme=scheme, viewport=view, device_scale_factor=zoom).new_page()
    page.goto(f"{comparison_path}?all=1#foreground_wait_events")
    for section in ("foreground_wait_events", "instance_activity", "wait_event_histogram"):
        page.locator(f'.rail a[data-s="{section}"]').click()
        page.locator(f"#{section} .fig tbody tr").first.wait_for()
    if text:
        page.add_style_tag(content=text)
    for section in ("foreground_wait_events", "instance_activity", "wait_event_histogram"):
        assert holes_at(page, section, row=9) == []
    holes_at(page, "foreground_wait_events", row=9)
    assert page.evaluate(GAP, "foreground_wait_events") <= 0.5


def holes_at(page, section: str, row: int) -> list[str]:
    """Scrolls to the row, again while sections above are still loading and push it away."""
    holes = ["not there yet"]
    for _ in range(20):
        page.evaluate(
            '([id, n]) => document.querySelectorAll(`#${id} .fig tbody tr`)[n].scrollIntoView({ block: "center" })',
            [section, row],
        )
        page.wait_for_timeout(150)
        holes = page.evaluate(HOLES, section)
        if not holes:
            break
    return holes


def test_a_wide_table_keeps_its_head_in_its_own_box(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{comparison_path}?all=1#foreground_wait_events")
    box = page.locator("#foreground_wait_events .scroll.wide")
    expect(box).to_be_visible()
    box.evaluate("el => { el.scrollTop = 150; el.scrollLeft = 120; }")
    box.scroll_into_view_if_needed()
    assert page.evaluate(HOLES, "foreground_wait_events") == []


# Rows higher than a line though their name is one line: name, height.
TALL = """
() => [...document.querySelectorAll("#foreground_wait_events tbody tr")].flatMap((row) => {
  const name = document.createRange();
  name.selectNodeContents(row.querySelector("th").firstChild);
  const lines = new Set([...name.getClientRects()].map((box) => Math.round(box.top))).size;
  return lines === 1 && row.offsetHeight > 32 ? [`${row.textContent}: ${row.offsetHeight}`] : [];
})
"""


def see_demos(page) -> None:
    """They are folded where there is work of one's own."""
    page.goto("/")
    page.locator("details.demos").evaluate("fold => { fold.open = true; }")


# In which order a change of the window's width looks at tables and says how wide they are.
LOOKS_AND_MARKS = """
() => {
  const done = [];
  const width = Object.getOwnPropertyDescriptor(Element.prototype, "scrollWidth");
  Object.defineProperty(Element.prototype, "scrollWidth", { ...width, get() {
    if (this.matches(".scroll table")) done.push("look ");
    return width.get.call(this);
  } });
  for (const name of ["add", "remove"]) {
    const mark = DOMTokenList.prototype[name];
    DOMTokenList.prototype[name] = function (...words) {
      if (words.includes("wide") || words.includes("fits")) done.push("mark ");
      return mark.apply(this, words);
    };
  }
  dispatchEvent(new Event("resize"));
  return done.join("");
}
"""


def test_tables_are_all_measured_before_one_is_marked(page, comparison_path):
    page.goto(comparison_path)
    expect(page.locator(".scroll.fits, .scroll.wide").nth(1)).to_be_attached()
    assert re.fullmatch("(mark )+(look ){2,}(mark )+", page.evaluate(LOOKS_AND_MARKS))


@pytest.mark.parametrize("width", [390, 1440])
def test_rows_whose_name_is_one_line_are_one_line_high(watched, server, width):
    page = watched.context(base_url=server.url, viewport={"width": width, "height": 800}).new_page()
    see_demos(page)
    page.get_by_role("link", name="Published: three commits per loop against one").click()
    page.goto(f"{page.url}?all=1#foreground_wait_events")
    page.locator("#foreground_wait_events tbody tr").first.wait_for()
    assert page.evaluate(TALL) == []
    for cell in page.locator("td.na").all()[:3]:
        assert cell.evaluate("el => getComputedStyle(el).whiteSpace") == "nowrap"


def test_small_changes_are_hidden_counted_and_shown_on_demand(page, comparison_path):
    page.goto(f"{comparison_path}#background_wait_events")
    section = page.locator("#background_wait_events")
    foot = section.locator(".hid")
    expect(foot).to_contain_text("below 1 %")
    few = section.locator("tbody tr").count()
    said = section.locator("h3 small").inner_text()
    counted = re.match(r"(?:(\d+) of )?(\d+) rows", said)  # "9 rows unchanged": none of them counts
    assert int(counted[1] or 0) == few
    foot.locator("[data-own=all]").click()
    expect(section.locator("tbody tr")).to_have_count(int(counted[2]))
    assert few < int(counted[2])


def test_what_moved_without_a_price_stands_behind_one_line(page, comparison_path):
    page.goto(f"{comparison_path}#instance_activity")
    section = page.locator("#instance_activity")
    line = section.locator(".unpriced")
    expect(line).to_contain_text("changed, no share of DB time")
    behind = int(re.match(r"[\d,]+", line.inner_text())[0].replace(",", ""))
    few = section.locator("tbody tr").count()
    line.get_by_role("link", name="show").click()
    expect(section.locator("tbody tr")).to_have_count(few + behind)
    assert "all=1" not in page.url  # the others stay as they are
    page.goto(comparison_path)
    page.locator('.rail a[data-s="instance_activity"]').click()
    expect(line).to_be_visible()  # nor is it remembered


@pytest.mark.parametrize("change", ["threshold", "u", "2"])
def test_who_reads_a_row_stays_at_it_whatever_is_shown_differently(page, comparison_path, change):
    page.goto(f"{comparison_path}#foreground_wait_events")
    row = page.locator("#foreground_wait_events tbody tr").first
    row.wait_for()
    page.wait_for_load_state("networkidle")
    named = page.locator(f"#{row.get_attribute('id')}")
    named.evaluate("el => scrollBy(0, el.getBoundingClientRect().top - innerHeight / 3)")
    page.wait_for_load_state("networkidle")
    before = named.bounding_box()["y"]
    with page.expect_response(lambda answer: "/sections/foreground_wait_events/" in answer.url):
        change_to(page, change)
    page.wait_for_load_state("networkidle")
    expect(named).to_be_visible()
    assert abs(named.bounding_box()["y"] - before) < 3


@pytest.mark.parametrize("change", ["threshold", "u", "2"])
def test_who_reads_the_summary_is_not_thrown_to_the_row_of_the_address(page, comparison_path, change):
    page.goto(f"{comparison_path}#load_profile")
    row = page.locator("#load_profile tbody tr").first
    row.wait_for()
    page.goto(f"{comparison_path}#load_profile/{row.get_attribute('id').removeprefix('r-')}")
    expect(page.locator("tr.aim")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")
    change_to(page, change)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("scrollY") == 0


def change_to(page, change: str) -> None:
    if change == "threshold":
        page.locator("[data-material-choice]").select_option("5")
    else:
        page.keyboard.press(change)


def test_the_order_of_a_table_outlives_a_reload(page, comparison_path):
    page.goto(f"{comparison_path}#foreground_wait_events")
    section = page.locator("#foreground_wait_events")
    section.locator(".sort").nth(1).click()
    expect(section.locator("[aria-sort]")).to_have_count(1)
    page.reload()
    expect(section.locator("[aria-sort]")).to_have_count(1)
    page.locator('.rail a[data-s="time_model"]').click()
    expect(page.locator("#time_model tbody tr").first).to_be_visible()
    expect(page).not_to_have_url(re.compile("sort="))  # it is of the other table


@pytest.mark.parametrize("name", ["foreground_wait_events/0123456789", "no_such_table/0123456789"])
def test_a_link_to_a_row_that_is_not_there_says_so(page, comparison_path, name):
    page.goto(f"{comparison_path}#{name}")
    expect(page.locator(".lost")).to_contain_text("not in")
    expect(page.locator(".lost")).to_be_in_viewport()


def test_the_identity_of_both_sides_fits_a_narrow_window(watched, server, comparison_path):
    page = watched.context(base_url=server.url, viewport={"width": 390, "height": 800}).new_page()
    page.goto(comparison_path)
    # A host name as long as they come.
    page.locator(".strip > li:last-child > :last-child").evaluate("el => { el.textContent = 'PRODDB'.repeat(12); }")
    assert page.locator(".strip").evaluate("el => el.scrollWidth - el.clientWidth") <= 0
    card = page.locator(".strip").bounding_box()
    for cell in page.locator(".strip > li > *").all():
        box = cell.bounding_box()
        assert box is None or box["x"] + box["width"] <= card["x"] + card["width"] + 1


def test_the_second_of_three_reports_is_chosen(page, server):
    see_demos(page)
    page.get_by_role("link", name=re.compile("one per loop, one at the end")).click()
    switch_pairs(page)


def test_three_uploaded_reports(page):
    page.goto("/")
    page.set_input_files("#files", [str(path) for path in VARIANTS])
    page.wait_for_url(re.compile(r"/comparisons/"), timeout=60_000)
    switch_pairs(page)


def switch_pairs(page) -> None:
    """It opens on the latest of three against the one before it; each pair is a choice away, and the page stays there."""
    choice = page.locator("[data-pair-choice]")
    expect(choice).to_be_visible(timeout=30_000)
    expect(choice.locator("option")).to_have_count(3)
    assert page.locator(".tools-row").bounding_box()["height"] < 60  # one row
    expect(choice).to_have_value("2")
    assert "pair=2" in page.url
    expect(page.locator("#swap")).to_have_count(0)
    windows = page.locator(".strip .window")
    latest = windows.all_inner_texts()
    page.locator('.rail a[data-s="foreground_wait_events"]').click()
    section = page.locator("#foreground_wait_events")
    expect(section.locator("tbody tr").first).to_be_visible()
    figures = section.locator("tbody").inner_text()
    assert "pair=2" in page.url

    with page.expect_navigation(url=re.compile("pair=0")):  # the click above may still be on its way to the address
        choice.select_option("0")
    expect(choice).to_have_value("0")
    oldest = windows.all_inner_texts()
    assert oldest[1] == latest[0]  # Second of the first pair is First of the last
    expect(page.locator("#swap")).to_have_count(1)
    page.locator('.rail a[data-s="foreground_wait_events"]').click()
    expect(section.locator("tbody tr").first).to_be_visible()
    assert section.locator("tbody").inner_text() != figures

    with page.expect_navigation(url=re.compile("pair=1")):
        choice.select_option("1")
    expect(windows).to_have_text([oldest[0], latest[1]])


def test_a_comparison_is_taken_away(page, context, comparison_path):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(comparison_path)
    menu = page.locator(".menu:has(#copied)")
    for label, ending in (("Markdown", ".md"), ("JSON", ".json"), ("CSV", ".csv")):
        menu.locator("summary").click()
        with page.expect_download() as download:
            menu.get_by_role("link", name=label).click()
        assert download.value.suggested_filename.startswith("awrdiff-")
        assert download.value.suggested_filename.endswith(ending)
        text = download.value.path().read_text()
        if ending == ".json":
            assert json.loads(text)["schema"] == "awrdiff.comparison/1"
        page.keyboard.press("Escape")
        page.locator("main").click(position={"x": 5, "y": 5})
        expect(menu.locator(".menu-list")).to_be_hidden()
    menu.locator("summary").click()
    menu.get_by_role("button", name="Copy ticket text").click()
    expect(page.locator("#copied-link")).to_contain_text("copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("First: ")
    assert len(copied.splitlines()) <= 12
    assert copied.endswith(f"{page.url}\n")


def test_without_a_clipboard_the_ticket_stands_selected(page, comparison_path):
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(comparison_path)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#copied-link")).to_contain_text("press Ctrl+C")
    box = page.locator("#copied-link textarea")
    assert box.input_value().startswith("First: ")
    assert box.evaluate("box => box.selectionEnd - box.selectionStart === box.value.length && box.value.length > 0")


def test_a_row_of_a_report_has_a_link_that_finds_it(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    page.locator('.rail a[data-s="instance_activity"]').click()
    fold = page.locator("#instance_activity")
    if "folded" in fold.get_attribute("class"):
        fold.locator(".fold").click()
    row = fold.locator("tbody tr").nth(4)
    row.wait_for()
    row_id = row.get_attribute("id").removeprefix("r-")
    row.locator(".pl").click(force=True)
    assert page.url.endswith(f"#instance_activity/{row_id}")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(f"#r-{row_id}")).to_have_class(re.compile("aim"))
    expect(page.locator(f"#r-{row_id}")).to_be_in_viewport()
