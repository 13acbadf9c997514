"""One instance of a global report, one period of Oracle's compare report: chosen, computed, told apart, listed."""

from __future__ import annotations

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Disagreement, OracleCheck
from awrdiff.comparisons import queries, services, tasks
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonReport
from awrdiff.comparisons.report_places_and_titles import NO_SUCH_PART, choices_of, placed_reports_of, places_of
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from parsers import parse_report
from tests.unit.analysis.oracle_page import oracle_page
from tests.unit.parsers.kind_pages import global_report
from tests.web.compared import HOSTILE
from tests.web.compared import comparison as invented
from tests.web.conftest import computed_both_ways, store_parsed, store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def cluster(owner) -> Report:
    return store_parsed(owner, parse_report(global_report(), name="cluster.html"))


@pytest.fixture
def oracle(owner) -> Report:
    return store_parsed(owner, parse_report(oracle_page(), name="compare.html"))


@pytest.fixture
def mixed(owner, cluster) -> Comparison:
    """The cluster against a report of one instance."""
    return compute(services.create_comparison(owner, [cluster, store_report(owner, "one.html")], order_by_time=False))


@pytest.fixture
def periods(owner, oracle) -> Comparison:
    return compute(services.open_compare_report(owner, oracle))


def compute(comparison: Comparison) -> Comparison:
    tasks.compute_now(comparison.pk)
    comparison.refresh_from_db()
    assert comparison.state == State.READY, comparison.error
    return comparison


