"""The page and panel of one thing: whole without scripts, safe with hostile names, read from the sections that name it."""

from __future__ import annotations

import re
import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from awrdiff.analysis.entities.kinds import LONGEST_KEY, Ref
from awrdiff.comparisons import services
from awrdiff.comparisons.tasks import compute_now
from parsers.model import Column
from tests.unit.analysis.builders import column, events, exact, near, report, section, time_model
from tests.unit.analysis.test_statements import TEXT, elapsed, table, texts
from tests.web.conftest import store_parsed
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTMX = {"HX-Request": "true"}
NASTY = "../%2e/<b>\"'&;#?$ ключ"
SQL = "select c, 'it''s <b>' from t where a = :b1 and d = 5"
FILE, SPACE = Column("file", "Filename"), Column("tablespace", "Tablespace")


def files(*rows):
    columns = (SPACE, FILE, column("reads"))
    return section("file_io", columns, rows, key=["tablespace", "file"])


def side(name: str, factor: float = 1.0):
    return report(
        events({"log file sync": (1_000, 10.0 * factor), "db file sequential read": (500, 3.0)}),
        elapsed([("7ws837zynp1zv", near(100 * factor, 0.5), exact(10), SQL)], more=(TEXT,)),
        files(("USERS", NASTY, exact(5 * factor)), ("USERS", "/u01/a.dbf", exact(3)), ("TEMP", ".", exact(1))),
        name=name,
    )


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def compared(owner, *sides):
    reports = [store_parsed(owner, s) for s in sides]
    made = services.create_comparison(owner, reports, order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.fixture
def made(owner):
    return compared(owner, side("a.html"), side("b.html", 3.0))


def url(made, kind: str, key: str) -> str:
    return f"/comparisons/{made.pk}/entities/{Ref(kind, key).path}"


def get(client, made, kind: str, key: str, **headers) -> str:
    answer = client.get(url(made, kind, key), headers=headers)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def cells(html: str, figure: str) -> list[str]:
    """What the first row of this name says."""
    row = re.search(rf'<th scope="row">\s*{re.escape(figure)}\s*</th>(.*?)</tr>', html, re.S)
    assert row, re.sub(r"<[^>]+>|\s+", " ", html)
    return [" ".join(text.split()) for text in re.findall(r"<td[^>]*>(.*?)</td>", row[1], re.S)]


def test_the_page_is_whole_without_scripts(client, made):
    html = get(client, made, "event", "log file sync")
    check_markup(html)
    assert "<h1" in html
    assert "wait event" in html
    row = re.search(rf'href="/comparisons/{made.pk}/#foreground_wait_events/[0-9a-f]{{12}}"', html)
    assert row, "its rows are linked"
    assert cells(html, "total time") == ["10.0 s", "30.0 s", "▲ ×3.0"]


def test_the_panel_is_the_same_without_the_page_around_it(client, made):
    html = get(client, made, "event", "log file sync", **HTMX)
    assert "<html" not in html
    assert '<h2 id="entity-h"' in html
    assert 'href="#foreground_wait_events/' in html
    assert "data-close-panel" in html


def test_every_name_in_a_table_leads_to_its_page(client, made):
    for kept in ("foreground_wait_events", "sql_by_elapsed_time", "file_io"):
        html = client.get(f"/comparisons/{made.pk}/sections/{kept}/?all=1").content.decode()
        links = re.findall(r'<a class="to" href="([^"]+)"', html)
        assert links
        for link in links:
            assert client.get(link).status_code == 200, link


@pytest.mark.parametrize("key", [NASTY, "/u01/a.dbf", "."])
def test_a_name_of_any_characters_is_found_and_stays_text(client, made, key):
    html = get(client, made, "file", key)
    check_markup(html)
    assert "<b>\"'" not in html
    assert client.get(url(made, "file", key), headers=JSON).json()["key"] == key


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("event", "no such event"),
        ("event", "log file"),
        ("event", " "),
        ("nothing", "log file sync"),
        ("event", "x" * (LONGEST_KEY + 1)),
        ("event", "%"),
        ("event", "_og file sync"),
        ("event", "log\x00file"),
    ],
)
def test_what_neither_report_names_is_not_there(client, made, kind, key):
    assert client.get(url(made, kind, key)).status_code == 404
    answer = client.get(url(made, kind, key), headers=JSON)
    assert answer.status_code == 404
    assert answer.json()["error"]


