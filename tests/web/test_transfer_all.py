"""What was said of comparisons and of incidents goes along in the zip of a team: all of it, or it is said why not."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from django.db.models import Max
from django.test import Client
from django.utils import timezone

from awrdiff.accounts.models import Team, User
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents.models import Evidence, Incident, IncidentRole, SignOff, TimelineEvent, Verdict
from awrdiff.notices.models import Notice
from awrdiff.pins.models import Pin
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.reports.tasks import read_now
from awrdiff.threads import attachments
from awrdiff.threads.models import Agreement, Attachment, Comment, EarlierText, Thread, Turn
from awrdiff.transfer import team_zip, untrusted_zip_reading
from awrdiff.transfer.jsonl_column_types import MOMENT, MOMENT_OR_NONE, TYPED, TYPED_OR_NONE
from awrdiff.transfer.jsonl_row_kinds import Rows
from awrdiff.transfer.kinds import KINDS
from awrdiff.transfer.team_zip import NotImported, Outcome, import_team
from tests.unit.analysis.traces import trace_text
from tests.web.bad_lines import HOSTILE, often, without
from tests.web.conftest import context_of
from tests.web.test_traces import EVENTS
from tests.web.uploaded import upload, uploaded_pair, uploading
from tests.web.whole_team import PLACE, ROWS, alike, changed, fill, lines, of_kind, peak_bytes, zipped

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def world(lasting, folder) -> Comparison:
    """The comparison, with one of everything beside it; the team's zip is in the folder."""
    with lasting(), uploading(folder, "olivia") as client:
        owner, colleague = context_of("olivia", "Payments"), context_of("carl", "Payments")
        pair = uploaded_pair(client, "Monday")
        fill(owner, colleague, pair, upload(client, "lgwr.trc", trace_text(EVENTS).encode()))
        zipped(owner.team, folder / "team.zip")
    return pair


@pytest.fixture
def client(sign_in, owner, world, folder, settings, tmp_path) -> Client:
    settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
    shutil.copytree(folder / "files", tmp_path / "files")
    return sign_in(owner)


@pytest.fixture
def pair(client, world) -> Comparison:
    return Comparison.objects.get(pk=world.pk)


@pytest.fixture
def file(client, folder, tmp_path) -> Path:
    return Path(shutil.copy(folder / "team.zip", tmp_path))


def counted() -> dict[str, int]:
    return {kind.name: kind.model.objects.count() for kind in ROWS} | {"teams": Team.objects.count()}


