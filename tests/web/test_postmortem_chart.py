"""The chart of a post-mortem: DB time by wait class in the bad hour and beside it, drawn and as a table."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import comparisons_and_reports, services
from awrdiff.incidents.models import Incident
from awrdiff.incidents.services import Typed
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.models import Postmortem
from awrdiff.postmortems.sections import BY_CLASS, Cell, LiveTable
from awrdiff.web.presenters.postmortem import page
from tests.web.incident_hours import hour, stored
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
WINDOWS = "before: 5 Mar 2024 09:00 – 10:00 · the bad hour: 5 Mar 2024 10:00 – 11:00 · after: 5 Mar 2024 11:00 – 12:00"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    """An outage in the middle of three hours."""
    made = services.make(owner, Typed("Slow", begins_at="2024-03-05T10:00", ends_at="2024-03-05T11:00"))
    comparisons_and_reports.attach(owner, made, stored(owner, hour(9), hour(10, sick=True), hour(11)), "PAY")
    postmortems.draft(owner, made)
    return made


def evidence() -> dict:
    return {table.head[0]: table for table in reading_of(Postmortem.objects.get()).tables["evidence"]}


def get(client: Client, incident: Incident, ending: str = "/") -> str:
    answer = client.get(f"/incidents/{incident.pk}/postmortem{ending}", headers={"Accept": "text/html"})
    assert answer.status_code == 200
    return answer.content.decode()


class TestOfAnOutageInTheMiddle:
    def test_its_table_adds_up_hour_by_hour(self, incident):
        table = evidence()[BY_CLASS]
        assert table.head == (BY_CLASS, "before", "the bad hour", "after")
        assert table.note == WINDOWS
        assert [[cell.text for cell in row] for row in table.rows] == [
            ["CPU", "0.8", "0.8", "0.8"],
            ["User I/O", "0.4", "0.4", "0.4"],
            ["unaccounted", "–", "2.1", "–"],
            ["together", "1.2", "3.3", "1.2"],
        ]

    def test_the_page_draws_it_and_every_file_tells_it(self, client, incident):
        page, file = get(client, incident), get(client, incident, ".html")
        check_markup(page)
        for html in (page, file):
            assert 'aria-label="the bad hour, 3.3 active sessions: CPU 0.8, User I/O 0.4, unaccounted 2.1"' in html
            assert html.count('class="w-rest"') == 2  # in one bar, and in the key
            assert [float(width) for width in re.findall(r'"w-user-io" x="24.24%" width="([\d.]+)%"', html)] == [
                12.12
            ] * 3
        assert " style=" not in file  # its policy forbids them
        markdown = get(client, incident, ".md")
        assert "| unaccounted | – | 2.1 | – |" in markdown
        assert "svg" not in markdown

    def test_it_stays_as_it_was_once_reviewed(self, client, owner, incident):
        found = Postmortem.objects.get()
        postmortems.review(owner, found, seen_version=found.version)
        comparisons_and_reports.detach(owner, incident, Comparison.objects.get().pk, "PAY")
        assert evidence()[BY_CLASS].note == WINDOWS
        assert "3.3 active sessions: CPU 0.8" in get(client, incident)

    def test_a_sign_off_of_before_it_holds(self, incident, monkeypatch):
        digest = reading_of(Postmortem.objects.get()).digest
        monkeypatch.setattr("awrdiff.postmortems.live_tables._by_class", lambda _: iter(()))
        assert BY_CLASS not in evidence()
        assert reading_of(Postmortem.objects.get()).digest == digest

    def test_nobody_of_another_team_reads_it(self, sign_in, stranger, guest, incident):
        for who in (stranger, guest):
            answer = sign_in(who).get(f"/incidents/{incident.pk}/postmortem.html")
            assert answer.status_code == 404


def chart_of(head: tuple[str, ...], rows: list[list[str]]) -> str:
    return page.chart_of(LiveTable(Cell("By class"), head, tuple(tuple(map(Cell, row)) for row in rows)))


class TestOfWhatWasImported:
    """Cells of an archive may hold anything."""

    def test_a_table_of_something_else_is_not_drawn(self):
        assert chart_of(("Comparison", "Load"), [["a", "1"], ["b", "2"]]) == ""
        assert chart_of((), []) == ""
        assert chart_of((BY_CLASS,), [["CPU"], ["together"]]) == ""
        assert chart_of((BY_CLASS, "before"), [["CPU", "–"], ["together", "–"]]) == ""

    @pytest.mark.parametrize("cell", ["nan", "inf", "-1", "1e400", "9" * 400, "x", "", "1e12"])
    def test_what_is_no_figure_has_no_part(self, cell):
        drawn = chart_of((BY_CLASS, "before"), [["CPU", "2"], ["Commit", cell], ["together", "2"]])
        assert "CPU 2" in drawn
        assert "Commit" not in drawn

    def test_markup_is_text(self):
        drawn = chart_of((BY_CLASS, "<b>x"), [["<script>", "2"], ["together", "2"]])
        assert "<script>" not in drawn
        assert "<b>x" not in drawn
        assert "&lt;script&gt;" in drawn

    def test_short_rows_and_many(self):
        assert "CPU 1" in chart_of((BY_CLASS, "a", "b"), [["CPU", "1"], ["together"]])
        assert chart_of((BY_CLASS, "a"), [["CPU", "1"]] * 31) == ""
