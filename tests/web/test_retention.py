"""What is left of what was: nothing of a deleted thing but its audit line, and no file after its time."""

from __future__ import annotations

import zlib
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.tasks import compute_now
from awrdiff.databases import report_assignment
from awrdiff.incidents.models import Evidence, IncidentComparison, SignOff, Verdict
from awrdiff.pins import services as pins
from awrdiff.postmortems.models import Template
from awrdiff.processing import work_kinds
from awrdiff.processing.models import State
from awrdiff.reports import files, retention, services, tasks
from awrdiff.reports.models import LooseFile, Report, ReportSection
from awrdiff.reports.tasks import read_now
from awrdiff.search.word_search import forget
from awrdiff.threads import services as threads
from awrdiff.threads.models import Attachment, Comment, Thread
from parsers.storage import compressed_blocks
from tests.processes.files import two_reports
from tests.unit.analysis.traces import trace_text
from tests.web import whole_team
from tests.web.pages import body
from tests.web.redacted import redacted_link
from tests.web.share import create_link
from tests.web.test_traces import EVENTS

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
NAME = "zebra4711"


@pytest.fixture
def client(sign_in, owner, settings, tmp_path) -> Client:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    return sign_in(owner)


def uploaded(client: Client, name: str, data: bytes, **fields: str) -> Report:
    answer = client.post("/reports/", {"file": SimpleUploadedFile(name, data), **fields}, headers=JSON)
    assert answer.status_code in (200, 201), answer.content
    read_now(answer.json()["id"])
    return Report.objects.get(pk=answer.json()["id"])


@pytest.fixture
def pair(client) -> Comparison:
    reports = [uploaded(client, f"{NAME}-{n}.html", data) for n, data in enumerate(two_reports())]
    assert [r.state for r in reports] == [State.READY] * 2, reports[0].error
    answer = client.post("/comparisons/", {"report": [r.pk for r in reports], "title": NAME}, headers=JSON)
    compute_now(answer.json()["id"])
    made = Comparison.objects.get(pk=answer.json()["id"])
    assert made.is_ready, made.error
    return made


def everything() -> dict[str, str]:
    """By table, every cell of the database as text; what is packed, unpacked."""
    with connection.cursor() as cursor:
        tables = {}
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            tables[table] = "\n".join(_plain(cell) for row in cursor.fetchall() for cell in row)
    return tables


def _plain(cell: object) -> str:
    if isinstance(cell, bytes | memoryview):
        try:
            return str(compressed_blocks.unpack(bytes(cell)))
        except (ValueError, zlib.error):  # several pieces: their table is empty or it is not
            return repr(bytes(cell))
    return str(cell)


def holding(words: set[str]) -> set[str]:
    """The tables in which one of the words stands, however its hyphens are written."""
    found = {table: text.replace("-", "").lower() for table, text in everything().items()}
    return {table for table, text in found.items() if any(w.replace("-", "").lower() in text for w in words)}


def stored_files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def swept() -> None:
    files.sweep()
    forget()
    report_assignment.forget()


def test_deleting_leaves_nothing_but_the_audit_lines(client, owner: AccessContext, guest, pair, settings):
    pins.pin(owner, pair, "init_parameters")
    guest_access.show(owner, pair, guest.membership)
    create_link(owner, pair, days=1)
    redacted_link(owner, pair)
    threads.start(owner, pair, "init_parameters", f"@gus {NAME}", uuid4())
    report = pair.reports.first()
    ids = {str(pair.pk), *(str(pk) for pk in pair.reports.values_list("pk", flat=True))}
    words = {NAME, report.db_name, report.host_name, report.sha256}
    assert all(len(word) > 4 for word in words)
    assert {"reports_report", "comparisons_comparison", "comparisons_comparisonreport"} <= holding(words | ids)
    assert len(stored_files(settings.MEDIA_ROOT)) == 2

    assert client.post(f"/comparisons/{pair.pk}/delete/").status_code == 302
    swept()
    assert holding(words) == set()
    assert holding(ids) == {"audit_auditline"}
    assert not any(model.objects.exists() for model in (Report, ReportSection, Comparison, ComparisonSection))
    assert stored_files(settings.MEDIA_ROOT) == []
    assert not LooseFile.objects.exists()
    lines = AuditLine.objects.filter(action="deleted").values_list("kind", flat=True)
    assert sorted(lines) == ["comparison", "report", "report"]