class TestThereAndBack:
    def test_a_team_with_one_of_everything_is_the_same_elsewhere(self, owner, file, tmp_path):
        made = import_team(file, owner.user, name="Payments 2", same_people=True)
        assert made.left_out == ()
        before = lines(file)
        assert {next(iter(line)) for line in before} == {kind.name for kind in KINDS}
        after = lines(zipped(made.team, tmp_path / "again.zip"))
        assert alike(after, owner="olivia") == alike(before, owner="olivia")
        again = import_team(tmp_path / "again.zip", owner.user, name="Payments 3", same_people=True)
        assert again.counts == made.counts

    def test_what_it_is_then(self, client, owner, colleague, file):
        notices = Notice.objects.count()
        team = import_team(file, owner.user, name="Payments 2", same_people=True).team
        found = Comparison.objects.get(team=team)
        assert Thread.objects.filter(team=team, comparison=found).count() == 3
        said = Comment.objects.get(team=team, body="Because, @olivia.")
        old = Comment.objects.get(team=owner.team, body="Because, @olivia.")
        assert (said.author, said.created_at, said.edited_at) == (colleague.user, old.created_at, old.edited_at)
        assert said.client_key != old.client_key
        event = TimelineEvent.objects.get(incident__team=team, by_system=False)
        assert Thread.objects.filter(incident=event.incident, anchor=f"event-{event.pk}").count() == 1
        assert Thread.objects.get(team=team, title="All").is_from_outside
        assert said.earlier.get().replaced_at == old.earlier.get().replaced_at
        assert Agreement.objects.get(comment=said).user == owner.user
        assert Comment.objects.get(team=team, deleted_name="olivia").body == ""
        assert Verdict.objects.filter(team=team, is_current=True).count() == 2
        before, after = Postmortem.objects.order_by("pk")
        assert (after.version, after.is_frozen) == (before.version, True)
        assert after.reviewed_by == before.reviewed_by
        texts = [
            list(PostmortemSection.objects.filter(postmortem=one).order_by("key").values_list(*SECTION))
            for one in (before, after)
        ]
        assert texts[0] == texts[1]
        assert str(found.pk) in json.dumps(after.versions.first().live)
        assert not Turn.objects.filter(thread__team=team).exists()
        assert Notice.objects.count() == notices

    def test_the_pages_of_the_new_team(self, sign_in, owner, file):
        team = import_team(file, owner.user, name="Payments 2").team
        client = sign_in(owner)
        assert client.post(f"/teams/{team.pk}/").status_code == 302
        found, incident = Comparison.objects.get(team=team), Incident.objects.get(team=team)
        for ready in (False, True):
            if ready:
                traced = ReportTrace.objects.get(report__team=team).report
                for report in Report.objects.filter(team=team).order_by("name"):
                    read_now(report.pk)
                    self.opens(client, f"/reports/{traced.pk}/")  # its trace is read last
                compute_now(found.pk)
            self.opens(client, f"/comparisons/{found.pk}/")
            self.opens(client, f"/incidents/{incident.pk}/")
            self.opens(client, f"/incidents/{incident.pk}/postmortem/")
            self.opens(client, f"/incidents/{incident.pk}/postmortem/versions/")
            for thread in Thread.objects.filter(team=team, incident=None):
                self.opens(client, f"/comparisons/{found.pk}/threads/{thread.pk}/")
        assert 'id="trace-events"' in self.opens(client, f"/reports/{traced.pk}/")
        assert client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["title"] == "Slow <Monday>"

    @staticmethod
    def opens(client, path) -> str:
        answer = client.get(path, headers=HTML)
        assert answer.status_code == 200, (path, answer.content[:500])
        return answer.content.decode()

    def test_twice_makes_no_doubles(self, owner, file):
        import_team(file, owner.user, name="Payments 2")
        before = counted()
        with pytest.raises(NotImported, match="There is a team “Payments 2” already"):
            import_team(file, owner.user, name="Payments 2")
        assert counted() == before

    @pytest.mark.parametrize("same_people", [False, True])
    def test_people_who_are_not_here(self, owner, colleague, file, same_people):
        """Where nobody has the name, nor where a stranger has it, unless whoever imports says it is the same."""
        if same_people:
            User.objects.filter(pk=colleague.user.pk).update(username="someone-else")
        made = import_team(file, owner.user, name="Payments 2", same_people=same_people)
        (noted,) = TimelineEvent.objects.filter(incident__team=made.team).exclude(comparison=None)
        assert (noted.text, noted.comparison.team) == ("Comparison attached: Monday", made.team)
        said = Comment.objects.get(team=made.team, body="Because, @olivia.")
        assert (said.author, said.author_name) == (None, "carl")
        assert Thread.objects.get(team=made.team, anchor=PLACE).resolved_name == "carl"
        assert not IncidentRole.objects.filter(incident__team=made.team).exists()
        assert SignOff.objects.get(verdict__team=made.team).user == owner.user
        assert made.left_out == (
            "the sign-ins of “carl”, who are not known here; comments keep their names, other lines stand without one.",
            "1 role, of people who are not known here.",
        )
        theirs = [
            (kind.model, name)
            for kind in ROWS
            for name in kind.people()
            if kind.model.objects.filter(**{kind.team: made.team, name: colleague.user}).exists()
        ]
        assert theirs == []

    def test_a_report_without_its_file_takes_with_it_what_hangs_on_it(self, owner, pair, tmp_path):
        Report.objects.filter(pk=pair.reports.first().pk).update(file="")
        made = import_team(zipped(owner.team, tmp_path / "team.zip"), owner.user, name="Payments 2")
        assert not Thread.objects.filter(team=made.team).exclude(comparison=None).exists()
        assert Incident.objects.get(team=made.team).events.exists()
        live = json.dumps(Postmortem.objects.get(incident__team=made.team).versions.first().live)
        assert "Monday" in live
        assert str(pair.pk) not in live
        assert "3 threads, 5 comments" in made.left_out[1]

    def test_nothing_was_made_later_than_now(self, owner, file):
        """By a clock that went wrong, or somebody who wants to stand above everything: the file may come from anywhere.
        What people type of an incident may lie ahead."""
        clocks = [
            (kind, name, value in (MOMENT, MOMENT_OR_NONE))
            for kind in KINDS
            for name, value in getattr(kind, "values", {}).items()
            if value in (MOMENT, MOMENT_OR_NONE, TYPED, TYPED_OR_NONE)
        ]

        def ahead(found):
            for kind, name, _ in clocks:
                for line in of_kind(found, kind.name):
                    line[name] = line[name] and AHEAD

        team = import_team(changed(file, ahead), owner.user, name="Payments 2", same_people=True).team
        rows = [(one.model, one.team, name, made) for one, name, made in clocks if isinstance(one, Rows)]
        rows += [(model, "team", "created_at", True) for model in (Report, Comparison, Pin)]
        for model, way, name, made in rows:
            latest = model.objects.filter(**{way: team}).exclude(**{name: None}).aggregate(Max(name))[f"{name}__max"]
            assert latest is None or (latest <= timezone.now()) is made, (model, name)

    def test_what_hangs_on_what_is_not_in_the_zip_is_not_in_it_either(self, owner, pair, tmp_path):
        Comparison.objects.filter(pk=pair.pk).update(is_demo=True)
        path = zipped(owner.team, tmp_path / "team.zip")
        kinds = {next(iter(line)) for line in lines(path)}
        assert all("incident" in line for line in lines(path) if "thread" in line and "anchor" in line)
        assert not kinds & {"comparison", "evidence", "verdict", "attached_comparison"}
        assert {"incident", "event", "postmortem", "version"} <= kinds
        assert import_team(path, owner.user, name="Payments 2", same_people=True).left_out == ()

    def test_what_breaks_off_says_what_is_there(self, owner, file, monkeypatch):
        monkeypatch.setattr(team_zip, "AT_ONCE", 3)
        kind = next(kind for kind in ROWS if kind.name == "thread")
        monkeypatch.setattr(type(kind), "make", _fails_at(kind, type(kind).make))
        said = (
            r"broke off: the disk is full\. The team “Payments 2” holds what had come in until then: 3 .* 1 incident,"
        )
        with pytest.raises(NotImported, match=said):
            import_team(file, owner.user, name="Payments 2")
        assert Incident.objects.filter(team__name="Payments 2").exists()
        assert not Thread.objects.filter(team__name="Payments 2").exists()


