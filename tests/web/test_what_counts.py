"""The threshold of a request, the marks of the rail, and what the box over all sections answers."""

from __future__ import annotations

import pytest
from django.urls import reverse

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.web.presenters.page.titles import comparison_title
from awrdiff.web.query_options import REMEMBERED, step
from tests.unit.analysis.builders import loaded, parameters
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db
LOCKS, READS, RARE = "enq: TX - row lock contention", "db file sequential read", "latch free"
NAME = "foreground_wait_events"


@pytest.fixture
def stored(owner, reports):
    first = loaded(waits={READS: (1_000, 500.0), LOCKS: (10, 10.0), RARE: (5, 1.0)}, more=[parameters({"a": "1"})])
    second = loaded(waits={READS: (1_000, 500.0), LOCKS: (90, 2_000.0), RARE: (9, 40.0)}, more=[parameters({"a": "2"})])
    return store_comparison(owner, reports, compare_reports(first, second))


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


def test_only_the_steps_can_be_chosen(rf):
    chosen = [step(rf.get("/", {"material": text})) for text in ("1", "0.5", "0", "3", "nan", "x", "")]
    assert chosen == [1.0, 0.5, 0.0, *[DEFAULT] * 4]


def rows(client, stored, **asked):
    url = reverse("comparison-section", args=[stored.pk, NAME])
    return client.get(url, asked, headers={"HX-Request": "true"}).content.decode()


def page(client, stored, **asked):
    return client.get(reverse("comparison", args=[stored.pk]), asked).content.decode()


def test_the_address_says_what_counts(client, stored):
    assert LOCKS in rows(client, stored)
    assert RARE not in rows(client, stored, material="2")
    assert RARE in rows(client, stored, material="0.5")
    assert RARE in rows(client, stored, material="2", all="1")


def test_the_browser_remembers_and_the_address_comes_first(client, stored):
    client.cookies[REMEMBERED] = "2"
    assert RARE not in rows(client, stored)
    assert RARE in rows(client, stored, material="0.5")
    client.cookies[REMEMBERED] = "nonsense"
    assert "1 % of DB time" in page(client, stored)


def test_what_was_seen_with_another_threshold_is_not_the_same_page(client, stored):
    url = reverse("comparison-section", args=[stored.pk, NAME])
    tag = client.get(url, headers={"HX-Request": "true"})["ETag"]
    client.cookies[REMEMBERED] = "10"
    again = client.get(url, headers={"HX-Request": "true", "If-None-Match": tag})
    assert again.status_code == 200


def test_list_and_rail_follow_the_threshold(client, stored):
    few, many = page(client, stored, material="10"), page(client, stored, material="0.1")
    first, folded = few.split('class="more rest"')
    assert LOCKS in first
    assert RARE not in first
    assert RARE in folded  # what is smaller opens: the list adds up
    assert RARE in many.partition('class="more rest"')[0]
    assert 'class="dot d' in few  # by its time
    assert 'class="dot d0"' in few  # a parameter has no price
    assert "1 of 3 rows changed" in few


def test_an_export_holds_what_counts(client, stored):
    url = reverse("comparison-export", args=[stored.pk, "md"])
    assert RARE in client.get(url, {"material": "0.5"}).getvalue().decode().partition("## What stands out")[0]
    few = client.get(url, {"material": "10"}).getvalue().decode()
    assert RARE not in few.partition("## What stands out")[0]
    assert few.endswith(f"{reverse('comparison', args=[stored.pk])}?material=10>\n")


def test_what_is_looked_for_shows_whatever_it_is_worth(client, stored):
    assert RARE not in rows(client, stored, material="10")
    html = rows(client, stored, q=RARE, material="10")
    assert RARE in html
    assert LOCKS not in html
    assert 'data-own=""' in html  # back to all of the table


def test_words_are_found_in_any_order_with_both_sides(client, stored):
    url = reverse("comparison-search", args=[stored.pk])
    found = client.get(url, {"q": "CONTENTION row", "found": "1"}).json()
    assert found["sections"][NAME] == 1
    group = next(g for g in found["groups"] if g["title"] == "Foreground_Wait_Events")
    row = group["found"][0]
    assert (row["name"], row["counts"]) == (LOCKS, True)
    assert (row["first"], row["second"]) == ("10.0 s", "2,000 s")
    assert row["target"].startswith(f"{NAME}/")
    assert any(g["title"] == "What stands out" for g in found["groups"])
    things = next(g for g in found["groups"] if g["title"].startswith("Statements"))
    assert [(t["name"], t["beside"]) for t in things["found"]] == [(LOCKS, "wait event, in 1 row")]
    assert things["found"][0]["url"].endswith("/entities/event/enq%3A%20TX%20-%20row%20lock%20contention/")
    assert found["groups"].index(things) == 1  # behind what stands out
    whole = client.get(url, {"q": LOCKS.upper(), "found": "1"}).json()
    assert whole["groups"][0]["title"] == things["title"]  # called exactly so
    assert "groups" not in client.get(url, {"q": "row"}).json()
    assert client.get(url, {"q": "latch contention"}).json() == {"sections": {}}  # each word in another row
    assert client.get(url, {"q": "row nowhere", "found": "1"}).json() == {"sections": {}, "groups": []}


def test_the_title_follows_the_pair(stored):
    first, second = placed_reports_of(stored)
    reports = [first, second, second]
    assert comparison_title(stored, reports, 1) == comparison_title(stored, [second, first, second])
    assert comparison_title(stored, reports, 1) != comparison_title(stored, reports)
    assert comparison_title(stored, reports, 2) == comparison_title(stored, reports)
