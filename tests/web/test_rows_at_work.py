"""What stands in a row at each step of its work, all of it, at a clock that stands still; and what the log says."""

from __future__ import annotations

import logging
import signal
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from django.core.management import call_command
from django.db import DatabaseError
from django.utils import timezone

from awrdiff import disk
from awrdiff.processing import broker, chores, claims, dispatch, fairness, heartbeats, kinds, lost, renewal, sweeper
from awrdiff.processing.management.commands import sweep as command
from awrdiff.processing.models import Heartbeat
from awrdiff.processing.storable import storable, storable_text
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
DUE_S, LEASE_S = 20, 300
FIELDS = (
    "state", "stage", "error", "error_code", "attempt", "failures", "interruptions", "lease_until", "due_at",
    "renewal_error", "renewal_tried", "queued_at", "parser_version",
)  # fmt: skip
AT_REST = {"stage": "", "lease_until": None, "due_at": None, "failures": 0, "interruptions": 0}


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture(autouse=True)
def clock(monkeypatch, settings):
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    settings.TASK_DUE_AFTER_S, settings.TASK_LEASE_S = DUE_S, LEASE_S
    settings.TASK_MAX_FAILURES, settings.TASK_MAX_INTERRUPTIONS = 3, 10


@pytest.fixture
def report(owner) -> Report:
    made = store_report(owner)
    put(made, **claims.enqueue_values(), parser_version=0)
    return made


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tasks.read_report, "apply_async", lambda args, **_: found.append(args[0]))
    return found


def put(report: Report, **values: object) -> None:
    Report.objects.filter(pk=report.pk).update(**values)


def row(report: Report) -> dict[str, object]:
    return Report.objects.values(*FIELDS).get(pk=report.pk)


def claimed(report: Report, **more: object) -> claims.Claim:
    held = claims.claim(Report, report.pk, "reading", version=7, **more)
    assert held is not None
    return held


WAITING = {
    **AT_REST, "state": "pending", "error": "", "error_code": "", "attempt": 0, "due_at": after(DUE_S),
    "renewal_error": "", "renewal_tried": 0, "queued_at": NOW, "parser_version": 0,
}  # fmt: skip
RUNNING = {
    **WAITING,
    "state": "running",
    "stage": "reading",
    "attempt": 1,
    "lease_until": after(LEASE_S),
    "due_at": None,
}


class TestStates:
    def test_from_the_beginning_nothing_of_before_is_left(self, report):
        put(report, error="x", error_code="x", stage="x", failures=2, interruptions=2, renewal_error="x",
            renewal_tried=9, lease_until=NOW, state="failed")  # fmt: skip
        put(report, **claims.enqueue_values())
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
        claimed(report).wait_for_room()
        assert row(report) == {**WAITING, "attempt": 1}

    def test_a_lease_that_ended_was_an_interruption(self, report):
        claimed(report)
        assert row(report) == RUNNING
        put(report, lease_until=after(-1))
        assert claimed(report).attempt == 2
        assert row(report) == {**RUNNING, "attempt": 2, "interruptions": 1}

    def test_no_room_no_claim(self, report, monkeypatch):
        monkeypatch.setattr(disk, "has_room", lambda: False)
        assert claims.claim(Report, report.pk, "reading") is None
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
        assert claims.claim(Report, old.pk, "reading", version=7) is None

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
        claimed(old).wait_for_room()
        assert (row(old)["state"], row(old)["due_at"], row(old)["lease_until"]) == ("ready", after(DUE_S), None)

    @pytest.mark.parametrize(
        ("values", "outdated"),
        [({}, True), ({"parser_version": 7}, False), ({"parser_version": 8}, False), ({"renewal_tried": 7}, False),
         ({"renewal_tried": 6}, True), ({"state": "pending"}, False), ({"state": "failed"}, True)],
    )  # fmt: skip
    def test_what_is_outdated(self, old, values, outdated):
        put(old, **values)
        assert Report.objects.filter(claims.outdated(Report, 7)).exists() == outdated

    @pytest.mark.parametrize(("lease", "free"), [(None, True), (-1, True), (1, False)])
    def test_what_nobody_renews_is_free(self, old, lease, free):
        put(old, lease_until=None if lease is None else after(lease))
        assert Report.objects.filter(claims.renewable(Report, 7, NOW)).exists() == free

    def test_the_next_is_sent_and_no_other_meanwhile(self, old, sent):
        assert renewal.renew_next()
        assert sent == [str(old.pk)]
        assert row(old)["due_at"] == after(DUE_S)
        assert not renewal.renew_next()
        put(old, due_at=after(-1), lease_until=after(1))
        assert not renewal.renew_next()
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
        assert renewal.note(old, 7, "0.9") == said
        assert renewal.note(old, 7, "0.9", with_reason=False) == said.removesuffix(" It broke.")


