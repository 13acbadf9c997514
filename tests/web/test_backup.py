"""The file that a backup is, what is refused of one, and that no file goes while one is made."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sqlite3
import tarfile
from collections import deque
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from awrdiff import private_var_folder
from awrdiff.backup import archive, backup_and_restore, database
from awrdiff.backup.archive import BackupTrouble
from awrdiff.backup.management.commands import restore
from awrdiff.processing import heartbeats
from awrdiff.processing.models import Heartbeat
from awrdiff.reports import files, services
from awrdiff.reports.models import Report
from tests.web.test_files import client, upload
from tests.web.whole_team import peak_bytes

__all__ = ["client"]
pytestmark = pytest.mark.django_db
ENTRIES = tuple[str, bytes]


@pytest.fixture
def var(settings, tmp_path: Path) -> Path:
    settings.VAR = tmp_path / "var"
    settings.VAR.mkdir()
    return settings.VAR


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """As if nothing were there yet; what would become the database."""
    put: list[bytes] = []
    monkeypatch.setattr(database, "is_empty", lambda: True)
    monkeypatch.setattr(database, "put", lambda path: put.append(path.read_bytes()))
    return put


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite copies nothing within the transaction of a test."""

    def copy_to(path: Path) -> list[str]:
        path.write_bytes(b"a database")
        return list(Report.objects.exclude(file="").values_list("file", flat=True))

    monkeypatch.setattr(database, "copy_to", copy_to)


def manifest(**other: object) -> bytes:
    said = {
        "format": archive.FORMAT,
        "awrdiff": "9.9",
        "made_at": "2026-11-01T02:00:00+00:00",
        "database": database.kind(),
        "migrations": [],
        "key_mark": backup_and_restore.key_mark("another"),
    }
    return msgspec.json.encode({**said, **other})


