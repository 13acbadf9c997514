"""The first page, and the form as a browser without scripts sends it."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from parsers.version import VERSION
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db


def test_the_first_page_has_the_form_and_says_the_limit(sign_in, owner, settings):
    settings.AWRDIFF_MAX_UPLOAD_MB = 3
    answer = sign_in(owner).get("/")
    html = answer.content.decode()
    assert answer.status_code == 200
    check_markup(html)
    assert 'type="file"' in html
    assert "up to 3 MB each" in html


def test_the_box_for_pasted_reports_is_shown_by_its_script_and_sends_nothing_without(sign_in, owner):
    html = sign_in(owner).get("/").content.decode()
    assert '<details class="paste" id="paste" hidden>' in html
    assert '<label for="pasted"' in html
    assert "js/paste.js" in html
    assert "name=" not in html.split('<textarea id="pasted"')[1].split(">")[0]


def test_the_first_page_says_what_is_read(sign_in, owner):
    from django.utils.html import escape

    from parsers.files.detect import ENDINGS, READ_IN_WORDS

    html = sign_in(owner).get("/").content.decode()
    assert escape(READ_IN_WORDS) in html
    assert f'accept="{",".join(ENDINGS)}"' in html


def test_recent_comparisons_and_demos_are_listed_with_their_windows(
    sign_in, owner, reports, django_assert_max_num_queries
):
    store_comparison(owner, reports)
    demo = store_comparison(owner, reports)
    Comparison.objects.filter(pk=demo.pk).update(is_demo=True, title="A demo", note="Built from published figures.")
    client = sign_in(owner)
    with django_assert_max_num_queries(14):
        html = client.get("/").content.decode()
    assert "PAY · 1 Jan 2024 10:00 – 11:00 → 11:00 – 12:00" in html
    assert "A demo" in html
    assert "Built from published figures." in html


def test_without_scripts_all_files_come_in_one_form(sign_in, owner, django_capture_on_commit_callbacks):
    page = b"<html><body><h1>WORKLOAD REPOSITORY report for</h1></body></html>"
    files = [SimpleUploadedFile(f"{n}.html", page + n.encode()) for n in ("a", "b")]
    answer = sign_in(owner).post(reverse("report-upload"), {"file": files}, headers={"Accept": "text/html"})
    made = Comparison.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == reverse("comparison", args=[made.pk])
    assert made.order_by_time


def test_without_scripts_a_refusal_stands_beside_its_file(sign_in, owner):
    files = [SimpleUploadedFile("empty.html", b"x"), SimpleUploadedFile("pic.html", b"\x89PNG\r\n\x1a\n" + b"0" * 99)]
    answer = sign_in(owner).post(reverse("report-upload"), {"file": files}, headers={"Accept": "text/html"})
    html = answer.content.decode()
    assert answer.status_code == 400
    assert "pic.html" in html
    check_markup(html)


def test_without_scripts_more_than_a_comparison_takes_are_refused_in_a_sentence(sign_in, owner):
    page = b"<html><body><h1>WORKLOAD REPOSITORY report for</h1></body></html>"
    files = [SimpleUploadedFile(f"{n}.html", page + str(n).encode()) for n in range(25)]
    answer = sign_in(owner).post(reverse("report-upload"), {"file": files}, headers={"Accept": "text/html"})
    html = answer.content.decode()
    assert answer.status_code == 400
    for said in ("More than 24 files", "at most 24 are taken at once", "none of these was kept"):
        assert said in html
    assert not Report.objects.exists()


def test_without_scripts_and_without_files(sign_in, owner):
    answer = sign_in(owner).post(reverse("report-upload"), headers={"Accept": "text/html"})
    assert answer.status_code == 400
    assert "Choose at least one report file." in answer.content.decode()


def test_every_page_says_at_its_foot_which_version_it_is(sign_in, owner):
    for url in ("/", "/nothing/here/"):
        _, foot = sign_in(owner).get(url).content.decode().split('<footer class="foot">')
        assert f"awrdiff {VERSION} reads Oracle AWR" in foot