class TestGivingUp:
    @pytest.mark.parametrize(
        ("values", "times"),
        [({"failures": 3}, 3), ({"interruptions": 10}, 10), ({"failures": 2, "interruptions": 9}, 0),
         ({"failures": 3, "state": "ready"}, 0)],
    )  # fmt: skip
    def test_after_so_many(self, report, values, times):
        put(report, **values)
        assert claims.give_up(Report, report.pk, 7) == bool(times)
        if times:
            found = row(report)
            assert (found["state"], found["error_code"], found["parser_version"]) == ("failed", "gave-up", 7)
            assert f"stopped {times} times" in found["error"]

    def test_of_a_row_that_is_gone_nothing(self, report):
        pk = report.pk
        report.delete()
        assert not claims.give_up(Report, pk)
        assert claims.claim(Report, pk, "reading") is None
        claims.died(Report, pk, by_itself=True)

    @pytest.mark.parametrize(("by_itself", "failures"), [(True, 1), (False, 0)])
    def test_a_process_that_died_frees_its_row_at_once(self, report, by_itself, failures):
        claimed(report)
        claims.died(Report, report.pk, 7, by_itself=by_itself)
        assert row(report) == {**WAITING, "attempt": 1, "failures": failures, "due_at": NOW}
        claims.died(Report, report.pk, 7, by_itself=True)
        assert row(report)["failures"] == failures


class TestWorking:
    def said(self, caplog) -> list[tuple[int, str]]:
        return [(r.levelno, r.getMessage()) for r in caplog.records if r.name == "awrdiff.processing.claims"]

    @pytest.fixture(autouse=True)
    def heard(self, caplog):
        caplog.set_level(logging.INFO)

    def test_a_refusal_settles_the_row(self, report, caplog):
        with claims.working(claimed(report)):
            raise claims.Refused("It is torn.", "torn")
        assert (row(report)["state"], row(report)["error"], row(report)["error_code"]) == (
            "failed",
            "It is torn.",
            "torn",
        )
        assert str(claims.Refused("It is torn.", "torn")) == "It is torn."
        assert self.said(caplog) == []

    def test_a_fault_of_ours_is_logged_and_the_row_waits(self, report, caplog):
        with claims.working(claimed(report)):
            raise RuntimeError("bug")
        assert row(report) == {**WAITING, "attempt": 1, "failures": 1}
        assert self.said(caplog) == [(logging.ERROR, f"Report {report.pk}: attempt 1 failed")]
        assert caplog.records[-1].exc_info

    @pytest.mark.parametrize(
        "error", [RuntimeError("bug"), claims.Refused("no", "no"), claims.Superseded(), OSError(28, "full")]
    )
    def test_whoever_was_superseded_writes_nothing(self, report, caplog, error):
        held = claimed(report)
        put(report, attempt=2)
        with claims.working(held):
            raise error
        assert row(report) == {**RUNNING, "attempt": 2}
        assert self.said(caplog)[-1] == (logging.INFO, f"Report {report.pk}: attempt 1 was superseded")

    def test_a_full_disk_is_waited_for(self, report, caplog):
        with claims.working(claimed(report)):
            raise OSError(28, "full")
        assert row(report) == {**WAITING, "attempt": 1}
        assert self.said(caplog) == [(logging.WARNING, f"Report {report.pk} waits: {disk.SENTENCE}")]

    def test_a_full_disk_of_the_database_too(self, report, caplog, monkeypatch):
        def full(*_):
            raise DatabaseError("disk full")

        held = claimed(report)
        monkeypatch.setattr(claims.Claim, "wait_for_room", full)
        with claims.working(held):
            raise OSError(28, "full")
        assert self.said(caplog)[-1] == (logging.WARNING, f"Report {report.pk}: its row is free when its lease ends")


