"""The pages behind a share link, and the dialog that makes one."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.sharing.services import revoke
from awrdiff.web.presenters.page.share_links import on_loopback
from tests.web.compared import comparison, waits_section
from tests.web.pages import check_markup, store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]


@pytest.fixture
def stored(owner, reports):
    return store_comparison(owner, reports)


def test_a_shared_page_is_read_only_and_says_until_when(owner, stored, django_assert_max_num_queries):
    _, path = create_link(owner, stored, days=7)
    guest = Client()
    guest.get(path)
    with django_assert_max_num_queries(10):
        answer = guest.get(path)
    html = answer.content.decode()
    check_markup(html)
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "noindex" in answer["X-Robots-Tag"]
    assert "Shared read-only view, valid until" in html
    for words in ("data-share", 'id="swap"', "<form", str(stored.pk), "/reports/", "csrfmiddlewaretoken"):
        assert words not in html


def test_sections_and_search_work_under_the_link(owner, stored):
    _, path = create_link(owner, stored, days=None)
    guest = Client()
    section = guest.get(f"{path}sections/foreground_wait_events/", headers={"HX-Request": "true"})
    assert "library cache: mutex X" in section.content.decode()
    whole = guest.get(f"{path}sections/foreground_wait_events/").content.decode()
    check_markup(whole)
    assert str(stored.pk) not in whole
    assert guest.get(f"{path}search/", {"q": "mutex"}).json() == {"sections": {"foreground_wait_events": 1}}


def test_the_next_rows_are_under_the_link(owner, reports):
    large = store_comparison(owner, reports, comparison((waits_section(250),)))
    _, path = create_link(owner, large, days=7)
    section = f"{path}sections/foreground_wait_events/"
    html = Client().get(section, headers={"HX-Request": "true"}).content.decode()
    assert "next 100 rows" in html
    asked = set(re.findall(r'(?:href|hx-get)="([^"#]+)', html))
    assert asked
    assert [url for url in asked if not url.startswith((path, "?"))] == []


def test_a_revoked_link_opens_nothing(owner, stored):
    link, path = create_link(owner, stored, days=7)
    revoke(owner, link)
    for url in (path, f"{path}sections/init_parameters/", f"{path}search/"):
        assert Client().get(url).status_code == 404


def test_the_dialog_lists_links_without_their_address(sign_in, owner, stored):
    link, path = create_link(owner, stored, days=7)
    html = sign_in(owner).get(reverse("comparison", args=[stored.pk])).content.decode()
    assert reverse("link-revoke", args=[link.pk]) in html
    assert path not in html


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost:8000", True), ("127.0.0.1:8000", True), ("[::1]:8000", True), ("127.8.0.1", True),
        ("awr.example.com", False), ("10.1.2.3:8000", False), ("[fe80::1]", False),
    ],
)  # fmt: skip
def test_loopback_hosts(host, expected):
    assert on_loopback(host) is expected


def test_the_dialog_says_that_a_loopback_link_reaches_this_machine_only(sign_in, owner, stored):
    client = sign_in(owner)
    url = reverse("comparison", args=[stored.pk])
    assert "listens on this machine only" in client.get(url, headers={"Host": "localhost:8000"}).content.decode()
