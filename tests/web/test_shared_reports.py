"""Links to a report: its pages, whole and read-only, and nothing beside it."""

from __future__ import annotations

import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from awrdiff.accounts.access import NotFound
from awrdiff.accounts.token_hashing import hash_token
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.services import create_comparison
from awrdiff.processing.models import State
from awrdiff.reports import lgwr_traces
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.reports.queries import report_for, reports_for
from awrdiff.sharing import services
from awrdiff.sharing.access import shared
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.web import links
from tests.web.cast import stored_trace
from tests.web.conftest import store_report
from tests.web.pages import check_markup
from tests.web.reach import walked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
OF_MEMBERS = re.compile(rb"/(reports|comparisons|incidents|links|people|postmortem)/")


@pytest.fixture
def report(owner) -> Report:
    found = store_report(owner, "a.html", extra_rows=250)
    lgwr_traces.attach(owner, found, stored_trace(owner, "lgwr.trc", 1500))
    return found


@pytest.fixture
def token(owner, report) -> str:
    return services.create_link(owner, report, days=7, shows=Shows.REPORT)[1]


@pytest.fixture
def path(token) -> str:
    return links.shared(token)


def test_members_make_one_on_its_page(sign_in, owner, report):
    client = sign_in(owner)
    answer = client.post(f"/reports/{report.pk}/links/", {"days": "7", "password": "horse battery"}, headers=JSON)
    assert answer.status_code == 201
    made = answer.json()
    assert (made["redacted"], made["password"]) == (False, True)
    assert client.get(made["path"]).status_code == 200  # to be looked at before it is sent
    assert Client().get(made["path"]).status_code == 401
    page = client.get(reverse("report", args=[report.pk])).content.decode()
    check_markup(page)
    assert f'data-url="/reports/{report.pk}/links/"' in page
    assert "Share this report" in page
    assert made["path"] not in page


def test_its_page_is_read_only_and_says_until_when(path, report, django_assert_max_num_queries):
    client = Client()
    client.get(path)
    with django_assert_max_num_queries(16):  # two of them because the test is a transaction already
        answer = client.get(path)
    html = answer.content.decode()
    check_markup(html)
    assert "Shared read-only view, valid until" in html
    assert "PAY · 1 Jan 2024 10:00 – 11:00" in html
    assert "lgwr.trc" in html  # with its events, as members see it
    for words in ("<form", "csrfmiddlewaretoken", "data-share", "Compare with", "Attach", "upload.js", str(report.pk)):
        assert words not in html, words


def test_all_that_it_leads_to_stays_below_the_link(path):
    seen = list(walked(Client(), path, most=12))
    assert {url.removeprefix(path).split("/")[0] for url, *_ in seen} >= {"", "sections", "entities", "commit"}
    for url, status, data in seen:
        assert status == (404 if url == f"{path}entities/" else 200), url  # what the addresses of things stand below
        assert not OF_MEMBERS.search(data), (url, OF_MEMBERS.search(data))


def test_sections_come_in_windows_below_the_link(path):
    section = f"{path}sections/foreground_wait_events/"
    html = Client().get(section, headers={"HX-Request": "true"}).content.decode()
    assert "next 100 rows" in html
    assert len(Client().get(section, headers=JSON).json()["rows"]) > 250
    assert Client().get(f"{path}search/", {"q": "cpu_count"}).json() == {"sections": {"init_parameters": 1}}


@pytest.mark.parametrize("under", ["trend/", "export.json", "export.md", "sections/nothing/"])
def test_what_a_report_does_not_have_is_not_there(path, under):
    assert Client().get(path + under).status_code == 404


def test_its_json_leads_nowhere_else(path, token):
    body = Client().get(path, headers=JSON).json()
    assert (body["url"], body["name"], body["state"]) == (links.shared(token), "a.html", "ready")
    assert [(one["name"], one["url"]) for one in body["traces"]] == [("lgwr.trc", None)]


def test_one_that_is_being_read_says_how_far_it_is(path, report):
    Report.objects.filter(pk=report.pk).update(state=State.FAILED, error="It ends in line 7")
    html = Client().get(path).content.decode()
    check_markup(html)
    assert "It ends in line 7" in html
    assert "<form" not in html
    assert ShareLink.objects.get().uses == 0