class TestSweeping:
    @pytest.mark.parametrize(
        ("values", "sends"),
        [({}, False), ({"due_at": None}, True), ({"due_at": after(-1)}, True), ({"due_at": after(1)}, False),
         ({"state": "running", "lease_until": after(1)}, False), ({"state": "ready", "due_at": None, "parser_version": 99}, False)],
    )  # fmt: skip
    def test_what_is_sent_again(self, report, sent, values, sends):
        put(report, **values)
        assert sweeper.sweep() == sends
        assert sent == [str(report.pk)] * sends
        if sends:
            assert row(report)["due_at"] == after(DUE_S)

    @pytest.mark.parametrize(("before", "pause"), [(0, 0), (1, 0), (2, 1), (3, 2), (8, 7)])
    def test_what_was_interrupted_waits_the_longer_the_oftener(self, report, sent, before, pause):
        put(report, state="running", stage="reading", lease_until=after(-1), interruptions=before)
        assert sweeper.sweep() == (not pause)
        due = after(DUE_S * max(pause, 1))
        assert row(report) == {**WAITING, "interruptions": before + 1, "due_at": due}

    def test_no_pause_is_longer_than_twenty_turns(self):
        assert [sweeper._pause_s(n) for n in (0, 2, 3, 22, 23, 99)] == [0, 0, DUE_S, 20 * DUE_S, 20 * DUE_S, 20 * DUE_S]

    def test_fifty_at_a_time_the_oldest_first(self, owner, report, sent):
        put(report, due_at=None)
        fields = {f: getattr(report, f) for f in ("team", "uploaded_by", "name", "size", "file")}
        others = [Report(**fields, sha256=f"{n:064x}", state="pending") for n in range(60)]
        Report.objects.bulk_create(others)
        for age, made in enumerate([report, *others]):
            put(made, created_at=after(-age), due_at=None)
        assert sweeper.sweep() == 50
        assert sent == [str(made.pk) for made in reversed(others[10:])]

    def test_everything_that_runs_is_freed_and_held_against_none(self, report):
        claimed(report)
        assert sweeper.release_running() == 1
        assert row(report) == {**WAITING, "attempt": 1, "due_at": NOW}
        put(report, state="ready", lease_until=after(1), due_at=None, parser_version=7)
        assert sweeper.release_running() == 1
        assert (row(report)["state"], row(report)["lease_until"], row(report)["due_at"]) == ("ready", None, None)
        assert sweeper.release_running() == 0

    def test_abandoned_rows_are_interrupted(self, report):
        claimed(report)
        sweeper.release_abandoned()
        assert row(report) == {**RUNNING, "lease_until": after(-1)}
        put(report, lease_until=None)
        sweeper.release_abandoned()
        assert row(report)["lease_until"] is None

    @pytest.mark.parametrize(("task", "freed"), [(tasks.read_report.name, True), ("another", False)])
    def test_the_row_of_a_lost_task_alone(self, report, task, freed):
        claimed(report)
        sweeper.release_lost(task, report.pk)
        assert (row(report)["state"], row(report)["failures"]) == (("pending", 1) if freed else ("running", 0))


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def heard(self, caplog):
        caplog.set_level(logging.INFO)

    def said(self, caplog) -> list[str]:
        return [r.getMessage() for r in caplog.records if r.name == "awrdiff.processing.sweep"]

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (DatabaseError("gone"), "The database did not answer: gone Next round in 2.5 s."),
            (OSError(28, "full"), f"{disk.SENTENCE} Next round in 2.5 s."),
        ],
    )
    def test_a_round_that_fails_is_said_and_is_not_the_last(self, monkeypatch, caplog, error, said):
        def fails():
            raise DatabaseError(*error.args) from error

        monkeypatch.setattr(command, "sweep", fails)
        monkeypatch.setattr(disk, "is_no_room", lambda found: isinstance(found.__cause__, OSError))
        monkeypatch.setattr(command.connection, "close", lambda: None)
        call_command("sweep", "--once", "--every", "2.5")
        assert self.said(caplog) == [said]

    def test_what_was_sent_is_counted(self, report, sent, caplog):
        put(report, due_at=None)
        call_command("sweep", "--once")
        call_command("sweep", "--once")
        assert self.said(caplog) == ["sent 1 rows to the workers again"]
        assert not Heartbeat.objects.exists()

    def test_rows_of_a_dead_worker_are_swept_when_it_starts_anew(self, report, sent):
        claimed(report)
        call_command("sweep", "--once")
        assert sent == []
        call_command("sweep", "--once", "--no-worker-runs")
        assert sent == [str(report.pk)]

    def test_it_goes_round_until_it_is_stopped_and_beats(self, monkeypatch):
        handlers, rounds = {}, []

        def sweeps() -> int:
            rounds.append(1)
            if len(rounds) == 3:
                handlers[signal.SIGTERM]()
            return 0

        monkeypatch.setattr(command.signal, "signal", handlers.__setitem__)
        monkeypatch.setattr(command, "close_old_connections", lambda: None)
        monkeypatch.setattr(command, "sweep", sweeps)
        call_command("sweep", "--every", "0.001")
        assert (len(rounds), set(handlers)) == (3, {signal.SIGTERM, signal.SIGINT})
        assert Heartbeat.objects.get().part == "sweeper"


