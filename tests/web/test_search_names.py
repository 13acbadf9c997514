"""Reports and comparisons found by a part of a name: the same with an index, without one, and of few rows or many."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client

from awrdiff.comparisons import comparisons_by_database, services
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from awrdiff.search import name_search, word_search
from awrdiff.search.models import Indexed
from tests.web.conftest import store_report
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db
TERMS = [
    "pay", "PAY2", "second.html", "report", "%", "_", "\\", '"', "e\"x", "a.b-c", "host", "Ünal", "ü", "ab", "zzz", "2024",
    "2024-01-02", "2 jan", "jan 2024", "january", "10:00", "11:17", "2023-06-05", "5 jun", "olivia", "monday pay", "100%",
    "2024-01-02 pay2", "row lock", "latch 3 jan", "--", "pay\nsecond",
]  # fmt: skip


@pytest.fixture
def stored(owner) -> list[Comparison]:
    rows = [
        store_report(owner, name, begin=f"2024-01-{n:02}T10:00:00")
        for n, name in enumerate(['first "e"x".html', "second.html", "a.b-c_100%.html", "Ünal.html"], start=1)
    ]
    Report.objects.filter(pk=rows[1].pk).update(db_name="PAY2", host_name="host-b")
    Report.objects.filter(pk=rows[2].pk).update(created_at=datetime(2023, 6, 5, 11, 17, tzinfo=UTC))
    made = [store_comparison(owner, pair) for pair in (rows[:2], rows[1:3], rows[2:])]
    services.rename(owner, made[0], "Slow Monday")
    Comparison.objects.filter(pk=made[1].pk).update(note="a latch, and row lock waits", created_by=None)
    Comparison.objects.filter(pk=made[2].pk).update(created_at=datetime(2023, 6, 5, 11, 17, tzinfo=UTC))
    Indexed.objects.filter(comparison=made[2]).update(text="latch free and row lock")
    return made


def matches(access, text: str) -> tuple[list, list]:
    comparisons, reports = comparisons_by_database.matching(access, text)
    return [one.pk for one in comparisons], [one.pk for one in reports]


@pytest.mark.parametrize("way", ["many", "no index"])
def test_an_index_finds_what_reading_every_row_finds(owner, stored, monkeypatch, way):
    by_index = {text: matches(owner, text) for text in TERMS}
    if way == "many":
        monkeypatch.setattr(name_search, "MOST", 0)
        monkeypatch.setattr(comparisons_by_database, "MOST", 0)
    else:
        monkeypatch.setattr(name_search, "_is_indexed", lambda: False)
    assert by_index == {text: matches(owner, text) for text in TERMS}
    assert [len(by_index[text][1]) for text in ("PAY2", "zzz", "2024-01-02", "2023-06-05", "--")] == [1, 0, 1, 1, 0]
    assert [len(by_index[text][0]) for text in ("PAY2", "monday pay", "2023-06-05", "olivia")] == [2, 1, 1, 2]


def test_what_changes_is_found_as_it_is_now(owner, stored):
    Report.objects.filter(db_name="PAY2").update(db_name="LEDGER")
    services.rename(owner, stored[0], "Fast Tuesday")
    assert [len(part) for part in matches(owner, "ledger")] == [2, 1]
    assert matches(owner, "PAY2") == ([], [])
    assert (len(matches(owner, "tuesday")[0]), matches(owner, "monday")[0]) == (1, [])
    Comparison.objects.all().delete()
    Report.objects.filter(db_name="LEDGER").delete()
    assert matches(owner, "ledger") == ([], [])


def test_a_row_of_another_team_is_none_of_the_few(owner, stranger, stored):
    store_report(stranger, "theirs_PAY2.html")
    assert [len(part) for part in matches(owner, "theirs")] == [0, 0]
    assert [len(part) for part in matches(stranger, "PAY2")] == [0, 1]


@pytest.mark.parametrize(
    ("day", "text"),
    [
        ((2024, 1, 5), "20240105d"), ((2024, 1, None), "202401"), ((None, 1, 5), "0105d"), ((2024, None, None), ""),
        ((None, 1, None), ""), ((None, None, None), ""),
    ],
)  # fmt: skip
def test_a_day_as_the_index_has_it(day, text):
    assert name_search.day_text(*day) == text


def test_counts_of_a_search_stop(sign_in, owner, monkeypatch):
    for n in range(52):
        store_report(owner, f"some_{n}.html")
    client: Client = sign_in(owner)
    assert "1 – 50 of 52 reports" in client.get("/?q=some").content.decode()
    monkeypatch.setattr("awrdiff.web.presenters.page.home.MOST_COUNTED", 20)
    html = client.get("/?q=some").content.decode()
    assert "1 – 50 of more than 50 reports" in html
    assert "<small>more than 50 reports" in html
    assert "51 – 52 of 52 reports" in client.get("/?q=some&reports=2").content.decode()


@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_sqlite_without_fts5_reads_every_row_and_says_so(owner, stored, monkeypatch, caplog):
    texts = ["row lock", "lock wai", "latch", "atch", "lock row", "free_and", "(", "ROW"]
    by_index = {text: set(word_search.holding(text)) for text in texts}
    assert [len(rows) for rows in by_index.values()] == [1, 0, 1, 0, 0, 1, 0, 1]
    monkeypatch.setattr(name_search, "has_letters", lambda: False)
    assert {text: set(word_search.holding(text)) for text in texts} == by_index
    with caplog.at_level(logging.WARNING):
        name_search.make(connection)
        word_search.make(connection)
        word_search.forget()
    assert "has no FTS5" in caplog.text


@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_a_table_that_was_made_anew_is_read_again(owner, stored):
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER search_reports_changed")
    Report.objects.filter(db_name="PAY2").update(db_name="LEDGER")
    name_search.make(connection)
    assert [len(part) for part in matches(owner, "ledger")] == [2, 1]


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_postgresql_that_refuses_the_extension_is_no_failure(owner, stored, monkeypatch, caplog):
    connection.check_constraints()
    name_search.drop(connection)
    name_search._INDEXED.clear()
    monkeypatch.setattr(name_search, "EXTENSION", "awrdiff_has_none_of_that_name")
    with caplog.at_level(logging.WARNING):
        name_search.make(connection)
    assert "CREATE EXTENSION" in caplog.text
    assert not name_search._is_indexed()
    assert [len(part) for part in matches(owner, "PAY2")] == [2, 1]
    monkeypatch.undo()
    name_search.make(connection)
    assert name_search._is_indexed()
