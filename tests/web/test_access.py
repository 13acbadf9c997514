"""Who may see and do what: the owner, a colleague of the team, a stranger, and nobody at all."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.comparisons.models import Comparison
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.services import create_link

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
        answer = Client().post("/login/", {"username": "local", "password": ""})
        assert answer.status_code == 200
        assert not answer.wsgi_request.user.is_authenticated
