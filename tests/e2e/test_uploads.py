"""What the upload page makes of archives, of several reports in one file, and of many files at once."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.e2e.axe import check
from tests.harness.server import until

pytestmark = pytest.mark.e2e
LOOKS = re.compile(r"/reports/progress/")


def chosen(page: Page, *files: tuple[str, bytes]) -> None:
    page.goto("/")
    page.set_input_files("#files", [{"name": n, "mimeType": "text/html", "buffer": data} for n, data in files])


def zipped(pair: tuple[Path, Path]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", "Two hours of the order system.")
        for path in pair:
            archive.writestr(path.name, path.read_bytes())
    return made.getvalue()


def test_a_readme_in_an_archive_is_left_out_and_named_in_the_comparison(page, pair):
    """Sent by a script, without the page's own care for what it is."""
    page.goto("/")
    made = page.request.post(
        "/reports/",
        multipart={"file": {"name": "case.zip", "mimeType": "application/zip", "buffer": zipped(pair)}},
        headers={
            "Accept": "application/json",
            "X-CSRFToken": page.locator("[name=csrfmiddlewaretoken]").first.input_value(),
        },
    ).json()
    page.goto(made["reports"][0]["url"])
    expect(page.locator(".notice")).to_contain_text("was left out", timeout=30_000)
    expect(page.locator(".notice.bad")).to_have_count(0)


def test_several_reports_in_one_file_are_a_line_each(page, pair, watched):
    watched.expect_errors("net::ERR_FAILED")
    page.route("**/comparisons/", lambda route: route.abort())  # the list stays to be looked at
    chosen(page, ("two.html", b"".join(p.read_bytes() for p in pair)))
    good = page.locator("#file-list .file.good")
    expect(good).to_have_count(2, timeout=30_000)
    assert sorted(good.locator(".name").all_inner_texts()) == ["two.html#1", "two.html#2"]
    expect(page.locator("#file-list .file")).to_have_count(2)


def test_several_reports_in_one_file_are_compared_at_once(page, pair):
    chosen(page, ("both.html", b"".join(p.read_bytes() for p in pair)))
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)


def test_without_scripts_several_reports_in_one_file_can_be_reached(watched, server, pair):
    page = watched.context(base_url=server.url, java_script_enabled=False).new_page()
    page.goto("/")
    data = b"".join(p.read_bytes() for p in pair) + b"<!-- no scripts -->"
    page.set_input_files("#files", [{"name": "all.html", "mimeType": "text/html", "buffer": data}])
    page.get_by_role("button", name="Upload and compare").click()
    page.wait_for_url("**/reports/**")
    for _ in range(60):
        if page.get_by_role("button", name="Compare them").count():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(page.locator(".stages a")).to_have_text(["all.html#1", "all.html#2"])
    page.get_by_role("button", name="Compare them").click()
    page.wait_for_url("**/comparisons/**")


def test_two_files_are_sent_at_a_time(page, pair, watched):
    watched.expect_errors("net::ERR_FAILED|status of 4")
    held: list[Route] = []
    most = []

    def hold(route: Route) -> None:
        held.append(route)
        most.append(len(held))

    page.route("**/reports/", lambda route: hold(route) if route.request.method == "POST" else route.continue_())
    chosen(page, *((f"{n}.html", b"no report %d" % n) for n in range(5)))
    expect(page.locator(".file .status", has_text="waiting to be sent")).to_have_count(3)
    for sent in range(5):
        for _ in range(100):
            if len(held) == min(2, 5 - sent):
                break
            page.wait_for_timeout(100)
        page.wait_for_timeout(100)  # one more than allowed would be sent by now
        assert len(held) == min(2, 5 - sent)
        held.pop(0).abort()
    expect(page.locator(".file.bad")).to_have_count(5)
    assert max(most) == 2


