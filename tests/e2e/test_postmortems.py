"""A post-mortem in a real browser: drafted, edited, compared, restored, reviewed, taken away; a colleague in between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Page, expect

from tests.e2e.axe import check
from tests.e2e.watch import Watched
from tests.harness.server import Client, Server

pytestmark = pytest.mark.e2e
WORDS = "The **failover** took a minute.\n\n- nobody lost a receipt\n- [the ticket](https://tickets.example/7)"


@pytest.fixture(scope="module")
def findings(server: Server, comparison_path: str) -> list[str]:
    """The anchors of what stands out, in their order."""
    return re.findall(r'data-finding="([^"]+)"', server.client().page(comparison_path).body.decode())


@pytest.fixture(scope="module")
def titles(server: Server, comparison_path: str) -> list[str]:
    """In the order of their anchors: the more severe first, those behind "notes" last."""
    return [
        unescape(one)
        for one in re.findall(r'data-title="([^"]+)"', server.client().page(comparison_path).body.decode())
    ]


@pytest.fixture
def incident(server: Server, comparison_path: str, findings: list[str], watched: Watched) -> Iterator[str]:
    """Its path: the first finding confirmed, the second rejected, the others undecided."""
    client = server.client()
    client.page("/")
    made = post(client, f"{comparison_path}incident/", {})
    path = f"/incidents/{made['id']}/"
    comparison = comparison_path.split("/")[2]
    judged = {"confirmed": "seen in the traces", "rejected": "the array was idle"}
    for anchor, (state, why) in zip(findings, judged.items(), strict=False):
        post(client, f"{comparison_path}verdicts/", {"anchor": anchor, "state": state, "why": why})
    rows = client.get(f"{comparison_path}sections/foreground_wait_events/").json["rows"]
    row = next(one for one in rows if "log file sync" in one["key"].values())
    anchor = f"foreground_wait_events/{row['id']}"
    post(client, f"{path}evidence/", {"comparison": comparison, "anchor": anchor, "pair": "0"})
    post(client, f"{path}events/", {"at": "2024-01-01T10:05", "text": "Failover to the standby", "kind": "note"})
    post(
        client,
        f"{path}actions/",
        {"text": "Bind the literals", "due": "2024-02-01", "link": "https://tickets.example/8"},
    )
    post(client, f"{path}status/", {"status": "resolved"})
    yield path
    watched.settle()  # open pages go on asking for the incident
    client.post(f"{path}delete/", [])
    for anchor in findings[:2]:
        post(client, f"{comparison_path}verdicts/", {"anchor": anchor, "state": "withdrawn"})


def post(client: Client, path: str, fields: dict[str, str]):
    answer = client.post(path, list(fields.items()))
    assert answer.status in (200, 201, 204, 302), answer.body
    return answer.json if answer.body.startswith(b"{") else {}


def causes_of(text: str) -> str:
    return text[text.index("Causes") : text.index("What went well")]


def edit(page: Page, section: str, text: str) -> None:
    page.get_by_role("link", name=f"Edit {section}").click()
    page.get_by_label("Text, as Markdown").fill(text)
    page.get_by_role("button", name="Save").click()


def test_from_the_draft_to_the_reviewed_file(page: Page, watched, server, incident, titles):
    confirmed, rejected, *undecided = titles
    page.goto(incident)
    page.get_by_role("link", name="Post-mortem").click()
    page.get_by_role("button", name="Draft the post-mortem").click()
    causes = page.locator("#causes")
    expect(causes).to_contain_text(f"{confirmed}")
    expect(causes).to_contain_text(re.compile(f"{re.escape(rejected)} Ruled out by .*because the array was idle"))
    for title in undecided:
        assert title not in causes.inner_text()
    expect(page.locator("#evidence")).to_contain_text("log file sync")
    expect(page.locator("#actions")).to_contain_text("Bind the literals")
    check(page)

    page.get_by_role("link", name="Edit What went well").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Text, as Markdown")).to_be_focused()
    page.keyboard.insert_text(WORDS)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".md strong")).to_have_text("failover")
    check(page)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#went-well li")).to_have_count(2)
    edit(page, "What went well", WORDS.replace("a minute", "an hour"))
    expect(page.locator("#went-well")).to_contain_text("an hour")

    page.get_by_role("link", name="Versions", exact=True).click()
    expect(page.locator(".diff del")).to_have_text("The **failover** took a minute.")
    expect(page.locator(".diff ins")).to_have_text("The **failover** took an hour.")
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Restore version 9").click()
    expect(page.locator("#went-well")).to_contain_text("a minute")

    page.locator("summary", has_text="Review").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator("details[open]")).to_have_count(0)
    expect(page.locator("summary", has_text="Review")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="It is reviewed").click()
    expect(page.locator(".postmortem header")).to_contain_text("Reviewed on")
    expect(page.get_by_role("link", name="Edit Causes")).to_have_count(0)
    check(page)
    files(page, incident, confirmed, rejected, undecided)
    looks(page)

    page.locator("summary", has_text="Open again").click()
    page.get_by_label("Why it is to be changed").fill("A figure was wrong")
    page.get_by_role("button", name="Open it again").click()
    expect(page.get_by_role("link", name="Edit Causes")).to_be_visible()


def files(page: Page, incident: str, confirmed: str, rejected: str, undecided: list[str]) -> None:
    """Both name the confirmed cause and the one ruled out, and no other among the causes."""
    page.locator("summary", has_text="Export").click()
    for name, heading in (("Markdown", "## Causes"), ("HTML", ">Causes<")):
        with page.expect_download() as waited:
            page.get_by_role("link", name=name).click()
        text = Path(waited.value.path()).read_text(encoding="utf-8")
        assert heading in text
        if name == "Markdown":
            text = MarkdownIt("gfm-like").render(text)
        plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
        causes = causes_of(plain)
        assert confirmed in causes.split("Ruled out:")[0]
        assert rejected in causes.split("Ruled out:")[1]
        assert not [title for title in undecided if title in causes]
        assert f"{incident}postmortem/" in text
    page.keyboard.press("Escape")


def looks(page: Page) -> None:
    """On paper and in a narrow window."""
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    check(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Versions", exact=True)).to_be_hidden()
    page.emulate_media(media="screen")


def test_who_saves_over_anothers_words_sees_both(page: Page, context, watched, incident):
    watched.expect_errors("409")
    page.goto(f"{incident}postmortem/")
    page.get_by_role("button", name="Draft the post-mortem").click()
    page.get_by_role("link", name="Edit Summary").click()
    expect(page.get_by_label("Text, as Markdown")).to_be_visible()  # opened before Carl writes
    other = context.new_page()
    other.goto(f"{incident}postmortem/")
    edit(other, "Summary", "Carl wrote this.")
    expect(other.locator("#summary")).to_contain_text("Carl wrote this.")
    page.get_by_label("Text, as Markdown").fill("Olivia wrote that.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing of yours was saved over it")
    expect(page.locator("pre.typed")).to_have_text("Carl wrote this.")
    expect(page.get_by_label("Text, as Markdown")).to_have_value("Olivia wrote that.")
    check(page)
    page.get_by_label("Text, as Markdown").fill("Carl wrote this.\nOlivia wrote that.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#summary")).to_contain_text("Olivia wrote that.")


def test_a_change_is_suggested_and_accepted(page: Page, watched, incident):
    watched.expect_errors("400")
    page.goto(f"{incident}postmortem/")
    page.get_by_role("button", name="Draft the post-mortem").click()
    edit(page, "Summary", "The disk was slow.")
    page.get_by_role("link", name="Edit Summary").click()
    editor = page.url
    page.get_by_role("button", name="Suggest").click()  # nothing: refused, and the page says why
    expect(page.get_by_role("alert")).to_contain_text("Nothing differs")
    page.get_by_label("Text, as Markdown").fill("The log's disk was slow.")
    page.get_by_role("button", name="Suggest").click()
    accept = page.get_by_role("button", name="Accept the change")
    expect(accept).to_be_visible()
    expect(page.locator("#summary")).to_contain_text("The disk was slow.")
    page.goto(editor)
    expect(page.get_by_label("Text, as Markdown")).to_have_value("The disk was slow.")  # no draft of it is left
    page.go_back()
    accept.click()
    expect(page.locator("#summary")).to_contain_text("The log's disk was slow.")
