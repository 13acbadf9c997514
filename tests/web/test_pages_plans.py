"""The page of two plans side by side."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.analysis.compare import compare_reports
from awrdiff.comparisons.models import Comparison
from fixtures.diagnosed.hour import hour
from fixtures.diagnosed.one_statement import PlanRun, sql_report
from fixtures.writer import write
from parsers import parse_report
from tests.web.conftest import store_parsed
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db
INDEX = PlanRun("1110000001", 100, 200.0, 150.0, 40.0)
SCAN = PlanRun(
    "2220000002", 100, 2_000.0, 500.0, 1_450.0, gets=9_000_000, steps=("HASH JOIN", "TABLE ACCESS FULL|ORDERS")
)
HOSTILE = PlanRun("3330000003", 100, 90.0, 80.0, steps=('TABLE ACCESS FULL|"<b>A', "SORT|B"))


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def stored(owner):
    def store(*reports: bytes) -> Comparison:
        parsed = [parse_report(data, name=f"{n}.html") for n, data in enumerate(reports)]
        return store_comparison(owner, [store_parsed(owner, one) for one in parsed], compare_reports(*parsed))

    return store


def address(comparison: Comparison, query: str = "") -> str:
    return reverse("comparison-plans", args=[comparison.pk]) + query


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_steps_of_both_stand_side_by_side_with_what_became_of_each(client, stored):
    html = client.get(address(stored(sql_report(INDEX), sql_report(SCAN, snap=1001)))).content.decode()
    check_markup(html)
    text = text_of(html)
    assert "First, plan 1110000001 Second, plan 2220000002" in text
    assert "elapsed time 2.00 s 20.0 s × 10.0" in text
    assert html.count('<tr class="changed">') == 1
    assert html.count('<tr class="gone">') == 2
    assert html.count('<tr class="new">') == 1


def test_the_comparison_leads_to_it_where_steps_are_printed(client, stored):
    comparison = stored(sql_report(INDEX), sql_report(SCAN, snap=1001))
    assert f'href="{address(comparison)}"' in client.get(reverse("comparison", args=[comparison.pk])).content.decode()
    whole = stored(write(hour()), write(hour(cpu=900.0)))
    assert "side by side" not in client.get(reverse("comparison", args=[whole.pk])).content.decode()


def test_json_is_what_the_page_shows(client, stored):
    comparison = stored(sql_report(INDEX), sql_report(SCAN, snap=1001))
    shown = client.get(address(comparison), headers={"Accept": "application/json"}).json()
    assert (shown["first"]["plan"]["plan_hash"], shown["second"]["plan"]["plan_hash"]) == ("1110000001", "2220000002")
    assert [line["status"] for line in shown["steps"]] == ["gone", "gone", "new", "changed"]
    assert [side["report"] for side in shown["plans"]] == [0, 1]


@pytest.mark.parametrize(
    ("query", "hashes"),
    [
        ("", ("2220000002", "1110000001")),  # what took longest in each
        ("?first=1110000001&second=2220000002", ("1110000001", "2220000002")),
        ("?first=1110000001", ("1110000001", "1110000001")),
    ],
)
def test_of_several_plans_the_address_chooses(client, stored, query, hashes):
    comparison = stored(sql_report(INDEX, SCAN), sql_report(INDEX, snap=1001))
    shown = client.get(address(comparison, query), headers={"Accept": "application/json"}).json()
    assert (shown["first"]["plan"]["plan_hash"], shown["second"]["plan"]["plan_hash"]) == hashes
    assert client.get(address(comparison, "?first=9")).status_code == 404


def test_two_plans_of_one_report_are_compared_where_the_other_prints_none(client, stored):
    whole = write(hour())
    comparison = stored(whole, sql_report(INDEX, SCAN, snap=1001))
    text = text_of(client.get(address(comparison)).content.decode())
    assert "First, plan" not in text
    assert "Second, plan 2220000002 Second, plan 1110000001" in text


def test_names_of_a_report_are_text(client, stored):
    html = client.get(address(stored(sql_report(INDEX), sql_report(HOSTILE, snap=1001)))).content.decode()
    check_markup(html)
    assert "<b>A" not in html.replace("<b>&quot;", "")


def test_of_reports_without_steps_it_says_which_report_prints_them(client, stored):
    comparison = stored(write(hour()), write(hour(cpu=900.0)))
    answer = client.get(address(comparison))
    assert "AWR SQL report" in answer.content.decode()
    shown = client.get(address(comparison), headers={"Accept": "application/json"}).json()
    assert shown == {"first": None, "second": None, "steps": [], "plans": []}
