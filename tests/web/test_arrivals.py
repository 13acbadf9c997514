"""New reports are held against their hour: who asked for it is told once, and of nothing that is as ever."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from awrdiff.comparisons import new_report_comparisons, tasks
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Arrival, ArrivalRule, Comparison
from awrdiff.databases import report_assignment
from awrdiff.notices import services as notices
from awrdiff.notices import webhooks
from awrdiff.notices.models import Delivery, Notice
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from tests.web.builders import small_report
from tests.web.conftest import store_parsed

pytestmark = pytest.mark.django_db
MONDAY = datetime(2024, 1, 1, 10, 0)


@pytest.fixture
def rule(owner, colleague) -> ArrivalRule:
    """Carl is told; three Mondays were there before anybody asked for it."""
    for week, waits in enumerate((1000.0, 1100.0, 1200.0)):
        report_of(owner, week, waits)
    report_of(owner, 0, 90_000.0, hours=5)
    new_report_comparisons.choose(owner, ["carl", "nobody"])
    made = ArrivalRule.objects.get()
    Report.objects.update(created_at=made.since - timedelta(hours=1))
    return made


def report_of(access, week: int, waits: float, hours: float = 0) -> Report:
    begin = MONDAY + timedelta(weeks=week, hours=hours)
    return store_parsed(access, small_report(f"{week} {hours} {waits}.html", begin=begin.isoformat(), waits=waits))


def arrive(access, waits: float, week: int = 3, hours: float = 0) -> Report:
    made = report_of(access, week, waits, hours)
    new_report_comparisons.report_settled(made.pk)
    work()
    return made


def work() -> None:
    for pk in Comparison.objects.filter(state=State.PENDING).values_list("pk", flat=True):
        tasks.compute_now(pk)


def sent_notices() -> list[tuple[str, str]]:
    return list(Notice.objects.order_by("pk").values_list("user__username", "what"))


def test_whoever_is_chosen_is_told_of_one_that_lies_outside_with_a_link_to_it(owner, rule):
    report = arrive(owner, 90_000.0)
    assert sent_notices() == [("carl", "arrived")]
    made = Comparison.objects.get()
    assert made.is_ready
    assert not made.provisional, "it stays"
    begun = list(made.places.order_by("position").values_list("report__begin_at", flat=True))
    assert begun == [(MONDAY + timedelta(weeks=n)).isoformat() for n in range(4)], "those of the hour, and it"
    notice = Notice.objects.get()
    assert (notice.kind, notice.thing) == ("comparison", str(made.pk))
    assert "PAY" in notice.about
    assert Arrival.objects.get().report == report


def test_those_before_it_are_of_its_database_also_while_they_are_taken_over(owner, rule):
    made = report_of(owner, 3, 90_000.0)
    report_assignment.report_settled(made.pk)
    other = report_of(owner, 2, 1200.0)
    Report.objects.filter(pk=other.pk).update(dbid="7", begin_at=(MONDAY - timedelta(weeks=1)).isoformat())
    new_report_comparisons.report_settled(made.pk)
    places = Comparison.objects.get().places.order_by("position")
    assert [place.report.database_id is None for place in places] == [True, True, True, False]


def test_the_worst_hour_that_was_left_of_a_day_says_nothing_of_its_hour(owner, rule):
    Report.objects.filter(begin_at=MONDAY.isoformat()).update(thinned_at=rule.since)
    arrive(owner, 90_000.0)
    begun = Comparison.objects.get().places.order_by("position").values_list("report__begin_at", flat=True)
    assert list(begun) == [(MONDAY + timedelta(weeks=n)).isoformat() for n in (1, 2, 3)]


def test_one_that_is_as_ever_leaves_nothing(owner, rule):
    arrive(owner, 1150.0)
    assert (sent_notices(), Comparison.objects.count()) == ([], 0)
    assert new_report_comparisons.look_for_missed() == 0, "it was looked at"


def test_it_stays_where_somebody_has_opened_it_meanwhile(owner, rule):
    made = report_of(owner, 3, 1150.0)
    new_report_comparisons.report_settled(made.pk)
    Comparison.objects.update(provisional=False)
    work()
    assert (sent_notices(), Comparison.objects.count()) == ([], 1)


def test_each_is_told_once_whatever_is_done_twice_or_dies_between(owner, rule, monkeypatch):
    report = report_of(owner, 3, 90_000.0)

    def dies(*_args, **_kwargs):
        raise SystemExit

    with monkeypatch.context() as patched:  # the row says it was looked at only with its comparison
        patched.setattr(new_report_comparisons.services, "create_comparison", dies)
        with pytest.raises(SystemExit):
            new_report_comparisons.report_settled(report.pk)
    assert not Arrival.objects.exists()
    assert new_report_comparisons.look_for_missed() == 1
    new_report_comparisons.report_settled(report.pk)
    with monkeypatch.context() as patched:  # nobody is told without the result
        patched.setattr(tasks, "notify", dies)
        with pytest.raises(SystemExit):
            work()
    assert Comparison.objects.get().state == State.RUNNING
    Comparison.objects.update(state=State.PENDING)
    work()
    new_report_comparisons.report_settled(report.pk)
    Comparison.objects.update(state=State.PENDING)  # as one that is tried again
    work()
    assert sent_notices() == [("carl", "arrived")]


@pytest.mark.parametrize("why", ["another hour", "in bulk", "before", "nobody is chosen", "a demo"])
def test_nobody_is_told_of(owner, rule, why):
    if why == "nobody is chosen":
        new_report_comparisons.choose(owner, [])
    made = report_of(owner, 3, 90_000.0, hours=2 if why == "another hour" else 0)
    values = {"in bulk": {"in_bulk": True}, "before": {"created_at": timezone.now() - timedelta(hours=2)}}
    values["a demo"] = {"is_demo": True}
    Report.objects.filter(pk=made.pk).update(**values.get(why, {"name": "x"}))
    new_report_comparisons.report_settled(made.pk)
    work()
    assert (sent_notices(), Comparison.objects.count()) == ([], 0)


def test_history_that_came_in_bulk_stays_history_when_one_is_held_against_it(owner, rule):
    """Each of those before it would be held against those before it, and so on through a year."""
    for week in (3, 4):
        report_of(owner, week, 90_000.0)
    Report.objects.filter(created_at__gte=rule.since).update(in_bulk=True)
    made = report_of(owner, 5, 1_000.0)
    new_report_comparisons.report_settled(made.pk)
    work()
    assert new_report_comparisons.look_for_missed() == 0
    assert Arrival.objects.count() == 1


def test_one_that_cannot_be_held_stops_no_other(owner, rule, monkeypatch):
    def refuses(*_: object, **__: object) -> None:
        raise ComparisonRefused("“x” has been deleted: upload it again.")

    made = report_of(owner, 3, 90_000.0)
    with monkeypatch.context() as patched:
        patched.setattr(new_report_comparisons.services, "create_comparison", refuses)
        new_report_comparisons.report_settled(made.pk)
    assert new_report_comparisons.look_for_missed() == 1
    work()
    assert sent_notices() == [("carl", "arrived")]


def test_figures_go_out_only_where_an_owner_lets_them(owner, rule, monkeypatch):
    monkeypatch.setattr(notices.webhook_address_check, "refuse_odd", lambda _: None)
    notices.set_team(owner, url="https://hooks.example.com/x", shape="generic", contents=False)
    arrive(owner, 90_000.0)
    assert Delivery.objects.filter(way="webhook").count() == 1
    delivery = Delivery.objects.get(way="webhook")
    to = owner.team.notices_to
    assert webhooks.message(delivery, to)["about"] is None
    to.contents = True
    assert "PAY" in webhooks.message(delivery, to)["about"]


def test_an_owner_chooses_on_the_page_of_the_team(sign_in, owner, colleague, guest):
    client = sign_in(owner)
    assert client.post("/team/new-reports/", {"person": ["carl", "gus"]}).status_code in (204, 302)
    assert [user.username for user in new_report_comparisons.recipients_of(owner.team)] == ["carl"], (
        "a guest sees what is shown to them"
    )
    html = client.get("/team/", headers={"Accept": "text/html"}).content.decode()
    assert html.count('name="person"') == 2
    assert client.get("/team/", headers={"Accept": "application/json"}).json()["new_reports"] == ["carl"]
    with pytest.raises(PermissionDenied):
        new_report_comparisons.choose(colleague, ["carl"])
    client.post("/team/new-reports/")
    assert not ArrivalRule.objects.exists()
