"""The page of two ASH reports: a sheet of its own."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.analysis.compare import compare_reports
from awrdiff.comparisons.models import Comparison
from fixtures.stories.sampled import ash_pair
from parsers import parse_report
from tests.web.conftest import store_parsed
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def stored(owner) -> Comparison:
    parsed = [parse_report(data, name=f"{n}.html") for n, data in enumerate(ash_pair())]
    return store_comparison(owner, [store_parsed(owner, one) for one in parsed], compare_reports(*parsed))


def page(client, stored) -> str:
    answer = client.get(reverse("comparison", args=[stored.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def list_of(html: str, kind: str) -> str:
    """The text of one list, without markup."""
    found = re.search(rf'<div id="by-{kind}">(.*?)</table>', html, re.S)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


def test_sessions_stand_by_event_statement_object_and_session(client, stored):
    html = page(client, stored)
    check_markup(html)
    assert "enq: TX - row lock contention ↓ Application 0.078 3.4 ▲ +3.30" in list_of(html, "event")
    assert "CPU + Wait for CPU ↓ CPU 1.0 0.89 ≈" in list_of(html, "event")
    assert "SHOP.STOCK (TABLE) ↓ mostly enq: TX - row lock contention not listed 0.65 ?" in list_of(html, "object")
    assert "not in First&#x27;s top list: unknown there, not zero" in html
    assert f"{reverse('comparison-entity', args=[stored.pk, 'object', 'SHOP.STOCK'])}" in html


def test_both_windows_are_one_time_line(client, stored):
    html = page(client, stored)
    svg = re.search(r'<div class="over-time">.*?</figure>', html, re.S)
    assert svg
    assert svg[0].count('class="edge') == 2
    assert svg[0].count('class="hit"') == 12
    assert "Highest: First 2.13 from +20 min on, Second 11.0 from +14 min on" in svg[0]
    section = client.get(reverse("comparison-section", args=[stored.pk, "activity_over_time"])).content.decode()
    check_markup(section)
    assert '<figure class="overtime">' in section


def test_what_has_nothing_to_say_is_not_there(client, stored):
    html = page(client, stored)
    assert 'id="findings"' in html
    for card in ("commit", "ranked"):
        assert f'id="{card}"' not in html
        assert f'href="#{card}"' not in html
    assert "cannot be split" not in html
    first = html.index('id="top_user_events"')
    assert 'aria-expanded="true"' in html[first : first + 300]


def test_statements_by_event_stand_above_their_table(client, stored):
    html = client.get(reverse("comparison-section", args=[stored.pk, "top_sql_with_top_events"])).content.decode()
    check_markup(html)
    assert "Second, 5pay0c4rt7m1x: enq: TX - row lock contention" in html
    assert f'href="{reverse("comparison-entity", args=[stored.pk, "sql", "5pay0c4rt7m1x"])}" tabindex="-1"' in html
    others = client.get(reverse("comparison-section", args=[stored.pk, "top_db_objects"])).content.decode()
    assert 'class="chart layers waits"' not in others