AHEAD = "2199-01-01T00:00:00+00:00"
SECTION = ("key", "text", "number", "by_hand", "drafted")


def _fails_at(kind, make):
    def made(self, values, making):
        if self is kind:
            raise OSError("the disk is full")
        return make(self, values, making)

    return made


def test_what_a_format_before_had_swapped_is_of_the_pair_the_other_way_round(owner, file):
    def older(found):
        found[0]["format"] = 2
        for kind, swapped in (("thread", True), ("evidence", False)):
            of_kind(found, kind)[0].update(pair=0, swapped=swapped)

    team = import_team(changed(file, older), owner.user, name="Payments 2", same_people=True).team
    assert Thread.objects.filter(team=team, pair=REVERSE).count() == 1
    assert Comparison.objects.get(team=team).both_ways  # for that
    assert not Evidence.objects.filter(incident__team=team, pair=REVERSE).exists()


@pytest.mark.parametrize("hours", [-1, 1])
def test_of_judgements_of_both_ways_round_the_later_holds_with_its_sign_offs(owner, file, hours):
    def older(found):
        found[0]["format"] = 2
        signed = of_kind(found, "sign_off")[0]
        straight = next(one for one in of_kind(found, "verdict") if one["verdict"] == signed["verdict"])
        straight.update(is_current=True)
        at = datetime.fromisoformat(straight["at"]) + timedelta(hours=hours)
        other = {**straight, "verdict": "77", "state": "rejected", "swapped": True, "pair": 0, "at": at.isoformat()}
        straight.update(pair=REVERSE)
        found.insert(found.index(signed), other)
        found.insert(found.index(signed) + 1, {**signed, "sign_off": "77", "verdict": "77"})
        kept = of_kind(found, "evidence")[0]
        kept.update(pair=REVERSE, baseline="", note="straight")
        twin = {**kept, "evidence": "77", "swapped": True, "pair": 0, "note": "swapped"}
        found.insert(found.index(kept) + 1, twin)

    team = import_team(changed(file, older), owner.user, name="Payments 2", same_people=True).team
    both = Verdict.objects.filter(team=team, pair=REVERSE).order_by("at")
    assert [one.is_current for one in both] == [False, True]
    rejected = both.get(state="rejected")
    assert (rejected.is_current, rejected.sign_offs.count()) == (hours == 1, 1)
    assert Evidence.objects.get(incident__team=team, pair=REVERSE).note == "straight\nswapped"


