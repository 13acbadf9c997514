"""Share links: made once, opened logged out, read-only, expiring, revocable, told to nobody else."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from awrdiff.accounts.token_hashing import hash_token
from awrdiff.comparisons.services import create_comparison
from awrdiff.sharing.models import ShareLink
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def path(owner, comparison) -> str:
    return create_link(owner, comparison, days=7)[1]


def test_the_address_is_told_once_and_only_its_hash_is_kept(sign_in, owner, comparison):
    answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", headers=JSON)
    assert answer.status_code == 201
    token = urlsplit(answer.json()["url"]).path.split("/")[2]
    assert len(token) >= 43  # 256 bits
    link = ShareLink.objects.get()
    assert token not in str(vars(link))
    assert link.expires_at - timezone.now() > timedelta(days=29)


@pytest.mark.parametrize(("days", "expires"), [("never", False), ("1", True)])
def test_how_long_it_works_is_chosen(sign_in, owner, comparison, days, expires):
    answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", {"days": days}, headers=JSON)
    assert answer.status_code == 201
    assert (ShareLink.objects.get().expires_at is not None) == expires


@pytest.mark.parametrize("days", ["0", "-1", "x", "99999", "²", "7" * 5_000])
def test_nonsense_for_days_is_refused(sign_in, owner, comparison, days):
    answer = sign_in(owner).post(f"/comparisons/{comparison.pk}/links/", {"days": days}, headers=JSON)
    assert answer.status_code == 400
    assert "days" in answer.json()["error"]
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
@pytest.mark.parametrize("under", ["", "sections/foreground_wait_events/", "search/?q=log"])
def test_it_opens_logged_out_with_its_headers(accounts, path, accept, under):
    answer = Client().get(path + under, headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "noindex" in answer["X-Robots-Tag"]
    assert "no-store" in answer["Cache-Control"]
    assert "sessionid" not in answer.cookies


def test_links_inside_stay_under_the_token(accounts, path):
    page = Client().get(path, headers={"Accept": "text/html"}).content.decode()
    assert "/comparisons/" not in page
    assert 'href="/reports/' not in page


def test_other_pages_keep_the_referrer_within_the_site(sign_in, owner):
    assert sign_in(owner).get("/")["Referrer-Policy"] == "same-origin"


def test_a_revoked_link_is_gone(accounts, sign_in, owner, path):
    link = ShareLink.objects.get()
    assert sign_in(owner).delete(f"/links/{link.pk}/").status_code == 204
    assert Client().get(path).status_code == 404
    assert sign_in(owner).delete(f"/links/{link.pk}/").status_code == 204


def test_an_expired_link_is_gone(accounts, path):
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = Client().get(path, headers=JSON)
    assert answer.status_code == 404
    assert "expired" in answer.json()["error"]
    assert answer["Referrer-Policy"] == "no-referrer"


def test_a_guessed_token_is_nothing(accounts, db):
    assert Client().get("/s/" + "A" * 43 + "/").status_code == 404


def test_it_shows_its_own_comparison_only_and_changes_nothing(accounts, owner, reports, path):
    other = create_comparison(owner, list(reversed(reports)), order_by_time=False)
    client = Client()
    client.get(path)
    assert client.get(f"/comparisons/{other.pk}/", headers=JSON).status_code == 401
    for method in (client.post, client.put, client.delete):
        assert method(path).status_code == 405


def test_a_token_of_another_team_reaches_nothing_of_ours(accounts, owner, stranger, comparison):
    from awrdiff.accounts.access import NotFound
    from awrdiff.comparisons.queries import comparison_for, comparisons_for
    from awrdiff.sharing.access import shared

    ShareLink.objects.create(team=stranger.team, comparison=comparison, token_hash=hash_token("t"))
    access = shared("t")
    assert not comparisons_for(access).exists()
    with pytest.raises(NotFound):
        comparison_for(access, comparison.pk)


def test_use_is_noted_without_a_write_per_page(accounts, path, django_assert_num_queries):
    client = Client()
    client.get(path)
    noted = ShareLink.objects.get().last_used_at
    assert noted is not None
    client.get(path)
    assert ShareLink.objects.get().last_used_at == noted
