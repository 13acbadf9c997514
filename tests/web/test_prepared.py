"""What is started by itself, web server, worker or sweeper, says what `manage.py prepare` was to do, and does not start
without it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from unittest.mock import MagicMock, Mock

import pytest
from celery.signals import celeryd_init
from django.contrib.staticfiles.finders import FileSystemFinder
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder

from awrdiff import celery_app
from awrdiff.serving import startup_preparation
from awrdiff.web.management.commands import prepare

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def up_to_date(monkeypatch, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    monkeypatch.setattr(startup_preparation, "pending_migrations", list)
    monkeypatch.setattr(startup_preparation.connection, "close", lambda: None)  # the test's own


def test_what_is_prepared_starts():
    startup_preparation.refuse_unprepared()
    startup_preparation.fingerprint_file().write_text(startup_preparation.fingerprint())
    startup_preparation.refuse_unprepared()


def test_pending_migrations_are_named_and_what_to_do(monkeypatch):
    monkeypatch.setattr(
        startup_preparation, "pending_migrations", lambda: ["socialaccount.0001_initial", "socialaccount.0002_token"]
    )
    with pytest.raises(ImproperlyConfigured, match=r"socialaccount\.0001_initial and 1 more.*manage\.py prepare"):
        startup_preparation.refuse_unprepared()


def test_tables_are_made_only_where_there_are_none(monkeypatch):
    assert not startup_preparation.make_tables()
    calls = Mock()
    monkeypatch.setattr(prepare, "call_command", calls)
    monkeypatch.setattr(startup_preparation, "pending_migrations", lambda: ["reports.0009_weight"])
    call_command("prepare")
    assert calls.call_args_list[0].args == ("migrate",)


def applied(monkeypatch, app: str, name: str) -> None:
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _: {(app, name): None})


def test_a_database_of_a_later_version_is_refused(monkeypatch):
    applied(monkeypatch, "reports", "9999_of_2031")
    for refuse in (
        startup_preparation.refuse_unprepared,
        startup_preparation.refuse_unmigrated,
        lambda: call_command("prepare"),
    ):
        with pytest.raises(ImproperlyConfigured, match=r"by a later awrdiff \(it has reports\.9999_of_2031\)"):
            refuse()
    monkeypatch.setattr(celery_app, "own_folder", lambda: None)
    with pytest.raises(SystemExit, match=r"awrdiff: The database was brought up to date by a later awrdiff"):
        celeryd_init.send(None)
    with pytest.raises(ImproperlyConfigured, match="by a later awrdiff"):
        call_command("sweep", "--once")


def test_what_another_program_migrated_beside_is_no_later_version(monkeypatch):
    applied(monkeypatch, "socialaccount", "9999_theirs")
    startup_preparation.refuse_unprepared()


@pytest.fixture
def one_pending(monkeypatch):
    monkeypatch.setattr(startup_preparation, "pending_migrations", lambda: ["reports.0009_weight"])


def test_a_worker_does_not_start_without_them(monkeypatch, one_pending):
    monkeypatch.setattr(celery_app, "own_folder", lambda: None)
    with pytest.raises(SystemExit, match=r"awrdiff: The database is not up to date \(reports\.0009_weight\)"):
        celeryd_init.send(None)
    monkeypatch.setattr(startup_preparation, "pending_migrations", list)
    celeryd_init.send(None)


def test_a_sweeper_does_not_start_without_them(one_pending):
    with pytest.raises(ImproperlyConfigured, match=r"not up to date \(reports\.0009_weight\)"):
        call_command("sweep", "--once")


def test_styles_that_were_never_collected_are_missed(settings):
    manifest = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": manifest}
    with pytest.raises(ImproperlyConfigured, match=r"not been collected.*manage\.py prepare"):
        startup_preparation.refuse_unprepared()
    (settings.STATIC_ROOT / "staticfiles.json").write_text('{"paths": {}, "version": "1.1", "hash": "x"}')
    startup_preparation.refuse_unprepared()


def test_static_files_of_another_version_are_refused():
    startup_preparation.fingerprint_file().write_text("of another version")
    with pytest.raises(ImproperlyConfigured, match=r"Styles and scripts.*manage\.py prepare"):
        startup_preparation.refuse_unprepared()


@pytest.fixture
def release(settings, tmp_path, monkeypatch):
    """Collects the files of a release; the hashed name of each."""
    manifest = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": manifest}
    settings.STATIC_ROOT = tmp_path / "static"
    sources = tmp_path / "sources"
    settings.STATICFILES_DIRS = [sources]
    monkeypatch.setattr(collectstatic, "get_finders", lambda: [FileSystemFinder()])
    monkeypatch.setattr(startup_preparation, "get_finders", lambda: [FileSystemFinder()])

    def collected(**files: str) -> dict[str, str]:
        shutil.rmtree(sources, ignore_errors=True)
        sources.mkdir()
        for name, content in files.items():
            (sources / f"{name}.css").write_text(content * 100)
        prepare.Command()._collect_static()
        named = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())["paths"]
        return {name.removesuffix(".css"): hashed for name, hashed in named.items()}

    return collected


def files_of(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()} - {".collected", ".staticfiles-before.json", "staticfiles.json"}


def whole(*names: str) -> set[str]:
    return {f"{name}{packed}" for name in names for packed in ("", ".gz")}


def test_the_files_of_the_release_before_stay_and_older_ones_go(release, settings):
    first = release(page="a { color: red }", gone="b { color: blue }")
    second = release(page="a { color: green }")
    root = settings.STATIC_ROOT
    kept = whole("page.css", first["page"], first["gone"], second["page"])
    assert files_of(root) == kept
    assert (root / "page.css").read_text() == "a { color: green }" * 100
    startup_preparation.fingerprint_file().unlink()
    release(page="a { color: green }")  # the same release once more
    assert files_of(root) == kept
    third = release(page="a { color: black }")
    assert files_of(root) == whole("page.css", second["page"], third["page"])
    assert [path.name for path in root.parent.iterdir() if path.name.startswith(".static-")] == []


def test_files_packed_by_brotli_stay_as_long_as_what_they_pack(release, settings):
    first = release(page="a { color: red }")["page"]
    packed = settings.STATIC_ROOT / f"{first}.br"
    packed.touch()
    release(page="a { color: green }")
    assert packed.is_file()
    release(page="a { color: black }")
    assert not packed.exists()


def test_the_manifest_comes_after_the_files_it_names(release, monkeypatch):
    replace, moved = Path.replace, []
    monkeypatch.setattr(Path, "replace", lambda path, to: moved.append(path.name) or replace(path, to))
    release(page="a { color: red }", zone="b { color: blue }")
    assert len(moved) > 5
    assert moved[-1] == "staticfiles.json"


def test_another_storage_of_the_same_files_is_another_version(settings):
    before = startup_preparation.fingerprint()
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "another"}}
    assert startup_preparation.fingerprint() != before


def test_folders_that_hold_nothing_any_more_go(release, settings):
    root = settings.STATIC_ROOT
    deepest = root / "old" / "charts"
    deepest.mkdir(parents=True)
    (deepest / "axis.css").write_text("a { color: red }")
    release(page="a { color: red }")
    assert [path.name for path in root.iterdir() if path.is_dir()] == []


def test_what_both_releases_name_is_there_at_every_moment(release, settings, monkeypatch):
    shared = release(page="a { color: red }", more="x")["page"]
    there = settings.STATIC_ROOT / shared
    collect = collectstatic.Command.collect

    def watched(command):
        collected = collect(command)
        assert there.is_file()
        return collected

    monkeypatch.setattr(collectstatic.Command, "collect", watched)
    unlink = Path.unlink
    removed = []
    monkeypatch.setattr(Path, "unlink", lambda path, **how: removed.append(path) or unlink(path, **how))
    assert release(page="a { color: red }", more="y")["page"] == shared
    assert there.is_file()
    assert there not in removed


def test_a_database_that_is_away_may_come(monkeypatch):
    def away():
        raise OperationalError("connection refused")

    monkeypatch.setattr(startup_preparation, "pending_migrations", away)
    startup_preparation.refuse_unprepared()


def test_a_database_that_comes_late_is_waited_for(monkeypatch):
    errors = [OperationalError("starting up"), OperationalError("nobody there")]

    def connect():
        if errors:
            raise errors.pop()

    monkeypatch.setattr(prepare.connection, "ensure_connection", connect)
    monkeypatch.setattr(prepare.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(prepare.Command, "_collect_static", lambda self: None)
    call_command("prepare", wait=60)
    assert not errors


def test_without_being_told_so_it_waits_for_none(monkeypatch):
    monkeypatch.setattr(prepare.connection, "ensure_connection", Mock(side_effect=OperationalError("nobody there")))
    with pytest.raises(OperationalError, match="nobody there"):
        call_command("prepare")


@pytest.mark.parametrize("command", [("prepare",), ("restore", "none.tar.gz")])
def test_an_empty_database_that_has_no_place_for_every_letter_is_refused(monkeypatch, command):
    cursor = MagicMock()
    cursor.__enter__.return_value.fetchone.return_value = ("SQL_ASCII",)
    monkeypatch.setattr(startup_preparation, "connection", Mock(vendor="postgresql", cursor=lambda: cursor))
    monkeypatch.setattr(startup_preparation, "pending_migrations", lambda: [startup_preparation.FIRST_MIGRATION])
    with pytest.raises(ImproperlyConfigured, match=r"keeps text as SQL_ASCII.*--encoding UTF8"):
        call_command(*command)
    assert [call.args for call in cursor.__enter__.return_value.execute.mock_calls] == [("SHOW server_encoding",)]


def test_one_that_is_in_use_is_served_as_it_was(monkeypatch):
    monkeypatch.setattr(startup_preparation, "refuse_encoding", Mock(side_effect=AssertionError))
    monkeypatch.setattr(prepare, "call_command", Mock())
    monkeypatch.setattr(prepare.Command, "_collect_static", lambda self: None)
    monkeypatch.setattr(startup_preparation, "pending_migrations", lambda: ["reports.0009_weight"])
    call_command("prepare")
