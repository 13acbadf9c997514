"""What the team knows already of a database and of the very files, on the page of a comparison and of an incident."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import guest_access
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.incidents import comparisons_and_reports, finding_verdicts, services
from awrdiff.incidents.finding_verdicts import TypedVerdict
from awrdiff.incidents.models import Incident, IncidentComparison, Verdict
from awrdiff.incidents.services import Typed
from awrdiff.reports.models import Report
from tests.web.conftest import store_report
from tests.web.pages import check_markup
from tests.web.share import create_link
from tests.web.test_verdicts import HTML, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def pair(access: AccessContext, name: str, database: str = "PAY", dbid: str = "4711") -> tuple[Comparison, list[str]]:
    reports = [store_report(access, f"{name}_{n}.html", begin=f"2024-01-0{n}T10:00:00") for n in (1, 2)]
    made = judged(access, reports, dbid)
    Report.objects.filter(pk__in=[r.pk for r in reports]).update(db_name=database)
    return made


def incident(access: AccessContext, comparison: Comparison, title: str) -> Incident:
    made = services.make(access, Typed(title, begins_at="2024-01-01T11:05"))
    comparisons_and_reports.attach(access, made, comparison, "Monday")
    return made


def page(client: Client, path: str) -> str:
    html = client.get(path, headers=HTML).content.decode()
    check_markup(html)
    return html


def seen(client: Client, thing: Comparison | Incident) -> str:
    where = "comparisons" if isinstance(thing, Comparison) else "incidents"
    path = f"/{where}/{thing.pk}/"
    assert f'hx-get="{path}seen/"' in page(client, path)
    answer = client.get(f"{path}seen/", headers=HTML)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def first(owner) -> tuple[Comparison, Incident]:
    """An incident of PAY with a finding that was confirmed and one that was rejected."""
    made, (sql, redo) = pair(owner, "monday")
    finding_verdicts.give(owner, made, TypedVerdict(sql, "confirmed", why="a plan <b>changed</b>"))
    finding_verdicts.give(owner, made, TypedVerdict(redo, "rejected", why="a batch job"))
    return made, incident(owner, made, "Slow Monday")


def test_the_next_comparison_and_incident_of_the_database_show_the_first(client, owner, first):
    comparison, known = first
    following, _ = pair(owner, "tuesday")
    second = incident(owner, following, "Slow Tuesday")
    for thing in (following, second):
        told = seen(client, thing)
        assert "1 incident of this database, 1 finding confirmed, 1 finding rejected" in told
        assert f'<a href="/incidents/{known.pk}/">Slow Monday</a>' in told
        assert f'href="/comparisons/{comparison.pk}/"' in told
        assert "a plan &lt;b&gt;changed&lt;/b&gt;" in told
        assert "a batch job" in told
        assert "Slow Tuesday" not in told


def test_nothing_stands_there_where_there_is_nothing(client, owner, first):
    comparison, known = first
    elsewhere, _ = pair(owner, "other", "CRM", "4712")
    for thing in (comparison, known, elsewhere, incident(owner, elsewhere, "Elsewhere")):
        assert seen(client, thing) == ""


@pytest.mark.parametrize(
    ("database", "dbid", "is_known"),
    [("PAY", "4711", True), ("pay", "4711", True), ("pay", "", True), ("", "4711", True), ("PAY", "1", False),
     ("COPY", "4711", False), ("CRM", "", False), ("", "", False)],
)  # fmt: skip
def test_it_is_the_same_database_by_name_and_id(client, owner, first, database, dbid, is_known):
    other, _ = pair(owner, "tuesday", database, dbid)
    assert ("Slow Monday" in seen(client, other)) is is_known


def test_the_same_files_are_known_under_whatever_name(client, owner, first):
    _, known = first
    again, _ = pair(owner, "renamed", "", "")
    mine, theirs = (Report.objects.get(name=name) for name in ("renamed_1.html", "monday_2.html"))
    Report.objects.filter(pk=mine.pk).update(sha256=theirs.sha256)
    told = seen(client, again)
    assert "the same files in 1 incident" in told
    assert "Slow Monday" in told
    assert "of this database" not in told
    comparisons_and_reports.attach(owner, known, again, "again")
    assert seen(client, again) == ""


def test_a_report_attached_by_itself_is_of_its_incident_too(client, owner, first):
    other, _ = pair(owner, "crm", "CRM", "99")
    alone = services.make(owner, Typed("A report alone", begins_at="2024-01-01T11:05"))
    comparisons_and_reports.attach_report(owner, alone, store_report(owner, "alone.html"))
    Report.objects.filter(name="alone.html").update(db_name="CRM", dbid="99")
    assert "A report alone" in seen(client, other)
    following, _ = pair(owner, "tuesday")
    comparisons_and_reports.attach_report(owner, alone, Report.objects.get(name="tuesday_1.html"))
    assert "A report alone" in seen(client, following)
    assert "Slow Monday" in seen(client, alone)


def test_what_is_withdrawn_deleted_or_judged_anew_is_told_as_it_is(client, owner, first):
    comparison, known = first
    following, (sql, _) = pair(owner, "tuesday")
    finding_verdicts.give(owner, comparison, TypedVerdict(sql, "withdrawn"))
    told = seen(client, following)
    assert "confirmed" not in told
    assert "1 finding rejected" in told
    services.delete(owner, known)
    assert "Slow Monday" not in seen(client, following)


def test_it_is_the_teams_alone(client, sign_in, owner, guest, stranger, first):
    following, _ = pair(owner, "tuesday")
    assert "Slow Monday" in seen(client, following)
    guest_access.show(owner, following, guest.membership)
    assert seen(sign_in(guest), following) == ""
    _, path = create_link(owner, following, days=1)
    assert "/seen/" not in page(Client(), path)
    assert Client().get(f"{path}seen/").status_code == 404
    theirs, _ = pair(stranger, "theirs")
    assert seen(sign_in(stranger), theirs) == ""


def test_it_asks_as_often_however_much_is_known(client, owner, first):
    following, _ = pair(owner, "tuesday")

    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            seen(client, following)
        return len(queries)

    before = asked()
    for n in range(3):
        more, (sql, _) = pair(owner, f"more{n}")
        finding_verdicts.give(owner, more, TypedVerdict(sql, "rejected", why="no"))
        incident(owner, more, f"More {n}")
    assert asked() == before


def test_every_incident_of_a_judged_finding_is_named_and_a_dispute_is_said(client, owner, colleague, first):
    comparison, known = first
    again = incident(owner, comparison, "Slow again")
    following, _ = pair(owner, "tuesday")
    told = seen(client, following)
    for one in (known, again):
        assert (
            told.count(f'<a href="/incidents/{one.pk}/">{one.title}</a>') >= 3
        )  # of the database, and of two findings
    assert "(disputed)" not in told
    anchor = Verdict.objects.get(state="confirmed").anchor
    finding_verdicts.give(colleague, comparison, TypedVerdict(anchor, "rejected", why="no"))
    assert "(disputed)" in seen(client, following)


def test_what_was_judged_of_the_hour_for_comparison_says_so(client, owner, first):
    """Outage, then recovery: what was confirmed of the second is no cause of the first."""
    comparison, _ = first
    following, _ = pair(owner, "tuesday")
    assert "said of the hour for comparison" not in seen(client, following)
    IncidentComparison.objects.filter(comparison=comparison).update(bad=0, bad_chosen=True)
    assert "(said of the hour for comparison)" in seen(client, following)


def test_a_finding_says_that_it_was_confirmed_before(client, owner, first):
    following, _ = pair(owner, "tuesday")
    html = page(client, f"/comparisons/{following.pk}/")
    assert "<b>Confirmed before</b>, because a plan &lt;b&gt;changed&lt;/b&gt;" in html
    assert "<b>Rejected before</b>, because a batch job" in html
    assert "the other way round" not in html
    Verdict.objects.filter(state="confirmed").update(pair=REVERSE)
    assert "of First and Second the other way round, because a plan" in page(client, f"/comparisons/{following.pk}/")