class TestLostProcesses:
    @pytest.fixture
    def asked(self, monkeypatch) -> list:
        found: list = []
        monkeypatch.setattr(lost, "connection", SimpleNamespace(close=lambda: found.append("closed")))
        monkeypatch.setattr(lost, "release_lost", lambda *given, **more: found.append((*given, more)))
        return found

    @pytest.mark.parametrize("error", [WorkerLostError("killed"), TimeLimitExceeded(9)])
    def test_their_row_is_freed(self, asked, error):
        lost.release(tasks.read_report, error, ["7"])
        assert asked == [(tasks.read_report.name, "7", {"by_itself": True}), "closed"]

    @pytest.mark.parametrize(("error", "args"), [(RuntimeError("bug"), ["7"]), (WorkerLostError("killed"), [])])
    def test_what_the_task_has_dealt_with_is_left_alone(self, asked, error, args):
        lost.release(tasks.read_report, error, args)
        assert asked == []

    def test_a_database_that_is_away_is_said(self, asked, monkeypatch, caplog):
        def away(*_, **__):
            raise DatabaseError("gone")

        monkeypatch.setattr(lost, "release_lost", away)
        lost.release(tasks.read_report, WorkerLostError("killed"), ["7"])
        name = tasks.read_report.name
        assert [r.getMessage() for r in caplog.records] == [
            f"{name}(7) was killed; its row is free when its lease ends"
        ]
        assert asked == ["closed"]

    @pytest.mark.parametrize(
        ("stop", "end", "stopping"), [(None, None, False), (False, None, False), (0, None, True), (None, 0, True)]
    )
    def test_an_exit_status_says_that_it_stops(self, monkeypatch, stop, end, stopping):
        monkeypatch.setattr(lost.worker_state, "should_stop", stop)
        monkeypatch.setattr(lost.worker_state, "should_terminate", end)
        assert lost._is_stopping() == stopping


class TestTurns:
    def test_the_message_may_name_what_was_given_back(self, report):
        put(report, failures=1, due_at=after(5))
        assert fairness.claim_next(Report, None, "reading", version=7) is None
        assert fairness.claim_next(Report, report.pk, "reading", version=7).attempt == 1
        assert row(report) == {**RUNNING, "failures": 1}

    @pytest.mark.parametrize(("due", "taken"), [(None, True), (0, True), (1, False)])
    def test_what_was_given_back_is_taken_when_it_is_due(self, report, due, taken):
        put(report, interruptions=1, due_at=None if due is None else after(due))
        assert (fairness.claim_next(Report, None, "reading", version=7) is not None) == taken

    def test_an_outdated_row_is_renewed_for_its_message_alone(self, report):
        put(report, state="ready", parser_version=3, due_at=None)
        assert fairness.claim_next(Report, None, "reading", version=7) is None
        held = fairness.claim_next(Report, report.pk, "reading", version=7)
        assert (held.renewing, held.version) == (True, 7)

    def test_patience_is_a_minute(self, report):
        for waited, patient in ((59, 0), (60, 0), (61, 1)):
            put(report, queued_at=after(-waited))
            assert [r.patient for r in fairness._waiting(fairness._kind_of(Report), None)] == [patient]

    @pytest.mark.parametrize(("slots", "limit"), [(1, 1), (2, 1), (4, 2), (5, 2)])
    def test_half_of_the_slots(self, owner, stranger, settings, slots, limit):
        settings.WORKERS = slots
        assert fairness.team_limit() == limit


