"""What a page says of a result is rendered once for all who may do the same, and never holds what is another's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest
from django.middleware.csrf import _does_token_match
from django.test import Client, RequestFactory
from django.test.signals import template_rendered

from awrdiff.comparisons import guest_access
from awrdiff.comparisons.models import Comparison
from awrdiff.web.presenters.page import overview
from awrdiff.web.views import comparison_page_cache
from awrdiff.web.views.comparison_page_cache import SHEETS, Sheets
from parsers.storage.compressed_blocks import pack, unpack
from tests.web.redacted import redacted_link
from tests.web.share import create_link
from tests.web.test_verdicts import give, judged

pytestmark = pytest.mark.django_db
OF_ONE_ANSWER = re.compile(r'(name="(?:csrfmiddlewaretoken|key)" value=")[^"]+')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@pytest.fixture
def presented(monkeypatch) -> list[object]:
    """One entry for each result that was made into a page."""
    made: list[object] = []
    present = overview.present
    monkeypatch.setattr(overview, "present", lambda *given: made.append(given) or present(*given))
    return made


@pytest.fixture
def found(owner, reports) -> Comparison:
    made, _ = judged(owner, reports)
    return made


@pytest.fixture
def readers(sign_in, owner, colleague, guest, found) -> Mapping[str, tuple[Client, str]]:
    guest_access.show(owner, found, guest.membership)
    page = f"/comparisons/{found.pk}/"
    links = [create_link(owner, found, days=days, may_comment=comment)[1] for days, comment in ((1, False), (2, True))]
    return {
        "owner": (sign_in(owner), page),
        "colleague": (sign_in(colleague), page),
        "guest": (sign_in(guest), page),
        "link": (Client(), links[0]),
        "commenting link": (Client(), links[1]),
    }


def html(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def of_the_result(client: Client, path: str) -> str:
    """Without what changes by looking: how often links were opened, form tokens."""
    page = html(client, path)
    return OF_ONE_ANSWER.sub(r"\1", page[page.index('<div class="page">') : page.index('<aside class="panel"')])


def differing(readers: Mapping[str, tuple[Client, str]], query: str = "") -> list[str]:
    """Readers whose page is another one after all others have seen theirs than it is rendered for them alone."""
    for client, path in readers.values():
        html(client, path + query)
    together = {name: of_the_result(client, path + query) for name, (client, path) in readers.items()}
    wrong = []
    for name, (client, path) in readers.items():
        SHEETS.clear()
        if of_the_result(client, path + query) != together[name]:
            wrong.append(name)
    return wrong


def test_every_reader_sees_what_is_rendered_for_them_alone(readers, found):
    assert differing(readers) == []
    for query in ("?all=1", "?material=5", "?basis=txn", "?pair=0"):
        assert differing(readers, query) == [], query


def test_it_stays_so_while_the_team_judges_writes_and_renames(readers, found, owner):
    (his, page), (hers, _) = readers["colleague"], readers["owner"]
    anchors = re.findall(r'data-judge="([^"]+)"', html(hers, page))
    steps: list[Callable[[], object]] = [
        lambda: give(hers, found, anchors[0], "confirmed", why="the plan changed"),
        lambda: give(his, found, anchors[0], "rejected", why="a batch job"),
        lambda: hers.post(f"{page}title/", {"title": "The slow Monday"}),
        lambda: hers.post(f"{page}threads/", {"anchor": "summary", "body": "Why?", "key": str(found.pk)}),
    ]
    for step in steps:
        step()
        assert differing(readers) == []
    assert "because a batch job" in html(hers, page)
    assert "The slow Monday" in html(hers, page)
    # Each sees the other's judgement to agree with, and none their own.
    assert ("Agree with carl" in html(hers, page), "Agree with olivia" in html(hers, page)) == (True, False)
    assert ("Agree with carl" in html(his, page), "Agree with olivia" in html(his, page)) == (False, True)
    for name in ("link", "commenting link"):
        assert "a batch job" not in html(*readers[name])


def test_a_redacted_link_shares_nothing_with_the_team(sign_in, owner, comparison):
    readers = {
        "owner": (sign_in(owner), f"/comparisons/{comparison.pk}/"),
        "link": (Client(), create_link(owner, comparison, days=1)[1]),
    }
    html(*readers["owner"])
    _, path = redacted_link(owner, comparison)
    readers["redacted"] = (Client(), path)
    assert differing(readers) == []
    assert str(comparison.pk) not in html(*readers["redacted"])


def test_each_reader_has_the_form_token_of_their_own(readers, found):
    (hers, page), (his, _) = readers["owner"], readers["colleague"]
    html(hers, page)
    for client in (hers, his):
        tokens = TOKEN.findall(html(client, page))
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = client.cookies
        assert tokens
        for token in tokens:
            assert strict.post(f"{page}title/", {"title": "x", "csrfmiddlewaretoken": token}).status_code == 302
    assert comparison_page_cache._TOKEN not in html(hers, page)


def test_a_form_that_is_kept_has_the_token_of_who_asks():
    """Nothing of the sheet of `found` is a form; the parts of a report are chosen by one."""
    part = {"looks": "First looks at", "place": 0, "choices": [{"value": "first", "label": "First", "current": True}]}
    made = Sheets().sheet(("comparisons/_part.html",), 1, {"p": part, "parts_url": "/parts/"}, lambda: ({}, {}))
    for _ in range(2):
        request = RequestFactory().get("/")
        (text,) = made.html(request)
        (token,) = TOKEN.findall(text)
        assert _does_token_match(token, request.META["CSRF_COOKIE"])


def test_colleagues_share_what_is_rendered_and_another_result_is_rendered_anew(readers, found, presented):
    (hers, page), (his, _) = readers["owner"], readers["colleague"]
    html(hers, page)
    assert len(presented) == 1
    for client in (his, hers, his):
        html(client, page)
    assert len(presented) == 1
    stored = unpack(bytes(found.overview))
    stored[0]["answer"]["headline"] = "It was the disk after all."
    Comparison.objects.filter(pk=found.pk).update(overview=pack(stored))
    for client in (hers, his):
        assert "It was the disk after all." in html(client, page)
    assert len(presented) == 2


def test_the_second_reader_takes_a_third_of_the_renders_at_most(readers, found):
    (hers, page), (his, _) = readers["owner"], readers["colleague"]
    counts = []
    for client in (hers, his):
        seen: list[object] = []

        def note(seen=seen, **_):
            seen.append(1)

        template_rendered.connect(note)
        html(client, page)
        template_rendered.disconnect(note)
        counts.append(len(seen))
    assert counts[1] <= 30
    # Of sections, movers and findings a list is one render, however long it is.
    assert counts[0] <= 75


def test_what_is_kept_has_a_limit_and_the_oldest_goes_first():
    def made(text: str):
        return few.sheet(("web/_copied.html",), text, {}, lambda: (asked.append(text) or {}, {}))

    asked: list[str] = []
    sheet = Sheets().sheet(("web/_copied.html",), "", {}, lambda: ({}, {}))
    few = Sheets(most_bytes=3 * sheet.size)
    for text in "abcabdb":
        made(text)
    assert asked == ["a", "b", "c", "d"]
    made("a")
    made("c")
    assert asked == ["a", "b", "c", "d", "c"]
