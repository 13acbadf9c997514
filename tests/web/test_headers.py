"""What every answer says of itself: generated over the addresses, so that a new one is covered."""

from __future__ import annotations

import logging

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.web import middleware
from tests.web.addresses import ROWS
from tests.web.cast import Cast, cast_of

pytestmark = pytest.mark.django_db
CONDITIONAL = "private, no-cache"
ACCEPTS = ("text/html", "application/json")


@pytest.fixture
def cast(owner) -> Cast:
    return cast_of(owner)


def place(name: str, cast: Cast) -> str:
    return reverse(name, kwargs=ROWS[name].place(cast))


def is_conditional(answer) -> bool:
    return answer.has_header("ETag") and answer["Cache-Control"] == CONDITIONAL


@pytest.mark.thorough
@pytest.mark.parametrize("accept", ACCEPTS)
def test_nothing_that_a_member_sees_is_stored(sign_in, owner, cast, accept):
    """Whatever is answered, and to whom; what deletes comes after all has been read."""
    client, stranger, asks = sign_in(owner), Client(), {"Accept": accept}
    paths = {name: place(name, cast) for name in ROWS}
    reads = {
        name: [
            client.get(p, headers=asks),
            client.get(p, headers={**asks, "HX-Request": "true"}),
            stranger.get(p, headers=asks),
        ]
        for name, p in paths.items()
    }
    writes = {name: [client.post(p, headers=asks)] for name, p in paths.items()}
    answers = [(name, answer) for told in (reads, writes) for name, found in told.items() for answer in found]
    assert [(name, a.status_code, a["Cache-Control"]) for name, a in answers if not is_kept_to_oneself(a)] == []


def is_kept_to_oneself(answer) -> bool:
    said = answer["Cache-Control"]
    return ("no-store" in said and "private" in said) or is_conditional(answer)


@pytest.mark.thorough
def test_there_are_answers_with_content_among_them(sign_in, owner, cast):
    """Or the test above would look at refusals only."""
    client = sign_in(owner)
    seen = {name for name in ROWS if client.get(place(name, cast)).status_code == 200}
    wanted = {"home", "report", "comparison", "comparison-section", "comparison-export", "shared-export"}
    assert wanted | {"threads", "thread", "incident", "postmortem", "audit", "notices", "team"} <= seen


def test_what_is_asked_again_and_again_says_so_unchanged_too(sign_in, owner, comparison):
    client, path = sign_in(owner), f"/comparisons/{comparison.pk}/status/"
    first = client.get(path, headers={"Accept": "application/json"})
    again = client.get(path, headers={"Accept": "application/json", "If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    assert first["Cache-Control"] == again["Cache-Control"] == CONDITIONAL


class TestUnknownHost:
    @pytest.fixture(autouse=True)
    def names(self, accounts, settings):
        settings.ALLOWED_HOSTS = ["awr.example.com"]

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
        assert [(r.name, r.levelname) for r in caplog.records] == [("awrdiff.web.middleware", "WARNING")]
        assert caplog.records[0].exc_info is None
        assert "'evil0.example'" in caplog.text

    def test_the_next_line_says_how_many_there_were(self, caplog):
        for host in ("a.example", "b.example", "c.example"):
            Client().get("/", headers={"Host": host})
        middleware._refusals._next_s = 0
        Client().get("/", headers={"Host": "d.example"})
        assert [r.getMessage().split(";")[1] for r in caplog.records] == [
            " 0 more since the last line",
            " 2 more since the last line",
        ]

    def test_a_known_name_is_answered(self):
        assert Client().get("/login/", headers={"Host": "awr.example.com"}).status_code == 200
