"""Links to an incident and to a post-mortem: read by outsiders, who learn no address of the team's."""

from __future__ import annotations

import re
from copy import deepcopy
from uuid import uuid4

import pytest
from django.test import Client

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.token_hashing import hash_token
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.queries import comparison_for
from awrdiff.incidents import comparisons_and_reports, evidence, services, timeline
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incident_for, incidents_for
from awrdiff.incidents.services import Typed
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.models import Postmortem
from awrdiff.sharing.access import shared
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.sharing.services import create_link, revoke
from awrdiff.web import links
from tests.web.conftest import context_of, store_report
from tests.web.pages import check_markup
from tests.web.postmortems import CONFIRMED, REJECTED, UNDECIDED, Told, told
from tests.web.reach import walked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}
HOSTILE = "<script>alert(1)</script>"
# Of members: an address, or the id of anything that has one.
OF_MEMBERS = re.compile(
    rb"/(reports|comparisons|incidents|actions|links|people|team|audit)/|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-", re.I
)
KINDS = (Shows.INCIDENT, Shows.POSTMORTEM)


@pytest.fixture(scope="module")
def world(lasting) -> Told:
    with lasting():
        return _world(context_of("olivia", "Payments"))


def _world(owner: AccessContext) -> Told:
    """With hostile texts, addresses of members in what people typed, and a report attached by itself."""
    made = told(owner, [store_report(owner, "first.html"), store_report(owner, "second.html")], hostile=HOSTILE)
    comparisons_and_reports.attach_report(owner, made.incident, store_report(owner, "alone.html"))
    own = f"http://testserver/comparisons/{made.comparison.pk}/?pair=1#{made.row}"
    timeline.add(owner, made.incident, timeline.TypedEvent("2018-01-11T14:07", f"See {own} for this, then go on."))
    kept = made.incident.evidence.get()
    evidence.annotate(owner, kept, f"as in /incidents/{made.incident.pk}/postmortem/", "")
    return made


@pytest.fixture
def case(owner, world) -> Told:
    return deepcopy(world)


@pytest.fixture
def drafted(owner, case) -> Postmortem:
    found = postmortems.draft(owner, case.incident)
    pasted = f"Read [this](http://testserver/comparisons/{case.comparison.pk}/), or <b>nothing</b>."
    postmortems.save(owner, found, "went-well", pasted, base=found.sections.get(key="went-well").number)
    return found


def path_to(owner, incident: Incident, shows: Shows) -> str:
    return links.shared(create_link(owner, incident, days=7, shows=shows)[1])


@pytest.fixture(params=KINDS)
def path(request, owner, case, drafted) -> str:
    return path_to(owner, case.incident, request.param)


def page(client: Client, url: str) -> str:
    answer = client.get(url, headers=HTML)
    assert answer.status_code == 200
    html = answer.content.decode()
    check_markup(html)
    return html


def test_no_byte_below_it_leads_to_a_page_of_members(path):
    seen = list(walked(Client(), path, most=12))
    assert len(seen) >= 3
    for url, status, data in seen:
        assert status == 200, url
        assert not OF_MEMBERS.search(data), (url, OF_MEMBERS.search(data))
        for words in (b"<form", b"csrfmiddlewaretoken", b"data-share", b"hx-get"):
            assert words not in data, (url, words)
        assert b"application/json" in data or HOSTILE.encode() not in data


@pytest.mark.parametrize("ending", ["md", "html"])
def test_no_byte_of_its_files_either(owner, case, drafted, ending):
    answer = Client().get(f"{path_to(owner, case.incident, Shows.POSTMORTEM)}export.{ending}")
    assert answer.status_code == 200
    assert not OF_MEMBERS.search(answer.content), OF_MEMBERS.search(answer.content)
    assert "/s/" not in answer.content.decode()  # nor the link itself, which the file would hand on
    assert answer["Content-Disposition"].endswith(f'.{ending}"')
    assert CONFIRMED in answer.content.decode().replace("\\", "")


def test_addresses_of_other_sites_stay(owner, case, drafted):
    """Also where they are built as ours are; ours go by whatever name they were pasted."""
    elsewhere = f"https://tickets.example/incidents/{uuid4()}"
    ours = f"https://tickets.example/incidents/{case.incident.pk}/edit/"
    timeline.add(owner, case.incident, timeline.TypedEvent("2018-01-11T14:09", f"{elsewhere} and {ours} say why"))
    html = page(Client(), path_to(owner, case.incident, Shows.INCIDENT))
    assert elsewhere in html
    assert "https://tickets.example/ say why" in html
    assert str(case.incident.pk) not in html


