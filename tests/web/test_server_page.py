"""Whoever administers the server sees all teams, sets quotas that hold where things are made, and disables accounts."""

from __future__ import annotations

import io
import zipfile
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from awrdiff.accounts import api_tokens, identity_provider_groups, members_and_invitations
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Invitation, Membership, User
from awrdiff.audit.models import AuditLine
from awrdiff.env_variable_types import Place
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import TimelineEvent
from awrdiff.processing.work_kinds import CHORES
from awrdiff.reports import files
from awrdiff.reports.models import LooseFile, Report
from awrdiff.threads.models import Attachment
from tests.web.conftest import context_of, store_report
from tests.web.share import create_link
from tests.web.test_uploads import post, uploads  # noqa: F401

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
REPORT = b"<html>report</html>"


@pytest.fixture
def admin(sign_in, stranger) -> Client:
    """Of another team."""
    call_command("server_admin", "sten")
    return sign_in(stranger)


def scripted(client: Client) -> Client:
    client.defaults["HTTP_ACCEPT"] = "application/json"
    return client


def quotas(admin: Client, owner, **given: object) -> int:
    data = {"people": "", "reports": "", "mebibytes": "", **given}
    return admin.post(f"/server/teams/{owner.team.pk}/", data, headers=JSON).status_code


def test_teams_are_listed_with_what_they_have(admin, owner, colleague, reports):
    Report.objects.filter(pk=reports[0].pk).update(size=3 << 20)
    told = {one["name"]: one for one in admin.get("/server/", headers=JSON).json()["teams"]}
    assert set(told) == {"Payments", "Somewhere else"}
    team = told["Payments"]
    assert (team["people"], team["reports"], team["size_mb"], team["most_people"]) == (2, 2, 3.0, "")
    page = admin.get("/server/", headers=HTML).content.decode()
    assert "2 people · 2 reports · 3.0 MiB" in " ".join(page.split())
    assert 'href="/server/"' in page
    found = admin.get("/server/?q=carl", headers=JSON).json()["people"]
    assert [(one["name"], one["teams"], one["is_active"]) for one in found] == [("carl", "Payments", True)]
    assert "carl" in admin.get("/server/?q=CARL", headers=HTML).content.decode()


def test_what_teams_keep_is_counted_by_the_sweeper_and_not_by_the_page(admin, owner, stranger, reports):
    def sizes() -> dict[str, tuple[int, float]]:
        found = admin.get("/server/", headers=JSON).json()["teams"]
        return {one["name"]: (one["reports"], one["size_mb"]) for one in found}

    had = Report.objects.filter(copy_of=None, team=owner.team).count()
    assert sizes()["Payments"][0] == had
    Report.objects.filter(pk=reports[0].pk).update(size=3 << 20)
    store_report(owner)
    context_of("wilma", "Warehouse")
    assert sizes() == {"Payments": (had, 0.0), "Somewhere else": (0, 0.0), "Warehouse": (0, 0.0)}
    counting = next(one for one in CHORES if one.name == "counting what teams keep")
    counting.run()
    assert sizes()["Payments"] == (had + 1, 3.0)
    Report.objects.filter(team=owner.team).delete()
    counting.run()
    assert sizes()["Payments"] == (0, 0.0)


def test_it_is_there_for_nobody_else(sign_in, owner, admin, accounts, settings):
    _, token = api_tokens.make_own(context_of("sten", "Somewhere else"), "ci", ["admin", "read"], 7)
    asked = [
        ("get", "/server/"),
        ("post", f"/server/teams/{owner.team.pk}/"),
        ("post", f"/server/people/{owner.user.pk}/"),
    ]
    for method, path in asked:
        assert getattr(sign_in(owner), method)(path, {"active": "no"}, headers=JSON).status_code == 404, path
        assert getattr(Client(), method)(path, headers=JSON).status_code == 401, path
        by_token = {**JSON, "Authorization": f"Bearer {token}"}
        assert getattr(Client(), method)(path, {"active": "no"}, headers=by_token).status_code == 404, path
    assert "/server/" not in sign_in(owner).get("/", headers=HTML).content.decode()
    call_command("server_admin", "sten", "--remove")
    assert admin.get("/server/", headers=JSON).status_code == 404
    settings.AWRDIFF_LOCAL_USER = True
    assert Client().get("/server/", headers=JSON).status_code == 404
    with pytest.raises(CommandError):
        call_command("server_admin", "nobody")


