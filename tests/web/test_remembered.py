"""A ready page or section seen before is 304 without being made; it is made anew once anything in it changed."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff.comparisons.models import Comparison
from awrdiff.sharing.services import revoke
from tests.web.pages import store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]


@pytest.fixture
def stored(owner, reports) -> Comparison:
    return store_comparison(owner, reports)


def again(client: Client, path: str, etag: str, **headers: str) -> int:
    return client.get(path, headers={"If-None-Match": etag, **headers}).status_code


@pytest.mark.parametrize("below", ["", "sections/foreground_wait_events/"])
def test_seen_before_is_not_made_again(sign_in, owner, stored, below, monkeypatch):
    client, path = sign_in(owner), f"/comparisons/{stored.pk}/{below}"
    client.get(path)  # sets the form token's cookie
    first = client.get(path)
    assert first["Cache-Control"] == "private, no-cache"
    monkeypatch.setattr("awrdiff.web.views.comparisons.render", lambda *_: pytest.fail("it was made"))
    assert again(client, path, first["ETag"]) == 304
    assert again(client, path, f"W/{first['ETag']}") == 304


def test_what_nobody_shared_or_judged_is_not_looked_up_with_all_its_comparisons(sign_in, owner, stored):
    """Neither links nor rejections are there: nothing is joined to them, and no question is asked besides."""
    client, path = sign_in(owner), f"/comparisons/{stored.pk}/"
    client.get(path)
    tag = client.get(path)["ETag"]
    with CaptureQueriesContext(connection) as asked:
        assert again(client, path, tag) == 304
    wide = [query["sql"] for query in asked if query["sql"].count('"stored_format"') > 1]
    assert wide == []


def test_what_changes_the_page_changes_the_tag(sign_in, owner, colleague, stored):
    client, path = sign_in(owner), f"/comparisons/{stored.pk}/"
    client.get(path)
    tag = client.get(path)["ETag"]
    assert again(client, f"{path}?basis=txn", tag) == 200
    assert again(sign_in(colleague), path, tag) == 200
    link, _ = create_link(owner, stored, days=7)
    assert again(client, path, tag) == 200
    tag = client.get(path)["ETag"]
    revoke(owner, link)
    assert again(client, path, tag) == 200
    tag = client.get(path)["ETag"]
    Comparison.objects.filter(pk=stored.pk).update(engine_version=1)
    assert again(client, path, tag) == 200


def test_never_across_links(owner, stored):
    paths = [create_link(owner, stored, days=7)[1] for _ in range(2)]
    first = Client().get(paths[0])
    assert first["Cache-Control"] == "private, no-store"
    assert again(Client(), paths[1], first["ETag"]) == 200
    section = "sections/foreground_wait_events/"
    assert again(Client(), paths[1] + section, Client().get(paths[0] + section)["ETag"]) == 200


def test_a_part_for_htmx_is_another_answer(sign_in, owner, stored):
    client, path = sign_in(owner), f"/comparisons/{stored.pk}/sections/foreground_wait_events/"
    assert client.get(path)["ETag"] != client.get(path, headers={"HX-Request": "true"})["ETag"]
