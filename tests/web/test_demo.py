"""Demo comparisons: made once, ready at once, kept up to what the folder holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.test import Client

from awrdiff.comparisons import demo
from awrdiff.comparisons.models import Comparison
from awrdiff.processing import sandbox
from awrdiff.processing.models import State
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from tests.web.builders import small_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path, settings, monkeypatch) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.AWRDIFF_UPLOAD_DIR = tmp_path / "uploads"
    monkeypatch.setattr(tasks, "parse_report", lambda data, name: small_report(name, waits=float(len(data))))
    (tmp_path / "one.html").write_bytes(b"1")
    (tmp_path / "two.html").write_bytes(b"22")
    write(tmp_path, entry())
    return tmp_path


def test_only_those_that_come_along_are_read_without_limits(folder, monkeypatch, owner):
    without_limits = []
    monkeypatch.setattr(demo, "_load_one", lambda *_: without_limits.append(sandbox._own_files.get()) or True)
    demo.load(owner, folder)
    monkeypatch.setattr(demo, "FOLDER", folder)
    demo.load(owner, folder)
    assert without_limits == [False, True]


def entry(**changes) -> dict:
    return {"slug": "demo", "title": "A demo", "note": "Invented.", "reports": ["one.html", "two.html"], **changes}


def write(folder: Path, *entries: dict) -> None:
    (folder / "demos.json").write_text(json.dumps(entries))


def load(folder: Path) -> None:
    call_command("load_demo", "--folder", str(folder), verbosity=0)


def test_a_demo_is_ready_at_once_and_on_the_first_page(folder):
    load(folder)
    made = Comparison.objects.get()
    assert (made.state, made.title, made.note, made.is_demo) == (State.READY, "A demo", "Invented.", True)
    assert b"A demo" in Client().get("/").content


def test_loading_again_changes_nothing(folder):
    load(folder)
    before = Comparison.objects.get()
    load(folder)
    assert Comparison.objects.get().updated_at == before.updated_at
    assert Report.objects.count() == 2


def test_a_changed_file_or_note_is_taken_over_and_a_gone_one_goes(folder):
    load(folder)
    first = Comparison.objects.get().pk
    (folder / "two.html").write_bytes(b"333")
    load(folder)
    second = Comparison.objects.get()
    assert second.pk != first
    write(folder, entry(note="Other words."))
    load(folder)
    assert Comparison.objects.get().note == "Other words."
    write(folder)
    load(folder)
    assert not Comparison.objects.exists()
    assert not Report.objects.exists()


def test_a_demo_that_failed_is_made_again(folder):
    load(folder)
    Comparison.objects.update(state=State.FAILED)
    load(folder)
    assert Comparison.objects.get().state == State.READY


def test_they_stand_on_the_first_page_in_the_order_of_the_listing(folder, monkeypatch):
    write(folder, *(entry(slug=slug, title=f"Demo {slug}") for slug in ("b", "c", "a")))
    monkeypatch.setattr(demo, "FOLDER", folder)
    demo.places.cache_clear()
    load(folder)
    shown = re.findall(r"Demo [abc](?=<)", Client().get("/").content.decode())
    demo.places.cache_clear()
    assert shown == ["Demo b", "Demo c", "Demo a"]


def test_without_a_listing_there_are_none(tmp_path):
    load(tmp_path)
    assert not Comparison.objects.exists()


def test_a_team_nobody_is_on(folder):
    with pytest.raises(CommandError, match="add_user"):
        call_command("load_demo", "--team", "Nobody")


def test_the_projects_own_demos_are_there():
    listing = json.loads((Path(django_settings.BASE_DIR) / "fixtures" / "demos.json").read_text())
    for one in listing:
        assert one["title"]
        assert len(one["reports"]) >= 2
        for report in one["reports"]:
            assert (Path(django_settings.BASE_DIR) / "fixtures" / report).is_file()
