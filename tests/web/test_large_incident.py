"""What a large incident costs."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import evidence, finding_verdicts, services
from awrdiff.incidents.models import ActionItem, TimelineEvent
from awrdiff.threads.models import Comment, Thread
from tests.web.pages import store_comparison
from tests.web.test_incidents import HTML, JSON, client, incident, page, post

__all__ = ["client", "incident"]
pytestmark = pytest.mark.django_db


def test_a_large_incident_asks_the_database_little(client, owner, colleague, comparison, reports, incident):
    """500 comments, 20 comparisons, 200 events, 50 action items: at most 15 queries; what its page asks for at once, the
    marks of the threads and who is looking, at most 15 more."""
    made = [comparison, *(store_comparison(owner, reports) for _ in range(19))]
    for one in made:
        post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=one.pk)
    own = {"incident": incident, "user": owner.user}
    TimelineEvent.objects.bulk_create(
        TimelineEvent(**own, at=incident.begins_at + timedelta(minutes=n), text=f"event {n}") for n in range(200)
    )
    ActionItem.objects.bulk_create(
        ActionItem(incident=incident, text=f"action {n}", owner=owner.user) for n in range(50)
    )
    anchor = of_finding(overview(made[1]).findings[0])
    verdict = finding_verdicts.give(owner, made[1], finding_verdicts.TypedVerdict(anchor, "confirmed"))
    finding_verdicts.sign_off(colleague, verdict, "dba")
    evidence.keep(owner, incident, comparison, "time")
    services.give_role(owner, incident, str(owner.user.pk), "lead")
    path = f"/incidents/{incident.pk}/"
    for anchor in ("begins", "ends"):
        client.post(f"{path}threads/", {"anchor": anchor, "body": "Why?"}, headers=JSON)
    said = {"team": owner.team, "author": colleague.user, "author_name": "carl", "body": "Because."}
    Comment.objects.bulk_create(
        Comment(**said, thread=thread, client_key=uuid4()) for thread in Thread.objects.all() for _ in range(249)
    )
    assert Comment.objects.count() == 500
    page(client, path)
    with CaptureQueriesContext(connection) as queries:
        html = client.get(path, headers=HTML).content.decode()
    assert html.count("event ") >= 200
    with CaptureQueriesContext(connection) as live:
        assert sum(one["comments"] for one in client.get(f"{path}threads/live/", headers=JSON).json()["threads"]) == 500
    assert len(live) <= 15
    beside = ("notices_notice", "audit_auditline", "SAVEPOINT")  # of the bar of every page, and once an hour
    own = [q["sql"] for q in queries if not any(name in q["sql"] for name in beside)]
    assert len(own) <= 15, "\n".join(sql.split(" FROM ")[-1][:150] for sql in own)
