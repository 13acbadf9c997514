"""What people wrote about comparisons and incidents is found: by whom, and no longer than it is said."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection, transaction

from awrdiff.comparisons import comparisons_by_database, guest_access
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services, timeline
from awrdiff.incidents.models import Evidence, Incident, TimelineEvent
from awrdiff.incidents.queries import Wanted, list_incidents
from awrdiff.postmortems import services as postmortems
from awrdiff.search import index_triggers
from awrdiff.search.models import Indexed
from awrdiff.threads import services as threads
from awrdiff.threads.models import Thread
from awrdiff.web.presenters.incident.lists import excerpt
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
WAITS = "foreground_wait_events"


@pytest.fixture
def incident(owner, comparison) -> Incident:
    text = {"summary": "Nobody could pay, quokka.", "tags": "crm", "ticket": "OPS-815"}
    typed = services.Typed("Slow Monday", begins_at="2024-01-01T11:05", **text)
    made = services.make(owner, typed)
    comparisons_and_reports.attach(owner, made, comparison, "Monday")
    return made


def matches(access, text: str) -> list[Comparison]:
    return list(comparisons_by_database.matching(access, text)[0])


def incidents(access, text: str) -> list[Incident]:
    return list(list_incidents(access, Wanted(text=text)))


def judge(access, comparison, state: str = "rejected", why: str = "the kestrel was idle"):
    anchor = of_finding(overview(comparison).findings[0])
    return finding_verdicts.give(access, comparison, finding_verdicts.TypedVerdict(anchor, state, why=why))


def say(access, comparison, text: str, *, for_guests: bool = False) -> Thread:
    return threads.start(access, comparison, WAITS, text, uuid4(), for_guests=for_guests).thread


def write_everywhere(access, comparison, incident) -> dict[str, str]:
    """By what holds it, a word that stands nowhere else."""
    timeline.add(access, incident, timeline.TypedEvent("2024-01-01T11:10", "We restarted the numbat."))
    action_items.add(
        access, incident, action_items.TypedAction("Bind the wombat", link="https://tickets.example/DB-4711")
    )
    evidence.annotate(access, evidence.keep(access, incident, comparison, WAITS), "the possum says it all")
    judge(access, comparison)
    line = f"event-{TimelineEvent.objects.get(by_system=False).pk}"
    standing = threads.anchors.Standing("We restarted", "", ())
    threads.start_on_incident(access, incident, standing, "the dingo was first", uuid4(), anchor=line)
    post = postmortems.draft(access, incident)
    seen = post.sections.get(key="causes").number
    postmortems.save(access, post, "causes", "It was the **bilby** alone.", base=seen)
    return {
        "summary": "quokka",
        "tag": "crm",
        "event": "numbat",
        "action": "wombat",
        "ticket": "db-4711",
        "own ticket": "ops-815",
        "evidence": "possum",
        "verdict": "kestrel",
        "comment": "dingo",
        "post-mortem": "bilby",
    }


def test_an_incident_is_found_by_whatever_was_written_about_it(owner, colleague, comparison, incident):
    said = write_everywhere(owner, comparison, incident)
    services.make(owner, services.Typed("Another", begins_at="2024-01-02T11:05"))
    for what, word in said.items():
        assert incidents(colleague, word) == [incident], what
    assert incidents(colleague, "wombat bilby kestrel monday") == [incident]
    assert incidents(colleague, "wombat nothing") == []
    assert incidents(colleague, "11 jan 2024 wombat") == []
    assert incidents(colleague, "1 jan 2024 wombat") == [incident]


def test_one_page_finds_incidents_and_comparisons_with_the_place_that_holds_the_word(
    sign_in, owner, comparison, incident
):
    write_everywhere(owner, comparison, incident)
    for word, place in (
        ("wombat", f"/incidents/{incident.pk}/#action-"),
        ("bilby", f'/incidents/{incident.pk}/postmortem/"'),
        ("kestrel", f'/comparisons/{comparison.pk}/"'),
        ("dingo", "Comment, olivia"),
    ):
        html = sign_in(owner).get("/", {"q": word}).content.decode()
        check_markup(html)
        assert f'<a href="/incidents/{incident.pk}/">Slow Monday</a>' in html
        assert place in html
        assert word in html.partition('id="incidents-h"')[2]


def test_a_comparison_is_found_by_what_the_team_says_of_it(owner, comparison, incident):
    say(owner, comparison, "the numbat was restarted")
    judge(owner, comparison)
    evidence.annotate(owner, evidence.keep(owner, incident, comparison, WAITS), "possum")
    for word in ("numbat", "kestrel", "possum"):
        assert matches(owner, word) == [comparison]


def test_nobody_finds_by_a_word_what_they_may_not_read(sign_in, owner, guest, stranger, comparison, incident):
    said = write_everywhere(owner, comparison, incident)
    secret, told = say(owner, comparison, "the echidna"), say(owner, comparison, "the platypus", for_guests=True)
    guest_access.show(owner, comparison, guest.membership)
    for word in (*said.values(), "echidna"):
        assert matches(stranger, word) == incidents(stranger, word) == [], word
        assert matches(guest, word) == incidents(guest, word) == [], word
        html = sign_in(guest).get("/", {"q": word}).content.decode()
        assert "Slow Monday" not in html
        assert f"/comparisons/{comparison.pk}/" not in html
    assert matches(guest, "platypus") == [comparison]
    threads.open_to_guests(owner, told, for_guests=False)
    threads.open_to_guests(owner, secret, for_guests=True)
    assert matches(guest, "platypus") == []
    assert matches(guest, "echidna") == [comparison]
    guest_access.hide(owner, comparison, guest.membership)
    assert matches(guest, "echidna") == []


def test_a_link_finds_nothing(client, owner, comparison, incident):
    say(owner, comparison, "the numbat was restarted", for_guests=True)
    _, path = create_link(owner, comparison, days=1)
    answer = client.get(f"{path}search/", {"q": "numbat", "found": "1"}, headers={"Accept": "application/json"})
    assert answer.status_code == 200
    assert "numbat" not in answer.content.decode().replace('"q": "numbat"', "")
    assert not answer.json().get("groups")


def test_what_is_edited_or_deleted_is_found_no_more(owner, comparison, incident):
    thread = say(owner, comparison, "the numbat")
    comment = threads.edit(owner, thread.comments.get(), "the wombat").comment
    assert (matches(owner, "numbat"), matches(owner, "wombat")) == ([], [comparison])
    threads.remove(owner, comment)
    assert matches(owner, "wombat") == []
    judge(owner, comparison)
    judge(owner, comparison, why="the possum")
    assert (matches(owner, "kestrel"), matches(owner, "possum")) == ([], [comparison])
    judge(owner, comparison, "withdrawn", why="")
    assert matches(owner, "possum") == []
    action = action_items.add(owner, incident, action_items.TypedAction("Bind the bilby"))
    action_items.change(owner, action, action.version, action_items.TypedAction("Bind the quoll"))
    assert (incidents(owner, "bilby"), incidents(owner, "quoll")) == ([], [incident])
    action_items.remove(owner, action)
    assert incidents(owner, "quoll") == []
    services.delete(owner, incident)
    assert not Indexed.objects.filter(comparison=None, comment=None, verdict=None).exists()


def test_it_leaves_the_index_with_the_transaction_that_changed_it_and_however_that_is_written(
    owner, comparison, incident
):
    kept = evidence.keep(owner, incident, comparison, WAITS)
    Evidence.objects.filter(pk=kept.pk).update(note="numbat")
    assert incidents(owner, "numbat") == [incident]
    with transaction.atomic():
        evidence.annotate(owner, kept, "wombat", was="numbat")
        assert incidents(owner, "numbat") == []
        transaction.set_rollback(True)
    assert incidents(owner, "numbat") == [incident]
    assert incidents(owner, "wombat") == []


def test_notes_of_the_system_are_no_words_of_anybody(owner, incident):
    services.set_status(owner, incident, "resolved")
    assert incidents(owner, "open → resolved") == []


def test_what_was_there_before_is_indexed_once_and_what_went_is_made_again(owner, comparison, incident):
    said = write_everywhere(owner, comparison, incident)
    number = Indexed.objects.count()
    if connection.vendor == "postgresql":
        connection.check_constraints()
    index_triggers.make(connection)
    index_triggers.drop(connection)
    services.make(owner, services.Typed("The axolotl", begins_at="2024-01-02T11:05"))
    assert incidents(owner, "axolotl pond") == []
    if connection.vendor == "postgresql":
        connection.check_constraints()
    index_triggers.make(connection)
    assert Indexed.objects.count() == number + 1
    for what, word in said.items():
        assert incidents(owner, word) == [incident], what


def test_an_excerpt_stands_around_the_word():
    text = "a " * 100 + "log file\nsync was slow" + " b" * 200
    assert excerpt(text, ["log-file"]).startswith("… a a")
    assert "log file sync was slow" in excerpt(text, ["log-file"])
    assert excerpt("short", ["other"]) == "short"
