"""Comments by whoever holds a link to an incident: by the same rules as below one to a comparison."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff.incidents import comparisons_and_reports, timeline
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.notices.models import Notice
from awrdiff.sharing import services as sharing
from awrdiff.sharing.errors import LinkRefused
from awrdiff.sharing.models import Shows
from awrdiff.threads import services
from awrdiff.threads.models import Thread, Turn
from tests.web.conftest import store_report
from tests.web.pages import check_markup
from tests.web.share import create_link
from tests.web.test_comment_links import begin, begun, listed, read, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON, PART, HTML = {"Accept": "application/json"}, {"HX-Request": "true"}, {"Accept": "text/html"}


@pytest.fixture
def incident(owner, comparison) -> Incident:
    made = incidents.make(owner, incidents.Typed("Slow Monday", begins_at="2024-01-01T11:05"))
    comparisons_and_reports.attach(owner, made, comparison, "PAY")
    return made


@pytest.fixture
def event(owner, incident, comparison) -> TimelineEvent:
    said = f"failover, see http://testserver/comparisons/{comparison.pk}/ for more"
    return timeline.add(owner, incident, timeline.TypedEvent("2024-01-01T11:30", said))


@pytest.fixture
def path(owner, incident) -> str:
    return create_link(owner, incident, days=1, may_comment=True, shows=Shows.INCIDENT)[1]


def test_a_link_to_read_has_nothing_of_threads(owner, incident):
    _, path = create_link(owner, incident, days=1, shows=Shows.INCIDENT)
    html = Client().get(path, headers=HTML).content.decode()
    for word in ("threads/", 'id="talk"', "threads.js", "data-talk", "data-line"):
        assert word not in html
    assert begin(Client(), path).status_code == 404
    assert not Thread.objects.exists()


def test_one_to_comment_has_the_panel(path, event):
    html = Client().get(path, headers=HTML).content.decode()
    check_markup(html)
    for word in (
        f'data-threads="{path}threads/"',
        "threads.js",
        "live.js",
        "data-talk-whole",
        f'id="event-{event.pk}" data-line',
    ):
        assert word in html
    for word in ("data-looking", "data-your-turn", "<form", "/incidents/"):
        assert word not in html


def test_what_is_asked_of_a_line_is_answered_by_the_team(sign_in, owner, colleague, incident, event, path):
    client = Client()
    thread = begun(client, path, f"event-{event.pk}")
    assert (thread.incident_id, thread.comparison_id, thread.place) == (incident.pk, None, "Timeline")
    assert list(Turn.objects.values_list("user__username", "why", "by_name")) == [
        (owner.user.username, "outside", "Gerd")
    ]
    assert [(n.what, n.kind, n.thing) for n in Notice.objects.all()] == [("outside", "incident", str(incident.pk))]
    page = sign_in(colleague).get(f"/incidents/{incident.pk}/threads/{thread.pk}/", headers=PART).content.decode()
    assert "from outside, name not proven" in page
    services.reply(colleague, thread, "Node 1 was rebooted.", uuid4())
    seen = read(client, path, thread)
    assert [(one["author"], one["body"]) for one in seen["said"]] == [
        ("Gerd", "Is this normal?"),
        ("carl", "Node 1 was rebooted."),
    ]
    assert (seen["turn"], seen["own_url"]) == ([], f"{path}threads/{thread.pk}/")
    assert say(client, path, thread, "Thanks.").status_code == 201


def test_the_incident_itself_is_a_place_and_what_is_no_line_is_none(path):
    assert begun(Client(), path, "summary").title == "The whole incident"
    for anchor in ("event-9999", "foreground_wait_events", ""):
        assert begin(Client(), path, anchor).status_code == 400


def test_of_the_team_s_own_threads_nothing_is_seen(sign_in, owner, incident, event, path):
    own = begin(sign_in(owner), f"/incidents/{incident.pk}/", f"event-{event.pk}").json()["id"]
    client = Client()
    thread = begun(client, path, f"event-{event.pk}")
    assert listed(client, path) == [thread.pk]
    assert client.get(f"{path}threads/{own}/", headers=JSON).status_code == 404
    assert client.post(f"{path}threads/{own}/", {"body": "Me too", "name": "Gerd"}).status_code == 404


def test_no_address_of_members_is_in_any_of_it(incident, comparison, event, path):
    """Nor one that somebody pasted into the line."""
    client = Client()
    thread = begun(client, path, f"event-{event.pk}")
    for url in ("threads/", "threads/live/", f"threads/{thread.pk}/", f"threads/?anchor=event-{event.pk}"):
        for headers in (JSON, PART, HTML):
            answer = client.get(path + url, headers=headers)
            assert answer.status_code == 200, url
            assert str(comparison.pk) not in answer.content.decode(), url
            assert str(incident.pk) not in answer.content.decode(), url
    assert "see http://testserver/ for more" in client.get(f"{path}threads/{thread.pk}/").content.decode()


def test_a_revoked_one_leaves_the_threads_with_the_team(sign_in, owner, incident, event):
    link, path = create_link(owner, incident, days=1, may_comment=True, shows=Shows.INCIDENT)
    client = Client()
    thread = begun(client, path, f"event-{event.pk}")
    sharing.revoke(owner, link)
    assert (say(client, path, thread).status_code, client.get(f"{path}threads/").status_code) == (404, 404)
    assert listed(sign_in(owner), f"/incidents/{incident.pk}/") == [thread.pk]


@pytest.mark.parametrize("shows", [Shows.REPORT, Shows.POSTMORTEM])
def test_other_things_are_read_alone(owner, incident, shows):
    about = incident if shows == Shows.POSTMORTEM else store_report(owner, "alone.html")
    said = r"^Only comparisons and incidents are commented by a link: this one can be read alone\.$"
    with pytest.raises(LinkRefused, match=said):
        create_link(owner, about, days=1, may_comment=True, shows=shows)


def test_the_dialog_offers_it_and_no_pseudonyms(sign_in, owner, incident):
    client = sign_in(owner)
    html = client.get(f"/incidents/{incident.pk}/").content.decode()
    assert 'id="may-comment"' in html
    assert 'id="redact"' not in html
    made = client.post(f"/incidents/{incident.pk}/links/", {"comment": "yes"}, headers=JSON)
    assert (made.status_code, made.json()["may_comment"]) == (201, True)


def test_parts_cost_few_queries(incident, event, path):
    client = Client()
    thread = begun(client, path, f"event-{event.pk}")
    for url, most in ((f"threads/{thread.pk}/", 25), ("threads/", 16), ("threads/live/", 8)):
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get(path + url, headers=PART).status_code == 200
        assert len(found) <= most, (url, len(found))