def choose(client: Client, comparison: Comparison, place: object, aspect: str) -> Comparison:
    answer = client.post(f"/comparisons/{comparison.pk}/aspect/", {"place": place, "aspect": aspect}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return Comparison.objects.get(pk=answer.json()["id"])


def aspects(comparison: Comparison) -> list[str]:
    return [p.aspect for p in places_of(comparison)]


def page(client: Client, comparison: Comparison) -> str:
    html = client.get(f"/comparisons/{comparison.pk}/").content.decode()
    check_markup(html)
    return html


def test_the_page_offers_the_instances_of_a_global_report_alone(client, mixed):
    html = page(client, mixed)
    assert html.count("looks at</span>") == 1
    assert 'value="" aria-pressed="true">cluster</button>' in html
    assert 'value="instance:2" aria-pressed="false">instance 2</button>' in html


def parts(html: str) -> list[str]:
    """Without what every page has anew."""
    return [part for part in html.split("<") if "csrfmiddlewaretoken" not in part and 'name="key"' not in part]


def test_choosing_an_instance_makes_a_comparison_of_its_own(client, mixed):
    before = page(client, mixed)
    one = compute(choose(client, mixed, 0, "instance:2"))
    assert one.pk != mixed.pk
    assert aspects(one) == ["instance:2", ""]
    computed = queries.overview(one)
    assert computed.identity[0].instance == "shop2"
    assert "instance-of-cluster" in {w.code for w in computed.warnings}
    assert 'value="instance:2" aria-pressed="true"' in page(client, one)
    assert parts(page(client, mixed)) == parts(before)


def test_one_choice_is_for_both_sides_and_makes_no_entry(client, owner, cluster):
    later = store_parsed(owner, parse_report(global_report(elapsed=("30.00", "30.00")), name="later.html"))
    made = compute(services.create_comparison(owner, [cluster, later], order_by_time=False))
    html = page(client, made)
    assert '<input type="hidden" name="place" value="all">' in html
    one = compute(choose(client, made, "all", "instance:2"))
    assert aspects(one) == ["instance:2", "instance:2"]
    assert [i.instance for i in queries.overview(one).identity] == ["shop2", "shop2"]
    assert [c.pk for c in queries.comparisons_for(owner)] == [made.pk]
    assert choose(client, one, "all", "").pk == made.pk
    assert choose(client, one, "all", "instance:1").chosen_from_id == made.pk


def test_a_view_goes_with_its_original_unless_somebody_has_used_it(client, owner, mixed):
    bare, used = (choose(client, mixed, 0, f"instance:{n}") for n in (1, 2))
    sent = {"anchor": "foreground_wait_events", "body": "Why this one?"}
    assert client.post(f"/comparisons/{compute(used).pk}/threads/", sent, headers=JSON).status_code in (200, 201)
    assert client.post(f"/comparisons/{mixed.pk}/delete/").status_code == 302
    assert [c.pk for c in queries.comparisons_for(owner)] == [used.pk]
    assert not Comparison.objects.filter(pk=bare.pk).exists()


def test_what_is_asked_for_by_itself_is_listed(client, owner, mixed):
    reports = [p.report for p in places_of(mixed)]
    view = choose(client, mixed, 0, "instance:1")
    found = services.create_comparison(owner, reports, order_by_time=False, aspects=["instance:1", ""])
    assert found.pk == view.pk
    assert {c.pk for c in queries.comparisons_for(owner)} == {mixed.pk, view.pk}


def test_what_was_chosen_before_is_found_again(client, mixed):
    one = choose(client, mixed, 0, "instance:1")
    assert choose(client, mixed, 0, "instance:1").pk == one.pk
    assert choose(client, one, 0, "").pk == mixed.pk
    assert Comparison.objects.count() == 2


def test_the_form_leads_to_the_comparison(client, mixed):
    answer = client.post(f"/comparisons/{mixed.pk}/aspect/", {"place": "0", "aspect": "instance:1"})
    assert answer.status_code == 302
    assert answer.url.startswith("/comparisons/")
    assert str(mixed.pk) not in answer.url


@pytest.mark.parametrize(
    ("place", "aspect"),
    [
        ("0", "instance:9"),
        ("0", "first"),
        ("1", "instance:1"),
        ("7", ""),
        ("x", ""),
        ("all", "instance:9"),
        ("all", "first"),
        ("", ""),
        ("²", ""),
        ("0", "<b>"),
    ],
)
def test_what_is_not_there_is_refused(client, mixed, place, aspect):
    for headers in (JSON, {}):
        sent = {"place": place, "aspect": aspect}
        answer = client.post(f"/comparisons/{mixed.pk}/aspect/", sent, headers=headers)
        assert answer.status_code == 400
    assert Comparison.objects.count() == 1


def test_others_cannot_choose(sign_in, stranger, mixed):
    answer = sign_in(stranger).post(f"/comparisons/{mixed.pk}/aspect/", {"place": "0", "aspect": "instance:1"})
    assert answer.status_code == 404


def test_a_share_link_says_what_is_looked_at_and_offers_nothing(client, owner, mixed):
    one = compute(choose(client, mixed, 0, "instance:2"))
    _, path = create_link(owner, one, days=1)
    html = Client().get(path).content.decode()
    assert "First looks at <b>instance 2</b>" in html
    assert "/aspect/" not in html


def test_the_json_names_the_parts(client, mixed):
    one = choose(client, mixed, 0, "instance:2")
    found = client.get(f"/comparisons/{one.pk}/status/", headers=JSON).json()
    assert [r["aspect"] for r in found["reports"]] == ["instance:2", ""]


def test_the_api_says_the_headers_of_what_is_looked_at(client, mixed):
    one = compute(choose(client, mixed, 0, "instance:2"))
    first, second = client.get(f"/api/v1/comparisons/{one.pk}").json()["headers"]
    assert [instance["name"] for instance in first["instances"]] == ["shop2"]
    assert second["file"] == "one.html"


def test_the_other_way_round_it_is_of_the_same_parts(client, mixed):
    one = compute(choose(client, mixed, 0, "instance:2"))
    one = computed_both_ways(one)
    assert queries.overview(one, REVERSE).identity[1].instance == "shop2"


def test_choosing_on_the_page_the_other_way_round_leads_to_one_that_is_computed_so(client, mixed):
    path = f"/comparisons/{mixed.pk}/aspect/?pair={REVERSE}"
    answer = client.post(path, {"place": "0", "aspect": "instance:2"})
    made = compute(Comparison.objects.exclude(pk=mixed.pk).get())
    assert answer["Location"] == f"/comparisons/{made.pk}/?pair={REVERSE}"
    assert client.get(answer["Location"]).status_code == 200
    found = client.post(path, {"place": "0", "aspect": "instance:2"}, headers=JSON).json()
    assert (found["url"], found["state"]) == (answer["Location"], "ready")


def test_an_instance_against_another_of_the_same_file(client, owner, cluster):
    made = services.create_comparison(owner, [cluster, cluster], order_by_time=False)
    two = compute(choose(client, choose(client, made, 0, "instance:1"), 1, "instance:2"))
    codes = {w.code for w in queries.overview(two).warnings}
    assert "same-report" not in codes
    assert "rac-instance-mismatch" in codes
    assert "SHOP instance 1 and SHOP instance 2" in page(client, two)


def test_a_part_that_a_report_no_longer_has(client, mixed):
    one = choose(client, mixed, 0, "instance:2")
    ComparisonReport.objects.filter(comparison=one, position=0).update(aspect="instance:7")
    tasks.compute_now(one.pk)
    one.refresh_from_db()
    assert (one.state, one.error_code) == (State.FAILED, NO_SUCH_PART)
    assert "instance 7 is not in the report" in one.error


def test_by_time_moves_a_report_with_its_part(owner, cluster):
    early = store_report(owner, "early.html", begin="2024-01-01T10:00:00")
    made = services.create_comparison(
        owner, [cluster, early], order_by_time=True, aspects=["instance:2", ""]
    )  # the cluster's is of March
    assert [(p.report.name, p.aspect) for p in places_of(compute(made))] == [
        ("early.html", ""),
        ("cluster.html", "instance:2"),
    ]


# Oracle's compare report


def test_a_compare_report_alone_is_a_comparison(client, oracle):
    answer = client.post("/comparisons/", {"report": str(oracle.pk)}, headers=JSON)
    assert answer.status_code == 201
    made = compute(Comparison.objects.get(pk=answer.json()["id"]))
    assert aspects(made) == ["first", "second"]
    again = client.post("/comparisons/", {"report": str(oracle.pk)}, headers=JSON)
    assert again.json()["id"] == str(made.pk)


def test_it_has_to_be_read_first(client, oracle):
    Report.objects.filter(pk=oracle.pk).update(state=State.PENDING)
    answer = client.post("/comparisons/", {"report": str(oracle.pk)}, headers=JSON)
    assert answer.status_code == 400
    assert "at least two" in answer.json()["error"]


def test_its_report_page_opens_it(client, oracle, reports):
    html = client.get(f"/reports/{oracle.pk}/").content.decode()
    assert "Open as a comparison" in html
    assert "Open as a comparison" not in client.get(f"/reports/{reports[0].pk}/").content.decode()
    answer = client.post("/comparisons/", {"report": str(oracle.pk)})
    assert answer.status_code == 302


def test_who_and_when_are_those_of_each_period(client, periods):
    html = page(client, periods)
    assert "SHOP · 5 Mar 2024 10:00 – 10:30 → 6 Mar 2024 10:00 – 10:30" in html.replace("05 Mar", "5 Mar")
    first, second = placed_reports_of(periods)
    assert (first.begin_at, second.begin_at) == ("2024-03-05T10:00:05", "2024-03-06T10:00:00")
    assert (first.name, second.name) == ("compare.html, first period", "compare.html, second period")


def test_oracles_differences_are_checked_on_the_page(client, periods):
    html = page(client, periods)
    check = queries.overview(periods).oracle_check
    assert check.sentence.replace("'", "&#x27;") in html
    wrong = check.disagreements[0]
    assert f'href="#{wrong.section}/{wrong.row_id}">Load Profile: per txn</a>' in html
    section = queries.load_section(periods, wrong.section)
    assert wrong.row_id in {r.row_id for r in section.rows}


def test_the_exports_hold_the_check(client, periods):
    document = json.loads(client.get(f"/comparisons/{periods.pk}/export.json").content)
    assert document["oracle_check"]["disagree"] == 2
    assert "Oracle's difference does not follow" in client.get(f"/comparisons/{periods.pk}/export.md").content.decode()


def test_periods_are_checked_both_ways_round(periods):
    periods = computed_both_ways(periods)
    assert queries.overview(periods, REVERSE).oracle_check == queries.overview(periods).oracle_check


def test_beside_another_report_a_period_is_offered(client, owner, oracle):
    made = compute(services.create_comparison(owner, [oracle, store_report(owner, "b.html")], order_by_time=False))
    html = page(client, made)
    assert "choose which of them stands on this side" in html
    assert 'value="" aria-pressed="true">both periods</button>' in html
    second = compute(choose(client, made, 0, "second"))
    assert queries.overview(second).oracle_check is None
    assert queries.overview(second).headers[0]["snapshots"]["begin"]["id"] == 60
    assert "both periods</button>" not in page(client, second)


def test_lists_say_the_windows_of_the_parts_in_one_query_more(client, owner, oracle, periods):
    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            html = client.get("/").content.decode()
        assert "compare.html, first period, compare.html, second period" in html
        assert "10:00 – 10:30 →" in html
        return len(captured)

    once = asked()
    for aspect in ("first", "second"):
        compute(services.choose_part(owner, periods, int(aspect == "first"), aspect))
    assert asked() == once


def test_rows_of_the_check_are_escaped(client, owner, reports):
    wrong = Disagreement("x", HOSTILE, HOSTILE, "0" * 12, "c", HOSTILE, "pct", 1.0, 2.0, 50.0, 100.0)
    check = OracleCheck(printed=1, disagree=1, disagreements=(wrong,))
    html = page(client, store_comparison(owner, reports, replace(invented(), oracle_check=check)))
    assert HOSTILE not in html
    assert "Differences of Oracle" in html


def test_a_share_in_a_row_of_kilobytes_is_a_share(client, periods, oracle):
    """A row's label gives its unit to all figures but the shares beside them."""
    url = f"/comparisons/{periods.pk}/sections/compare_process_memory_summary/"
    for html in (
        client.get(url, {"all": "1"}, headers={"HX-Request": "true"}).content.decode(),
        client.get(f"/reports/{oracle.pk}/sections/compare_process_memory_summary/").content.decode(),
    ):
        assert re.search(r">30(\.0+)? %<", html)
        assert "26.0 kB" in html
        assert "30.0 kB" not in html


def test_the_commit_page_is_about_the_parts(client, periods, mixed):
    html = client.get(f"/comparisons/{periods.pk}/commit/").content.decode()
    check_markup(html)
    assert "6 Mar 2024 10:00" in html.replace("06 Mar", "6 Mar")
    one = compute(choose(client, mixed, 0, "instance:2"))
    assert "SHOP instance 2" in client.get(f"/comparisons/{one.pk}/commit/").content.decode()


def test_the_parts_that_a_report_offers():
    def choices(kind: str, *numbers: int | None) -> tuple[str, ...]:
        return choices_of(Report(kind=kind, header={"instances": [{"number": number} for number in numbers]}))

    assert choices("awr_compare", 1) == ("", "first", "second")
    assert choices("awr_global", 1, 2, None, 2) == ("", "instance:1", "instance:2")
    assert choices("awr_global") == choices("awr", 1) == ()
