"""Who did what: a line in the transaction of what it tells of, ids only, never changed or deleted."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.models import Membership
from awrdiff.audit import services, triggers
from awrdiff.audit.models import AppendOnly, AuditLine
from awrdiff.audit.queries import LineFilter, lines_of
from awrdiff.comparisons import guest_access
from awrdiff.comparisons import services as comparisons
from tests.web.cast import cast_of
from tests.web.conftest import context_of, store_report
from tests.web.redacted import redacted_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.fixture
def cast(owner):
    return cast_of(owner)


def lines_by(**which) -> list[tuple[str, str, str]]:
    lines = AuditLine.objects.filter(**which).order_by("id")
    return list(lines.values_list("who", "action", "kind"))


def newest() -> tuple[str, str, str, str]:
    return AuditLine.objects.order_by("-id").values_list("who", "action", "kind", "thing")[0]


def me(access) -> str:
    return f"user {access.user.pk}"


class TestWhatIsTold:
    def test_uploads(self, sign_in, owner, settings, tmp_path):
        settings.AWRDIFF_UPLOAD_DIR, settings.MEDIA_ROOT = tmp_path / "uploads", tmp_path / "files"
        answer = sign_in(owner).post("/reports/", {"file": SimpleUploadedFile("a.html", b"<html>AWR")}, headers=JSON)
        assert newest() == (me(owner), "uploaded", "report", answer.json()["id"])

    def test_a_comparison_from_its_making_to_its_end(self, sign_in, owner, cast):
        client, pk = sign_in(owner), str(cast.comparison.pk)
        assert (me(owner), "compared", "comparison") in lines_by(thing=pk)
        client.post(f"/comparisons/{pk}/title/", {"title": "Monday"})
        assert newest() == (me(owner), "renamed", "comparison", pk)
        for path in ("export.csv", "pins.md"):
            client.get(f"/comparisons/{pk}/{path}")
            assert newest() == (me(owner), "exported", "comparison", pk)
        guest_access.hide(owner, cast.comparison, cast.guest.pk)
        guest_access.show(owner, cast.comparison, cast.guest.pk)
        guest_access.show(owner, cast.comparison, cast.guest.pk)
        assert [a for _, a, _ in lines_by(thing=pk)][-2:] == ["hidden", "shown"]
        reports = {str(one) for one in cast.comparison.reports.values_list("pk", flat=True)}
        client.post(f"/comparisons/{pk}/delete/")
        gone = set(AuditLine.objects.filter(action="deleted").values_list("kind", "thing"))
        assert gone == {("comparison", pk), *(("report", one) for one in reports)}

    def test_what_is_refused_leaves_no_line(self, sign_in, owner, cast):
        client = sign_in(owner)
        client.get(f"/comparisons/{cast.comparison.pk}/export.exe")
        assert "exported" not in [a for _, a, _ in lines_by()]
        with transaction.atomic():
            comparisons.rename(owner, cast.comparison, "Monday")
            transaction.set_rollback(True)
        assert "renamed" not in [a for _, a, _ in lines_by()]

    def test_who_saw_it_once_an_hour_for_each_person(self, sign_in, owner, colleague, cast):
        seen = {"kind": "comparison", "action": "saw"}
        for who in (owner, colleague):
            client = sign_in(who)
            for path in ("", "status/", "sections/foreground_wait_events/", "commit/"):
                assert client.get(f"/comparisons/{cast.comparison.pk}/{path}", headers=JSON).status_code == 200
        assert [w for w, _, _ in lines_by(**seen) if w.startswith("user")] == [me(owner), me(colleague)]

    def test_another_hour_is_another_line(self, owner, cast, monkeypatch):
        begin = timezone.now().replace(minute=59)
        for at in (begin, begin + timedelta(minutes=2)):
            monkeypatch.setattr(services.timezone, "now", lambda at=at: at)
            services.saw(owner, "comparison", cast.comparison.pk)
        assert [w for w, _, _ in lines_by(action="saw") if w.startswith("user")] == [me(owner)] * 2

    def test_a_share_link_is_named_by_its_id(self, accounts, client, owner, cast):
        made = lines_by(thing=str(cast.link.pk))
        assert made == [(me(owner), "shared", "link")]
        assert client.get(f"/s/{cast.token}/", headers=JSON).status_code == 200
        assert newest() == (f"link {cast.link.pk}", "saw", "comparison", str(cast.comparison.pk))
        client.get(f"/s/{cast.token}/export.csv")
        assert newest()[:3] == (f"link {cast.link.pk}", "exported", "comparison")
        assert cast.token not in str(list(AuditLine.objects.values()))

    def test_below_a_redacted_link_the_comparison_is_named_and_not_its_copy(self, accounts, client, owner, cast):
        link, path = redacted_link(owner, cast.comparison)
        assert client.get(path, headers=JSON).status_code == 200
        client.get(f"{path}export.csv")
        theirs = AuditLine.objects.filter(who=f"link {link.pk}").values_list("team", "action", "kind", "thing")
        mine = owner.team.pk
        known = str(cast.comparison.pk)
        assert list(theirs) == [(mine, action, "comparison", known) for action in ("saw", "exported")]
        assert set(AuditLine.objects.values_list("team", flat=True)) == {mine}

    def test_a_revoked_link_once(self, sign_in, owner, cast):
        for _ in range(2):
            sign_in(owner).delete(f"/links/{cast.link.pk}/")
        assert [a for _, a, _ in lines_by(thing=str(cast.link.pk))] == ["shared", "revoked"]

    def test_people(self, owner, colleague, cast):
        carl = Membership.objects.get(pk=colleague.membership)
        members_and_invitations.change_role(owner, carl, "owner")
        assert newest() == (me(owner), "role", "person", str(colleague.user.pk))
        members_and_invitations.remove(owner, carl)
        assert newest() == (me(owner), "removed", "person", str(colleague.user.pk))
        members_and_invitations.revoke(owner, cast.invitation)
        members_and_invitations.revoke(owner, cast.invitation)
        assert [a for _, a, _ in lines_by(thing=str(cast.invitation.pk))] == ["invited", "revoked"]

    def test_whoever_joins_and_leaves(self, owner, stranger, cast):
        members_and_invitations.accept(stranger.user, cast.invitation, signing_up=True)
        assert newest() == (me(stranger), "joined", "invitation", str(cast.invitation.pk))
        joined = context_of("sten", "Payments")
        members_and_invitations.remove(joined, Membership.objects.get(pk=joined.membership))
        assert newest() == (me(stranger), "left", "person", str(stranger.user.pk))

    def test_sign_ins_in_each_team_of_theirs(self, accounts, client, owner):
        context_of("olivia", "Ledger")
        owner.user.set_password("seven lamps of green tin")
        owner.user.save()
        client.post("/login/", {"login": "olivia", "password": "wrong"})
        assert lines_by() == []
        client.post("/login/", {"login": "olivia", "password": "seven lamps of green tin"})
        assert lines_by() == [(me(owner), "signed in", "person")] * 2
        assert AuditLine.objects.values("team").distinct().count() == 2

    def test_whoever_runs_the_server_alone_is_local(self, client):
        client.post("/reports/", {"file": SimpleUploadedFile("a.html", b"<html>AWR")}, headers=JSON)
        assert newest()[:3] == ("local", "uploaded", "report")


class TestAppendOnly:
    @pytest.fixture
    def line(self, owner) -> AuditLine:
        services.note(owner, "saw", "report", "1")
        return AuditLine.objects.get()

    def test_the_code_changes_and_deletes_none(self, line):
        for attempt in (
            line.save,
            line.delete,
            AuditLine.objects.all().delete,
            lambda: AuditLine.objects.update(who=""),
        ):
            with pytest.raises(AppendOnly):
                attempt()

    @pytest.mark.parametrize("statement", ["UPDATE audit_auditline SET who = ''", "DELETE FROM audit_auditline"])
    def test_nor_does_the_database(self, line, statement):
        triggers.drop(connection)
        triggers.make(connection)  # the tests' own database goes without it, so that it can be emptied
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        assert AuditLine.objects.count() == 1

    def test_it_outlives_what_it_tells_of(self, owner, colleague):
        services.note(colleague, "saw", "report", "1")
        was = me(colleague)
        colleague.user.delete()
        assert lines_by() == [(was, "saw", "report")]


class TestThePage:
    def test_it_is_for_owners(self, sign_in, owner, colleague, guest, stranger, cast):
        for who, status in ((owner, 200), (colleague, 403), (guest, 403), (stranger, 200)):
            assert sign_in(who).get("/audit/", headers=JSON).status_code == status
        other = sign_in(stranger).get("/audit/", headers=JSON).json()["lines"]
        assert {line["who"] for line in other} <= {me(stranger)}

    def test_it_names_people_as_long_as_they_are_there(self, sign_in, owner, colleague, cast):
        services.note(colleague, "saw", "person", "7")
        page = sign_in(owner).get("/audit/", headers=HTML).content.decode()
        assert f'<a href="?who=user+{colleague.user.pk}">carl</a>' in page
        was = me(colleague)
        colleague.user.delete()
        page = sign_in(owner).get("/audit/", headers=HTML).content.decode()
        assert f">{was}</a>" in page

    def test_its_lines_are_sentences(self, sign_in, owner, colleague, stranger):
        pk = uuid4()
        for action, kind in (
            ("saw", "incident"),
            ("compared", "comparison"),
            ("renamed", "team"),
            ("exported", "audit log"),
        ):
            services.note(owner, action, kind, pk)
        invitation, _ = members_and_invitations.invite(owner, "sten@example.com", "member", by_mail=False)
        members_and_invitations.accept(stranger.user, invitation, signing_up=True)
        call_command("add_user", "carl", "--team", owner.team.name, "--role", "guest")
        page = sign_in(owner).get("/audit/", headers=HTML).content.decode()
        text = " ".join(re.sub("<[^>]+>", " ", page).split())
        for said in (
            "olivia saw an incident",
            "olivia made a comparison",
            "olivia renamed the team",
            "olivia exported the audit log",
            "olivia sent an invitation",
            "sten joined by an invitation",
            "the server changed the role of carl",
        ):
            assert said in text

    def test_they_lead_to_what_they_tell_of(self, sign_in, owner):
        incident = uuid4()
        for thing in (incident, 7):  # the latter as they were written once
            services.note(owner, "changed", "post-mortem", thing)
        services.note(owner, "deleted", "report", uuid4())
        page = sign_in(owner).get("/audit/", headers=HTML).content.decode()
        assert f'<a href="/incidents/{incident}/postmortem/">a post-mortem</a>' in page
        assert page.count("a post-mortem</a>") == 1
        assert "a report</a>" not in page

    def test_what_is_asked_for(self, sign_in, owner, client, cast):
        client.get(f"/s/{cast.token}/", headers=JSON)
        client = sign_in(owner)
        for query, expected in (
            ("action=shared", {("shared", "link")}),
            ("who=links", {("saw", "comparison"), ("wrote", "thread")}),
            ("who=link", set()),
            ("kind=link", {("shared", "link")}),
            ("since=2001-01-01&until=2001-01-02", set()),
            ("action=shared&until=9999-12-31&since=nonsense", {("shared", "link")}),
            ("action=shared%00&before=x", {("shared", "link")}),
        ):
            lines = client.get(f"/audit/?{query}", headers=JSON).json()["lines"]
            assert (query, {(line["action"], line["kind"]) for line in lines}) == (query, expected)
            table = client.get(f"/audit/lines.csv?{query}").content.decode()
            assert len(list(csv.reader(io.StringIO(table)))) == len(lines) + 1, query

    def test_pages_lead_on_and_leave_nothing_out(self, sign_in, owner, django_assert_max_num_queries):
        services.note_all(owner, "saw", "person", range(250))
        client, seen, address = sign_in(owner), [], "/audit/?action=saw"
        while address:
            with django_assert_max_num_queries(6):
                answer = client.get(address, headers=JSON).json()
            seen += [line["thing"] for line in answer["lines"]]
            address = f"/audit/?action=saw&before={answer['before']}" if answer["before"] else ""
        assert seen == [str(n) for n in reversed(range(250))]
        page = client.get("/audit/?action=saw", headers=HTML).content.decode()
        assert "Older" in page
        assert "Newest" not in page

    def test_a_name_in_the_csv_is_no_formula(self, sign_in, owner):
        owner.user.username = "=HYPERLINK(1)"
        owner.user.save()
        services.note(owner, "saw", "person", "1")
        answer = sign_in(owner).get("/audit/lines.csv")
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        assert rows[0] == ["id", "at_utc", "who", "name", "action", "kind", "thing"]
        assert rows[1][3] == "'=HYPERLINK(1)"

    def test_taking_it_away_is_told_too(self, sign_in, owner):
        sign_in(owner).get("/audit/lines.csv")
        assert newest()[1:3] == ("exported", "audit log")


def test_reading_goes_on_where_the_database_takes_no_line(sign_in, owner, monkeypatch):
    report = store_report(owner)

    def refuse(*_args, **_kwargs):
        raise DatabaseError("read only")

    monkeypatch.setattr(AuditLine.objects, "bulk_create", refuse)
    assert sign_in(owner).get(f"/reports/{report.pk}/", headers=JSON).status_code == 200


@pytest.mark.skipif("connection.vendor != 'sqlite'")
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ({"who": "user 7"}, "audit_by_whom"), ({"action": "saw"}, "audit_by_action"),
        ({"kind": "link"}, "audit_by_kind"), ({"thing": "7"}, "audit_of_thing"),
    ],
)  # fmt: skip
def test_a_page_of_a_long_log_is_found_by_an_index_in_its_order(owner, wanted, index):
    plan = lines_of(owner, LineFilter(**wanted)).explain()
    assert index in plan
    assert "B-TREE" not in plan
