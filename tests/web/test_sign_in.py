"""Failed sign-ins: logged, followed by a growing wait, and no way to keep somebody else out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from awrdiff.accounts import rate_limits, sign_in_limits
from awrdiff.accounts.models import Spent, User
from awrdiff.accounts.services import join
from awrdiff.accounts.sign_in_limits import ADDRESS, BROWSER, CLEAN_ADDRESS, NAME, STRANGERS, TooManyFailures

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("standing_clock")]
PASSWORD, WRONG = "seven lamps of green tin", "wrong-horse-Battery"
HERE, THERE = "192.0.2.7", "198.51.100.9"


@pytest.fixture(autouse=True)
def people(accounts):
    for name in ("olivia", "carl"):
        user = User(username=name)
        user.set_password(PASSWORD)
        user.save()
        join(user, "Payments")


def sign_in(name="olivia", password=WRONG, *, client=None, address=HERE, accept="text/html"):
    client = client or Client(REMOTE_ADDR=address)
    return client.post("/login/", {"login": name, "password": password}, headers={"Accept": accept})


def fail(times, name="olivia", address=HERE, client=None):
    """Failures, each after its wait."""
    for _ in range(times):
        assert sign_in(name, client=client, address=address).status_code == 200
        wait_is_over()


def wait_is_over(seconds=300):
    Spent.objects.update(last_at=timezone.now() - timedelta(seconds=seconds))


def keep_waiting():
    Spent.objects.update(last_at=timezone.now())


def test_a_few_mistakes_cost_nothing():
    for _ in range(NAME.most):
        assert sign_in().status_code == 200
    wait_is_over(2)
    assert sign_in(password=PASSWORD).status_code == 302


def test_more_are_answered_429_with_a_sentence_and_when_to_come_again():
    fail(NAME.most)
    keep_waiting()
    page, document = sign_in(password=PASSWORD), sign_in(accept="application/json")
    assert page.status_code == document.status_code == 429
    assert page["Retry-After"] == document["Retry-After"] == "2"
    assert document.json()["error"] == "Too many failed sign-ins: try again in 2 seconds."
    assert 'name="password"' in page.content.decode()
    assert "try again in 2 seconds" in page.content.decode()
    assert "no-store" in page["Cache-Control"]


def test_the_wait_grows_to_a_bound():
    assert [NAME.wait_s(n) for n in (4, 5, 6, 7, 8, 9, 10, 11, 10_000)] == [0, 2, 4, 8, 16, 32, 60, 60, 60]
    assert max(limit.longest_s for limit in (NAME, ADDRESS, BROWSER)) <= 300


def test_after_the_wait_the_right_password_works():
    fail(NAME.most + 8)
    keep_waiting()
    assert sign_in(password=PASSWORD).status_code == 429
    wait_is_over(NAME.longest_s)
    assert sign_in(password=PASSWORD).status_code == 302
    assert not Spent.objects.filter(times__gt=NAME.most + 8).exists()


def test_trying_during_the_wait_makes_it_no_longer():
    fail(NAME.most)
    keep_waiting()
    before = set(Spent.objects.values_list("key", "times", "last_at"))
    for _ in range(5):  # the wait is in real seconds
        assert sign_in().status_code == 429
    assert set(Spent.objects.values_list("key", "times", "last_at")) == before


def test_a_stranger_does_not_keep_a_person_out():
    fail(NAME.most + 9, address=THERE)
    keep_waiting()
    assert sign_in(password=PASSWORD, address=THERE).status_code == 429
    assert sign_in(password=PASSWORD, address=HERE).status_code == 302


def test_nor_does_one_at_the_same_address_for_a_browser_that_signed_in_before(settings):
    mine = Client(REMOTE_ADDR=HERE)
    assert sign_in(password=PASSWORD, client=mine).status_code == 302
    cookie = mine.cookies["awrdiff_browser"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    mine.post("/logout/")
    fail(ADDRESS.most + 5)
    keep_waiting()
    assert sign_in(password=PASSWORD).status_code == 429
    assert sign_in(password=PASSWORD, client=mine).status_code == 302


def test_such_a_browser_has_its_own_limit_and_for_its_own_name():
    mine = Client(REMOTE_ADDR=HERE)
    sign_in(password=PASSWORD, client=mine)
    mine.post("/logout/")
    fail(NAME.most, name="carl")
    keep_waiting()
    assert sign_in("carl", PASSWORD, client=mine).status_code == 429
    Spent.objects.all().delete()
    fail(BROWSER.most, client=mine)
    keep_waiting()
    assert sign_in(password=PASSWORD, client=mine).status_code == 429


@pytest.mark.parametrize("cookie", ["", "x", "e30:1:x", "olivia"])
def test_an_invented_cookie_is_no_such_browser(cookie):
    fail(NAME.most)
    keep_waiting()
    client = Client(REMOTE_ADDR=HERE)
    client.cookies["awrdiff_browser"] = cookie
    assert sign_in(password=PASSWORD, client=client).status_code == 429


def test_an_address_waits_whatever_the_names():
    for number in range(ADDRESS.most):
        sign_in(f"name{number}")
    assert sign_in("carl", PASSWORD).status_code == 429
    assert sign_in("carl", PASSWORD, address=THERE).status_code == 302


def test_an_own_account_does_not_reset_the_address():
    for number in range(ADDRESS.most):
        sign_in(f"name{number}")
        wait_is_over()
        assert sign_in("carl", PASSWORD).status_code == 302
    keep_waiting()
    assert sign_in("name99").status_code == 429


@pytest.mark.parametrize("name", ["Olivia", "ＯＬＩＶＩＡ", " olivia "])
def test_a_name_written_otherwise_is_the_same(name):
    fail(NAME.most)
    keep_waiting()
    assert sign_in(name).status_code == 429


def test_a_name_that_nobody_has_waits_alike():
    fail(NAME.most, name="nobody-here")
    keep_waiting()
    assert sign_in("nobody-here").status_code == 429


def test_an_hour_later_nothing_is_known():
    fail(NAME.most + 9)
    Spent.objects.update(last_at=timezone.now() - timedelta(minutes=61))
    assert sign_in("carl").status_code == 200
    assert sorted(Spent.objects.values_list("times", flat=True)) == [1, 1, 1]  # carl's two and the address's


def test_a_clock_that_was_put_back_locks_nobody_out():
    fail(NAME.most)
    Spent.objects.update(last_at=timezone.now() + timedelta(days=400))
    assert sign_in(password=PASSWORD).status_code == 302


def test_an_attempt_counts_before_its_password_is_looked_at():
    """So that a hundred at once get no further than one after the other."""
    for _ in range(NAME.most):
        sign_in_limits.begin("olivia", address=None, browser=None)
    with pytest.raises(TooManyFailures):
        sign_in_limits.begin("olivia", address=None, browser=None)


def test_a_count_that_somebody_else_ends_meanwhile_begins_again(monkeypatch):
    """Two of one name at once on PostgreSQL: the other's success deletes the row after this one has found it there."""
    lock, ended = rate_limits._lock, []

    def delayed(keys):
        if not ended:
            ended.append(Spent.objects.filter(key=rate_limits.key_of("name", "olivia")).delete())
        return lock(keys)

    monkeypatch.setattr(rate_limits, "_lock", delayed)
    assert sign_in(password=PASSWORD).status_code == 302
    assert ended[0][0] == 1


