"""A night and its morning: six people in six browsers, the outage before the recovery, processes killed under them."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import check
from tests.e2e.conftest import CASES
from tests.e2e.test_people import PASSWORD, sign_in
from tests.e2e.watch import Watched
from tests.harness.server import Server
from tests.robustness.takeover.make import ACCOUNTS, manage

pytestmark = pytest.mark.e2e
WAITS = "#foreground_wait_events"
EVENT = "log file sync"
HOUR = "21 May 2024 10:00 – 11:00"
QUESTION, ANSWER = "Why does it take so long, @nina?", "The log is on a **slow disk**."
WHY, WHY_NOT = "the array's own figures say so", "a batch job of that night ran twice"
WHAT, TO_DO = "Failover to the standby", "Redo logs on disks of their own"
LINK_PASSWORD = "horse battery"
VENDOR, ASKED, ANSWERED = "Gerd of support", "Is this disk **your own**?", "It is rented."
# Of an open dialog nothing sticks out.
INSIDE = "[...document.querySelectorAll('dialog[open]')].every((one) => one.scrollWidth <= one.clientWidth)"
SIDES = re.compile(r"\b(First|Second)\b")
SOON_MS = 10_000  # within three seconds, on a machine that does nothing else
COMES_MS = 20_000  # within ten: a page that was alone asks so seldom whether somebody came
# What a kill takes away is claimed again within seconds.
QUICK = {"AWRDIFF_TASK_TIME_LIMIT_S": "20", "AWRDIFF_TASK_DUE_AFTER_S": "2", "AWRDIFF_SWEEP_EVERY_S": "1"}
PEOPLE = {
    "olivia": ("Payments", "owner"),
    "nina": ("Payments", "member"),
    "ruth": ("Payments", "reader"),
    "gus": ("Payments", "guest"),
    "tom": ("Elsewhere", "owner"),
}

JOIN = f"""
from awrdiff.accounts.models import User
from awrdiff.accounts.services import join
for name, (team, role) in {PEOPLE}.items():
    join(User.objects.create_user(name, password={PASSWORD!r}), team, role)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server as bin/serve starts it, with two teams."""
    made = Server(tmp_path / "var", **ACCOUNTS, **QUICK)
    made.start(120)
    manage(made, "shell", "-c", JOIN)
    yield made
    made.stop()
    assert not made.faults()


@dataclass
class Night:
    """Who is there, each in a browser of their own, and where what they make is."""

    server: Server
    olivia: Page
    nina: Page
    ruth: Page
    gus: Page
    tom: Page
    outsider: Page
    comparison: str = ""
    incident: str = ""
    thread: str = ""
    outside: str = ""
    link: str = ""
    confirmed: str = ""

    def kill(self, words: str) -> None:
        """-9 for all of the server's processes of these words."""
        pids = self.server.children(words)
        assert pids
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_from_the_upload_to_the_next_incident(watched: Watched, server: Server) -> None:
    for broken in ("ERR_", "401", "404", "50[0-9]"):  # what a killed server, a locked and a revoked link answer
        watched.expect_errors(broken)
    colours = {"nina": "dark", "outsider": "light"}
    pages = {name: browser_of(watched, server, colours.get(name, "light")) for name in (*PEOPLE, "outsider")}
    night = Night(server, **pages)
    for name in PEOPLE:
        pages[name].goto("/login/")
        sign_in(pages[name], name)
        expect(pages[name].get_by_role("heading", name="Sign in")).to_have_count(0)

    compare(night)
    make_the_incident(night)
    ask_about_the_row(night)
    answer_while_the_web_servers_are_killed(night)
    resolve(night)
    show_it_to_the_guest(night)
    judge_two_findings(night)
    keep_a_pin_as_evidence(night)
    add_an_action_item(night)
    share_while_the_worker_is_killed(night)
    read_as_an_outsider(night)
    ask_as_an_outsider(night)
    answer_the_outsider(night)
    revoke(night)
    write_the_post_mortem(night)
    see_what_each_may_see(night)
    meet_it_again(night)
    everything_is_there_once(night)


def browser_of(watched: Watched, server: Server, colours: str) -> Page:
    return watched.context(base_url=server.url, color_scheme=colours, accept_downloads=True).new_page()


def fits(page: Page) -> None:
    """In a narrow window nothing sticks out once it is laid out. What axe finds, the tests of each page say."""
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390", timeout=5_000)
    assert page.evaluate(INSIDE)
    page.set_viewport_size(wide)


