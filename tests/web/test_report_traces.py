"""LGWR traces attached to one report: on its page, on its commit page, deleted with it; who may, and what is refused."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import services
from awrdiff.comparisons.services import detach_trace as detach_from_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.reports import lgwr_traces as report_traces
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.reports.services import kept_by
from tests.unit.analysis.traces import Slow
from tests.web.conftest import store_report
from tests.web.pages import check_markup
from tests.web.test_traces import EVENTS, JSON, store_trace

pytestmark = pytest.mark.django_db
MANY = (Slow("2024-01-01 10:30:00", 1562), Slow("2024-01-01 23:00:00", 900))


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def report(owner) -> Report:
    return store_report(owner, "one.html", begin="2024-01-01T10:00:00")


@pytest.fixture
def trace(owner) -> Report:
    return store_trace(owner, events=MANY)


def attach(client: Client, report: Report, trace: Report):
    return client.post(f"/reports/{report.pk}/traces/", {"report": str(trace.pk)}, headers=JSON)


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    html = answer.content.decode()
    check_markup(html)
    return html


def there(*rows: Report) -> list[bool]:
    return [Report.objects.filter(pk=row.pk).exists() for row in rows]


def test_its_events_stand_on_the_page_of_the_report_and_of_its_commits(client, report, trace):
    before = page(client, f"/reports/{report.pk}/")
    assert "Attach an LGWR trace" in before
    assert 'id="trace-events"' not in before
    answer = attach(client, report, trace)
    assert (answer.status_code, answer.json()) == (201, {"id": str(report.pk), "url": f"/reports/{report.pk}/"})
    for path in (f"/reports/{report.pk}/", f"/reports/{report.pk}/commit/"):
        html = page(client, path)
        assert "2 slow redo writes" in html, path
        assert "in the window" in html, path
        assert "outside" in html, path
        assert '<td class="first-ink">First</td>' not in html, path
    document = client.get(f"/reports/{report.pk}/", headers=JSON).json()
    assert [one["name"] for one in document["traces"]] == [trace.name]
    assert client.get(f"/reports/{report.pk}/commit/", headers=JSON).json()["events"]


def test_a_form_is_sent_on_to_the_report(client, report, trace):
    url = f"/reports/{report.pk}/"
    answer = client.post(f"{url}traces/", {"report": str(trace.pk)})
    assert (answer.status_code, answer["Location"]) == (302, url)
    answer = client.post(f"{url}traces/{trace.pk}/")
    assert (answer.status_code, answer["Location"]) == (302, url)
    assert "trace-events" not in page(client, url)


def test_detached_it_is_deleted_where_nothing_else_has_it(client, owner, report, trace):
    other = store_report(owner, "two.html", begin="2024-01-01T12:00:00")
    attach(client, report, trace)
    attach(client, other, trace)
    assert client.delete(f"/reports/{report.pk}/traces/{trace.pk}/", headers=JSON).status_code == 204
    assert there(trace) == [True]
    assert client.delete(f"/reports/{report.pk}/traces/{trace.pk}/", headers=JSON).status_code == 404
    assert client.delete(f"/reports/{other.pk}/traces/{trace.pk}/", headers=JSON).status_code == 204
    assert there(trace, report, other) == [False, True, True]


def test_the_audit_log_tells_of_it(client, report, trace):
    attach(client, report, trace)
    client.delete(f"/reports/{report.pk}/traces/{trace.pk}/", headers=JSON)
    assert AuditLine.objects.filter(action="changed", kind="report", thing=str(report.pk)).count() == 2


def test_with_the_report_go_its_traces(client, owner, report, trace):
    attach(client, report, trace)
    assert f"the LGWR trace “{trace.name}” attached to it" in page(client, f"/reports/{report.pk}/delete/")
    assert client.post(f"/reports/{report.pk}/delete/", headers=JSON).status_code == 204
    assert there(report, trace) == [False, False]


def test_a_trace_that_is_attached_is_not_deleted(client, report, trace):
    attach(client, report, trace)
    answer = client.post(f"/reports/{trace.pk}/delete/", headers=JSON)
    assert answer.status_code == 409
    assert answer.json()["error"] == f"“{trace.name}” is attached to “one.html”: detach it first."
    assert kept_by(trace)


class TestBesideAComparison:
    @pytest.fixture
    def comparison(self, client, owner, report, trace):
        second = store_report(owner, "two.html", begin="2024-01-01T12:00:00")
        made = services.create_comparison(owner, [report, second, trace], order_by_time=False)
        compute_now(made.pk)
        made.refresh_from_db()
        assert attach(client, report, trace).status_code == 201
        return made

    def test_detaching_there_leaves_it_here(self, owner, comparison, report, trace):
        detach_from_comparison(owner, comparison, trace.pk)
        assert there(trace) == [True]
        assert ReportTrace.objects.get().report == report

    def test_detaching_here_leaves_it_there(self, client, comparison, report, trace):
        client.delete(f"/reports/{report.pk}/traces/{trace.pk}/", headers=JSON)
        assert there(trace) == [True]

    def test_deleting_the_comparison_takes_report_and_trace(self, client, owner, comparison, report, trace):
        said = page(client, f"/comparisons/{comparison.pk}/delete/")
        assert f"the LGWR trace “{trace.name}”" in said
        services.delete(owner, comparison)
        assert there(report, trace) == [False, False]

    def test_a_trace_of_a_report_that_stays_stays(self, client, owner, comparison, report, trace):
        third = store_report(owner, "three.html", begin="2024-01-01T14:00:00")
        services.create_comparison(owner, [report, third], order_by_time=False)
        said = page(client, f"/comparisons/{comparison.pk}/delete/")
        assert f"“{trace.name}”: another comparison or a report has it" in said
        services.delete(owner, comparison)
        assert there(report, trace) == [True, True]


def test_the_same_trace_is_attached_once(client, report, trace):
    attach(client, report, trace)
    answer = attach(client, report, trace)
    assert (answer.status_code, answer.json()["error"]) == (400, f"“{trace.name}” is attached already.")


def test_what_is_no_trace_is_refused(client, owner, report, trace):
    other = store_report(owner, "two.html", begin="2024-01-01T12:00:00")
    assert "is not an LGWR trace" in attach(client, report, other).json()["error"]
    second = store_trace(owner, "other.trc", EVENTS)
    assert "No trace can be attached" in attach(client, trace, second).json()["error"]


def test_there_are_limits(client, owner, report, trace, monkeypatch):
    monkeypatch.setattr(report_traces, "MOST_EVENTS", 1)
    assert "attach it to a comparison" in attach(client, report, trace).json()["error"]
    monkeypatch.setattr(report_traces, "MOST_EVENTS", 20_000)
    monkeypatch.setattr(report_traces, "MOST_TRACES", 0)
    assert "at most 0 traces" in attach(client, report, trace).json()["error"]
    assert not ReportTrace.objects.exists()


def test_another_team_has_neither(sign_in, stranger, client, report, trace):
    assert attach(sign_in(stranger), report, trace).status_code == 404
    attach(client, report, trace)
    theirs = sign_in(stranger).delete(f"/reports/{report.pk}/traces/{trace.pk}/", headers=JSON)
    assert theirs.status_code == 404
    assert ReportTrace.objects.count() == 1


def test_its_verdict_is_that_of_the_command_line(client, report, trace, monkeypatch):
    """`awrdiff single REPORT TRACE`: a trace of this instance's log writer brings commits into the verdict."""
    from awrdiff.reports import assessments

    plain = assessments.assessment_of(report)
    attach(client, report, trace)
    seen = []
    monkeypatch.setattr(assessments, "assess", lambda parsed, traces=(): seen.append([t.name for t in traces]) or plain)
    assert assessments.assessment_of(report) is plain
    assert seen == [[trace.name]]
