"""The same reports once more: the comparison that is there, whoever asks and however."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, TestCase

from awrdiff.comparisons import services, tasks
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.models import State
from awrdiff.reports import tasks as report_tasks
from awrdiff.reports.models import SEVERAL, Report
from tests.web.cast import stored_trace
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def wanted(client: Client, *reports: Report, **fields) -> dict:
    answer = client.post("/comparisons/", {"report": [str(r.pk) for r in reports], **fields}, headers=JSON)
    assert answer.status_code in (200, 201), answer.content
    return answer.json()


def test_the_same_pair_is_answered_with_the_comparison_there_is(client, colleague, sign_in, reports):
    made = wanted(client, *reports)
    tasks.compute_now(made["id"])
    again = wanted(sign_in(colleague), *reports)
    assert again == {**made, "state": "ready"}
    assert Comparison.objects.count() == 1


def test_another_order_or_another_report_is_another_comparison(client, owner, reports):
    third = store_report(owner, "third.html")
    made = {wanted(client, *some)["id"] for some in (reports, reports[::-1], [*reports, third], [reports[0], third])}
    assert len(made) == 4


def test_ordered_by_time_any_order_is_the_same(client, reports):
    assert wanted(client, *reports[::-1], order="time")["id"] == wanted(client, *reports)["id"]


def test_while_they_are_read_the_order_is_not_known_and_the_same_wish_is_the_same(client, reports):
    Report.objects.update(state=State.PENDING, begin_at="")
    first, second = reports
    ids = [wanted(client, *pair, order="time")["id"] for pair in ((second, first), (second, first), (first, second))]
    assert (ids[0] == ids[1], ids[0] == ids[2]) == (True, False)
    assert wanted(client, second, first)["id"] not in ids  # in this order whatever they print


def test_once_they_are_read_it_is_found_in_the_order_they_turned_out_to_have(client, reports):
    begins = {r.pk: r.begin_at for r in reports}
    Report.objects.update(state=State.PENDING, begin_at="")
    made = wanted(client, *reports[::-1], order="time")["id"]
    for pk, begin_at in begins.items():
        Report.objects.filter(pk=pk).update(state=State.READY, begin_at=begin_at)
    tasks.compute_now(made)
    assert wanted(client, *reports)["id"] == made
    assert wanted(client, *reports[::-1], order="time")["id"] == made


def test_another_team_gets_its_own(client, stranger, sign_in, reports):
    wanted(client, *reports)
    theirs = [store_report(stranger, r.name) for r in reports]
    wanted(sign_in(stranger), *theirs)
    assert Comparison.objects.count() == 2


def test_a_trace_attached_since_makes_no_other_pair(client, owner, reports):
    trace, other = stored_trace(owner, "a.trc", 1500), stored_trace(owner, "b.trc", 1600)
    made = wanted(client, *reports, trace)["id"]
    assert wanted(client, *reports)["id"] == made
    assert wanted(client, trace, *reports)["id"] == made
    assert wanted(client, *reports, other)["id"] != made


def test_one_that_failed_is_tried_again(client, reports):
    made = wanted(client, *reports)
    Comparison.objects.update(state=State.FAILED, error="It fell over.")
    assert wanted(client, *reports) == {**made, "state": "pending"}


def test_a_title_names_one_that_has_none(client, reports):
    pk = wanted(client, *reports)["id"]
    wanted(client, *reports, title="Slow Monday")
    wanted(client, *reports, title="Something else")
    assert Comparison.objects.get(pk=pk).title == "Slow Monday"


def test_a_title_is_in_one_line(owner, comparison):
    services.rename(owner, comparison, "  Slow\n Monday ")
    assert set(Comparison.objects.values_list("title", flat=True)) == {"Slow Monday"}
    services.rename(owner, comparison, "")
    assert set(Comparison.objects.values_list("title", flat=True)) == {""}


class TestTheSameBytes:
    """What people drop again is the report that is there; scripts get what they send, unless they ask."""

    def send(self, client: Client, data: bytes = b"<html>an AWR report", *, known: bool = False, **fields) -> dict:
        answer = client.post("/reports/", {"file": SimpleUploadedFile("a.html", data), **fields}, headers=JSON)
        assert answer.status_code == (200 if known else 201)
        return answer.json()

    def test_a_script_gets_its_own(self, client):
        assert self.send(client)["id"] != self.send(client)["id"]

    def test_whoever_asks_gets_the_one_there_is(self, client, settings):
        first = self.send(client)
        assert self.send(client, same="reuse", known=True)["id"] == first["id"]
        assert self.send(client, b"<html>another", same="reuse")["id"] != first["id"]
        assert Report.objects.count() == 2

    def test_it_is_named_as_it_was_sent(self, client):
        self.send(client)
        file = SimpleUploadedFile("b.html", b"<html>an AWR report")
        assert client.post("/reports/", {"file": file, "same": "reuse"}, headers=JSON).json()["name"] == "b.html"

    def test_what_waits_behind_an_import_is_read_in_its_turn_once_somebody_sends_it(self, client, monkeypatch):
        sent: list[str] = []
        monkeypatch.setattr(report_tasks.read_report, "apply_async", lambda args, **_: sent.append(args[0]))
        waiting, read = (self.send(client, data, bulk="yes") for data in (b"<html>one", b"<html>another"))
        Report.objects.filter(pk=read["id"]).update(state=State.READY)
        sent.clear()
        with TestCase.captureOnCommitCallbacks(execute=True):
            self.send(client, b"<html>one", bulk="yes", same="reuse", known=True)  # by the import again
        assert (sent, Report.objects.filter(in_bulk=True).count()) == ([], 2)
        with TestCase.captureOnCommitCallbacks(execute=True):
            for data in (b"<html>one", b"<html>another"):
                self.send(client, data, same="reuse", known=True)
        assert (sent, [str(r.pk) for r in Report.objects.filter(in_bulk=False)]) == ([waiting["id"]], [waiting["id"]])

    def test_it_is_one_of_the_own_team(self, client, sign_in, stranger):
        theirs = self.send(sign_in(stranger))
        assert self.send(client, same="reuse")["id"] != theirs["id"]

    def test_by_its_digest_it_is_known_to_its_own_team_alone(self, client, sign_in, stranger):
        sent = self.send(client)
        asked = {"sha256": [sent["sha256"], "0" * 64]}
        known = client.post("/reports/known/", asked, headers=JSON).json()["known"]
        assert {digest: one["id"] for digest, one in known.items()} == {sent["sha256"]: sent["id"]}
        assert sign_in(stranger).post("/reports/known/", asked, headers=JSON).json() == {"known": {}}
        assert client.post("/reports/known/", {"sha256": ["a"] * 1001}, headers=JSON).status_code == 400

    def test_what_cannot_be_read_is_known_as_failed_while_no_other_is_there(self, client):
        first = self.send(client)
        Report.objects.update(state=State.FAILED, error="It is no report.", error_code="not-a-report")
        asked = {"sha256": first["sha256"]}
        found = client.post("/reports/known/", asked, headers=JSON).json()["known"][first["sha256"]]
        again = self.send(client, same="reuse", known=True)
        assert (found["id"], again["id"]) == (first["id"], first["id"])
        assert {(one["state"], one["error"]) for one in (found, again)} == {("failed", "It is no report.")}
        read = self.send(client)  # by hand: read once more
        assert self.send(client, same="reuse", known=True)["id"] == read["id"]

    @pytest.mark.parametrize(
        "values",
        [{"state": State.FAILED, "error_code": "gave-up"}, {"is_demo": True}, {"kind": SEVERAL, "state": State.READY}],
    )
    def test_what_cannot_stand_for_it_is_not_taken(self, client, values):
        first = self.send(client)
        Report.objects.update(**values)
        assert self.send(client, same="reuse")["id"] != first["id"]

    def test_the_form_without_scripts_takes_it(self, client):
        def form() -> str:
            files = [SimpleUploadedFile(f"{n}.html", b"<html>an AWR report %d" % n) for n in range(2)]
            return client.post("/reports/", {"file": files}, headers={"Accept": "text/html"})["Location"]

        assert form() == form()
        assert (Report.objects.count(), Comparison.objects.count()) == (2, 1)
