"""The post-mortem: drafted of what is confirmed, edited, compared, restored, frozen, opened again, taken away."""

from __future__ import annotations

import re
from copy import deepcopy

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.comparisons import anchors
from awrdiff.comparisons import queries as comparisons
from awrdiff.comparisons.models import REVERSE
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, timeline
from awrdiff.incidents import services as incidents
from awrdiff.incidents.field_validation import zone_of
from awrdiff.incidents.models import Evidence, Incident
from awrdiff.postmortems import queries, services
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused
from awrdiff.postmortems.models import Postmortem, PostmortemVersion
from awrdiff.postmortems.sections import SECTIONS
from tests.web import postmortems
from tests.web.conftest import context_of, store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.postmortems import BY_UNDECIDED, CONFIRMED, EXPLAINED, REJECTED, UNDECIDED, Told, findings, told

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def world(lasting) -> Told:
    with lasting():
        owner = context_of("olivia", "Payments")
        return told(owner, [store_report(owner, "first.html"), store_report(owner, "second.html", waits=250.0)])


@pytest.fixture
def case(owner, world) -> Told:
    return deepcopy(world)


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def base(case) -> str:
    return f"/incidents/{case.incident.pk}/postmortem/"


@pytest.fixture
def drafted(owner, case) -> Postmortem:
    return services.draft(owner, case.incident)


def text(found: Postmortem, key: str) -> str:
    return queries.section_for(found, key).text


def number(found: Postmortem, key: str) -> int:
    return queries.section_for(found, key).number


def again(found: Postmortem) -> Postmortem:
    return Postmortem.objects.get(pk=found.pk)


def edit(access, found, key, said):
    return services.save(access, found, key, said, base=number(found, key))