def trace(client: Client) -> Report:
    return uploaded(client, f"{NAME}-lgwr.trc", trace_text(EVENTS).encode())


def test_deleting_an_incident_leaves_nothing_of_it(client, owner, colleague, pair, settings):
    attached = trace(client)
    made = whole_team.fill(owner, colleague, pair, attached, word="okapi4711", of_comparison="tapir4711").incident
    assert {"incidents_incident", "incidents_timelineedit", "postmortems_postmortemversion"} <= holding({"okapi4711"})
    assert holding({str(made.pk)}) >= {"notices_notice", "incidents_incident", "audit_auditline"}
    before, said_in_pictures = len(stored_files(settings.MEDIA_ROOT)), Attachment.objects.exclude(event=None).count()
    assert said_in_pictures

    assert client.post(f"/incidents/{made.pk}/delete/").status_code == 302
    swept()
    assert holding({"okapi4711"}) == {"postmortems_template"}  # the team's, which the next one begins with
    assert holding({str(made.pk)}) == {"audit_auditline"}
    kept = {Verdict, SignOff, Template}
    assert not Thread.objects.exclude(incident=None).exists()
    assert Comment.objects.exists()
    models = [m for app in ("incidents", "postmortems") for m in apps.get_app_config(app).get_models()]
    assert {m for m in models if m.objects.exists()} == kept
    assert len(stored_files(settings.MEDIA_ROOT)) == before - said_in_pictures  # its reports stay
    assert Attachment.objects.exclude(comment=None).exists()
    assert Report.objects.filter(pk=attached.pk).exists()


def test_deleting_a_comparison_with_all_that_was_said_of_it(client, owner, colleague, guest, pair, settings):
    made = whole_team.fill(owner, colleague, pair, trace(client), of_comparison="tapir4711").incident
    guest_access.show(owner, pair, guest.membership)
    create_link(owner, pair, days=1)
    redacted_link(owner, pair)
    report = pair.reports.first()
    words = {NAME, report.db_name, report.host_name, report.sha256}
    ids = {str(pair.pk), *(str(pk) for pk in pair.reports.values_list("pk", flat=True))}
    said = {"threads_comment", "threads_earliertext", "incidents_verdict", "incidents_signoff"}
    assert said <= holding({"tapir4711"})

    assert client.post(f"/comparisons/{pair.pk}/delete/").status_code == 302
    swept()
    written_down = {"postmortems_postmortemsection", "postmortems_postmortemversion"}
    written_down |= {"search_indexed", "search_words", "search_words_data"}  # by its sections
    assert holding({"tapir4711"}) <= written_down  # reasons of verdicts stand in the post-mortem as causes
    models = [m for app in ("sharing", "pins") for m in apps.get_app_config(app).get_models()]
    assert {m.__name__ for m in models if m.objects.exists()} == set()
    assert {thread.incident_id for thread in Thread.objects.all()} == {made.pk}  # what was said of the incident stays
    assert not any(model.objects.exists() for model in (Verdict, SignOff, Evidence, IncidentComparison, Comparison))
    attached = Report.objects.get()  # to the incident, which keeps it
    assert holding(ids) <= {"audit_auditline", "postmortems_postmortemversion"}
    picture = Attachment.objects.get()  # of an event of the incident
    kept = {path.name[:64] for path in stored_files(settings.MEDIA_ROOT)}
    assert (picture.event is not None, kept) == (True, {attached.sha256, picture.sha256})

    assert client.post(f"/incidents/{made.pk}/delete/").status_code == 302
    assert client.post(f"/reports/{attached.pk}/delete/").status_code == 302
    swept()
    assert holding(words | {"tapir4711"}) == set()
    assert holding(ids | {str(attached.pk)}) == {"audit_auditline"}
    assert stored_files(settings.MEDIA_ROOT) == []


