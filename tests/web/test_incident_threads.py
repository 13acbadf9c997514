"""Threads of an incident: on lines of its timeline and on itself, by the same rules as those of a comparison."""

from __future__ import annotations

import re
from dataclasses import replace
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.accounts.access import HeldLink
from awrdiff.accounts.models import Membership
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.anchors import PairOrView, Standing
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents import comparisons_and_reports, timeline
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.notices.models import Notice
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.suggested_changes import digest_of
from awrdiff.threads import queries, services
from awrdiff.threads.models import Comment, Thread, Turn
from awrdiff.threads.services import ThreadRefused
from awrdiff.threads.subjects import Subject
from awrdiff.web.presenters.threads.subject_addresses import of_incident
from tests.web.conftest import context_of, store_report
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON, PART = {"Accept": "application/json"}, {"HX-Request": "true"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner, comparison) -> Incident:
    made = incidents.make(owner, incidents.Typed("Slow Monday", begins_at="2024-01-01T11:05"))
    comparisons_and_reports.attach(owner, made, comparison, "PAY")
    return made


@pytest.fixture
def event(owner, incident) -> TimelineEvent:
    return timeline.add(owner, incident, timeline.TypedEvent("2024-01-01T11:30", "failover to node 2"))


@pytest.fixture
def thread(owner, incident, event) -> Thread:
    found = Standing("failover to node 2", "Timeline", (("When", "1 Jan 2024 11:30"),))
    return services.start_on_incident(owner, incident, found, "Who did it?", uuid4(), anchor=f"event-{event.pk}").thread


def base(incident: Incident) -> str:
    return f"/incidents/{incident.pk}/threads/"


def begin(client: Client, incident: Incident, anchor: str, **more):
    return client.post(base(incident), {"anchor": anchor, "body": "Why?", **more}, headers=JSON)


def read(client: Client, thread: Thread) -> dict:
    answer = client.get(f"/incidents/{thread.incident_id}/threads/{thread.pk}/", headers=JSON)
    assert answer.status_code == 200, answer.content
    return answer.json()


def shown(client: Client, incident: Incident) -> dict[str, dict]:
    """The lines of the timeline, by anchor."""
    return {one["anchor"]: one for one in client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]}