def test_what_no_export_writes_is_refused_and_nothing_is_made(owner, file, tmp_path):
    before = counted(), Report.objects.count()
    for change, said in HOSTILE:
        odd = shutil.copy(file, tmp_path / "odd.zip")
        with pytest.raises(NotImported, match=said):
            import_team(changed(odd, change), owner.user, name="Payments 2")
        assert (counted(), Report.objects.count()) == before, said


def test_an_attached_file_is_looked_at_as_if_it_had_just_been_sent(owner, file, settings):
    """Bytes that no export would hold, with a digest that is right."""
    odd = {"waits.png": b"<svg onload='alert(1)'/>", "alert.log": b"MZ\x00\x01"}

    def change(found):
        for line in of_kind(found, "attachment"):
            data = odd[line["name"]]
            line["sha256"] = sha256(data).hexdigest()
            bytes_of[f"files/{line['attachment']}"] = data

    bytes_of: dict[str, bytes] = {}
    made = import_team(changed(file, change, bytes_of), owner.user, name="Payments 2", same_people=True)
    assert len(made.left_out) == 2
    assert "“waits.png” is no picture" in made.left_out[0]
    assert not Attachment.objects.filter(team=made.team).exists()
    assert not (settings.MEDIA_ROOT / "attachments" / str(made.team.pk)).exists()


