"""What is around the rows: sweeper, chores, signs of life, the broker's folder, sending; at a clock that stands still."""

# ruff: noqa: F811 - a fixture that is imported is an argument of the same name

from __future__ import annotations

import logging
import signal
from collections import defaultdict
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError

from awrdiff import disk_space, logs
from awrdiff.comparisons.tasks import compute_comparison
from awrdiff.processing import dispatch, fair_scheduling, heartbeats, sweeper, work_claims, work_kinds
from awrdiff.processing.management.commands import sweep as command
from awrdiff.processing.models import Heartbeat
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from parsers import PARSER_VERSION
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

    def test_what_failed_too_often_is_settled_by_this_version_and_what_follows_is_sent(self, owner, report, sent):
        next_ = store_report(owner, "next.html")
        put(report, failures=3, due_at=None, created_at=after(-9))
        put(next_, state="pending", created_at=after(-8))
        assert sweeper.sweep() == 1
        found = row(report)
        assert (found["state"], found["parser_version"], sent) == ("failed", PARSER_VERSION, [str(next_.pk)])

    def test_what_a_worker_took_meanwhile_is_not_sent(self, report, sent, monkeypatch):
        put(report, due_at=None)
        monkeypatch.setattr(sweeper, "give_up", lambda *_: claimed(report) is None)
        assert sweeper.sweep() == 0
        assert (row(report), sent) == (RUNNING, [])

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

    @pytest.mark.parametrize(("task", "freed"), [("7", True), ("8", False)])
    def test_the_row_that_a_lost_task_found_alone(self, report, task, freed):
        with logs.bound(task_id="7"):
            claimed(report)
        sweeper.release_lost(task)
        assert (row(report)["state"], row(report)["failures"]) == (("pending", 1) if freed else ("running", 0))

    def test_not_the_row_that_its_message_was_sent_for(self, owner, report):
        smaller = store_report(owner, "smaller.html")
        Report.objects.filter(pk=smaller.pk).update(size=1, **work_claims.enqueue_values())
        with logs.bound(task_id="7"):
            assert fair_scheduling.claim_next(Report, str(report.pk), "reading", version=7).pk == smaller.pk
        with logs.bound(task_id="8"):
            assert fair_scheduling.claim_next(Report, str(smaller.pk), "reading", version=7).pk == report.pk
        sweeper.release_lost("7")
        assert [(row(one)["state"], row(one)["failures"]) for one in (smaller, report)] == [
            ("pending", 1),
            ("running", 0),
        ]


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def heard(self, caplog):
        caplog.set_level(logging.INFO)

    def logged(self, caplog) -> list[str]:
        return [r.getMessage() for r in caplog.records if r.name == "awrdiff.processing.sweep"]

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (DatabaseError("gone"), "The database did not answer: gone Next round in 2.5 s."),
            (OSError(28, "full"), f"{disk_space.SENTENCE} Next round in 2.5 s."),
        ],
    )
    def test_a_round_that_fails_is_said_and_is_not_the_last(self, monkeypatch, caplog, error, said):
        def fails():
            raise DatabaseError(*error.args) from error

        monkeypatch.setattr(command, "sweep", fails)
        monkeypatch.setattr(disk_space, "is_no_room", lambda found: isinstance(found.__cause__, OSError))
        monkeypatch.setattr(command.connection, "close", lambda: None)
        call_command("sweep", "--once", "--every", "2.5")
        assert self.logged(caplog) == [said]

    def test_what_was_sent_is_counted(self, report, sent, caplog):
        put(report, due_at=None)
        call_command("sweep", "--once")
        call_command("sweep", "--once")
        assert self.logged(caplog) == ["sent 1 rows to the workers again"]
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

    def test_the_main_process_of_a_worker_keeps_no_connection_for_those_it_forks(self, monkeypatch):
        closed: list[bool] = []
        monkeypatch.setattr(heartbeats, "connection", SimpleNamespace(close=lambda: closed.append(True)))
        heartbeats.beat_once("worker")
        assert closed == [True]
        assert Heartbeat.objects.get().part == "worker"