def test_how_often_it_was_opened_is_counted_and_the_audit_log_says_by_which_link(path, report):
    Client().get(path)
    Client().get(path, headers=JSON)
    assert ShareLink.objects.get().uses == 1
    line = AuditLine.objects.get(action="saw", who=f"link {ShareLink.objects.get().pk}")
    assert (line.kind, line.thing) == ("report", str(report.pk))


def test_it_opens_its_own_report_and_nothing_else_of_the_team(owner, token, report, comparison):
    access = shared(token)
    assert report_for(access, report.pk) == report
    assert not reports_for(access).exists()
    for other in Report.objects.exclude(pk=report.pk):
        with pytest.raises(NotFound):
            report_for(access, other.pk)
    with pytest.raises(NotFound):
        comparison_for(access, comparison.pk)


def test_of_another_team_it_opens_nothing(stranger, report):
    ShareLink.objects.create(team=stranger.team, shows=Shows.REPORT, report=report, token_hash=hash_token("t"))
    with pytest.raises(NotFound):
        report_for(shared("t"), report.pk)


@pytest.mark.parametrize(
    "fields",
    [
        {"shows": Shows.REPORT},
        {"shows": Shows.COMPARISON, "report": True},
        {"shows": Shows.REPORT, "report": True, "comparison": True},
        {"shows": Shows.INCIDENT, "report": True},
        {"shows": "anything", "report": True},
    ],
)
def test_a_link_is_about_one_thing_of_its_kind(owner, report, comparison, fields):
    things = {"report": report, "comparison": comparison}
    given = {name: things[name] if value is True else value for name, value in fields.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        ShareLink.objects.create(team=owner.team, token_hash="x", **given)


def test_a_file_of_several_reports_is_not_shared(sign_in, owner, report):
    Report.objects.filter(pk=report.pk).update(kind=SEVERAL)
    answer = sign_in(owner).post(f"/reports/{report.pk}/links/", headers=JSON)
    assert (answer.status_code, ShareLink.objects.count()) == (400, 0)
    assert answer.json()["error"] == "This file holds several reports: share one of them."


def test_the_list_of_the_team_names_what_each_is_about(sign_in, owner, token, report, comparison):
    services.create_link(owner, comparison, days=1)
    client = sign_in(owner)
    listed = {one["shows"]: one for one in client.get("/links/", headers=JSON).json()["links"]}
    assert (listed["report"]["report"], listed["report"]["title"]) == (str(report.pk), "a.html")
    assert "comparison" not in listed["report"]
    assert listed["comparison"]["comparison"] == str(comparison.pk)
    page = client.get("/links/").content.decode()
    check_markup(page)
    assert f'href="/reports/{report.pk}/"' in page
    assert f'href="/comparisons/{comparison.pk}/"' in page


def test_the_list_takes_as_many_queries_however_many_there_are(sign_in, owner, report, django_assert_max_num_queries):
    for _ in range(5):
        services.create_link(owner, report, days=7, shows=Shows.REPORT)
    client = sign_in(owner)
    client.get("/links/")
    with django_assert_max_num_queries(9):
        client.get("/links/")


class TestDeleting:
    def test_the_page_of_the_report_says_what_goes(self, sign_in, owner, path, report):
        client = sign_in(owner)
        for url in (f"/reports/{report.pk}/", f"/reports/{report.pk}/delete/"):
            assert "its share link: whoever holds it is told that it does not exist" in client.get(url).content.decode()
        assert client.post(f"/reports/{report.pk}/delete/", headers=JSON).status_code == 204
        assert Client().get(path).status_code == 404
        assert not ShareLink.objects.exists()

    def test_one_that_ended_is_not_named(self, sign_in, owner, path, report):
        services.revoke(owner, ShareLink.objects.get())
        assert "share link" not in sign_in(owner).get(f"/reports/{report.pk}/delete/").content.decode()

    def test_the_page_of_a_comparison_names_those_of_the_reports_that_go_with_it(self, sign_in, owner, reports):
        found = create_comparison(owner, reports, order_by_time=False)
        for one in reports:
            services.create_link(owner, one, days=7, shows=Shows.REPORT)
        page = sign_in(owner).get(f"/comparisons/{found.pk}/delete/").content.decode()
        assert "2 share links to files that go with it" in page