class TestTheDraft:
    def test_it_has_all_sections_in_their_order(self, client, base):
        made = client.post(base, headers=JSON)
        assert (made.status_code, made.json()["state"]) == (201, "draft")
        assert [one["id"] for one in made.json()["sections"]] == [one.key for one in SECTIONS]

    def test_what_the_incident_has_none_of_is_said_to_be_none(self, client, base, case, drafted):
        case.incident.actions.all().delete()
        page = client.get(base, headers=HTML).content.decode()
        section = page[page.index('id="actions"') : page.index('id="participants"')]
        assert '<p class="dim">None.</p>' in section

    def test_causes_are_what_was_confirmed_and_nothing_else(self, drafted):
        today = timezone.now().astimezone(zone_of(drafted.incident.time_zone))
        causes, day = text(drafted, "causes"), f"{today.day} {today:%b %Y}"
        cause, ruled_out, explained = re.split(r"Ruled out:|Explained by something else:", causes)
        assert f"**{CONFIRMED}**" in cause
        assert "Confirmed by olivia as dba" in cause
        assert "seen in the traces" in cause
        assert REJECTED in ruled_out
        assert re.search(r"Ruled out by olivia on \d+ \w+ \d{4}, because the array was idle", ruled_out)
        assert f"{EXPLAINED} Explained by “{CONFIRMED.rstrip('.')}” (olivia, {day}): it follows" in explained
        assert (
            f"{BY_UNDECIDED} Explained by another finding, which is not confirmed (olivia, {day}): it follows"
            in explained
        )
        assert UNDECIDED not in causes
        for title in (REJECTED, EXPLAINED, BY_UNDECIDED):
            assert title not in cause

    def test_what_nobody_confirmed_stands_nowhere_in_the_document(self, client, base, drafted):
        for address in (base, f"{base[:-1]}.md", f"{base[:-1]}.html"):
            assert UNDECIDED not in client.get(address, headers=HTML).content.decode()

    def test_without_a_verdict_no_cause_is_confirmed(self, owner, case):
        for one in findings():
            withdrawn = finding_verdicts.TypedVerdict(anchors.of_finding(one), "withdrawn")
            if one.title != UNDECIDED:
                finding_verdicts.give(owner, case.comparison, withdrawn)
        causes = text(services.draft(owner, case.incident), "causes")
        assert causes == "No cause has been confirmed."

    def test_a_comparison_is_called_as_on_the_incident(self, client, owner, case):
        type(case.comparison).objects.update(title="")
        page = client.get(f"/incidents/{case.incident.pk}/", headers={"Accept": "application/json"}).json()
        (called,) = (one["title"] for one in page["comparisons"])
        assert re.search(r"\d{4} \d\d:\d\d – \d\d:\d\d → ", called)
        impact = text(services.draft(owner, case.incident), "impact")
        assert f"Compared: {called}." in "".join(text(Postmortem.objects.get(), key) for key in ("summary", "impact"))
        assert f"- {called}: " in impact

    def test_the_impact_is_in_figures(self, drafted):
        impact = text(drafted, "impact")
        assert "Filed under: 11 Jan 2018 13:40 – 15:10 (Europe/Vienna); nobody has set when" in impact
        assert "90 min" not in impact
        assert re.search(r"average active sessions 3\.8 → 81\.4", impact)

    def test_of_what_was_kept_the_ranked_figures_are_told(self, owner, case, monkeypatch):
        from awrdiff.analysis.model.estimates_and_evidence import Evidence
        from awrdiff.analysis.model.ranked_changes import Mover, Range, Ranked, Sessions, Subject

        place = Evidence(postmortems.WAITS, "log file sync", "total_wait_time_s", case.row.split("/")[1])
        rise = Sessions(Range(0.08, 0.08), Range(2.5, 2.6))
        movers = (
            Mover(Subject("event", "log file sync"), "part", rise, 2.4, "worse", evidence=place),
            Mover(Subject("event", "other"), "part", rise, 2.4, "worse"),
        )
        monkeypatch.setattr(comparisons, "movers_of", lambda *_: Ranked(1.0, 2.0, 2.0, movers))
        impact = text(services.draft(owner, case.incident), "impact")
        assert "  - log file sync: active sessions 0.08 → 2.5 … 2.6" in impact
        assert "other" not in impact

    def test_participants_are_those_with_roles_and_whoever_did_something(self, owner, colleague, case):
        timeline.add(colleague, case.incident, timeline.TypedEvent("2018-01-11T14:10", "Looked"))
        assert text(services.draft(owner, case.incident), "participants") == "- olivia: lead\n- carl"

    def test_again_replaces_only_what_nobody_edited(self, owner, case, drafted):
        edit(owner, drafted, "impact", "Nobody noticed.")
        incidents.update(owner, case.incident, Incident.objects.get().version, typed(summary="Otherwise."))
        made = services.draft(owner, case.incident)
        assert text(made, "impact") == "Nobody noticed."
        assert text(made, "summary").startswith("Otherwise.")

    def test_again_without_a_change_is_no_version(self, owner, case, drafted):
        assert services.draft(owner, case.incident).version == drafted.version == len(SECTIONS)
        assert Postmortem.objects.count() == 1


def typed(**more):
    fields = {
        "title": "Receipts were slow",
        "begins_at": "2018-01-11T13:40",
        "ends_at": "2018-01-11T15:10",
        "time_zone": "Europe/Vienna",
    }
    return incidents.Typed(**{**fields, **more})


