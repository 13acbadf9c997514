"""What the web server refused becomes a sentence; strangers' bodies are not parsed; a full disk is named."""

from __future__ import annotations

import errno

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.http.multipartparser import MultiPartParser
from django.test import Client

from awrdiff import disk
from awrdiff.processing import claims
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_report

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("status", "words"),
    [(413, "larger than 64 MiB"), (503, "as much as it can hold"), (507, "disk is full"), (401, "Sign in first")],
)
def test_a_refused_body_is_a_sentence_for_scripts(status, words):
    answer = Client(headers={"Accept": "application/json"}).post("/reports/", **{"awrdiff.refusal": status})
    assert answer.status_code == status
    assert words in answer.json()["error"]
    assert ("Retry-After" in answer) == (status == 503)


def test_and_a_page_for_people():
    answer = Client(headers={"Accept": "text/html"}).post("/reports/", **{"awrdiff.refusal": 413})
    assert answer.status_code == 413
    assert "larger than 64 MiB" in answer.content.decode()


@pytest.fixture
def unparsed(monkeypatch):
    def parse(_self):
        raise AssertionError("the body was parsed")

    monkeypatch.setattr(MultiPartParser, "parse", parse)


def test_a_strangers_upload_is_not_parsed(accounts, unparsed):
    client = Client(enforce_csrf_checks=True)
    data = {"file": SimpleUploadedFile("a.html", b"x")}
    assert client.post("/reports/", data, headers={"Accept": "application/json"}).status_code == 401
    assert client.post("/reports/", data).status_code == 302


def test_nothing_is_stored_of_files_sent_elsewhere(settings, tmp_path, accounts):
    settings.AWRDIFF_UPLOAD_DIR = tmp_path / "uploads"
    answer = Client().post("/login/", {"login": "x", "password": "y", "file": SimpleUploadedFile("a", b"x")})
    assert answer.status_code == 200
    assert not settings.AWRDIFF_UPLOAD_DIR.exists()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), OperationalError("database or disk is full")])
def test_a_full_disk_is_answered_with_its_cause(monkeypatch, error):
    def full(*_args, **_kwargs):
        raise error

    monkeypatch.setattr("awrdiff.reports.unpack.store_all", full)
    data = {"file": SimpleUploadedFile("a.html", b"x")}
    answer = Client(headers={"Accept": "application/json"}).post("/reports/", data)
    assert (answer.status_code, answer.json()) == (507, {"error": disk.SENTENCE})


def test_an_upload_that_fills_the_disk_is_refused(monkeypatch):
    def full(_self, _data):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("awrdiff.reports.uploads.ReceivedFile.write", full, raising=False)
    data = {"file": SimpleUploadedFile("a.html", b"x" * 100_000)}
    answer = Client(headers={"Accept": "application/json"}).post("/reports/", data)
    assert (answer.status_code, answer.json()) == (507, {"error": disk.SENTENCE})


def test_work_without_room_is_no_failed_attempt(owner, monkeypatch):
    report = Report.objects.create(team=owner.team, name="a", size=1, sha256="0" * 64, file="a")

    def full(_held):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("awrdiff.reports.tasks._read", full)
    for _ in range(5):
        read_report(str(report.pk))
    report.refresh_from_db()
    assert (report.state, report.failures, report.interruptions) == (State.PENDING, 0, 0)
    monkeypatch.setattr(claims.disk, "has_room", lambda: False)
    assert claims.claim(Report, report.pk, "reading") is None