class TestWhereItStands:
    def test_every_line_can_have_one(self, client, incident, event):
        lines = shown(client, incident)
        assert len(lines) > 5
        for anchor in lines:
            answer = begin(client, incident, anchor)
            assert answer.status_code == 201, anchor
            assert answer.json()["url"] == f"/incidents/{incident.pk}/#{anchor}&thread={answer.json()['id']}"
        assert Thread.objects.filter(incident=incident, comparison=None).count() == len(lines)

    def test_a_typed_line_with_what_it_said_and_says(self, client, owner, incident, event):
        made = begin(client, incident, f"event-{event.pk}").json()
        assert (made["title"], made["place"]) == ("failover to node 2", "Timeline")
        thread = Thread.objects.get()
        quote = read(client, thread)["quote"]
        assert (quote["changed"], quote["gone"], dict(r[:2] for r in quote["rows"])["By"]) == (False, False, "olivia")
        timeline.change(owner, event, event.version, timeline.TypedEvent("2024-01-01T11:35", "failover to node 2"))
        quote = read(client, thread)["quote"]
        assert quote["changed"]
        assert any("11:30" in then and "11:35" in now for _, then, now in quote["rows"])
        timeline.remove(owner, event)
        quote = read(client, thread)["quote"]
        assert (quote["gone"], "not on the timeline any more" in quote["note"]) == (True, True)

    def test_a_window_is_the_same_when_another_comparison_comes(self, client, owner, incident):
        windows = [anchor for anchor in shown(client, incident) if anchor.startswith("window-")]
        assert [begin(client, incident, anchor).status_code for anchor in windows] == [201, 201]
        earlier = [store_report(owner, f"{n}.html", begin=f"2023-12-3{n}T10:00:00") for n in (0, 1)]
        made = comparisons.create_comparison(owner, earlier, order_by_time=False)
        compute_now(made.pk)
        made.refresh_from_db()
        comparisons_and_reports.attach(owner, incident, made, "PAY before")
        assert len([anchor for anchor in shown(client, incident) if anchor.startswith("window-")]) == 4
        quotes = [read(client, thread)["quote"] for thread in Thread.objects.all()]
        assert [(quote["gone"], quote["changed"]) for quote in quotes] == [(False, False)] * 2

    def test_the_incident_itself(self, client, incident):
        made = begin(client, incident, "summary").json()
        assert (made["title"], made["anchor"]) == ("The whole incident", "summary")
        assert not read(client, Thread.objects.get())["quote"]["gone"]

    @pytest.mark.parametrize("anchor", ["", "event-0", "foreground_wait_events", "finding:x", "x" * 400, "\x00"])
    def test_nothing_to_write_about(self, client, incident, anchor):
        assert begin(client, incident, anchor).status_code == 400
        assert client.get(f"{base(incident)}?anchor=nowhere", headers=PART).status_code == 404
        assert not Thread.objects.exists()

    def test_it_is_about_one_thing(self, owner, incident, comparison, thread):
        with pytest.raises(IntegrityError), transaction.atomic():
            Thread.objects.update(comparison=comparison)
        with pytest.raises(IntegrityError), transaction.atomic():
            Thread.objects.update(incident=None)

    def test_those_of_its_comparison_are_not_among_them(self, client, owner, comparison, incident, thread):
        other = services.start(owner, comparison, "summary", "Between us", uuid4()).thread
        assert [one["id"] for one in client.get(base(incident), headers=JSON).json()["threads"]] == [thread.pk]
        listed = client.get(f"/comparisons/{comparison.pk}/threads/", headers=JSON).json()["threads"]
        assert [one["id"] for one in listed] == [other.pk]
        assert client.get(f"{base(incident)}{other.pk}/", headers=JSON).status_code == 404
        assert client.get(f"/comparisons/{comparison.pk}/threads/{thread.pk}/", headers=JSON).status_code == 404


