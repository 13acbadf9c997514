"""Links with a password, how often they are opened, and the page of the team's links."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from awrdiff.accounts import sign_in_limits
from awrdiff.accounts.rate_limits import Budget
from awrdiff.accounts.sign_in_limits import LINK
from awrdiff.sharing import services
from awrdiff.sharing.access import OPEN_FOR_S
from awrdiff.sharing.models import ShareLink
from awrdiff.web import links
from tests.web.pages import check_markup

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts", "standing_clock")]
JSON = {"Accept": "application/json"}
PASSWORD = "horse battery"
BELOW = (
    "",
    "sections/foreground_wait_events/",
    "commit/",
    "trend/",
    "export.json",
    "search/?q=log",
    "entities/event/x/",
)


@pytest.fixture(autouse=True)
def quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def locked(owner, comparison) -> str:
    return links.shared(services.create_link(owner, comparison, days=7, password=PASSWORD)[1])


def enter(client: Client, path: str, password: str = PASSWORD, **more: str):
    return client.post(f"{path}password/", {"password": password, **more})


def test_it_is_kept_as_a_hash(owner, comparison):
    link, _ = services.create_link(owner, comparison, days=7, password=PASSWORD)
    assert link.password
    assert PASSWORD not in str(vars(link))


@pytest.mark.parametrize("below", BELOW)
def test_without_it_nothing_below_the_link_is_told(locked, below):
    answer = Client().get(locked + below)
    assert answer.status_code == 401
    assert "This link has a password" in answer.content.decode()
    assert Client().get(locked + below, headers=JSON).json() == {"error": "This link has a password: enter it first."}


def test_nobody_has_used_it_who_does_not_know_the_password(locked):
    Client().get(locked)
    enter(Client(), locked, "wrong")
    assert ShareLink.objects.get().last_used_at is None
    client = Client()
    enter(client, locked)
    assert client.get(locked).status_code == 200
    assert ShareLink.objects.get().last_used_at is not None


def test_with_it_the_browser_has_the_link_open(locked):
    client = Client()
    check_markup(client.get(locked).content.decode())
    answer = enter(client, locked, to=f"{locked}commit/?sla=3")
    assert (answer.status_code, answer["Location"]) == (302, f"{locked}commit/?sla=3")
    (cookie,) = [c for name, c in answer.cookies.items() if name.startswith("link-")]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (locked, True, "Lax")
    assert cookie["max-age"] == OPEN_FOR_S
    assert client.get(locked).status_code == 200
    assert Client().get(locked).status_code == 401


@pytest.mark.parametrize("to", ["//evil.example/", "/people/", "https://evil.example/s/", "", "\\evil", "/s/other/"])
def test_it_leads_nowhere_else(locked, to):
    assert enter(Client(), locked, to=to)["Location"] == locked


def test_its_form_reaches_the_server(locked):
    """A browser sends no origin where no referrer is allowed, and then Django refuses the form."""
    client = Client(enforce_csrf_checks=True)
    page = client.get(locked)
    assert page["Referrer-Policy"] == "same-origin"
    token = page.content.decode().partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    assert enter(client, locked, csrfmiddlewaretoken=token).status_code == 302
    assert client.get(locked)["Referrer-Policy"] == "no-referrer"
    assert enter(Client(enforce_csrf_checks=True), locked).status_code == 403


def test_a_wrong_one_is_said_and_many_have_to_wait(locked):
    client = Client()
    answer = enter(client, locked, "wrong wrong")
    assert answer.status_code == 401
    assert ">This is not the password of this link.<" in answer.content.decode()
    statuses = [enter(client, locked, "wrong wrong").status_code for _ in range(LINK.most)]
    assert statuses[-1] == 429
    waiting = enter(client, locked)
    assert waiting.status_code == 429
    assert int(waiting["Retry-After"]) >= 1
    assert client.get(locked).status_code == 401


@pytest.mark.parametrize("password", ["x", "kq7%vz2w", "x" * 129])
def test_short_and_endless_ones_are_refused(sign_in, owner, comparison, password):
    answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", {"password": password}, headers=JSON)
    assert (answer.status_code, ShareLink.objects.count()) == (400, 0)
    assert "9 to 128 characters" in answer.json()["error"]


@pytest.mark.parametrize("password", ["123456789", "x" * 128, "password1", "payments1", "oliviaolivia", "zebra2024"])
def test_so_are_those_that_are_guessed_soon(sign_in, owner, comparison, password):
    comparison.title = "Zebra"
    comparison.save(update_fields=["title"])
    answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", {"password": password}, headers=JSON)
    assert (answer.status_code, ShareLink.objects.count()) == (400, 0)
    assert "easy to guess" in answer.json()["error"]


@pytest.mark.parametrize("password", ["k7dm-x3pf-9qwe-tz2h", "2222-abcd-2345-qqqq"])
def test_what_the_dialog_generates_is_taken(owner, comparison, password):
    assert services.create_link(owner, comparison, days=7, password=password)[0].password


@pytest.mark.parametrize("password", ["kq7%vz2wm", "seven lamps of green tin " * 5 + "abc"])
def test_the_shortest_and_the_longest_are_read_to_their_end(owner, comparison, password):
    path = links.shared(services.create_link(owner, comparison, days=7, password=password)[1])
    tried = [enter(Client(), path, word).status_code for word in (password, password[:-1], password + "x")]
    assert tried == [302, 401, 401]


def test_wrong_ones_are_counted_by_link_from_wherever(locked):
    statuses = [enter(Client(REMOTE_ADDR=f"2001:db8:{n:x}::1"), locked, "wrong wrong").status_code for n in range(90)]
    assert statuses == [401] * LINK.most + [429] * (90 - LINK.most)
    assert enter(Client(REMOTE_ADDR="192.0.2.1"), locked).status_code == 429


def test_a_right_one_gives_no_guesser_five_more(locked):
    for n in range(LINK.most - 1):
        enter(Client(REMOTE_ADDR=f"10.0.0.{n}"), locked, "wrong wrong")
    reader = Client()
    assert enter(reader, locked).status_code == 302
    statuses = [enter(Client(REMOTE_ADDR=f"10.0.1.{n}"), locked, "wrong wrong").status_code for n in range(3)]
    assert statuses == [401, 429, 429]
    assert reader.get(locked).status_code == 200  # it has the link open


def test_whoever_guesses_at_many_links_waits_at_each(owner, comparison, monkeypatch):
    monkeypatch.setattr(sign_in_limits, "ADDRESS", Budget(3, longest_s=300))
    made = [services.create_link(owner, comparison, days=7, password=PASSWORD)[1] for _ in range(4)]
    here, elsewhere = Client(REMOTE_ADDR="203.0.113.7"), Client(REMOTE_ADDR="198.51.100.7")
    assert [enter(here, links.shared(token), "wrong wrong").status_code for token in made] == [401, 401, 401, 429]
    assert enter(elsewhere, links.shared(made[3])).status_code == 302


def test_what_proves_it_for_one_link_opens_no_other(owner, comparison, locked):
    client = Client()
    enter(client, locked)
    proof = next(c.value for name, c in client.cookies.items() if name.startswith("link-"))
    other = links.shared(services.create_link(owner, comparison, days=7, password=PASSWORD)[1])
    client.get(other)
    from awrdiff.web.sign_in.share_link_cookies import _cookie

    client.cookies[_cookie(other.split("/")[2])] = proof
    assert client.get(other).status_code == 401
    client.cookies[_cookie(other.split("/")[2])] = "nonsense"
    assert client.get(other).status_code == 401


def test_it_ends_by_itself(locked, monkeypatch):
    client = Client()
    enter(client, locked)
    monkeypatch.setattr("awrdiff.sharing.access.OPEN_FOR_S", -1)
    assert client.get(locked).status_code == 401


def test_whoever_makes_a_link_sees_it_as_others_will(sign_in, owner, comparison):
    client = sign_in(owner)
    made = client.post(f"/comparisons/{comparison.pk}/links/", {"password": PASSWORD}, headers=JSON).json()
    assert (made["password"], made["redacted"]) == (True, False)
    path = urlsplit(made["url"]).path
    assert client.get(path).status_code == 200
    assert Client().get(path).status_code == 401


def test_revoked_and_expired_links_ask_for_nothing(locked):
    for ended in ({"revoked_at": timezone.now()}, {"expires_at": timezone.now() - timedelta(seconds=1)}):
        ShareLink.objects.update(revoked_at=None, expires_at=None)
        ShareLink.objects.update(**ended)
        assert Client().get(locked).status_code == 404
        assert enter(Client(), locked).status_code == 404


def test_opening_the_page_is_counted_and_nothing_else(owner, comparison):
    path = links.shared(services.create_link(owner, comparison, days=7)[1])
    client = Client()
    for below in ("", "", *BELOW[1:]):
        client.get(path + below)
    client.get(path, headers=JSON)
    client.head(path)
    assert ShareLink.objects.get().uses == 2


class TestTheTeamsLinks:
    @pytest.fixture
    def url(self) -> str:
        return reverse("links")

    def test_they_are_listed_with_who_made_them_and_for_what(self, sign_in, owner, comparison, url):
        services.create_link(owner, comparison, days=7, password=PASSWORD)
        revoked, _ = services.create_link(owner, comparison, days=7)
        services.revoke(owner, revoked)
        page = sign_in(owner).get(url).content.decode()
        check_markup(page)
        for words in ("by olivia", "names, password", "not opened yet", reverse("comparison", args=[comparison.pk])):
            assert words in page
        (one,) = sign_in(owner).get(url, headers=JSON).json()["links"]
        assert (one["by"], one["uses"], one["password"], one["live"]) == ("olivia", 0, True, True)

    def test_a_link_is_revoked_from_there(self, sign_in, owner, comparison, url):
        link, _ = services.create_link(owner, comparison, days=7)
        answer = sign_in(owner).post(reverse("link-revoke", args=[link.pk]), {"to": "links"})
        assert (answer.status_code, answer["Location"]) == (302, url)
        assert "There are none" in sign_in(owner).get(url).content.decode()

    def test_another_team_and_guests_see_none(self, sign_in, owner, stranger, guest, comparison, url):
        services.create_link(owner, comparison, days=7)
        assert sign_in(stranger).get(url, headers=JSON).json() == {"links": []}
        refused = sign_in(guest).get(url, headers=JSON)
        assert (refused.status_code, refused.json()) == (404, {"error": "There is nothing at this address."})

    def test_many_take_no_more_queries(self, sign_in, owner, comparison, url, django_assert_max_num_queries):
        for _ in range(20):
            services.create_link(owner, comparison, days=7)
        client = sign_in(owner)
        with django_assert_max_num_queries(7):
            client.get(url)
