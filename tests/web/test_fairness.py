"""Whose row is next: no team waits for another's files, no file for larger ones, and nothing is left lying."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import tasks as comparison_tasks
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.services import create_comparison
from awrdiff.processing import dispatch, fair_scheduling, sweeper
from awrdiff.processing.models import State
from awrdiff.processing.work_claims import Claim, claim, enqueue_values
from awrdiff.reports import tasks
from awrdiff.reports.models import SEVERAL, Report
from tests.web.conftest import context_of, store_report

pytestmark = pytest.mark.django_db
KINDS = {"reports.read": Report, "comparisons.compute": Comparison}


@pytest.fixture(autouse=True)
def four_slots(settings):
    settings.WORKERS = 4


@pytest.fixture
def queue(monkeypatch) -> list[tuple[type, str]]:
    """Messages in the broker, by the model they are for."""
    found: list[tuple[type, str]] = []
    for task, model in ((tasks.read_report, Report), (comparison_tasks.compute_comparison, Comparison)):
        monkeypatch.setattr(task, "apply_async", lambda args, model=model, **_: found.append((model, args[0])))
    return found


def waiting(access: AccessContext, size: int, name: str = "a.html", **values) -> Report:
    given = {**enqueue_values(), **values}
    return Report.objects.create(team=access.team, name=name, size=size, sha256=name, file=name, **given)


def take(pk: object = None) -> Claim | None:
    return fair_scheduling.claim_next(Report, pk, "reading", version=1)


def name_of(held: Claim | None) -> str | None:
    return None if held is None else Report.objects.get(pk=held.pk).name


class Workers:
    """Workers that take turns: each step, a free one takes a message, or a busy one ends its row."""

    def __init__(self, queue: list[tuple[type, str]], slots: int) -> None:
        self.queue, self.slots = queue, slots
        self.busy: list[Claim] = []
        self.sent_before: dict[object, Counter[str]] = {}
        self.begun: list[str] = []
        self.most: Counter[int] = Counter()

    def run(self) -> None:
        while self.queue or self.busy:
            self._fill()
            if self.busy:
                self._end(self.busy.pop(random.Random(len(self.begun)).randrange(len(self.busy))))

    def _fill(self) -> None:
        while self.queue and len(self.busy) < self.slots:
            model, pk = self.queue.pop(0)
            before = dispatch.sent.copy()
            held = fair_scheduling.claim_next(model, pk, "working", version=1)
            if held is not None:
                self.sent_before[held.pk] = before
                self.busy.append(held)
                self.begun.append(str(held.pk))
                now = Counter(h.model.objects.get(pk=h.pk).team_id for h in self.busy)
                self.most |= now

    def _end(self, held: Claim) -> None:
        held.finish()
        if held.model is Report:
            comparison_tasks.report_settled(held.pk)
        fair_scheduling.pass_on(self.sent_before.pop(held.pk))


def test_the_smallest_goes_first_and_of_the_same_size_the_oldest(owner):
    long_ago = timezone.now() - timedelta(seconds=5)
    for size, name, queued in ((9, "large", long_ago), (2, "new", timezone.now()), (2, "old", long_ago)):
        waiting(owner, size, name, queued_at=queued)
    assert [name_of(take()) for _ in range(4)] == ["old", "new", "large", None]


def test_what_has_waited_long_waits_for_no_smaller_one(owner):
    long_ago = timezone.now() - timedelta(seconds=fair_scheduling.PATIENCE_S + 1)
    waiting(owner, 1, "small")
    waiting(owner, 9, "large", queued_at=long_ago)
    assert name_of(take()) == "large"


def test_somebodys_two_files_wait_for_none_of_an_import_but_those_that_are_being_read(owner, stranger, reports, queue):
    long_ago = timezone.now() - timedelta(seconds=10 * fair_scheduling.PATIENCE_S)
    for number in range(60):  # smaller, and waiting for long
        waiting(owner, 1, f"{number}.html", in_bulk=True, queued_at=long_ago)
    fair_scheduling.pass_on()
    workers = Workers(queue, 2)
    workers._fill()
    under_way = len(workers.busy)
    own = [waiting(owner, 9 << 20, name) for name in ("first.html", "second.html")]
    other = waiting(stranger, 60 << 20, "theirs.html", in_bulk=True)
    queue += [(Report, str(row.pk)) for row in (*own, other)]
    workers.run()
    assert workers.begun.index(str(other.pk)) <= under_way + 2
    places = sorted(workers.begun.index(str(row.pk)) for row in own)
    assert places[1] <= under_way + 2, "and the other team's, which has its own turn"
    assert len(workers.begun) == 63


def test_what_came_in_bulk_leaves_one_process_to_what_somebody_waits_for(owner, stranger, reports, settings):
    settings.WORKERS = 2
    for access, number in ((owner, 1), (stranger, 2), (owner, 3), (stranger, 4)):
        waiting(access, number, f"{number}.html", in_bulk=True)
    assert [take() is not None for _ in range(3)] == [True, True, False]
    assert not fair_scheduling.has_room_for_bulk()
    own = waiting(owner, 60 << 20, "own.html")
    assert name_of(take()) == own.name, "though its team has its half under way"
    made = create_comparison(owner, reports, order_by_time=False)
    assert fair_scheduling.claim_next(Comparison, str(made.pk), "comparing", version=1) is None, (
        "own counts against own"
    )
    Report.objects.filter(name="1.html").update(state=State.READY, lease_until=None)
    assert fair_scheduling.has_room_for_bulk()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite a transaction that writes is alone")
@pytest.mark.parametrize("in_bulk", [True, False])
def test_workers_begin_what_came_in_bulk_one_after_the_other_whichever_team_it_is_of(owner, in_bulk):
    waiting(owner, 1, in_bulk=in_bulk)
    assert take()
    other = connection.copy()  # another worker, while the transaction of this one goes on
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [fair_scheduling._BULK_LOCK])
            assert cursor.fetchone() == (not in_bulk,)
    finally:
        other.close()


def test_no_message_is_sent_for_what_came_in_bulk_while_there_is_no_room_for_it(owner, settings, queue):
    settings.WORKERS = 1
    rows = [waiting(owner, n + 1, f"{n}.html", in_bulk=True, due_at=timezone.now()) for n in range(3)]
    fair_scheduling.pass_on()
    assert take(queue.pop()[1]).pk == rows[0].pk
    with TestCase.captureOnCommitCallbacks(execute=True):
        fair_scheduling.wake_on_commit(tasks.read_report, [rows[1].pk], in_bulk=True)
    assert queue == []
    with TestCase.captureOnCommitCallbacks(execute=True):
        fair_scheduling.wake_on_commit(tasks.read_report, [rows[1].pk])
    assert [pk for _, pk in queue] == [str(rows[1].pk)]
    queue.clear()
    fair_scheduling.pass_on()
    sweeper.sweep()
    assert queue == []
    waiting(owner, 9, "own.html", due_at=timezone.now())
    assert sweeper.sweep() == 1
    Report.objects.filter(pk=rows[0].pk).update(state=State.READY, lease_until=None)
    queue.clear()
    fair_scheduling.pass_on()
    assert len(queue) == 1


def test_what_a_comparison_is_asked_of_is_read_before_what_came_with_it(owner, reports):
    rows = [waiting(owner, 1, f"{n}.html", in_bulk=True) for n in range(4)]
    create_comparison(owner, [reports[0], rows[3]], order_by_time=True)
    assert [name_of(take()) for _ in range(2)] == ["3.html", "0.html"]


def test_the_team_with_fewer_rows_under_way_comes_first(owner, stranger):
    waiting(owner, 1, "a1"), waiting(owner, 1, "a2"), waiting(stranger, 50, "b1")
    assert [name_of(take()) for _ in range(3)] == ["a1", "b1", "a2"]


@pytest.mark.parametrize(("slots", "limit"), [(1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
def test_a_team_has_half_of_the_slots_and_at_least_one(owner, stranger, settings, slots, limit):
    settings.WORKERS = slots
    for number in range(8):
        waiting(owner, number + 1)
    assert [take() is not None for _ in range(6)] == [True] * limit + [False] * (6 - limit)


def test_what_another_worker_begins_between_look_and_claim_counts(owner, stranger, monkeypatch):
    rows = [waiting(owner, number + 1) for number in range(4)]
    look = fair_scheduling._in_turn

    def look_and_be_late(*args):
        teams = look(*args)
        for row in rows[:2]:
            claim(Report, row.pk, "reading")
        return teams

    monkeypatch.setattr(fair_scheduling, "_in_turn", look_and_be_late)
    assert take() is None


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the words of SQLite's plans")
def test_a_turn_is_as_quick_however_many_wait_and_however_many_are_read(owner, queue):
    given = {**enqueue_values(), "team": owner.team, "in_bulk": True}
    rows = [Report(name=str(n), size=n % 97, sha256=str(n), file=str(n), **given) for n in range(1500)]
    Report.objects.bulk_create(rows)
    Report.objects.filter(pk__in=[row.pk for row in rows[:500]]).update(state=State.READY)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with CaptureQueriesContext(connection) as asked:
        assert take() is not None
        fair_scheduling.pass_on()
    looked = [one["sql"] for one in asked if one["sql"].startswith("SELECT")]
    assert len(looked) <= 14
    with connection.cursor() as cursor:
        for sql in looked:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"), [])
            steps = [step[-1] for step in cursor.fetchall()]
            scans = [s for s in steps if s in ("SCAN reports_report", "SCAN U0") or "report_recent" in s]
            assert not scans, f"{scans}: {sql}"


def test_one_team_alone_has_all_slots(owner):
    for number in range(8):
        waiting(owner, number + 1)
    assert all(take() for _ in range(8))


def test_comparisons_and_reports_count_together(owner, stranger, reports):
    made = [create_comparison(owner, reports, order_by_time=False) for _ in range(3)]
    waiting(owner, 1)
    assert take() is not None
    assert fair_scheduling.claim_next(Comparison, made[0].pk, "comparing", version=1) is not None
    assert fair_scheduling.claim_next(Comparison, made[1].pk, "comparing", version=1) is None


def test_a_comparison_whose_reports_are_not_read_is_not_taken(owner, reports):
    first = create_comparison(owner, [reports[0], waiting(owner, 1)], order_by_time=False)
    second = create_comparison(owner, reports, order_by_time=False)
    held = fair_scheduling.claim_next(Comparison, first.pk, "comparing", version=1)
    assert held is not None
    assert held.pk == second.pk
    assert fair_scheduling.claim_next(Comparison, first.pk, "comparing", version=1) is None


def test_a_row_whose_worker_is_dead_takes_no_slot_for_ever(owner, stranger):
    past = timezone.now() - timedelta(seconds=1)
    for number in range(3):
        waiting(owner, number + 1, state=State.RUNNING, attempt=1, lease_until=past)
    waiting(owner, 9, "next")
    assert take() is not None


def test_what_was_given_back_waits_for_its_own_message(owner):
    row = waiting(owner, 1)
    take().give_back()
    assert take() is None
    assert name_of(take(str(row.pk))) == row.name


def test_what_was_tried_too_often_keeps_no_other_waiting(owner):
    worn = waiting(owner, 1, failures=django_settings.TASK_MAX_FAILURES, due_at=None)
    waiting(owner, 9, "next")
    assert name_of(take()) == "next"
    worn.refresh_from_db()
    assert worn.error_code == "gave-up"


@pytest.fixture
def thirty_and_one(owner, stranger, queue) -> Iterator[tuple[list[Report], Report]]:
    large = [waiting(owner, 60 << 20, f"{n}.html") for n in range(30)]
    small = waiting(stranger, 1 << 20, "small.html")
    queue += [(Report, str(r.pk)) for r in [*large, small]]
    return large, small


def test_thirty_large_files_of_one_team_do_not_delay_anothers(thirty_and_one, queue):
    """The small one is begun while the first large ones are, though its message came last."""
    _, small = thirty_and_one
    workers = Workers(queue, 4)
    workers.run()
    assert str(small.pk) in workers.begun[:3]


def test_the_limit_holds_and_nothing_is_left_when_workers_idle(thirty_and_one, queue, owner, stranger):
    workers = Workers(queue, 4)
    workers.run()
    assert workers.most == {owner.team.pk: 2, stranger.team.pk: 1}
    assert Counter(workers.begun).most_common(1)[0][1] == 1
    assert len(workers.begun) == 31
    assert not Report.objects.exclude(state=State.READY).exists()


def test_comparisons_that_were_turned_away_are_sent_when_there_is_room(owner, stranger, reports, queue):
    others = [store_report(owner, f"other{n}.html") for n in range(6)]
    made = [create_comparison(owner, [reports[0], other], order_by_time=False) for other in others]
    rows = [waiting(owner, n + 1, f"{n}.html") for n in range(6)]
    queue += [(Comparison, str(c.pk)) for c in made] + [(Report, str(r.pk)) for r in rows]
    workers = Workers(queue, 4)
    workers.run()
    assert workers.most == {owner.team.pk: 2}
    assert len(workers.begun) == 12


def test_a_comparison_is_announced_by_whoever_reads_the_last_of_its_reports_and_by_nobody_else(owner, queue):
    pair = [waiting(owner, number + 1, f"{number}.html") for number in range(2)]
    with TestCase.captureOnCommitCallbacks(execute=True):
        made = create_comparison(owner, pair, order_by_time=False)
    assert queue == []
    before = dispatch.sent.copy()
    queue += [(Report, str(row.pk)) for row in pair]
    workers = Workers(queue, 2)
    workers.run()
    assert workers.begun[-1] == str(made.pk)
    assert dispatch.sent["comparisons.compute"] - before["comparisons.compute"] == 1


def test_a_comparison_of_reports_that_are_read_is_announced_at_once(owner, reports, queue):
    with TestCase.captureOnCommitCallbacks(execute=True):
        made = create_comparison(owner, reports, order_by_time=False)
    assert queue == [(Comparison, str(made.pk))]


def test_the_sweeper_brings_back_what_has_no_message(owner, stranger, queue):
    for number in range(5):
        waiting(owner, number + 1, due_at=timezone.now() - timedelta(seconds=1))
    sweeper.sweep()
    workers = Workers(queue, 4)
    workers.run()
    assert len(workers.begun) == 5


def test_one_team_alone_passes_on_what_waits_and_nothing_where_nothing_does(owner, queue):
    made = waiting(owner, 1)
    fair_scheduling.pass_on()
    assert [str(pk) for _, pk in queue] == [str(made.pk)]
    queue.clear()
    take()
    fair_scheduling.pass_on()
    assert queue == []


def test_what_was_given_back_a_moment_ago_is_not_passed_on(owner, queue):
    waiting(owner, 1)
    held = take()
    held.wait()
    fair_scheduling.pass_on()
    assert queue == []


def test_rows_without_a_message_of_their_own_are_all_taken(owner, queue):
    for number in range(9):
        waiting(owner, number + 1)
    fair_scheduling.pass_on()
    workers = Workers(queue, 1)
    workers.run()
    assert len(workers.begun) == 9


def test_a_comparison_that_must_still_wait_leaves_its_message_to_another(owner, reports, queue, monkeypatch):
    monkeypatch.setattr(comparison_tasks, "_work_on", lambda held: found.append(held.pk))
    found: list[object] = []
    unread = create_comparison(owner, [reports[0], waiting(owner, 1)], order_by_time=False)
    comparison_tasks.compute_comparison(str(unread.pk))
    assert found == []
    other = create_comparison(owner, reports, order_by_time=False)
    comparison_tasks.compute_comparison(str(unread.pk))
    assert found == [other.pk]


def test_a_comparison_waits_for_the_reports_in_a_file_of_several(owner, reports, queue):
    parent = store_report(owner, "several.txt")
    part = waiting(owner, 1, "part", parent=parent)
    Report.objects.filter(pk=parent.pk).update(kind=SEVERAL)
    made = create_comparison(owner, [reports[0], parent], order_by_time=False)
    comparison_tasks.compute_comparison(str(made.pk))
    assert Comparison.objects.get().attempt == 0
    Report.objects.filter(pk=part.pk).update(state=State.READY, stored_format=0)
    comparison_tasks.compute_comparison(str(made.pk))
    assert Comparison.objects.get().attempt == 0
    Report.objects.filter(pk=part.pk).update(state=State.FAILED)
    comparison_tasks.compute_comparison(str(made.pk))
    assert Comparison.objects.get().attempt == 1


def test_read_now_reads_this_very_report(owner, monkeypatch):
    waiting(owner, 1, "other")
    wanted = waiting(owner, 9, "wanted")
    read = []
    monkeypatch.setattr(tasks, "_read", lambda held: read.append(held.pk))
    tasks.read_now(wanted.pk)
    assert read == [wanted.pk]


def test_the_task_reads_what_is_next(owner, monkeypatch):
    small, large = waiting(owner, 1, "small"), waiting(owner, 9, "large")
    read = []
    monkeypatch.setattr(tasks, "_read", lambda held: read.append(held.pk))
    tasks.read_report(str(large.pk))
    assert read == [small.pk]


def test_a_second_team_needs_work_of_its_own_to_have_a_turn(owner):
    context_of("nina", "Nobody's files")
    waiting(owner, 1, "a")
    assert name_of(take()) == "a"