class TestWriting:
    def test_posted_twice_it_is_there_once(self, client, incident):
        key = str(uuid4())
        first, second = (begin(client, incident, "begins", key=key) for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["id"] == second.json()["id"]
        assert Comment.objects.count() == 1

    def test_whose_turn_it_is_and_who_is_told_where(self, sign_in, client, owner, colleague, incident, thread):
        services.reply(owner, thread, "@carl?", uuid4())
        assert [queries.your_turn(one).count() for one in (owner, colleague)] == [0, 1]
        html = sign_in(colleague).get("/notices/?turn=1").content.decode()
        check_markup(html)
        assert f"/incidents/{incident.pk}/#{thread.anchor}&amp;thread={thread.pk}" in html
        assert "Slow Monday" in html
        told = Notice.objects.get(user=colleague.user)
        assert (told.kind, told.thing, told.place) == ("incident", str(incident.pk), f"#thread={thread.pk}")
        assert sign_in(colleague).post(f"/notices/{told.pk}/", follow=True).status_code == 200
        services.reply(colleague, thread, "I did.", uuid4())
        assert list(Turn.objects.values_list("user__username", "why")) == [("olivia", "answered")]
        url = f"{base(incident)}{thread.pk}/"
        assert client.post(f"{url}turn/", {"person": "carl"}, headers=JSON).json()["turn"] == ["olivia", "carl"]
        assert client.post(f"{url}state/", {"state": "resolved"}, headers=JSON).json()["resolved"] is True
        assert not Turn.objects.exists()
        assert AuditLine.objects.filter(kind="thread", action="resolved", thing=str(thread.pk)).exists()

    def test_guests_and_others_have_none_of_it(self, sign_in, owner, guest, stranger, incident, thread):
        for who in (guest, stranger):
            for below in ("", "live/", f"{thread.pk}/"):
                assert sign_in(who).get(base(incident) + below, headers=JSON).status_code == 404
            with pytest.raises(PermissionDenied):
                services.start_on_incident(who, incident, Standing("x"), "x", uuid4(), anchor="begins")
        with pytest.raises(ThreadRefused, match="Nobody of this name"):
            services.assign(owner, thread, "gus")
        assert services.reply(owner, thread, "@gus @sten", uuid4()).comment.mentions == []

    def test_who_has_become_a_guest_is_not_told_any_more(self, owner, colleague, thread):
        services.reply(colleague, thread, "I did.", uuid4())
        Membership.objects.filter(user=colleague.user).update(role="guest")
        services.reply(owner, thread, "@carl", uuid4())
        assert not Notice.objects.filter(user=colleague.user).exists()
        as_guest = context_of("carl", "Payments")
        assert as_guest.is_guest
        assert not queries.your_turn(as_guest).exists()

    def test_in_one_that_is_gone_nothing_is_written(self, owner, incident, thread):
        incidents.delete(owner, incident)
        assert not Thread.objects.exists()
        with pytest.raises(Exception, match="has been deleted"):
            services.reply(owner, thread, "Still there?", uuid4())

    def test_what_goes_with_it_is_named(self, client, incident, thread):
        assert "1 thread, with all that is said" in client.get(f"/incidents/{incident.pk}/delete/").content.decode()


def test_the_list_is_narrowed_to_mine_and_by_person_and_begins_with_the_newest(
    client, owner, colleague, incident, thread
):
    services.reply(colleague, thread, "I did.", uuid4())
    begin(client, incident, "begins")

    def titles(query: str) -> list[str]:
        found = client.get(f"{base(incident)}?{query}", headers=JSON).json()["threads"]
        return [one["anchor"] for one in found]

    assert titles("") == [thread.anchor, "begins"]
    assert titles("newest=1") == ["begins", thread.anchor]
    assert titles("by=carl") == [thread.anchor]
    assert titles("by=nobody") == []
    services.start_on_incident(colleague, incident, Standing("Ends", "", ()), "His alone", uuid4(), anchor="ends")
    assert titles("mine=1") == [thread.anchor, "begins"]
    html = client.get(f"{base(incident)}?mine=1&by=carl").content.decode()
    check_markup(html)
    assert f'href="{base(incident)}?mine=1" data-talk-filter aria-current' in html  # taken away again by a click
    assert f'href="{base(incident)}?by=carl" data-talk-filter aria-current' in html


class TestLive:
    def test_nothing_new_is_304_and_something_is_not(self, sign_in, client, colleague, incident, thread):
        url = f"{base(incident)}live/"
        first = client.get(url, headers=JSON)
        assert (first.json()["threads"][0]["comments"], first.json()["looking"]) == (1, [])
        again = {**JSON, "If-None-Match": first["ETag"]}
        with CaptureQueriesContext(connection) as asked:
            assert client.get(url, headers=again).status_code == 304
        assert len(asked) <= 8
        services.reply(colleague, thread, "I did.", uuid4())
        assert client.get(url, headers=again).status_code == 200
        assert sign_in(colleague).get(url, headers=JSON).json()["looking"] == ["olivia"]
        assert client.get(url, headers=JSON).json()["looking"] == ["carl"]
        assert queries.version_of(Subject("incident", incident.pk)) == 2


def test_pages_and_parts_are_whole_and_cost_few_queries(client, owner, colleague, incident, thread):
    people = [owner.user, colleague.user]
    said = [
        Comment(
            team=owner.team,
            thread=thread,
            author=people[n % 2],
            author_name=people[n % 2].username,
            body=f"**{n}**",
            client_key=uuid4(),
        )
        for n in range(498)
    ]
    Comment.objects.bulk_create(said)
    Comment.objects.update(created_at=timezone.now() - timezone.timedelta(hours=1))
    comment = Comment.objects.first()
    for below in ("", f"?anchor={thread.anchor}", f"{thread.pk}/", f"{thread.pk}/comments/{comment.pk}/"):
        check_markup(client.get(base(incident) + below).content.decode())
        with CaptureQueriesContext(connection) as asked:
            assert client.get(base(incident) + below, headers=PART).status_code == 200
        assert len(asked) <= 20, below
    html = client.get(f"/incidents/{incident.pk}/").content.decode()
    check_markup(html)
    assert f'data-threads="{base(incident)}"' in html
    assert f'<li id="{thread.anchor}" data-line' in html
    answer = client.post(f"{base(incident)}{thread.pk}/", {"body": "By form"})
    assert answer["Location"] == f"{base(incident)}{thread.pk}/"


def test_an_incident_has_room_for_so_many(monkeypatch, client, incident, thread, comparison: Comparison):
    monkeypatch.setattr(services, "MOST_THREADS", 1)
    refused = begin(client, incident, "begins")
    assert (refused.status_code, "An incident has at most 1 threads" in refused.json()["error"]) == (400, True)


class TestOfSectionsOfThePostmortem:
    CAUSES = "postmortem:causes"

    def test_each_has_its_own(self, client, incident, owner):
        postmortems.draft(owner, incident)
        page = client.get(f"/incidents/{incident.pk}/postmortem/").content.decode()
        check_markup(page)
        anchors = re.findall(r'data-anchor="(postmortem:[^"]+)"', page)
        assert len(anchors) > 5
        for anchor in anchors:
            made = begin(client, incident, anchor)
            assert made.status_code == 201, anchor
            at = made.json()
            assert at["url"] == f"/incidents/{incident.pk}/postmortem/#{anchor}&thread={at['id']}"
            assert at["place"] == "Post-mortem"
        assert f'data-threads="{base(incident)}"' in page
        assert "/static/js/threads.js" in page

    def test_it_quotes_what_is_written_there_then_and_now(self, client, owner, incident):
        found = postmortems.draft(owner, incident)
        section = found.sections.get(key="causes")
        section = postmortems.save(owner, found, "causes", "The log's <b>disk</b>.", base=section.number)
        begin(client, incident, self.CAUSES)
        thread = Thread.objects.get()
        assert (thread.title, thread.figures) == ("Causes", [["", "The log's <b>disk</b>."]])
        postmortems.save(owner, found, "causes", "The disk of the log.", base=section.number)
        quote = read(client, thread)["quote"]
        assert quote["changed"]
        assert quote["rows"] == [["", "The log's <b>disk</b>.", "The disk of the log."]]
        part = client.get(f"{base(incident)}{thread.pk}/", headers=PART).content.decode()
        assert "<b>disk</b>" not in part
        assert f"/incidents/{incident.pk}/postmortem/#causes" in part

    @pytest.mark.parametrize("anchor", ["postmortem:", "postmortem:none", "postmortem:causes/1", "postmortem:\x00"])
    def test_no_other_section(self, client, owner, incident, anchor):
        assert begin(client, incident, self.CAUSES).status_code == 400  # none is written yet
        postmortems.draft(owner, incident)
        assert begin(client, incident, anchor).status_code == 400

    def test_for_the_team_alone(self, sign_in, owner, incident, guest, stranger):
        postmortems.draft(owner, incident)
        assert [begin(sign_in(who), incident, self.CAUSES).status_code for who in (guest, stranger)] == [404, 404]
        link = replace(owner, user=None, link=HeldLink(1, None, None, "token"))
        assert of_incident(link, incident).standing(self.CAUSES, PairOrView()) is None
        assert of_incident(owner, incident).standing(self.CAUSES, PairOrView()) is not None

    def test_who_is_mentioned_is_led_there(self, client, sign_in, owner, colleague, incident):
        postmortems.draft(owner, incident)
        answer = client.post(base(incident), {"anchor": self.CAUSES, "body": "Is it so, @carl?"}, headers=JSON)
        assert answer.status_code == 201
        assert Notice.objects.filter(user=colleague.user).count() == 1
        assert f"/incidents/{incident.pk}/postmortem/#postmortem:causes&amp;thread=" in (
            sign_in(colleague).get("/notices/?turn=1").content.decode()
        )


class TestOfSuggestionsInSections:
    """A change of a section that somebody suggests in a comment, and its answers."""

    BEFORE, AFTER = (
        "The disk.\n\n```\ncode\n```\nIt was full.",
        "The log's disk.\n\n```\ncode\n```\nIt was full at 11:30.",
    )

    @pytest.fixture
    def postmortem(self, owner, incident):
        drafted = postmortems.draft(owner, incident)
        postmortems.save(owner, drafted, "causes", self.BEFORE, base=self.number(drafted))
        return drafted

    def number(self, postmortem) -> int:
        return postmortem.sections.get(key="causes").number

    def text(self, postmortem) -> str:
        return postmortem.sections.get(key="causes").text

    def suggest(self, sign_in, colleague, postmortem, text=AFTER):
        url = f"/incidents/{postmortem.incident_id}/postmortem/sections/causes/"
        fields = {"text": text, "seen": self.number(postmortem), "suggest": "1"}
        return sign_in(colleague).post(url, fields, headers=JSON)

    def answer(self, client, answer, seen=None):
        thread = Thread.objects.get()
        url = f"{base(thread.incident)}{thread.pk}/"
        part = client.get(url, headers=PART).content.decode()
        check_markup(part)
        digests = re.findall(r'name="seen" value="([0-9a-f]{16})"', part)
        address = f"{url}comments/{thread.comments.earliest('pk').pk}/suggestion/"
        return client.post(address, {"answer": answer, "seen": seen or digests[0]})

    def test_is_commented_on_and_accepted_over_what_others_saved(self, sign_in, owner, colleague, postmortem):
        at = self.suggest(sign_in, colleague, postmortem)
        assert (at.status_code, at.json()["url"].split("&")[0]) == (
            201,
            f"/incidents/{postmortem.incident_id}/postmortem/#postmortem:causes",
        )
        assert self.suggest(sign_in, colleague, postmortem).json() == at.json()  # sent twice
        assert self.text(postmortem) == self.BEFORE
        thread, client = Thread.objects.get(), sign_in(owner)
        said = client.post(f"{base(thread.incident)}{thread.pk}/", {"body": "Is it so?"}, headers=JSON)
        assert said.status_code == 201
        others = f"In short:\n{self.BEFORE}\nAll day."
        postmortems.save(owner, postmortem, "causes", others, base=self.number(postmortem))
        accepted = self.answer(client, "accept")
        assert (accepted.status_code, accepted["Location"]) == (
            302,
            f"/incidents/{postmortem.incident_id}/postmortem/#causes",
        )
        assert self.text(postmortem) == f"In short:\n{self.AFTER}\nAll day."
        version = postmortem.versions.latest("number")
        assert (version.user, version.reason) == (owner.user, "suggested by carl")
        assert [comment.body for comment in thread.comments.order_by("pk")][1:] == ["Is it so?", "Accepted, @carl."]
        assert read(client, thread)["resolved"]
        digest = digest_of(thread.comments.earliest("pk").body)
        assert self.answer(client, "accept", digest).status_code == 400  # it is answered

    def test_is_rejected(self, sign_in, owner, colleague, postmortem):
        self.suggest(sign_in, colleague, postmortem)
        assert self.answer(sign_in(owner), "reject").status_code == 302
        assert self.text(postmortem) == self.BEFORE
        thread = Thread.objects.get()
        assert (thread.is_resolved, thread.comments.latest("pk").body) == (True, "Not accepted, @carl.")

    def reopen(self, client):
        thread = Thread.objects.get()
        address = f"{base(thread.incident)}{thread.pk}/state/"
        assert client.post(address, {"state": "open"}, headers=JSON).status_code == 200

    def test_is_rejected_by_another_once_reopened(self, sign_in, owner, colleague, postmortem):
        self.suggest(sign_in, colleague, postmortem)
        assert self.answer(sign_in(owner), "reject").status_code == 302
        client = sign_in(colleague)
        self.reopen(client)
        assert self.answer(client, "reject").status_code == 302
        assert [c.author for c in Thread.objects.get().comments.order_by("pk")][1:] == [owner.user, colleague.user]

    def test_lines_at_the_end_are_added_once(self, sign_in, owner, colleague, postmortem):
        added = f"{self.BEFORE}\nAll day."
        self.suggest(sign_in, colleague, postmortem, added)
        client = sign_in(owner)
        assert self.answer(client, "accept").status_code == 302
        self.reopen(client)
        assert self.answer(client, "accept").status_code == 409
        assert self.text(postmortem) == added

    def test_is_made_again_once_deleted(self, sign_in, colleague, postmortem):
        first = self.suggest(sign_in, colleague, postmortem).json()["thread"]
        comment = Comment.objects.get()
        client = sign_in(colleague)
        assert client.delete(f"{base(comment.thread.incident)}{first}/comments/{comment.pk}/").status_code == 302
        again = self.suggest(sign_in, colleague, postmortem).json()["thread"]
        assert Comment.objects.filter(thread=again, deleted_at=None).count() == 1

    def test_a_script_is_answered_with_the_thread(self, sign_in, owner, colleague, postmortem):
        self.suggest(sign_in, colleague, postmortem)
        thread = Thread.objects.get()
        comment = thread.comments.get()
        address = f"{base(thread.incident)}{thread.pk}/comments/{comment.pk}/suggestion/"
        fields = {"answer": "accept", "seen": digest_of(comment.body)}
        answered = sign_in(owner).post(address, fields, headers=JSON)
        assert (answered.status_code, answered.json()["resolved"]) == (200, True)

    def test_is_not_accepted_where_its_lines_are_gone(self, sign_in, owner, colleague, postmortem):
        self.suggest(sign_in, colleague, postmortem)
        postmortems.save(owner, postmortem, "causes", "Another story.", base=self.number(postmortem))
        assert self.answer(sign_in(owner), "accept").status_code == 409
        assert self.text(postmortem) == "Another story."
        assert not Thread.objects.get().is_resolved

    def test_is_not_accepted_once_changed(self, sign_in, owner, colleague, postmortem):
        self.suggest(sign_in, colleague, postmortem)
        assert self.answer(sign_in(owner), "accept", "0" * 16).status_code == 400
        assert self.text(postmortem) == self.BEFORE

    def test_of_an_empty_section_and_of_nothing(self, sign_in, owner, colleague, postmortem):
        postmortems.save(owner, postmortem, "causes", "", base=self.number(postmortem))
        assert self.suggest(sign_in, colleague, postmortem, "").status_code == 400
        assert self.suggest(sign_in, colleague, postmortem, "- a\n-b\n+c").status_code == 201
        assert self.answer(sign_in(owner), "accept").status_code == 302
        assert self.text(postmortem) == "- a\n-b\n+c"

    @pytest.mark.parametrize(("anchor", "kind"), [("postmortem:causes", ""), ("summary", "suggestion")])
    def test_is_none_in_another_block_or_place(self, client, postmortem, anchor, kind):
        body = f"```{kind}\n@@ -1\n-The disk.\n+A disk.\n```"
        assert begin(client, postmortem.incident, anchor, body=body).status_code == 201
        assert self.answer(client, "accept", digest_of(body) or "0" * 16).status_code == 400
        assert self.text(postmortem) == self.BEFORE