@pytest.mark.parametrize("name", ["\0", "a\0b", "\ud800x", "x" * 500, "\u202e"])
def test_odd_names_are_no_fault_of_ours(name):
    assert sign_in(name.encode("utf-8", "surrogatepass")).status_code == 200


class TestAddress:
    def count(self, **headers) -> int:
        Client(REMOTE_ADDR="127.0.0.1").post(
            "/login/", {"login": "olivia", "password": WRONG}, headers={"X-Forwarded-Proto": "https", **headers}
        )
        return Spent.objects.exclude(times=0).count()

    def test_without_a_proxy_a_header_means_nothing(self):
        self.count(**{"X-Forwarded-For": "203.0.113.1"})
        assert self.count(**{"X-Forwarded-For": "203.0.113.2"}) == 3  # the name, by strangers, and one address

    def test_behind_a_proxy_the_last_in_its_header_counts(self, settings):
        settings.AWRDIFF_BEHIND_PROXY, settings.AWRDIFF_CLIENT_ADDRESS_HEADER = True, "X-Forwarded-For"
        self.count(**{"X-Forwarded-For": "1.1.1.1, 203.0.113.1"})
        assert self.count(**{"X-Forwarded-For": "2.2.2.2, 203.0.113.1"}) == 3
        assert self.count(**{"X-Forwarded-For": "203.0.113.2"}) == 4

    @pytest.mark.parametrize("header", ["", "X-Real-IP"])
    def test_behind_one_that_does_not_tell_only_names_count(self, settings, header):
        settings.AWRDIFF_BEHIND_PROXY, settings.AWRDIFF_CLIENT_ADDRESS_HEADER = True, header
        assert self.count(**{"X-Forwarded-For": "203.0.113.1", "X-Real-IP": "nonsense"}) == 1


