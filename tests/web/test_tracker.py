"""A tracker's signed messages: who may send them, which action items follow, and that each counts once."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time

import pytest
from django.test import Client

from awrdiff.accounts.models import Team
from awrdiff.audit.models import AuditLine
from awrdiff.incidents import action_items
from awrdiff.incidents import action_tickets as messages
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Incident, Revision
from awrdiff.notices import services, webhooks
from awrdiff.notices.models import TeamNotices
from awrdiff.web.views import inbound_webhooks
from tests.web.test_incidents import HTML, JSON, client, incident

__all__ = ["client", "incident"]
pytestmark = pytest.mark.django_db
NOT_SIGNED = "This message is not signed by the secret of this address."


@pytest.fixture
def secret(owner) -> str:
    return services.choose_tracker(owner, "on").tracker_secret


def item_of(owner, incident, link: str = "JIRA-123") -> ActionItem:
    return action_items.add(owner, incident, TypedAction("larger redo logs", link=link))


def signature(secret: str, body: bytes, at: float | None = None) -> str:
    at_s = int(time.time() if at is None else at)
    digest = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={digest}"


def post(team: Team, header: str, body: bytes):
    headers = {"X-Awrdiff-Signature": header, "Accept": "text/html"} if header else {}
    # a browser's rules are not a tracker's: no cookie, no form token
    sender = Client(enforce_csrf_checks=True)
    return sender.post(f"/hooks/tickets/{team.pk}/", body, content_type="application/json", headers=headers)


def send(team: Team, secret: str, at: float | None = None, **message: object):
    body = json.dumps(message).encode()
    return post(team, signature(secret, body, at), body)


def state_of(item: ActionItem) -> tuple[str, bool]:
    item.refresh_from_db()
    return item.state, item.by_tracker


class TestStatus:
    def test_done_and_reopened(self, client, owner, incident, secret):
        item = item_of(owner, incident)
        changed_at = Incident.objects.get().changed_at
        answer = send(owner.team, secret, ticket="JIRA-123", status="Done", url="https://jira.example.com/x", more=[1])
        assert (answer.status_code, answer.json()) == (200, {"items": 1, "changed": 1})
        assert state_of(item) == ("done", True)
        assert item.closed_at is not None
        assert Incident.objects.get().changed_at > changed_at
        line = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["actions"][0]
        assert (line["state"], line["by_tracker"], line["version"]) == ("done", True, 2)
        assert "done by the tracker" in client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        before = client.get(f"/incidents/{incident.pk}/actions/{item.pk}/", headers=HTML).content.decode()
        assert "the tracker, " in before
        assert send(owner.team, secret, ticket="#jira-123", status="reopened").json()["changed"] == 1
        assert state_of(item) == ("open", True)
        assert item.closed_at is None
        assert "opened again by the tracker" in client.get("/incidents/actions/", headers=HTML).content.decode()
        lines = AuditLine.objects.filter(action="ticket status").values_list("who", "kind", "thing")
        assert list(lines) == [("server", "incident", str(incident.pk))] * 2

    def test_what_a_person_does_afterwards_is_theirs(self, owner, incident, secret):
        item = item_of(owner, incident)
        send(owner.team, secret, ticket="JIRA-123", status="done")
        item.refresh_from_db()
        action_items.set_state(owner, item, "open")
        assert state_of(item) == ("open", False)

    def test_what_is_so_already_and_what_was_dropped_stays(self, owner, incident, secret):
        item = item_of(owner, incident)
        assert send(owner.team, secret, ticket="JIRA-123", status="open").json() == {"items": 1, "changed": 0}
        action_items.set_state(owner, item, "dropped")
        for status in ("done", "reopened"):
            assert send(owner.team, secret, ticket="JIRA-123", status=status).json() == {"items": 1, "changed": 0}
        assert state_of(item) == ("dropped", False)

    def test_the_same_message_changes_nothing_a_second_time(self, owner, incident, secret):
        item, body = item_of(owner, incident), b'{"ticket": "JIRA-123", "status": "done"}'
        header = signature(secret, body)
        assert post(owner.team, header, body).json()["changed"] == 1
        action_items.set_state(owner, item, "open")
        answer = post(owner.team, header, body)
        assert (answer.status_code, answer.json()["changed"]) == (200, 0)
        assert state_of(item) == ("open", False)
        assert Revision.objects.filter(by_tracker=True).count() == 1

    @pytest.mark.parametrize("zeros", ["0", "00"])
    def test_nor_under_another_spelling_of_its_time(self, owner, incident, secret, zeros):
        item, body = item_of(owner, incident), b'{"ticket": "JIRA-123", "status": "done"}'
        header = signature(secret, body)
        assert post(owner.team, header, body).json()["changed"] == 1
        action_items.set_state(owner, item, "open")
        assert post(owner.team, header.replace("t=", f"t={zeros}"), body).status_code == 401
        assert state_of(item) == ("open", False)

    def test_the_digest_is_what_is_known_again(self, owner, incident, secret, monkeypatch):
        item, body = item_of(owner, incident), b'{"ticket": "JIRA-123", "status": "done"}'
        header = signature(secret, body)
        monkeypatch.setattr(webhooks, "_SIGNATURE", re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})", re.ASCII))
        assert post(owner.team, header, body).json()["changed"] == 1
        action_items.set_state(owner, item, "open")
        assert post(owner.team, header.replace("t=", "t=0"), body).json()["changed"] == 0

    def test_what_was_refused_may_be_sent_again(self, owner, incident, secret, monkeypatch):
        item, body = item_of(owner, incident), b'{"ticket": "JIRA-123", "status": "done"}'
        header = signature(secret, body)
        monkeypatch.setattr(messages, "STATUSES_A_MINUTE", messages.EachMinute(0))
        assert post(owner.team, header, body).status_code == 429
        assert state_of(item) == ("open", False)
        monkeypatch.undo()
        assert post(owner.team, header, body).json()["changed"] == 1

    def test_people_keep_changes_that_they_can_make(self, owner, incident, secret, monkeypatch):
        item = item_of(owner, incident)
        monkeypatch.setattr(messages, "MOST_REVISIONS", 1)
        assert send(owner.team, secret, ticket="JIRA-123", status="done").json()["changed"] == 1
        assert send(owner.team, secret, ticket="JIRA-123", status="open").json()["changed"] == 0
        assert state_of(item) == ("done", True)

    def test_of_another_team_nothing_follows(self, owner, stranger, incident, secret):
        item = item_of(owner, incident)
        theirs = services.choose_tracker(stranger, "on").tracker_secret
        assert send(stranger.team, theirs, ticket="JIRA-123", status="done").json() == {"items": 0, "changed": 0}
        assert state_of(item) == ("open", False)


PATTERN, BROWSE = "https://jira.example.com/browse/{}", "https://jira.example.com/browse/JIRA-1"


@pytest.mark.parametrize(
    ("link", "pattern", "reference", "url", "carries"),
    [
        ("JIRA-1", "", "jira-1", "", True),
        ("#1", "", "1", "", True),
        ("JIRA-1", "", "JIRA-12", "", False),
        ("JIRA-1", "", "JIRA-1", "https://elsewhere.example/JIRA-1", True),
        ("JIRA-1", PATTERN, "JIRA-1", BROWSE, True),
        ("JIRA-1", PATTERN, "JIRA-1", f"{BROWSE}/", True),
        ("JIRA-1", PATTERN, "JIRA-1", "https://elsewhere.example/JIRA-1", False),
        ("JIRA-1", PATTERN, "", BROWSE, True),
        ("JIRA-1", "", "", BROWSE, False),
        (BROWSE, "", "JIRA-1", "", False),
        (BROWSE, PATTERN, "JIRA-1", "", True),
        (BROWSE, "", "JIRA-1", BROWSE, True),
        (f"JIRA-1 {BROWSE}", "", "JIRA-1", "", True),
        (f"JIRA-1 {BROWSE}", "", "JIRA-2", BROWSE, True),
    ],
)
def test_which_action_items_carry_a_ticket(link, pattern, reference, url, carries):
    assert messages.carries(link, pattern, reference, url) is carries


@pytest.mark.parametrize("repository", ["shop", "other"])
def test_the_address_beside_a_reference_decides_too(owner, incident, secret, repository):
    item = item_of(owner, incident, "#45 https://github.com/a/shop/issues/45")
    ticket = f"#45 https://github.com/a/{repository}/issues/45"
    changed = int(repository == "shop")
    assert send(owner.team, secret, ticket=ticket, status="closed").json() == {"items": changed, "changed": changed}
    assert state_of(item)[0] == ("done" if changed else "open")


class TestRefusals:
    def test_a_wrong_signature_tells_nothing(self, owner, stranger, incident, secret):
        item, body = item_of(owner, incident), b'{"ticket": "JIRA-123", "status": "done"}'
        right = signature(secret, body)
        other_body = signature(secret, body + b" ")
        at, _, digest = right.partition(",v1=")
        wrong = [
            "",
            digest,
            other_body,
            signature("of somebody else", body),
            signature("", body),
            f"{at},v1={'0' * 64}",
            f"t={int(at[2:]) - 1},v1={digest}",
            f"{at},v1={digest.upper()}",
            f"{right},v1={digest}",
            f" {at}, v1={digest}",
        ]
        answers = [post(owner.team, header, body) for header in wrong]
        answers += [
            post(stranger.team, right, body),
            *(post(Team(pk=pk), right, body) for pk in (2**31, 2**63, 10**30)),
        ]
        told = {(answer.status_code, answer["Content-Type"], answer.json()["error"]) for answer in answers}
        assert told == {(401, "application/problem+json", NOT_SIGNED)}
        assert state_of(item) == ("open", False)

    @pytest.mark.parametrize(("off_s", "status"), [(-290, 200), (-310, 401), (290, 200), (310, 401)])
    def test_one_that_is_old_or_from_the_future(self, owner, incident, secret, off_s, status):
        item_of(owner, incident)
        answer = send(owner.team, secret, time.time() + off_s, ticket="JIRA-123", status="done")
        assert answer.status_code == status
        if status == 401:
            assert "300 seconds" in answer.json()["error"]
            wrong = send(owner.team, "of somebody else", time.time() + off_s, ticket="JIRA-123", status="done")
            assert wrong.json()["error"] == NOT_SIGNED

    def test_one_that_is_too_large(self, owner, secret, monkeypatch):
        monkeypatch.setattr(inbound_webhooks, "MOST_BYTES", 1024)
        body = json.dumps({"ticket": "JIRA-123", "status": "done", "more": ""}).encode()
        fits = body[:-2] + b"x" * (1024 - len(body)) + body[-2:]
        assert post(owner.team, signature(secret, fits), fits).status_code == 200
        assert post(owner.team, signature(secret, fits + b" "), fits + b" ").status_code == 413

    def test_too_many_from_one_address_and_of_one_team(self, owner, secret, monkeypatch, one_minute):
        monkeypatch.setattr(inbound_webhooks, "A_MINUTE", 2)
        answers = [post(owner.team, "", b"{}") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [401, 401, 429]
        assert int(answers[2]["Retry-After"]) > 0

    def test_too_many_of_one_team(self, owner, secret, monkeypatch, one_minute):
        monkeypatch.setattr(messages, "STATUSES_A_MINUTE", messages.EachMinute(2))
        answers = [send(owner.team, secret, ticket=f"JIRA-{n}", status="done") for n in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[]",
            b"{",
            b"\xff",
            b"[" * 5000,
            b'{"ticket": "JIRA-123"}',
            b'{"status": "done"}',
            b'{"ticket": 123, "status": "done"}',
            b'{"ticket": "", "status": "done"}',
            b'{"ticket": "a ticket", "status": "done"}',
            b'{"ticket": "JIRA-123", "status": "won"}',
            b'{"ticket": "JIRA-123", "status": "done", "url": "javascript:alert(1)"}',
        ],
    )
    def test_what_is_not_as_described(self, owner, incident, secret, body):
        item = item_of(owner, incident)
        answer = post(owner.team, signature(secret, body), body)
        assert (answer.status_code, bool(answer.json()["error"])) == (400, True)
        assert state_of(item) == ("open", False)

    def test_other_methods(self, owner, secret):
        assert Client().get(f"/hooks/tickets/{owner.team.pk}/").status_code == 405


class TestSwitch:
    def test_an_owner_switches_it_on_takes_another_secret_and_off(self, client, owner, incident):
        secrets = []
        for wanted in ("on", "on", "new", "off"):
            assert client.post("/team/tracker/", {"tracker": wanted}, headers=JSON).status_code == 204
            secrets.append(TeamNotices.objects.get().tracker_secret)
            told = client.get("/team/", headers=JSON).json()["tracker"]
            assert bool(told) is (wanted != "off")
            page = client.get("/team/", headers=HTML).content.decode()
            assert (secrets[-1] in page) is (wanted != "off") or not secrets[-1]
        assert secrets[0] == secrets[1] != secrets[2]
        assert secrets[3] == ""
        for secret in secrets:
            assert send(owner.team, secret, ticket="JIRA-123", status="done").status_code == 401
        assert client.post("/team/tracker/", {"tracker": "x"}, headers=JSON).status_code == 400
        lines = AuditLine.objects.filter(kind="tracker").values_list("who", "action")
        actions_noted = ["tracker opened", "tracker renewed", "tracker closed"]
        assert list(lines.order_by("pk")) == [(f"user {owner.user.pk}", action) for action in actions_noted]
        page = client.get("/audit/", headers=HTML).content.decode()
        assert "took another secret of" in page

    def test_nobody_else_does(self, sign_in, colleague):
        assert sign_in(colleague).post("/team/tracker/", {"tracker": "on"}, headers=JSON).status_code == 403
        assert not TeamNotices.objects.exists()

    def test_the_secret_is_not_that_of_the_webhook(self, owner, secret):
        assert TeamNotices.objects.get().secret != secret
