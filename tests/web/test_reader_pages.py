"""Whoever only reads is offered nothing that would be refused: every form and way on each of their pages is tried."""

from __future__ import annotations

from copy import deepcopy
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from tests.web.addresses import ROWS, WRITERS_ASK
from tests.web.cast import Cast, cast_of
from tests.web.conftest import context_of
from tests.web.pages import body

pytestmark = pytest.mark.django_db
HTML, PART = {"Accept": "text/html"}, {"Accept": "text/html", "HX-Request": "true"}


class Offers(HTMLParser):
    """What a page offers: the addresses that forms post to, those that are followed, and whether it can be shared."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at, self.posts, self.ways, self.scripted = at, set(), set(), set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method", "").lower() == "post":
            self.posts.add(given.get("action") or self.at)
        if "formaction" in given:
            self.posts.add(given["formaction"])
        self.ways |= {given[name] for name in ("href", "hx-get") if given.get(name, "").startswith("/")}
        self.scripted |= {"data-share", "data-judge", "data-pins", "data-say"} & given.keys()


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def cast(db, world) -> Cast:
    return deepcopy(world)


def offered(client: Client, cast: Cast) -> dict[str, Offers]:
    """By the name of each address that a reader opens, as a page of its own and as a part of one."""
    found = {}
    for name, row in ROWS.items():
        if row.kind not in ("member", "object") or "GET" not in row.methods or row.owners or name in WRITERS_ASK:
            continue
        at = reverse(name, kwargs=row.place(cast))
        for asked, query in ((HTML, ""), (PART, "?anchor=foreground_wait_events" if name == "threads" else "")):
            answer = client.get(at + query, headers=asked)
            if answer.status_code == 200 and "text/html" in answer["Content-Type"]:
                one = found[f"{name} {'part' if asked is PART else 'page'}"] = Offers(at)
                one.feed(body(answer).decode())
    return found


def named(address: str) -> str:
    try:
        return str(resolve(urlsplit(address).path).url_name)
    except Resolver404:
        return ""


def test_nothing_is_offered_to_a_reader_that_is_refused(sign_in, owner, cast):
    reader, writer = sign_in(context_of("rita", "Payments", "reader")), sign_in(owner)
    pages = offered(reader, cast)
    assert {"comparison page", "report page", "incident page", "postmortem page", "threads part"} <= pages.keys()
    for name, page in pages.items():
        for address in page.posts - {reverse("account_logout")}:
            with transaction.atomic():
                status = reader.post(address).status_code
                transaction.set_rollback(True)
            assert status not in (401, 403, 404), (name, address)
        asked = {way for way in page.ways if named(way) in WRITERS_ASK}
        asked |= {way for way in page.ways if named(way) == "postmortem-section"}
        assert (name, asked, page.scripted) == (name, set(), set())
    members = offered(writer, cast)  # or nothing could be found
    assert len(set().union(*(one.posts for one in members.values()))) > 30
    assert {"data-share", "data-judge", "data-pins", "data-say"} == set().union(*(p.scripted for p in members.values()))


def test_a_reader_is_led_from_a_comparison_to_its_reports(sign_in, owner, cast):
    found = offered(sign_in(context_of("rita", "Payments", "reader")), cast)
    assert "report" in {named(way) for way in found["comparison page"].ways}
