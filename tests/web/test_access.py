"""Who may see and do what: the owner, a colleague of the team, a stranger, and nobody at all."""

from __future__ import annotations

import os

import pytest
from django.test import Client

from awrdiff.accounts import local_user_token
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing.models import ShareLink
from awrdiff.web.sign_in.local_user import PEER_UID
from tests.web.share import create_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(owner, comparison) -> ShareLink:
    return create_link(owner, comparison, days=1)[0]


@pytest.fixture
def reads(comparison, reports) -> list[str]:
    base, report = f"/comparisons/{comparison.pk}/", f"/reports/{reports[0].pk}/"
    return [
        base,
        base + "status/",
        base + "sections/foreground_wait_events/",
        base + "search/?q=log",
        report,
        report + "sections/foreground_wait_events/",
    ]


@pytest.fixture
def writes(comparison, reports, link) -> list[str]:
    base = f"/comparisons/{comparison.pk}/"
    return [
        base + "swap/",
        base + "retry/",
        base + "links/",
        f"/reports/{reports[0].pk}/retry/",
        f"/reports/{reports[0].pk}/delete/",
        f"/links/{link.pk}/",
        base + "delete/",
    ]


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_owner_and_colleague_read_everything(sign_in, owner, colleague, reads, accept):
    for who in (owner, colleague):
        client = sign_in(who)
        for path in ["/", *reads]:
            assert client.get(path, headers={"Accept": accept}).status_code == 200, path


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_for_a_stranger_nothing_of_it_exists(sign_in, stranger, reads, writes, accept):
    client = sign_in(stranger)
    for path in reads:
        assert client.get(path, headers={"Accept": accept}).status_code == 404, path
    for path in writes:
        assert client.post(path, headers={"Accept": accept}).status_code == 404, path
    assert client.get("/").status_code == 200
    assert Comparison.objects.count() == 1
    assert not ShareLink.objects.exclude(revoked_at=None).exists()


def test_a_stranger_cannot_compare_the_teams_reports(sign_in, stranger, reports):
    ids = [str(r.pk) for r in reports]
    answer = sign_in(stranger).post("/comparisons/", {"report": ids}, headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert "There is no report" in answer.json()["error"]


def test_nobody_is_sent_to_the_login_page(accounts, reads, writes):
    client = Client()
    for path in ["/", *reads]:
        answer = client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 302, path
        assert answer["Location"].startswith("/login/?next=")
        assert client.get(path, headers={"Accept": "application/json"}).status_code == 401
    for path in [*writes, "/reports/", "/comparisons/"]:
        assert client.post(path, headers={"Accept": "application/json"}).status_code == 401, path
    assert client.get("/login/").status_code == 200


def test_who_is_on_no_team_is_told_so(accounts, django_user_model):
    client = Client()
    client.force_login(django_user_model.objects.create(username="new"))
    answer = client.get("/", headers={"Accept": "application/json"})
    assert answer.status_code == 403
    assert "not on a team" in answer.json()["error"]


def test_a_colleague_may_change_and_delete(sign_in, colleague, comparison):
    client = sign_in(colleague)
    assert client.post(f"/comparisons/{comparison.pk}/swap/").status_code == 302
    assert client.post(f"/comparisons/{comparison.pk}/delete/").status_code == 302
    assert not Comparison.objects.exists()


class TestLocalUser:
    """bin/serve's automatic sign-in: on the machine itself, and nowhere else."""

    def test_is_signed_in_without_a_password(self):
        answer = Client().get("/")
        assert answer.status_code == 200

    @pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"])
    def test_is_refused_behind_a_proxy(self, header):
        answer = Client().get("/", headers={header: "203.0.113.9", "Accept": "application/json"})
        assert answer.status_code == 403
        assert "own machine" in answer.json()["error"]

    @pytest.mark.parametrize("address", ["192.168.1.7", "203.0.113.9", "::ffff:203.0.113.9", ""])
    def test_is_refused_from_another_machine(self, address):
        assert Client(REMOTE_ADDR=address).get("/").status_code == 403

    @pytest.mark.parametrize("host", ["evil.example", "10.0.0.1", "localhost.evil.example"])
    def test_is_refused_under_another_name(self, settings, host):
        settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
        assert Client().get("/", headers={"Host": host}).status_code == 400

    def test_cannot_log_in_with_a_password(self, db):
        Client().get("/")
        answer = Client().post("/login/", {"login": "local", "password": ""})
        assert answer.status_code == 200
        assert not answer.wsgi_request.user.is_authenticated


class TestWhoeverRunsTheServer:
    """The machine's own processes: told apart by the owner of their connection, else by the token."""

    OTHER = {PEER_UID: os.geteuid() + 1}
    UNKNOWN = {PEER_UID: None}

    @pytest.fixture(autouse=True)
    def var(self, settings, tmp_path):
        settings.VAR = tmp_path
        return tmp_path

    @pytest.mark.parametrize("who", [OTHER, UNKNOWN])
    def test_others_are_refused_and_told_where_the_token_is(self, var, who):
        answer = Client(**who).get("/", headers={"Accept": "application/json"})
        assert answer.status_code == 403
        assert str(var / "local_address") in answer.json()["error"]
        assert Client(**who).get("/healthz").status_code == 200

    @pytest.mark.parametrize("who", [OTHER, UNKNOWN])
    def test_they_read_and_write_nothing(self, who, reads, writes):
        client = Client(**who)
        assert {client.get(path).status_code for path in reads} == {403}
        assert {client.post(path).status_code for path in [*writes, "/reports/", "/comparisons/"]} == {403}
        assert Comparison.objects.count() == 1

    @pytest.mark.parametrize("who", [OTHER, UNKNOWN])
    def test_the_token_lets_its_holder_in(self, var, who):
        token = local_user_token.renew(var, "http://localhost/").rpartition("=")[2]
        client = Client(**who)
        assert client.get(f"/?token={token[:-1]}").status_code == 403
        answer = client.get(f"/?token={token}")
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.get("/").status_code == 200

    def test_with_the_setting_the_own_user_needs_it_too(self, settings, var):
        settings.AWRDIFF_LOCAL_TOKEN = True
        token = local_user_token.renew(var, "http://localhost/").rpartition("=")[2]
        client = Client()
        assert client.get("/").status_code == 403
        client.get(f"/?token={token}")
        assert client.get("/").status_code == 200

    def test_a_proxy_is_refused_with_a_cookie_too(self, var):
        token = local_user_token.renew(var, "http://localhost/").rpartition("=")[2]
        client = Client()
        client.get(f"/?token={token}")
        assert client.get("/", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 403

    def test_a_header_is_no_proof(self):
        headers = {PEER_UID: str(os.geteuid()), "Awrdiff-Peer-Uid": str(os.geteuid())}
        assert Client(**self.OTHER).get("/", headers=headers).status_code == 403

    def test_with_accounts_a_token_means_nothing(self, accounts, var):
        token = local_user_token.renew(var, "http://localhost/").rpartition("=")[2]
        answer = Client(**self.OTHER).get(f"/?token={token}")
        assert answer["Location"].startswith("/login/")
        assert "awrdiff_local_80" not in answer.cookies
