"""Threads of the team alone, and those for guests too: what a guest can reach tells nothing of the former."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.test import Client

from awrdiff.accounts import teams
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.models import Comparison
from awrdiff.notices.models import Delivery, Notice
from awrdiff.threads import queries, services
from awrdiff.threads.models import Comment, Thread, Turn
from awrdiff.threads.services import ThreadRefused
from tests.web.addresses import GUESTS_READ, ROWS
from tests.web.asking import ask
from tests.web.cast import cast_of
from tests.web.conftest import context_of
from tests.web.places import READ
from tests.web.reach import walked

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}
WAITS = "foreground_wait_events"
PLANTED = "kestrel4711"  # stands in what the team writes to itself, and nowhere else


@pytest.fixture
def shown_guest(owner, guest, comparison):
    guest_access.show(owner, comparison, guest.membership)
    return guest


@pytest.fixture
def secret(owner, colleague, comparison, shown_guest) -> Thread:
    """The team's alone, though it names the guest, and a colleague has written there who has nowhere else."""
    thread = services.start(owner, comparison, WAITS, f"@gus must not hear of {PLANTED}", uuid4()).thread
    services.reply(colleague, thread, f"Nor that it was {PLANTED}, @gus", uuid4())
    return thread


def threads_url(thread: Thread) -> str:
    return f"/comparisons/{thread.comparison_id}/threads/"


def switch(client: Client, thread: Thread, state: str):
    return client.post(f"{threads_url(thread)}{thread.pk}/state/", {"state": state}, headers=JSON)


class TestTheTeamsAlone:
    def test_it_is_unless_somebody_says_otherwise(self, sign_in, owner, comparison, guest):
        client, url = sign_in(owner), f"/comparisons/{comparison.pk}/threads/"

        def begun(**fields) -> bool:
            answer = client.post(url, {"anchor": WAITS, "body": "Why?", **fields}, headers=JSON)
            assert answer.status_code == 201
            return answer.json()["for_guests"]

        assert [begun(), begun(for_guests="1"), begun(for_guests="0"), begun(guests_asked="1")] == [
            False,
            True,
            False,
            False,
        ]
        assert client.post("/team/threads/", {"for_guests": "1"}, headers=JSON).status_code == 204
        assert [begun(), begun(for_guests="0"), begun(guests_asked="1")] == [True, False, False]
        assert client.get("/team/", headers=JSON).json()["threads_for_guests"] is True

    def test_an_owner_alone_chooses_for_the_team(self, colleague, guest):
        for who in (colleague, guest):
            with pytest.raises(PermissionDenied):
                teams.choose_threads(who, for_guests=True)

    def test_a_guest_reaches_nothing_of_it(self, sign_in, secret):
        """Every page that the guest's own pages lead to, as a browser and as a script asks for it."""
        client = sign_in(context_of("gus", "Payments"))
        seen = list(walked(client, "/", most=70))
        assert any(threads_url(secret) in url for url, *_ in seen)
        seen += [
            (url, *_asked(client, url))
            for url in (
                threads_url(secret),
                f"{threads_url(secret)}live/",
                f"{threads_url(secret)}?anchor={WAITS}",
                f"{threads_url(secret)}{secret.pk}/",
                *(f"{threads_url(secret)}{secret.pk}/comments/{c.pk}/" for c in secret.comments.all()),
                "/notices/",
                "/team/export.zip",
                *(f"/comparisons/{secret.comparison_id}/export.{ending}" for ending in ("md", "json", "html", "csv")),
                f"/comparisons/{secret.comparison_id}/search/?q={PLANTED}",
                f"/?q={PLANTED}",
            )
        ]
        told = [
            (url, status)
            for url, status, data in seen
            if PLANTED.encode() in data.replace(b"q=" + PLANTED.encode(), b"")
        ]
        assert [one for one in told if "search" not in one[0] and "?q=" not in one[0]] == []
        assert not [url for url, _, data in seen if b"carl" in data]  # who has written there alone
        for url in (f"{threads_url(secret)}{secret.pk}/", f"{threads_url(secret)}{secret.pk}/state/"):
            assert client.post(url, {"body": "I see", "state": "open"}, headers=JSON).status_code == 404

    def test_nothing_is_told_or_mailed_of_it(self, settings, shown_guest, owner, secret):
        services.assign(owner, secret, "carl")
        with pytest.raises(ThreadRefused):
            services.assign(owner, secret, "gus")
        assert not Notice.objects.filter(user=shown_guest.user).exists()
        assert not Delivery.objects.filter(user=shown_guest.user).exists()
        assert Comment.objects.filter(thread=secret).values_list("mentions", flat=True)[0] == []
        assert not Turn.objects.filter(thread=secret, user=shown_guest.user).exists()

    def test_its_being_written_in_is_no_news_to_a_guest(self, sign_in, owner, shown_guest, secret):
        client, url = sign_in(shown_guest), f"{threads_url(secret)}live/"
        first = client.get(url, headers=JSON)
        assert first.json()["threads"] == []
        services.reply(owner, secret, "More", uuid4())
        assert client.get(url, headers={**JSON, "If-None-Match": first["ETag"]}).status_code == 304

    def test_a_guest_does_not_write_in_it(self, shown_guest, secret):
        with pytest.raises(PermissionDenied):
            services.reply(shown_guest, secret, "x", uuid4())
        with pytest.raises(PermissionDenied):
            services.open_to_guests(shown_guest, secret, for_guests=True)