def packed(
    *entries: ENTRIES, kinds: dict[str, bytes] | None = None, sizes: dict[str, int] | None = None, trailing: bytes = b""
) -> bytes:
    """`trailing` stands where the end is marked otherwise."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            entry.size = (sizes or {}).get(name, len(content))
            entry.type = (kinds or {}).get(name, tarfile.REGTYPE)
            entry.linkname = "/etc/passwd"
            if name in (sizes or {}):
                written.write(entry.tobuf(tarfile.GNU_FORMAT) + content)
            else:
                tar.addfile(entry, io.BytesIO(content))
        ends_at = written.tell()
    if trailing:
        written.seek(ends_at)
        written.truncate()
        written.write(trailing)
    return gzip.compress(written.getvalue())


def restored(content: bytes) -> backup_and_restore.Restored:
    return backup_and_restore.restore(io.BytesIO(content))


LONG_NAMES = (("long", b"x\0"),) * 2000
NO_PLAIN_FILES = (
    tarfile.LNKTYPE,
    tarfile.SYMTYPE,
    tarfile.CHRTYPE,
    tarfile.BLKTYPE,
    tarfile.DIRTYPE,
    tarfile.FIFOTYPE,
    tarfile.CONTTYPE,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.GNUTYPE_SPARSE,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    b"V",
)
WHOLE = (archive.DATABASE, b"a database"), ("files/reports/1/ab/plain", b"bytes")


def test_what_a_backup_holds_comes_back(var, empty, copied, client, settings, tmp_path):
    report = upload(client)
    made = backup_and_restore.make(tmp_path / "b.tar.gz")
    assert (made.files, made.missing) == (1, [])
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o777 == 0o600
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    for _ in range(2):  # a try that failed half-way is no hindrance
        assert restored((tmp_path / "b.tar.gz").read_bytes()).stored == {report.file}
    assert (settings.MEDIA_ROOT / report.file).exists()
    assert [p.relative_to(settings.MEDIA_ROOT).as_posix() for p in settings.MEDIA_ROOT.rglob("*-*")] == [report.file]


@pytest.mark.parametrize("kept", [gzip.compress(b"other bytes"), gzip.compress(b"the same bytes")[:-5], b"no gzip"])
def test_one_damaged_file_keeps_no_backup_from_coming_back(var, empty, kept, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    name = f"reports/1/ab/{hashlib.sha256(b'the same bytes').hexdigest()}-{'0' * 32}{files.PACKED}"
    found = restored(packed((archive.MANIFEST, manifest()), WHOLE[0], (f"files/{name}", kept)))
    assert (found.stored, found.damaged) == ({name}, [name])
    assert (settings.MEDIA_ROOT / name).read_bytes() == kept
    assert empty == [b"a database"]


def test_what_the_database_names_and_the_backup_has_not_is_said(client, var, empty, monkeypatch, tmp_path, capsys):
    report = upload(client)
    monkeypatch.setattr(database, "forget_signs_of_life", lambda: None)
    monkeypatch.setattr(restore, "call_command", lambda *_, **__: None)
    held = f"files/{report.file}", b"other bytes than its name says"
    for entries, said in (((WHOLE[0],), "was not in the backup"), ((WHOLE[0], held), "was damaged")):
        (tmp_path / "b.tar.gz").write_bytes(packed((archive.MANIFEST, manifest()), *entries))
        with pytest.raises(SystemExit, match="2"):
            call_command("restore", str(tmp_path / "b.tar.gz"))
        assert f"{report.file} {said}" in capsys.readouterr().err
    monkeypatch.setattr(backup_and_restore.Restored, "missing", lambda self: [])
    (tmp_path / "b.tar.gz").write_bytes(packed((archive.MANIFEST, manifest()), WHOLE[0]))
    call_command("restore", str(tmp_path / "b.tar.gz"))


def test_a_database_that_cannot_be_put_there_leaves_no_key(var, empty, monkeypatch):
    monkeypatch.delenv("AWRDIFF_SECRET_KEY", raising=False)

    def fails(_path: Path) -> None:
        raise BackupTrouble("pg_restore failed: no.")

    monkeypatch.setattr(database, "put", fails)
    with pytest.raises(BackupTrouble, match="pg_restore failed"):
        restored(packed((archive.MANIFEST, manifest()), (archive.KEY, b"the key of then"), *WHOLE))
    assert [path.name for path in var.iterdir()] == []


def test_a_file_that_is_damaged_in_the_storage_is_named(client, copied, var, tmp_path, capsys, settings):
    report = upload(client)
    (settings.MEDIA_ROOT / report.file).write_bytes(b"rotten")
    with pytest.raises(SystemExit, match="2"):
        call_command("backup", str(tmp_path / "b.tar.gz"))
    assert f"{report.file} holds other bytes" in capsys.readouterr().err


def test_a_restore_leaves_the_files_of_a_server_at_work_as_they_are(var, empty, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    backup = packed((archive.MANIFEST, manifest()), *WHOLE)
    for before in (b"BYTES", b"by"):  # one of its size is there; one that a try before this one did not end
        there = settings.MEDIA_ROOT / "reports/1/ab/plain"
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(before)
        restored(backup)
        assert there.read_bytes() == (before if len(before) == len(b"bytes") else b"bytes")


def test_what_is_cut_off_within_a_large_file_is_refused_with_a_sentence(var, empty):
    whole = packed((archive.MANIFEST, manifest()), ("database", os.urandom(1 << 20)), WHOLE[1])
    with pytest.raises(BackupTrouble, match="damaged one"):
        restored(whole[: len(whole) // 2])
    assert empty == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's own copy is tried in tests/processes")
@pytest.mark.django_db(transaction=True)
def test_the_database_is_that_of_one_moment_and_names_its_files(client, tmp_path):
    report = upload(client)
    assert database.copy_to(tmp_path / "copy") == [report.file]
    with closing(sqlite3.connect(tmp_path / "copy")) as copied:
        assert copied.execute("SELECT count(*) FROM reports_report").fetchone() == (1,)


def test_no_file_goes_while_one_is_made_and_all_of_them_afterwards(client, owner):
    services.delete(owner, [upload(client)])
    with heartbeats.beating(files.BACKUP, 60):
        Heartbeat.objects.create(part=f"{files.BACKUP}-1", host="another", at=timezone.now())
        assert files.sweep() == 0
    assert files.sweep() == 0  # the other one goes on
    Heartbeat.objects.update(at=timezone.now() - timedelta(seconds=files.BACKUP_S + 1))  # it was killed
    assert files.sweep() == 1


def test_a_file_that_goes_between_the_database_and_its_turn_is_copied(
    client, copied, owner, monkeypatch, tmp_path, var
):
    report = upload(client)
    copy_to = database.copy_to

    def then_somebody_deletes(path: Path) -> list[str]:
        names = copy_to(path)
        services.delete(owner, [Report.objects.get(pk=report.pk)])
        files.sweep()
        return names

    monkeypatch.setattr(database, "copy_to", then_somebody_deletes)
    made = backup_and_restore.make(tmp_path / "b.tar.gz")
    assert (made.files, made.missing) == (1, [])
    assert not Heartbeat.objects.filter(part__startswith=files.BACKUP).exists()
    assert files.sweep() == 1


def test_a_file_that_the_storage_lost_is_named(client, copied, var, tmp_path, capsys, settings):
    reports = [upload(client) for _ in range(2)]
    (settings.MEDIA_ROOT / reports[0].file).unlink()
    with pytest.raises(SystemExit, match="2"):
        call_command("backup", str(tmp_path / "b.tar.gz"))
    assert f"{reports[0].file} is not in the storage" in capsys.readouterr().err
    (settings.MEDIA_ROOT / reports[1].file).unlink()
    with pytest.raises(CommandError, match="is it mounted"):
        call_command("backup", str(tmp_path / "c.tar.gz"))
    assert not (tmp_path / "c.tar.gz").exists()


def test_one_that_is_there_is_not_overwritten_and_a_failure_leaves_nothing(var, copied, tmp_path, monkeypatch):
    target = tmp_path / "kept" / "b.tar.gz"
    target.parent.mkdir()
    target.write_bytes(b"yesterday's")
    with pytest.raises(CommandError, match="there already"):
        call_command("backup", str(target))
    assert target.read_bytes() == b"yesterday's"

    def fails(_path: Path) -> list[str]:
        raise BackupTrouble("pg_dump failed: no.")

    monkeypatch.setattr(database, "copy_to", fails)
    with pytest.raises(CommandError, match="pg_dump failed"):
        call_command("backup", str(target.parent))  # a folder: named by the time
    assert [path.name for path in target.parent.iterdir()] == ["b.tar.gz"]


def test_the_servers_key_goes_along_where_the_server_keeps_it(var, empty, copied, tmp_path, monkeypatch, settings):
    monkeypatch.delenv("AWRDIFF_SECRET_KEY", raising=False)
    (var / "secret_key").write_text("the key of then")
    settings.SECRET_KEY = "the key of then"
    backup_and_restore.make(tmp_path / "b.tar.gz")
    (var / "secret_key").unlink()
    assert not restored((tmp_path / "b.tar.gz").read_bytes()).is_key_another
    assert (var / "secret_key").read_text() == "the key of then"
    assert (var / "secret_key").stat().st_mode & 0o777 == 0o600
    (var / "secret_key").write_text("one of its own")
    with pytest.raises(BackupTrouble, match="another key"):
        restored((tmp_path / "b.tar.gz").read_bytes())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04 a zip", "no backup"),
        (b"", "no backup"),
        (packed(*WHOLE), "begin with a manifest"),
        (packed(("manifest.json", b"{"), *WHOLE), "manifest cannot be read"),
        (packed(("manifest.json", manifest(format=2)), *WHOLE), "later version"),
        (packed(("manifest.json", manifest(migrations=["reports.9999_later"])), *WHOLE), "later than this one"),
        (packed(("manifest.json", manifest(database="oracle")), *WHOLE), "of its kind"),
        (packed(("manifest.json", manifest()), WHOLE[1]), "holds no database"),
        (packed(("manifest.json", manifest()), *WHOLE)[:-9], "no backup"),
        (packed(("manifest.json", manifest()), ("../../home/x", b"x"), *WHOLE), "another name"),
        (packed(("manifest.json", manifest()), ("files/a/../../x", b"x"), *WHOLE), "another name"),
        (packed(("manifest.json", manifest()), ("files//etc/x", b"x"), *WHOLE), "another name"),
        (packed(("manifest.json", manifest()), (f"files/{'a' * 9000}", b"x"), *WHOLE), "else than files"),
        *(
            (packed(("manifest.json", manifest()), *WHOLE, kinds={WHOLE[1][0]: kind}), "else than files")
            for kind in NO_PLAIN_FILES
        ),
        (packed(("manifest.json", manifest()), *WHOLE, trailing=b"x" * 512), "no backup"),
        (packed(("manifest.json", manifest()), *WHOLE, trailing=bytes(512) + b"x" * 512), "more behind it"),
        (packed(("manifest.json", manifest()), ("files/a", b"x" * 512), *WHOLE, sizes={"files/a": 2000}), "no backup"),
        (packed(("manifest.json", manifest()), ("secret_key", b"k" * 5000), *WHOLE), "its key"),
        (packed(("manifest.json", manifest()), *WHOLE, WHOLE[0]), "database twice"),
        (packed(("manifest.json", manifest()), *WHOLE, WHOLE[1]), "plain twice"),
        (packed(("manifest.json", manifest()), *WHOLE, ("manifest.json", manifest())), "manifest.json twice"),
        (packed(("manifest.json", manifest()), *WHOLE) + gzip.compress(bytes(1 << 20)), "more behind it"),
        (packed(("manifest.json", manifest()), *WHOLE, sizes={WHOLE[1][0]: -512}), "else than files"),
        (
            packed(
                ("manifest.json", manifest()),
                *LONG_NAMES,
                WHOLE[0],
                kinds=dict.fromkeys(["long"], tarfile.GNUTYPE_LONGNAME),
            ),
            "else than files",
        ),
    ],
)
def test_what_is_no_backup_is_refused_with_a_sentence(var, empty, content, said, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    with pytest.raises(BackupTrouble, match=said):
        restored(content)
    assert empty == []
    assert [path.name for path in var.iterdir()] == []


def test_what_says_that_it_is_larger_than_the_disk_is_not_read(var, empty):
    with pytest.raises(OSError, match="disk is full"):
        restored(packed(("manifest.json", manifest()), WHOLE[0], WHOLE[1], sizes={WHOLE[1][0]: 1 << 60}))
    assert empty == []


@pytest.mark.hostile
def test_what_is_held_does_not_grow_with_the_number_of_files(var):
    def peak(files: int) -> int:
        backup = packed(("manifest.json", manifest()), *((f"files/{n}", b"") for n in range(files)))
        return peak_bytes(lambda: deque(archive.entries_of(io.BytesIO(backup)), 0) and None)

    assert peak(2000) - peak(500) < 1500 * 400


def test_damage_anywhere_is_found_before_the_database_is_put_in_place(var, empty, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"
    whole = packed(("manifest.json", manifest()), *WHOLE)
    for at in range(12, len(whole) - 8, 7):
        torn = bytearray(whole)
        torn[at] ^= 1
        with suppress(BackupTrouble):
            restored(bytes(torn))
    assert set(empty) <= {b"a database"}  # some bits say nothing
    assert len(empty) <= 2


def test_what_is_not_empty_or_at_work_is_left_alone(var, tmp_path):
    (tmp_path / "b.tar.gz").write_bytes(packed(("manifest.json", manifest()), *WHOLE))
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(tmp_path / "b.tar.gz"))
    with private_var_folder.only_one(var), pytest.raises(private_var_folder.FolderTrouble, match="already running"):
        call_command("restore", str(tmp_path / "b.tar.gz"))
