"""A comparison asked for while its reports are still read: it is there once they are, or it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import tasks
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.models import State
from awrdiff.reports import tasks as reading
from awrdiff.reports.models import Report
from tests.web.cast import stored_trace
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


@pytest.fixture
def waiting(reports) -> list[Report]:
    Report.objects.update(state=State.PENDING)
    return reports


def asked(client, reports, **fields) -> str:
    ids = [str(r.pk) for r in reports]
    answer = client.post("/comparisons/", {"report": ids, "order": "time", **fields}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


def settle(reports, **values) -> None:
    """As reading does: one after the other, and whoever waits hears of it."""
    for report in reports:
        Report.objects.filter(pk=report.pk).update(**{"state": State.READY, **values.get(report.name, {})})
        tasks.report_settled(report.pk)
    for pk in Comparison.objects.filter(state=State.PENDING).values_list("pk", flat=True):
        tasks.compute_now(pk)


def test_it_is_computed_once_its_reports_are_read_and_is_one_like_any_other(client, waiting):
    pk = asked(client, waiting, provisional="yes")
    settle(waiting)
    assert client.get(f"/comparisons/{pk}/", headers=JSON).json()["state"] == State.READY
    assert not Comparison.objects.get(pk=pk).provisional
    assert asked(client, waiting) == pk


@pytest.mark.parametrize("compared", [False, True])
def test_a_third_file_leaves_no_comparison_of_the_first_two(client, owner, waiting, compared):
    pk = asked(client, waiting, provisional="yes")
    if compared:
        settle(waiting)
    third = store_report(owner, "third.html", begin="2024-01-03T10:00:00")
    of_all = asked(client, [*waiting, third], instead_of=pk)
    assert [str(one) for one in Comparison.objects.values_list("pk", flat=True)] == [of_all]


def test_what_somebody_has_opened_or_somebody_else_asked_for_stays(client, sign_in, colleague, waiting):
    pk = asked(client, waiting, provisional="yes")
    asked(sign_in(colleague), reversed(waiting), instead_of=pk)
    assert Comparison.objects.filter(pk=pk).exists()
    client.get(f"/comparisons/{pk}/")
    asked(client, [*waiting, waiting[0]], instead_of=pk)
    assert Comparison.objects.filter(pk=pk).exists()


FAILED = {"state": State.FAILED, "error": "It is a letter.", "error_code": "not-a-report"}


@pytest.mark.parametrize("last", [FAILED, {"kind": "lgwr_trace"}, {"kind": "several"}])
def test_it_is_gone_where_a_file_turns_out_to_be_anything_else_and_the_reports_stay(client, waiting, last):
    pk = asked(client, waiting, provisional="yes")
    settle(waiting, **{waiting[1].name: last})
    assert not Comparison.objects.exists()
    assert client.get(f"/comparisons/{pk}/", headers=JSON).status_code == 404
    assert Report.objects.count() == 2
    assert AuditLine.objects.filter(who="server", action="deleted", thing=pk).count() == 1


def test_whoever_asks_without_a_condition_keeps_it_as_it_fails(client, waiting):
    pk = asked(client, waiting, provisional="yes")
    assert asked(client, waiting) == pk
    settle(waiting, **{waiting[1].name: FAILED})
    assert Comparison.objects.get(pk=pk).error_code == tasks.REPORT_FAILED


def test_it_never_takes_back_the_condition_of_one_that_was_asked_for_without(client, waiting):
    pk = asked(client, waiting)
    assert asked(client, waiting, provisional="yes") == pk
    settle(waiting, **{waiting[1].name: FAILED})
    assert Comparison.objects.get(pk=pk).is_failed


def test_one_that_falls_over_in_computing_fails_as_any(client, waiting, monkeypatch):
    pk = asked(client, waiting, provisional="yes")

    def refuse(*_args, **_kwargs):
        raise tasks.Refused("It took too long.", "too-long")

    monkeypatch.setattr(tasks.sandbox, "run", refuse)
    settle(waiting)
    assert Comparison.objects.get(pk=pk).is_failed


def test_a_file_of_several_reports_is_asked_for_by_its_reports(client, owner):
    """The page posts a comparison of all that turned up: there is no second one of the same."""
    both = b"".join((CASES / f"{name}.html").read_bytes() for name in ("before", "after"))
    sent = [("both.html", both), ("one.html", (CASES / "after.html").read_bytes() + b"<!-- 2 -->")]
    ids = [upload(client, *one) for one in sent]
    asked(client, Report.objects.filter(pk__in=ids).order_by("created_at"), provisional="yes")
    while pending := list(Report.objects.filter(state=State.PENDING).values_list("pk", flat=True)):
        for pk in pending:
            reading.read_now(pk)
    for pk in Comparison.objects.values_list("pk", flat=True):
        tasks.compute_now(pk)
    assert not Comparison.objects.exists()
    assert Report.objects.filter(state=State.READY).count() == 4


def upload(client, name: str, data: bytes) -> str:
    answer = client.post("/reports/", {"file": SimpleUploadedFile(name, data)}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


def test_a_trace_attached_at_the_start_is_none_of_its_reports(client, owner, waiting):
    pk = asked(client, [*waiting, stored_trace(owner, "a.trc", 1500)], provisional="yes")
    settle(waiting)
    assert not Comparison.objects.filter(pk=pk).exists()