class TestQuotas:
    def test_of_reports(self, admin, sign_in, owner, uploads):  # noqa: F811
        client = scripted(sign_in(owner))
        assert quotas(admin, owner, reports="2") == 204
        assert [post(client, REPORT + bytes([n])).status_code for n in b"abc"] == [201, 201, 507]
        refused = post(client, REPORT + b"d")
        assert "may have 2" in refused.content.decode()
        assert Report.objects.count() == 2
        assert not list(uploads.glob("*"))
        assert LooseFile.objects.exclude(name__in=Report.objects.values("file")).count() == 0
        assert quotas(admin, owner, reports="3") == 204
        assert post(client, REPORT + b"d").status_code == 201
        assert quotas(admin, owner, reports="1") == 204
        assert Report.objects.count() == 3
        assert quotas(admin, owner, reports="0") == 204
        assert post(client, REPORT + b"e").status_code == 201

    def test_whoever_comes_first_fills_it(self, admin, sign_in, owner, uploads, monkeypatch):  # noqa: F811
        store = files.store
        monkeypatch.setattr(files, "store", lambda *given: (store_report(owner), store(*given))[1])
        quotas(admin, owner, reports="1")
        assert post(scripted(sign_in(owner)), REPORT).status_code == 507
        assert Report.objects.get().name == "a.html"

    def test_an_archive_is_taken_whole_or_not_at_all(self, admin, sign_in, owner, uploads):  # noqa: F811
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name in "ab":
                archive.writestr(f"{name}.html", REPORT + name.encode())
        quotas(admin, owner, reports="1")
        assert post(scripted(sign_in(owner)), file.getvalue(), "a.zip").status_code == 507
        assert not Report.objects.exists()

    def test_of_bytes(self, admin, sign_in, owner, uploads):  # noqa: F811
        held = store_report(owner)
        Report.objects.filter(pk=held.pk).update(size=(1 << 20) - len(REPORT))
        assert quotas(admin, owner, mebibytes="1") == 204
        assert [post(scripted(sign_in(owner)), REPORT, f"{n}.html").status_code for n in range(2)] == [201, 507]

    def test_what_is_attached_is_bytes_too(self, admin, sign_in, owner, comparison, uploads):  # noqa: F811
        client, place = scripted(sign_in(owner)), "init_parameters"
        incident = incidents.make(owner, incidents.Typed("Slow", begins_at="2024-01-01T11:05"))

        def attach(content: bytes, path: str, **more: str) -> int:
            file = SimpleUploadedFile("notes.txt", content)
            answer = client.post(path, {"files": [file], **more})
            return answer.status_code

        def comment(text: bytes) -> int:
            said = {"body": "Look.", "anchor": place, "key": str(uuid4())}
            return attach(text, f"/comparisons/{comparison.pk}/threads/", **said)

        before = sum(Report.objects.filter(copy_of=None).values_list("size", flat=True))
        held = store_report(owner)
        Report.objects.filter(pk=held.pk).update(size=(1 << 20) - before - 20)
        assert quotas(admin, owner, mebibytes="1") == 204
        assert comment(b"twelve bytes") == 201
        assert comment(b"other bytes!") == 507
        event = {"at": "2024-01-01T11:30", "text": "it stood", "kind": "note", "key": str(uuid4())}
        assert attach(b"other bytes!", f"/incidents/{incident.pk}/events/", **event) == 507
        assert not TimelineEvent.objects.filter(text="it stood").exists()
        assert list(Attachment.objects.values_list("size", flat=True)) == [12]
        assert LooseFile.objects.exclude(name__in=Report.objects.values("file")).count() == 0
        assert post(client, REPORT).status_code == 507
        told = {one["name"]: one for one in admin.get("/server/", headers=JSON).json()["teams"]}
        assert told["Payments"]["size_mb"] == 1.0
        Attachment.objects.all().delete()
        assert comment(b"other bytes!") == 201

    def test_of_people(self, admin, owner, colleague, settings):
        made, _ = members_and_invitations.invite(owner, "ines@example.com", "member", by_mail=False)
        assert quotas(admin, owner, people="2") == 204
        ines = User.objects.create(username="ines")
        with pytest.raises(PeopleRefused, match="has 2 people and may have no more"):
            members_and_invitations.accept(ines, made, signing_up=True)
        assert Invitation.objects.get(pk=made.pk).used_at is None
        settings.AWRDIFF_OIDC_TEAMS = (Place("dba", "Payments", "member"),)
        identity_provider_groups.follow(ines, frozenset(["dba"]), identity_provider_groups.Source.OIDC)
        assert not Membership.objects.filter(user=ines).exists()
        assert members_and_invitations.accept(colleague.user, made, signing_up=True).role == "member"
        again, _ = members_and_invitations.invite(owner, "ines@example.com", "member", by_mail=False)
        quotas(admin, owner, people="3")
        assert members_and_invitations.accept(ines, again, signing_up=True)

    @pytest.mark.parametrize("text", ["-1", "1.5", "many", "9" * 17, str(2**31), "²"])
    def test_nonsense_is_refused(self, admin, owner, text):
        quotas(admin, owner, people="7")
        assert quotas(admin, owner, people=text) == 400
        owner.team.refresh_from_db()
        assert owner.team.most_people == 7

    def test_the_team_is_told(self, admin, owner, stranger):
        quotas(admin, owner, people="7")
        line = AuditLine.objects.get(team=owner.team, action="quotas")
        assert line.who == f"user {stranger.user.pk}"
        assert quotas(admin, owner, people="7", mebibytes=str(2**33)) == 204
        assert admin.post("/server/teams/99999/", headers=JSON).status_code == 404