def test_the_members_own_pages_do_have_such_addresses(sign_in, owner, case, drafted):
    """Or the tests above could not fail."""
    client = sign_in(owner)
    for url in (f"/incidents/{case.incident.pk}/", f"/incidents/{case.incident.pk}/postmortem/"):
        assert OF_MEMBERS.search(client.get(url).content)
        assert OF_MEMBERS.search(client.get(url, headers=JSON).content)
    for ending in ("md", "html"):
        assert OF_MEMBERS.search(client.get(f"/incidents/{case.incident.pk}/postmortem.{ending}").content)


def test_an_incident_is_read_with_all_that_is_said_of_it(owner, case):
    html = page(Client(), path_to(owner, case.incident, Shows.INCIDENT))
    assert "Shared read-only view, valid until" in html
    for words in (
        "Receipts were slow",
        "severity 2 high",
        "Europe/Vienna",
        "Nobody could print a receipt.",
        "The incident and the windows compared",
        "Failover",
        "See http://testserver/ for this, then go on.",
        "Bind the literals",
        "log file sync",
        "as in /",
        f"<s>{REJECTED}</s>",
        "Because the array was idle",
        "olivia",
        "https://tickets.example/1?a=1&amp;b=2",
    ):
        assert words in html, words


def test_what_the_team_clicked_is_not_shown_below_the_link(owner, case):
    html = page(Client(), path_to(owner, case.incident, Shows.INCIDENT))
    assert "Failover" in html
    for clicked in ("Comparison made", "Comparison attached", "Kept as evidence"):
        assert clicked not in html


def test_its_json_says_the_same(owner, case):
    found = Client().get(path_to(owner, case.incident, Shows.INCIDENT), headers=JSON).json()
    assert (found["title"][:18], found["severity"], found["status"]) == ("Receipts were slow", 2, "open")
    assert [one["role"] for one in found["roles"]] == ["lead"]
    assert [list(one) for one in found["comparisons"]] == [["title", "incident_hour"]]
    assert {one["state"] for one in found["verdicts"]} == {"confirmed", "rejected", "explained_by"}
    assert found["evidence"][0]["then"]


def test_a_post_mortem_is_a_draft_until_it_is_reviewed_and_frozen_from_then_on(owner, case, drafted):
    path = path_to(owner, case.incident, Shows.POSTMORTEM)
    html = page(Client(), path)
    assert '<span class="tag plain">draft</span>' in html
    assert "A draft: not reviewed yet." in Client().get(f"{path}export.md").content.decode()
    assert CONFIRMED in html
    assert UNDECIDED not in html
    assert Client().get(path, headers=JSON).json()["state"] == "draft"
    drafted.refresh_from_db()
    postmortems.review(owner, drafted, seen_version=drafted.version)
    timeline.add(owner, case.incident, timeline.TypedEvent("2018-01-11T14:08", "After the review"))
    html = page(Client(), path)
    said = html[html.index('<p class="dim">') :].split("</p>")[0]
    assert said.lower().count("reviewed") == 1
    assert "After the review" not in html
    assert Client().get(path, headers=JSON).json()["state"] == "reviewed"


def test_an_empty_section_asks_no_outsider_to_fill_it(owner, case):
    postmortems.draft(owner, case.incident)
    assert ">None.<" in page(Client(), path_to(owner, case.incident, Shows.POSTMORTEM))


def test_a_post_mortem_that_is_not_there_is_not_shared(sign_in, owner, case):
    answer = sign_in(owner).post(f"/incidents/{case.incident.pk}/postmortem/links/", headers=JSON)
    assert (answer.status_code, ShareLink.objects.count()) == (404, 0)
    assert answer.json()["error"] == "The incident has no post-mortem yet: draft one on its page."


