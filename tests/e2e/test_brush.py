"""A window drawn on a time line stays the one it was begun as."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.watch import Watched

pytestmark = pytest.mark.e2e
BRUSH = Path(__file__).parents[2] / "static" / "js" / "brush.js"
ROWS = "".join(
    f'<tr data-slot-begin="2024-01-01T0{n}:00" data-slot-end="2024-01-01T0{n + 1}:00"><th>{n}</th></tr>'
    for n in range(8)
)
PAGE = f"""
<figure data-brush data-begin="2024-01-01T00:00:00" data-end="2024-01-01T08:00:00">
  <div class="plot"><svg class="drawing" width="800" height="100"></svg></div>
</figure>
<form id="compare-form">
  <input type="radio" name="against" value="normal"><input type="radio" name="against" value="other" checked>
  <input name="from"><input name="to"><input name="other_from"><input name="other_to">
</form>
<p id="window-said"></p><table>{ROWS}</table>"""


@pytest.fixture
def drawn(watched: Watched) -> Page:
    page = watched.context().new_page()
    page.set_content(PAGE)
    page.add_script_tag(content=BRUSH.read_text())
    return page


def windows(page: Page) -> list[str]:
    fields = ("from", "to", "other_from", "other_to")
    return [page.locator(f"[name={name}]").input_value().removeprefix("2024-01-01T") for name in fields]


def drag(page: Page, begin: int, end: int) -> None:
    box = page.locator("svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + begin, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + end, box["y"] + 50, steps=5)
    page.mouse.up()


def test_with_another_window_chosen_the_first_drag_is_the_window_and_the_next_the_other(drawn: Page):
    drag(drawn, 110, 290)
    assert windows(drawn) == ["01:00", "03:00", "", ""]
    drag(drawn, 510, 690)
    assert windows(drawn) == ["01:00", "03:00", "05:00", "07:00"]


def test_the_two_reports_of_a_window_are_picked_for_the_same_one(drawn: Page):
    for number, found in ((1, ["01:00", "02:00", "", ""]), (2, ["01:00", "03:00", "", ""])):
        drawn.locator("[data-pick]").nth(number).click()
        assert windows(drawn) == found