class TestChores:
    def test_each_when_it_is_due(self, monkeypatch, caplog):
        done, now = [], [1000.0]

        def breaks():
            done.append("b")
            raise RuntimeError

        made = [work_kinds.Chore("a", 10, lambda: done.append("a")), work_kinds.Chore("b", 25, breaks)]
        monkeypatch.setattr(sweeper, "CHORES", made)
        monkeypatch.setattr(sweeper.time, "monotonic", lambda: now[0])
        turns = sweeper.Turns()
        for later in (0, 9, 1, 14, 1):
            now[0] += later
            turns.take()
            done.append("|")
        assert "".join(done) == "ab||a|a|b|"
        assert caplog.records[0].getMessage() == "b failed; it is tried again in 25 s"

    def test_sessions_that_expired_go_once_a_day(self, monkeypatch):
        monkeypatch.setattr(work_kinds, "CHORES", [])
        apps.get_app_config("processing").ready()
        (chore,) = work_kinds.CHORES
        assert chore == work_kinds.Chore("clearing expired sessions", 24 * 3600, sweeper.clear_sessions)

    def test_nothing_is_registered_twice(self, monkeypatch):
        monkeypatch.setattr(work_kinds, "KINDS", list(work_kinds.KINDS))
        monkeypatch.setattr(work_kinds, "CHORES", [])
        before = len(work_kinds.KINDS)
        work_kinds.register(work_kinds.KINDS[0])
        for _ in range(2):
            work_kinds.register_chore(work_kinds.Chore("a", 1, int))
        assert (len(work_kinds.KINDS), len(work_kinds.CHORES)) == (before, 1)


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

    def test_a_connection_that_others_have_is_waited_for_a_moment(self, report, monkeypatch):
        asked = []

        class Pool:
            def acquire(self, **given):
                asked.append(given)
                return nullcontext("a producer")

        monkeypatch.setattr(dispatch, "producers", defaultdict(Pool))
        monkeypatch.setattr(tasks.read_report, "apply_async", lambda _, **given: asked.append(given["producer"]))
        assert dispatch.send(tasks.read_report, report.pk)
        assert asked == [{"block": True, "timeout": 0.4}, "a producer"]

    def test_what_a_transaction_writes_is_sent_when_it_ends(self, report, sent, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            dispatch.send_on_commit(tasks.read_report, report.pk)
            assert sent == []
        assert sent == [str(report.pk)]

    @pytest.mark.parametrize(
        ("url", "is_redis"), [("redis://h", True), ("rediss://h", True), ("unix:///s", True), ("memory://", False)]
    )
    def test_a_redis_is_known_by_its_address(self, monkeypatch, url, is_redis):
        monkeypatch.setitem(dispatch.app.conf, "broker_url", url)
        assert dispatch._is_redis() == is_redis


class TestHowManyMessages:
    """A message says only that there is work: of one kind no more wait than two for each slot."""

    @pytest.fixture(params=["folder", pytest.param("redis", marks=pytest.mark.redis)])
    def waiting(self, request, tmp_path, monkeypatch, settings):
        settings.WORKERS = 3
        conf = dispatch.app.conf
        folders = {f"data_folder_{way}": str(tmp_path / "messages") for way in ("in", "out")}
        folders |= {"control_folder": str(tmp_path / "control")}
        url, options = "awrdiff-files://localhost//", folders
        if request.param == "redis":
            url, options = request.getfixturevalue("redis").url, {}
        monkeypatch.setitem(conf, "broker_url", url)
        monkeypatch.setitem(conf, "broker_transport_options", options)
        monkeypatch.setitem(conf, "task_always_eager", False)
        monkeypatch.setitem(conf, "task_default_queue", f"test-{request.param}")
        monkeypatch.setattr(dispatch, "_asked_again_at", 0.0)
        with dispatch.app.connection_for_write(url) as connection:
            channel = connection.channel()
            if request.param == "redis":
                channel.client.delete(conf.task_default_queue)

            def count() -> int:
                if request.param == "folder":
                    return len(list((tmp_path / "messages").glob("[0-9]*.msg")))
                return int(channel.client.llen(conf.task_default_queue))

            yield count

    def test_a_bounded_number_for_many_rows_and_of_each_kind(self, waiting):
        assert [dispatch.wake(tasks.read_report, n) for n in range(40)] == [True] * 6 + [False] * 34
        assert waiting() == 6
        assert [dispatch.wake(compute_comparison, n) for n in range(40)].count(True) == 6
        assert waiting() == 12

    def test_what_acts_on_its_own_row_is_sent_whatever_waits(self, waiting):
        for number in range(7):
            dispatch.wake(tasks.read_report, number)
        assert [dispatch.send(tasks.read_report, n) for n in range(9)] == [True] * 9
        assert waiting() == 15

    def test_messages_of_another_kind_are_not_counted(self, waiting):
        for number in range(9):
            dispatch.send(compute_comparison, number)
        assert dispatch.wake(tasks.read_report, 1)

    def test_a_due_row_stays_due_while_enough_messages_wait(self, report, waiting):
        for number in range(6):
            dispatch.wake(tasks.read_report, number)
        put(report, due_at=after(-1), failures=1)
        assert sweeper.sweep() == 0
        assert row(report)["due_at"] == after(-1)


class TestBroker:
    @pytest.fixture
    def channel(self, tmp_path):
        from kombu import Connection

        kept = tmp_path / "var" / "broker"  # nobody has made it
        folders = {"data_folder_in": str(kept / "in"), "data_folder_out": str(kept / "in"),
                   "control_folder": str(kept / "control"), "processed_folder": str(tmp_path / "done")}  # fmt: skip
        with Connection(transport=dispatch.Transport, transport_options=folders) as connection:
            yield connection.channel()

    def test_messages_come_in_the_order_they_were_put_of_their_own_queue(self, channel, tmp_path, monkeypatch):
        moment = iter(range(10**18, 10**18 + 10**9, 10**7))
        monkeypatch.setattr(dispatch.time, "time_ns", lambda: next(moment))
        for number, queue in enumerate(["a", "b", "a"]):
            channel._put(queue, {"n": number})
        names = sorted(p.name for p in (tmp_path / "var/broker/in").iterdir())
        assert [n.split("_")[0] for n in names] == [f"{10**12 + 10 * i:015d}" for i in range(3)]
        assert [n.split(".")[1] for n in names] == ["a", "b", "a"]
        assert [channel._get("a"), channel._get("a"), channel._get("b")] == [{"n": 0}, {"n": 2}, {"n": 1}]
        assert list((tmp_path / "var/broker/in").iterdir()) == []
        with pytest.raises(dispatch.Empty):
            channel._get("a")

    def test_a_message_that_another_took_is_passed_over(self, channel, tmp_path, monkeypatch):
        (tmp_path / "var/broker/in" / "0001_x.a.msg").touch()
        channel._put("a", {"n": 1})
        rename = Path.rename

        def taken_before(path, to):
            if path.name == "0001_x.a.msg":
                path.unlink()
            return rename(path, to)

        monkeypatch.setattr(Path, "rename", taken_before)
        (tmp_path / "var/broker/in" / ".0002_y.a.msg.part").write_bytes(b"half")
        assert channel._get("a") == {"n": 1}
        with pytest.raises(dispatch.Empty):
            channel._get("a")


class TestDelivery:
    """What the worker's event loop does every so often."""

    @pytest.fixture
    def transport(self):
        made = object.__new__(dispatch.Transport)
        made.cycle = None
        return made

    @pytest.mark.parametrize(("options", "every"), [({}, 0.05), ({"polling_interval": 2}, 2)])
    def test_it_is_called_at_its_interval(self, transport, options, every):
        asked = []
        loop = SimpleNamespace(call_repeatedly=lambda *given: asked.append(given))
        connection = SimpleNamespace(client=SimpleNamespace(transport_options=options))
        transport.register_with_event_loop(connection, loop)
        assert asked == [(every, transport._deliver_waiting)]

    def test_a_task_that_ends_is_followed_at_once_by_what_waits(self, tmp_path):
        from kombu import Connection

        soon: list[object] = []
        folders = {f"data_folder_{way}": str(tmp_path) for way in ("in", "out")} | {"control_folder": str(tmp_path)}
        with Connection(transport=dispatch.Transport, transport_options=folders) as connection:
            channel = connection.channel()
            channel.basic_ack("none: this process has no event loop")
            loop = SimpleNamespace(call_repeatedly=lambda *_: None, call_soon=soon.append)
            channel.connection.register_with_event_loop(SimpleNamespace(client=connection), loop)
            channel.basic_ack("another")
            assert soon == [channel.connection._deliver_waiting]

    def test_all_that_waits_is_delivered_and_trouble_is_said_once(self, transport, caplog):
        transport._deliver_waiting()
        outcomes = [
            None,
            None,
            dispatch.Empty(),
            OSError("gone"),
            dispatch.ChannelError("gone"),
            None,
            dispatch.Empty(),
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
