"""What the web server refused becomes a sentence; strangers' bodies are not parsed; a full disk is named."""

from __future__ import annotations

import errno
import html
import logging

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection
from django.http.multipartparser import MultiPartParser
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff import disk_space
from awrdiff.accounts.models import Membership
from awrdiff.logs import SeldomWhileAway
from awrdiff.processing import work_claims
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_report
from awrdiff.web.views.errors import DATABASE_AWAY, DATABASE_AWAY_LOOKING

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
    assert (answer.status_code, answer.json()) == (507, {"error": disk_space.SENTENCE})


def test_an_upload_that_fills_the_disk_is_refused(monkeypatch):
    def full(_self, _data):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("awrdiff.reports.received_files.ReceivedFile.write", full, raising=False)
    data = {"file": SimpleUploadedFile("a.html", b"x" * 100_000)}
    answer = Client(headers={"Accept": "application/json"}).post("/reports/", data)
    assert (answer.status_code, answer.json()) == (507, {"error": disk_space.SENTENCE})


def test_work_without_room_is_no_failed_attempt(owner, monkeypatch):
    report = Report.objects.create(team=owner.team, name="a", size=1, sha256="0" * 64, file="a")

    def full(_held):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("awrdiff.reports.tasks._read", full)
    for _ in range(5):
        read_report(str(report.pk))
    report.refresh_from_db()
    assert (report.state, report.failures, report.interruptions) == (State.PENDING, 0, 0)
    monkeypatch.setattr(work_claims.disk_space, "has_room", lambda: False)
    assert work_claims.claim(Report, report.pk, "reading") is None


def test_a_guest_and_who_is_removed_are_refused_without_a_traceback(sign_in, owner, guest, colleague, caplog):
    clients = {"guest": sign_in(guest), "removed": sign_in(colleague)}
    Membership.objects.filter(user=colleague.user).delete()
    for who, client in clients.items():
        data = {"file": SimpleUploadedFile("a.html", b"x")}
        answer = client.post("/reports/", data, headers={"Accept": "application/json"})
        assert (answer.status_code, list(answer.json())) == (403, ["error"]), who
    assert [r for r in caplog.records if r.exc_info] == []


@pytest.mark.parametrize("error", [OperationalError("connection refused"), InterfaceError("connection already closed")])
def test_a_database_that_is_away_is_503_with_when_to_come_again(monkeypatch, error):
    def away(*_args, **_kwargs):
        raise error

    monkeypatch.setattr("awrdiff.reports.unpack.store_all", away)
    data = {"file": SimpleUploadedFile("a.html", b"x")}
    answer = Client(headers={"Accept": "application/json"}).post("/reports/", data)
    assert (answer.status_code, answer.json()) == (503, {"error": DATABASE_AWAY})
    assert int(answer["Retry-After"]) > 0


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_also_where_middleware_asks_it_first_and_the_page_asks_nothing(monkeypatch, accept):
    class Away:
        def __init__(self, _get_response):
            pass

        def __call__(self, _request):
            raise OperationalError("connection refused")

    monkeypatch.setattr("awrdiff.web.middleware.Refusals", Away)
    with CaptureQueriesContext(connection) as asked:
        answer = Client(raise_request_exception=False, headers={"Accept": accept}).get("/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert DATABASE_AWAY_LOOKING in html.unescape(answer.content.decode())
    assert len(asked) == 0


def test_what_is_refused_for_the_machines_state_is_logged_once_a_minute():
    seldom = SeldomWhileAway()
    records = [logging.makeLogRecord({"msg": "Insufficient Storage", "status_code": 507}) for _ in range(50)]
    assert [seldom.filter(r) for r in records] == [True, *[False] * 49]
    assert seldom.filter(logging.makeLogRecord({"msg": "Service Unavailable", "status_code": 503}))
    assert all(seldom.filter(logging.makeLogRecord({"msg": "Not Found", "status_code": 404})) for _ in range(3))
    assert "seldom" in settings.LOGGING["loggers"]["django.request"]["filters"]


def test_workers_say_seldom_that_the_disk_is_full(owner, monkeypatch, caplog):
    def full(_held):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("awrdiff.reports.tasks._read", full)
    report = Report.objects.create(team=owner.team, name="a", size=1, sha256="0" * 64, file="a")
    for _ in range(5):
        read_report(str(report.pk))
    assert sum("disk is full" in r.getMessage() for r in caplog.records) == 1
