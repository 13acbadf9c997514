"""Two people in two browsers talk about a row: mentioned, answered and resolved without a reload; drafts; an outage."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, StorageState, expect

from tests.e2e.axe import check, clean
from tests.e2e.conftest import CASES
from tests.e2e.test_people import PASSWORD, sign_in
from tests.e2e.watch import Watched
from tests.harness.pictures import picture
from tests.harness.server import Client, Server
from tests.robustness.takeover.make import ACCOUNTS, manage

pytestmark = pytest.mark.e2e
WAITS = "#foreground_wait_events"
SOON_MS = 10_000  # within three seconds, on a machine that does nothing else
COMES_MS = 20_000  # within ten: a page that was alone asks so seldom whether somebody came


@dataclass(frozen=True)
class Place:
    server: Server
    comparison: str
    sessions: dict[str, StorageState] = field(default_factory=dict)  # of who has signed in


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server where olivia and nina have a comparison."""
    made = Server(tmp_path_factory.mktemp("threads"), **ACCOUNTS)
    made.start(120)
    for name in ("olivia", "nina"):
        manage(made, "add_user", name, "--team", "Payments", AWRDIFF_PASSWORD=PASSWORD)
    client = Client(made.url)
    client.page("/login/")
    assert client.post("/login/", [("login", "olivia"), ("password", PASSWORD)]).status == 200
    client.page("/")
    ids = [client.upload(name, (CASES / name).read_bytes()).json["id"] for name in ("before.html", "after.html")]
    comparison = client.compare(*ids)
    assert client.settled(comparison)["state"] == "ready"
    yield Place(made, comparison)
    made.stop()
    assert not made.faults()


def opened(watched: Watched, place: Place, name: str, **options: object) -> Page:
    """The comparison, in a browser of its own; whoever has signed in once has the same session there."""
    session = place.sessions.get(name)
    page = watched.context(base_url=place.server.url, storage_state=session, **options).new_page()
    if session is None:
        page.goto("/login/")
        sign_in(page, name)
        expect(page.locator("#files")).to_be_attached()
        place.sessions[name] = page.context.storage_state()
    page.goto(place.comparison)
    return page


def row_of(page: Page, event: str) -> Locator:
    section = page.locator(WAITS)
    if not section.locator("tbody").count():
        page.locator(f'.rail a[href="{WAITS}"]').click()
    row = page.locator(f"{WAITS} tbody tr", has_text=event).first
    expect(row).to_be_visible()
    return row


def comments(page: Page) -> Locator:
    return page.locator("#talk .comments > li")