def test_a_statement_has_its_figures_and_its_text(client, made):
    html = get(client, made, "sql", "7ws837zynp1zv")
    check_markup(html)
    assert "×3.0" in html
    assert '<span class="qk">select</span>' in html
    assert '<span class="qb">:b1</span>' in html
    assert "&#x27;it&#x27;&#x27;s &lt;b&gt;&#x27;" in html


def test_a_text_that_differs_is_shown_of_both_sides(client, owner):
    def one(name, text):
        return report(elapsed([("a", near(100, 0.5), exact(10), text)], more=(TEXT,)), name=name)

    html = get(client, compared(owner, one("a.html", "select 1 from t"), one("b.html", "select 2 from t")), "sql", "a")
    assert "Text in First" in html
    assert re.search(r'<del class="qfirst">1\s*</del><ins class="qsecond">2\s*</ins>', html)


def test_a_text_that_is_cut_says_so(client, owner):
    cut = report(elapsed([("a", near(100, 0.5), exact(10), "select 1 from...")], more=(TEXT,)))
    html = get(client, compared(owner, cut, cut), "sql", "a")
    assert "no more than this beginning" in html


def test_what_one_side_alone_names(client, owner):
    made = compared(owner, report(events({"a wait": (5, 5)}), name="a"), report(events({"b wait": (5, 5)}), name="b"))
    assert "Only Second names it; no table of First does." in get(client, made, "event", "b wait")


def test_the_pair_that_is_looked_at(client, owner):
    sides = [report(events({"a wait": (5, n)}), name=str(n)) for n in (1.0, 2.0, 7.0)]
    made = compared(owner, *sides)
    answer = client.get(url(made, "event", "a wait"), {"pair": "1"})
    assert cells(answer.content.decode(), "total time")[:2] == ["1.00 s", "7.00 s"]
    assert "?pair=1#foreground" in answer.content.decode()
    part = client.get(f"/comparisons/{made.pk}/sections/foreground_wait_events/?pair=1&all=1").content.decode()
    assert f"{url(made, 'event', 'a wait')}?pair=1" in part
    assert client.get(url(made, "event", "a wait"), {"pair": "9"}).status_code == 404


def test_under_a_share_link_all_links_stay_below_it(owner, made):
    _, path = create_link(owner, made, days=1)
    html = Client().get(f"{path}entities/{Ref('sql', '7ws837zynp1zv').path}").content.decode()
    assert f'href="{path}#sql_by_elapsed_time' in html
    assert str(made.pk) not in html
    section = Client().get(f"{path}sections/foreground_wait_events/?all=1").content.decode()
    assert f'href="{path}entities/event/log%20file%20sync/"' in section


def test_a_finding_leads_to_what_it_is_about(client, owner):
    slow = report(events({"log file sync": (1_000, 9_000.0)}), elapsed_time_model(9_100), name="slow")
    fast = report(events({"log file sync": (1_000, 10.0)}), elapsed_time_model(100), name="fast")
    made = compared(owner, fast, slow)
    html = client.get(f"/comparisons/{made.pk}/").content.decode()
    assert f'<a class="to" href="{url(made, "event", "log file sync")}">log file sync</a>' in html
    assert 'id="panel"' in html


def elapsed_time_model(db_time):
    return time_model(db_time=db_time, db_cpu=50)


def test_only_the_sections_that_name_it_are_read(client, made):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        get(client, made, "sql", "7ws837zynp1zv", **HTMX)
    payloads = [q["sql"] for q in queries if '"payload"' in q["sql"]]
    assert len(payloads) == 1
    assert "LIKE" in payloads[0]
    assert len(queries) <= 10  # the databases whose history it leads to among them


def test_it_is_not_made_again_for_who_has_it(client, made):
    client.get(url(made, "event", "log file sync"))  # gives the form token, which is in the page
    first = client.get(url(made, "event", "log file sync"))
    again = client.get(url(made, "event", "log file sync"), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    other = client.get(url(made, "event", "db file sequential read"), headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200


def test_a_name_on_every_row_costs_no_more_than_a_page(client, owner):
    rows = [("USERS", f"/u01/{n}.dbf", exact(n)) for n in range(3_000)]
    big = report(
        files(*rows), texts([("a", "select 1 from t")]), table("sql_by_gets", ("buffer_gets",), [("a", exact(5))])
    )
    made = compared(owner, big, big)
    before = time.process_time()
    html = get(client, made, "tablespace", "USERS")
    assert time.process_time() - before < 3
    assert len(html) < 60_000
    assert "2988" in html