class TestEditing:
    def test_a_section_is_saved_with_who_and_when(self, client, base, drafted):
        answer = save(client, base, "went-well", "The *failover*.\r\nIt took a minute.  ", number(drafted, "went-well"))
        assert answer.status_code == 200
        assert answer.json()["text"] == "The *failover*.\nIt took a minute."
        version = PostmortemVersion.objects.get(number=again(drafted).version)
        assert (version.kind, version.section, version.user.username) == ("edited", "went-well", "olivia")
        assert "The <em>failover</em>." in client.get(base, headers=HTML).content.decode()

    def test_sent_twice_it_is_one_version(self, client, base, drafted):
        seen = number(drafted, "impact")
        first = save(client, base, "impact", "Once.", seen)
        second = save(client, base, "impact", "Once.", seen)
        assert first.json() == second.json()
        assert again(drafted).version == drafted.version + 1

    def test_who_saves_over_anothers_change_is_told_and_sees_both(self, client, sign_in, colleague, base, drafted):
        seen = number(drafted, "impact")
        save(sign_in(colleague), base, "impact", "Carl's words.", seen)
        answer = save(client, base, "impact", "Olivia's words.", seen)
        assert answer.status_code == 409
        assert (answer.json()["now"]["text"], answer.json()["typed"]) == ("Carl's words.", "Olivia's words.")
        page = client.post(f"{base}sections/impact/", {"text": "Olivia's words.", "seen": seen}, headers=HTML)
        html = page.content.decode()
        check_markup(html)
        assert page.status_code == 409
        assert "As carl saved it" in html
        assert html.count("Carl&#x27;s words.") == 2
        assert re.search(r"<textarea[^>]*>\s*Olivia&#x27;s words.</textarea>", html)
        (now,) = re.findall(r'name="seen" value="(\d+)"', html)
        assert save(client, base, "impact", "Both.", int(now)).status_code == 200
        kept = list(PostmortemVersion.objects.filter(section="impact").values_list("text", flat=True))
        assert kept[:2] == ["Both.", "Carl's words."]

    @pytest.mark.parametrize("said", ["x" * 20_001, "\n" * 999 + "\nx"])
    def test_too_much_is_refused(self, client, base, drafted, said):
        seen = number(drafted, "impact")
        answer = save(client, base, "impact", said, seen)
        assert (answer.status_code, again(drafted).version) == (400, drafted.version)
        page = client.post(f"{base}sections/impact/", {"text": said, "seen": seen}, headers=HTML)
        assert page.status_code == 400
        assert page.context["text"] == said  # what was typed is not lost

    def test_there_is_a_limit_of_versions(self, owner, drafted, monkeypatch):
        monkeypatch.setattr(services, "MOST_VERSIONS", drafted.version)
        with pytest.raises(PostmortemRefused, match="at most 8 versions"):
            edit(owner, drafted, "impact", "One more.")

    def test_there_is_no_such_section(self, client, base, drafted):
        for address in ("sections/none/", "versions/99/", "versions/0/", f"versions/{10**30}/"):
            assert client.get(base + address).status_code == 404, address
        assert client.get(f"{base}versions/?from=1&to=99").status_code == 404
        assert client.get(f"{base[:-1]}.pdf").status_code == 404

    def test_a_preview_saves_nothing(self, client, base, drafted):
        fields = {"text": "**Bold** words", "seen": "1", "preview": "1"}
        html = client.post(f"{base}sections/impact/", fields, headers=HTML).content.decode()
        assert "<strong>Bold</strong> words" in html
        assert "**Bold** words</textarea>" in html
        assert again(drafted).version == drafted.version

    @pytest.mark.parametrize("said", ["\x00", "\ud800"])
    def test_what_no_database_takes_is_replaced(self, owner, drafted, said):
        assert edit(owner, drafted, "impact", f"a{said}b").text in ("a b", "a�b")


def save(client: Client, base: str, key: str, said: str, seen: int):
    return client.post(f"{base}sections/{key}/", {"text": said, "seen": seen}, headers=JSON)


