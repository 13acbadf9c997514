"""What stands in a row at each step of its work, all of it, at a clock that stands still; and what the log says."""

# ruff: noqa: F811 - a fixture that is imported is an argument of the same name

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from django.db import DatabaseError

from awrdiff import disk_space
from awrdiff.processing import fair_scheduling, outdated_result_renewal, sweeper, work_claims
from awrdiff.processing.storable_values import storable, storable_text
from awrdiff.reports.models import Report
from tests.web.at_work import (  # noqa: F401 - fixtures among them
    AT_REST,
    DUE_S,
    LEASE_S,
    NOW,
    RUNNING,
    WAITING,
    after,
    claimed,
    clock,
    put,
    report,
    row,
    sent,
)
from tests.web.conftest import store_report

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


class TestStates:
    def test_from_the_beginning_nothing_of_before_is_left(self, report):
        put(report, error="x", error_code="x", stage="x", failures=2, interruptions=2, renewal_error="x",
            renewal_tried=9, lease_until=NOW, state="failed")  # fmt: skip
        put(report, **work_claims.enqueue_values())
        assert row(report) == WAITING

    def test_claimed_staged_and_finished(self, report):
        put(report, failures=1)
        held = claimed(report, sha256="f" * 64)
        assert (held.attempt, held.state, held.failures, held.version, held.renewing) == (1, "running", 1, 7, False)
        assert row(report) == {**RUNNING, "failures": 1}
        assert Report.objects.get().sha256 == "f" * 64
        held.stage("storing")
        assert row(report) == {**RUNNING, "failures": 1, "stage": "storing"}
        held.finish(name="read.html")
        assert row(report) == {**WAITING, **AT_REST, "state": "ready", "attempt": 1, "parser_version": 7}
        assert Report.objects.get().name == "read.html"

    def test_a_value_of_its_own_is_finished_with(self, report):
        claimed(report).finish(parser_version=3)
        assert row(report)["parser_version"] == 3

    def test_refused(self, report):
        claimed(report).refuse("wrong\x00file\udc80", "not-a-report")
        said = {"error": "wrong file�", "error_code": "not-a-report", "parser_version": 7, "attempt": 1}
        assert row(report) == {**WAITING, **AT_REST, **said, "state": "failed"}

    @pytest.mark.parametrize(
        ("before", "asked", "failures", "pause"),
        [(0, {}, 1, DUE_S), (1, {}, 2, 2 * DUE_S), (0, {"failed": False}, 0, DUE_S), (1, {"after_s": 0}, 2, 0),
         (1, {"failed": False, "after_s": 5}, 1, 5)],
    )  # fmt: skip
    def test_given_back(self, report, before, asked, failures, pause):
        put(report, failures=before)
        claimed(report).give_back(**asked)
        assert row(report) == {**WAITING, "attempt": 1, "failures": failures, "due_at": after(pause)}

    def test_given_up(self, report):
        put(report, failures=2)
        claimed(report).give_back()
        found = row(report)
        assert (found["state"], found["error_code"], found["failures"]) == ("failed", "gave-up", 0)
        assert found["error"].startswith(
            "Processing stopped 3 times without a result. The cause is in the server's log;"
        )

    def test_waiting_for_room_is_no_failure(self, report):
        claimed(report).wait()
        assert row(report) == {**WAITING, "attempt": 1}

    def test_a_lease_that_ended_was_an_interruption(self, report):
        claimed(report)
        assert row(report) == RUNNING
        put(report, lease_until=after(-1))
        assert claimed(report).attempt == 2
        assert row(report) == {**RUNNING, "attempt": 2, "interruptions": 1}

    def test_no_room_no_claim(self, report, monkeypatch):
        monkeypatch.setattr(disk_space, "has_room", lambda: False)
        assert work_claims.claim(Report, report.pk, "reading") is None
        assert row(report) == WAITING