class TestAccounts:
    def test_one_is_disabled_and_enabled(self, admin, sign_in, owner, colleague):
        client, path = sign_in(colleague), f"/server/people/{colleague.user.pk}/"
        assert client.get("/").status_code == 200
        assert admin.post(path, {"active": "no"}, headers=HTML).status_code == 302
        assert client.get("/").status_code == 302
        assert AuditLine.objects.filter(team=owner.team, action="disabled").count() == 1
        assert "carl is disabled" in admin.get("/server/", headers=HTML).content.decode()
        assert admin.post(path, {"active": "yes"}, headers=JSON).status_code == 204
        assert sign_in(colleague).get("/").status_code == 200

    def test_what_ends_with_it_is_audited_as_the_administrators(self, admin, owner, colleague, comparison, stranger):
        carl = context_of("carl", "Payments", "owner")
        link, _ = create_link(carl, comparison, days=7)
        made, _ = members_and_invitations.invite(carl, "ines@example.com", "member", by_mail=False)
        assert admin.post(f"/server/people/{carl.user.pk}/", {"active": "no"}, headers=JSON).status_code == 204
        told = AuditLine.objects.filter(team=owner.team, who=f"user {stranger.user.pk}").order_by("id")
        assert list(told.values_list("action", "thing")) == [
            ("revoked", str(made.pk)),
            ("revoked", str(link.pk)),
            ("disabled", str(carl.user.pk)),
        ]
        assert not AuditLine.objects.filter(team=owner.team, who="server").exists()

    def test_not_oneself_no_service_and_nothing_by_half_a_word(self, admin, owner, stranger):
        _, _ = api_tokens.make_of_team(owner, "nightly", ["read"], None)
        service = User.objects.get(username__startswith="nightly")
        for pk, active, status in (
            (stranger.user.pk, "no", 400),
            (service.pk, "yes", 400),
            (owner.user.pk, "", 400),
            (99999, "no", 404),
        ):
            assert admin.post(f"/server/people/{pk}/", {"active": active}, headers=JSON).status_code == status
        assert User.objects.filter(is_active=True).count() == 2
        assert "nightly" not in admin.get("/server/", headers=HTML).content.decode()
