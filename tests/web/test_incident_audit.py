"""Whoever changes something of an incident leaves a line in the audit log, and one that changed nothing leaves none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, services, timeline
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import Incident
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.postmortems import queries
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.models import Postmortem

pytestmark = pytest.mark.django_db


@pytest.fixture
def incident(owner) -> Incident:
    return services.make(owner, Typed("Slow", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20"))


@contextmanager
def lines(incident: Incident, expected: int) -> Iterator[None]:
    own = AuditLine.objects.filter(kind="incident", thing=str(incident.pk), action="changed")
    before = own.count()
    yield
    assert own.count() - before == expected


def test_every_change_is_a_line_and_the_same_again_is_none(owner, incident, comparison: Comparison, reports):
    def twice(change: Callable[[], object]) -> object:
        with lines(incident, 1):
            made = change()
        with lines(incident, 0):
            change()
        return made

    def once(change: Callable[[], object]) -> object:
        with lines(incident, 1):
            return change()

    twice(lambda: comparisons_and_reports.attach(owner, incident, comparison, "PAY"))
    twice(lambda: comparisons_and_reports.attach_report(owner, incident, reports[0]))
    role = twice(lambda: services.give_role(owner, incident, str(owner.user.pk), "lead"))
    kept = twice(lambda: evidence.keep(owner, incident, comparison, "summary"))
    event = once(lambda: timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "failover")))
    action = once(lambda: action_items.add(owner, incident, TypedAction("larger redo logs")))
    once(lambda: timeline.change(owner, event, 1, TypedEvent("2024-01-01T11:31", "failover")))
    once(lambda: evidence.annotate(owner, kept, "the array", ""))
    once(lambda: action_items.change(owner, action, 1, TypedAction("larger redo logs", due="2024-02-01")))
    twice(lambda: action_items.set_state(owner, action, "done"))
    once(lambda: services.update(owner, incident, 1, Typed("Slower", begins_at="2024-01-01T11:05")))
    twice(lambda: services.set_status(owner, incident, "mitigated"))
    twice(lambda: timeline.remove(owner, event))
    twice(lambda: action_items.remove(owner, action))
    twice(lambda: evidence.remove(owner, kept))
    twice(lambda: services.take_role(owner, incident, role.pk))
    twice(lambda: comparisons_and_reports.detach_report(owner, incident, reports[0].pk))
    twice(lambda: comparisons_and_reports.detach(owner, incident, comparison.pk, "PAY"))


def test_an_act_in_a_post_mortem_is_one_line_however_many_versions_it_makes(owner, incident):
    own = AuditLine.objects.filter(kind="post-mortem", thing=str(incident.pk), action="changed")
    made = postmortems.draft(owner, incident)
    assert (made.version, own.count()) == (8, 1)
    postmortems.draft(owner, incident)  # the same again
    assert own.count() == 1
    edited = postmortems.save(owner, made, "impact", "Nobody noticed.", base=queries.section_for(made, "impact").number)
    postmortems.restore(owner, made, edited.number - 7, seen_version=edited.number)
    assert own.count() == 3
    postmortems.review(owner, made, seen_version=Postmortem.objects.get().version)
    postmortems.reopen(owner, made, "A figure was wrong")
    assert own.count() == 5
