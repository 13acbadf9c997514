"""The template of a team: which sections its post-mortems have, and that one keeps those it was begun with."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.audit.models import AuditLine
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import Incident
from awrdiff.postmortems import queries, services, templates
from awrdiff.postmortems.errors import NotAsSeen, PostmortemRefused
from awrdiff.postmortems.sections import SECTIONS
from awrdiff.postmortems.templates import TypedSection
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
PATH = "/team/postmortems/"
CHECKLIST = "Ask:\n\n- who was paged\n- <script>alert(1)</script>"
OURS = (
    TypedSection("detection", "How we noticed", CHECKLIST, "2"),
    TypedSection("actions", "Action items", "", "9"),
    TypedSection("", "Customers told", "Who wrote to whom.", "1"),
    TypedSection("impact", "Impact", "Left out.", ""),
)


def begun(access):
    made = incidents.make(access, incidents.Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T12:00"))
    return services.draft(access, made)


def sections(client: Client, found) -> list[tuple[str, str]]:
    told = client.get(f"/incidents/{found.incident_id}/postmortem/", headers=JSON).json()["sections"]
    return [(one["id"], one["title"]) for one in told]


class TestSettingIt:
    def test_without_one_it_is_what_it_always_was(self, owner, sign_in):
        assert sections(sign_in(owner), begun(owner)) == [(one.key, one.title) for one in SECTIONS]
        assert [one.key for one in SECTIONS][:2] == ["summary", "impact"]
        assert "detection" not in {one.key for one in SECTIONS}

    def test_a_new_one_has_its_sections_in_the_order_of_their_places(self, owner, sign_in):
        before = begun(owner)
        templates.set_sections(owner, OURS, seen_version=0)
        client, made = sign_in(owner), begun(owner)
        ours = [("customers-told", "Customers told"), ("detection", "How we noticed"), ("actions", "Action items")]
        assert sections(client, made) == ours
        html = client.get(f"/incidents/{made.incident_id}/postmortem/", headers=HTML).content.decode()
        check_markup(html)
        assert 'value="who was paged"' in html
        assert "<p>Ask:</p>" in html
        assert "<script>alert" not in html
        assert sections(client, before) == [(one.key, one.title) for one in SECTIONS]
        services.draft(owner, before.incident)  # again
        assert sections(client, before) == [(one.key, one.title) for one in SECTIONS]

    def test_its_sections_are_edited_compared_restored_reviewed_and_taken_away(self, owner, sign_in):
        templates.set_sections(owner, OURS, seen_version=0)
        client, made = sign_in(owner), begun(owner)
        path = f"/incidents/{made.incident_id}/postmortem"
        seen = queries.section_for(made, "customers-told").number
        edit = f"{path}/sections/customers-told/"
        assert "Who wrote to whom." in client.get(edit, headers=HTML).content.decode()
        assert client.post(edit, {"text": "Nobody was.", "seen": seen}, headers=JSON).status_code == 200
        assert client.get(f"{path}/sections/impact/", headers=JSON).status_code == 404
        changed = client.get(f"{path}/versions/", headers=JSON).json()
        assert [one["title"] for one in changed["sections"]] == ["Customers told"]
        assert changed["versions"][0]["what"] == "Customers told: edited"
        made = queries.postmortem_of(made.incident)
        services.restore(owner, made, changed["to"], seen_version=changed["to"])
        services.review(owner, made, seen_version=changed["to"])
        assert "## Customers told\n\nNobody was." in client.get(f"{path}.md").content.decode()

    def test_a_new_title_leaves_the_address_of_a_section_as_it_is(self, owner):
        templates.set_sections(owner, OURS, seen_version=0)
        again = [TypedSection("customers-told", "Who was told", "", "1"), TypedSection("", "Customers told", "", "2")]
        templates.set_sections(owner, again, seen_version=1)
        assert [one.key for one in templates.kinds_in(templates.template_of(owner.team))] == [
            "customers-told",
            "customers-told-2",
        ]

    @pytest.mark.parametrize(
        "rows",
        [
            [TypedSection("impact", "Impact", "", "")],
            [TypedSection("impact", " ", "", "1")],
            [TypedSection("impact", "x" * 81, "", "1")],
            [TypedSection("impact", "Impact", "x" * 1001, "1")],
            [TypedSection("impact", "Impact", "", "first")],
            [TypedSection("impact", "Impact", "", "1"), TypedSection("impact", "Again", "", "2")],
            [TypedSection("impact", "Impact", "", "1"), TypedSection("", "impact", "", "2")],
            [TypedSection("../", "Impact", "", "1")],
            [TypedSection("", f"Section {n}", "", "1") for n in range(21)],
        ],
    )
    def test_what_makes_no_document_is_refused(self, owner, rows):
        with pytest.raises(PostmortemRefused):
            templates.set_sections(owner, rows, seen_version=0)
        assert templates.template_of(owner.team) is None

    def test_over_another_owners_change_nothing_is_written(self, owner):
        templates.set_sections(owner, OURS, seen_version=0)
        with pytest.raises(NotAsSeen):
            templates.set_sections(owner, OURS[:1], seen_version=0)
        assert len(templates.kinds_in(templates.template_of(owner.team))) == 3


class TestThePage:
    def test_owners_set_it_and_it_is_in_the_audit_log(self, owner, sign_in):
        client = sign_in(owner)
        html = client.get(PATH, headers=HTML).content.decode()
        check_markup(html)
        assert 'value="Detection"' in html  # offered, and not chosen
        fields = {name: [getattr(one, name) for one in OURS] for name in ("id", "title", "prompt", "place")}
        assert client.post(PATH, {**fields, "seen": "0"}, headers=HTML).status_code == 302
        told = client.get(PATH, headers=JSON).json()
        assert [one["id"] for one in told["sections"]] == ["customers-told", "detection", "actions"]
        assert AuditLine.objects.filter(action="changed", kind="post-mortem template").count() == 1
        refused = client.post(PATH, {**fields, "place": ["", "", "", ""], "seen": "1"}, headers=HTML)
        assert refused.status_code == 400
        assert "How we noticed" in refused.content.decode()  # what was typed is not lost
        assert (
            client.post(PATH, {**fields, "title": ["A", "B", "C", "D"], "seen": "0"}, headers=JSON).status_code == 409
        )

    def test_nobody_else_does(self, sign_in, colleague):
        client = sign_in(colleague)
        assert client.get(PATH, headers=HTML).status_code == 403
        assert client.post(PATH, {"id": "impact", "title": "I", "prompt": "", "place": "1"}).status_code == 403

    def test_a_team_has_its_own(self, owner, stranger):
        templates.set_sections(owner, OURS, seen_version=0)
        assert templates.kinds_in(templates.template_of(stranger.team)) == SECTIONS


class TestTicking:
    @pytest.fixture
    def made(self, owner):
        templates.set_sections(owner, OURS, seen_version=0)
        return begun(owner)

    def test_two_tick_and_it_is_kept_counted_shown_and_taken_away(self, owner, colleague, sign_in, made):
        client, other = sign_in(owner), sign_in(colleague)
        path = f"/incidents/{made.incident_id}/postmortem"
        tick = f"{path}/sections/detection/tick/"
        html = client.get(f"{path}/", headers=HTML).content.decode()
        assert "0 of 2 ticked" in html
        changed = Incident.objects.get().changed_at
        assert client.post(tick, {"tick": "who was paged"}, headers=JSON).status_code == 200
        assert Incident.objects.get().changed_at > changed
        assert other.post(tick, {"tick": "who was paged"}, headers=JSON).status_code == 200  # it is already
        assert other.post(tick, {"tick": "<script>alert(1)</script>"}, headers=JSON).status_code == 200
        assert other.post(tick, {"tick": "who was called"}, headers=JSON).status_code == 409
        told = client.get(f"{path}/", headers=JSON).json()
        lines = next(one["checklist"] for one in told["sections"] if one["id"] == "detection")
        assert [(one["ticked"], one["by"]) for one in lines] == [(True, "olivia"), (True, "carl")]
        html = client.get(f"{path}/", headers=HTML).content.decode()
        check_markup(html)
        assert "2 of 2 ticked" in html
        assert "<script>alert" not in html
        assert "- [x] who was paged (olivia, " in client.get(f"{path}.md").content.decode()
        assert "olivia, " in client.get(f"{path}.html").content.decode()
        assert client.post(tick, {"untick": "who was paged"}, headers=JSON).status_code == 200
        versions = client.get(f"{path}/versions/", headers=JSON).json()["versions"]
        assert [one["reason"].partition(":")[0] for one in versions[:3]] == ["not ticked any more", "ticked", "ticked"]
        services.draft(owner, made.incident)  # again: ticks stay
        assert client.get(f"{path}/", headers=JSON).json()["sections"][1]["checklist"][1]["by"] == "carl"

    def test_who_only_reads_and_what_is_reviewed(self, owner, sign_in, made):
        client, path = sign_in(owner), f"/incidents/{made.incident_id}/postmortem"
        made = queries.postmortem_of(made.incident)
        services.review(owner, made, seen_version=made.version)
        answer = client.post(f"{path}/sections/detection/tick/", {"tick": "who was paged"}, headers=JSON)
        assert answer.status_code == 409
        html = client.get(f"{path}/", headers=HTML).content.decode()
        assert "☐" in html
        assert 'name="tick"' not in html
