"""Each bad file gets its sentence beside it; the good ones are not lost."""

from __future__ import annotations

import io
import zipfile

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def docx() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:document/>")
    return made.getvalue()


STATSPACK = b"STATSPACK report for\n\nDatabase    DB Id    Instance     Inst Num  Startup Time   Release     RAC\n"
BAD = {
    "empty.html": b"",
    "picture.html": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00" * 500,
    "letter.html": docx(),
    "page.html": b"<html><head><title>Lunch</title></head><body><p>Soup, then fish.</p></body></html>",
    "spreport.txt": STATSPACK,
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_file_says_why(page, watched, name):
    watched.expect_errors("status of 4")
    page.goto("/")
    page.set_input_files("#files", [{"name": name, "mimeType": "text/html", "buffer": BAD[name]}])
    row = page.locator("#file-list .file", has_text=name)
    expect(row).to_have_class("file bad", timeout=30_000)
    said = row.locator(".what").inner_text()
    assert len(said) > 20, said
    assert row.locator("[role=alert]").count() == 1
    expect(page.locator("#outcome")).to_have_text("No file could be read.")


def test_a_file_over_the_limit_is_refused_before_it_is_sent(page):
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto("/")
    page.set_input_files("#files", [{"name": "big.html", "mimeType": "text/html", "buffer": b"x" * (9 << 20)}])
    expect(page.locator(".file.bad .what")).to_contain_text("this server takes at most 8 MB")
    assert not sent


def test_a_report_cut_off_is_read_as_far_as_it_goes(page, pair):
    page.goto("/")
    data = pair[0].read_bytes()
    page.set_input_files(
        "#files", [{"name": "cut.html", "mimeType": "text/html", "buffer": data[: len(data) * 2 // 3]}]
    )
    row = page.locator("#file-list .file", has_text="cut.html")
    expect(row).to_have_class("file good", timeout=30_000)
    row.locator("a").click()
    expect(page.locator(".warns", has_text="Worth knowing")).to_contain_text("ends", ignore_case=True)


def test_the_same_file_twice_is_compared_with_a_warning(page, pair):
    page.goto("/")
    page.set_input_files("#files", [str(pair[0]), str(pair[0])])
    page.get_by_role("button", name="Compare it with itself").click(timeout=30_000)
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    expect(page.locator(".warns")).to_contain_text("same", ignore_case=True, timeout=30_000)


def test_good_files_are_compared_though_one_is_bad(page, pair, watched):
    watched.expect_errors("status of 4")
    page.goto("/")
    files = {**{p.name: p.read_bytes() for p in pair}, "picture.html": BAD["picture.html"]}
    page.set_input_files("#files", [{"name": n, "mimeType": "text/html", "buffer": data} for n, data in files.items()])
    button = page.get_by_role("button", name="Compare the 2 that were read")
    expect(button).to_be_visible(timeout=30_000)
    button.click()
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)


def test_an_archive_is_listed_by_its_files(page, pair, watched):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", "Two hours of the order system.")
        archive.writestr("../incident/BEFORE.HTML", pair[0].read_bytes())
        archive.writestr("incident\\after.htm", pair[1].read_bytes())
    page.goto("/")
    watched.expect_errors("net::ERR_FAILED")
    page.route("**/comparisons/", lambda route: route.abort())  # the list stays to be looked at
    page.set_input_files("#files", [{"name": "CASE.ZIP", "mimeType": "application/zip", "buffer": made.getvalue()}])
    good = page.locator("#file-list .file.good")
    expect(good).to_have_count(2, timeout=30_000)
    assert sorted(name.split(" ")[0] for name in good.locator(".name").all_inner_texts()) == [
        "BEFORE.HTML",
        "after.htm",
    ]
    left = page.locator("#file-list .file", has_text="README.txt")
    expect(left).to_contain_text("left out")
    expect(page.locator("#file-list .file")).to_have_count(3)


def test_an_archive_is_compared_at_once(page, pair):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("notes.txt", "Two hours of the order system.")
        for path in pair:
            archive.writestr(path.name, path.read_bytes())
    page.goto("/")
    page.set_input_files("#files", [{"name": "case.zip", "mimeType": "application/zip", "buffer": made.getvalue()}])
    page.wait_for_url("**/comparisons/**", timeout=30_000)
    expect(page.locator(".verdict")).to_be_visible(timeout=30_000)
