"""A night and its morning: owner, teammate and stranger in three browsers, the server's processes killed under them."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import check, clean
from tests.e2e.conftest import CASES
from tests.e2e.test_people import PASSWORD, sign_in
from tests.e2e.watch import Watched
from tests.harness.server import Server
from tests.robustness.takeover.make import ACCOUNTS, manage

pytestmark = pytest.mark.e2e
WAITS = "#foreground_wait_events"
EVENT = "log file sync"
QUESTION, ANSWER = "Why does it take so long, @nina?", "The log is on a **slow disk**."
WHY, WHAT, TO_DO = "the array's own figures say so", "Failover to the standby", "Redo logs on disks of their own"
LINK_PASSWORD = "horse battery"
GUEST, ASKED, ANSWERED = "Gerd of support", "Is this disk **your own**?", "It is rented."
# Of an open dialog nothing sticks out.
INSIDE = "[...document.querySelectorAll('dialog[open]')].every((one) => one.scrollWidth <= one.clientWidth)"
SOON_MS = 10_000  # within three seconds, on a machine that does nothing else
COMES_MS = 20_000  # within ten: a page that was alone asks so seldom whether somebody came
# What a kill takes away is claimed again within seconds.
QUICK = {"AWRDIFF_TASK_TIME_LIMIT_S": "20", "AWRDIFF_TASK_DUE_AFTER_S": "2", "AWRDIFF_SWEEP_EVERY_S": "1"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server as bin/serve starts it, where olivia and nina are a team."""
    made = Server(tmp_path / "var", **ACCOUNTS, **QUICK)
    made.start(120)
    for name in ("olivia", "nina"):
        manage(made, "add_user", name, "--team", "Payments", AWRDIFF_PASSWORD=PASSWORD)
    yield made
    made.stop()
    assert not made.faults()


@dataclass
class Night:
    """Who is there, each in a browser of their own, and where what they make is."""

    server: Server
    olivia: Page
    nina: Page
    stranger: Page
    comparison: str = ""
    incident: str = ""
    thread: str = ""
    outside: str = ""
    link: str = ""

    def kill(self, words: str) -> None:
        """-9 for all of the server's processes of these words."""
        pids = self.server.children(words)
        assert pids
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_from_the_upload_to_the_post_mortem(watched: Watched, server: Server) -> None:
    for broken in ("ERR_", "401", "404", "50[0-9]"):  # what a killed server, a locked and a revoked link answer
        watched.expect_errors(broken)
    night = Night(server, *(browser_of(watched, server, colours) for colours in ("light", "dark", "light")))
    for page, name in ((night.olivia, "olivia"), (night.nina, "nina")):
        page.goto("/login/")
        sign_in(page, name)
        expect(page.locator("#files")).to_be_attached()

    compare(night)
    make_the_incident(night)
    ask_about_the_row(night)
    answer_while_the_web_servers_are_killed(night)
    resolve(night)
    confirm_the_finding(night)
    keep_a_pin_as_evidence(night)
    add_an_action_item(night)
    share_while_the_worker_is_killed(night)
    read_as_a_stranger(night)
    ask_as_a_stranger(night)
    answer_the_stranger(night)
    revoke(night)
    write_the_post_mortem(night)
    everything_is_there_once(night)


def browser_of(watched: Watched, server: Server, colours: str) -> Page:
    return watched.context(base_url=server.url, color_scheme=colours, accept_downloads=True).new_page()


