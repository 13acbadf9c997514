"""Uploaded files in S3, where it works, refuses and hangs; and on the disk before their row is there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from awrdiff import storage, storage_s3
from awrdiff.backup import database
from awrdiff.processing import heartbeats
from awrdiff.processing.models import State
from awrdiff.reports import files, retention, tasks
from awrdiff.reports.models import LooseFile, Report
from tests.harness import s3
from tests.harness.services import free_port
from tests.unit.parsers.reports import report as report_bytes
from tests.web.test_uploads import client, post, uploads

__all__ = ["client", "uploads"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("uploads")]


@pytest.fixture(scope="module")
def store() -> Iterator[s3.S3]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        made = s3.S3()
        made.start()
        made.make_bucket()
        yield made
        made.stop()


@pytest.fixture
def keep_in(settings, store, monkeypatch) -> Callable[..., None]:
    """Files are kept at an address from now on."""
    monkeypatch.setattr(storage_s3, "KNOWN_S", 0)

    def keep(url: str, bucket: str = s3.BUCKET) -> None:
        options = {"bucket_name": bucket, "endpoint_url": url, "file_overwrite": True}
        chosen = {"BACKEND": "awrdiff.storage_s3.S3Files", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "default": chosen}

    return keep


@pytest.fixture
def quick(monkeypatch):
    """A store that hangs is waited for less long."""
    for name in ("CONNECT_S", "ANSWER_S", "PROBE_S"):
        monkeypatch.setattr(storage_s3, name, 0.3)


def nowhere() -> str:
    return f"http://127.0.0.1:{free_port()}"


def ready() -> tuple[int, str]:
    for part in heartbeats.PARTS:
        heartbeats.beat(part)
    answer = Client().get("/readyz", headers={"Host": "probe.example"})
    return answer.status_code, answer.json()["storage"]


def refused(client: Client) -> str:
    """The sentence of an upload that is not kept."""
    answer = post(client, report_bytes())
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert not Report.objects.exists()
    sentence = answer.json()["error"]
    assert "nothing was uploaded" in sentence
    return sentence


def test_from_upload_to_removal(client, store, keep_in):
    keep_in(store.url)
    data = report_bytes() + b"<!-- " + b"x" * 9_000_000 + b" -->"  # sent in parts
    report = Report.objects.get(pk=post(client, data).json()["id"])
    assert report.file in store.names()
    with files.opened(report.file) as kept:
        assert kept.read() == data
    assert ready() == (200, "ok")
    files.loosen([report.file])
    Report.objects.all().delete()
    assert files.sweep() == 1
    assert report.file not in store.names()


def test_what_was_uploaded_is_read(client, store, keep_in):
    keep_in(store.url)
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    tasks.read_now(report.pk)
    report.refresh_from_db()
    assert (report.state, report.db_name) == (State.READY, "INVENT")


def test_a_store_that_is_not_there(client, keep_in, quick):
    keep_in(nowhere())
    assert "does not answer" in refused(client)
    assert ready() == (503, "silent")


def test_one_that_hangs_is_asked_twice_and_not_waited_for(client, keep_in, quick):
    with s3.hanging() as (url, taken):
        keep_in(url)
        began = time.monotonic()
        assert "does not answer" in refused(client)
        assert time.monotonic() - began < 2 * storage_s3.ANSWER_S + 4
        assert len(taken) == 2
        began = time.monotonic()
        assert ready() == (503, "silent")
        assert time.monotonic() - began < storage_s3.PROBE_S + 1


@pytest.mark.parametrize("status", [403, 500, 503])
def test_one_that_refuses(client, keep_in, status):
    with s3.refusing(status) as url:
        keep_in(url)
        assert "refuses" in refused(client)
        assert ready() == (503, "refusing")


def test_a_bucket_that_is_not_there_has_lost_no_file(client, store, keep_in):
    keep_in(store.url)
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    keep_in(store.url, "another")
    assert ready() == (503, "refusing")
    tasks.read_now(report.pk)
    report.refresh_from_db()
    assert (report.state, report.error_code) == (State.PENDING, "")


def test_a_file_that_is_not_there_is_lost(client, store, keep_in):
    keep_in(store.url)
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    default_storage.delete(report.file)
    tasks.read_now(report.pk)
    report.refresh_from_db()
    assert (report.state, report.error_code) == (State.FAILED, "file-lost")


def test_work_waits_for_the_store_and_does_not_fail(client, store, keep_in, quick, caplog):
    """However often it is tried meanwhile."""
    keep_in(store.url)
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    keep_in(nowhere())
    for _ in range(4):
        tasks.read_now(report.pk)
        report.refresh_from_db()
        assert (report.state, report.failures, report.interruptions) == (State.PENDING, 0, 0)
        assert report.due_at > timezone.now()
    assert "Traceback" not in caplog.text
    keep_in(store.url)
    tasks.read_now(report.pk)
    report.refresh_from_db()
    assert report.state == State.READY


def test_the_sweeper_holds_no_transaction_while_it_waits(keep_in, quick):
    with s3.hanging() as (url, taken):
        keep_in(url)
        files.loosen(["reports/1/a", "reports/1/b"])
        assert files.sweep() == 0
        assert len(taken) == 1
    assert LooseFile.objects.count() == 2


@pytest.fixture
def sick(store, keep_in) -> Iterator[SimpleNamespace]:
    """The store, with somebody between who has it refuse and dawdle."""
    with s3.through(store.url) as state:
        keep_in(state.url)
        yield state


def test_one_that_asks_to_go_slower_is_asked_once_more(client, store, sick, settings):
    left = [503]
    sick.instead = lambda method, _path: left.pop() if method == "PUT" and left else None
    first = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    assert first.file in store.names()
    Report.objects.all().delete()
    sick.instead = lambda method, _path: 503 if method == "PUT" else None
    assert "refuses" in refused(client)
    sick.instead = lambda _method, _path: None
    LooseFile.objects.update(keep_until=timezone.now())  # of the upload that was refused
    assert files.sweep() == 1
    assert post(client, report_bytes()).status_code == 201


def test_a_slow_one_is_waited_for(client, store, sick, quick):
    sick.slow_s = 0.2
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    tasks.read_now(report.pk)
    report.refresh_from_db()
    assert report.state == State.READY


def test_one_that_sends_a_file_by_drips_is_given_up(client, store, sick, monkeypatch):
    """Each byte comes in time, and the last of them after an hour."""
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    monkeypatch.setattr(storage_s3, "FETCH_S", 0.4)
    monkeypatch.setattr(storage_s3, "SLOWEST_BYTES_PER_S", 1 << 30)
    sick.drip_s = 0.05
    begun = time.monotonic()
    with pytest.raises(storage.StorageAway), files.opened(report.file):
        pass
    with pytest.raises(storage.StorageAway), BytesIO() as into:
        storage_s3.fetch(f"s3://{s3.BUCKET}/{report.file}", sick.url, into)
    assert time.monotonic() - begun < 6
    sick.drip_s = 0.0
    with files.opened(report.file) as file:
        assert file.read() == report_bytes()


def test_a_file_that_may_not_be_removed_keeps_no_other(client, store, sick, settings, caplog):
    """As where an object is locked: the bucket answers, and so do all others."""
    settings.AWRDIFF_KEEP_UPLOADS_DAYS = 1
    for _ in range(3):
        tasks.read_now(post(client, report_bytes()).json()["id"])
    Report.objects.update(created_at=timezone.now() - timedelta(days=2))
    kept = list(Report.objects.order_by("pk").values_list("file", flat=True))
    assert retention.remove_old_files() == 3
    first = LooseFile.objects.order_by("pk").first().name
    sick.instead = lambda method, path: 403 if method == "DELETE" and first in path else None
    assert (files.sweep(), files.sweep()) == (0, 2)
    assert set(store.names()) & set(kept) == {first}
    assert first in caplog.text
    assert "Traceback" not in caplog.text
    sick.instead = lambda _method, _path: None
    assert files.sweep() == 1
    assert not LooseFile.objects.exists()


@pytest.mark.parametrize("status", [403, 503])
def test_a_backup_that_is_not_taken_is_said_and_leaves_nothing(store, sick, settings, tmp_path, monkeypatch, status):
    settings.VAR, settings.AWRDIFF_S3_ENDPOINT = tmp_path, sick.url
    key = f"kept/{status}.tar.gz"
    monkeypatch.setattr(database, "copy_to", lambda path: path.write_bytes(b"a database") and [])
    for refused_ones in (("PUT",), ("HEAD",)):
        sick.instead = lambda method, _path, ones=refused_ones: status if method in ones else None
        with pytest.raises(CommandError, match="The storage is away, and no backup was made"):
            call_command("backup", f"s3://{s3.BUCKET}/{key}")
    assert list(tmp_path.iterdir()) == []
    assert key not in store.names()
    sick.instead = lambda _method, _path: None
    call_command("backup", f"s3://{s3.BUCKET}/{key}")
    assert key in store.names()


def test_no_page_names_the_store(client, keep_in, quick):
    url = nowhere()
    keep_in(url)
    page = client.post("/reports/", {"file": []}, headers={"Accept": "text/html"})
    assert page.status_code == 400
    assert url not in refused(client)


def test_a_file_and_its_folders_are_on_the_disk_before_their_row(client, settings, monkeypatch):
    synced: dict[str, int] = {}
    fsync = os.fsync

    def counted(descriptor: int) -> None:
        fsync(descriptor)
        synced.setdefault(str(Path(f"/proc/self/fd/{descriptor}").readlink()), Report.objects.count())

    monkeypatch.setattr(storage.os, "fsync", counted)
    report = Report.objects.get(pk=post(client, report_bytes()).json()["id"])
    path = Path(settings.MEDIA_ROOT).resolve() / report.file
    way = [path, *path.parents][: len(Path(report.file).parts) + 2]
    assert {str(place): 0 for place in way} == synced


def test_a_disk_on_which_nothing_can_be_kept(settings, tmp_path):
    (tmp_path / "no folder").touch()
    settings.MEDIA_ROOT = tmp_path / "no folder"
    assert ready() == (503, "not writable")


def test_a_folder_that_cannot_be_written_to_is_a_storage_that_is_away(client, settings, tmp_path):
    """As where its disk is not mounted: no fault of the server's own, and nothing was kept."""
    (tmp_path / "files").write_text("no folder")
    chosen = {"BACKEND": "awrdiff.storage.SyncedFiles", "OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = {**settings.STORAGES, "default": chosen}
    assert "refuses to work" in refused(client)
    assert ready() == (503, "not writable")
