"""Stored files and the reports that name them: none is lost, none is left; the races are in tests/processes."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from awrdiff.comparisons.services import create_comparison
from awrdiff.processing import work_kinds
from awrdiff.processing.sweeper import Turns
from awrdiff.reports import files, services
from awrdiff.reports.models import LooseFile, Report
from awrdiff.reports.received_files import receive_chunks
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner, settings, tmp_path) -> Client:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    return sign_in(owner)


def upload(client: Client) -> Report:
    answer = client.post("/reports/", {"file": SimpleUploadedFile("a.html", b"the same bytes")}, headers=JSON)
    return Report.objects.get(pk=answer.json()["id"])


def stored(settings) -> list[str]:
    return [path.name for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]


def test_the_same_bytes_have_a_file_for_each_report(client, owner, settings):
    first, second = upload(client), upload(client)
    assert first.file != second.file
    services.delete(owner, [first])
    assert files.sweep() == 1
    with files.opened(second.file) as file:
        assert file.read() == b"the same bytes"
    assert not LooseFile.objects.exists()
    services.delete(owner, [second])
    assert stored(settings) != []  # a request never waits for the storage
    assert files.sweep() == 1
    assert stored(settings) == []


def test_bytes_are_kept_packed_and_given_as_they_were(owner, settings, client):
    data = b"<html>" + b"wait event " * 100_000
    with closing(receive_chunks([data], "a.html")) as file:
        name = files.store(owner.team.pk, file)
    path = settings.MEDIA_ROOT / name
    assert path.stat().st_size < len(data) / 20
    with files.opened(name) as kept:
        assert kept.read() == data
    path.write_bytes(path.read_bytes()[:-5])  # as by a disk that failed
    with pytest.raises(FileNotFoundError), files.opened(name) as kept:
        kept.read()
    old = default_storage.save("reports/1/ab/of-an-older-version", ContentFile(data))
    with files.opened(old) as kept:
        assert kept.read() == data
    assert not list(settings.AWRDIFF_UPLOAD_DIR.glob("*"))


def test_a_file_that_older_versions_shared_goes_with_the_last_report(client, owner, settings):
    reports = [upload(client) for _ in range(2)]
    Report.objects.update(file=reports[0].file)
    services.delete(owner, [reports[0]])
    assert files.sweep() == 0
    assert default_storage.exists(reports[0].file)
    services.delete(owner, list(Report.objects.all()))
    assert files.sweep() == 1
    assert not default_storage.exists(reports[0].file)


def test_an_upload_that_was_killed_leaves_what_the_sweeper_finds(client, owner, settings):
    with closing(receive_chunks([b"half way"], "a.html")) as file:
        files.store(owner.team.pk, file)
    assert files.sweep() == 0
    assert len(stored(settings)) == 1
    LooseFile.objects.update(keep_until=timezone.now() - timedelta(seconds=1))
    assert files.sweep() == 1
    assert stored(settings) == []


def test_an_upload_that_the_sweeper_overtook_is_no_201(client, settings, monkeypatch):
    store = files.store

    def slowly(team, file):
        name = store(team, file)
        LooseFile.objects.all().delete()  # the sweeper came before the file was whole
        return name

    monkeypatch.setattr(files, "store", slowly)
    answer = client.post("/reports/", {"file": SimpleUploadedFile("a.html", b"x")}, headers=JSON)
    assert answer.status_code == 503
    assert "upload it again" in answer.json()["error"]
    assert not Report.objects.exists()
    files.sweep()
    assert stored(settings) == []


def test_a_storage_that_is_away_is_tried_again(client, owner, settings, monkeypatch):
    services.delete(owner, [upload(client)])

    def away(name):
        raise OSError("no storage")

    with monkeypatch.context() as broken:
        broken.setattr(default_storage, "delete", away)
        Turns().take()
    assert LooseFile.objects.count() == 1
    assert files.sweep() == 1


def test_the_sweeper_removes_files():
    assert files.sweep in [chore.run for chore in work_kinds.CHORES]


def test_a_report_in_no_comparison_can_be_deleted(client, settings):
    report = upload(client)
    assert client.post(f"/reports/{report.pk}/delete/", headers=JSON).status_code == 204
    assert client.get(f"/reports/{report.pk}/").status_code == 404
    files.sweep()
    assert stored(settings) == []
    answer = client.post(f"/reports/{upload(client).pk}/delete/")
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_a_report_that_a_comparison_uses_stays_and_says_where(client, owner, comparison):
    report = comparison.reports.first()
    type(comparison).objects.update(title="Slow Monday")
    answer = client.post(f"/reports/{report.pk}/delete/", headers=JSON)
    assert answer.status_code == 409
    assert answer.json()["error"] == f"“{report.name}” is part of a comparison (“Slow Monday”): delete that first."
    page = client.get(f"/reports/{report.pk}/").content.decode()
    assert "Slow Monday" in page
    assert "/delete/" not in page
    client.post(f"/comparisons/{comparison.pk}/swap/")  # a view of it, and no other comparison
    assert client.post(f"/reports/{report.pk}/delete/", headers=JSON).json() == answer.json()
    create_comparison(owner, [*comparison.reports.all(), store_report(owner, "c.html")], order_by_time=False)
    assert "2 comparisons" in client.post(f"/reports/{report.pk}/delete/", headers=JSON).json()["error"]


def test_the_button_asks_first(client, reports):
    page = client.get(f"/reports/{reports[0].pk}/").content.decode()
    assert f'action="/reports/{reports[0].pk}/delete/"' in page
    assert "<summary>Delete this report…</summary>" in page
    Report.objects.update(state="failed", error="It is no report.")
    assert "<summary>Delete this report…</summary>" in client.get(f"/reports/{reports[0].pk}/").content.decode()
