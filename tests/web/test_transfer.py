"""A team as a zip and back: nothing that lets anybody in, and a hostile file makes nothing."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from awrdiff.accounts.models import Membership, Team
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.databases.models import Database
from awrdiff.pins import services as pins
from awrdiff.pins.models import Pin
from awrdiff.reports.models import LooseFile, Report
from awrdiff.reports.tasks import read_now
from awrdiff.transfer import jsonl_column_types, team_zip, untrusted_zip_reading
from awrdiff.transfer.team_zip import NotImported, import_team
from tests.web.conftest import context_of
from tests.web.pages import body
from tests.web.share import create_link
from tests.web.uploaded import uploaded_pair, uploading

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def world(lasting, folder) -> Comparison:
    with lasting(), uploading(folder, "olivia") as client:
        owner, colleague = context_of("olivia", "Payments"), context_of("carl", "Payments")
        made = uploaded_pair(client, "Slow <Monday>")
        pins.pin(owner, made, "init_parameters", baseline=BaselineSelection((0,), 1))
        pins.pin(colleague, made, "init_parameters")
    return made


@pytest.fixture
def client(sign_in, owner, world, folder, settings, tmp_path) -> Client:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    shutil.copytree(folder / "files", tmp_path / "files")
    return sign_in(owner)


@pytest.fixture
def pair(client, world) -> Comparison:
    return Comparison.objects.get(pk=world.pk)


@pytest.fixture
def file(client, pair, tmp_path) -> Path:
    path = tmp_path / "team.zip"
    path.write_bytes(body(client.get("/team/export.zip")))
    return path


def changed(file: Path, change) -> Path:
    """The same zip with other contents: `change` is given all by name."""
    with zipfile.ZipFile(file) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    change(entries)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(name, data)
    return file


def lines_of(entries: dict[str, bytes]) -> list[dict]:
    return [json.loads(line) for line in entries["team.jsonl"].splitlines()]


def with_line(number: int, **values: object):
    """Another value in the report, the comparison or the pin."""

    def change(entries):
        lines = lines_of(entries)
        kinds = ("report", "comparison", "pin")
        line = next(one for one in lines if kinds[number] in one)
        line.update(values)
        entries["team.jsonl"] = b"\n".join(json.dumps(one).encode() for one in lines)

    return change


class TestThereAndBack:
    def test_a_new_team_with_all_of_it(self, owner, pair, file):
        made = import_team(file, owner.user, name="Payments 2")
        assert made.counts == {"reports": 2, "comparisons": 1, "pins": 1}
        assert Pin.objects.get(team=made.team).baseline == "0/1"
        assert made.left_out == ()
        for report in Report.objects.filter(team=made.team):
            read_now(report.pk)
        found = Comparison.objects.get(team=made.team)
        compute_now(found.pk)
        found.refresh_from_db()
        assert found.is_ready, found.error
        assert (found.title, found.created_at.date()) == (pair.title, pair.created_at.date())
        before, after = (
            list(one.places.order_by("position").values_list("report__sha256", "aspect")) for one in (pair, found)
        )
        assert before == after
        assert Pin.objects.get(team=made.team).comparison == found
        assert list(Membership.objects.filter(team=made.team).values_list("user", "role")) == [(owner.user.pk, "owner")]
        assert not LooseFile.objects.exists()
        told = AuditLine.objects.filter(team=made.team).values_list("action", flat=True)
        assert {"made", "imported", "uploaded", "compared"} <= set(told)

    def test_pins_are_ones_own(self, owner, file, tmp_path):
        assert [line["by"] for line in _lines(file) if "pin" in line] == ["olivia"]
        whole = tmp_path / "whole.zip"
        whole.write_bytes(b"".join(team_zip.zip_of(owner.team)))
        assert sorted(line["by"] for line in _lines(whole) if "pin" in line) == ["carl", "olivia"]
        assert import_team(whole, owner.user, name="Payments 2").left_out[-1] == "1 pin of other people."

    def test_asking_how_large_it_is_exports_nothing(self, sign_in, client, colleague, pair):
        assert client.head("/team/export.zip").status_code == 200
        assert not AuditLine.objects.filter(action="exported").exists()
        assert sign_in(colleague).head("/team/export.zip").status_code == 403

    def test_nothing_in_it_lets_anybody_in(self, owner, client, pair, tmp_path):
        link, path = create_link(owner, pair, days=1)
        whole = body(client.get("/team/export.zip"))
        with zipfile.ZipFile(io.BytesIO(whole)) as packed:
            everything = b"".join(packed.read(name) for name in packed.namelist())
            assert sorted(name.partition("/")[0] for name in packed.namelist()) == [
                "awrdiff.json",
                "files",
                "files",
                "team.jsonl",
            ]
        owner.user.refresh_from_db()
        secrets = [link.token_hash, path.split("/")[2], owner.user.password or "!"]
        assert not any(secret.encode() in everything for secret in secrets if len(secret) > 1)
        assert AuditLine.objects.filter(action="exported", kind="team").exists()

    def test_a_report_without_its_file_is_named(self, client, owner, pair, tmp_path):
        Report.objects.filter(pk=pair.reports.first().pk).update(file="")
        path = tmp_path / "team.zip"
        path.write_bytes(body(client.get("/team/export.zip")))
        made = import_team(path, owner.user, name="Payments 2")
        assert made.summary == "1 report, 0 comparisons, 0 pins"
        assert "has no file any more" in made.left_out[0]

    def test_by_the_commands(self, owner, pair, file, tmp_path, capsys, monkeypatch):
        target = tmp_path / "by-command.zip"
        call_command("export_team", "Payments", str(target))
        assert target.stat().st_mode & 0o777 == 0o600
        with pytest.raises(CommandError, match="there already"):
            call_command("export_team", "Payments", str(target))
        with pytest.raises(CommandError, match="There is a team “Payments” already"):
            call_command("import_team", str(target), "--owner", "olivia")
        call_command("import_team", str(target), "--owner", "olivia", "--team", "Third")
        said = capsys.readouterr().out
        assert "2 reports, 1 comparison, 1 pin" in said
        assert "Left out: tags" not in said
        assert len(zipfile.ZipFile(target).namelist()) == 4
        for most, warned in ((4, False), (3, True)):
            for module in ("team_zip", "management.commands.export_team"):
                monkeypatch.setattr(f"awrdiff.transfer.{module}.MOST_ENTRIES", most)
            call_command("export_team", "Payments", str(tmp_path / f"{most}.zip"))
            assert ("more than 3 files" in capsys.readouterr().err) is warned
        Database.objects.create(team=owner.team, name="ORDERS", tags=["prod"])
        call_command("export_team", "Payments", str(tmp_path / "tagged.zip"))
        assert "Left out: tags" in capsys.readouterr().out
        for arguments in (("Nobody", str(target)),):
            with pytest.raises(CommandError, match="There is no team"):
                call_command("export_team", *arguments)
        (target.parent / "letter.zip").write_bytes(b"Dear all,")
        with pytest.raises(CommandError, match=r"not a zip file.* copy it again\. Nothing was imported\.$"):
            call_command("import_team", str(target.parent / "letter.zip"), "--owner", "olivia")
        with pytest.raises(CommandError, match="There is nobody called eve"):
            call_command("import_team", str(target), "--owner", "eve")

    def test_it_is_written_piece_by_piece(self, owner, pair, monkeypatch):
        monkeypatch.setattr(team_zip, "_CHUNK", 1024)
        pieces = [piece for piece in team_zip.zip_of(owner.team) if piece]
        assert len(pieces) > 3
        assert zipfile.ZipFile(io.BytesIO(b"".join(pieces))).testzip() is None

    def test_an_earlier_format_is_taken_in(self, owner, file):
        def earlier(entries):
            entries["awrdiff.json"] = entries["awrdiff.json"].replace(b'"format": 2', b'"format": 1')
            lines = [{k: v for k, v in line.items() if k != "thinned_at"} for line in lines_of(entries)]
            entries["team.jsonl"] = b"\n".join(json.dumps(line).encode() for line in lines)

        made = import_team(changed(file, earlier), owner.user, name="Payments 2")
        assert made.summary == "2 reports, 1 comparison, 1 pin"

    def test_the_worst_hour_that_was_left_of_a_day_is_no_normal_elsewhere_either(self, owner, client, pair, tmp_path):
        left = pair.reports.first()
        Report.objects.filter(pk=left.pk).update(thinned_at=left.created_at)
        (tmp_path / "left.zip").write_bytes(body(client.get("/team/export.zip")))
        made = import_team(tmp_path / "left.zip", owner.user, name="Payments 2")
        found = Report.objects.filter(team=made.team).exclude(thinned_at=None)
        assert list(found.values_list("sha256", "thinned_at")) == [(left.sha256, left.created_at)]

    def test_what_is_too_large_to_be_sent_is_said(self, client, pair, settings):
        settings.AWRDIFF_SPOOL_MB = 0
        answer = client.get("/team/export.zip", headers=JSON)
        assert answer.status_code == 409
        assert "export_team" in answer.json()["error"]


def _drop(name):
    return lambda entries: entries.pop(name)


def _put(name, data):
    return lambda entries: entries.update({name: data})


class TestHostile:
    """Nothing is made of what is refused."""

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (_drop("awrdiff.json"), "awrdiff.json is missing"),
            (_put("awrdiff.json", b'{"awrdiff": "team", "format": 99}'), "format 99"),
            (_put("awrdiff.json", b"[]"), "not a JSON document"),
            (_put("awrdiff.json", b'{"awrdiff": "other"}'), "not the export of a team"),
            (_put("awrdiff.json", b"[" * 60_000), "not a JSON document"),
            (_put("awrdiff.json", b" " * 70_000), "larger than"),
            (_drop("team.jsonl"), "team.jsonl is missing"),
            (_put("team.jsonl", b"nonsense"), "line 1 of team.jsonl"),
            (_put("team.jsonl", b"x" * 17_000_000), "longer than"),
            (with_line(0, report="../../etc/passwd"), "is not an id"),
            (with_line(0, report=7), "is not an id"),
            (with_line(0, sha256="0" * 64), "is not what was exported"),
            (with_line(0, sha256=[]), "is not a digest"),
            (with_line(0, name="x" * 256), "too long"),
            (with_line(0, at="yesterday"), "is not a time"),
            (with_line(1, places=[]), "no reports, or too many"),
            (with_line(1, places=[["a", ""]] * 25), "no reports, or too many"),
            (with_line(1, places=[["a", ""]] * 2), "is not an id"),
            (with_line(1, places=[[{}, ""]] * 2), "a place of a comparison"),
            (with_line(1, title={}), "is not a text"),
            (with_line(2, figures=[["a"]]), "is not a figure"),
            (with_line(2, pair=-1), "out of range"),
            (with_line(2, pair=True), "out of range"),
            (with_line(2, baseline="0,1"), "is not a view"),
            (with_line(2, baseline=["0/1"]), "is not a text"),
        ],
    )
    def test_what_is_not_as_an_export_writes_it(self, owner, file, change, said):
        changed(file, change)
        before = Team.objects.count(), Report.objects.count()
        with pytest.raises(NotImported, match=said):
            import_team(file, owner.user, name="Payments 2")
        assert (Team.objects.count(), Report.objects.count()) == before

    @pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all", b"PK\x05\x06" + b"\0" * 18])
    def test_what_is_no_zip(self, owner, tmp_path, data):
        path = tmp_path / "x.zip"
        path.write_bytes(data)
        with pytest.raises(NotImported):
            import_team(path, owner.user)

    @pytest.mark.parametrize("at", [0.1, 0.5, 0.9, 0.99])
    def test_one_that_is_cut_or_flipped(self, owner, file, at):
        whole = file.read_bytes()
        place = int(len(whole) * at)
        for broken in (whole[:place], whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]):
            file.write_bytes(broken)
            try:
                import_team(file, owner.user, name="Payments 2")
            except NotImported:
                continue
            Team.objects.filter(name="Payments 2").delete()  # a byte that means nothing was hit

    def test_a_bomb_is_not_unpacked_whole(self, owner, file, monkeypatch):
        pk = next(line["report"] for line in _lines(file) if "report" in line)
        changed(file, _put(f"files/{pk}", b"\0" * 30_000_000))
        with pytest.raises(NotImported, match="larger than"):
            import_team(file, owner.user, name="Payments 2")

    def test_files_that_lie_over_each_other(self, owner, file, monkeypatch):
        whole = file.stat().st_size
        monkeypatch.setattr(zipfile.ZipInfo, "compress_size", property(lambda _: whole, lambda *_: None), raising=False)
        with pytest.raises(NotImported, match="lie over each other"):
            import_team(file, owner.user, name="Payments 2")

    def test_two_files_of_one_name(self, owner, file):
        with zipfile.ZipFile(file, "a") as packed, pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("awrdiff.json", "{}")
        with pytest.raises(NotImported, match="two files of one name"):
            import_team(file, owner.user, name="Payments 2")

    def test_very_many(self, owner, file, monkeypatch):
        monkeypatch.setattr(untrusted_zip_reading, "MOST_ENTRIES", 3)
        with pytest.raises(NotImported, match="more than 3 files"):
            import_team(file, owner.user)

    def test_names_let_nobody_in_and_unknown_lines_are_left_alone(self, owner, stranger, file):
        def more(entries):
            entries["team.jsonl"] += b'{"person": "sten", "role": "owner"}\n{"later": 1}\n'

        made = import_team(changed(file, more), owner.user, name="Payments 2")
        assert not Membership.objects.filter(team=made.team, user=stranger.user).exists()

    def test_an_aspect_that_no_report_has(self, owner, pair, file):
        places = [[str(pk), "instance:9"] for pk in pair.reports.values_list("pk", flat=True)]
        made = import_team(changed(file, with_line(1, places=places)), owner.user, name="Payments 2")
        for report in Report.objects.filter(team=made.team):
            read_now(report.pk)
        found = Comparison.objects.get(team=made.team)
        compute_now(found.pk)
        found.refresh_from_db()
        assert found.is_failed
        assert "does not hold the part" in found.error


def _lines(file: Path) -> list[dict]:
    with zipfile.ZipFile(file) as packed:
        return lines_of({"team.jsonl": packed.read("team.jsonl")})


def test_a_link_that_was_taken_once_and_is_not_any_more_keeps_no_team_from_moving():
    assert jsonl_column_types.ADDRESS.read("https://somebody@tickets.example.com/7", "link") == ""
    assert jsonl_column_types.ADDRESS.read("https://tickets.example.com/7", "link") == "https://tickets.example.com/7"
