"""One section as CSV: what its table shows, in base units, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from django.test import Client
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Delta
from awrdiff.reports.queries import load_report
from tests.web.compared import comparison, parameters_section, waits_section
from tests.web.pages import body, store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
WAITS = "foreground_wait_events"
IN_PAGE = {"HX-Request": "true"}


def lines(answer) -> list[list[str]]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(body(answer).decode(), newline="")))


@pytest.fixture
def stored(owner, reports):
    return store_comparison(owner, reports)


@pytest.fixture
def get(sign_in, owner, stored):
    client = sign_in(owner)
    return lambda section, **query: client.get(
        f"/comparisons/{stored.pk}/sections/{section}/", {"format": "csv", **query}
    )


def test_the_columns_are_those_of_the_table_with_units_and_whole_figures(get):
    answer = get(WAITS, basis="total", all="1")
    head, *rows = lines(answer)
    assert head[:4] == ["Event", "waits First", "waits Second", "waits change"]
    assert head[4:6] == ["average wait [s] First", "average wait [s] Second"]
    assert "attachment" in answer["Content-Disposition"]
    assert WAITS in answer["Content-Disposition"]
    printed = waits_section()
    assert len(rows) == len(printed.rows)
    of = {row[0]: row for row in rows}
    for one in printed.rows:
        waits = one.values["waits"]
        for cell, value in zip(of[one.key["event"]][1:3], (waits.first, waits.second), strict=True):
            if value is not None:
                assert float(cell) == value.number
            else:
                assert cell != "0"  # missing is not zero


def test_rows_and_basis_are_those_that_were_chosen(get):
    every, counting = lines(get(WAITS, all="1")), lines(get(WAITS))
    assert 1 < len(counting) < len(every)
    assert "waits per second First" in lines(get(WAITS, basis="s"))[0]
    found = lines(get(WAITS, all="1", q=every[3][0]))
    assert [row[0] for row in found[1:]] == [every[3][0]]


def test_whoever_holds_a_link_has_it_too_and_nobody_else(stored, owner):
    _, path = create_link(owner, stored, days=7)
    assert len(lines(Client().get(f"{path}sections/{WAITS}/?format=csv&all=1"))) > 2
    assert Client().get(f"/comparisons/{stored.pk}/sections/{WAITS}/?format=csv").status_code in (302, 401)


def test_a_section_that_is_not_there_is_none(get):
    assert get("no_such").status_code == 404


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\uff1d"])
def test_no_cell_is_a_formula(sign_in, owner, reports, start):
    evil = f"{start}HYPERLINK(1)"
    section = parameters_section()
    row = replace(
        section.rows[0],
        key={"parameter": evil},
        values=section.rows[0].values | {"begin_value": Delta(evil, "x", significant=True)},
    )
    stored = store_comparison(owner, reports, comparison((replace(section, rows=(row, *section.rows[1:])),)))
    found = lines(sign_in(owner).get(f"/comparisons/{stored.pk}/sections/{section.id}/?format=csv&all=1"))
    assert sum("HYPERLINK" in cell for line in found for cell in line) == 2
    assert not [cell for line in found for cell in line if cell.startswith((start, "="))]


def test_rows_stand_as_the_page_orders_them_and_idle_ones_last(sign_in, owner, stored, get):
    client, url = sign_in(owner), f"/comparisons/{stored.pk}/sections/{WAITS}/"
    for sort in ("", "0f", "0s", "1c"):
        html = client.get(url, {"all": "1", "sort": sort}, headers=IN_PAGE).content.decode()
        shown = [unescape(name) for name in re.findall(r"<th scope=\"row\">.*?>([^<]+)</a>", html, re.DOTALL)]
        assert [row[0] for row in lines(get(WAITS, all="1", sort=sort))[1:]] == shown, sort
    orders = {tuple(row[0] for row in lines(get(WAITS, all="1", sort=sort))[1:]) for sort in ("0f", "1c")}
    assert len(orders) == 2
    html = client.get(url, {"all": "1", "sort": "1c"}, headers=IN_PAGE).content.decode()
    assert f'href="{url}?all=1&amp;sort=1c&amp;format=csv"' in html


def test_one_report_has_its_rows_in_base_units(sign_in, owner, reports):
    client, url = sign_in(owner), f"/reports/{reports[0].pk}/sections/{WAITS}/"
    head, *rows = lines(client.get(url, {"format": "csv"}))
    assert head[0] == "Event"
    assert any(label.endswith("[s]") for label in head)
    printed = list(load_report(reports[0]).section(WAITS).rows)
    assert len(rows) == len(printed)
    for row, one in zip(rows, printed, strict=True):
        assert row[0] == one["event"]
        assert float(row[head.index("Waits")]) == one["waits"].number
    (found,) = lines(client.get(url, {"format": "csv", "q": rows[-1][0]}))[1:]
    assert found == rows[-1]
    html = client.get(url, headers=IN_PAGE).content.decode()
    assert f'href="{url}?format=csv"' in html
    assert "data-copy-table" not in html  # the page of a report has no script for it


def test_the_section_offers_it_as_it_is_shown(sign_in, owner, stored):
    url = f"/comparisons/{stored.pk}/sections/{WAITS}/"
    html = sign_in(owner).get(url, {"all": "1", "basis": "total"}, headers={"HX-Request": "true"}).content.decode()
    assert f'href="{url}?basis=total&amp;all=1&amp;format=csv"' in html
    assert "data-copy-table" in html