def test_a_question_about_log_file_sync_is_asked_answered_and_resolved(watched: Watched, place: Place) -> None:
    olivia = opened(watched, place, "olivia", color_scheme="light")
    nina = opened(watched, place, "nina", color_scheme="dark")
    expect(olivia.locator("[data-looking]")).to_have_text("nina is looking", timeout=COMES_MS)

    row_of(olivia, "log file sync").locator("a.pl").focus()
    olivia.keyboard.press("m")  # by key alone, from here to the end of the question
    expect(olivia.locator("#talk textarea")).to_be_focused()
    olivia.keyboard.type("Why does **log file sync** take so long, @ni")
    olivia.keyboard.press("Tab")
    expect(olivia.get_by_role("button", name="@nina")).to_be_focused()
    check(olivia)
    olivia.keyboard.press("Enter")
    olivia.keyboard.type("?")
    olivia.keyboard.press("Control+Enter")
    expect(comments(olivia)).to_have_count(1)
    expect(olivia.locator("#talk .at")).to_have_text("@nina")
    assert re.search(r"#foreground_wait_events/\w+&thread=\d+$", olivia.url)

    expect(nina.locator("[data-your-turn]")).to_have_text("Your turn: 1", timeout=SOON_MS)
    mark = row_of(nina, "log file sync").locator(".talk-mark")
    expect(mark).to_have_text("1")
    expect(nina.locator(".rail a", has_text="Foreground events").locator(".talk-mark")).to_have_text("1")
    mark.click()
    nina.locator("#talk textarea").fill("Because the log is on a **slow disk**.")
    check(nina)
    nina.get_by_role("button", name="Send").click()
    expect(comments(olivia)).to_have_count(2, timeout=SOON_MS)
    expect(comments(olivia).nth(1)).to_contain_text("slow disk")
    expect(olivia.locator("[data-your-turn]")).to_have_text("Your turn: 1")
    expect(nina.locator("[data-your-turn]")).to_be_hidden()

    olivia.get_by_role("button", name="Agree").click()
    expect(comments(nina).nth(1)).to_contain_text("olivia agrees", timeout=SOON_MS)
    olivia.get_by_role("button", name="Resolve").focus()
    olivia.keyboard.press("Enter")
    expect(nina.get_by_role("button", name="Reopen")).to_be_visible(timeout=SOON_MS)
    expect(row_of(olivia, "log file sync").locator(".talk-mark")).to_have_text("✓")
    expect(olivia.get_by_role("button", name="Reopen")).to_be_focused()  # it is still the same place
    check(olivia)
    olivia.keyboard.press("Escape")
    expect(row_of(olivia, "log file sync").locator("a:focus")).to_have_count(1)  # in the row where `m` was pressed
    nina.locator("#talk-h").focus()
    nina.keyboard.press("Escape")
    expect(row_of(nina, "log file sync").locator(".talk-mark")).to_be_focused()  # another than was clicked: drawn anew
    nina.keyboard.press("Enter")
    expect(comments(nina)).to_have_count(2)

    nina.reload()  # the address holds the thread
    expect(comments(nina)).to_have_count(2)
    nina.set_viewport_size({"width": 390, "height": 844})
    clean(nina, "#talk")
    assert nina.evaluate("document.documentElement.scrollWidth") <= 390
    nina.locator("#talk-h").focus()
    nina.keyboard.press("Escape")
    expect(nina.locator("#talk")).to_be_hidden()
    assert "thread=" not in nina.url


