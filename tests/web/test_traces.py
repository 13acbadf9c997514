"""LGWR traces attached to a comparison: by upload, later, detached again; who may; what a share link shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.comparisons import demo, queries, services, tasks
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonReport
from awrdiff.comparisons.report_places_and_titles import places_of
from awrdiff.comparisons.stored_comparison_export import stored_pairs
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from parsers import parse_report
from tests.unit.analysis.traces import Slow, Went, trace_text
from tests.web.compared import HOSTILE
from tests.web.conftest import computed_both_ways, store_parsed, store_report
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
EVENTS = (Slow("2024-01-01 10:30:00", 1562), Went("2024-01-01 11:15:00"))


def store_trace(access: AccessContext, name: str = "pay1_lgwr_1.trc", events=EVENTS) -> Report:
    """A ready trace of the instance that the small reports are of."""
    text = trace_text(events, instance="pay1", host="db01", unique="pay")
    return store_parsed(access, parse_report(text.encode(), name=name))


@pytest.fixture
def trace(owner) -> Report:
    return store_trace(owner)


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def computed(comparison: Comparison) -> Comparison:
    tasks.compute_now(comparison.pk)
    comparison.refresh_from_db()
    return comparison


def names(comparison: Comparison) -> list[str]:
    return [place.report.name for place in places_of(comparison)]


def attach(client: Client, comparison: Comparison, trace: Report):
    return client.post(f"/comparisons/{comparison.pk}/traces/", {"report": str(trace.pk)}, headers=JSON)


def events_of(comparison: Comparison):
    return queries.overview(comparison).commit_latency.events


@pytest.fixture
def attached(client, comparison, trace) -> Comparison:
    assert attach(client, comparison, trace).status_code == 201
    return computed(comparison)


def test_two_reports_and_a_trace_in_any_order(client, reports, trace):
    ids = [str(r.pk) for r in (trace, reports[1], reports[0])]
    made = client.post("/comparisons/", {"report": ids, "order": "time"}, headers=JSON).json()
    comparison = computed(Comparison.objects.get(pk=made["id"]))
    assert comparison.state == State.READY, comparison.error
    assert names(comparison) == ["first.html", "second.html", "pay1_lgwr_1.trc"]
    assert [p.report.name for p in split_traces(places_of(comparison))[0]] == ["first.html", "second.html"]
    assert [s.place for s in events_of(comparison).switches] == ["second"]
    assert len(stored_pairs(comparison, sections=False)) == 1


def test_one_report_and_a_trace_are_refused(client, reports, trace):
    answer = client.post("/comparisons/", {"report": [str(reports[0].pk), str(trace.pk)]}, headers=JSON)
    assert answer.status_code == 400
    assert "two reports are needed" in answer.json()["error"]


def test_what_turns_out_to_be_a_trace_is_refused_once_it_is_read(client, reports, trace):
    Report.objects.filter(pk=trace.pk).update(kind="", state=State.PENDING)
    made = client.post("/comparisons/", {"report": [str(trace.pk), str(reports[0].pk)]}, headers=JSON).json()
    Report.objects.filter(pk=trace.pk).update(kind="lgwr_trace", state=State.READY)
    comparison = computed(Comparison.objects.get(pk=made["id"]))
    assert (comparison.state, comparison.error_code) == (State.FAILED, "too-few-reports")
    assert "two reports are needed" in comparison.error
    page = client.get(f"/comparisons/{comparison.pk}/").content.decode()
    assert "pay1_lgwr_1.trc" in page
    for accept in ("application/json", "text/html"):
        answer = client.post(f"/comparisons/{comparison.pk}/swap/", headers={"Accept": accept})
        assert answer.status_code == 400
    assert "pay1_lgwr_1.trc" in client.get("/").content.decode()


def test_attaching_computes_again_under_the_same_address(client, comparison, trace):
    assert events_of(comparison) is None
    answer = attach(client, comparison, trace)
    assert answer.status_code == 201
    assert answer.json() == {"id": str(comparison.pk), "state": "pending", "url": f"/comparisons/{comparison.pk}/"}
    assert events_of(computed(comparison)).slow_write_total == 1
    document = client.get(f"/comparisons/{comparison.pk}/", headers=JSON).json()
    assert [r["name"] for r in document["reports"]] == ["first.html", "second.html"]
    assert [t["name"] for t in document["traces"]] == ["pay1_lgwr_1.trc"]


def test_a_form_is_sent_on_to_the_commit_page(client, comparison, trace):
    answer = client.post(f"/comparisons/{comparison.pk}/traces/", {"report": str(trace.pk)})
    assert (answer.status_code, answer["Location"]) == (302, f"/comparisons/{comparison.pk}/commit/")
    again = client.post(f"/comparisons/{comparison.pk}/traces/", {"report": str(trace.pk)})
    assert again.status_code == 400


def test_what_is_no_trace_is_not_attached(client, comparison, reports, owner):
    other = store_report(owner, "third.html", begin="2024-01-01T12:00:00")
    answer = attach(client, comparison, other)
    assert answer.status_code == 400
    assert "“third.html” is not an LGWR trace" in answer.json()["error"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"state": State.PENDING}, "still being read"),
        ({"state": State.FAILED, "error": "It is a picture."}, "could not be read: It is a picture."),
    ],
)
def test_what_is_not_read_is_not_attached(client, comparison, trace, change, said):
    Report.objects.filter(pk=trace.pk).update(**change)
    assert said in attach(client, comparison, trace).json()["error"]
    assert names(comparison) == ["first.html", "second.html"]


@pytest.mark.parametrize("wanted", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_trace(client, comparison, wanted):
    answer = client.post(f"/comparisons/{comparison.pk}/traces/", {"report": wanted}, headers=JSON)
    assert answer.status_code == 400


def test_not_while_it_is_being_computed(client, comparison, trace):
    Comparison.objects.filter(pk=comparison.pk).update(state=State.RUNNING)
    assert "being computed" in attach(client, comparison, trace).json()["error"]
    assert names(comparison) == ["first.html", "second.html"]


def test_the_same_trace_once(client, attached, trace):
    assert "attached already" in attach(client, attached, trace).json()["error"]


def test_not_more_files_than_a_comparison_takes(client, comparison, owner, monkeypatch):
    monkeypatch.setattr("awrdiff.comparisons.services.MOST_REPORTS", 3)
    assert attach(client, comparison, store_trace(owner, "one.trc")).status_code == 201
    computed(comparison)
    assert "at most 3" in attach(client, comparison, store_trace(owner, "two.trc")).json()["error"]


def test_detaching(client, attached, trace):
    answer = client.delete(f"/comparisons/{attached.pk}/traces/{trace.pk}/", headers=JSON)
    assert answer.status_code == 204
    assert events_of(computed(attached)) is None
    assert names(attached) == ["first.html", "second.html"]
    assert not Report.objects.filter(pk=trace.pk).exists()
    assert client.delete(f"/comparisons/{attached.pk}/traces/{trace.pk}/", headers=JSON).status_code == 404


def test_detaching_keeps_the_file_that_another_comparison_has(client, owner, attached, reports, trace):
    other = services.create_comparison(owner, [*reports[::-1], trace], order_by_time=False)
    answer = client.post(f"/comparisons/{attached.pk}/traces/{trace.pk}/")
    assert (answer.status_code, answer["Location"]) == (302, f"/comparisons/{attached.pk}/commit/")
    assert names(other)[-1] == trace.name


def test_a_report_is_not_detached(client, attached, reports):
    assert client.delete(f"/comparisons/{attached.pk}/traces/{reports[0].pk}/", headers=JSON).status_code == 404
    assert len(names(attached)) == 3


def test_it_is_read_both_ways_round(attached):
    computed_both_ways(attached)
    assert [s.place for s in queries.overview(attached).commit_latency.events.switches] == ["second"]
    assert [s.place for s in queries.overview(attached, REVERSE).commit_latency.events.switches] == ["first"]


def test_three_reports_have_it_in_each_pair(owner, reports, trace):
    third = store_report(owner, "third.html", begin="2024-01-01T12:00:00", waits=900.0)
    made = computed(services.create_comparison(owner, [*reports, trace, third], order_by_time=False))
    assert names(made) == ["first.html", "second.html", "third.html", "pay1_lgwr_1.trc"]
    assert [p.commit_latency.events.switches[0].place for p in stored_pairs(made)] == ["second", "between"]


def test_a_stranger_neither_attaches_nor_detaches(sign_in, stranger, attached, trace):
    theirs = store_trace(stranger, "theirs.trc")
    client = sign_in(stranger)
    assert attach(client, attached, theirs).status_code == 404
    assert client.delete(f"/comparisons/{attached.pk}/traces/{trace.pk}/", headers=JSON).status_code == 404
    assert names(attached)[-1] == trace.name


def test_another_teams_trace_is_not_there(client, stranger, comparison):
    answer = attach(client, comparison, store_trace(stranger, "theirs.trc"))
    assert answer.status_code == 400
    assert "There is no report" in answer.json()["error"]


def test_nobody_is_asked_to_sign_in(attached, trace):
    assert attach(Client(), attached, trace).status_code == 401


def test_exports_name_it(client, attached):
    document = json.loads(client.get(f"/comparisons/{attached.pk}/export.json").content)
    assert document["commit_latency"]["events"]["traces"][0]["name"] == "pay1_lgwr_1.trc"
    assert [r["file"] for r in document["reports"]] == ["first.html", "second.html"]
    assert "pay1_lgwr_1.trc" in client.get(f"/comparisons/{attached.pk}/export.md").content.decode()


def test_the_titles_are_of_the_reports(client, owner, attached):
    line = client.get("/").content.decode()
    assert "first.html, second.html, pay1_lgwr_1.trc" in line
    assert "and 1 more" not in line


def test_deleting_the_comparison_deletes_the_trace(client, attached, trace):
    client.post(f"/comparisons/{attached.pk}/delete/")
    assert not Report.objects.filter(pk=trace.pk).exists()
    assert not ComparisonReport.objects.exists()


def test_a_share_link_reads_and_changes_nothing(owner, attached, trace):
    _, path = create_link(owner, attached, days=1)
    guest = Client()
    document = guest.get(path, headers=JSON).json()
    assert [t["name"] for t in document["traces"]] == [trace.name]
    assert document["traces"][0]["url"] is None
    assert guest.post(f"{path}traces/", {"report": str(trace.pk)}, headers=JSON).status_code == 404


def page_of(client: Client, path: str) -> str:
    html = client.get(path, headers={"Accept": "text/html"}).content.decode()
    check_markup(html)
    return html


def test_the_commit_page_shows_the_events_beside_the_windows(client, attached, trace):
    html = page_of(client, f"/comparisons/{attached.pk}/commit/")
    assert "1 switch · 1 slow redo write" in html
    assert "switched to post/wait" in html
    assert "1 Jan 2024 11:15:00.000" in html
    assert '<td class="second-ink">Second</td>' in html
    assert f'href="/reports/{trace.pk}/"' in html
    assert f'action="/comparisons/{attached.pk}/traces/{trace.pk}/"' in html
    assert f'action="/comparisons/{attached.pk}/traces/"' in html


def test_the_comparison_has_a_line_that_leads_to_them(client, attached, trace):
    """The events themselves stand there only where a finding points to them."""
    html = page_of(client, f"/comparisons/{attached.pk}/")
    assert f'<a href="/comparisons/{attached.pk}/commit/#trace-events">1 switch · 1 slow redo write</a>' in html
    assert trace.name in html
    assert 'id="trace-events"' not in html
    assert 'id="attach-trace"' not in html
    assert "Detach" not in html


def test_the_companion_script_is_offered_beside_the_upload(client, comparison):
    assert "lgwr_sched.sh" in page_of(client, f"/comparisons/{comparison.pk}/commit/")
    assert "lgwr_sched.sh" not in page_of(client, f"/comparisons/{comparison.pk}/")


def test_the_commit_page_waits_for_what_is_computed_again(client, comparison, trace):
    """It was attached there, and there the reader stays."""
    attach(client, comparison, trace)
    url = f"/comparisons/{comparison.pk}/commit/"
    waiting = client.get(url)
    assert waiting.status_code == 200
    assert b"data-status=" in waiting.content
    assert client.get(url, headers=JSON).status_code == 302
    computed(comparison)
    assert "switched to post/wait" in page_of(client, url)


def test_evidence_links_lead_to_the_event(client, attached):
    events = events_of(attached)
    html = page_of(client, f"/comparisons/{attached.pk}/commit/")
    for event in (*events.switches, *events.slow_writes):
        assert f'id="{event.evidence.section}/{event.evidence.row_id}"' in html


def test_a_page_without_a_trace_offers_to_attach_one(client, comparison):
    html = page_of(client, f"/comparisons/{comparison.pk}/commit/")
    assert "Attach an LGWR trace" in html
    assert 'id="trace-events"' not in html


def test_a_guest_sees_the_events_and_no_form(owner, attached, trace):
    _, path = create_link(owner, attached, days=1)
    html = page_of(Client(), f"{path}commit/")
    assert trace.name in html
    assert "switched to post/wait" in html
    assert "/traces/" not in html
    assert "Attach" not in html


def test_many_events_of_one_moment_open_on_demand(client, owner, comparison):
    many = store_trace(owner, events=[Slow("2024-01-01 10:30:00", 500 + i) for i in range(40)])
    attach(client, comparison, many)
    html = page_of(client, f"/comparisons/{computed(comparison).pk}/commit/")
    assert "<summary>28 more</summary>" in html
    assert html.count("<td>slow write <b>") == 40


def test_names_of_traces_are_not_markup(client, owner, comparison):
    attach(client, comparison, store_trace(owner, HOSTILE))
    html = page_of(client, f"/comparisons/{computed(comparison).pk}/commit/")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_several_traces_name_theirs_in_each_line(client, owner, attached):
    attach(client, attached, store_trace(owner, "pay1_lg00_2.trc", [Slow("2024-01-01 10:40:00")]))
    html = page_of(client, f"/comparisons/{computed(attached).pk}/commit/")
    assert html.count("<td>pay1_lg00_2.trc</td>") == 1
    assert html.count("<td>pay1_lgwr_1.trc</td>") == 2


def case(owner) -> Comparison:
    """The published adaptive switch with its trace, as the demo is."""
    folder = Path(settings.BASE_DIR) / "fixtures"
    assert demo.load(owner, folder)
    return Comparison.objects.get(demo_slug="adaptive-switch")


def test_the_commit_page_has_the_events_and_leads_to_them(client, owner):
    made = case(owner)
    assert made.state == State.READY, made.error
    (switch,) = events_of(made).switches
    anchor = f"{switch.evidence.section}/{switch.evidence.row_id}"
    html = page_of(client, f"/comparisons/{made.pk}/commit/")
    assert f'<a href="#{anchor}">LGWR trace: 2023-02-16 12:45:09.010167</a>' in html
    assert f'id="{anchor}"' in html
    assert '<a href="#trace-events">' in html
    assert '<span class="tag conf crit">proven</span>' in html
    published = client.get(f"/comparisons/{made.pk}/commit/", headers=JSON).json()
    assert published["events"]["switches"][0]["place"] == "second"
    assert published["causes"][0]["confidence"] == "proven"


def test_the_commit_page_without_a_trace(client, comparison):
    assert "trace-events" not in page_of(client, f"/comparisons/{comparison.pk}/commit/")


def test_the_comparison_leads_to_the_events_and_does_not_repeat_them(client, owner):
    made = case(owner)
    html = page_of(client, f"/comparisons/{made.pk}/")
    assert 'id="trace-events"' not in html
    assert f'href="/comparisons/{made.pk}/commit/#trace-events"' in html