class TestRenewal:
    @pytest.fixture
    def old(self, report) -> Report:
        put(report, state="ready", due_at=None, parser_version=3)
        return report

    def test_claimed_it_keeps_its_state_and_says_no_stage(self, old):
        held = claimed(old)
        assert (held.renewing, held.state) == (True, "ready")
        kept = {**WAITING, "state": "ready", "parser_version": 3, "attempt": 1, "due_at": None}
        assert row(old) == {**kept, "lease_until": after(LEASE_S)}
        held.stage("storing")
        assert row(old)["stage"] == ""
        held.give_back()
        assert row(old) == {**kept, "failures": 1, "due_at": after(DUE_S)}

    def test_refused_it_keeps_its_result_and_says_why(self, old):
        claimed(old).refuse("broken\x00now", "damaged")
        kept = {**WAITING, **AT_REST, "state": "ready", "parser_version": 3, "attempt": 1}
        assert row(old) == {**kept, "renewal_error": "broken now", "renewal_tried": 7}
        assert work_claims.claim(Report, old.pk, "reading", version=7) is None

    def test_one_that_was_left_half_way_is_no_new_work(self, old):
        put(old, parser_version=7, lease_until=after(-1))
        assert work_claims.claim(Report, old.pk, "reading", version=7) is None

    def test_what_failed_before_fails_anew(self, old):
        put(old, state="failed", error="old", error_code="old")
        claimed(old).refuse("new", "new-code")
        found = row(old)
        assert (found["state"], found["error"], found["error_code"], found["parser_version"]) == (
            "failed",
            "new",
            "new-code",
            7,
        )

    def test_it_waits_for_room_as_it_is(self, old):
        claimed(old).wait()
        assert (row(old)["state"], row(old)["due_at"], row(old)["lease_until"]) == ("ready", after(DUE_S), None)

    @pytest.mark.parametrize(
        ("values", "outdated"),
        [({}, True), ({"parser_version": 7}, False), ({"parser_version": 8}, False), ({"renewal_tried": 7}, False),
         ({"renewal_tried": 6}, True), ({"state": "pending"}, False), ({"state": "failed"}, True)],
    )  # fmt: skip
    def test_what_is_outdated(self, old, values, outdated):
        put(old, **values)
        assert Report.objects.filter(work_claims.outdated_rows(Report, 7)).exists() == outdated

    @pytest.mark.parametrize(("lease", "free"), [(None, True), (-1, True), (1, False)])
    def test_what_nobody_renews_is_free(self, old, lease, free):
        put(old, lease_until=None if lease is None else after(lease))
        assert Report.objects.filter(work_claims.renewable(Report, 7, NOW)).exists() == free

    def test_the_next_is_sent_and_no_other_meanwhile(self, old, sent):
        assert outdated_result_renewal.renew_next()
        assert sent == [str(old.pk)]
        assert row(old)["due_at"] == after(DUE_S)
        assert not outdated_result_renewal.renew_next()
        put(old, due_at=after(-1), lease_until=after(1))
        assert not outdated_result_renewal.renew_next()
        put(old, lease_until=after(-1))
        assert sweeper.sweep() == 1
        assert len(sent) == 2

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({}, "Made by version 0.9 of awrdiff and being renewed. This result stays until the new one is ready."),
            ({"renewal_tried": 7, "renewal_error": "It broke."},
             "Made by version 0.9 of awrdiff: it could not be renewed, so it stays as it is. It broke."),
            ({"parser_version": 7}, ""),
            ({"state": "failed"}, ""),
        ],
    )  # fmt: skip
    def test_a_reader_is_told(self, old, values, said):
        put(old, **values)
        old.refresh_from_db()
        assert old.renewal_note(7, "0.9") == said
        assert old.renewal_note(7, "0.9", with_reason=False) == said.removesuffix(" It broke.")


