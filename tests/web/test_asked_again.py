"""How soon an open page asks again what is new: alone seldom, in company soon, and no hint to who may not know of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from awrdiff.comparisons import guest_access
from awrdiff.threads import queries, services
from awrdiff.threads.models import Looking, Thread
from awrdiff.threads.queries import ASKED_AGAIN_ALONE_S, ASKED_AGAIN_S, IN_TALK, LOOKING_FOR
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def again(client: Client, url: str, **headers: str) -> int:
    return int(client.get(url, headers={**JSON, **headers})["X-Ask-Again"])


@pytest.fixture
def url(comparison) -> str:
    return f"/comparisons/{comparison.pk}/threads/live/"


def test_alone_it_asks_seldom_and_from_the_first_question_of_a_second_on_soon(
    sign_in, owner, colleague, url, comparison
):
    assert [again(sign_in(owner), url), again(sign_in(owner), url)] == [ASKED_AGAIN_ALONE_S] * 2
    assert timedelta(seconds=1.5 * ASKED_AGAIN_ALONE_S) < LOOKING_FOR  # they are seen there meanwhile
    assert again(sign_in(colleague), url) == ASKED_AGAIN_S <= 2
    etag = sign_in(owner).get(url, headers=JSON)["ETag"]
    unchanged = sign_in(owner).get(url, headers={**JSON, "If-None-Match": etag})
    assert (unchanged.status_code, int(unchanged["X-Ask-Again"])) == (304, ASKED_AGAIN_S)
    Looking.objects.filter(user=colleague.user).update(seen_at=timezone.now() - LOOKING_FOR)
    assert again(sign_in(owner), url) == ASKED_AGAIN_ALONE_S
    by_themselves = replace(owner, is_local=True)
    assert queries.ask_again_s(by_themselves, queries.subject_of(comparison), []) > ASKED_AGAIN_ALONE_S


def test_after_something_was_written_it_asks_soon_for_a_while(sign_in, owner, guest, url, comparison):
    guest_access.show(owner, comparison, guest.membership)
    thread = services.start(owner, comparison, "summary", "Why?", uuid4(), for_guests=True).thread
    assert [again(sign_in(guest), url), again(sign_in(owner), url)] == [ASKED_AGAIN_S] * 2
    services.open_to_guests(owner, thread, for_guests=False)
    Looking.objects.all().delete()
    assert again(sign_in(guest), url) == ASKED_AGAIN_ALONE_S  # of what the team says among itself they learn nothing
    Looking.objects.all().delete()
    assert again(sign_in(owner), url) == ASKED_AGAIN_S
    Thread.objects.update(changed_at=timezone.now() - IN_TALK)
    assert again(sign_in(owner), url) == ASKED_AGAIN_ALONE_S


def test_below_a_link_nothing_tells_who_of_the_team_is_looking(sign_in, owner, url, comparison):
    _, path = create_link(owner, comparison, days=1, may_comment=True)
    again(sign_in(owner), url)
    assert again(Client(), f"{path}threads/live/") == ASKED_AGAIN_ALONE_S
    sent = {"anchor": "summary", "body": "Is it your disk?", "key": str(uuid4()), "name": "Gerd"}
    assert Client().post(f"{path}threads/", sent, headers=JSON).status_code == 201
    assert again(Client(), f"{path}threads/live/") == ASKED_AGAIN_S
