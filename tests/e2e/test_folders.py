"""A folder in the browser: counted, sent a few at a time, and after a reload only what the server has not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.axe import check

pytestmark = pytest.mark.e2e


@pytest.fixture
def folder(tmp_path: Path, pair: tuple[Path, Path]) -> Path:
    """Eight reports of two databases in two folders, a picture, and a hidden file that is nobody's report."""
    for number in range(8):
        text = pair[number % 2].read_text(encoding="utf-8").replace(">INVENTED<", f">NIGHT{number // 4}<")
        inside = tmp_path / "night" / f"node{number // 4}"
        inside.mkdir(parents=True, exist_ok=True)
        (inside / f"{number}.html").write_text(f"{text}<!-- {tmp_path.name} {number} -->", encoding="utf-8")
    (tmp_path / "night" / "graph.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 99)
    (tmp_path / "night" / ".DS_Store").write_bytes(b"x")
    return tmp_path / "night"


def choose(page: Page, folder: Path) -> None:
    page.evaluate("document.getElementById('upload').dataset.listed = '3'")  # as many as that take their time
    page.set_input_files("#folder", str(folder))


def test_a_folder_is_counted_survives_a_reload_and_ends_in_a_next_step(page: Page, folder: Path, watched):
    watched.expect_errors("status of 4|net::ERR")
    sent: list[Request] = []
    is_sent = lambda request: request.method == "POST" and request.url.endswith("/reports/")  # noqa: E731
    page.on("request", lambda request: sent.append(request) if is_sent(request) else None)
    let_through, held, freed = [], [], []

    def hold(route):
        through = bool(freed) or route.request.method != "POST" or len(let_through) < 4
        (let_through if through else held).append(route)
        if through:
            route.continue_()

    page.route("**/reports/", hold)
    page.goto("/")
    choose(page, folder)
    expect(page.locator("#many span")).to_contain_text("of 9 files sent")
    for _ in range(100):
        if len(held) == 2:
            break
        page.wait_for_timeout(100)
    assert len(held) == 2, "two at a time"
    freed.append(True)  # what is held goes with the page
    page.reload()
    expect(page.locator("#outcome")).to_contain_text("of 9 files were sent before this page was left")

    sent.clear()
    choose(page, folder)
    expect(page.locator("#outcome")).to_contain_text("8 reports are read", timeout=60_000)
    told = page.locator("#many span").inner_text()
    there = re.fullmatch(r"9 files sent · ([34]) already here · 8 read · 1 refused", told)
    assert there, told  # the picture may be among the four that were let through
    assert len(sent) == 9 - int(there[1])
    bad = page.locator("#file-list .file")
    expect(bad).to_have_count(1)
    expect(bad).to_contain_text("night/graph.png")
    check(page)
    page.get_by_role("button", name="Sort them by database and instance").click()
    expect(page.locator("#series strong")).to_have_count(2, timeout=30_000)
    page.reload()
    expect(page.locator("#outcome")).to_be_empty()


def test_a_small_folder_is_compared_as_its_files_are(page: Page, tmp_path: Path, pair: tuple[Path, Path]):
    for path in pair:
        (tmp_path / path.name).write_bytes(path.read_bytes() + b"<!-- small folder -->")
    page.goto("/")
    page.set_input_files("#folder", str(tmp_path))
    page.wait_for_url("**/comparisons/**", timeout=30_000)


def test_equal_files_are_one_report_and_after_an_error_a_new_run_counts_for_itself(page: Page, folder: Path, watched):
    watched.expect_errors("status of ")
    (folder / "graph.png").unlink()
    (folder / "copy.html").write_bytes((folder / "node0" / "0.html").read_bytes())
    full = lambda route: route.fulfill(status=507, json={"error": "The disk is full."})  # noqa: E731
    page.goto("/")
    page.route("**/reports/", full)
    choose(page, folder)
    expect(page.locator("#outcome")).to_contain_text("The disk is full. Choose the folder again")
    page.unroute("**/reports/", full)
    choose(page, folder)
    expect(page.locator("#outcome")).to_contain_text("8 reports are read", timeout=60_000)
    expect(page.locator("#many span")).to_contain_text("9 files sent")
    assert page.locator("#many progress").evaluate("bar => bar.value === bar.max")