def test_a_page_that_is_left_in_the_middle_leaves_nothing(page, server, watched):
    watched.expect_errors("net::ERR")
    page.goto("/")
    page.context.new_cdp_session(page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 200_000},
    )
    page.set_input_files("#files", [{"name": "slow.html", "mimeType": "text/html", "buffer": b"x" * (4 << 20)}])
    expect(page.locator(".file .status")).to_contain_text("uploading", timeout=10_000)
    page.wait_for_timeout(500)
    page.goto("about:blank")
    page.wait_for_timeout(1500)
    assert not list((server.var / "uploads").glob("*"))


LUNCH = b"<html><head><title>Lunch</title></head><body><p>Soup, then fish.</p></body></html>"


def is_asked(request: Request) -> bool:
    return request.method == "POST" and request.url.endswith("/comparisons/")


def posted(page: Page) -> list[str]:
    """The bodies of all comparisons that the page asks for from now on."""
    made: list[str] = []
    page.on("request", lambda request: made.append(request.post_data or "") if is_asked(request) else None)
    return made


def new(pair: tuple[Path, Path], mark: str) -> list[tuple[str, bytes]]:
    """The pair in bytes that no other test has sent."""
    return [(path.name, path.read_bytes() + f"<!-- {mark} -->".encode()) for path in pair]


def test_a_comparison_is_asked_for_while_its_two_files_are_still_read(page, pair):
    looks: list[Route] = []

    def hold(route: Route) -> None:
        looks.append(route)

    page.route(LOOKS, hold)  # no look is answered: for the page nothing is read
    bodies = posted(page)
    with page.expect_response(lambda answer: is_asked(answer.request)) as answered:
        chosen(page, *new(pair, "early"))
    asked = answered.value.json()["url"]
    assert "provisional" in bodies[0]
    assert urlsplit(page.url).path == "/"  # what becomes of each file is told here first
    for one in looks:
        one.continue_()
    page.unroute(LOOKS)
    page.wait_for_url(f"**{asked}", timeout=30_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    assert len(bodies) == 1


def test_a_third_file_that_comes_a_moment_later_leaves_one_comparison(page, pair):
    looks: list[Route] = []

    def hold(route: Route) -> None:
        looks.append(route)

    page.route(LOOKS, hold)  # the first two stay unread for the page until the third is there
    with page.expect_response(lambda answer: is_asked(answer.request)) as answered:
        chosen(page, *new(pair, "moment"))
    two = answered.value.json()["url"]
    name, data = new(pair, "moment later")[0]
    page.locator("#files").set_input_files({"name": name, "mimeType": "text/html", "buffer": data})
    expect(page.locator("#file-list .file")).to_have_count(3)
    for one in looks:
        one.continue_()
    page.unroute(LOOKS)
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    assert not page.url.endswith(two)
    assert page.request.get(two).status == 404


def test_a_file_that_comes_while_two_are_compared_is_compared_with_them(page, pair):
    def still_comparing(route: Route) -> None:
        answer = route.fetch()
        progress = answer.json()
        for comparison in progress["comparisons"]:
            comparison["state"] = "running"
        route.fulfill(response=answer, json=progress)

    page.route(LOOKS, still_comparing)
    bodies = posted(page)
    chosen(page, *new(pair, "compared"))
    expect(page.locator("#outcome")).to_have_text("Comparing…", timeout=30_000)
    name, data = new(pair, "while comparing")[0]
    page.locator("#files").set_input_files({"name": name, "mimeType": "text/html", "buffer": data})
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    assert bodies[-1].count('name="report"') == 3


def test_two_files_of_which_one_cannot_be_read_leave_no_comparison_that_failed(page, pair):
    with page.expect_response(lambda answer: is_asked(answer.request)) as answered:
        chosen(page, new(pair, "lunch")[0], ("lunch.html", LUNCH + b"<!-- once -->"))
    asked = answered.value.json()["url"]
    row = page.locator("#file-list .file", has_text="lunch.html")
    expect(row).to_have_class("file bad", timeout=30_000)
    assert len(row.locator(".what").inner_text()) > 20
    expect(page.locator("#outcome")).to_contain_text("One report is read. Add another to compare it with")
    until(lambda: asked not in page.request.get("/").text(), 30)  # opening it would be asking for it
    assert page.request.get(asked).status == 404
    page.locator("#outcome a").click()
    expect(page.locator("h1")).to_be_visible()  # the report that was read is still there


def test_a_report_and_a_trace_are_not_compared_early(page, pair, watched):
    watched.expect_errors("status of 4")
    bodies = posted(page)
    chosen(page, new(pair, "trace")[0], ("lgwr.trc", b"no trace at all"))
    expect(page.locator("#file-list .file.bad")).to_have_count(1, timeout=30_000)
    expect(page.locator("#file-list .file.good")).to_have_count(1, timeout=30_000)
    assert not bodies


def test_the_reports_of_an_archive_are_compared_once_they_are_read(page, pair):
    bodies = posted(page)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in new(pair, "zipped"):
            archive.writestr(name, data)
    chosen(page, ("two.zip", made.getvalue()))
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
    assert len(bodies) == 1
    assert "provisional" not in bodies[0]


def test_the_same_file_twice_is_said_before_it_is_compared(page, pair):
    bodies = posted(page)
    twice = new(pair, "twice")[0]
    chosen(page, twice, twice)
    expect(page.locator("#outcome")).to_contain_text("Both are the same report", timeout=30_000)
    assert not bodies
    page.get_by_role("button", name="Compare it with itself").click()
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    assert ["provisional" in body for body in bodies] == [False]


def test_a_file_is_taken_back_before_it_is_compared(page, pair):
    page.route(LOOKS, lambda route: None)  # neither is read until then
    first, second = new(pair, "taken back")
    chosen(page, first, second, ("letter.html", LUNCH + b"<!-- taken back -->"))
    expect(page.locator("#file-list .file")).to_have_count(3)
    page.get_by_role("button", name="Remove letter.html").click()
    expect(page.locator("#file-list .file")).to_have_count(2)
    page.unroute(LOOKS)
    page.reload()
    chosen(page, first, ("letter.html", LUNCH + b"<!-- taken back -->"))
    expect(page.locator("#file-list .file.bad")).to_have_count(1, timeout=30_000)
    page.get_by_role("button", name="Remove letter.html").press("Enter")
    expect(page.locator("#outcome")).to_contain_text("One report is read")
    page.set_input_files("#files", {"name": second[0], "mimeType": "text/html", "buffer": second[1]})
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)