def looked_at(page: Page) -> None:
    """axe finds nothing in either colours, nor in a narrow window, where nothing sticks out."""
    check(page)
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("scrollTo(0, 0)")  # elsewhere a link may stand half beneath the bar that stays
    clean(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(INSIDE)
    page.set_viewport_size(wide)


def compare(night: Night) -> None:
    page = night.olivia
    page.set_input_files("#files", [CASES / "before.html", CASES / "after.html"])
    page.wait_for_url(re.compile(r"/comparisons/"))
    page.locator(".verdict").wait_for(timeout=60_000)
    night.comparison = page.url
    night.nina.goto(page.url)
    expect(page.locator("[data-looking]")).to_have_text("nina is looking", timeout=COMES_MS)


def make_the_incident(night: Night) -> None:
    page = night.olivia
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    night.incident = page.url
    page.get_by_label("What happened").fill(WHAT)
    page.locator(".add-event button:not([type=button])").click()
    expect(page.locator("#timeline")).to_contain_text(WHAT)
    looked_at(page)


def row_of(page: Page) -> Locator:
    """The row of log file sync, its section opened if it is not."""
    if not page.locator(WAITS).locator("tbody").count():
        page.locator(f'.rail a[href="{WAITS}"]').click()
    row = page.locator(f"{WAITS} tbody tr", has_text=EVENT).first
    expect(row).to_be_visible()
    return row


def comments(page: Page) -> Locator:
    return page.locator("#talk .comments > li")


def ask_about_the_row(night: Night) -> None:
    page = night.olivia
    page.goto(night.comparison)
    row_of(page).locator("a.pl").focus()
    page.keyboard.press("m")
    page.locator("#talk textarea").fill(QUESTION)
    page.keyboard.press("Control+Enter")
    expect(comments(page)).to_have_count(1)
    night.thread = page.locator("#talk [data-thread]").get_attribute("data-own") or ""
    expect(night.nina.locator("[data-your-turn]")).to_have_text("Your turn: 1", timeout=SOON_MS)
    row_of(night.nina).locator(".talk-mark").click()
    expect(comments(night.nina)).to_contain_text("Why does it take so long")


def answer_while_the_web_servers_are_killed(night: Night) -> None:
    page = night.nina
    page.locator("#talk textarea").fill(ANSWER)
    night.kill("web server")
    page.get_by_role("button", name="Send").click()
    expect(comments(page)).to_have_count(2, timeout=30_000)
    expect(comments(night.olivia)).to_have_count(2, timeout=30_000)  # without a reload
    expect(comments(night.olivia).nth(1)).to_contain_text("slow disk")
    check(night.olivia, "#talk")


def resolve(night: Night) -> None:
    night.olivia.get_by_role("button", name="Resolve").click()
    expect(night.nina.get_by_role("button", name="Reopen")).to_be_visible(timeout=SOON_MS)
    expect(row_of(night.olivia).locator(".talk-mark")).to_have_text("✓")


def confirm_the_finding(night: Night) -> None:
    page = night.nina
    page.locator("#findings .find summary").first.click()
    page.locator("#findings [data-judge]").first.click()
    page.get_by_label("confirmed").check()
    page.get_by_label("Because").fill(WHY)
    looked_at(page)
    page.locator("#judge .primary").click()
    expect(page.locator("#findings .given").first).to_contain_text(f"Confirmed, because {WHY}")
    expect(page.locator("#findings .given").first).to_contain_text("nina")


def keep_a_pin_as_evidence(night: Night) -> None:
    page = night.nina
    row_of(page).locator("a.pl").focus()
    page.keyboard.press("p")
    expect(page.locator(".pins .toast")).to_contain_text("Kept as evidence")
    page.locator(".pins summary").click()
    expect(page.locator(".pins li")).to_have_count(1)
    check(page, ".pins")


def add_an_action_item(night: Night) -> None:
    page = night.olivia
    page.goto(night.incident)
    expect(page.locator(".evidence-list li")).to_contain_text("Unchanged since.")
    page.locator("#action-text").fill(TO_DO)
    page.get_by_label("Owner").select_option(label="nina")
    page.locator("#action-due").fill("2024-01-31")
    page.locator("#actions form button", has_text="Add").click()
    expect(page.locator("#actions .overdue")).to_have_text("overdue")
    looked_at(page)
    night.nina.goto("/notices/")
    expect(night.nina.locator("main")).to_contain_text("action item")
    looked_at(night.nina)


def share_while_the_worker_is_killed(night: Night) -> None:
    page = night.olivia
    page.goto(night.comparison)
    page.locator("[data-share]").click()
    page.get_by_label("Password (optional)").fill(LINK_PASSWORD)
    page.get_by_label("They may").select_option("yes")
    page.get_by_label("Names").select_option("yes")
    looked_at(page)
    page.locator("#share-form .primary").click()
    night.kill("worker")
    expect(page.locator("#share-url")).not_to_have_value("")
    night.link = page.locator("#share-url").input_value()


def read_as_a_stranger(night: Night) -> None:
    page = night.stranger
    page.goto(night.link)
    looked_at(page)
    page.get_by_label("Password").fill(LINK_PASSWORD)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("Names are pseudonyms")).to_be_visible(timeout=60_000)  # once the copy is made
    row_of(page)
    looked_at(page)
    shown = page.content()
    assert not [word for word in ("INVENTED", "olivia", "nina", WHY, "slow disk", WHAT) if word in shown]


def ask_as_a_stranger(night: Night) -> None:
    page = night.stranger
    row_of(page).locator("a.pl").focus()
    page.keyboard.press("m")
    page.get_by_label("Your name").fill(GUEST)
    page.locator("#talk textarea").fill(ASKED)
    looked_at(page)
    page.keyboard.press("Control+Enter")
    expect(comments(page)).to_have_count(1)
    expect(comments(page).first).to_contain_text(GUEST)