def test_what_is_told_above_the_tables_is_discussed_there(watched: Watched, place: Place) -> None:
    """Nothing jumps: the panel stands beside the figures, and below them where there is no room."""
    page = opened(watched, place, "olivia", color_scheme="dark")
    page.set_viewport_size({"width": 1280, "height": 900})
    row = page.locator("#unaccounted")
    row.hover()
    row.get_by_role("button", name="Write about this").click()
    expect(page.locator("#talk-h")).to_contain_text("DB time unaccounted for")
    page.locator("#talk textarea").fill("Whose time is it? <b>Ours</b>")
    page.keyboard.press("Control+Enter")
    expect(comments(page)).to_contain_text("<b>Ours</b>")  # as it was typed: no markup
    assert re.search(r"#unaccounted&thread=\d+$", page.url)
    expect(row).to_have_class(re.compile("talked"))
    expect(page.locator(".bars .keys [data-anchor=unaccounted] .talk-mark")).to_have_count(1)
    line, panel = boxes(page)
    assert line["x"] + line["width"] <= panel["x"]
    check(page)
    page.locator("#talk-h").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#talk")).to_be_hidden()
    top = row.bounding_box()
    row.locator(".talk-mark").click()
    expect(comments(page)).to_have_count(1)
    now, _ = boxes(page)
    assert top
    assert abs(top["y"] - now["y"]) <= 1
    page.locator("#talk-h").focus()
    page.keyboard.press("Escape")
    expect(row.locator(".talk-mark")).to_be_focused()  # not the one of the bars' key

    page.set_viewport_size({"width": 390, "height": 844})
    row.locator(".talk-mark").click()
    expect(comments(page)).to_have_count(1)
    line, panel = boxes(page)
    assert line["y"] >= 0
    assert line["y"] + line["height"] <= panel["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    check(page)
    page.reload()  # the address holds the place
    expect(comments(page)).to_have_count(1)
    expect(row).to_be_in_viewport()
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()


def boxes(page: Page) -> tuple[FloatRect, FloatRect]:
    """Where the line of what is unaccounted for stands, and the panel."""
    line, panel = page.locator("#unaccounted").bounding_box(), page.locator("#talk").bounding_box()
    assert line
    assert panel
    return line, panel


def test_the_turn_is_counted_on_the_first_page_and_leads_to_the_row(watched: Watched, place: Place) -> None:
    olivia = opened(watched, place, "olivia")
    olivia.keyboard.press("m")
    expect(olivia.locator("#talk-h")).to_contain_text("The whole comparison")
    olivia.locator("#talk textarea").fill("Ready to write it up, @nina?")
    olivia.get_by_role("button", name="Begin the thread").click()
    expect(comments(olivia)).to_have_count(1)
    row_of(olivia, "direct path read").locator("th").hover()
    olivia.get_by_role("button", name="Write about this").click()
    olivia.locator("#talk textarea").fill("And this one, @nina?")
    olivia.get_by_role("button", name="Begin the thread").click()
    expect(comments(olivia)).to_have_count(1)
    here = olivia.url
    olivia.locator("#talk-h").focus()
    olivia.keyboard.press("]")
    expect(olivia.locator("#talk-h")).to_contain_text("The whole comparison")
    assert olivia.url != here

    nina = opened(watched, place, "nina", color_scheme="dark")
    nina.goto("/")
    check(nina)
    nina.get_by_role("link", name=re.compile("Your turn: ")).click()
    check(nina)
    nina.get_by_role("link", name="direct path read", exact=True).click()
    expect(comments(nina)).to_contain_text("And this one")
    expect(nina.locator(f"{WAITS} tr.aim")).to_contain_text("direct path read")
    nina.get_by_role("link", name="all threads").click()
    expect(nina.locator(".thread-lines li", has_text="direct path read")).to_have_count(1)
    clean(nina, "#talk")
    row_of(nina, "direct path read").locator("th a.to").click()  # one panel at a time
    expect(nina.locator("#panel")).to_be_visible()
    expect(nina.locator("#talk")).to_be_hidden()
    nina.locator("#panel [data-talk-entity]").click()
    expect(nina.locator("#talk-h")).to_contain_text("direct path read")
    expect(nina.locator("#panel")).to_be_hidden()


def test_what_is_typed_outlives_the_tab_and_is_sent_once_through_an_outage(watched: Watched, place: Place) -> None:
    page = opened(watched, place, "nina")
    page.locator("#commit h2").hover()
    page.keyboard.press("m")
    page.locator("#talk textarea").fill("Half a sentence")
    page.reload()
    page.locator("#commit h2").hover()
    page.keyboard.press("m")
    expect(page.locator("#talk textarea")).to_have_value("Half a sentence")
    page.locator("#talk textarea").fill("A whole sentence.")

    sent: list[str] = []

    def lose_the_answer(route: Route) -> None:
        """The first time it arrives and nobody hears of it, as when the server ends just then."""
        if route.request.method != "POST":
            route.continue_()
            return
        sent.append("")
        if len(sent) == 1:
            assert route.fetch().status == 201
            route.abort()
        else:
            route.continue_()

    watched.expect_errors("ERR_FAILED")
    page.route("**/threads/", lose_the_answer)
    page.get_by_role("button", name="Begin the thread").click()
    expect(comments(page)).to_have_count(1)
    assert len(sent) == 2
    found = page.request.get(f"{place.comparison}threads/?anchor=commit", headers={"Accept": "application/json"}).json()
    assert [one["comments"] for one in found["threads"]] == [1]
    page.reload()
    expect(page.locator("#talk textarea")).to_have_value("")


def test_a_hidden_tab_asks_nothing(watched: Watched, place: Place) -> None:
    opened(watched, place, "nina")
    page = opened(watched, place, "olivia")
    expect(page.locator("[data-looking]")).to_have_text("nina is looking")  # in two, it asks every two seconds
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/threads/live/") else None)
    page.wait_for_timeout(2_500)
    assert asked
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => window.away, configurable: true }); away = true"
    )
    page.wait_for_timeout(2_200)
    asked.clear()
    page.wait_for_timeout(3_000)
    assert asked == []
    page.evaluate("away = false; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(1_000)
    assert asked


def shared_by(page: Page) -> str:
    """A redacted link by which one may comment, made in the dialog."""
    page.locator("[data-share]").click()
    page.get_by_label("They may").select_option("yes")
    page.get_by_label("Names").select_option("yes")
    check(page)
    page.locator("#share-form .primary").click()
    expect(page.locator("#share-url")).not_to_have_value("")
    expect(page.locator("#share-links tr").first).to_contain_text("read, comment")
    page.keyboard.press("Escape")
    return page.locator("#share-url").input_value()


def test_a_stranger_comments_by_a_redacted_link_and_the_team_answers(watched: Watched, place: Place) -> None:
    olivia = opened(watched, place, "olivia")
    link = shared_by(olivia)
    stranger = watched.context(base_url=place.server.url, color_scheme="dark").new_page()
    stranger.goto(link)
    expect(stranger.get_by_text("Names are pseudonyms")).to_be_visible(timeout=60_000)
    row_of(stranger, "log file sync").locator("a.pl").focus()
    stranger.keyboard.press("m")
    expect(stranger.get_by_label("Your name")).to_be_focused()
    stranger.keyboard.type("Gerd of support")
    stranger.keyboard.press("Tab")
    stranger.keyboard.type("Is this your disk, @olivia?")
    check(stranger)
    stranger.keyboard.press("Control+Enter")
    expect(comments(stranger)).to_have_count(1)
    expect(comments(stranger).first).to_contain_text("guest")

    expect(olivia.locator("[data-your-turn]")).to_be_visible(timeout=COMES_MS)
    olivia.locator('.rail a[href="#foreground_wait_events"]').click()
    mark = olivia.locator(f"{WAITS} > :is(h2, h3) .talk-mark")  # its row has another id there
    expect(mark).to_have_text("1", timeout=SOON_MS)
    mark.click()
    expect(comments(olivia)).to_contain_text("Gerd of support")
    expect(comments(olivia)).to_contain_text("name not proven")
    expect(olivia.locator("#talk")).to_contain_text("under the pseudonyms of this link")
    expect(olivia.locator("#talk form.say")).to_contain_text("Whoever holds the link reads this.")
    clean(olivia, "#talk")
    olivia.locator("#talk textarea").fill("It is: what do you say, @nina?")
    olivia.get_by_role("button", name="Send").click()
    expect(comments(olivia)).to_have_count(2)

    expect(comments(stranger)).to_have_count(2, timeout=SOON_MS)
    expect(comments(stranger).nth(1)).to_contain_text("the team")
    clean(stranger, "#talk")
    stranger.get_by_role("link", name="Edit").click()
    stranger.locator("#edit-text").fill("Is this your disk?")
    stranger.get_by_role("button", name="Save").click()
    expect(comments(stranger).first).to_contain_text("edited")
    expect(row_of(stranger, "log file sync").locator(".talk-mark")).to_have_text("2")
    stranger.set_viewport_size({"width": 390, "height": 844})
    clean(stranger, "#talk")
    assert stranger.evaluate("document.documentElement.scrollWidth") <= 390
    seen = stranger.content() + stranger.request.get(f"{link}threads/", headers={"Accept": "application/json"}).text()
    assert [name for name in ("olivia", "nina") if name in seen.replace("@olivia", "").lower()] == []


def test_a_line_of_a_timeline_is_talked_about(watched: Watched, place: Place) -> None:
    olivia = opened(watched, place, "olivia")
    olivia.get_by_label("More: add reports, rename or delete").click()
    olivia.get_by_role("button", name="Make an incident of this").click()
    olivia.wait_for_url(re.compile(r"/incidents/"))
    nina = opened(watched, place, "nina", color_scheme="dark")
    nina.goto(olivia.url)
    expect(olivia.locator("[data-looking]")).to_have_text("nina is looking", timeout=COMES_MS)

    olivia.keyboard.press("?")
    keys = olivia.get_by_role("dialog", name="Keys").locator("dl")
    expect(keys).to_contain_text("next unresolved thread")
    expect(keys).to_have_css("display", "grid")
    olivia.keyboard.press("Escape")
    line = olivia.locator(".events > li.second").first
    line.locator(".at").focus()
    olivia.keyboard.press("m")
    expect(olivia.locator("#talk textarea")).to_be_focused()
    expect(olivia.locator("#talk-h")).to_contain_text("The incident's hour:")
    olivia.keyboard.type("Was this the failover, @nina?")
    check(olivia)
    olivia.keyboard.press("Control+Enter")
    expect(comments(olivia)).to_have_count(1)
    expect(line).to_have_class(re.compile("aim"))

    mark = nina.locator(".events > li.second .talk-mark").first
    expect(mark).to_have_text("1", timeout=SOON_MS)
    expect(mark).to_have_class(re.compile("yours"))
    expect(nina.locator("[data-your-turn]")).to_be_visible()  # with the turns that other tests left her
    expect(nina.locator(".inc-head .talk-mark")).to_have_text("1")
    nina.keyboard.press("]")
    expect(comments(nina)).to_contain_text("Was this the failover")
    check(nina)
    nina.locator("#talk textarea").fill("No, that was an hour later.")
    nina.get_by_role("button", name="Send").click()
    expect(comments(olivia)).to_have_count(2, timeout=SOON_MS)
    olivia.get_by_role("button", name="Resolve").click()
    expect(nina.locator(".events > li.second .talk-mark").first).to_have_text("✓", timeout=SOON_MS)

    nina.set_viewport_size({"width": 390, "height": 844})
    nina.reload()  # the address holds the thread
    expect(comments(nina)).to_have_count(2)
    clean(nina, "#talk")
    assert nina.evaluate("document.documentElement.scrollWidth") <= 390
    nina.locator("#talk-h").focus()
    nina.keyboard.press("Escape")
    nina.locator(".events > li").first.hover()
    nina.get_by_role("button", name="Write about this").click()
    expect(nina.locator("#talk textarea")).to_be_focused()


PASTE = """(text) => {
  const given = new DataTransfer();
  given.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], "image.png", { type: "image/png" }));
  const pasted = new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(pasted);
}"""


def test_a_picture_is_pasted_and_seen(watched: Watched, place: Place, tmp_path: Path) -> None:
    """With a log that is chosen; one that is no picture is refused, and what was typed stays."""
    watched.expect_errors("status of 415")
    olivia = opened(watched, place, "olivia")
    row_of(olivia, "log file sync").hover()
    olivia.keyboard.press("m")
    box = olivia.locator("#talk [data-say] textarea")
    box.fill("The dashboard of that hour.")
    box.focus()
    olivia.evaluate(PASTE, base64.b64encode(picture()).decode())
    lines = olivia.locator("#talk .to-attach li")
    expect(lines.locator(".name")).to_contain_text("pasted-")
    expect(lines.locator("img")).to_have_js_property("naturalWidth", 40)
    lines.locator("input").fill("Commits, 9 to 11")
    bad = tmp_path / "waits.png"
    bad.write_bytes(b"<svg/>")
    olivia.set_input_files("#say-files", bad)
    expect(lines).to_have_count(2)
    expect(lines.locator("input").first).to_have_value("Commits, 9 to 11")
    olivia.locator("#talk .say button.primary").click()
    expect(olivia.locator("#talk [data-say-error]")).to_contain_text("is no picture")
    expect(box).to_have_value("The dashboard of that hour.")
    lines.nth(1).get_by_role("button").press("Enter")
    log = tmp_path / "alert.log"
    log.write_text("ORA-1")
    olivia.set_input_files("#say-files", log)
    olivia.locator("#talk .say button.primary").click()
    said = comments(olivia).last
    expect(said.get_by_role("img", name="Commits, 9 to 11")).to_be_visible()
    expect(said.get_by_role("link", name="alert.log")).to_be_visible()
    olivia.reload()
    shown = said.get_by_role("img", name="Commits, 9 to 11")
    expect(shown).to_have_js_property("naturalWidth", 40)
    clean(olivia, "#talk")
    olivia.once("dialog", lambda asked: asked.accept())
    said.get_by_role("button", name="Take away alert.log").press("Enter")
    expect(said.get_by_role("link", name="alert.log")).to_have_count(0)
