"""The page of one report."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from awrdiff.databases.models import Database
from awrdiff.processing.models import State
from awrdiff.reports.assessments import assessment_of
from awrdiff.reports.models import Report
from tests.web.compared import HOSTILE
from tests.web.conftest import store_report
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(owner) -> Report:
    made = store_report(owner, "a.html", extra_rows=250, event=HOSTILE)
    made.database = Database.objects.create(team=owner.team, name="PAY")
    made.save()
    return made


def part(client, report, section, **query) -> str:
    url = reverse("report-section", args=[report.pk, section])
    return client.get(url, query, headers={"HX-Request": "true"}).content.decode()


def test_the_page_lists_every_section(sign_in, owner, report, django_assert_max_num_queries):
    client = sign_in(owner)
    assessment_of(report)  # kept from the first look on
    with django_assert_max_num_queries(22):  # three of them for reports to compare it with, each by an index
        answer = client.get(reverse("report", args=[report.pk]))
    html = answer.content.decode()
    check_markup(html)
    assert "PAY · 1 Jan 2024 10:00 – 11:00" in html
    assert html.count('class="card sec') == 2
    assert len(html.encode()) < 150_000


def test_a_section_comes_in_windows_and_escaped(sign_in, owner, report):
    client = sign_in(owner)
    html = part(client, report, "foreground_wait_events")
    check_markup(html)
    assert html.count("<tr id=") == 100
    assert "next 100 rows" in html
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_the_filter_counts_rows_of_sections_not_opened(sign_in, owner, report):
    client = sign_in(owner)
    answer = client.get(reverse("report-search", args=[report.pk]), {"q": "cpu_count"})
    assert answer.json() == {"sections": {"init_parameters": 1}}
    assert part(client, report, "init_parameters", q="cpu_count").count("<tr id=") == 1


def test_a_section_is_a_page_of_its_own_without_scripts(sign_in, owner, report):
    html = sign_in(owner).get(reverse("report-section", args=[report.pk, "init_parameters"])).content.decode()
    check_markup(html)
    assert "cpu_count" in html


def test_a_failed_report_says_why_and_can_be_retried(sign_in, owner, report):
    Report.objects.filter(pk=report.pk).update(state=State.FAILED, error=f"It ends in line 7 {HOSTILE}")
    html = sign_in(owner).get(reverse("report", args=[report.pk])).content.decode()
    check_markup(html)
    assert "It ends in line 7 &lt;script&gt;" in html
    assert reverse("report-retry", args=[report.pk]) in html


def test_a_pending_report_says_so(sign_in, owner, report):
    Report.objects.filter(pk=report.pk).update(state=State.PENDING, stage="")
    html = sign_in(owner).get(reverse("report", args=[report.pk])).content.decode()
    check_markup(html)
    assert "queued" in html


def test_a_stranger_sees_nothing(sign_in, stranger, report):
    outside = sign_in(stranger)
    assert outside.get(reverse("report", args=[report.pk])).status_code == 404
    assert outside.get(reverse("report-section", args=[report.pk, "init_parameters"])).status_code == 404
    assert outside.get(reverse("report-search", args=[report.pk]), {"q": "a"}).status_code == 404


def test_rows_have_the_links_they_have_in_a_comparison(sign_in, owner, report):
    from awrdiff.analysis.rows.align import anchor

    client = sign_in(owner)
    wanted = anchor("init_parameters", "cpu_count")
    html = part(client, report, "init_parameters")
    assert f'id="r-{wanted}"' in html
    assert f'href="#init_parameters/{wanted}"' in html


def test_a_link_to_a_row_finds_it_beyond_the_window(sign_in, owner, report):
    client = sign_in(owner)
    last = part(client, report, "foreground_wait_events", **{"from": 200}).split('<tr id="r-')[-1][:12]
    html = part(client, report, "foreground_wait_events", row=last)
    assert f'id="r-{last}"' in html
    assert html.count("<tr id=") <= 100


def entity(client, report, kind, key, **headers):
    return client.get(reverse("report-entity", args=[report.pk, kind, key]), headers=headers)


def test_a_name_leads_to_all_that_the_report_prints_of_it(sign_in, owner):
    client, made = sign_in(owner), store_report(owner, "b.html", event="log file sync")
    row = part(client, made, "foreground_wait_events", q="log file sync")
    url = reverse("report", args=[made.pk]) + "entities/event/log%20file%20sync/"
    assert f'<a class="to" href="{url}">log file sync</a>' in row
    page = client.get(url).content.decode()
    check_markup(page)
    assert page.count('<table class="mini alone">') == 1
    assert re.search(r"Waits</th>\s*<td>", page)
    assert f'href="{reverse("report", args=[made.pk])}#foreground_wait_events/' in page
    panel = entity(client, made, "event", "LOG FILE SYNC", **{"HX-Request": "true"}).content.decode()
    check_markup(panel)
    assert "data-close-panel" in panel
    assert 'href="#foreground_wait_events/' in panel
    found = entity(client, made, "event", "log file sync", Accept="application/json").json()
    assert [(s["id"], len(s["rows"])) for s in found["sections"]] == [("foreground_wait_events", 1)]


def test_what_a_report_does_not_name_is_not_there(sign_in, owner, stranger, report):
    client = sign_in(owner)
    answer = entity(client, report, "event", "no such wait")
    assert answer.status_code == 404
    assert "The report names no wait event “no such wait”." in answer.content.decode()
    assert entity(client, report, "nothing", "x").status_code == 404
    assert entity(sign_in(stranger), report, "parameter", "cpu_count").status_code == 404