@pytest.mark.parametrize(("under", "what"), [("", "incident"), ("postmortem/", "post-mortem")])
def test_members_make_one_on_its_page(sign_in, owner, case, drafted, under, what):
    client = sign_in(owner)
    base = f"/incidents/{case.incident.pk}/{under}"
    made = client.post(f"{base}links/", {"days": "1"}, headers=JSON).json()
    assert Client().get(made["path"]).status_code == 200
    html = page(client, base)
    assert f'data-url="{base}links/"' in html
    assert f"Share this {what}" in html
    assert f'href="{base}redacted/"' in html
    assert 'name="redact"' not in html
    assert ('name="comment"' in html) is (what == "incident")
    assert [one["id"] for one in client.get(f"{base}links/", headers=JSON).json()["links"]] == [made["id"]]
    assert f'hx-get="{base}links/"' in html
    listed = client.get(f"{base}links/", headers={"HX-Request": "true"}).content.decode()
    assert listed.count(f'data-link="{made["id"]}"') == 1
    refused = client.post(f"{base}links/", {"redact": "yes"}, headers=JSON)
    assert (refused.status_code, ShareLink.objects.count()) == (400, 1)
    assert "look at what becomes of the names first" in refused.json()["error"]


def test_the_two_kinds_are_told_apart(owner, case, drafted):
    incident = path_to(owner, case.incident, Shows.INCIDENT)
    document = path_to(owner, case.incident, Shows.POSTMORTEM)
    assert Client().get(f"{incident}export.md").status_code == 404
    assert "timeline-h" in page(Client(), incident)
    assert "postmortem" in page(Client(), document)
    assert "inc-head" not in page(Client(), document)
    assert Client().get(f"{document}export.json").status_code == 404


def test_it_opens_its_own_incident_and_nothing_else_of_the_team(owner, case):
    other = services.make(owner, Typed("Another", begins_at="2024-01-01T11:05"))
    access = shared(create_link(owner, case.incident, days=1, shows=Shows.INCIDENT)[1])
    assert incident_for(access, case.incident.pk) == case.incident
    assert not incidents_for(access).exists()
    with pytest.raises(NotFound):
        incident_for(access, other.pk)
    with pytest.raises(NotFound):
        comparison_for(access, case.comparison.pk)


def test_of_another_team_it_opens_nothing(stranger, case):
    ShareLink.objects.create(
        team=stranger.team, shows=Shows.INCIDENT, incident=case.incident, token_hash=hash_token("t")
    )
    assert Client().get("/s/t/").status_code == 404


def test_a_link_to_a_comparison_shows_nothing_of_the_incident_it_is_in(owner, case):
    access = shared(create_link(owner, case.comparison, days=1)[1])
    with pytest.raises(NotFound):
        incident_for(access, case.incident.pk)


def test_the_audit_log_says_by_which_link_it_was_seen_and_taken_away(owner, case, drafted):
    path = path_to(owner, case.incident, Shows.POSTMORTEM)
    Client().get(path)
    Client().get(f"{path}export.html")
    who = f"link {ShareLink.objects.get().pk}"
    done = AuditLine.objects.filter(who=who).order_by("pk").values_list("action", "kind", "thing")
    assert list(done) == [(action, "incident", str(case.incident.pk)) for action in ("saw", "exported")]
    assert ShareLink.objects.get().uses == 1


def test_the_list_of_the_team_names_them(sign_in, owner, case, drafted):
    for shows in KINDS:
        create_link(owner, case.incident, days=1, shows=shows)
    client = sign_in(owner)
    listed = client.get("/links/", headers=JSON).json()["links"]
    assert {(one["shows"], one["incident"]) for one in listed} == {(s.value, str(case.incident.pk)) for s in KINDS}
    html = page(client, "/links/")
    for url in (f"/incidents/{case.incident.pk}/", f"/incidents/{case.incident.pk}/postmortem/"):
        assert f'href="{url}"' in html


def test_whoever_deletes_the_incident_is_told_which_links_go(sign_in, owner, case, drafted):
    paths = [path_to(owner, case.incident, shows) for shows in KINDS]
    gone, _ = create_link(owner, case.incident, days=1, shows=Shows.INCIDENT)
    revoke(owner, gone)
    client = sign_in(owner)
    html = page(client, f"/incidents/{case.incident.pk}/delete/")
    assert "its 2 share links: whoever holds one is told that it does not exist" in " ".join(html.split())
    assert client.post(f"/incidents/{case.incident.pk}/delete/", headers=JSON).status_code == 204
    assert not ShareLink.objects.exists()
    assert [Client().get(path).status_code for path in paths] == [404, 404]


def test_the_page_takes_few_queries(owner, case, drafted, django_assert_max_num_queries):
    path = path_to(owner, case.incident, Shows.INCIDENT)
    Client().get(path)
    with django_assert_max_num_queries(19):  # two of them because the test is a transaction already
        Client().get(path)
