"""`manage.py import_reports`: what lies on the server is taken in, any number of files, each once."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.accounts.services import local_membership
from awrdiff.reports import bulk_import
from awrdiff.reports.errors import NoRoom
from awrdiff.reports.models import Report
from awrdiff.reports.unpack import TOGETHER
from tests.unit.parsers.reports import DATABASE, HOST, snapshots
from tests.unit.parsers.reports import report as report_bytes
from tests.web.test_uploads import uploads

__all__ = ["uploads"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("uploads")]
MANY = TOGETHER + 10
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 100


def of_database(number: int) -> bytes:
    return report_bytes(header=DATABASE.replace("INVENT", f"DB{number:05}") + HOST + snapshots())


@pytest.fixture
def access() -> AccessContext:
    one = local_membership()
    return AccessContext(one.team, one.user, role=one.role, membership=one.pk)


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """A folder with reports, one twice, more of them in an archive than an upload may hold, and three other files."""
    folder = tmp_path / "night"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.html").write_bytes(of_database(1))
    (folder / "deep" / "b.html").write_bytes(of_database(2))
    (folder / "deep" / "same.html").write_bytes(of_database(1))
    (folder / "empty.html").write_bytes(b"")
    (folder / "graph.png").write_bytes(PNG)
    (folder / "torn.zip").write_bytes(b"PK\x03\x04 torn")
    with zipfile.ZipFile(folder / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3, 3 + MANY):
            archive.writestr(f"{number}.html", of_database(number))
        archive.writestr("readme.png", PNG)
    return folder


def of_import(access: AccessContext, path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"new": [], "known": [], "refused": []}
    for taken in bulk_import.import_files(access, [path]):
        found[taken.became].append(Path(taken.name).name)
    return found


def test_every_file_is_taken_in_once_and_a_bad_one_keeps_none_back(access: AccessContext, night: Path):
    found = of_import(access, night)
    assert len(found["new"]) == 2 + MANY
    assert found["known"] == ["same.html"]
    assert set(found["refused"]) == {"empty.html", "graph.png", "torn.zip", "readme.png"}
    assert Report.objects.filter(team=access.team).count() == len(found["new"])
    assert not Report.objects.filter(in_bulk=False).exists(), "nobody waits for one of them"
    assert set(Report.objects.exclude(archive="").values_list("archive", flat=True)) == {"many.zip"}
    again = of_import(access, night)
    assert (again["new"], len(again["known"])) == ([], len(found["new"]) + 1)


def test_an_import_that_was_stopped_goes_on(access: AccessContext, night: Path):
    half = bulk_import.import_files(access, [night])
    taken = [next(half) for _ in range(20)]
    half.close()
    there = sum(one.became == "new" for one in taken)
    assert Report.objects.count() == there > 10
    assert len(of_import(access, night)["new"]) == 2 + MANY - there


def test_a_full_disk_stops_it_with_what_is_in(night: Path, monkeypatch):
    stored, store = [], bulk_import.services.store_uploads

    def full(access, incoming):
        if len(stored) == 5:
            raise NoRoom("The disk is full.")
        stored.append(incoming)
        return store(access, incoming)

    monkeypatch.setattr(bulk_import.services, "store_uploads", full)
    local_membership()
    with pytest.raises(CommandError, match="Stopped after 5 new") as stopped:
        call_command("import_reports", night)
    assert "disk is full" in str(stopped.value)
    assert Report.objects.count() == 5


def test_the_command_counts_names_what_it_refused_and_says_so(night: Path, capsys):
    local_membership()
    with pytest.raises(SystemExit) as ended:
        call_command("import_reports", night)
    assert ended.value.code == 2
    out = capsys.readouterr()
    assert "62 new, 1 known, 4 refused" in out.out
    assert len(out.err.splitlines()) == 4
    assert "graph.png: " in out.err
    call_command("import_reports", night / "a.html")
    assert "0 new, 1 known, 0 refused" in capsys.readouterr().out


def test_who_uploads_is_said_where_more_than_one_may(night: Path):
    team, other = Team.objects.create(name="Payments"), Team.objects.create(name="Orders")
    for name, role, of in (("nina", Role.OWNER, team), ("omar", Role.MEMBER, other), ("rita", Role.READER, team)):
        Membership.objects.create(team=of, user=User.objects.create(username=name), role=role)
    with pytest.raises(CommandError, match="More than one may"):
        call_command("import_reports", night / "a.html")
    with pytest.raises(CommandError, match="Nobody of this name"):
        call_command("import_reports", night / "a.html", person="rita")
    call_command("import_reports", night / "a.html", team="Orders")
    made = Report.objects.get()
    assert (made.team, made.uploaded_by.username) == (other, "omar")


def test_a_path_that_is_not_there(tmp_path: Path):
    local_membership()
    with pytest.raises(CommandError, match="no such file or folder"):
        call_command("import_reports", tmp_path / "gone")
