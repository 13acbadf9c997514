"""`manage.py import_reports s3://bucket/prefix`: what lies in a bucket is taken in as what lies in a folder is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import boto3
import pytest
from django.core.management import CommandError, call_command

from awrdiff import disk_space, storage_s3
from awrdiff.accounts.services import local_membership
from awrdiff.reports.models import Report
from tests.harness import s3
from tests.web.test_importing import PNG, of_database
from tests.web.test_storage import nowhere, store
from tests.web.test_uploads import archive, uploads

__all__ = ["store", "uploads"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("uploads")]
NIGHT = f"s3://{s3.BUCKET}/night/"


@pytest.fixture
def put(settings, store: s3.S3) -> Iterator[Callable[[str, bytes], None]]:
    settings.AWRDIFF_S3_ENDPOINT = store.url
    local_membership()
    client = boto3.client("s3", endpoint_url=store.url)
    yield lambda key, data: client.put_object(Bucket=s3.BUCKET, Key=key, Body=data)
    for key in store.names():
        client.delete_object(Bucket=s3.BUCKET, Key=key)


@pytest.fixture
def night(put) -> None:
    put("day/other.html", of_database(9))
    put("night/", b"")
    put("night/a.html", of_database(1))
    put("night/deep/same.html", of_database(1))
    put("night/.hidden.html", of_database(8))
    put("night/many.zip", archive({f"{n}.html": of_database(n) for n in range(2, 5)}))
    put("night/torn.zip", b"PK\x03\x04 torn")
    put("night/zz.png", PNG)


@pytest.mark.usefixtures("night")
def test_what_is_below_a_prefix_is_taken_in_once_and_a_bad_one_keeps_none_back(capsys):
    with pytest.raises(SystemExit):
        call_command("import_reports", NIGHT)
    out = capsys.readouterr()
    assert "4 new, 1 known, 2 refused" in out.out
    assert [line.split(": ")[0] for line in out.err.splitlines()] == [f"{NIGHT}torn.zip", f"{NIGHT}zz.png"]
    found = Report.objects.values_list("name", "archive", "in_bulk")
    assert set(found) == {("a.html", "", True), *((f"{n}.html", "many.zip", True) for n in range(2, 5))}
    with pytest.raises(SystemExit):
        call_command("import_reports", NIGHT)
    assert "0 new, 5 known, 2 refused" in capsys.readouterr().out


def test_what_came_in_whole_is_not_fetched_again(put, monkeypatch, capsys):
    put("night/a.html", of_database(1))
    put("night/many.zip", archive({f"{n}.html": of_database(n) for n in range(2, 4)}))
    fetched = []
    save = storage_s3.BucketObject.save
    monkeypatch.setattr(
        storage_s3.BucketObject, "save", lambda one, to: (fetched.append(one.name[len(NIGHT) :]), save(one, to))
    )

    def imported() -> list[str]:
        fetched.clear()
        call_command("import_reports", NIGHT)
        return [capsys.readouterr().out.partition(" refused")[0], *fetched]

    assert imported() == ["3 new, 0 known, 0", "a.html", "many.zip"]
    assert imported() == ["0 new, 3 known, 0"]
    put("night/a.html", of_database(5))
    assert imported() == ["1 new, 2 known, 0", "a.html"]
    Report.objects.filter(archive="many.zip").first().delete()
    assert imported() == ["1 new, 2 known, 0", "many.zip"]


@pytest.mark.usefixtures("night")
def test_one_that_s3_does_not_give_is_a_line_and_the_others_come(monkeypatch, capsys):
    listed = storage_s3.objects_below

    def gone(*given):
        for one in listed(*given):
            if one.name.endswith("a.html"):
                one.summary.Object().delete()
            yield one

    monkeypatch.setattr(storage_s3, "objects_below", gone)
    with pytest.raises(SystemExit):
        call_command("import_reports", NIGHT)
    out = capsys.readouterr()
    assert f"{NIGHT}a.html: S3 does not give it" in out.err
    assert "4 new, 0 known, 3 refused" in out.out


def test_a_prefix_may_end_amid_a_name(put, capsys):
    for key in ("night/2026-01.html", "night/2026-01/.hidden.html", "night/2026-01/b.html"):
        put(key, of_database(len(key)))
    call_command("import_reports", f"{NIGHT}2026-01")
    assert "2 new, 0 known, 0 refused" in capsys.readouterr().out
    assert set(Report.objects.values_list("name", flat=True)) == {"2026-01.html", "b.html"}


def test_what_the_disk_has_no_room_for_is_not_fetched(put, settings, monkeypatch):
    put("night/a.html", of_database(1))
    put("night/large.html", b"0" * 200_000)
    least = settings.AWRDIFF_MIN_FREE_MB << 20
    monkeypatch.setattr(disk_space, "free_bytes", lambda _folder: least + 150_000)
    with pytest.raises(CommandError, match=r"Stopped after 1 new.*large\.html"):
        call_command("import_reports", NIGHT)


def test_nothing_below_it_is_said(put, capsys):
    with pytest.raises(SystemExit):
        call_command("import_reports", f"s3://{s3.BUCKET}/mourning/")
    assert "The bucket has no file" in capsys.readouterr().err


@pytest.mark.parametrize("away", ["bucket", "store"])
def test_a_bucket_or_store_that_is_not_there_stops_it_with_what_is_in(settings, put, monkeypatch, away):
    for name in ("CONNECT_S", "ANSWER_S"):
        monkeypatch.setattr(storage_s3, name, 0.3)
    if away == "store":
        settings.AWRDIFF_S3_ENDPOINT = nowhere()
    with pytest.raises(CommandError, match=r"Stopped after 0 new.*(refuses|does not answer)"):
        call_command("import_reports", "s3://nobodys/night/")


def test_without_boto3_it_is_said_what_to_install(monkeypatch):
    local_membership()
    monkeypatch.setattr("awrdiff.reports.management.commands.import_reports.find_spec", lambda name: None)
    with pytest.raises(CommandError, match=r"requirements-s3\.txt"):
        call_command("import_reports", NIGHT)