def answer_the_stranger(night: Night) -> None:
    page = night.olivia
    page.keyboard.press("Escape")  # leaves the dialog of the link
    row_of(page)
    page.locator(f"{WAITS} > :is(h2, h3) .talk-mark").click(timeout=SOON_MS)  # the row has another id below the link
    expect(comments(page)).to_contain_text([f"{GUEST} from outside, name not proven"])
    night.outside = page.locator("#talk [data-thread]").get_attribute("data-own") or ""
    page.locator("#talk textarea").fill(ANSWERED)
    page.get_by_role("button", name="Send").click()
    expect(comments(page)).to_have_count(2)
    check(page, "#talk")
    answer = comments(night.stranger).nth(1)  # without a reload
    expect(answer.locator(".body-text")).to_have_text(ANSWERED, timeout=SOON_MS)
    expect(answer.locator(".by b")).to_have_text("the team")
    check(night.stranger, "#talk")
    told = night.stranger.request.get(f"{night.link}threads/", headers={"Accept": "application/json"}).text()
    assert not [name for name in ("olivia", "nina") if name in night.stranger.content() + told]


def revoke(night: Night) -> None:
    page = night.olivia
    page.goto("/links/")
    looked_at(page)
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("main")).to_contain_text("There are none.")
    for part in ("", "export.md", "sections/load_profile/", "threads/", "threads/live/"):
        assert night.stranger.request.get(f"{night.link}{part}").status == 404
    night.stranger.locator("#talk textarea").fill("Are you there?")
    night.stranger.get_by_role("button", name="Send").click()
    expect(night.stranger.locator("#talk [data-say-error]")).to_be_visible()
    night.stranger.reload()
    expect(night.stranger.get_by_text("Names are pseudonyms")).to_have_count(0)
    looked_at(night.stranger)


def write_the_post_mortem(night: Night) -> None:
    page = night.nina
    page.goto(night.incident)
    page.get_by_label("Status").select_option("resolved")
    page.get_by_role("button", name="Set status").click()
    page.get_by_role("link", name="Post-mortem").click()
    page.get_by_role("button", name="Draft the post-mortem").click()
    for section, text in (("evidence", EVENT), ("actions", TO_DO), ("timeline", WHAT)):
        expect(page.locator(f"#{section}")).to_contain_text(text)
    looked_at(page)
    page.locator("summary", has_text="Review").click()
    page.get_by_role("button", name="It is reviewed").click()
    expect(page.locator(".postmortem header")).to_contain_text("Reviewed on")
    confirmed, *others = titles_of_findings(night)
    page.locator("summary", has_text="Export").click()
    for name in ("Markdown", "HTML"):
        causes = causes_in(exported(page, name))
        assert confirmed in causes
        assert not [title for title in others if title in causes]


def titles_of_findings(night: Night) -> list[str]:
    found = document(night.nina, f"{night.comparison}export.json?part=summary")["findings"]
    return [one["title"] for one in found]


def exported(page: Page, name: str) -> str:
    """The text of the file, as words alone."""
    with page.expect_download() as waited:
        page.get_by_role("link", name=name).click()
    text = Path(waited.value.path()).read_text(encoding="utf-8")
    html = MarkdownIt("gfm-like").render(text) if name == "Markdown" else text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def causes_in(text: str) -> str:
    return text[text.index("Causes") : text.index("What went well")]


def document(page: Page, address: str) -> Any:
    return page.request.get(address, headers={"Accept": "application/json"}).json()


def said_in(night: Night, thread: str) -> list[tuple[str, str]]:
    return [(one["author"], one["body"]) for one in document(night.nina, thread)["said"]]


def everything_is_there_once(night: Night) -> None:
    """What was said while processes were killed is neither lost nor doubled."""
    assert said_in(night, night.thread) == [("olivia", QUESTION), ("nina", ANSWER)]
    assert said_in(night, night.outside) == [(GUEST, ASKED), ("olivia", ANSWERED)]
    assert len(document(night.nina, f"{night.comparison}threads/")["threads"]) == 2
    assert [one["why"] for one in document(night.nina, f"{night.comparison}verdicts/")["verdicts"]] == [WHY]
    incident = document(night.nina, night.incident)
    assert [one["text"] for one in incident["actions"]] == [TO_DO]
    assert [one["title"] for one in document(night.nina, f"{night.incident}evidence/")["evidence"]] == [EVENT]
    assert [one["text"] for one in incident["timeline"] if one["text"] == WHAT] == [WHAT]
    night.olivia.goto("/")
    looked_at(night.olivia)