def files(outage: str, recovery: str) -> list[dict[str, Any]]:
    """The bad hour of the invented pair on the day `outage`, and its good one on the day `recovery`, which is later."""
    bad, good = (CASES / name for name in ("after.html", "before.html"))
    dated = (bad, b"21-May-24", outage), (good, b"14-May-24", recovery)
    return [
        {"name": f"{day}.html", "mimeType": "text/html", "buffer": path.read_bytes().replace(printed, day.encode())}
        for path, printed, day in dated
    ]


def compared(page: Page, outage: str, recovery: str) -> str:
    page.goto("/")
    page.set_input_files("#files", files(outage, recovery))
    page.wait_for_url(re.compile(r"/comparisons/"))
    page.locator(".verdict").wait_for(timeout=60_000)
    return page.url


def incident_of(page: Page) -> str:
    page.get_by_label("More: add reports, rename or delete").click()
    page.get_by_role("button", name="Make an incident of this").click()
    page.wait_for_url(re.compile(r"/incidents/"))
    return page.url


def compare(night: Night) -> None:
    night.comparison = compared(night.olivia, "21-May-24", "28-May-24")
    night.nina.goto(night.comparison)
    expect(night.olivia.locator("[data-looking]")).to_have_text("nina is looking", timeout=COMES_MS)


def make_the_incident(night: Night) -> None:
    page = night.olivia
    night.incident = incident_of(page)
    expect(page.locator(".inc-when b").first).to_have_text(HOUR)
    expect(page.locator(".events .second").first).to_contain_text(f"The incident's hour: {HOUR}")
    page.get_by_label("What happened").fill(WHAT)
    page.locator(".add-event button:not([type=button])").click()
    expect(page.locator("#timeline")).to_contain_text(WHAT)


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


def resolve(night: Night) -> None:
    night.olivia.get_by_role("button", name="Resolve").click()
    expect(night.nina.get_by_role("button", name="Reopen")).to_be_visible(timeout=SOON_MS)
    expect(row_of(night.olivia).locator(".talk-mark")).to_have_text("✓")


def show_it_to_the_guest(night: Night) -> None:
    """Who sees the comparison, and nothing of what the team says."""
    page = night.olivia
    page.keyboard.press("Escape")
    page.locator("[data-share]").click()
    page.get_by_role("button", name="Show it to gus").click()
    page.locator("[data-share]").click()
    expect(page.get_by_role("button", name="Hide it from gus")).to_be_visible()
    page.keyboard.press("Escape")
    night.gus.goto(night.comparison)
    row_of(night.gus)
    shown = night.gus.content() + night.gus.request.get(f"{night.comparison}threads/").text()
    assert not [word for word in ("Why does it take so long", "slow disk", WHAT) if word in shown]
    expect(night.gus.locator(".talk-mark", has_text="✓")).to_have_count(0)


def judge_two_findings(night: Night) -> None:
    """Both stand there as what got better: the outage was before."""
    page = night.nina
    page.keyboard.press("Escape")
    page.locator("#findings .more > summary").click()
    night.confirmed = judge(page, 0, "confirmed", WHY)
    judge(page, 1, "rejected", WHY_NOT)
    expect(page.locator("#findings .given").first).to_contain_text(f"Confirmed, because {WHY}")
    expect(page.locator("#findings .given").first).to_contain_text("nina")


def judge(page: Page, number: int, judgement: str, why: str) -> str:
    """The title of the finding."""
    finding = page.locator("#findings .find > li").nth(number)
    finding.locator("summary").first.click()
    finding.locator("[data-judge]").click()
    title = page.locator("#judge-title").inner_text()
    page.get_by_label(judgement).check()
    page.get_by_label("Because").fill(why)
    if judgement == "confirmed":
        check(page)
        fits(page)
    page.locator("#judge .primary").click()
    expect(page.locator("#findings")).to_contain_text(why)
    return title


def keep_a_pin_as_evidence(night: Night) -> None:
    page = night.nina
    row_of(page).locator("a.pl").focus()
    page.keyboard.press("p")
    expect(page.locator(".pins .toast")).to_contain_text("Kept as evidence")
    page.locator(".pins summary").click()
    expect(page.locator(".pins li")).to_have_count(1)


def add_an_action_item(night: Night) -> None:
    page = night.olivia
    page.goto(night.incident)
    expect(page.locator(".evidence-list li")).to_contain_text("Unchanged since.")
    expect(page.locator(".evidence-list li")).to_contain_text("For comparison → the incident's hour")
    page.locator("#action-text").fill(TO_DO)
    page.get_by_label("Owner").select_option(label="nina")
    page.locator("#action-due").fill("2024-01-31")
    page.locator("#actions form button", has_text="Add").click()
    expect(page.locator("#actions .overdue")).to_have_text("overdue")
    fits(page)
    for path, said in (("/notices/", "action item"), ("/incidents/actions/", "overdue")):
        night.nina.goto(path)
        expect(night.nina.locator("main")).to_contain_text(said)
    check(night.nina)


