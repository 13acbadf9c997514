"""The first page as a library: own work by database, search, the other report, a title, deleting, and no end at 20."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.comparisons import comparisons_by_database
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.processing.models import State
from awrdiff.reports.models import LEFT_OUT, SEVERAL, Report
from tests.web.cast import stored_trace
from tests.web.conftest import computed_both_ways, store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
OTHERS = (("Databases", "/databases/"), ("Incidents", "/incidents/"))


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def page(client: Client, **query: str) -> str:
    answer = client.get("/", query)
    assert answer.status_code == 200
    html = answer.content.decode()
    check_markup(html)
    return html


def report(access, name: str, database: str = "PAY", **values) -> Report:
    made = store_report(access, name, begin=values.pop("begin", "2024-01-01T10:00:00"))
    Report.objects.filter(pk=made.pk).update(db_name=database, **values)
    made.refresh_from_db()
    return made


def pair(access, *reports: Report, days_ago: float = 0, **values) -> Comparison:
    made = store_comparison(access, list(reports))
    Comparison.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(days=days_ago), **values)
    made.refresh_from_db()
    return made


def listed(html: str) -> list[str]:
    """Ids of the comparisons in the lists, in order."""
    return re.findall(r'<div>\s*<a href="/comparisons/([0-9a-f-]{36})/">', html)


def groups(html: str) -> list[str]:
    return re.findall(r'<h2 id="db-\d+">\s*(.*?) <small>', html)


class TestByDatabase:
    def test_the_latest_work_comes_first_and_what_names_no_database_last(self, owner, client):
        report(owner, "x.html", "", instance_name="")
        for n, name in enumerate(("SHOP", "PAY", "CRM")):
            some = report(owner, f"{name}.html", name)
            Report.objects.filter(pk=some.pk).update(created_at=timezone.now() - timedelta(days=n + 1))
        pair(owner, *Report.objects.filter(db_name="CRM"))
        assert groups(page(client)) == ["CRM", "SHOP", "PAY", "No database named"]

    def test_a_file_that_could_not_be_read_is_counted_as_no_report(self, owner, client):
        pair(owner, *(report(owner, f"{n}.html", "PAY") for n in range(2)))
        Report.objects.filter(pk=report(owner, "photo.png", "", instance_name="").pk).update(state=State.FAILED)
        said = re.findall(r'<h2 id="db-\d+">\s*(.*?) <small>(.*?)</small>', page(client))
        assert [(name, counts.partition(" ·")[0]) for name, counts in said] == [
            ("PAY", "1 comparison, 2 reports"),
            ("No database named", "1 file not read"),
        ]

    def test_the_unnamed_have_their_traces_on_their_own_page_too(self, owner, client):
        stored_trace(owner, "alone.trc", 5)
        assert "alone.trc" in page(client)
        assert "alone.trc" in page(client, db="")

    def test_of_many_comparisons_the_newest_are_read_and_all_counted_once(self, owner):
        pay, other = report(owner, "a"), report(owner, "b", "CRM")
        made = [pair(owner, pay, pay if n % 2 else other, days_ago=n) for n in range(4)]
        found, newest = comparisons_by_database.with_totals(owner, comparisons_by_database.databases(owner), each=3)
        assert {one.name: one.comparisons for one in found} == {"PAY": 4, "CRM": 2}
        ids = {group.name: pks for group, pks in newest.items()}
        assert ids == {"PAY": [one.pk for one in made[:3]], "CRM": [made[0].pk, made[2].pk]}

    def test_a_guest_finds_every_database_that_is_shown_to_them(self, owner, guest, sign_in, monkeypatch):
        """However many others are shown to them since."""
        monkeypatch.setattr(comparisons_by_database, "MOST_RECENT", 1)
        for n, name in enumerate(("PAY", "CRM")):
            made = pair(owner, *(report(owner, f"{name}{m}", name) for m in range(2)), days_ago=n)
            ShownComparison.objects.create(comparison=made, membership_id=guest.membership, shown_by=owner.user)
        assert groups(page(sign_in(guest))) == ["PAY", "CRM"]

    def test_a_report_that_names_no_database_is_of_its_instance(self, owner, client):
        report(owner, "x.html", "", instance_name="pay1")
        assert groups(page(client)) == ["pay1"]

    def test_one_between_two_databases_is_of_both(self, owner, client):
        made = pair(owner, report(owner, "a.html", "PAY"), report(owner, "b.html", "SHOP"))
        html = page(client)
        assert sorted(groups(html)) == ["PAY", "SHOP"]
        assert listed(html) == [str(made.pk)] * 2
        assert listed(page(client, db="SHOP")) == [str(made.pk)]

    def test_each_shows_its_newest_and_leads_to_all(self, owner, client):
        reports = [report(owner, f"{n}.html") for n in range(3)]
        made = [pair(owner, *reports[:2], days_ago=n) for n in range(30)]
        html = page(client)
        assert listed(html) == [str(c.pk) for c in made[:5]]
        assert "30 comparisons, 3 reports" in html
        assert 'href="/?db=PAY"' in html
        first, second = page(client, db="PAY"), page(client, db="PAY", page="2")
        assert [*listed(first), *listed(second)] == [str(c.pk) for c in made]
        assert "1 – 25 of 30 comparisons" in first
        assert 'href="?db=PAY&amp;page=2"' in first

    def test_databases_too_have_no_end(self, owner, client):
        for n in range(14):
            report(owner, f"{n}.html", f"DB{n}")
        pages = [groups(page(client, page=str(n))) for n in (1, 2, 3)]
        assert [len(found) for found in pages] == [5, 5, 4]
        assert len({name for found in pages for name in found}) == 14

    @pytest.mark.parametrize("odd", ["0", "-1", "x", "99999999999", "\x00"])
    def test_any_page_number_is_a_page(self, owner, client, odd):
        report(owner, "a.html")
        assert groups(page(client, page=odd, reports=odd)) == ["PAY"]
        assert groups(page(client, db=odd, page=odd))

    def test_what_is_no_work_of_ones_own_is_not_listed(self, owner, stranger, client):
        report(stranger, "theirs.html", "THEIRS")
        report(owner, "demo.html", "DEMO", is_demo=True)
        report(owner, "several.html", "", kind=SEVERAL)
        report(owner, "readme.txt", "", state=State.FAILED, error_code=LEFT_OUT)
        assert groups(page(client)) == []
        assert groups(page(client, q="html")) == ["Found for “html”"]
        assert "/reports/" not in page(client, q="html").split('id="work"')[1]

    def test_a_trace_is_listed_while_no_comparison_has_it(self, owner, client, reports):
        trace = stored_trace(owner, "a.trc", 1500)
        assert "a.trc" in page(client)
        pair(owner, *reports, trace)
        assert f"/reports/{trace.pk}/" not in page(client)

    def test_demos_stand_below_and_open_by_themselves_where_there_is_nothing_else(self, owner, client, reports):
        demo = pair(owner, *reports, is_demo=True, demo_slug="a", title="A demo")
        Report.objects.update(is_demo=True)
        assert '<details class="card demos" open>' in page(client)
        report(owner, "a.html")
        html = page(client)
        assert html.index('id="db-1"') < html.index('<details class="card demos">') < html.index(str(demo.pk))


def test_files_about_one_window_name_each_other(owner, client):
    window = {"begin": "2024-01-01T10:00:00", "end_at": "2024-01-01T11:00:00", "kind": "awr"}
    report(owner, "hour.html", **window)
    report(owner, "hour.txt", **window)
    report(owner, "other instance.html", **window, instance_number=7)
    report(owner, "ash.html", **{**window, "kind": "ash"})
    html = page(client)
    assert [html.count(f"also read from {name}") for name in ("hour.html", "hour.txt")] == [1, 1]
    assert html.count("also read from") == 2


class TestTheLoad:
    def test_windows_are_drawn_with_those_of_the_newest_comparison_in_colour(self, owner, client):
        loads = {"db_time_s": 7200.0, "elapsed_s": 3600.0}
        begins = [f"2024-01-0{day}T10:00:00" for day in (1, 2, 3)]
        older, first, second = (report(owner, f"{b}.html", begin=b, end_at=b[:11] + "11:00", **loads) for b in begins)
        report(owner, "same window.txt", begin=begins[2], end_at=begins[2][:11] + "11:00", db_time_s=None)
        pair(owner, older, first, days_ago=2)
        pair(owner, first, second)
        drawn = re.search(r'<div class="load".*?</div>', page(client), re.S)[0]
        bars = re.findall(r'href="/reports/(\S+)/"[^>]*><rect( class="\w+")?', drawn)
        assert bars == [(str(older.pk), ""), (str(first.pk), ' class="first"'), (str(second.pk), ' class="second"')]
        assert drawn.count(": 2.00<") == 3
        assert "Active sessions of 3 reports: 2.00" in drawn

    def test_without_windows_there_is_none(self, owner, client):
        report(owner, "a.html", begin_at="", end_at="")
        html = page(client)
        assert groups(html) == ["PAY"]
        assert "<svg" not in html.split('id="work"')[1]


class TestFinding:
    @pytest.fixture
    def made(self, owner) -> Comparison:
        first = report(owner, "before.html", "RECEIPT", host_name="db-north", begin_at="2018-01-11T09:30:00")
        second = report(owner, "after.html", "RECEIPT", archive="incident.zip", begin_at="2018-02-12T09:30:00")
        other = report(owner, "other.html", "SHOP", host_name="db-south", begin_at="2024-05-05T00:00:00")
        pair(owner, other, other, days_ago=400)
        return pair(owner, first, second, title="Slow 100% Monday")

    @pytest.mark.parametrize(
        "text",
        [
            "receipt", "RECEIPT monday", "before", "north", "incident", "100%", "today", "11 jan 2018", "2018-01-11",
            "2018-02", "jan 11", "12 feb", "february", "09:30", "11.1.2018", "12.02.", "receipt 2018", "after today slow",
        ],
    )  # fmt: skip
    def test_it_is_found(self, client, made, text):
        assert listed(page(client, q=text)) == [str(made.pk)]

    @pytest.mark.parametrize(
        "text", ["yesterday", "receipt shop", "2018-01-12", "13 jan", "10:30", "2018-99", "_", "slow tuesday x"]
    )
    def test_it_is_not(self, client, made, text):
        html = page(client, q=text)
        assert listed(html) == []
        assert "Nothing has all of these words" in html

    def test_reports_are_found_too(self, client, made):
        html = page(client, q="north")
        assert "1 comparison, 1 report<" in html.replace("</small>", "<")
        assert "before.html" in html.split('class="reports"')[1]

    def test_nothing_of_others(self, sign_in, stranger, made):
        assert listed(page(sign_in(stranger), q="receipt")) == []

    def test_yesterday(self, owner, client, made):
        found = pair(owner, *made.reports.all(), days_ago=1)
        assert listed(page(client, q="yesterday")) == [str(found.pk)]
        assert "yesterday " in page(client, q="yesterday")

    @pytest.mark.parametrize(
        "text", ["%", "'", "\\", "(", "\ud800", "x" * 5000, " ".join("abcdefghijklmnopqrstuvwxyz")]
    )
    def test_any_text_is_answered(self, client, made, text):
        assert client.get("/", {"q": text.encode("utf-8", "replace").decode()}).status_code == 200


class TestAnotherReport:
    def test_a_reports_page_offers_those_of_its_database_first(self, owner, client):
        near, far = report(owner, "near.html", "PAY"), report(owner, "far.html", "SHOP", begin="2030-01-01T00:00:00")
        failed, trace = report(owner, "failed.html", state=State.FAILED), stored_trace(owner, "a.trc", 1500)
        here = report(owner, "here.html", "PAY")
        html = client.get(f"/reports/{here.pk}/").content.decode()
        check_markup(html)
        assert re.findall(r'<option value="([0-9a-f-]{36})"', html) == [str(near.pk), str(far.pk)]
        assert str(failed.pk) not in html
        assert str(trace.pk) not in html

    def test_its_form_compares_them_in_order_of_time(self, owner, client):
        late, early = report(owner, "late.html", begin="2024-01-02T00:00:00"), report(owner, "early.html")
        answer = client.post("/comparisons/", {"report": [str(late.pk), str(early.pk)], "order": "time"})
        made = Comparison.objects.get()
        assert answer["Location"] == f"/comparisons/{made.pk}/"
        assert [p.report for p in made.places.order_by("position")] == [early, late]

    def test_the_first_page_has_the_chosen_one_in_its_form(self, owner, client):
        here, other = report(owner, "here.html"), report(owner, "other.html")
        html = page(client, **{"with": str(here.pk), "db": "PAY"})
        form = html.split('<form id="pick"')[1].split("</form>")[0]
        assert f'name="report" value="{here.pk}"' in re.sub(r"\s+", " ", form)
        assert f'data-with="{here.pk}"' in html
        assert re.search(rf'value="{other.pk}"\s+form="pick"', html)
        assert 'href="?with=' in html  # all databases, with it still chosen
        pair(owner, here, other)
        assert listed(page(client, **{"with": str(here.pk), "db": "PAY"})) == []  # reports are what is chosen from

    @pytest.mark.parametrize("given", ["", "x", "00000000-0000-0000-0000-000000000000"])
    def test_one_that_is_not_there_is_not_chosen(self, owner, client, given):
        report(owner, "a.html")
        assert "data-with" not in page(client, **{"with": given})

    def test_one_of_another_team_is_not_chosen(self, stranger, client):
        assert "theirs" not in page(client, **{"with": str(report(stranger, "theirs.html").pk)})


class TestToAndFro:
    def test_a_whole_report_leads_back_to_the_comparison_it_was_opened_from(self, owner, client, comparison):
        computed_both_ways(comparison)
        for page in (f"/comparisons/{comparison.pk}/", f"/comparisons/{comparison.pk}/?pair=100"):
            url = unescape(re.search(r'href="(/reports/[^"]+)">report</a>', client.get(page).content.decode())[1])
            assert f'href="{page}">← ' in client.get(url).content.decode()

    def test_without_saying_where_from_it_lists_where_it_stands(self, owner, client, comparison):
        html = client.get(f"/reports/{comparison.reports.first().pk}/").content.decode()
        assert html.count(f'href="/comparisons/{comparison.pk}/"') == 1
        assert "←" not in html

    def test_what_was_not_opened_from_there_is_not_led_to(self, owner, stranger, client, comparison):
        theirs = pair(stranger, report(stranger, "a.html"), report(stranger, "b.html"))
        for odd in (str(theirs.pk), "x", "' OR 1", str(comparison.reports.first().pk)):
            html = client.get(f"/reports/{comparison.reports.first().pk}/", {"from": odd}).content.decode()
            assert "←" not in html

    def test_every_page_leads_to_the_lists_in_the_same_words(self, client, sign_in, guest, comparison):
        def doors(html: str) -> dict[str, str]:
            nav = re.search(r'<nav class="doors".*?</nav>', html, re.S)[0]
            return {
                text: attributes for attributes, text in re.findall(r'<a class="crumb"\s+(.*?)>(\w+)</a>', nav, re.S)
            }

        of_comparison = f"/comparisons/{comparison.pk}/"
        for path in ("/", "/databases/", "/incidents/", of_comparison, f"/reports/{comparison.reports.first().pk}/"):
            found = doors(client.get(path).content.decode())
            assert list(found) == ["Comparisons", "Databases", "Incidents"]
            current = [text for text, attributes in found.items() if "aria-current" in attributes]
            assert current == [text for text, own in (("Comparisons", "/"), *OTHERS) if own == path]
        assert list(doors(page(sign_in(guest)))) == ["Comparisons"]


class TestTitles:
    def test_a_person_goes_back_to_the_list_as_it_was(self, client, comparison):
        answer = client.post(f"/comparisons/{comparison.pk}/title/", {"title": "Slow Monday", "back": "q=pay&page=2"})
        assert (answer.status_code, answer["Location"]) == (302, "/?q=pay&page=2")
        assert "Slow Monday" in page(client)
        assert client.post(f"/comparisons/{comparison.pk}/title/", {"title": ""})["Location"] == "/"
        assert "Slow Monday" not in page(client)

    @pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/?x=1", "\r\nSet-Cookie: a=b"])
    def test_and_nowhere_else(self, client, comparison, back):
        answer = client.post(f"/comparisons/{comparison.pk}/title/", {"title": "x", "back": back})
        assert answer["Location"].startswith("/?")

    def test_a_script_gets_the_document(self, client, comparison):
        answer = client.post(f"/comparisons/{comparison.pk}/title/", {"title": "T" * 300}, headers=JSON)
        assert (answer.status_code, answer.json()["title"]) == (200, "T" * 200)

    def test_a_title_is_text(self, client, comparison):
        services_title = "<script>alert(1)</script>"
        client.post(f"/comparisons/{comparison.pk}/title/", {"title": services_title})
        assert services_title not in page(client)


class TestDeleting:
    def asked(self, client: Client, url: str) -> str:
        html = client.get(f"{url}delete/").content.decode()
        check_markup(html)
        return html

    def test_all_that_goes_and_stays_is_named(self, owner, client, reports):
        trace = stored_trace(owner, "a.trc", 1500)
        made = pair(owner, *reports, trace)
        pair(owner, reports[0], report(owner, "third.html"))
        for _ in range(3):
            create_link(owner, made, days=1)
        html = self.asked(client, f"/comparisons/{made.pk}/")
        for words in ("its 3 share links", "“second.html”, which stands in no other", "LGWR trace “a.trc”"):
            assert words in html
        assert "“first.html”: another comparison has it" in html
        assert client.post(f"/comparisons/{made.pk}/delete/").status_code == 302
        assert set(Report.objects.values_list("name", flat=True)) == {"first.html", "third.html"}
        assert not Comparison.objects.filter(pk=made.pk).exists()

    def test_revoked_links_are_none(self, owner, client, comparison):
        link, _ = create_link(owner, comparison, days=1)
        assert "its share link" in self.asked(client, f"/comparisons/{comparison.pk}/")
        client.delete(f"/links/{link.pk}/")
        assert "share link" not in self.asked(client, f"/comparisons/{comparison.pk}/")

    def test_a_report_names_the_comparisons_that_have_it(self, owner, client, comparison, reports):
        html = self.asked(client, f"/reports/{reports[0].pk}/")
        assert html.count("delete…") == 1
        assert f'href="/comparisons/{comparison.pk}/delete/"' in html
        assert '<button class="danger">' not in html

    def test_one_that_nothing_has_is_asked_for(self, owner, client):
        alone = report(owner, "alone.html")
        assert "“alone.html” and everything read from it" in self.asked(client, f"/reports/{alone.pk}/")
        assert client.post(f"/reports/{alone.pk}/delete/")["Location"] == "/"


def many(access) -> None:
    """200 reports of 10 databases, 100 comparisons."""
    rows = [
        report(
            access,
            f"report_{n}_of_the_database.html",
            f"DB{n % 10}",
            begin=f"2024-{n % 12 + 1:02}-{n // 12 % 28 + 1:02}T10:00:00",
        )
        for n in range(200)
    ]
    for n in range(100):
        pair(access, rows[n], rows[n + 100], days_ago=n / 4)


def test_a_first_page_of_much_work_is_small_and_asks_little(owner, client):
    many(owner)
    client.get("/")
    for query in ({}, {"db": "DB1"}, {"q": "report"}, {"q": "report 2024-03"}):
        with CaptureQueriesContext(connection) as seen:
            answer = client.get("/", query)
        assert 0 < len(seen) <= 13, [q["sql"][:150] for q in seen]
        assert 0 < int(answer["Content-Length"]) <= 67_000, query  # as it is sent, uncompressed


def test_whoever_holds_a_link_has_no_library(owner, comparison):
    from awrdiff.sharing.access import shared

    _, path = create_link(owner, comparison, days=1)
    access = shared(path.split("/")[2])
    assert comparisons_by_database.databases(access) == []
    assert [
        list(found) for found in comparisons_by_database.of_group(access, comparisons_by_database.Group("PAY"))
    ] == [[], []]
    assert [list(found) for found in comparisons_by_database.matching(access, "pay")] == [[], []]


def test_a_release_of_23_is_named_by_its_product(owner, client):
    found = report(owner, "new.html", release="23.26.0.0.0")
    assert "23.26.0.0.0 (26ai)" in page(client)
    assert "23.26.0.0.0 (26ai)" in client.get(f"/reports/{found.pk}/").content.decode()


def test_a_time_that_cannot_be_read_is_said_on_the_page_of_the_report(owner, client):
    text = "A time of this report cannot be read (08-Xyz-24)."
    found = report(owner, "odd.html", issues=[{"code": "unreadable-time", "text": text, "ours": False}])
    assert text in client.get(f"/reports/{found.pk}/").content.decode()


def test_the_tables_of_a_report_are_where_its_page_asks_for_them(client, comparison):
    first = comparison.reports.first()
    html = client.get(f"/reports/{first.pk}/").content.decode()
    asked = re.findall(r'href="(/reports/[^"#]+/sections/[^"#]*)"', html)
    assert len(asked) > 1
    assert [client.get(url).status_code for url in asked] == [200] * len(asked)


class TestRecent:
    def test_all_comparisons_stand_in_one_list_newest_first(self, owner, client):
        made = [
            pair(owner, *(report(owner, f"{n}{i}.html", f"DB{n % 3}") for i in (1, 2)), days_ago=n) for n in range(30)
        ]
        first, second = page(client, view="recent"), page(client, view="recent", page="2")
        assert [*listed(first), *listed(second)] == [str(c.pk) for c in made]
        assert groups(first) == ["Recent"]
        assert 'href="?view=recent&amp;page=2"' in first

    def test_the_switch_says_where_one_is_and_search_comes_back_to_it(self, owner, client):
        made = pair(owner, report(owner, "a.html"), report(owner, "b.html"))
        marked = re.compile(r'href="(/[^"]*)"\s+aria-current="true"')
        assert marked.findall(page(client)) == ["/"]
        html = page(client, view="recent")
        assert marked.findall(html) == ["/?view=recent"]
        assert '<input type="hidden" name="view" value="recent">' in html
        found = page(client, view="recent", q="a.html")
        assert listed(found) == [str(made.pk)]
        assert 'href="?view=recent"' in found

    def test_neither_demos_nor_what_is_not_theirs(self, owner, guest, stranger, sign_in, client):
        made = pair(owner, report(owner, "a.html"), report(owner, "b.html"))
        pair(owner, report(owner, "c.html"), report(owner, "d.html"), is_demo=True)
        assert listed(page(client, view="recent")) == [str(made.pk)]
        for other in (guest, stranger):
            assert listed(page(sign_in(other), view="recent")) == []

    def test_without_a_comparison_it_says_so_and_leads_back(self, owner, client):
        report(owner, "a.html")
        html = page(client, view="recent")
        assert "There is no comparison yet." in html
        assert groups(page(client)) == ["PAY"]

    def test_it_asks_little(self, owner, client):
        many(owner)
        client.get("/")
        with CaptureQueriesContext(connection) as seen:
            client.get("/", {"view": "recent"})
        assert 0 < len(seen) <= 12
