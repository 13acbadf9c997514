"""The upload page takes every real report there is, and pairs of unlike ones compare with what is to be known said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from awrdiff.web.presenters.page.titles import KINDS
from tests.conftest import corpus_folder

pytestmark = [pytest.mark.e2e, pytest.mark.corpus]

ENDINGS = (".html", ".htm", ".txt", ".trc")
BATCHES = 3
# What a file's name says it is; all others are AWR reports of one instance.
NAMED = {
    "-compare-": "awr_compare",
    "-ash-": "ash",
    "-addm-": "addm",
    "-sql-": "awr_sql",
    "-statspack-": "statspack",
    "-global-": "awr_global",
    "-pdb-": "awr_pdb",
    "lgwr-trace-": "lgwr_trace",
}


def files() -> list[str]:
    folder = corpus_folder()
    return sorted(p.name for p in folder.iterdir() if p.suffix in ENDINGS) if folder else []


def kind_of(name: str) -> str:
    return next((kind for part, kind in NAMED.items() if part in name), "awr")


def of_kind(kind: str) -> list[str]:
    return [name for name in files() if kind_of(name) == kind] or ["no file"]


def chosen(page: Page, corpus: Path, *names: str) -> None:
    page.goto("/")
    page.set_input_files("#files", [str(corpus / name) for name in names])


def compared(page: Page) -> None:
    page.wait_for_url(re.compile(r"/comparisons/"), timeout=60_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=60_000)
    expect(page.locator(".strip > li")).to_have_count(2)


def worth_knowing(page: Page) -> str:
    warns = page.locator("section.card .warns").first
    expect(warns).to_be_visible()
    return " ".join(warns.inner_text().split())


def is_read(page: Page, name: str) -> Locator:
    row = page.locator("#file-list .file", has=page.get_by_text(name, exact=True))
    expect(row).to_have_class("file good", timeout=60_000)
    expect(row.locator(".status")).to_have_text("read")
    expect(row.locator(".what")).to_contain_text(re.compile(rf"^{re.escape(KINDS[kind_of(name)])} · "))
    return row


@pytest.mark.parametrize("batch", range(BATCHES))
def test_files_are_read_as_what_they_are(page, watched, corpus, batch):
    """Many at once; nothing is compared, so that the list stays to be looked at."""
    names = [n for n in files() if kind_of(n) != "awr_compare"][batch::BATCHES]
    watched.expect_errors("net::ERR_FAILED")
    page.route("**/comparisons/", lambda route: route.abort())
    chosen(page, corpus, *names)
    found = {name: is_read(page, name).locator("a").get_attribute("href") for name in names}
    drawn = {(kind_of(name), Path(name).suffix): name for name in names if kind_of(name) != "lgwr_trace"}
    for name in drawn.values():  # one of each; to draw all of them would show the same again
        page.goto(found[name])
        expect(page.locator("#main .card").first).to_contain_text(KINDS[kind_of(name)])
    for name in [one for one in names if kind_of(one) != "lgwr_trace"]:
        html = page.request.get(found[name], headers={"Accept": "text/html"}).text()
        assert html.count('class="card sec') > 3, name


@pytest.mark.parametrize("name", of_kind("awr_compare"))
def test_a_compare_report_is_a_comparison(page, corpus, name):
    chosen(page, corpus, name)
    compared(page)
    assert "periods of Oracle's compare report" in worth_knowing(page)


@pytest.mark.parametrize(
    ("kind", "said"), [("awr", "One report is read."), ("lgwr_trace", "An LGWR trace is attached to a comparison")]
)
def test_a_file_alone_waits_for_another(page, corpus, kind, said):
    name = of_kind(kind)[0]
    chosen(page, corpus, name)
    is_read(page, name)
    expect(page.locator("#outcome")).to_contain_text(said)
    if kind == "awr":
        page.locator("#outcome a").click()
        expect(page.locator("#main .card").first).to_contain_text(KINDS[kind])


SINGLE = "11.2.0.3-single-dbm11203-1822-1823"
PAIRS = {
    "text against HTML of the same snapshots": (
        [f"{SINGLE}.txt", f"{SINGLE}.html"],
        ["the same snapshots of the same instance"],
    ),
    "Statspack against AWR": (
        ["11.2.0.3-statspack-dbm11203-1830-1845.txt", f"{SINGLE}.html"],
        ["Reports of different kinds", "old hash value", "at other moments"],
    ),
    "11.1 against 23.7": (
        ["11.1.0.7-rac-demo-812-813.html", "23.7-single-sprint15.html"],
        ["Different releases (11.1.0.7.0 against 23.7", "Different databases", "differ in length"],
    ),
    "HTML against text of ASH": (
        ["11.2.0.3-ash-dbm11203-1845-1900.html", "11.2.0.3-ash-dbm11203-1845-1900.txt"],
        ["sampled active sessions"],
    ),
}


@pytest.mark.parametrize("pair", list(PAIRS))
def test_unlike_reports_compare_with_what_is_to_be_known(page, corpus, pair):
    names, said = PAIRS[pair]
    chosen(page, corpus, *names)
    compared(page)
    known = worth_knowing(page)
    assert not [one for one in said if one not in known], known


def test_a_report_of_one_instance_against_one_instance_of_a_global_report(page, corpus):
    chosen(page, corpus, "12.1.0.2-single-receipt-173494-173496.html", "12.1.0.2-global-rac.html")
    compared(page)
    assert "the whole cluster" in worth_knowing(page)
    cluster = page.url
    offered = page.locator(".parts [role=group] button")
    expect(page.locator(".parts [role=group]")).to_have_count(1)
    expect(offered.first).to_have_text("cluster")
    offered.nth(1).click()
    page.wait_for_url(lambda url: "/comparisons/" in url and url != cluster)
    compared(page)
    known = worth_knowing(page)
    assert "the whole cluster" not in known
    assert "of a global report" in known


def test_two_reports_and_a_trace(page, corpus):
    trace = "lgwr-trace-oravm1-17884.trc"
    chosen(page, corpus, "19.0-rac-xydb-0800-0900.html", "19.0-rac-xydb-1500-1600.html", trace)
    compared(page)
    expect(page.locator("#commit")).to_contain_text(trace)
    assert "not of the reports'" in worth_knowing(page)
    page.locator('#commit a[href$="#trace-events"]').click()
    expect(page.locator("#trace-events")).to_be_visible()