class TestGivingUp:
    @pytest.mark.parametrize(
        ("values", "times"),
        [({"failures": 3}, 3), ({"interruptions": 10}, 10), ({"failures": 2, "interruptions": 9}, 0),
         ({"failures": 3, "state": "ready"}, 0)],
    )  # fmt: skip
    def test_after_so_many(self, report, values, times):
        put(report, **values)
        assert work_claims.give_up(Report, report.pk, 7) == bool(times)
        if times:
            found = row(report)
            assert (found["state"], found["error_code"], found["parser_version"]) == ("failed", "gave-up", 7)
            assert f"stopped {times} times" in found["error"]

    def test_no_other_row_is_given_up(self, owner, report):
        other = store_report(owner, "worn.html")
        put(other, state="pending", failures=3)
        assert not work_claims.give_up(Report, report.pk, 7)
        assert [row(one)["state"] for one in (report, other)] == ["pending", "pending"]

    def test_of_a_row_that_is_gone_nothing(self, report):
        pk = report.pk
        report.delete()
        assert not work_claims.give_up(Report, pk, 7)
        assert work_claims.claim(Report, pk, "reading") is None
        work_claims.note_death(Report, pk, 7, by_itself=True)

    @pytest.mark.parametrize(("by_itself", "failures"), [(True, 1), (False, 0)])
    def test_a_process_that_died_frees_its_row_at_once(self, report, by_itself, failures):
        claimed(report)
        work_claims.note_death(Report, report.pk, 7, by_itself=by_itself)
        assert row(report) == {**WAITING, "attempt": 1, "failures": failures, "due_at": NOW}
        work_claims.note_death(Report, report.pk, 7, by_itself=True)
        assert row(report)["failures"] == failures

    def test_who_comes_back_to_a_row_that_was_freed_writes_nothing(self, report):
        held = claimed(report)
        work_claims.note_death(Report, report.pk, 7, by_itself=False)
        with pytest.raises(work_claims.Superseded):
            held.finish()
        assert row(report) == {**WAITING, "attempt": 1, "due_at": NOW}


class TestWorking:
    def logged(self, caplog) -> list[tuple[int, str]]:
        return [(r.levelno, r.getMessage()) for r in caplog.records if r.name == "awrdiff.processing.work_claims"]

    @pytest.fixture(autouse=True)
    def heard(self, caplog):
        caplog.set_level(logging.INFO)

    def test_a_refusal_settles_the_row(self, report, caplog):
        with work_claims.working(claimed(report)):
            raise work_claims.Refused("It is torn.", "torn")
        assert (row(report)["state"], row(report)["error"], row(report)["error_code"]) == (
            "failed",
            "It is torn.",
            "torn",
        )
        assert str(work_claims.Refused("It is torn.", "torn")) == "It is torn."
        assert self.logged(caplog) == []

    def test_a_fault_of_ours_is_logged_and_the_row_waits(self, report, caplog):
        with work_claims.working(claimed(report)):
            raise RuntimeError("bug")
        assert row(report) == {**WAITING, "attempt": 1, "failures": 1}
        assert self.logged(caplog) == [(logging.ERROR, f"Report {report.pk}: attempt 1 failed")]
        assert caplog.records[-1].exc_info

    @pytest.mark.parametrize(
        "error", [RuntimeError("bug"), work_claims.Refused("no", "no"), work_claims.Superseded(), OSError(28, "full")]
    )
    def test_whoever_was_superseded_writes_nothing(self, report, caplog, error):
        held = claimed(report)
        put(report, attempt=2)
        with work_claims.working(held):
            raise error
        assert row(report) == {**RUNNING, "attempt": 2}
        assert self.logged(caplog)[-1] == (logging.INFO, f"Report {report.pk}: attempt 1 was superseded")

    def test_a_full_disk_is_waited_for(self, report, caplog):
        with work_claims.working(claimed(report)):
            raise OSError(28, "full")
        assert row(report) == {**WAITING, "attempt": 1}
        assert self.logged(caplog) == [(logging.WARNING, f"Report {report.pk} waits: {disk_space.SENTENCE}")]

    def test_a_full_disk_of_the_database_too(self, report, caplog, monkeypatch):
        def full(*_):
            raise DatabaseError("disk full")

        held = claimed(report)
        monkeypatch.setattr(work_claims.Claim, "wait", full)
        with work_claims.working(held):
            raise OSError(28, "full")
        assert self.logged(caplog)[-1] == (logging.WARNING, f"Report {report.pk}: its row is free when its lease ends")


