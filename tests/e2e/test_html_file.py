"""The HTML export as whoever gets it by mail opens it: from a disk, without scripts, in their colours."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.export.html import as_html
from parsers import parse_report
from tests.e2e.watch import Watched

pytestmark = pytest.mark.e2e


@pytest.fixture
def file(tmp_path: Path, pair: tuple[Path, Path]) -> Path:
    made = tmp_path / "comparison.html"
    made.write_text(as_html(compare_all([parse_report(p.read_bytes(), name=p.name) for p in pair])), encoding="utf-8")
    return made


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(245, 246, 248)"), ("dark", "rgb(17, 21, 27)")])
def test_it_opens_without_network_or_script(watched: Watched, file: Path, scheme: str, background: str):
    context = watched.context(java_script_enabled=False, offline=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("body")).to_have_css("background-color", background)  # its policy lets its own styles through
    expect(page.get_by_role("heading", name="What stands out")).to_be_visible()


def test_rows_that_did_not_change_are_shown_when_asked_for(watched: Watched, file: Path):
    page = watched.context(java_script_enabled=False, offline=True).new_page()
    page.goto(file.as_uri())
    quiet = page.locator("details[open] tr.quiet").first
    expect(quiet).to_be_hidden()
    page.get_by_label("show rows that did not change").check()
    expect(quiet).to_be_visible()


def test_a_small_screen_scrolls_tables_and_not_the_page(watched: Watched, file: Path):
    page = watched.context(java_script_enabled=False, viewport={"width": 390, "height": 800}).new_page()
    page.goto(file.as_uri())
    width = page.locator("html").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert width[0] <= width[1]