def share_while_the_worker_is_killed(night: Night) -> None:
    page = night.olivia
    page.goto(night.comparison)
    page.locator("[data-share]").click()
    page.get_by_label("Password (optional)").fill(LINK_PASSWORD)
    page.get_by_label("They may").select_option("yes")
    page.get_by_label("Names").select_option("yes")
    fits(page)
    page.locator("#share-form .primary").click()
    night.kill("worker")
    expect(page.locator("#share-url")).not_to_have_value("")
    night.link = page.locator("#share-url").input_value()


def read_as_an_outsider(night: Night) -> None:
    page = night.outsider
    page.goto(night.link)
    fits(page)
    page.get_by_label("Password").fill(LINK_PASSWORD)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("Names are pseudonyms")).to_be_visible(timeout=60_000)  # once the copy is made
    row_of(page)
    shown = page.content()
    assert not [word for word in ("INVENTED", "olivia", "nina", WHY, "slow disk", WHAT) if word in shown]


def ask_as_an_outsider(night: Night) -> None:
    page = night.outsider
    row_of(page).locator("a.pl").focus()
    page.keyboard.press("m")
    page.get_by_label("Your name").fill(VENDOR)
    page.locator("#talk textarea").fill(ASKED)
    page.keyboard.press("Control+Enter")
    expect(comments(page)).to_have_count(1)
    expect(comments(page).first).to_contain_text(VENDOR)


def answer_the_outsider(night: Night) -> None:
    page = night.olivia
    page.keyboard.press("Escape")  # leaves the dialog of the link
    row_of(page)
    page.locator(f"{WAITS} > :is(h2, h3) .talk-mark").click(timeout=SOON_MS)  # the row has another id below the link
    expect(comments(page)).to_contain_text([f"{VENDOR} from outside, name not proven"])
    night.outside = page.locator("#talk [data-thread]").get_attribute("data-own") or ""
    page.locator("#talk textarea").fill(ANSWERED)
    page.get_by_role("button", name="Send").click()
    expect(comments(page)).to_have_count(2)
    answer = comments(night.outsider).nth(1)  # without a reload
    expect(answer.locator(".body-text")).to_have_text(ANSWERED, timeout=SOON_MS)
    expect(answer.locator(".by b")).to_have_text("the team")
    told = night.outsider.request.get(f"{night.link}threads/", headers={"Accept": "application/json"}).text()
    assert not [name for name in ("olivia", "nina") if name in night.outsider.content() + told]


def revoke(night: Night) -> None:
    page = night.olivia
    page.goto("/links/")
    fits(page)
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("main")).to_contain_text("There are none.")
    for part in ("", "export.md", "sections/load_profile/", "threads/", "threads/live/"):
        assert night.outsider.request.get(f"{night.link}{part}").status == 404
    night.outsider.locator("#talk textarea").fill("Are you there?")
    night.outsider.get_by_role("button", name="Send").click()
    expect(night.outsider.locator("#talk [data-say-error]")).to_be_visible()
    night.outsider.reload()
    expect(night.outsider.get_by_text("Names are pseudonyms")).to_have_count(0)


def write_the_post_mortem(night: Night) -> None:
    """It names the right hour, and no cause that nobody confirmed."""
    page = night.nina
    page.goto(night.incident)
    page.get_by_label("Status").select_option("resolved")
    page.get_by_role("button", name="Set status").click()
    page.get_by_role("link", name="Post-mortem").click()
    page.get_by_role("button", name="Draft the post-mortem").click()
    parts = (("impact", HOUR), ("evidence", EVENT), ("actions", TO_DO), ("timeline", WHAT), ("timeline", "21 May 2024"))
    for section, text in parts:
        expect(page.locator(f"#{section}")).to_contain_text(text)
    expect(page.locator("#evidence")).to_contain_text("For comparison → the incident's hour")
    fits(page)
    page.locator("summary", has_text="Review").click()
    page.get_by_role("button", name="It is reviewed").click()
    expect(page.locator(".postmortem header")).to_contain_text("Reviewed on")
    page.locator("summary", has_text="Export").click()
    judged = {one["state"]: one["title"] for one in document(page, night.incident)["verdicts"]}
    others = titles_of_findings(night) - set(judged.values())
    assert others
    for name in ("Markdown", "HTML"):
        text = exported(page, name)
        assert HOUR in text
        assert not SIDES.findall(text)
        causes, ruled_out = causes_in(text).split("Ruled out:")
        assert judged["confirmed"] in causes
        assert WHY in causes
        assert judged["rejected"] in ruled_out
        assert WHY_NOT in ruled_out
        assert not [title for title in (*others, judged["rejected"]) if title in causes]
    assert judged["confirmed"] != night.confirmed, "what got better is no cause"


