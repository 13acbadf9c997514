"""Incidents and action items of a list, in their order; what is read of an incident by its id: each filter by itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from awrdiff.accounts.access import NotFound
from awrdiff.incidents import action_items, comparisons_and_reports, queries, services, timeline
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Evidence, Incident, SignOff, TimelineEvent, Verdict, VerdictState
from awrdiff.incidents.queries import Wanted
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent

pytestmark = pytest.mark.django_db


def made(access, title: str, **more: str) -> Incident:
    return services.make(access, Typed(title, **{"begins_at": "2024-01-01T11:05", **more}))


def titles(access, **wanted: object) -> list[str]:
    return sorted(incident.title for incident in queries.list_incidents(access, Wanted(**wanted)))


@pytest.fixture
def others(colleague) -> list[Incident]:
    return [made(colleague, title) for title in ("A", "B", "C")]


def test_mine_is_what_i_made_have_a_role_in_or_an_open_item_of(owner, colleague, others):
    made(owner, "mine")
    services.give_role(colleague, others[0], str(owner.user.pk), "lead")
    mine = action_items.add(colleague, others[1], TypedAction("larger redo logs", owner=str(owner.user.pk)))
    action_items.add(colleague, others[2], TypedAction("another disk", owner=str(colleague.user.pk)))
    services.give_role(colleague, others[2], str(colleague.user.pk), "scribe")
    assert titles(owner, mine=True) == ["A", "B", "mine"]
    action_items.set_state(colleague, mine, "done")
    assert titles(owner, mine=True) == ["A", "mine"]
    assert titles(owner) == ["A", "B", "C", "mine"]


def test_unresolved_are_open_ones_and_mitigated_ones(owner, colleague, others):
    for incident, state in zip(others, ("mitigated", "resolved", "reviewed"), strict=True):
        services.set_status(colleague, incident, state)
    made(owner, "open")
    assert titles(owner, status="unresolved") == ["A", "open"]
    assert [titles(owner, status=state) for state in ("mitigated", "resolved", "reviewed")] == [["A"], ["B"], ["C"]]


def test_several_severities_at_once(owner):
    for level in "1234":
        made(owner, level, severity=level)
    assert titles(owner, severity="31") == ["1", "3"]
    assert titles(owner, severity="x4") == ["4"]


def test_a_list_counts_what_is_open_of_each(owner, comparison):
    first, second = made(owner, "first"), made(owner, "second")
    comparisons_and_reports.attach(owner, first, comparison, "")
    done, *_ = [action_items.add(owner, first, TypedAction(text)) for text in ("a", "b", "c")]
    action_items.set_state(owner, done, "done")
    action_items.add(owner, second, TypedAction("d"))
    counts = {row.title: (row.comparisons, row.open_actions) for row in queries.list_incidents(owner, Wanted())}
    assert counts == {"first": (1, 2), "second": (0, 1)}


def test_tags_and_the_last_zone_are_the_teams_own(owner, stranger):
    assert queries.last_zone(owner) == "UTC"
    made(owner, "first", tags="San, redo", time_zone="Europe/Vienna")
    made(owner, "earlier, and made last", tags="redo", time_zone="Asia/Tokyo", begins_at="2023-01-01T11:05")
    made(stranger, "theirs", tags="tape", time_zone="America/Lima")
    assert queries.tags_of(owner) == ["redo", "san"]
    assert queries.last_zone(owner) == "Asia/Tokyo"
    Incident.objects.filter(team=owner.team).update(time_zone="Mars/Olympus")
    assert queries.last_zone(owner) == "UTC"


def test_items_stand_open_ones_first_then_by_day(owner, colleague):
    incident = made(owner, "slow")
    days = {"none": "", "late": "2190-01-02", "soon": "2190-01-01", "done": "2180-01-01"}
    items = {text: action_items.add(owner, incident, TypedAction(text, due=due)) for text, due in days.items()}
    action_items.set_state(owner, items["done"], "done")
    assert [item.text for item in queries.actions_of(incident)] == ["soon", "late", "none", "done"]
    assert [item.text for item in queries.actions_for(owner)] == ["done", "soon", "late", "none"]
    assert [item.text for item in queries.actions_for(owner, state="done")] == ["done"]
    ActionItem.objects.filter(text="late").update(owner=colleague.user)
    assert [item.text for item in queries.actions_for(colleague, mine=True)] == ["late"]


def test_a_comparison_is_offered_the_latest_that_are_not_reviewed(owner, stranger, comparison):
    own, reviewed = made(owner, "own"), made(owner, "reviewed")
    comparisons_and_reports.attach(owner, own, comparison, "")
    for incident in (own, reviewed):
        services.set_status(owner, incident, "reviewed")
    for day in ("2024-01-03", "2024-01-05", "2024-01-04"):
        made(owner, day, begins_at=f"{day}T11:05")
    made(stranger, "theirs")
    its, offered = queries.incidents_around(owner, comparison, most=2)
    assert [incident.title for incident in its] == ["own"]
    assert [incident.title for incident in offered] == ["2024-01-05", "2024-01-04"]
    assert queries.with_comparison(owner, comparison) == its


def test_parts_are_read_by_their_id_in_their_incident_by_members(owner, guest, comparison):
    incident, another = made(owner, "slow"), made(owner, "another")
    for text in ("a", "b"):
        action_items.add(owner, incident, TypedAction(text))
        timeline.add(owner, incident, TypedEvent("2024-01-01T11:10", text))
        Evidence.objects.create(incident=incident, comparison=comparison, anchor=text, title=text)
    for read, model in (
        (queries.action_for, ActionItem),
        (queries.event_for, TimelineEvent),
        (queries.evidence_for, Evidence),
    ):
        for pk in model.objects.filter(incident=incident).values_list("pk", flat=True):
            assert read(owner, incident, pk).pk == pk
            for access, elsewhere in ((owner, another), (guest, incident)):
                with pytest.raises(NotFound):
                    read(access, elsewhere, pk)


def test_a_list_reads_the_people_of_all_roles_at_once(owner, colleague, others, django_assert_num_queries):
    for incident in others:
        services.give_role(owner, incident, str(colleague.user.pk), "lead")
    listed = list(queries.list_incidents(owner, Wanted()))
    with django_assert_num_queries(0):
        assert {role.user.username for incident in listed for role in incident.roles.all()} == {"carl"}


def test_a_comparison_was_judged_with_its_last_verdict_or_sign_off(owner, comparison):
    assert queries.judged_at(comparison.pk) == 0
    verdict = Verdict.objects.create(
        team=owner.team, comparison=comparison, anchor="time", state=VerdictState.CONFIRMED
    )
    moments = [datetime(2024, 1, 1, 12, tzinfo=UTC), datetime(2024, 1, 1, 13, 0, 0, 7, tzinfo=UTC)]
    Verdict.objects.update(at=moments[0])
    assert queries.judged_at(comparison.pk) == int(moments[0].timestamp()) * 1_000_000
    SignOff.objects.create(verdict=verdict, user=owner.user, role="lead")
    SignOff.objects.update(at=moments[1])
    assert queries.judged_at(comparison.pk) == int(moments[1].timestamp()) * 1_000_000 + 7
