"""The main job: two files in, a comparison read, a link shared, opened logged out, and revoked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


# Keeps what the file list said, as the page moves on by itself.
NOTE_STATUS = """
document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("file-list");
  if (!list) return;
  const told = [];
  new MutationObserver(() => {
    told.push(list.textContent);
    sessionStorage.setItem("told", told.join("|"));
  }).observe(list, { childList: true, subtree: true, characterData: true });
});
"""


def test_from_two_files_to_a_revoked_link(page, pair, server, watched):
    page.add_init_script(NOTE_STATUS)
    page.goto("/")
    page.set_input_files("#files", [str(pair[1]), str(pair[0])])  # the later one first: begin time decides
    page.wait_for_url(re.compile(r"/comparisons/"))
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    address = page.url
    told = page.evaluate("sessionStorage.getItem('told')")
    assert "upload" in told
    assert "read" in told
    assert "snapshots" in told

    expect(page.locator(".strip > li")).to_have_count(2)
    windows = page.locator(".strip .window").all_inner_texts()
    assert windows == sorted(windows)

    waits = page.locator("#foreground_wait_events")
    waits.scroll_into_view_if_needed()
    expect(waits.locator("tbody tr").first).to_be_visible()
    waits.locator("tbody tr .pl").first.evaluate("link => link.click()")  # while sections below still come
    assert re.search(r"#foreground_wait_events/\w+", page.url)
    expect(waits.locator("tr.aim")).to_have_count(1)

    page.locator('.rail a[data-s="wait_event_histogram"]').click()
    page.locator("#wait_event_histogram [data-explore]").click()
    expect(page.locator("#wait_event_histogram .plot .main-svg").first).to_be_visible(timeout=30_000)

    folded = page.locator(".sec.folded").first
    folded.locator(".fold").click()
    name = page.evaluate("document.querySelector('.sec:not(.folded)').id")
    assert name

    page.locator("[data-share]").click()
    page.locator("#share-form .primary").click()
    shared = page.locator("#share-url")
    expect(shared).to_have_value(re.compile(r"/s/"))
    link = shared.input_value()

    guest = watched.context().new_page()
    answer = guest.goto(link)
    assert answer.status == 200
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "noindex" in answer.headers["x-robots-tag"]
    assert not watched.contexts[1].cookies()
    expect(guest.locator(".notice")).to_contain_text("valid until")
    expect(guest.locator("[data-share]")).to_have_count(0)
    guest.locator('.rail a[data-s="foreground_wait_events"]').click()
    expect(guest.locator("#foreground_wait_events tbody tr").first).to_be_visible()
    guest.locator('.rail a[data-s="wait_event_histogram"]').click()
    guest.locator("#wait_event_histogram [data-explore]").click()
    expect(guest.locator("#wait_event_histogram .plot .main-svg").first).to_be_visible(timeout=30_000)

    watched.expect_errors("404")
    page.locator("[data-revoke]").first.click()
    expect(page.locator("#share-links")).to_contain_text("revoked")
    guest.goto("about:blank")  # the address ends in a fragment: going there again would load nothing
    assert guest.goto(link).status == 404

    page.goto(address)
    assert page.locator("#foreground_wait_events").count() == 1


def test_a_row_link_opens_the_section_that_has_it(page, comparison_path):
    page.goto(f"{comparison_path}?all=1")
    page.locator('.rail a[data-s="foreground_wait_events"]').click()
    row = page.locator("#foreground_wait_events tbody tr").nth(3)
    row.wait_for()
    row_id = row.get_attribute("id").removeprefix("r-")
    page.goto("about:blank")
    page.goto(f"{comparison_path}#foreground_wait_events/{row_id}")
    expect(page.locator(f"#r-{row_id}")).to_have_class(re.compile("aim"))
    expect(page.locator(f"#r-{row_id}")).to_be_in_viewport()


def test_the_evidence_of_a_finding_leads_to_its_row(page, comparison_path):
    page.goto(comparison_path)
    page.locator("#findings .find summary").first.click()
    evidence = page.locator('#findings .ev a[href*="/"]').first
    row_id = evidence.get_attribute("href").split("/")[1]
    evidence.click()
    expect(page.locator(f"#r-{row_id}")).to_have_class(re.compile("aim"))
    expect(page.locator(f"#r-{row_id}")).to_be_in_viewport()


def test_the_columns_of_a_section_order_its_rows(page, comparison_path):
    page.goto(f"{comparison_path}#foreground_wait_events")
    section = page.locator("#foreground_wait_events")
    section.locator(".sort", has_text="Second").first.click()
    expect(section.locator("[aria-sort=descending]")).to_have_count(1)
    section.locator("[data-columns=all]").click()
    expect(section.locator("[data-columns=main]")).to_be_visible()


def test_swap_exchanges_first_and_second(page, comparison_path):
    page.goto(comparison_path)
    before = page.locator(".strip .window").all_inner_texts()
    page.keyboard.press("s")
    page.wait_for_url(lambda url: not url.endswith(comparison_path))
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    assert page.locator(".strip .window").all_inner_texts() == before[::-1]


def test_all_rows_of_a_table_that_hold_a_text_and_back(page, comparison_path):
    page.goto(f"{comparison_path}?material=10")
    page.keyboard.press("/")
    page.keyboard.insert_text("log file")
    page.locator("#find-list [role=option]", has_text=re.compile("^all .* rows$")).first.click()
    found = page.locator(".sec:has(.hid:has-text('matching “log file”'))")
    expect(found).to_be_in_viewport()
    rows = found.locator("tbody tr")
    assert rows.count() > 1
    assert all("log file" in text.lower() for text in rows.all_inner_texts())
    page.reload()
    expect(found.locator(".hid")).to_contain_text("matching “log file”")
    found.locator("[data-own='']").click()
    expect(page.locator(".hid", has_text="matching")).to_have_count(0)
    assert "q=" not in page.url


def test_a_link_that_says_what_to_look_for_opens_find(page, comparison_path):
    page.goto(f"{comparison_path}?q=log+file+sync")
    expect(page.locator("#find-text")).to_have_value("log file sync")
    expect(page.locator("#find-said")).to_contain_text("rows in")


def test_one_report_alone(page, comparison_path):
    page.goto(comparison_path)
    page.locator(".strip a", has_text="report").first.click()
    page.locator('.rail a[data-s="foreground_wait_events"]').click()
    expect(page.locator("#foreground_wait_events tbody tr").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.insert_text("log file sync")
    page.locator("#find-list [role=option]", has_text=re.compile(r"1 row$")).first.click()
    expect(page.locator(".sec .hid", has_text="matching “log file sync”")).to_be_in_viewport()
