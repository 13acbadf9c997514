"""A new version of parsers or engine: the old result is shown until the new one is there, and never downwards.

`Version` plays a process of another version: everything of the project that says which version it is, is patched.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from awrdiff.comparisons import models, services, tasks
from awrdiff.comparisons.models import Comparison
from awrdiff.processing import sweeper, work_claims
from awrdiff.processing.models import State
from awrdiff.reports import parser_version as report_versions
from awrdiff.reports import services as report_services
from awrdiff.reports import tasks as report_tasks
from awrdiff.reports.models import Report
from parsers import PARSER_VERSION, UnsupportedReport
from tests.web.builders import small_report
from tests.web.conftest import store_report
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
OLD, NEW = PARSER_VERSION, PARSER_VERSION + 5


@pytest.fixture
def process(monkeypatch) -> Callable:
    """`with process(9):` is a process whose parsers have version 9."""

    @contextmanager
    def running(parser: int, engine: int = models.ENGINE_VERSION):
        with monkeypatch.context() as patch:
            patch.setattr(report_versions, "PARSER_VERSION", parser)
            patch.setattr(models, "ENGINE_VERSION", engine)
            yield

    return running


@pytest.fixture(autouse=True)
def work(settings, tmp_path, monkeypatch, reports) -> list[tuple[str, str]]:
    """What was sent to the workers; the stored files of the reports are there and can be read."""
    settings.MEDIA_ROOT = tmp_path
    for report in reports:
        default_storage.save(report.file, ContentFile(b"the report"))
    monkeypatch.setattr(report_tasks, "parse_report", lambda data, name: small_report(name, waits=777.0))
    sent: list[tuple[str, str]] = []
    for task in (report_tasks.read_report, tasks.compute_comparison):
        monkeypatch.setattr(task, "apply_async", lambda args, task=task, **_: sent.append((task.name, args[0])))
    return sent


def deliver(sent: list[tuple[str, str]], most: int = 20) -> None:
    """The workers, until nothing is left."""
    by_name = {task.name: task for task in (report_tasks.read_report, tasks.compute_comparison)}
    for _ in range(most):
        if not sent:
            return
        name, pk = sent.pop(0)
        by_name[name](pk)
    pytest.fail("it never ends")


def rows() -> list[tuple[str, int, int]]:
    """State, attempt and version of everything."""
    return [
        (row.state, row.attempt, row.version)
        for model in (Report, Comparison)
        for row in model.objects.order_by("created_at")
    ]


def page(client: Client, comparison: Comparison) -> str:
    answer = client.get(f"/comparisons/{comparison.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def test_everything_is_renewed_in_the_background_and_shown_meanwhile(client, comparison, work, process, owner):
    link = create_link(owner, comparison, days=1)[1]
    paths = [f"/comparisons/{comparison.pk}/", link, f"/reports/{comparison.reports.first().pk}/"]
    with process(NEW):
        sweeper.sweep()
        assert len(work) == 1  # one at a time
        while work:
            assert all(state == "ready" for state, *_ in rows())
            for path in paths:
                assert client.get(path, headers=JSON).json()["state"] == "ready"
            assert "being renewed" in page(client, comparison)
            assert "being renewed" in client.get(link).content.decode()
            deliver([work.pop(0)])
        assert "being renewed" not in page(client, comparison)
        assert [r.parser_version for r in Report.objects.all()] == [NEW, NEW]
        comparison.refresh_from_db()
        assert models.version_in_words(comparison.engine_version) == f"{NEW}.{models.ENGINE_VERSION}"
        section = client.get(f"/comparisons/{comparison.pk}/sections/foreground_wait_events/", headers=JSON).json()
        assert "777" in str(section["rows"])
        sweeper.sweep()
        assert work == []


def test_the_reports_come_before_the_comparison_made_of_them(comparison, work, process):
    with process(NEW):
        sweeper.sweep()
        order = []
        while work:
            order.append(work[0][0])
            deliver([work.pop(0)])
    assert order == ["reports.read", "reports.read", "comparisons.compute"]


def test_new_uploads_come_first(owner, comparison, work, process):
    waiting = store_report(owner, "new.html")
    Report.objects.filter(pk=waiting.pk).update(**work_claims.enqueue_values())
    with process(NEW):
        sweeper.sweep()
        assert work == []
        Report.objects.filter(pk=waiting.pk).update(state=State.READY, due_at=None)
        sweeper.sweep()
        assert len(work) == 1


def test_a_file_that_is_gone_keeps_what_was_read_of_it(client, comparison, work, process):
    for report in Report.objects.all():
        default_storage.delete(report.file)
    with process(NEW):
        sweeper.sweep()
        deliver(work)
        report = Report.objects.first()
        assert (report.state, report.parser_version) == (State.READY, OLD)
        seen = client.get(f"/reports/{report.pk}/").content.decode()
        assert "could not be renewed" in seen
        assert "no longer in the server" in seen
        comparison.refresh_from_db()  # the engine made the best of what there is
        assert (comparison.state, comparison.version) == (State.READY, models.current_version())
        before = rows()
        sweeper.sweep()
        deliver(work)
        assert rows() == before


def test_a_renewal_that_fails_keeps_the_old_result_and_says_so(client, comparison, work, process, monkeypatch, owner):
    link = create_link(owner, comparison, days=1)[1]

    def fall_over(held):
        raise ZeroDivisionError

    with process(OLD, engine=999), monkeypatch.context() as broken:
        broken.setattr(tasks, "_compute", fall_over)
        for _ in range(5):
            Comparison.objects.update(due_at=None)  # time goes by
            sweeper.sweep()
            deliver(work)
        comparison.refresh_from_db()
        assert (comparison.state, comparison.attempt, comparison.renewal_tried) == (
            State.READY,
            4,
            models.current_version(),
        )
        assert "could not be renewed" in page(client, comparison)
        assert "3 times" in page(client, comparison)
        shared = client.get(link).content.decode()
        assert "could not be renewed" in shared
        assert "3 times" not in shared
        assert "could not be renewed" in client.get(f"/comparisons/{comparison.pk}/", headers=JSON).json()["renewal"]
        client.post(f"/comparisons/{comparison.pk}/retry/")  # by hand, once the fault is mended
    with process(OLD, engine=999):
        sweeper.sweep()
        deliver(work)
        assert "could not be renewed" not in page(client, comparison)


def test_a_parser_that_refuses_what_an_older_one_read_takes_nothing_away(
    client, comparison, work, process, monkeypatch
):
    def refuse(data, name):
        raise UnsupportedReport("It is no report.", code="not-awr")

    monkeypatch.setattr(report_tasks, "parse_report", refuse)
    with process(NEW):
        sweeper.sweep()
        deliver(work)
        assert {r.state for r in Report.objects.all()} == {State.READY}
        assert "It is no report" in client.get(f"/reports/{Report.objects.first().pk}/").content.decode()


def test_two_versions_side_by_side_leave_each_others_rows_alone(comparison, work, process):
    """Messages go to whoever takes them: both deal with every one, twice."""
    for _ in range(6):
        for version in (OLD, NEW, OLD):
            with process(version):
                sweeper.sweep()
            for mine in (OLD, NEW):
                with process(mine):
                    deliver(list(work))
            work.clear()
            for model in (Report, Comparison):
                model.objects.update(due_at=None)  # time goes by
    assert {version for *_, version in rows()} == {NEW, models.version_number(NEW, models.ENGINE_VERSION)}
    settled = rows()
    assert max(attempt for _, attempt, _ in settled) <= 3
    for _ in range(3):
        for version in (OLD, NEW):
            with process(version):
                sweeper.sweep()
                for report in Report.objects.all():
                    report_tasks.read_report(str(report.pk))
                tasks.compute_comparison(str(comparison.pk))
    assert rows() == settled
    assert work == []


def test_versions_compare_by_number_not_by_letter(comparison, work, process):
    Report.objects.update(parser_version=10)
    Comparison.objects.update(engine_version=models.version_number(10, 1))
    with process(9, engine=99):
        assert not tasks.outdated_comparisons().exists()
        assert not report_tasks.outdated_reports().exists()
        assert work_claims.claim(Comparison, comparison.pk, "comparing", version=models.current_version()) is None
    assert models.version_in_words(models.version_number(10, 1)) == "10.1"


def test_a_slow_renewal_writes_nothing_over_a_newer_one(comparison, process):
    with process(NEW):
        slow = work_claims.claim(Comparison, comparison.pk, "comparing", version=models.current_version())
    assert slow.renewing
    Comparison.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    with process(NEW + 1):
        quick = work_claims.claim(Comparison, comparison.pk, "comparing", version=models.current_version())
        quick.finish(title="RIGHT")
    for late in (lambda: slow.stage("x"), lambda: slow.finish(title="WRONG"), lambda: slow.refuse("x", "x")):
        with pytest.raises(work_claims.Superseded):
            late()
    comparison.refresh_from_db()
    assert (comparison.title, comparison.version) == (
        "RIGHT",
        models.version_number(NEW + 1, models.ENGINE_VERSION),
    )


def test_only_one_of_two_renews(comparison, process):
    with process(NEW):
        assert work_claims.claim(Comparison, comparison.pk, "comparing", version=models.current_version()) is not None
        assert work_claims.claim(Comparison, comparison.pk, "comparing", version=models.current_version()) is None


def test_a_new_comparison_of_reports_that_wait_for_renewal_is_computed_at_once(owner, reports, work, process):
    with process(NEW):
        made = services.create_comparison(owner, reports, order_by_time=False)
        tasks.compute_comparison(str(made.pk))
        made.refresh_from_db()
        assert (made.state, made.version) == (State.READY, models.version_number(OLD, models.ENGINE_VERSION))
        work.clear()
        sweeper.sweep()
        deliver(work)
        made.refresh_from_db()
        assert made.version == models.current_version()


@pytest.mark.parametrize(("code", "again"), [("not-awr", True), ("gave-up", True), (report_tasks.FILE_LOST, False)])
def test_what_older_parsers_refused_is_tried_once_by_newer_ones(owner, work, process, code, again):
    Report.objects.update(state=State.FAILED, error="It is no report.", error_code=code)
    with process(NEW):
        sweeper.sweep()
        assert bool(work) == again
        assert {r.state for r in Report.objects.all()} == {State.FAILED}  # until the outcome
        deliver(work)
        assert {r.state for r in Report.objects.all()} == {State.READY if again else State.FAILED}
        sweeper.sweep()
        assert work == []


def test_a_format_that_cannot_be_read_is_waited_for(client, comparison, work, process, monkeypatch):
    """Only then: what is stored is of no use to this version."""
    for model in (Report, Comparison):
        monkeypatch.setattr(model, "readable_formats", frozenset({2}))
    path = f"/comparisons/{comparison.pk}/"
    assert client.get(path, headers=JSON).json()["state"] == "pending"
    assert client.get(path).status_code == 200
    sweeper.sweep()
    assert work == []  # stored by this version or a newer one: not ours to redo
    with process(NEW):
        sweeper.sweep()
        assert {state for state, *_ in rows()} == {State.PENDING}


def test_a_comparison_of_a_report_without_a_readable_format_waits_for_it(owner, reports, monkeypatch):
    monkeypatch.setattr(Report, "readable_formats", frozenset({2}))
    made = services.create_comparison(owner, reports, order_by_time=False)
    tasks.compute_comparison(str(made.pk))
    made.refresh_from_db()
    assert (made.state, made.attempt) == (State.PENDING, 0)


def test_retrying_a_result_takes_it_away_from_nobody(reports, work):
    report_services.restart([reports[0]])
    assert {r.state for r in Report.objects.all()} == {State.READY}
    assert work == []
