"""Threads on the page of a report against several: they are the comparison's, and know what they were written about."""

from __future__ import annotations

from uuid import uuid4

import pytest

from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.baseline_reports import compared_places
from awrdiff.comparisons.median_comparison import against_median, opens_on
from awrdiff.notices.models import Notice
from awrdiff.threads.models import Thread
from tests.web.test_baselines import (  # noqa: F401 - fixtures
    AGAINST,
    EVENTS,
    JSON,
    SYNC,
    address,
    nothing_kept,
    page_of,
)

pytestmark = pytest.mark.django_db
ROW = f"{EVENTS}/{SYNC}"


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


def write(client, made, anchor=ROW, query=f"?{AGAINST}", body="Why?", **more):
    url = f"{address(made)}threads/{query}"
    return client.post(url, {"anchor": anchor, "body": body, "key": uuid4(), **more}, headers=JSON)


def test_the_page_has_threads_and_says_where_findings_are_judged(client, series):
    html = page_of(client, f"{address(series)}?{AGAINST}")
    assert f'data-threads="{address(series)}threads/"' in html
    assert f'data-view="{AGAINST.replace("&", "&amp;")}"' in html
    assert f'href="{address(series)}?pair=5#findings"' in html
    assert "data-judge" not in html


def test_a_row_is_quoted_with_the_median_and_leads_back_to_the_view(client, series):
    answer = write(client, series)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert made["title"] == "log file sync"
    assert "against the median of 5 reports" in made["place"]
    assert made["url"] == f"{address(series)}?{AGAINST}#{ROW}&thread={made['id']}"
    figures = dict(map(tuple, Thread.objects.get().figures))
    assert any("above all 5" in text for text in figures.values())
    own = client.get(f"{address(series)}threads/{made['id']}/?{AGAINST}", headers=JSON).json()["quote"]
    assert (own["gone"], own["changed"], own["note"]) == (False, False, "")


def test_beside_a_pair_it_says_that_it_was_written_against_several(client, series):
    made = write(client, series).json()
    there = client.get(f"{address(series)}threads/{made['id']}/?pair=5", headers=JSON).json()["quote"]
    assert there["note"] == "It was written against several reports."
    first = client.get(f"{address(series)}threads/{made['id']}/?pair=0", headers=JSON).json()["quote"]
    assert first["note"] == there["note"]
    of_pair = write(client, series, query="", pair=5).json()
    here = client.get(f"{address(series)}threads/{of_pair['id']}/?{AGAINST}", headers=JSON).json()["quote"]
    assert here["note"] == "It was written in another pair of reports."


def test_sections_findings_and_the_parts_of_the_head_are_places_too(client, series):
    places = compared_places(series)
    found = against_median(places, opens_on(places)).overview.findings
    assert found
    for anchor in (EVENTS, "summary", "time", "commit", of_finding(found[0])):
        assert write(client, series, anchor).status_code == 201, anchor


@pytest.mark.parametrize(
    ("anchor", "query"),
    [
        (f"{EVENTS}/ffffffff", f"?{AGAINST}"),
        ("finding:no-such-rule", f"?{AGAINST}"),
        (ROW, "?baseline=0,1&second=9"),
        (ROW, "?baseline="),
    ],
)
def test_what_is_not_there_is_no_place(client, series, anchor, query):
    assert write(client, series, anchor, query).status_code == 400
    assert not Thread.objects.exists()


def test_whoever_is_asked_is_led_to_the_view(client, series, colleague):
    write(client, series, body=f"@{colleague.user} why?")
    notice = Notice.objects.get(user=colleague.user)
    assert notice.place.startswith(f"?{AGAINST}#thread=")


def test_a_form_without_a_script_keeps_the_view(client, series):
    html = page_of(client, f"{address(series)}threads/?anchor={ROW}&{AGAINST}")
    query = AGAINST.replace("&", "&amp;").replace(",", "%2C")
    assert f'action="{address(series)}threads/?{query}"' in html
