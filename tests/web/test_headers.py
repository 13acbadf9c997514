"""What every answer says of itself: generated over the addresses, so that a new one is covered."""

from __future__ import annotations

import logging
import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from awrdiff.logs import Seldom
from awrdiff.pins.services import pin
from awrdiff.web.middleware import hosts
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
CONDITIONAL = "private, no-cache"
ACCEPTS = ("text/html", "application/json")


def patterns(resolver: URLResolver | None = None) -> list[URLPattern]:
    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        found += patterns(pattern) if isinstance(pattern, URLResolver) else [pattern]
    return found


OTHERS = {  # of which there need be none here
    name: {"pk": pk, "guest_pk": 1, "uidb36": "1", "key": "abc-def"}
    for name, pk in (
        *((name, 1) for name in ("person-remove", "person-role", "team-look", "guest-hide")),
        *((name, 1) for name in ("mfa_edit_webauthn", "mfa_remove_webauthn")),
        *((name, uuid4()) for name in ("invitation-revoke", "guest-show")),
        *((name, 1) for name in ("account_reset_password_from_key", "account_confirm_email")),
    )
}
OTHERS["guest-hide"]["pk"] = uuid4()
ALL = [pytest.param(p, id=p.name) for p in patterns()]


@pytest.fixture
def place(owner, comparison, reports):
    """The address of a pattern, with things that are there."""
    link, shared_path = create_link(owner, comparison, days=1)
    pks = {"comparisons": comparison.pk, "reports": reports[0].pk, "links": link.pk}
    values = {
        "report_pk": reports[1].pk,
        "kind": "event",
        "key": "log file sync",
        "pin_pk": pin(owner, comparison, "init_parameters").pk,
        "section_id": "foreground_wait_events",
        "ending": "json",
        "name": "glossary",
        "token": shared_path.split("/")[2],
    }

    def placed(pattern: URLPattern) -> str:
        words = {**values, "pk": pks.get(str(pattern.pattern).split("/")[0])}
        words |= OTHERS.get(pattern.name, {})
        needed = re.findall(r"<(?:\w+:)?(\w+)>", str(pattern.pattern))
        return reverse(pattern.name, kwargs={name: words[name] for name in needed})

    return placed


def is_conditional(answer) -> bool:
    return answer.has_header("ETag") and answer["Cache-Control"] == CONDITIONAL


@pytest.mark.parametrize("pattern", ALL)
@pytest.mark.parametrize("accept", ACCEPTS)
def test_nothing_that_a_member_sees_is_stored(sign_in, owner, place, pattern, accept):
    client, path = sign_in(owner), place(pattern)
    for answer in (
        client.get(path, headers={"Accept": accept}),
        client.get(path, headers={"Accept": accept, "HX-Request": "true"}),
        client.post(path, headers={"Accept": accept}),
        Client().get(path, headers={"Accept": accept}),
    ):
        said = answer["Cache-Control"]
        assert ("no-store" in said and "private" in said) or is_conditional(answer), (answer.status_code, said)


def test_there_are_answers_with_content_among_them(sign_in, owner, place):
    """Or the test above would look at refusals only."""
    client = sign_in(owner)
    seen = {p.values[0].name for p in ALL if client.get(place(p.values[0])).status_code == 200}
    assert {"home", "report", "comparison", "comparison-section", "comparison-export", "shared-export"} <= seen


def test_what_is_asked_again_and_again_says_so_unchanged_too(sign_in, owner, comparison):
    client, path = sign_in(owner), f"/comparisons/{comparison.pk}/status/"
    first = client.get(path, headers={"Accept": "application/json"})
    again = client.get(path, headers={"Accept": "application/json", "If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    assert first["Cache-Control"] == again["Cache-Control"] == CONDITIONAL


class TestUnknownHost:
    @pytest.fixture(autouse=True)
    def names(self, accounts, settings, monkeypatch):
        settings.ALLOWED_HOSTS = ["awr.example.com"]
        monkeypatch.setattr(hosts, "_refusals", Seldom(every_s=60))

    @pytest.mark.parametrize("path", ["/", "/login/", "/static/css/base.css", "/nothing/"])
    def test_is_told_so_in_a_sentence(self, path):
        page = Client().get(path, headers={"Host": "evil.example", "Accept": "text/html"})
        document = Client().get(path, headers={"Host": "evil.example", "Accept": "application/json"})
        assert page.status_code == document.status_code == 400
        assert "does not answer to the name “evil.example”" in page.content.decode()
        assert "AWRDIFF_ALLOWED_HOSTS" in document.json()["error"]
        assert "default-src" in page["Content-Security-Policy"]
        assert page["X-Frame-Options"] == "DENY"

    @pytest.mark.parametrize("host", ["<script>alert(1)</script>", "a" * 5000, "awr.example.com:x", "", "a b"])
    def test_nonsense_is_shown_short_and_harmless(self, host):
        page = Client().get("/", headers={"Host": host, "Accept": "text/html"}).content.decode()
        assert "<script>alert" not in page
        assert "a" * 101 not in page

    def test_the_log_has_one_short_line_for_many(self, caplog):
        with caplog.at_level(logging.INFO):
            for number in range(50):
                assert Client().get("/", headers={"Host": f"evil{number}.example"}).status_code == 400
        assert [(r.name, r.levelname) for r in caplog.records] == [("awrdiff.web.middleware.hosts", "WARNING")]
        assert caplog.records[0].exc_info is None
        assert "'evil0.example'" in caplog.text

    def test_the_next_line_says_how_many_there_were(self, caplog):
        for host in ("a.example", "b.example", "c.example"):
            Client().get("/", headers={"Host": host})
        hosts._refusals._next_s = 0
        Client().get("/", headers={"Host": "d.example"})
        assert [r.getMessage().split(";")[1] for r in caplog.records] == [
            " 0 more since the last line",
            " 2 more since the last line",
        ]

    def test_a_known_name_is_answered(self):
        assert Client().get("/login/", headers={"Host": "awr.example.com"}).status_code == 200