class TestVersions:
    def test_two_are_compared_line_by_line(self, client, owner, base, drafted):
        edit(owner, drafted, "impact", "one\ntwo\nthree")
        before = again(drafted).version
        edit(owner, drafted, "impact", "one\n2\nthree\nfour")
        found = client.get(f"{base}versions/?from={before}&to={before + 1}", headers=JSON).json()["sections"]
        lines = [(one["sign"], one["before"], one["after"], one["text"]) for one in found[0]["lines"]]
        assert lines == [
            ("", 1, 1, "one"),
            ("−", 2, None, "two"),
            ("+", None, 2, "2"),
            ("", 3, 3, "three"),
            ("+", None, 4, "four"),
        ]
        html = client.get(f"{base}versions/?from={before}&to={before + 1}", headers=HTML).content.decode()
        check_markup(html)
        assert "<del>two</del>" in html
        assert "<ins>2</ins>" in html

    def test_any_two_over_several_sections(self, client, owner, base, drafted):
        edit(owner, drafted, "impact", "I.")
        edit(owner, drafted, "went-well", "W.")
        changed = client.get(f"{base}versions/?from={drafted.version}&to={drafted.version + 2}", headers=JSON).json()
        assert [one["id"] for one in changed["sections"]] == ["impact", "went-well"]

    def test_what_would_be_drafted_now_is_a_click_away(self, client, owner, case, base, drafted):
        incidents.update(owner, case.incident, Incident.objects.get().version, typed(summary="Otherwise."))
        assert "The incident says otherwise now" in client.get(base, headers=HTML).content.decode()
        found = client.get(f"{base}versions/?to=draft", headers=JSON).json()
        assert [one["id"] for one in found["sections"]] == ["summary"]
        assert client.get(f"{base}versions/?to=draft", headers=HTML).status_code == 200

    def test_a_version_is_restored_as_a_new_one(self, client, owner, base, drafted):
        was = text(drafted, "causes")
        edit(owner, drafted, "causes", "It was me.")
        edited, now = number(drafted, "causes"), again(drafted).version
        answer = client.post(f"{base}versions/{5}/restore/", {"seen": now}, headers=JSON)
        assert answer.json()["text"] == was
        assert not answer.json()["by_hand"]
        answer = client.post(f"{base}versions/{edited}/restore/", {"seen": now + 1}, headers=JSON)
        assert (answer.json()["text"], answer.json()["by_hand"]) == ("It was me.", True)
        assert again(drafted).version == now + 2

    def test_restoring_over_anothers_change_is_refused(self, owner, colleague, drafted):
        seen = again(drafted).version
        edit(colleague, drafted, "causes", "Carl's.")
        with pytest.raises(NotAsSeen, match="has been changed"):
            services.restore(owner, drafted, 1 + [one.key for one in SECTIONS].index("causes"), seen_version=seen)

    def test_the_whole_document_as_it_was(self, client, owner, base, drafted):
        edit(owner, drafted, "impact", "Later words.")
        was = client.get(f"{base}versions/{drafted.version}/", headers=HTML).content.decode()
        check_markup(was)
        assert "Later words." not in was
        assert "Later words." in client.get(f"{base}versions/{drafted.version + 1}/", headers=JSON).content.decode()

    def test_none_is_ever_changed(self, owner, drafted):
        def all_of():
            fields = ("number", "kind", "section", "text", "by_hand", "user", "at", "live")
            return list(PostmortemVersion.objects.order_by("number").values_list(*fields))

        before = all_of()
        edit(owner, drafted, "impact", "a")
        services.restore(owner, drafted, 2, seen_version=again(drafted).version)
        services.review(owner, drafted, seen_version=again(drafted).version)
        services.reopen(owner, drafted, "a slip")
        assert all_of()[: len(before)] == before


