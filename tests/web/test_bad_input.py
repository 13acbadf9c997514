"""Files that are no report, or only part of one, through upload and worker: a sentence each, nothing half-done."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.tasks import read_report

pytestmark = pytest.mark.django_db
WHOLE = Path(django_settings.BASE_DIR) / "fixtures" / "cases" / "invented" / "before.html"


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.AWRDIFF_UPLOAD_DIR = tmp_path / "uploads"
    settings.MEDIA_ROOT = tmp_path / "files"


def read(data: bytes, name: str) -> Report:
    client = Client(headers={"Accept": "application/json"})
    answer = client.post("/reports/", {"file": SimpleUploadedFile(name, data)})
    assert answer.status_code == 201, answer.content
    read_report(answer.json()["id"])
    return Report.objects.get(pk=answer.json()["id"])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<html><body><h1>Shop</h1><table><tr><td>1</td></tr></table></body></html>", "page.html"),
        (b"just some words\n" * 50, "notes.txt"),
        (bytes(range(256)) * 40, "noise.html"),
        (b"\xff\xfe" + "<html>".encode("utf-16-le"), "utf16.html"),
        (b"\x00" * 5000, "zeros.html"),
        (b"   \n\n", "blank.html"),
    ],
)
def test_no_report_ends_failed_with_a_sentence_and_without_sections(data, name):
    report = read(data, name)
    assert report.state == "failed"
    assert report.error.endswith(".")
    assert report.error_code not in ("", "gave-up")
    assert not ReportSection.objects.exists()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_report_cut_off_in_the_middle_is_read_as_far_as_it_goes(share):
    whole = WHOLE.read_bytes()
    report = read(whole[: int(len(whole) * share)], "cut.html")
    assert report.state == "ready"
    assert report.sections.exists()
    assert report.issues


def test_a_whole_report_has_no_issue():
    report = read(WHOLE.read_bytes(), "whole.html")
    assert (report.state, report.issues) == ("ready", [])
    assert report.sections.count() > 40
    assert report.begin_at < report.end_at