class TestManyNetworks:
    def looked_at(self, addresses) -> int:
        """How many passwords of olivia's were looked at, one from each."""
        return sum(sign_in(address=one).status_code == 200 for one in addresses)

    def test_all_that_are_not_known_together_have_a_hundred_an_hour(self):
        mine = Client(REMOTE_ADDR=HERE)
        assert sign_in(password=PASSWORD, client=mine).status_code == 302
        mine.post("/logout/")
        assert self.looked_at(f"10.0.{n // 200}.{n % 200}" for n in range(130)) == STRANGERS.most == 100
        assert sign_in(password=PASSWORD, address=THERE).status_code == 429
        assert int(sign_in(address=THERE)["Retry-After"]) > 3_500
        assert sign_in(password=PASSWORD, client=mine).status_code == 302
        assert sign_in("carl", PASSWORD, address=THERE).status_code == 302
        Spent.objects.update(last_at=timezone.now() - timedelta(minutes=61))
        assert sign_in(password=PASSWORD, address=THERE).status_code == 302

    def test_whoever_knows_the_password_does_not_begin_the_hundred_anew(self):
        """Else an own account, or a colleague's habit of signing in, would."""
        self.looked_at(f"10.0.0.{n}" for n in range(STRANGERS.most - 1))
        assert sign_in(password=PASSWORD, address=THERE).status_code == 302
        assert self.looked_at(f"10.0.1.{n}" for n in range(20)) == 1

    @pytest.mark.parametrize(
        ("addresses", "times"),
        [
            ([f"2001:db8::{n:x}" for n in range(1, 40)], 1),
            ([f"2001:db8:0:{n:x}::1" for n in range(1, 40)], 2),
            ([f"2001:db8:0:{n:x}00::1" for n in range(1, 40)], 4),
        ],
    )
    def test_networks_of_ipv6_are_counted_at_64_56_and_48(self, addresses, times):
        """Of one household, one line, one site: then the name's wait holds, which five failures have begun."""
        assert self.looked_at(addresses) == max(CLEAN_ADDRESS * times, NAME.most)

    def test_two_sites_are_two(self):
        fail(CLEAN_ADDRESS + NAME.most, address="2001:db8:1::1")
        keep_waiting()
        assert sign_in(password=PASSWORD, address="2001:db8:1::2").status_code == 429
        assert sign_in(password=PASSWORD, address="2001:db8:2::1").status_code == 302


class TestLog:
    def test_a_failure_is_logged_with_name_and_address_and_no_password(self, caplog):
        sign_in()
        assert "sign-in failed: user 'olivia', from 192.0.2.7" in caplog.text
        assert WRONG not in caplog.text

    def test_a_password_in_the_wrong_field_is_not_told(self, caplog):
        sign_in(PASSWORD, "olivia")
        assert "a name that nobody has" in caplog.text
        assert PASSWORD not in caplog.text

    def test_refusals_do_not_fill_it(self, caplog):
        fail(NAME.most + 4)  # so that the wait outlasts the test on a busy machine
        keep_waiting()
        caplog.clear()
        for _ in range(30):
            sign_in()
        said = [r.getMessage() for r in caplog.records if r.name.startswith("awrdiff")]
        assert len(said) == 1
        assert "refused for 32 s" in said[0]
        assert "user 'olivia', from 192.0.2.7" in said[0]

    def test_a_success_is_silent(self, caplog):
        sign_in(password=PASSWORD)
        assert not caplog.records