def test_what_is_left_is_compared_when_somebody_says_so(page, pair):
    bodies = posted(page)
    first, second = new(pair, "left")
    chosen(page, first, second, ("letter.html", LUNCH + b"<!-- left -->"))
    expect(page.locator("#file-list .file.good")).to_have_count(2, timeout=30_000)
    page.get_by_role("button", name="Remove letter.html").click()
    assert not bodies
    page.get_by_role("button", name="Compare the 2 that were read").click()
    page.wait_for_url("**/comparisons/**", timeout=30_000)


def test_many_files_at_once_are_offered_by_database_and_compared_with_one_click(page, pair):
    texts = [path.read_text(encoding="utf-8") for path in pair]
    page.goto("/")
    page.evaluate("document.getElementById('upload').dataset.seriesFrom = '6'")  # as many as that take their time
    files = [
        {
            "name": f"{name}-{n}.html",
            "mimeType": "text/html",
            "buffer": f"{text.replace('>INVENTED<', f'>{name}<')}<!-- many -->".encode(),
        }
        for name in ("ALPHA", "BRAVO", "DELTA")
        for n, text in enumerate(texts)
    ]
    page.set_input_files("#files", files)
    expect(page.locator("#series strong")).to_have_count(3, timeout=90_000)
    all_ = page.get_by_role("button", name="Compare all 3")
    expect(all_).to_be_focused()
    check(page)
    all_.click()
    page.wait_for_url("**/?view=recent")
    for name in ("ALPHA", "BRAVO", "DELTA"):
        expect(page.locator(".work li", has_text=name).first).to_be_visible()
    check(page)
