"""One instance of a global report, and Oracle's compare report as a comparison, in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.unit.analysis.oracle_page import oracle_page
from tests.unit.parsers.kind_pages import global_report

pytestmark = pytest.mark.e2e


def upload(page: Page, *files: tuple[str, bytes]) -> str:
    page.goto("/")
    page.set_input_files("#files", [{"name": n, "mimeType": "text/html", "buffer": data} for n, data in files])
    page.wait_for_url(re.compile(r"/comparisons/"))
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    return page.url


def test_choosing_an_instance_leads_to_an_address_of_its_own(page: Page):
    later = global_report(elapsed=("30.00", "30.00"))
    whole = upload(page, ("cluster-a.html", global_report()), ("cluster-b.html", later))
    both = page.get_by_role("group", name="Both look at")
    expect(both.get_by_role("button")).to_have_text(["cluster", "instance 1", "instance 2"])
    page.get_by_text("each side by itself").click()
    second = page.get_by_role("group", name="Second looks at")
    expect(second.get_by_role("button")).to_have_text(["cluster", "instance 1", "instance 2"])
    expect(second.get_by_role("button", pressed=True)).to_have_text("cluster")

    second.get_by_role("button", name="instance 2").click()
    page.wait_for_url(lambda url: "/comparisons/" in url and url != whole)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    expect(both.get_by_role("button", pressed=True)).to_have_count(0)
    page.get_by_text("each side by itself").click()
    expect(second.get_by_role("button", pressed=True)).to_have_text("instance 2")
    expect(page.locator(".strip > li").nth(1)).to_contain_text("shop2")
    expect(page.locator(".strip > li").nth(0)).to_contain_text("cluster of 2")
    expect(page.locator(".warns").first).to_contain_text("instance 2 of a global report")

    page.goto(whole)  # what was sent to a colleague still shows the cluster
    expect(both.get_by_role("button", pressed=True)).to_have_text("cluster")
    both.get_by_role("button", name="instance 1").click()
    expect(both.get_by_role("button", pressed=True)).to_have_text("instance 1", timeout=30_000)
    page.goto("/")
    expect(page.locator('a[href^="/comparisons/"]', has_text="cluster-a")).to_have_count(0)


def test_a_compare_report_alone_becomes_a_comparison(page: Page):
    upload(page, ("compare.html", oracle_page()))
    expect(page.locator(".strip > li")).to_have_count(2)
    windows = page.locator(".strip .window").all_inner_texts()
    assert [w[:6] for w in windows] == ["5 Mar ", "6 Mar "]

    check = page.locator(".check")
    check.locator("summary").click()
    expect(check.locator("tbody tr")).to_have_count(2)
    check.get_by_role("link", name="Load Profile").click()
    expect(page.locator("#load_profile tr.aim")).to_have_count(1)
    expect(page.locator("#load_profile tr.aim")).to_contain_text("W/A MB processed")
