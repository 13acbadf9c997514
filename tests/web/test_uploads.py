"""POST /reports/: what is taken, what is refused and in which words."""

from __future__ import annotations

import gzip
import hashlib
import io
import time
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from awrdiff.processing.models import State
from awrdiff.reports import files, tasks
from awrdiff.reports.models import Report
from parsers import UnsupportedReport
from tests.unit.parsers.reports import report as report_bytes
from tests.web.builders import small_report

pytestmark = [pytest.mark.django_db, pytest.mark.confined]
JSON = {"Accept": "application/json"}


@pytest.fixture
def client() -> Client:
    return Client(headers=JSON)


@pytest.fixture
def uploads(settings, tmp_path) -> Path:
    settings.AWRDIFF_UPLOAD_DIR = tmp_path / "uploads"
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "uploads"


def post(client: Client, data: bytes, name: str = "a.html"):
    return client.post("/reports/", {"file": SimpleUploadedFile(name, data)})


def word_document() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:document/>")
    return file.getvalue()


def test_a_file_is_kept_hashed_and_pending(client, uploads):
    data = b"<html>report</html>" * 1000
    answer = post(client, data, "dir\\awr 1.html")
    assert answer.status_code == 201
    body = answer.json()
    report = Report.objects.get(pk=body["id"])
    assert (body["state"], body["url"]) == ("pending", f"/reports/{report.pk}/")
    assert answer["Location"] == body["url"]
    assert report.name == "awr 1.html"
    assert (report.size, report.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    with files.opened(report.file) as kept:
        assert kept.read() == data
    assert report.due_at is not None
    assert list(uploads.glob("*")) == []


@pytest.mark.parametrize(
    ("data", "name", "status", "words"),
    [
        (b"", "empty.html", 400, "is empty"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "picture.html", 415, "a PNG image"),
        (b"%PDF-1.7 ...", "report.html", 415, "a PDF document"),
        (word_document(), "report.docx", 415, "a Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 9, "report.doc", 415, "an old Office document"),
        (b"7z\xbc\xaf\x27\x1c" + b"\0" * 9, "reports.7z", 415, "a 7-Zip archive"),
        (b"Rar!\x1a\x07\x01", "reports.rar", 415, "a RAR archive, not an AWR report: unpack it"),
    ],
)
def test_what_cannot_be_a_report_is_refused_with_a_sentence(client, uploads, data, name, status, words):
    answer = post(client, data, name)
    assert answer.status_code == status
    assert name in answer.json()["error"]
    assert words in answer.json()["error"]
    assert not Report.objects.exists()
    assert not any(uploads.glob("*"))


def test_no_file(client):
    answer = client.post("/reports/", {})
    assert answer.status_code == 400
    assert "no file" in answer.json()["error"]


def test_two_files_in_one_request(client, uploads):
    files = [SimpleUploadedFile("a.html", b"a"), SimpleUploadedFile("b.html", b"b")]
    answer = client.post("/reports/", {"file": files})
    assert answer.status_code == 400
    assert "one file per request" in answer.json()["error"]


def test_a_file_over_the_limit_is_refused_by_its_announced_length(client, uploads, settings):
    settings.AWRDIFF_MAX_UPLOAD_MB = 1
    answer = post(client, b"x" * (1024 * 1024 + (1 << 16) + 1000))
    assert answer.status_code == 413
    assert "larger than 1 MiB" in answer.json()["error"]
    assert not uploads.exists() or not any(uploads.glob("*"))


def test_a_file_over_the_limit_is_refused_while_it_streams(client, uploads, settings):
    settings.AWRDIFF_MAX_UPLOAD_MB = 1
    answer = post(client, b"x" * (1024 * 1024 + 1))  # within what the envelope may add to the announced length
    assert answer.status_code == 413
    assert not any(uploads.glob("*"))
    assert not Report.objects.exists()


def test_a_file_of_just_the_limit_is_taken(client, uploads, settings):
    settings.AWRDIFF_MAX_UPLOAD_MB = 1
    assert post(client, b"x" * 1024 * 1024).status_code == 201


def test_the_token_is_needed():
    client = Client(enforce_csrf_checks=True, headers=JSON)
    answer = post(client, b"x")
    assert answer.status_code == 403
    assert "error" in answer.json()


def test_a_broker_that_is_away_does_not_cost_the_upload(
    client, uploads, monkeypatch, django_capture_on_commit_callbacks
):
    def away(*args, **kwargs):
        raise ConnectionRefusedError("no broker")

    monkeypatch.setattr(tasks.read_report, "apply_async", away)
    with django_capture_on_commit_callbacks(execute=True):
        answer = post(client, b"report")
    assert answer.status_code == 201
    assert Report.objects.get().state == State.PENDING


class Calls:
    """Names that were noted, also by another process."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def note(self, name: str) -> None:
        with self.file.open("a") as file:
            file.write(f"{name}\n")

    def names(self) -> list[str]:
        return self.file.read_text().split()


class TestReading:
    @pytest.fixture
    def report(self, client, uploads) -> Report:
        return Report.objects.get(pk=post(client, b"report", "mine.html").json()["id"])

    @pytest.fixture
    def calls(self, tmp_path) -> Calls:
        return Calls(tmp_path / "calls")

    def read(self, report: Report) -> Report:
        tasks.read_report(str(report.pk))
        report.refresh_from_db()
        return report

    def test_a_read_report_is_ready(self, report, monkeypatch, client):
        monkeypatch.setattr(tasks, "parse_report", lambda data, name: small_report(name))
        self.read(report)
        assert (report.state, report.stage, report.attempt) == (State.READY, "", 1)
        assert (report.db_name, report.begin_at, report.cpus) == ("PAY", "2024-01-01T10:00:00", 8)
        body = client.get(f"/reports/{report.pk}/").json()
        assert body["state"] == "ready"
        assert [s["id"] for s in body["sections"]] == ["foreground_wait_events", "init_parameters"]
        section = client.get(f"/reports/{report.pk}/sections/foreground_wait_events/").json()
        assert section["rows"][0]["event"] == "log file sync"

    def test_bad_content_fails_with_the_parsers_sentence_and_is_not_tried_again(self, report, monkeypatch, client):
        def refuse(data, name):
            raise UnsupportedReport("This is HTML, but no AWR report.", code="not-awr")

        monkeypatch.setattr(tasks, "parse_report", refuse)
        self.read(report)
        assert (report.state, report.error_code, report.due_at) == (State.FAILED, "not-awr", None)
        body = client.get(f"/reports/{report.pk}/").json()
        assert body["error"] == "This is HTML, but no AWR report."

    def test_a_fault_of_ours_is_tried_three_times_and_then_said(self, report, monkeypatch, calls):
        def fall_over(data, name):
            calls.note(name)
            raise ZeroDivisionError

        monkeypatch.setattr(tasks, "parse_report", fall_over)
        for _ in range(5):
            self.read(report)
        assert len(calls.names()) == 3
        assert (report.state, report.error_code) == (State.FAILED, "gave-up")
        assert "3 times" in report.error

    def test_the_same_bytes_are_read_once_per_team(self, report, monkeypatch, client, calls):
        def parse(data, name):
            calls.note(name)
            return small_report(name)

        monkeypatch.setattr(tasks, "parse_report", parse)
        self.read(report)
        again = Report.objects.get(pk=post(client, b"report", "copy.html").json()["id"])
        self.read(again)
        assert again.pk != report.pk
        assert (again.state, again.db_name, again.header["file"]) == (State.READY, "PAY", "copy.html")
        assert again.sections.count() == report.sections.count() == 2
        assert again.file != report.file  # each has its own: deleting one never harms the other
        assert calls.names() == ["mine.html"]

    def test_a_file_that_takes_too_long_is_refused_and_not_tried_again(self, report, monkeypatch, settings, client):
        settings.READ_CPU_S, settings.READ_CPU_S_PER_MB = 1, 0

        def spin(data, name):
            while time.process_time() < 60:
                pass

        monkeypatch.setattr(tasks, "parse_report", spin)
        self.read(report)
        assert (report.state, report.error_code, report.attempt) == (State.FAILED, "cpu-limit", 1)
        assert client.get(f"/reports/{report.pk}/").json()["error"].startswith("Reading this file took more than 1 s")

    def test_a_file_that_takes_too_much_memory_is_refused(self, report, monkeypatch, settings):
        settings.READ_MEMORY_MB = 16
        monkeypatch.setattr(tasks, "parse_report", lambda data, name: bytearray(1 << 28))
        self.read(report)
        assert (report.state, report.error_code, report.attempt) == (State.FAILED, "memory-limit", 1)

    def test_the_result_of_an_attempt_that_was_superseded_is_thrown_away(self, report, monkeypatch):
        """Its lease ended while the confined process was at work, and another attempt was quicker."""
        run = tasks.sandbox.run

        def slow(*args, **kwargs):
            found = run(*args, **kwargs)
            Report.objects.filter(pk=report.pk).update(attempt=2, db_name="QUICK", state=State.READY)
            return found

        monkeypatch.setattr(tasks, "parse_report", lambda data, name: small_report(name))
        monkeypatch.setattr(tasks.sandbox, "run", slow)
        self.read(report)
        assert (report.state, report.attempt, report.db_name) == (State.READY, 2, "QUICK")
        assert not report.sections.exists()

    def test_a_file_that_vanished_is_said(self, report):
        default_storage.delete(report.file)
        self.read(report)
        assert (report.state, report.error_code) == (State.FAILED, "file-lost")

    def test_retry_starts_from_the_beginning(self, report, monkeypatch, client):
        default_storage.delete(report.file)
        self.read(report)
        client.post(f"/reports/{report.pk}/retry/")
        report.refresh_from_db()
        assert (report.state, report.error, report.failures) == (State.PENDING, "", 0)


def archive(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()


def test_an_archive_with_one_report_becomes_that_report(client, uploads):
    data = report_bytes()
    answer = post(client, archive({"dir/AWR.HTML": data}), "a.zip")
    assert answer.status_code == 201
    report = Report.objects.get(pk=answer.json()["id"])
    assert (report.name, report.size) == ("AWR.HTML", len(data))
    assert report.sha256 == hashlib.sha256(data).hexdigest()
    assert answer["Location"] == answer.json()["url"]
    packed = post(client, gzip.compress(data), "awr.html.gz").json()
    assert (packed["name"], packed["sha256"]) == ("awr.html.gz", report.sha256)
    assert list(uploads.glob("*")) == []


def test_a_bad_file_in_an_archive_harms_no_other(client, uploads):
    answer = post(
        client,
        archive(
            {
                "p.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 99,
                "e.html": b"",
                "in.zip": archive({"c.html": report_bytes()}),
                "a.html": report_bytes(),
            }
        ),
        "a.zip",
    )
    assert answer.status_code == 201
    body = answer.json()
    assert [r["name"] for r in body["reports"]] == ["a.html"]
    assert [r["url"] for r in body["reports"]] == [f"/reports/{r['id']}/" for r in body["reports"]]
    assert [r["name"] for r in body["refused"]] == ["in.zip"]
    assert "archive within an archive" in body["refused"][0]["error"]
    assert [o["name"] for o in body["left_out"]] == ["p.png", "e.html"]
    assert ["a PNG image" in body["left_out"][0]["error"], "is empty" in body["left_out"][1]["error"]] == [True, True]
    assert list(uploads.glob("*")) == []


def test_an_archive_whose_files_all_tell_that_they_are_none_says_so(client, uploads):
    answer = post(client, archive({"empty": b"", "b.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 99}), "a.zip")
    assert answer.status_code == 400
    said = answer.json()["error"]
    assert said.startswith("“a.zip” holds no report that can be read. “empty” is empty")
    assert said.endswith("The other file in it cannot be read either.")
    assert not Report.objects.exists()
    assert list(uploads.glob("*")) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (archive({}), "holds no files"),
        (archive({"a.html": b"x"})[:-30], "damaged or cut off"),
        (archive({"in.zip": archive({"a.html": b"x"})}), "archive within an archive"),
        (gzip.compress(b"\0" * 2_000_000), "larger than 1 MiB"),
        (b"\x1f\x8b\x08" + b"\0" * 50, "damaged or cut off"),
    ],
)
def test_an_archive_that_cannot_be_taken(client, uploads, settings, data, words):
    settings.AWRDIFF_MAX_UPLOAD_MB = 1
    answer = post(client, data, "my.zip")
    assert answer.status_code in (400, 415)
    assert words in answer.json()["error"]
    assert not Report.objects.exists()
    assert not any(uploads.glob("*"))


def test_the_form_without_scripts_compares_what_an_archive_holds(client, uploads):
    file = SimpleUploadedFile("both.zip", archive({"a.html": report_bytes(), "b.html": report_bytes()}))
    answer = client.post("/reports/", {"file": [file]}, headers={"Accept": "text/html"})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/comparisons/")


class TestRate:
    def test_after_so_many_in_a_minute_one_waits(self, sign_in, owner, colleague, uploads, settings):
        settings.AWRDIFF_UPLOAD_RATE = 2
        member, other = (sign_in(who) for who in (owner, colleague))
        answers = [member.post("/reports/", {"file": _file(n)}, headers=JSON) for n in range(3)]
        assert [a.status_code for a in answers] == [201, 201, 429]
        assert answers[-1].json()["error"] == "You have uploaded 2 files within a minute: wait a moment."
        assert answers[-1]["Retry-After"] == "20"
        assert Report.objects.count() == 2
        assert other.post("/reports/", {"file": _file(3)}, headers=JSON).status_code == 201
        Report.objects.update(created_at=timezone.now() - timedelta(seconds=61))
        assert member.post("/reports/", {"file": _file(4)}, headers=JSON).status_code == 201

    def test_whoever_runs_the_server_for_themselves_is_not_counted(self, client, uploads, settings):
        settings.AWRDIFF_UPLOAD_RATE = 1
        assert [post(client, report_bytes(), f"{n}.html").status_code for n in range(3)] == [201, 201, 201]


def _file(number: int) -> SimpleUploadedFile:
    return SimpleUploadedFile(f"{number}.html", report_bytes() + b" " * number)