class TestOpened:
    def test_guests_read_all_of_it_and_closed_nothing(self, sign_in, owner, shown_guest, secret):
        member, client = sign_in(owner), sign_in(shown_guest)
        assert switch(member, secret, "guests").json()["for_guests"] is True
        assert PLANTED in client.get(f"{threads_url(secret)}{secret.pk}/", headers=JSON).content.decode()
        secret.refresh_from_db()
        services.reply(owner, secret, "@gus, what do you say?", uuid4())
        assert Notice.objects.filter(user=shown_guest.user, what="mentioned").count() == 1
        assert queries.your_turn(shown_guest).count() == 1
        assert switch(member, secret, "team").status_code == 200
        assert client.get(f"{threads_url(secret)}{secret.pk}/", headers=JSON).status_code == 404
        assert not Notice.objects.filter(user=shown_guest.user).exists()  # and a mail without a notice is none
        assert not Turn.objects.filter(user=shown_guest.user).exists()

    def test_twice_is_once(self, sign_in, owner, secret):
        client = sign_in(owner)
        versions = [
            switch(client, secret, "guests") and queries.version_of(queries.subject_of(secret.comparison)) for _ in "12"
        ]
        assert versions[0] == versions[1]

    def test_the_team_alone_says_so(self, sign_in, colleague, shown_guest, secret):
        assert switch(sign_in(shown_guest), secret, "guests").status_code == 404
        assert switch(sign_in(colleague), secret, "guests").status_code == 200
        assert switch(sign_in(shown_guest), secret, "team").status_code == 403

    def test_what_a_guest_begins_they_read(self, sign_in, owner, comparison, shown_guest):
        begun = services.start(shown_guest, comparison, WAITS, "Why?", uuid4(), for_guests=False).thread
        assert begun.for_guests
        switch(sign_in(owner), begun, "team")
        begun.refresh_from_db()
        services.reply(owner, begun, "Because.", uuid4())
        assert not Turn.objects.filter(user=shown_guest.user).exists()

    def test_the_page_says_which_it_is(self, sign_in, owner, shown_guest, secret):
        page = sign_in(owner).get(f"{threads_url(secret)}{secret.pk}/", headers=HTML).content.decode()
        assert '<span class="tag plain">team only</span>' in page
        form = sign_in(owner).get(f"{threads_url(secret)}?anchor={WAITS}", headers=HTML).content.decode()
        assert 'name="for_guests"' in form
        theirs = sign_in(shown_guest).get(f"{threads_url(secret)}?anchor={WAITS}", headers=HTML).content.decode()
        assert "for_guests" not in theirs


def _asked(client: Client, url: str) -> tuple[int, bytes]:
    answer = client.get(url, headers=JSON)
    return answer.status_code, b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_threads_of_before_are_the_teams_and_guests_have_no_notice_of_them(owner, secret, shown_guest, colleague):
    services.open_to_guests(owner, secret, for_guests=True)
    secret.refresh_from_db()
    services.reply(owner, secret, "@gus @carl?", uuid4())
    assert Notice.objects.filter(user=shown_guest.user).exists()
    import_module("awrdiff.threads.migrations.0004_for_guests").forget(apps, None)
    assert not Notice.objects.filter(user=shown_guest.user).exists()
    assert Notice.objects.filter(user=colleague.user).exists()
    assert Thread._meta.get_field("for_guests").default is False


def test_who_reads_it_comes_along_to_another_place():
    from awrdiff.transfer.kinds.threads import THREADS

    value = THREADS.values["for_guests"]
    assert [value.read(value.dump(one), "for_guests") for one in (True, False)] == [True, False]
    assert value.read(None, "for_guests") is False  # of an older file


def test_every_address_that_a_guest_reads_is_silent(sign_in, owner):
    """The generated walk: of all addresses there are, those that a guest of the cast may read."""
    cast = cast_of(owner)
    services.start(cast.access, cast.comparison, "init_parameters", f"Of {PLANTED} alone", uuid4())
    services.start_on_incident(
        cast.access,
        cast.incident.incident,
        queries.anchors.Standing("The incident begins", "Timeline"),
        f"And {PLANTED}",
        uuid4(),
        anchor="begins",
    )
    client = sign_in(replace(cast.access, user=cast.guest.user))
    for name, row in ROWS.items():
        for method in sorted(row.methods & READ) if row.kind in ("member", "object", "account") else ():
            answer = ask(client, name, method, cast)
            assert PLANTED.encode() not in answer.whole, name
            assert name not in GUESTS_READ or answer.status_code == 200, name
    assert Comparison.objects.exists()