class TestHeartbeats:
    def test_each_part_of_each_machine_once(self, monkeypatch):
        for host in ("a", "b", "a"):
            monkeypatch.setattr(heartbeats.socket, "gethostname", lambda host=host: host)
            heartbeats.beat("worker")
        assert sorted(Heartbeat.objects.values_list("part", "host", "at")) == [
            ("worker", "a", NOW),
            ("worker", "b", NOW),
        ]
        assert str(Heartbeat.objects.first()) == f"worker on a: {NOW}"

    def test_a_database_that_is_away_is_logged(self, monkeypatch, caplog):
        def away(**_):
            raise DatabaseError("gone")

        monkeypatch.setattr(Heartbeat.objects, "update_or_create", away)
        heartbeats.beat("sweeper")
        assert [r.getMessage() for r in caplog.records] == ["the sign of life of the sweeper was not kept: gone"]

    def test_ages_and_what_is_silent_or_late(self, report, settings):
        settings.AWRDIFF_QUEUE_AGE_LIMIT_S = 100
        Heartbeat.objects.create(part="worker", host="a", at=after(-60))
        Heartbeat.objects.create(part="worker", host="b", at=after(-90))
        put(report, queued_at=after(-100.04))
        assert heartbeats.ages() == {"worker": ("ok", 60.0), "sweeper": ("silent", None), "queue": ("late", 100.0)}
        Heartbeat.objects.update(at=after(-60.06))
        put(report, queued_at=after(-100), state="running")
        assert heartbeats.ages() == {"worker": ("silent", 60.1), "sweeper": ("silent", None), "queue": ("ok", 100.0)}
        put(report, state="failed")
        assert heartbeats.ages()["queue"] == ("ok", None)

    def test_the_workers_loop_beats(self):
        calls: list[tuple] = []
        timer = SimpleNamespace(call_repeatedly=lambda *given: calls.append(given))
        heartbeats.beat_in_the_main_loop(SimpleNamespace(timer=timer))
        assert calls == [(10, heartbeats._beat_once)]
        assert Heartbeat.objects.get().part == "worker"


class TestChores:
    def test_each_when_it_is_due(self, monkeypatch, caplog):
        done, now = [], [1000.0]

        def breaks():
            done.append("b")
            raise RuntimeError

        made = [kinds.Chore("a", 10, lambda: done.append("a")), kinds.Chore("b", 25, breaks)]
        monkeypatch.setattr(chores, "CHORES", made)
        monkeypatch.setattr(chores.time, "monotonic", lambda: now[0])
        turns = chores.Turns()
        for later in (0, 9, 1, 14, 1):
            now[0] += later
            turns.take()
            done.append("|")
        assert "".join(done) == "ab||a|a|b|"
        assert caplog.records[0].getMessage() == "b failed; it is tried again in 25 s"

    def test_nothing_is_registered_twice(self, monkeypatch):
        monkeypatch.setattr(kinds, "KINDS", list(kinds.KINDS))
        monkeypatch.setattr(kinds, "CHORES", [])
        before = len(kinds.KINDS)
        kinds.register(kinds.KINDS[0])
        for _ in range(2):
            kinds.register_chore(kinds.Chore("a", 1, int))
        assert (len(kinds.KINDS), len(kinds.CHORES)) == (before, 1)