class TestReview:
    def test_it_is_frozen_with_the_tables_as_they_are(self, client, owner, case, base, drafted):
        services.review(owner, drafted, seen_version=drafted.version)
        as_reviewed = client.get(base, headers=JSON).json()
        timeline.add(owner, case.incident, timeline.TypedEvent("2018-01-11T14:20", "Too late to be told"))
        action_items.add(owner, case.incident, action_items.TypedAction("Another one"))
        assert client.get(base, headers=JSON).json() == as_reviewed
        html = client.get(base, headers=HTML).content.decode()
        check_markup(html)
        assert "Reviewed on" in html
        assert "What helped, and should be kept." not in html
        assert "Another one" not in html
        assert "Bind the literals" in html
        assert Incident.objects.get().status == "reviewed"

    @pytest.mark.parametrize("act", ["save", "restore", "draft"])
    def test_nothing_in_it_changes(self, owner, case, drafted, act):
        edit(owner, drafted, "impact", "Said.")
        services.review(owner, drafted, seen_version=again(drafted).version)
        version = again(drafted).version
        acts = {
            "save": lambda: edit(owner, drafted, "impact", "Unsaid."),
            "restore": lambda: services.restore(owner, drafted, 2, seen_version=version),
            "draft": lambda: services.draft(owner, case.incident),
        }
        with pytest.raises(Frozen, match="Open it again"):
            acts[act]()
        assert again(drafted).version == version

    def test_what_was_not_read_is_not_reviewed(self, client, owner, base, drafted):
        edit(owner, drafted, "impact", "Unread.")
        answer = client.post(f"{base}review/", {"seen": drafted.version}, headers=JSON)
        assert (answer.status_code, again(drafted).is_frozen) == (409, False)

    def test_a_draft_that_the_incident_has_left_behind_is_not_reviewed(self, owner, case, drafted):
        rejected = finding_verdicts.TypedVerdict(anchors.of_finding(findings()[0]), "rejected", why="we were wrong")
        finding_verdicts.give(owner, case.comparison, rejected)
        with pytest.raises(NotAsSeen, match=r"otherwise now \(Causes\)"):
            services.review(owner, drafted, seen_version=drafted.version)
        made = services.draft(owner, case.incident)
        assert services.review(owner, made, seen_version=made.version).is_frozen

    def test_what_was_written_by_hand_need_not_say_what_the_incident_does(self, owner, case, drafted):
        edit(owner, drafted, "summary", "In our own words.")
        incidents.update(owner, case.incident, Incident.objects.get().version, typed(summary="Otherwise."))
        assert services.review(owner, drafted, seen_version=again(drafted).version).is_frozen
        assert text(drafted, "summary") == "In our own words."

    def test_an_incident_that_goes_on_is_not_reviewed(self, owner):
        incident = incidents.make(owner, incidents.Typed("It goes on", begins_at="2018-01-11T13:40"))
        made = services.draft(owner, incident)
        assert "since 11 Jan 2018 13:40" in text(made, "impact")
        with pytest.raises(PostmortemRefused, match="no end yet"):
            services.review(owner, made, seen_version=made.version)

    def test_twice_is_once(self, owner, drafted):
        first = services.review(owner, drafted, seen_version=drafted.version)
        assert services.review(owner, drafted, seen_version=drafted.version).version == first.version

    def test_it_is_opened_again_with_a_reason(self, client, owner, case, base, drafted):
        services.review(owner, drafted, seen_version=drafted.version)
        for reason in ("", "  ", "x" * 501):
            assert client.post(f"{base}reopen/", {"reason": reason}, headers=JSON).status_code == 400
        answer = client.post(f"{base}reopen/", {"reason": "A <b>figure</b> was wrong"}, headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (200, "draft")
        assert Incident.objects.get().status == "resolved"
        html = client.get(f"{base}versions/", headers=HTML).content.decode()
        assert "A &lt;b&gt;figure&lt;/b&gt; was wrong" in html
        assert "Opened again" in html
        action_items.add(owner, case.incident, action_items.TypedAction("Another one"))
        assert "Another one" in client.get(base, headers=HTML).content.decode()
        edit(owner, drafted, "impact", "Corrected.")

    def test_two_reviews_are_compared_with_their_tables(self, client, owner, case, base, drafted):
        first = services.review(owner, drafted, seen_version=drafted.version).version
        services.reopen(owner, drafted, "one action was missing")
        action_items.add(owner, case.incident, action_items.TypedAction("Another one"))
        second = services.review(owner, drafted, seen_version=again(drafted).version).version
        found = client.get(f"{base}versions/?from={first}&to={second}", headers=JSON).json()["sections"]
        new = [one["text"] for part in found if part["id"] == "actions" for one in part["lines"] if one["sign"] == "+"]
        assert new == ["Another one | nobody | – | Open | "]


class TestWhoMay:
    def test_the_team_and_nobody_else(self, sign_in, colleague, stranger, guest, base, drafted):
        assert sign_in(colleague).get(base).status_code == 200
        for who in (stranger, guest):
            client = sign_in(who)
            assert client.get(base).status_code == 404
            assert save(client, base, "impact", "Mine.", 1).status_code == 404
        assert "Mine." not in text(drafted, "impact")

    def test_before_it_is_drafted_the_page_offers_that(self, client, base):
        assert client.get(base, headers=JSON).status_code == 404
        html = client.get(base, headers=HTML).content.decode()
        check_markup(html)
        assert "Draft the post-mortem" in html
        assert client.get(f"{base}versions/").status_code == 404

    def test_it_goes_with_the_incident(self, owner, case, drafted):
        incidents.delete(owner, case.incident)
        assert not Postmortem.objects.exists()
        assert not PostmortemVersion.objects.exists()


def test_the_timeline_has_what_the_incident_knows(client, base, drafted):
    (table,) = client.get(base, headers=JSON).json()["sections"][2]["tables"]
    said = [(row[0], row[1]) for row in table["rows"]]
    assert said[:3] == [
        ("11 Jan 2018 13:40", "The incident begins"),
        ("11 Jan 2018 14:05", "Failover"),
        ("11 Jan 2018 15:10", "The incident ends"),
    ]
    assert not [text for _, text in said if text.startswith(("Confirmed: ", "Rejected: ", "Comparison attached"))]
    assert "taken to be in that of the incident" in table["note"]
    assert any(text.startswith("Compared, until ") for _, text in said)


def test_versions_are_listed_by_the_hundred(client, owner, base, drafted, monkeypatch):
    from awrdiff.web.views import postmortems as views

    monkeypatch.setattr(views, "EACH", 5)
    first, second = (client.get(f"{base}versions/?page={n}", headers=JSON).json()["versions"] for n in (1, 2))
    assert [one["number"] for one in (*first, *second)] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert "Older versions" in client.get(f"{base}versions/", headers=HTML).content.decode()


def own_queries(client, path: str) -> list[str]:
    """Without those of the bar of every page, and of the audit log once an hour."""
    beside = ("notices_notice", "audit_auditline", "SAVEPOINT")
    with CaptureQueriesContext(connection) as found:
        assert client.get(path, headers=HTML).status_code == 200
    return [one["sql"] for one in found if not any(word in one["sql"] for word in beside)]


def test_the_page_asks_few_queries(client, owner, case, reports, base, drafted):
    """However many comparisons, events, actions and pieces of evidence."""
    few = own_queries(client, base)
    for n in range(6):
        timeline.add(owner, case.incident, timeline.TypedEvent(f"2018-01-11T14:{10 + n}", f"Event {n}"))
        action_items.add(owner, case.incident, action_items.TypedAction(f"Action {n}", str(owner.user.pk)))
        another = store_comparison(owner, reports)
        comparisons_and_reports.attach(owner, case.incident, another, "Another")
        for anchor in (case.row, postmortems.WAITS, "time", "summary"):
            evidence.keep(owner, case.incident, another, anchor)
    many = own_queries(client, base)
    assert len(few) <= len(many) <= 19, many
    assert client.get(base, headers=HTML).content.decode().count("rows changed") == 6


def test_evidence_of_many_places_is_read_with_few_queries(client, owner, case, reports):
    """Also where some is not there any more."""

    def another(at: str, **more) -> Evidence:
        made = store_comparison(owner, reports)
        comparisons_and_reports.attach(owner, case.incident, made, "Another")
        kept = evidence.keep(owner, case.incident, made, at)
        Evidence.objects.filter(pk=kept.pk).update(**more)
        return kept

    another(postmortems.WAITS, pair=REVERSE)  # which an older version has not computed
    another(case.row, anchor=f"{postmortems.WAITS}/0000000000000000")
    path = f"/incidents/{case.incident.pk}/evidence/"
    shown = client.get(path, headers=JSON).json()["evidence"]
    assert [one["gone"] for one in shown] == [False, True, True]
    few = own_queries(client, path)
    for anchor in (case.row, "commit", "time", postmortems.WAITS):
        another(anchor)
    many = own_queries(client, path)
    assert len(client.get(path, headers=JSON).json()["evidence"]) == 7
    assert len(few) <= len(many) <= 13, many