def titles_of_findings(night: Night) -> set[str]:
    """As they read from the incident's hour, and as they read on the page that was judged on."""
    turned = document(night.nina, night.incident)["comparisons"][0]["url"]
    assert turned not in night.comparison
    titles: set[str] = set()
    for page in (f"{night.server.url}{turned}", night.comparison):
        address, _, pair = page.partition("?")
        found = document(night.nina, f"{address}export.json?part=summary&{pair}")
        titles.update(one["title"] for one in found["findings"])
    return titles


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


def see_what_each_may_see(night: Night) -> None:
    """The reader reads all and changes nothing, guest and another team know of no incident, an outsider signs in."""
    night.ruth.goto(f"{night.incident}postmortem/")
    expect(night.ruth.locator("#causes")).to_contain_text(WHY)
    expect(night.ruth.get_by_role("link", name=re.compile("^Edit"))).to_have_count(0)
    night.ruth.goto(night.incident)
    expect(night.ruth.locator("#timeline")).to_contain_text(WHAT)
    for name in ("Set status", "Share", "Add"):
        expect(night.ruth.get_by_role("button", name=name, exact=True)).to_have_count(0)
    paths = (night.incident, f"{night.incident}postmortem/", f"{night.incident}postmortem.md", night.thread)
    for path in paths:
        assert night.gus.request.get(path).status == 404
    for path in (*paths, night.comparison):
        assert night.tom.request.get(path).status == 404
        assert WHY not in night.outsider.request.get(path).text()
    night.outsider.goto(night.incident)
    expect(night.outsider.get_by_role("heading", name="Sign in")).to_be_visible()


def meet_it_again(night: Night) -> None:
    """A second outage of the same database: its comparison and its incident show the first."""
    page = night.olivia
    compared(page, "04-Jun-24", "11-Jun-24")
    seen = page.locator(".seen-before")
    expect(seen.locator("summary")).to_contain_text(
        "1 incident of this database, 1 finding confirmed, 1 finding rejected"
    )
    expect(seen.get_by_text(WHY_NOT)).to_be_hidden()
    seen.locator("summary").focus()
    page.keyboard.press("Enter")
    for why in (WHY, WHY_NOT):
        expect(seen.get_by_text(why)).to_be_visible()
    incident_of(page)
    expect(page.locator(".inc-when b").first).to_have_text("4 Jun 2024 10:00 – 11:00")
    seen.locator("summary").click()
    check(page)
    fits(page)
    seen.locator("li a").first.click()
    expect(page).to_have_url(night.incident)
    expect(page.locator("#timeline")).to_contain_text(WHAT)


def comments_in(night: Night, thread: str) -> list[tuple[str, str]]:
    return [(one["author"], one["body"]) for one in document(night.nina, thread)["said"]]


def everything_is_there_once(night: Night) -> None:
    """What was said while processes were killed is neither lost nor doubled."""
    assert comments_in(night, night.thread) == [("olivia", QUESTION), ("nina", ANSWER)]
    assert comments_in(night, night.outside) == [(VENDOR, ASKED), ("olivia", ANSWERED)]
    assert len(document(night.nina, f"{night.comparison}threads/")["threads"]) == 2
    judged = document(night.nina, f"{night.comparison}verdicts/")["verdicts"]
    assert sorted(one["why"] for one in judged) == sorted([WHY, WHY_NOT])
    incident = document(night.nina, night.incident)
    assert [one["text"] for one in incident["actions"]] == [TO_DO]
    assert [one["title"] for one in document(night.nina, f"{night.incident}evidence/")["evidence"]] == [EVENT]
    assert [one["text"] for one in incident["timeline"] if one["text"] == WHAT] == [WHAT]
    night.nina.goto("/incidents/")
    line = night.nina.locator(".incident-line").filter(
        has=night.nina.locator(f"a[href='{urlsplit(night.incident).path}']")
    )
    expect(line).to_contain_text("post-mortem published")
    check(night.nina)
    fits(night.nina)
