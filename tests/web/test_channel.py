"""A channel's messages on the timeline: by the incident's secret address, once each, and never as a member's words."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client

from awrdiff.accounts.models import Membership
from awrdiff.audit.models import AuditLine
from awrdiff.incidents import chat_channel as messages
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.incidents.queries import events_of
from awrdiff.logs import masked
from awrdiff.postmortems.live_tables import _events
from awrdiff.redaction.link_options import Redaction
from awrdiff.sharing.names_to_redact import names_of
from awrdiff.web.views import inbound_webhooks
from tests.web.test_incidents import HTML, JSON, client, incident

__all__ = ["client", "incident"]
pytestmark = pytest.mark.django_db
ANN = {"text": "disks are <slow>", "author": "Ann Archer", "at": "2024-01-01T10:20:00+01:00", "id": "17"}


@pytest.fixture
def address(client, incident) -> str:
    return opened(client, incident)


def opened(client, incident, wanted: str = "on") -> str:
    answer = client.post(f"/incidents/{incident.pk}/channel/", {"channel": wanted}, headers=JSON)
    assert answer.status_code == 200, answer.content
    return urlsplit(answer.json()["url"]).path


def send(address: str, message: object):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    sender = Client(enforce_csrf_checks=True)
    return sender.post(address, body, content_type="application/json", headers={"Accept": "text/html"})


def outside() -> list[tuple[str, str]]:
    found = TimelineEvent.objects.exclude(outside_author="")
    return list(found.order_by("at", "pk").values_list("outside_author", "text"))


class TestMessages:
    def test_one_is_a_note_of_an_author_from_outside(self, client, incident, address):
        changed_at = Incident.objects.get().changed_at
        answer = send(address, ANN)
        assert (answer.status_code, answer.json()) == (200, {"added": 1, "known": 0})
        event = TimelineEvent.objects.get(outside_author="Ann Archer")
        assert (event.kind, event.user, event.by_system) == ("note", None, False)
        assert event.at.isoformat() == "2024-01-01T09:20:00+00:00"
        assert Incident.objects.get().changed_at > changed_at
        lines = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]
        line = next(line for line in lines if line["anchor"] == f"event-{event.pk}")
        assert (line["by"], line["by_shown"], line["group"]) == ("", "“Ann Archer”, from outside", "typed")
        page = client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        assert "disks are &lt;slow&gt;" in page
        assert "“Ann Archer”, from outside" in page
        assert AuditLine.objects.filter(action="channel wrote", who="server", thing=str(incident.pk)).count() == 1

    def test_several_at_once_all_or_none(self, address):
        assert send(address, [ANN, {**ANN, "id": "18", "text": "better"}]).json() == {"added": 2, "known": 0}
        assert send(address, [{**ANN, "id": "19"}, {**ANN, "id": "20", "at": "noon"}]).status_code == 400
        assert outside() == [("Ann Archer", "disks are <slow>"), ("Ann Archer", "better")]

    def test_the_same_id_is_the_same_message(self, address):
        assert send(address, [ANN, {**ANN, "text": "another text"}]).json()["added"] == 1
        assert send(address, {**ANN, "text": "again"}).json() == {"added": 0, "known": 1}
        assert len(outside()) == 1

    @pytest.mark.parametrize(
        ("change", "added"),
        [({}, 0), ({"text": "x"}, 1), ({"author": "Bob"}, 1), ({"at": "2024-01-01T10:21:00+01:00"}, 1)],
    )
    def test_without_an_id_time_author_and_text_tell_it(self, address, change, added):
        plain = {name: text for name, text in ANN.items() if name != "id"}
        assert send(address, plain).json()["added"] == 1
        assert send(address, plain | change).json()["added"] == added

    @pytest.mark.parametrize(
        ("author", "shown"),
        [
            ("olivia", "olivia"),
            ("x”, “olivia", "x, olivia"),
            ('"Olivia"\n\u202ereversed\u200b', "Olivia reversed"),
            ("n" * 99, "n" * 60),
            ("x\u2033, \uff02\u275dolivia\u275e\u301e", "x, olivia"),
            ("Máire O’Neill", "Máire O'Neill"),
            ("x'\uff07y", "x'y"),
            ("\u3164x\u2800\u115f \u0336y", "x y"),
            ("Z" + "\u0336" * 9, "Z" + "\u0336" * 3),
        ],
    )
    def test_no_author_looks_like_a_member(self, client, incident, address, author, shown):
        assert send(address, {**ANN, "author": author}).status_code == 200
        page = client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        assert f"“{escape(shown)}”, from outside</small>" in page

    def test_no_sign_turns_the_direction_of_what_stands_around_it(self, client, incident, address):
        text = "rolled\u202e back\u2066 by\ntwo \u200eof us, \u0646\u200c\u0647"
        assert send(address, {**ANN, "text": text}).status_code == 200
        assert outside() == [("Ann Archer", "rolled back by\ntwo of us, \u0646\u200c\u0647")]
        page = client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        assert not set("\u202e\u2066\u200e") & set(page)

    def test_a_time_without_an_offset_is_of_the_incidents_clocks(self, address, incident):
        Incident.objects.update(time_zone="Europe/Vienna")
        send(address, {**ANN, "at": "2024-07-01T10:00:00"})
        assert TimelineEvent.objects.get(outside_author="Ann Archer").at.isoformat() == "2024-07-01T08:00:00+00:00"

    def test_a_member_removes_it(self, client, incident, address):
        send(address, ANN)
        event = TimelineEvent.objects.get(outside_author="Ann Archer")
        assert client.post(f"/incidents/{incident.pk}/events/{event.pk}/remove/", headers=JSON).status_code == 204
        assert outside() == []
        assert send(address, [ANN, {**ANN, "id": "18"}]).json() == {"added": 1, "known": 1}
        assert len(outside()) == 1

    def test_a_post_mortem_marks_the_author_too(self, incident, address):
        class Material:
            events = ()
            local = staticmethod(lambda at: at)

        send(address, ANN)
        Material.events = tuple(events_of(incident))
        told = {cells[0].text: cells[1] for _, cells in _events(Material)}  # type: ignore[arg-type]
        assert (told["disks are <slow>"].text, told["disks are <slow>"].person) == ("“Ann Archer”, from outside", "")

    def test_pseudonyms_hide_the_author_and_each_word_of_the_name(self, incident, address):
        send(address, ANN)
        names = names_of(incident, Redaction.new(), ()).names
        for text in ("“Ann Archer”, from outside", "asked archer again"):
            assert "archer" not in names.hide(text).lower()

    @pytest.mark.parametrize("author", ["Database CPU Waits Alert", "log file sync", "CPU"])
    def test_an_authors_name_blots_no_word_of_the_field(self, incident, address, author):
        send(address, {**ANN, "author": author})
        names = names_of(incident, Redaction.new(), ()).names
        text = "The database waits for CPU and for log file sync: Waits of the Database"
        assert names.hide(text) == text

    def test_a_person_lets_words_of_a_name_stand_but_not_the_name(self, incident, address):
        for n, author in enumerate(("Ann Archer", "Zorblatt")):
            send(address, {**ANN, "author": author, "id": str(n)})
        names = names_of(incident, Redaction.new(), ()).names
        assert "zorblatt" not in names.hide("asked zorblatt again")
        names.keep(["archer", "zorblatt"])
        assert names.hide("asked archer and zorblatt again") == "asked archer and zorblatt again"
        assert "Archer" not in names.hide("“Ann Archer”, from outside")


class TestLimits:
    def test_of_one_request(self, address, monkeypatch):
        monkeypatch.setattr(messages, "MOST_AT_ONCE", 2)
        several = [{**ANN, "id": str(n)} for n in range(3)]
        assert send(address, several).status_code == 400
        assert send(address, []).status_code == 400
        assert send(address, several[:2]).status_code == 200

    def test_of_an_incident(self, address, monkeypatch):
        monkeypatch.setattr(messages, "MOST_MESSAGES", 1)
        assert send(address, ANN).status_code == 200
        assert send(address, ANN).json()["known"] == 1
        assert send(address, {**ANN, "id": "18"}).status_code == 400

    def test_of_all_its_events(self, address, monkeypatch):
        monkeypatch.setattr(messages, "MOST_EVENTS", TimelineEvent.objects.count())
        assert send(address, ANN).status_code == 400

    def test_of_a_minute(self, address, monkeypatch, one_minute):
        monkeypatch.setattr(messages, "MESSAGES_A_MINUTE", messages.EachMinute(1))
        assert [send(address, {**ANN, "id": str(n)}).status_code for n in range(2)] == [200, 429]

    def test_of_one_sender_of_a_minute(self, address, monkeypatch, one_minute):
        monkeypatch.setattr(inbound_webhooks, "A_MINUTE", 1)
        assert [send(f"{address.rstrip('/')}x/", ANN).status_code for _ in range(2)] == [404, 429]

    def test_of_bytes(self, address, monkeypatch):
        monkeypatch.setattr(inbound_webhooks, "MOST_BYTES", len(json.dumps(ANN)))
        assert send(address, {**ANN, "id": "177"}).status_code == 413
        assert send(address, ANN).status_code == 200

    @pytest.mark.parametrize(
        "sent",
        [
            b"",
            b"{",
            b"[" * 5000,
            b'"text"',
            [[ANN]],
            {**ANN, "text": ""},
            {**ANN, "text": "x" * 2001},
            {**ANN, "author": " \u200b"},
            *({**ANN, "author": hidden} for hidden in ("\u3164", "\u115f", "\u2800", "\u0336\u0336", "″ ❞")),
            {**ANN, "text": "\u202e\u2066"},
            {**ANN, "at": "1850-01-01T00:00:00Z"},
            {**ANN, "id": 17},
            {"text": "x", "author": "Ann"},
        ],
    )
    def test_what_is_not_as_described(self, address, sent):
        answer = send(address, sent)
        assert (answer.status_code, bool(answer.json()["error"])) == (400, True)
        assert outside() == []


class TestAddress:
    def test_a_wrong_one_is_as_one_of_an_incident_that_takes_none(self, client, incident, address):
        start, token = address.rstrip("/").rsplit("/", 1)
        wrong = [f"{start}/{token[:-1]}/", f"{start}/{token}x/", f"{start}/é/"]
        wrong.append(f"/hooks/timeline/{uuid4()}/{token}/")
        answers = [send(path, ANN) for path in wrong]
        opened_then = opened(client, incident, "new")
        answers.append(send(address, ANN))
        closed = client.post(f"/incidents/{incident.pk}/channel/", {"channel": "off"}, headers=JSON)
        assert closed.json() == {"url": None}
        answers.append(send(opened_then, ANN))
        assert {(answer.status_code, answer.json()["error"]) for answer in answers} == {(404, messages.GONE)}
        assert outside() == []

    def test_it_stays_while_it_is_open_and_is_another_one_later(self, client, incident, address):
        assert opened(client, incident) == address
        page = client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        assert address in page
        client.post(f"/incidents/{incident.pk}/channel/", {"channel": "off"}, headers=JSON)
        assert opened(client, incident) != address
        assert client.post(f"/incidents/{incident.pk}/channel/", {"channel": "x"}, headers=JSON).status_code == 400
        lines = AuditLine.objects.filter(action__startswith="channel ").order_by("pk").values_list("action", flat=True)
        assert list(lines) == ["channel opened", "channel closed", "channel opened"]
        assert opened(client, incident, "new") != address
        assert AuditLine.objects.filter(action="channel renewed").count() == 1

    def test_one_that_is_closed_meanwhile(self, incident, address):
        found = Incident.objects.get(pk=incident.pk)
        Incident.objects.update(channel_nonce=None)
        with pytest.raises(messages.NotFound):
            messages.receive_messages(found, [messages.ChannelMessage("x", "Ann", "2024-01-01T10:20:00Z")])

    def test_readers_and_logs_do_not_have_it(self, client, sign_in, colleague, incident, address):
        Membership.objects.filter(user=colleague.user).update(role="reader")
        assert address not in sign_in(colleague).get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        answer = sign_in(colleague).post(f"/incidents/{incident.pk}/channel/", {"channel": "new"}, headers=JSON)
        assert answer.status_code == 403
        assert address not in json.dumps(client.get(f"/incidents/{incident.pk}/", headers=JSON).json())
        assert address.rstrip("/").rsplit("/", 1)[1] not in masked(f"POST {address} 200")