def _with_text(owner, file, size: int) -> Outcome:
    """What is taken in of a team whose one log is lines of the same, as many bytes."""
    data = b"ORA-00060\n" * (size // 10)

    def change(found):
        (line,) = (line for line in of_kind(found, "attachment") if line["name"] == "alert.log")
        line["sha256"] = sha256(data).hexdigest()
        bytes_of[f"files/{line['attachment']}"] = data

    bytes_of: dict[str, bytes] = {}
    return import_team(changed(file, change, bytes_of), owner.user, name="Payments 2", same_people=True)


def test_an_attached_file_is_no_bomb_and_no_larger_than_one_that_is_sent(owner, file, monkeypatch):
    with pytest.raises(NotImported, match="is larger than"):
        _with_text(owner, file, 4_000_000)
    monkeypatch.setattr(untrusted_zip_reading, "MOST_TIMES", 10_000)
    assert "“alert.log” is larger than 5 MB" in _with_text(owner, file, 6_000_000).left_out[0]


def test_a_text_that_repeats_itself_goes_along(owner, file, tmp_path):
    event = TimelineEvent.objects.filter(incident__team=owner.team, attachments__name="waits.png").first()
    with attachments.storing(owner, [attachments.ReceivedFile("alert.log", b"-\n" * 2_000_000)]) as rows:
        attachments.attach(owner, rows, event)
    made = import_team(zipped(owner.team, tmp_path / "again.zip"), owner.user, name="Payments 2", same_people=True)
    assert Attachment.objects.filter(team=made.team, size=4_000_000).exists()


def test_what_may_be_there_once_is(owner, file):
    """Lines that say the same under other ids: they would break constraints of the database."""
    for kind in ("agreement", "evidence", "verdict", "sign_off", "role_of", "tag", "attached_comparison"):
        changed(file, often(kind, 1))
    made = import_team(file, owner.user, name="Payments 2", same_people=True)
    (said,) = made.left_out
    for what in ("1 agreement", "1 piece of evidence", "1 sign-off", "1 role", "1 tag", "1 attached comparison"):
        assert what in said
    assert Verdict.objects.filter(team=made.team, is_current=True).count() == 2


def test_an_anchor_that_nothing_is_at_stands_as_such(sign_in, owner, file):
    odd = "finding:<script>/../%00\u202e#&"
    changed(file, lambda found: [line.update(anchor=odd) for line in found if "anchor" in line])
    team = import_team(file, owner.user, name="Payments 2").team
    for report in Report.objects.filter(team=team):
        read_now(report.pk)
    found = Comparison.objects.get(team=team)
    compute_now(found.pk)
    client = sign_in(owner)
    assert client.post(f"/teams/{team.pk}/").status_code == 302
    incident = Incident.objects.get(team=team)
    for path in (f"/comparisons/{found.pk}/", f"/incidents/{incident.pk}/", f"/comparisons/{found.pk}/pins/"):
        answer = client.get(path, headers=HTML)
        assert answer.status_code == 200, path
        assert "<script>/" not in answer.content.decode()
    for thread in Thread.objects.filter(team=team, incident=None):
        answer = client.get(f"/comparisons/{found.pk}/threads/{thread.pk}/", headers=HTML)
        assert answer.status_code == 200


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["comment", "version", "event", "tag", "earlier_text", "edit"])
def test_pages_of_what_lacks_a_part(sign_in, owner, file, kind):
    """No export writes such a file; what it makes is shown all the same."""
    below = {"comment": ("earlier_text", "agreement", "attachment"), "event": ("edit", "attachment")}.get(kind, ())
    for one in (kind, *below):
        changed(file, without(one))
    team = import_team(file, owner.user, name="Payments 2").team
    found, incident = Comparison.objects.get(team=team), Incident.objects.get(team=team)
    for report in Report.objects.filter(team=team):
        read_now(report.pk)
    compute_now(found.pk)
    client = sign_in(owner)
    client.post(f"/teams/{team.pk}/")
    about, post = f"/comparisons/{found.pk}/", f"/incidents/{incident.pk}/postmortem/"
    threads = [f"{about}threads/{one.pk}/" for one in Thread.objects.filter(team=team, incident=None)]
    for path in (about, f"{about}threads/", *threads, f"/incidents/{incident.pk}/", post, f"{post}versions/", "/"):
        for accept in (HTML, JSON):
            assert client.get(path, headers=accept).status_code == 200, path


def test_more_values_than_a_line_has(owner, file, monkeypatch):
    changed(file, lambda found: found.append({"later": [[]] * 600_000}))
    with pytest.raises(NotImported, match="holds more than 1000000 values"):
        import_team(file, owner.user, name="Payments 2")


@pytest.mark.thorough
def test_what_is_held_does_not_grow_with_what_was_said(owner, pair, tmp_path):
    """Five thousand comments of a thousand characters are five megabytes: never more than a part of them at once."""
    each = 250
    threads = [Thread(team=owner.team, comparison=pair, anchor=PLACE, title=str(n)) for n in range(20)]
    Thread.objects.bulk_create(threads)
    random = Random(1)
    for thread in threads:
        Comment.objects.bulk_create(
            Comment(
                team=owner.team,
                thread=thread,
                author=owner.user,
                author_name="olivia",
                body=random.randbytes(500).hex(),
                client_key=uuid4(),
            )
            for _ in range(each)
        )
    path, said = tmp_path / "team.zip", Comment.objects.filter(team=owner.team).count()
    with path.open("wb") as target:
        written = peak_bytes(lambda: [target.write(piece) for piece in team_zip.zip_of(owner.team)] and None)
    taken = peak_bytes(lambda: import_team(path, owner.user, name="Payments 2"))
    assert Comment.objects.filter(team__name="Payments 2").count() == said > 20 * each
    assert written < 2_600_000, written
    assert taken < 5_300_000, taken


def test_earlier_texts_of_the_old_place_stay_there(owner, file):
    before = EarlierText.objects.filter(comment__team=owner.team).count()
    import_team(file, owner.user, name="Payments 2")
    assert EarlierText.objects.filter(comment__team=owner.team).count() == before == 1
