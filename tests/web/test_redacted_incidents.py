"""Redacted links to incidents and post-mortems tell no name, and show what somebody has looked at."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from msgspec.structs import replace

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.models import User
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.anchors import Standing, of_finding
from awrdiff.comparisons.queries import load_section, overview
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services, timeline
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incident_for
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.live_tables import only_of, reading_of
from awrdiff.postmortems.models import Postmortem
from awrdiff.postmortems.queries import people_of, postmortem_of
from awrdiff.postmortems.sections import SECTIONS, Cell, LiveTable
from awrdiff.processing.models import State
from awrdiff.redaction.free_text import Names
from awrdiff.redaction.link_options import Redaction
from awrdiff.sharing.access import shared
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.sharing.names_to_redact import names_of
from awrdiff.sharing.services import create_link, remove_ended, revoke
from awrdiff.threads import services as threads
from awrdiff.web.presenters.page import redacted_incident
from awrdiff.web.views import redacted_links
from awrdiff.web.views.postmortems import sections_for_outsiders
from parsers.model import Column, Row, Section
from tests.unit.redaction.planted import CORE, Plants, planted_report, told
from tests.web.conftest import context_of, store_parsed
from tests.web.pages import check_markup
from tests.web.reach import asked, walked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
SIX = datetime(2024, 1, 1, 6)
# Words like any other, which are known only by the reports; each in one column.
WORDS = {
    "foreground_wait_events": {},
    "segments_by_logical_reads": {"owner": "fernlike", "object_name": "pebbles", "tablespace": "orchard"},
    "service_statistics": {"service": "meadow"},
    "sql_by_elapsed_time": {"sql_module": "harvest", "pdb_name": "lagoon"},
    "file_io": {"tablespace": "quarry", "filename": "/thicket/brook.dbf"},
    "top_sessions": {"user_name": "heather", "program": "loom@kestrel (TNS V1-V3)"},
    "host_information": {"host": "osprey.barnyard"},
}
MOST_EVER_LEAKED = 37
ELSEWHERE = (
    *(f"export.{ending}" for ending in ("md", "html", "txt", "csv", "json", "zip")),
    *(
        "threads/",
        "threads/live/",
        "threads/1/",
        "threads/?anchor=begins",
        "search/?q=a",
        "commit/",
        "trend/",
        "nothing/",
    ),
    *("sections/foreground_wait_events/", "entities/event/log%20file%20sync/", "password/", "postmortem/", "evidence/"),
)
SAID = [word for each in WORDS.values() for word in each.values()] + ["kestrel", "osprey", "odette", "brook.dbf"]


def _with_words(report):
    made = []
    for section, cells in WORDS.items():
        columns = (*(Column(name, name) for name in cells), Column("unused", "unused"))
        made.append(Section(section, section, True, "all", (columns[0].id,), columns, (Row((*cells.values(), "x")),)))
    kept = [one for one in report.sections if one.id == "foreground_wait_events" or one.id not in WORDS]
    return replace(report, sections=(*kept, *made[1:]))


@pytest.fixture(scope="module")
def world(lasting):
    with lasting():
        return _world(context_of("odette", "Payments"))


def _world(owner):
    plants = Plants()
    parsed = [
        planted_report(f"{CORE}-{n}.html", plants, figure=100.0 * n, start=SIX + timedelta(hours=n), every=12)
        for n in (1, 2)
    ]
    reports = [store_parsed(owner, one) for one in (parsed[0], _with_words(parsed[1]))]
    made = comparisons.create_comparison(owner, reports, order_by_time=False, title=f"{CORE} was slow", note="")
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    names = [text for one in parsed for section in one.sections for row in section.records for text in row.cells]
    names = [text for text in names if isinstance(text, str) and told(text.encode())]
    names = names[:: len(names) // 45]
    said = [*names, *SAID, *(word.upper() for word in SAID)]
    typed = services.Typed(
        title=f"{said[0]} was slow on kestrel",
        severity="2",
        begins_at="2024-01-01T07:00",
        ends_at="2024-01-01T08:00",
        summary=" and ".join(said),
        tags="meadow",
    )
    incident = services.make(owner, typed)
    comparisons_and_reports.attach(owner, incident, made, "Slow hour")
    services.give_role(owner, incident, str(owner.user.pk), "keeper of osprey")
    for at in range(0, len(said), 4):
        text = ", or it was ".join(said[at : at + 4])
        timeline.add(owner, incident, timeline.TypedEvent("2024-01-01T07:05", f"It was {text}, they say"))
    for section in ("foreground_wait_events", "init_parameters"):
        for row in load_section(made, section).rows[:2]:
            evidence.keep(owner, incident, made, f"{section}/{row.row_id}")
    evidence.annotate(owner, incident.evidence.first(), f"of pebbles, {said[1]}", "")
    link = f"https://{CORE}.example/1"
    action_items.add(
        owner, incident, action_items.TypedAction(f"Move {said[2]} off osprey", str(owner.user.pk), link=link)
    )
    action_items.add(
        owner, incident, action_items.TypedAction("Ask the vendor", str(owner.user.pk), link=f"{CORE.upper()}-7")
    )
    for found in overview(made).findings[:3]:
        given = finding_verdicts.TypedVerdict(
            of_finding(found), "confirmed", why=f"heather, {said[3]}", role="of odette"
        )
        finding_verdicts.sign_off(
            context_of("olivia", "Payments"), finding_verdicts.give(owner, made, given), "dba of kestrel"
        )
    begins = Standing(f"The incident begins on {said[4]}", "")
    threads.start_on_incident(owner, incident, begins, f"{said[4]} on kestrel", uuid4(), anchor="begins")
    draft = postmortems.draft(owner, incident)
    own = draft.sections.get(key="went-well")
    escaped = "".join(f"\\{c}" if c in "_.*" else c for c in " or ".join(said))
    listed = f"- [x]({link}) **meadow**\n- [ ] tell {said[5]}\n- [x] asked odette\n\n> {said[6]} was full, said heather"
    postmortems.save(owner, draft, "went-well", f"{escaped}\n\n{listed}", base=own.number)
    assert len({word.lower() for word in said}) > MOST_EVER_LEAKED
    return owner, incident, made


@pytest.fixture
def incident(world) -> Incident:
    return Incident.objects.get(pk=world[1].pk)


@pytest.fixture
def owner(world):
    return world[0]


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def address(incident: Incident, shows: Shows) -> str:
    return f"/incidents/{incident.pk}/{'postmortem/' if shows == Shows.POSTMORTEM else ''}redacted/"


def make(client: Client, url: str, **more: object):
    looked = client.get(url, headers=JSON).json()
    data = {"key": looked["key"], "seen": looked["seen"], "make": "1", **more}
    return client.post(url, data, headers=JSON)


def leaks(path: str) -> list[tuple[str, list[str]]]:
    """Also of what it does not have: refusals, and addresses that other links have."""
    seen = list(walked(Client(), path, most=12))
    assert {status for _, status, _ in seen} == {200}
    for one in ELSEWHERE:
        for headers in (JSON, HTML, {"HX-Request": "true"}):
            seen.append((one, *asked(Client(), path + one, headers)))
    for one in ("", "threads/", "threads/1/", "export.md"):
        answer = Client().post(path + one, {"anchor": "begins", "body": "Hello?", "name": "Gerd"}, headers=JSON)
        seen.append((one, answer.status_code, answer.content))
    assert {status for _, status, _ in seen} <= {200, 400, 403, 404, 405}
    found = []
    for url, _, data in seen:
        text = data.decode().lower()
        hits = told(data) + [word for word in SAID if word in text]
        if hits:
            found.append((url, hits[:5]))
    return found


BOTH = pytest.mark.parametrize("shows", [Shows.INCIDENT, Shows.POSTMORTEM])


@BOTH
def test_no_byte_below_it_tells_a_name(client, incident, shows, settings):
    settings.AWRDIFF_LINK_RATE = 100_000
    answer = make(client, address(incident, shows))
    assert answer.status_code == 201, answer.content
    assert leaks(answer.json()["path"]) == []
    kept = json.dumps(ShareLink.objects.get().document)
    assert told(kept.encode()) == []
    assert str(incident.pk) not in kept


@BOTH
def test_the_search_would_find_them(client, incident, shows, settings, monkeypatch):
    """Or the test above could not fail: a text that is not hidden, and a name that is not known."""
    settings.AWRDIFF_LINK_RATE = 100_000
    monkeypatch.setattr(Names, "hide", lambda _self, text: text)
    assert leaks(make(client, address(incident, shows)).json()["path"])
    monkeypatch.undo()
    settings.AWRDIFF_LINK_RATE = 100_000
    monkeypatch.setattr(Names, "add_report", lambda _self, _report: None)
    monkeypatch.setattr(Names, "_may_be_name", lambda _self, _word: False)  # it would hide whatever no list explains
    assert leaks(make(client, address(incident, shows)).json()["path"])


@BOTH
def test_what_is_looked_at_is_what_the_link_shows(client, incident, shows):
    url = address(incident, shows)
    html = client.get(url, headers=HTML).content.decode()
    check_markup(html)
    assert f"What becomes of the names in this {shows.label.lower()}<" in html
    looked = client.get(url, headers=JSON).json()
    assert any(one["name"].lower() == "kestrel" for one in looked["replaced"])
    made = client.post(url, {"key": looked["key"], "seen": looked["seen"], "make": "1"}, headers=JSON).json()
    shown = Client().get(made["path"], headers=JSON).json()
    assert {**shown, "kept_at": ""} == {**looked["document"], "kept_at": ""}
    if shows == Shows.POSTMORTEM:
        assert [one["title"] for one in shown["sections"]] == [one.title for one in SECTIONS], "headings are no names"
    check_markup(Client().get(made["path"], headers=HTML).content.decode())


def test_the_bad_window_has_its_word(client, incident):
    compared = incident.attached_comparisons.get()
    place = f"/incidents/{incident.pk}/comparisons/{compared.comparison_id}/hour/"
    assert client.post(place, {"place": "1"}, headers=JSON).status_code == 204
    path = make(client, address(incident, Shows.INCIDENT)).json()["path"]
    assert "The incident's hour: 1 Jan 2024" in Client().get(path, headers=HTML).content.decode()
    stored = ShareLink.objects.get().document
    assert stored["what"]["span"] == "hour"
    stored["what"]["span"] = stored["comparisons"][0]["word"] = "window"
    ShareLink.objects.update(document=stored)
    html = Client().get(path, headers=HTML).content.decode()
    assert "The incident's window: 1 Jan 2024" in html
    assert "The bad window" in " ".join(html.split())


def test_what_was_written_after_the_look_makes_no_link_and_is_below_none(client, owner, incident):
    url = address(incident, Shows.INCIDENT)
    made = make(client, url).json()["path"]
    looked = client.get(url, headers=JSON).json()
    timeline.add(owner, incident, timeline.TypedEvent("2024-01-01T07:09", "Somebody pulled the plug"))
    refused = client.post(url, {"key": looked["key"], "seen": looked["seen"], "make": "1"}, headers=JSON)
    assert (refused.status_code, ShareLink.objects.count()) == (400, 1)
    assert "pulled the plug" not in Client().get(made, headers=HTML).content.decode()


def test_nobody_makes_one_without_a_look_or_under_a_key_of_their_own(client, incident):
    assert client.post(f"/incidents/{incident.pk}/links/", {"redact": "yes"}, headers=JSON).status_code == 400
    for data in ({"make": "1"}, {"make": "1", "key": "00" * 32, "seen": "x"}):
        assert client.post(address(incident, Shows.INCIDENT), data, headers=JSON).status_code == 400
    refused = make(client, address(incident, Shows.INCIDENT), comment="yes")
    assert (refused.status_code, ShareLink.objects.count()) == (400, 0)


def test_a_word_that_looks_like_a_name_stays_where_somebody_says_so(client, owner, incident):
    timeline.add(owner, incident, timeline.TypedEvent("2024-01-01T07:09", "We asked Zdenka of Meadow"))
    url = address(incident, Shows.INCIDENT)
    doubts = client.get(url, headers=JSON).json()["doubts"]
    assert "zdenka" in [doubt["word"].lower() for doubt in doubts]
    assert {name for doubt in doubts for name in doubt} == {"word", "shown", "count", "opens", "kept"}
    for keep, there in ((), False), (("Zdenka", "Meadow"), True):
        html = Client().get(make(client, url, keep=keep).json()["path"], headers=HTML).content.decode()
        assert ("We asked Zdenka of " in html) is there
        assert "meadow" not in html.lower()


@BOTH
def test_a_comparison_that_cannot_be_read_is_left_out_and_said_to_be(client, world, incident, shows):
    report = world[2].places.last().report
    report.state = State.FAILED
    report.save(update_fields=["state"])
    made = make(client, address(incident, shows)).json()["path"]
    shown = Client().get(made, headers=JSON).json()
    assert [one[:12] for one in shown["left_out"]] == ["1 comparison"]
    assert "left out" in Client().get(made, headers=HTML).content.decode()
    if shows == Shows.INCIDENT:
        assert (shown["comparisons"], shown["evidence"], shown["verdicts"]) == ([], [], [])


def test_of_the_incident_itself_nothing_is_in_reach(client, owner, incident):
    link_path = make(client, address(incident, Shows.INCIDENT)).json()["path"]
    access = shared(link_path.split("/")[2])
    with pytest.raises(NotFound):
        incident_for(access, incident.pk)
    for under in ("threads/", "search/", "commit/", "trend/", "export.md", "threads/live/"):
        assert Client().get(link_path + under, headers=JSON).status_code == 404, under
    revoke(owner, ShareLink.objects.get())
    assert ShareLink.objects.get().document is None
    assert Client().get(link_path).status_code == 404


def test_for_whom_is_for_the_team_alone(client, incident):
    made = make(client, address(incident, Shows.INCIDENT), for_whom="Vendor Ltd, case 42").json()
    plain = client.post(f"/incidents/{incident.pk}/links/", {"for_whom": "Vendor Ltd, boss"}, headers=JSON).json()
    assert [one["for_whom"] for one in client.get("/links/", headers=JSON).json()["links"]] == [
        "Vendor Ltd, boss",
        "Vendor Ltd, case 42",
    ]
    assert "for Vendor Ltd, case 42" in " ".join(client.get("/links/", headers=HTML).content.decode().split())
    Client().get(plain["path"], headers=HTML)
    log = " ".join(client.get("/audit/", headers=HTML).content.decode().split())
    assert "a link for Vendor Ltd, boss" in log
    assert '">link for Vendor Ltd, boss</a>' in log, "what was seen by it"
    assert b"link for Vendor Ltd, boss" in b"".join(client.get("/audit/lines.csv"))
    for path in (made["path"], plain["path"]):
        for headers in (JSON, HTML):
            assert b"Vendor" not in Client().get(path, headers=headers).content


def test_no_address_tells_how_an_owner_called_a_section(incident):
    own = postmortem_of(incident)
    titles = [{"id": "kestrel", "title": "Of kestrel", "prompt": ""}, {"id": "impact", "title": "I", "prompt": ""}]
    Postmortem.objects.filter(pk=own.pk).update(template=titles)
    own.sections.create(key="kestrel", text="x")
    own = postmortem_of(incident)
    sections = sections_for_outsiders(own, reading_of(own))
    state = ("draft", "", "")
    made = redacted_incident.of_postmortem(
        incident, sections, state, [], names_of(incident, Redaction.new(), people_of(incident)), drafts={}
    )
    assert [one["id"] for one in made["sections"]] == ["section-1", "impact"]


def test_whoever_has_left_is_known_by_all_that_still_names_them(incident):
    own = postmortem_of(incident)
    people = [User.objects.create_user(name) for name in ("quillon", "brannoc", "wystan", "merrin")]
    own.second_reviews.create(reviewer=people[0])
    own.versions.create(number=99, kind="edited", user=people[1])
    Postmortem.objects.filter(pk=own.pk).update(reviewed_by=people[2])
    changes = {"owner": ["tamsyn", "odette"], "role: lead": ["jory, piran", ""], "title": ["ordinary", ""]}
    incident.revisions.create(changes=changes, user=people[3])
    said = "quillon brannoc wystan merrin tamsyn jory piran ordinary"
    left = names_of(incident, Redaction.new(), people_of(incident)).names.hide(said).split()
    assert [word for word in left if word in said.split()] == ["ordinary"]


def test_evidence_of_a_comparison_that_was_detached_is_read_or_left_out(owner, world, incident):
    made = world[2]
    comparisons_and_reports.detach(owner, incident, made.pk, "")
    known = names_of(incident, Redaction.new(), people_of(incident))
    assert "kestrel" not in known.names.hide("on kestrel")
    assert (known.comparisons, known.readable) == (frozenset(), {made.pk})
    report = made.places.last().report
    report.state = State.FAILED
    report.save(update_fields=["state"])
    known = names_of(incident, Redaction.new(), people_of(incident))
    assert (known.comparisons, known.readable) == ({made.pk}, frozenset())


def test_of_tables_stays_what_is_of_a_comparison_that_is_known():
    mine, other = uuid4(), uuid4()
    row = (Cell("a"), Cell("b", comparison=str(mine)))
    tables = [
        LiveTable(Cell("Comparisons"), (), (row, (Cell("c", comparison=str(other)),))),
        LiveTable(Cell("kept", comparison=str(mine), anchor="x"), (), ()),
        LiveTable(Cell("another", comparison=str(other), anchor="x"), (), ()),
        LiveTable(Cell("turned", anchor="x"), (), ()),
    ]
    assert [(one.caption.text, one.rows) for one in only_of(tables, [mine])] == [("Comparisons", (row,)), ("kept", ())]


def test_what_was_drafted_is_left_out_with_what_it_may_quote(client, world, incident):
    url = address(incident, Shows.POSTMORTEM)

    def drafted() -> set[str]:
        sections = client.get(url, headers=JSON).json()["document"]["sections"]
        return {one["id"] for one in sections if one["text"] == redacted_incident.DRAFT_LEFT_OUT}

    assert drafted() == set()
    report = world[2].places.last().report
    report.state = State.FAILED
    report.save(update_fields=["state"])
    found = drafted()
    assert "summary" in found
    assert "went-well" not in found


def drafted_and_left_out(client, incident) -> set[str]:
    sections = client.get(address(incident, Shows.POSTMORTEM), headers=JSON).json()["document"]["sections"]
    return {one["id"] for one in sections if one["text"] == redacted_incident.DRAFT_LEFT_OUT}


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_draft_that_quotes_a_comparison_nothing_is_kept_of_is_left_out(client, owner, world, incident, is_deleted):
    incident.evidence.all().delete()
    world[2].verdicts.all().delete()
    postmortems.draft(owner, incident)
    assert drafted_and_left_out(client, incident) == set()
    comparisons_and_reports.detach(owner, incident, world[2].pk, "")
    if is_deleted:
        comparisons.delete(owner, world[2])
    assert {"summary", "impact"} <= drafted_and_left_out(client, incident)
    postmortems.draft(owner, incident)
    assert drafted_and_left_out(client, incident) == set()


def test_whatever_is_hidden_twice_is_read_once(client, incident, monkeypatch):
    read = []
    monkeypatch.setattr(redacted_links, "reading_of", lambda own: read.append(own) or reading_of(own))
    client.post(address(incident, Shows.POSTMORTEM), {"keep": ["Zdenka"]}, headers=JSON)
    assert len(read) == 1


def test_nobody_looks_without_end(client, incident, monkeypatch):
    monkeypatch.setattr(redacted_links, "MOST_LOOKS", 1)
    url = address(incident, Shows.INCIDENT)
    monkeypatch.setattr(rate_limits, "minute_key", lambda key: key)
    assert [client.get(url, headers=JSON).status_code for _ in "12"] == [200, 429]


def test_what_ended_keeps_no_document_and_for_whom_no_nul(client, owner, incident):
    link, _ = create_link(
        owner, incident, days=1, redaction=Redaction.new(), shows=Shows.INCIDENT, for_whom="A\0B", document={"a": 1}
    )
    assert link.for_whom == "A B"
    assert remove_ended() == 0
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert (remove_ended(), remove_ended()) == (1, 0)
    assert ShareLink.objects.get().document is None