class TestOldUploads:
    @pytest.fixture(autouse=True)
    def thirty_days(self, settings):
        settings.AWRDIFF_KEEP_UPLOADS_DAYS = 30

    @staticmethod
    def age(days: int) -> None:
        Report.objects.update(created_at=timezone.now() - timedelta(days=days))

    def test_the_files_go_and_the_comparison_stays(self, client, pair, settings):
        before = body(client.get(f"/comparisons/{pair.pk}/export.json"))
        self.age(29)
        assert retention.remove_old_files() == 0
        self.age(31)
        assert retention.remove_old_files() == 2
        files.sweep()
        assert stored_files(settings.MEDIA_ROOT) == []
        assert retention.remove_old_files() == 0
        assert body(client.get(f"/comparisons/{pair.pk}/export.json")) == before
        for path in (f"/comparisons/{pair.pk}/", f"/reports/{pair.reports.first().pk}/"):
            assert client.get(path, headers={"Accept": "text/html"}).status_code == 200
        assert client.post(f"/comparisons/{pair.pk}/swap/").status_code == 302
        told = AuditLine.objects.filter(action="file removed").values_list("who", "kind")
        assert list(told) == [("server", "report")] * 2

    def test_a_clock_that_is_put_forward_removes_no_more_than_a_day_each_run(self, client, pair, monkeypatch, caplog):
        first, second = pair.reports.all()
        now = timezone.now()
        for report, days in ((first, 29.5), (second, 20)):
            Report.objects.filter(pk=report.pk).update(created_at=now - timedelta(days=days))
        assert retention.remove_old_files() == 0
        monkeypatch.setattr("django.utils.timezone.now", lambda: now + timedelta(days=400))
        assert [retention.remove_old_files() for _ in range(4)] == [1, 0, 0, 0]
        assert "the clock is 399 days" in caplog.text or "the clock is 400 days" in caplog.text
        monkeypatch.setattr("django.utils.timezone.now", lambda: now)
        assert retention.remove_old_files() == 0
        assert retention.believed_now() == now
        Report.objects.filter(pk=second.pk).update(created_at=now - timedelta(days=31))
        assert retention.remove_old_files() == 1

    def test_without_the_setting_they_are_kept(self, pair, settings):
        settings.AWRDIFF_KEEP_UPLOADS_DAYS = 0
        self.age(10_000)
        assert retention.remove_old_files() == 0

    def test_what_is_being_read_keeps_its_file_and_so_do_demos(self, client, pair):
        first, second = pair.reports.all()
        self.age(31)
        Report.objects.filter(pk=first.pk).update(state=State.PENDING)
        Report.objects.filter(pk=second.pk).update(is_demo=True)
        assert retention.remove_old_files() == 0
        Report.objects.filter(pk=second.pk).update(is_demo=False, lease_until=timezone.now())
        assert retention.remove_old_files() == 0

    def test_a_newer_version_leaves_the_result_and_says_why(self, client, pair, monkeypatch):
        self.age(31)
        retention.remove_old_files()
        report = pair.reports.first()
        Report.objects.update(parser_version=1)
        read_now(report.pk)
        report.refresh_from_db()
        assert report.is_ready
        assert report.renewal_error == tasks.FILE_NOT_KEPT
        page = client.get(f"/reports/{report.pk}/", headers={"Accept": "text/html"}).content.decode()
        assert "it could not be renewed, so it stays as it is" in page

    def test_a_failed_one_cannot_be_tried_again_and_says_so(self, client, pair):
        self.age(31)
        retention.remove_old_files()
        report = pair.reports.first()
        Report.objects.update(state=State.FAILED, sha256="0" * 64)
        services.restart([report])
        read_now(report.pk)
        report.refresh_from_db()
        assert (report.error, report.error_code) == (tasks.FILE_NOT_KEPT, tasks.FILE_LOST)

    def test_uploaded_again_the_file_is_kept_anew(self, client, pair):
        data = two_reports()[0]
        assert uploaded(client, "again.html", data, same="reuse").pk in pair.reports.values_list("pk", flat=True)
        self.age(31)
        retention.remove_old_files()
        again = uploaded(client, "again.html", data, same="reuse")
        assert again.pk not in pair.reports.values_list("pk", flat=True)
        assert default_storage.exists(again.file)

    def test_deleting_a_report_without_a_file(self, client, pair, settings):
        self.age(31)
        retention.remove_old_files()
        client.post(f"/comparisons/{pair.pk}/delete/")
        files.sweep()
        assert not LooseFile.objects.exists()

    def test_the_sweeper_does_it(self):
        assert {retention.remove_old_files, forget} <= {chore.run for chore in work_kinds.CHORES}
