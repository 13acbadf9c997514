"""Share links and who is looking, asked directly: the services below the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import NotFound, SignInNeeded, local_member, member_of_team
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import User
from awrdiff.accounts.services import join
from awrdiff.accounts.token_hashing import hash_token, new_token
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing import access as link_access
from awrdiff.sharing import queries, services
from awrdiff.sharing.access import shared
from awrdiff.sharing.models import ShareLink
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored(owner, reports) -> Comparison:
    return store_comparison(owner, reports)


@pytest.fixture
def made(owner, stored) -> tuple[ShareLink, str]:
    return services.create_link(owner, stored, days=3)


def test_a_link_says_whose_it_is_who_made_it_and_until_when(owner, stored, made):
    link = ShareLink.objects.get()
    assert (link.team, link.comparison, link.created_by) == (owner.team, stored, owner.user)
    assert timedelta(days=2, hours=23) < link.expires_at - timezone.now() <= timedelta(days=3)
    access = shared(made[1])
    assert (access.team, access.user, access.is_shared, access.can_write) == (owner.team, None, True, False)
    held = access.link
    assert (held.pk, held.comparison_id, held.expires_at, held.token) == (link.pk, stored.pk, link.expires_at, made[1])


def test_a_link_without_an_end_works(owner, stored):
    link, token = services.create_link(owner, stored, days=None)
    assert link.expires_at is None
    assert link.is_live
    assert link_access.link_of(token) == link


def test_only_members_of_its_team_make_one_or_change_it(stranger, stored, made):
    for access in (stranger, shared(made[1])):
        with pytest.raises(PermissionDenied):
            services.create_link(access, stored, days=3)
        for write in (services.revoke, services.make_copy_again):
            with pytest.raises(PermissionDenied):
                write(access, made[0])
    assert ShareLink.objects.get().revoked_at is None


def test_a_comparison_that_was_deleted_gets_none(owner, stored):
    Comparison.objects.filter(pk=stored.pk).delete()
    with pytest.raises(NotFound, match=r"^The comparison has been deleted\.$"):
        services.create_link(owner, stored, days=3)


def test_the_moment_of_revoking_stays_and_no_other_link_goes(owner, stored, made):
    other, _ = services.create_link(owner, stored, days=3)
    services.revoke(owner, made[0])
    first = ShareLink.objects.get(pk=made[0].pk).revoked_at
    services.revoke(owner, made[0])
    assert first is not None
    assert ShareLink.objects.get(pk=made[0].pk).revoked_at == first
    assert not ShareLink.objects.get(pk=made[0].pk).is_live
    assert ShareLink.objects.get(pk=other.pk).is_live
    line = AuditLine.objects.get(action="revoked")
    assert (line.kind, line.thing) == ("link", str(made[0].pk))


def test_the_list_has_those_of_the_team_that_were_not_revoked_the_newest_first(owner, stranger, reports, stored):
    links = [services.create_link(owner, stored, days=n)[0] for n in (1, 2, 3)]
    services.revoke(owner, links[1])
    services.create_link(owner, store_comparison(owner, reports), days=1)
    ShareLink.objects.create(team=stranger.team, comparison=stored, token_hash="x")
    for back, link in enumerate(reversed(links)):
        ShareLink.objects.filter(pk=link.pk).update(created_at=timezone.now() - timedelta(hours=back))
    assert list(queries.links_of(owner, stored)) == [links[2], links[0]]


def test_whoever_holds_a_link_sees_no_links(made, stored):
    access = shared(made[1])
    assert not queries.links_of(access, stored).exists()
    with pytest.raises(NotFound, match=r"^There is no such link\.$"):
        queries.link_for(access, made[0].pk)


def test_a_link_is_found_by_its_id_and_its_team_alone(owner, stranger, stored, made):
    for link in (made[0], services.create_link(owner, stored, days=3)[0]):
        assert queries.link_for(owner, link.pk) == link
    with pytest.raises(NotFound, match=r"^There is no such link\.$"):
        queries.link_for(stranger, made[0].pk)


def test_a_token_that_opens_nothing_is_told_so(db):
    with pytest.raises(NotFound, match=r"^This link .* was revoked\. Ask whoever sent it for a new one\.$"):
        shared("nothing")


def test_its_use_is_noted_once_a_minute_and_of_the_one_that_was_used(owner, stored, made, django_assert_num_queries):
    other, _ = services.create_link(owner, stored, days=3)
    with django_assert_num_queries(4):  # two of them because the test is a transaction already
        assert shared(made[1]).team.name == owner.team.name
    noted = ShareLink.objects.get(pk=made[0].pk).last_used_at
    assert timezone.now() - noted < timedelta(minutes=1)
    assert ShareLink.objects.get(pk=other.pk).last_used_at is None
    for seconds, again in ((50, False), (70, True)):
        before = timezone.now() - timedelta(seconds=seconds)
        ShareLink.objects.filter(pk=made[0].pk).update(last_used_at=before)
        shared(made[1])
        assert (ShareLink.objects.get(pk=made[0].pk).last_used_at != before) == again


def test_where_the_database_takes_no_write_reading_goes_on(accounts, made, monkeypatch, caplog):
    def locked(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr(QuerySet, "update", locked)
    assert Client().get(f"/s/{made[1]}/").status_code == 200
    said = [record.getMessage() for record in caplog.records if "database is locked" in record.getMessage()]
    assert said == [f"The use of link {made[0].pk} is not noted: database is locked"] * 2


def test_a_token_is_256_bits_and_any_text_has_a_hash():
    assert {len(new_token()) for _ in range(20)} == {43}
    assert hash_token("\udcff") != hash_token("x")


def test_a_link_that_ended_is_not_live(owner, stored):
    link, token = services.create_link(owner, stored, days=1)
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    link.refresh_from_db()
    assert not link.is_live
    with pytest.raises(NotFound):
        link_access.link_of(token)
    assert str(link) == f"Link to {stored.pk}"


class TestRate:
    @pytest.fixture(autouse=True)
    def one_minute(self, monkeypatch):
        cache.clear()
        link_access._running.clear()
        monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_045.0)

    @pytest.mark.usefixtures("one_minute")
    def test_what_is_spent_is_counted_up_to_the_limit_and_refused_beyond(self, made, settings):
        settings.AWRDIFF_LINK_RATE = 2
        link_access.spend(made[0].pk, 3)
        link_access.spend(made[0].pk, 5)
        with pytest.raises(
            TooMuch, match=r"^This link was used too often in one minute: it works again in 35 s\.$"
        ) as said:
            link_access.spend(made[0].pk, 1)
        assert (said.value.retry_s, said.value.sentence) == (35, str(said.value))

    @pytest.mark.usefixtures("one_minute")
    def test_a_first_request_that_is_too_large_is_refused(self, made, settings):
        settings.AWRDIFF_LINK_RATE = 1
        with pytest.raises(TooMuch):
            link_access.spend(made[0].pk, 5)

    def test_a_count_outlives_its_minute(self, made, monkeypatch):
        kept = []
        monkeypatch.setattr(cache, "add", lambda *given: kept.append(given) or True)
        link_access.spend(made[0].pk, 3)
        assert kept == [(f"link:{made[0].pk}:16666667", 3, 120)]

    @pytest.mark.parametrize(("error", "counted"), [(ValueError, 9), (OSError, 0), (RedisError, 0)])
    def test_a_count_that_goes_meanwhile_begins_anew_and_none_is_kept_without_a_cache(
        self, monkeypatch, caplog, error, counted
    ):
        def gone(*_):
            raise error

        monkeypatch.setattr(cache, "add", lambda *_: False)
        monkeypatch.setattr(cache, "incr", gone)
        assert rate_limits.spend_in_cache("key", 9) == counted
        said = [] if counted else ["The cache is away: requests of share links are not counted."]
        assert [record.getMessage() for record in caplog.records] == said

    def test_pages_that_ask_what_is_new_are_counted_by_themselves(self, made, settings):
        settings.AWRDIFF_LINK_RATE = 1
        for _ in range(8):
            link_access.ask(made[0].pk)
        sentence = r"^Too many pages of this link ask what is new: it is asked again by itself\.$"
        with pytest.raises(TooMuch, match=sentence) as said:
            link_access.ask(made[0].pk)
        assert said.value.retry_s == 10
        link_access.spend(made[0].pk, link_access.PAGE)
        link_access.ask(made[0].comparison_id)  # another one's

    def test_two_exports_at_a_time_of_each_link(self, made):
        link, other = made[0].pk, made[0].comparison_id
        first, _ = link_access.ExportSlot(link), link_access.ExportSlot(link)
        sentence = r"^This link is already fetching 2 exports: try again when one of them is done\.$"
        with pytest.raises(TooMuch, match=sentence) as said:
            link_access.ExportSlot(link)
        assert said.value.retry_s == 5
        link_access.ExportSlot(other).close()
        first.close()
        first.close()
        assert dict(link_access._running) == {link: 1}
        link_access.ExportSlot(link)

    @pytest.mark.parametrize(("sent", "counted"), [(999_999, None), (1_000_000, 2), (3_999_999, 6)])
    def test_what_an_export_sends_counts_by_the_whole_megabyte(self, made, sent, counted):
        slot = link_access.ExportSlot(made[0].pk)
        pieces = [b"x" * (sent // 2), b"x" * (sent - sent // 2)]
        assert list(slot.weighed(iter(pieces))) == pieces
        slot.close()
        assert cache.get(rate_limits.minute_key(f"link:{made[0].pk}")) == counted


class TestWhoIsLooking:
    def test_the_local_user_writes_and_has_nothing_to_sign_out_of(self, db):
        access = local_member()
        membership = access.team.membership_set.get()
        assert (membership.user, membership.pk) == (access.user, access.membership)
        assert access.can_invite
        assert (access.can_write, access.is_local, access.is_signed_in, access.is_shared) == (True, True, False, False)

    def test_a_member_is_on_the_team_that_was_joined_first(self, owner, django_assert_num_queries):
        join(owner.user, "Another")
        with django_assert_num_queries(1):
            access = member_of_team(owner.user)
            assert (access.team.name, access.user) == ("Payments", owner.user)
        assert (access.can_write, access.is_local, access.is_signed_in, access.guest) == (True, False, True, None)

    def test_nobody_and_somebody_without_a_team_are_told_apart(self, db):
        with pytest.raises(SignInNeeded):
            member_of_team(None)
        sentence = r"^You are not on a team\. Ask an owner of one to invite you\.$"
        with pytest.raises(PermissionDenied, match=sentence):
            member_of_team(User.objects.create(username="new"))