class TestSending:
    def test_a_broker_that_refuses_is_not_asked_for_ten_seconds(self, report, monkeypatch, caplog):
        now, asked = [50.0], []

        def refuses(args, **given):
            asked.append((args, given["retry"]))
            raise OSError("no broker")

        monkeypatch.setattr(dispatch.time, "monotonic", lambda: now[0])
        monkeypatch.setattr(tasks.read_report, "apply_async", refuses)
        assert not dispatch.send(tasks.read_report, report.pk)
        name = f"{tasks.read_report.name}({report.pk})"
        assert (
            caplog.records[-1].getMessage() == f"{name} is left to the sweeper, the broker did not take it: no broker"
        )
        now[0] = 59.9
        assert not dispatch.send(tasks.read_report, report.pk)
        assert asked == [((str(report.pk),), False)]
        now[0] = 60.0
        assert not dispatch.send(tasks.read_report, report.pk)
        assert len(asked) == 2

    @pytest.mark.parametrize(
        ("url", "is_redis"), [("redis://h", True), ("rediss://h", True), ("unix:///s", True), ("memory://", False)]
    )
    def test_a_redis_is_known_by_its_address(self, monkeypatch, url, is_redis):
        monkeypatch.setitem(dispatch.app.conf, "broker_url", url)
        assert dispatch._is_redis() == is_redis


class TestBroker:
    @pytest.fixture
    def channel(self, tmp_path):
        from kombu import Connection

        folders = {"data_folder_in": str(tmp_path / "in"), "data_folder_out": str(tmp_path / "in"),
                   "control_folder": str(tmp_path / "control"), "processed_folder": str(tmp_path / "done")}  # fmt: skip
        with Connection(transport=broker.Transport, transport_options=folders) as connection:
            yield connection.channel()

    def test_messages_come_in_the_order_they_were_put_of_their_own_queue(self, channel, tmp_path, monkeypatch):
        moment = iter(range(10**18, 10**18 + 10**9, 10**7))
        monkeypatch.setattr(broker.time, "time_ns", lambda: next(moment))
        for number, queue in enumerate(["a", "b", "a"]):
            channel._put(queue, {"n": number})
        names = sorted(p.name for p in (tmp_path / "in").iterdir())
        assert [n.split("_")[0] for n in names] == [f"{10**12 + 10 * i:015d}" for i in range(3)]
        assert [n.split(".")[1] for n in names] == ["a", "b", "a"]
        assert [channel._get("a"), channel._get("a"), channel._get("b")] == [{"n": 0}, {"n": 2}, {"n": 1}]
        assert list((tmp_path / "in").iterdir()) == []
        with pytest.raises(broker.Empty):
            channel._get("a")

    def test_a_message_that_another_took_is_passed_over(self, channel, tmp_path):
        (tmp_path / "in" / "0001_x.a.msg").symlink_to("gone")
        (tmp_path / "in" / "0001_x.a.msg").unlink()
        channel._put("a", {"n": 1})
        (tmp_path / "in" / ".0002_y.a.msg.part").write_bytes(b"half")
        assert channel._get("a") == {"n": 1}
        with pytest.raises(broker.Empty):
            channel._get("a")


class TestDelivery:
    """What the worker's event loop does every so often."""

    @pytest.fixture
    def transport(self):
        made = object.__new__(broker.Transport)
        made.cycle = None
        return made

    @pytest.mark.parametrize(("options", "every"), [({}, 0.05), ({"polling_interval": 2}, 2)])
    def test_it_is_called_at_its_interval(self, transport, options, every):
        asked = []
        loop = SimpleNamespace(call_repeatedly=lambda *given: asked.append(given))
        connection = SimpleNamespace(client=SimpleNamespace(transport_options=options))
        transport.register_with_event_loop(connection, loop)
        assert asked == [(every, transport._deliver_waiting)]

    def test_all_that_waits_is_delivered_and_trouble_is_said_once(self, transport, caplog):
        transport._deliver_waiting()
        outcomes = [
            None,
            None,
            broker.Empty(),
            OSError("gone"),
            broker.ChannelError("gone"),
            None,
            broker.Empty(),
            ValueError(),
        ]

        def get(deliver):
            assert deliver == transport._deliver
            outcome = outcomes.pop(0)
            if outcome is not None:
                raise outcome

        transport.cycle, transport._deliver = SimpleNamespace(get=get), print
        seen = []
        while outcomes:
            transport._deliver_waiting()
            seen.append((len(outcomes), transport.failing, len(caplog.records)))
        assert seen == [(5, False, 0), (4, True, 1), (3, True, 1), (1, False, 1), (0, True, 2)]
        assert caplog.records[0].getMessage() == "the broker's folder cannot be read; trying again"
        assert caplog.records[0].exc_info


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