class TestTurns:
    def test_the_message_may_name_what_was_given_back(self, report):
        put(report, failures=1, due_at=after(5))
        assert fair_scheduling.claim_next(Report, None, "reading", version=7) is None
        held = fair_scheduling.claim_next(Report, report.pk, "reading", version=7)
        assert (held.attempt, held.version) == (1, 7)
        assert row(report) == {**RUNNING, "failures": 1}

    @pytest.mark.parametrize(("due", "taken"), [(None, True), (0, True), (1, False)])
    def test_what_was_given_back_is_taken_when_it_is_due(self, report, due, taken):
        put(report, interruptions=1, due_at=None if due is None else after(due))
        assert (fair_scheduling.claim_next(Report, None, "reading", version=7) is not None) == taken

    def test_an_outdated_row_is_renewed_for_its_message_alone(self, report):
        put(report, state="ready", parser_version=3, due_at=None)
        assert fair_scheduling.claim_next(Report, None, "reading", version=7) is None
        held = fair_scheduling.claim_next(Report, report.pk, "reading", version=7)
        assert (held.renewing, held.version) == (True, 7)

    @pytest.mark.parametrize(("waited", "first"), [(59, False), (60, False), (61, True)])
    def test_patience_is_a_minute(self, owner, report, waited, first):
        put(report, size=9, queued_at=after(-waited))
        smaller = Report.objects.create(team=owner.team, name="s", size=1, sha256="s", file="s", queued_at=after(0))
        assert (fair_scheduling.claim_next(Report, None, "reading", version=7).pk == report.pk) == first, smaller

    @pytest.mark.parametrize(("slots", "limit"), [(1, 1), (2, 1), (4, 2), (5, 2)])
    def test_half_of_the_slots(self, owner, stranger, settings, slots, limit):
        settings.WORKERS = slots
        assert fair_scheduling.team_limit() == limit


class TestLostProcesses:
    @pytest.fixture
    def asked(self, monkeypatch) -> list:
        found: list = []
        monkeypatch.setattr(sweeper, "connection", SimpleNamespace(close=lambda: found.append("closed")))
        monkeypatch.setattr(sweeper, "release_lost", lambda *given, **more: found.append((*given, more)))
        return found

    @pytest.mark.parametrize("error", [WorkerLostError("killed"), TimeLimitExceeded(9)])
    def test_their_row_is_freed(self, asked, error):
        sweeper.release_killed(task_id="7", exception=error)
        assert asked == [("7", {"by_itself": True}), "closed"]

    @pytest.mark.parametrize(("error", "task"), [(RuntimeError("bug"), "7"), (WorkerLostError("killed"), "")])
    def test_what_the_task_has_dealt_with_is_left_alone(self, asked, error, task):
        sweeper.release_killed(task_id=task, exception=error)
        assert asked == []

    def test_a_database_that_is_away_is_said(self, asked, monkeypatch, caplog):
        def away(*_, **__):
            raise DatabaseError("gone")

        monkeypatch.setattr(sweeper, "release_lost", away)
        sweeper.release_killed(task_id="7", exception=WorkerLostError("killed"))
        said = "the process of task 7 was killed; its row is free when its lease ends"
        assert [r.getMessage() for r in caplog.records] == [said]
        assert asked == ["closed"]

    @pytest.mark.parametrize(
        ("stop", "end", "stopping"), [(None, None, False), (False, None, False), (0, None, True), (None, 0, True)]
    )
    def test_an_exit_status_says_that_it_stops(self, monkeypatch, stop, end, stopping):
        monkeypatch.setattr(sweeper.worker_state, "should_stop", stop)
        monkeypatch.setattr(sweeper.worker_state, "should_terminate", end)
        assert sweeper._is_stopping() == stopping


class TestStorable:
    @pytest.mark.parametrize(
        ("text", "fit"),
        [("plain", "plain"), ("a\x00b", "a b"), ("é\x00\ud800\udfff", "é ��"), ("\ud7ff\ue000", "\ud7ff\ue000")],
    )
    def test_texts(self, text, fit):
        assert storable_text(text) == fit

    def test_documents(self):
        made = storable({"a\x00": [1, 1.5, float("inf"), float("nan"), ("x\x00", None, True)], "b": {"c": "d"}})
        assert made == {"a ": [1, 1.5, None, None, ["x ", None, True]], "b": {"c": "d"}}
