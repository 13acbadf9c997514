"""An incident from the comparison to the overdue action item, in one browser, every page accessible."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from fixtures.diagnosed import CASES
from fixtures.diagnosed.case import printed
from tests.e2e.axe import check
from tests.harness.server import Server

pytestmark = pytest.mark.e2e
WHY = "a batch job of that night ran twice"


def compared(page: Page, files: list[dict[str, object]]) -> str:
    page.goto("/")
    page.set_input_files("#files", files)
    page.wait_for_url(re.compile(r"/comparisons/"))
    page.locator(".verdict").wait_for(timeout=60_000)
    return page.url


def given(pair, mark: str = "") -> list[dict[str, object]]:
    """The pair as files; with a mark they are others of the same database and hours."""
    return [
        {"name": f"{mark}{path.name}", "mimeType": "text/html", "buffer": path.read_bytes() + f"<!--{mark}-->".encode()}
        for path in pair
    ]


def open_dialog(page: Page) -> str:
    page.locator("#findings .find summary").first.click()
    page.locator("#findings [data-judge]").first.click()
    expect(page.get_by_label("confirmed")).to_be_focused()
    expect(page.locator("#judge")).to_be_visible()
    return page.locator("#judge-title").inner_text()


def test_from_a_comparison_to_what_is_overdue(page: Page, pair, server: Server):
    comparison = compared(page, given(pair))
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    incident = page.url
    expect(page.locator(".events .second").first).to_contain_text("The incident's hour:")
    expect(page.locator(".band rect")).to_have_count(3)
    check(page)
    page.get_by_label("Status").select_option("mitigated")
    page.get_by_role("button", name="Set status").click()
    expect(page.locator("#timeline")).to_contain_text("Status open → mitigated")
    page.get_by_label("What happened").fill("failover to node 2")
    page.locator(".add-event button:not([type=button])").click()
    expect(page.locator("#timeline")).to_contain_text("failover to node 2")
    page.locator("#action-text").fill("larger redo logs")
    page.locator("#action-due").fill("2024-01-31")
    page.locator("#actions form button", has_text="Add").click()
    expect(page.locator("#actions .overdue")).to_have_text("overdue")
    page.goto("/actions/")
    own = page.locator(".action").filter(has=page.locator(f"a[href='{urlsplit(incident).path}']"))
    expect(own.locator(".overdue")).to_have_count(1)
    check(page)
    page.goto("/incidents/")
    expect(
        page.locator(".incident-line").filter(has=page.locator(f"a[href='{urlsplit(incident).path}']"))
    ).to_contain_text("mitigated")
    check(page)
    rejected_and_remembered(page, comparison, pair)
    pinned_as_evidence(page, comparison, incident)


def rejected_and_remembered(page: Page, comparison: str, pair) -> None:
    page.goto(comparison)
    title = open_dialog(page)
    check(page)
    page.get_by_label("rejected").check()
    page.get_by_label("Because").fill(WHY)
    page.locator("#judge .primary").click()
    finding = page.locator("#findings li.rejected")
    expect(finding.locator("s")).to_contain_text(title)
    expect(finding).to_contain_text(f"because {WHY}")
    expect(page.locator(".in-incidents")).to_be_visible()
    check(page)
    compared(page, given(pair, "later"))
    before = page.locator("#findings .given.before")
    expect(before).to_contain_text(f"Rejected before, because {WHY}")
    seen_before(page)
    second_incident(page)


def seen_before(page: Page) -> None:
    seen = page.locator(".seen-before")
    expect(seen.locator("summary")).to_contain_text("1 incident of this database, 1 finding rejected")
    expect(seen.get_by_text(WHY)).to_be_hidden()
    seen.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(seen.get_by_text(WHY)).to_be_visible()


def second_incident(page: Page) -> None:
    """It shows the first, and leads there."""
    check(page)
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    seen = page.locator(".seen-before")
    expect(seen.locator("summary")).to_contain_text("1 incident of this database")
    seen.locator("summary").click()
    check(page)
    seen.locator("li a").first.click()
    expect(page.locator("#timeline")).to_contain_text("failover to node 2")


def pinned_as_evidence(page: Page, comparison: str, incident: str) -> None:
    page.goto(f"{comparison}#foreground_wait_events")
    page.locator("#foreground_wait_events a.pl").first.focus()
    page.keyboard.press("p")
    expect(page.locator(".pins .toast")).to_contain_text("Kept as evidence")
    expect(page.locator(".pins summary")).to_contain_text("Evidence 1")
    page.goto(incident)
    kept = page.locator(".evidence-list li")
    expect(kept).to_contain_text("Unchanged since.")
    expect(page.locator("#timeline")).to_contain_text("Kept as evidence")
    check(page)
    kept.locator("a").first.click()
    expect(page.locator("tr.aim")).to_be_visible()


def test_two_tabs_that_change_one_incident(watched, page: Page, comparison_path, context):
    watched.expect_errors("409")
    page.goto(comparison_path)
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    address, first, second = f"{page.url}edit/", page, context.new_page()
    for tab in (first, second):
        tab.goto(address)
    second.get_by_label("Summary").fill("The array was slow.")
    second.get_by_role("button", name="Save").click()
    expect(second.locator(".inc-head")).to_be_visible()
    first.get_by_label("Summary").fill("Redo logs are too small.")
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("alert")).to_contain_text("while you were writing")
    expect(first.get_by_label("Summary")).to_have_value("Redo logs are too small.")
    expect(first.locator(".theirs")).to_contain_text("The array was slow.")
    check(first)
    first.get_by_role("button", name="Save mine").click()
    expect(first.locator(".prose").first).to_have_text("Redo logs are too small.")


OUTAGE = next(case for case in CASES if case.name == "the host recovers its memory")
TROUBLE, RELIEF = "The host is out of memory.", "The host is no longer out of memory."


def test_an_outage_that_comes_before_its_recovery(page: Page, server: Server):
    """What is over when Second begins is confirmed on the page of the comparison: the incident tells the trouble."""
    client = server.client()
    outage, recovery = (printed(model, OUTAGE.layout) for model in (OUTAGE.first, OUTAGE.second))
    for hour in (10, 9):  # as the case prints them both are of one hour
        recovery = recovery.replace(f"05-Mar-24 {hour:02}:00:00".encode(), f"05-Mar-24 {hour + 1:02}:00:00".encode())
    files = {"outage.html": outage, "recovery.html": recovery}
    ids = [client.upload(name, content).json["id"] for name, content in files.items()]
    comparison = client.compare(*ids)
    assert client.settled(comparison)["state"] == "ready"
    page.goto(comparison)
    anchor = page.locator(f"[data-judge][data-title='{RELIEF}']").get_attribute("data-judge")
    client.post(f"{comparison}verdicts/", [("anchor", anchor), ("state", "confirmed"), ("why", "swap was full")])
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    incident = page.url
    expect(page.locator(".inc-when b").first).to_have_text("5 Mar 2024 09:00 – 10:00")
    expect(page.locator(".events .second").first).to_contain_text("The incident's hour: 5 Mar 2024 09:00 – 10:00")
    expect(page.locator(".log .first").first).to_contain_text("For comparison: 5 Mar 2024 10:00 – 11:00")
    client.settled(urlsplit(page.locator(".attached a").first.get_attribute("href") or "").path)
    page.reload()
    looked_at(page)
    page.get_by_role("link", name="Post-mortem").click()
    page.get_by_role("button", name="Draft the post-mortem").click()
    expect(page.locator("#causes")).to_contain_text(TROUBLE)
    looked_at(page)
    for address in (incident, page.url):
        page.goto(address)
        said = page.locator("main").inner_text()
        assert not re.search(r"\b(First|Second)\b", said), said
        assert RELIEF not in said
    page.goto(incident)
    page.locator("summary", has_text="Confirm or change").click()
    page.get_by_role("button", name="suggested").click()
    expect(page.locator(".attached")).not_to_contain_text("suggested")
    page.locator("summary", has_text="Change").first.click()
    page.locator(".hours button:enabled").click()
    expect(page.locator(".inc-when b").first).to_have_text("5 Mar 2024 10:00 – 11:00")


def looked_at(page: Page) -> None:
    """axe finds nothing, also in a narrow window, where nothing sticks out."""
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("scrollTo(0, 0)")
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
