"""Comparisons found by what they say: by whom, whatever is typed, and in step with the stored result."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils.html import escape
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.ranked_changes import Mover, Range, Ranked, Sessions, Subject
from awrdiff.comparisons import comparisons_by_database, guest_access, search_index, services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.processing.models import State
from awrdiff.search import word_search
from awrdiff.search.models import Indexed
from tests.web.compared import comparison as computed
from tests.web.conftest import store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.redacted import redacted_link

pytestmark = pytest.mark.django_db
LOCKS = "enq: TX - row lock contention"


def mover(kind: str, key: str, first: float, second: float, *, view: str = "part", about: str = "") -> Mover:
    sessions = Sessions(Range(first, first), Range(second, second))
    return Mover(Subject(kind, key), view, sessions, second - first, "worse", about)


def row_locks(sql_id: str = "bsw76f0d1g2hk", table: str = "APP.ORDERS_2024"):
    """2.8 → 9.3 active sessions, by row locks of one statement."""
    movers = (
        mover("event", LOCKS, 0.1, 5.1),
        mover("cpu", "DB CPU", 1.5, 2.5),
        mover("sql", sql_id, 0.2, 4.8, view="again", about="update orders set"),
    )
    said = Finding("locks", "critical", "Sessions wait for row locks.", f"Most on {table}.")
    return replace(computed(), findings=(said,), ranked=Ranked(2.8, 9.3, 9.3, movers), summary="DB time tripled.")


@pytest.fixture
def reports(owner):
    return [store_report(owner, f"awr_{n}.html", begin=f"2024-01-0{n}T10:00:00") for n in (1, 2)]


@pytest.fixture
def locked(owner, reports) -> Comparison:
    return store_comparison(owner, reports, row_locks())


def matches(access, text: str) -> list[Comparison]:
    return list(comparisons_by_database.matching(access, text)[0])


@pytest.mark.parametrize(
    "text",
    [
        "row lock",
        "ROW LOCKS",
        "lock row",
        "bsw76f0d1g2hk",
        "bsw76",
        "app.orders_2024",
        "orders_2",
        "enq: TX - row lock contention",
        "sessions wait for row locks",
        "tripled awr_1.html",  # what it says, and a file's name
        "row olivia",  # who made it
        "update",
    ],
)
def test_it_is_found_by_what_it_says(owner, reports, locked, text):
    store_comparison(owner, reports)
    assert matches(owner, text) == [locked]


@pytest.mark.parametrize("text", ["orders.app", "row latch", "ock", "orders_2025", "sten"])
def test_every_word_is_wanted_as_it_begins_and_a_name_in_its_order(owner, locked, text):
    assert matches(owner, text) == []


def test_statements_that_hardly_moved_are_found_where_a_table_lists_them(owner, reports):
    made = store_comparison(owner, reports)
    section = made.sections.filter(family="sql").first()
    listed = search_index._SQL_ID.findall(section.row_text)
    assert listed
    assert matches(owner, listed[-1].upper()) == [made]


@pytest.mark.parametrize(
    "odd",
    ['"', "'", "*", '"row', "row*", "^row", "NEAR(row lock)", "NEAR(", "row AND", "NOT", "OR row", "text:row", "{row}",
     "-row", "row:*", "a & | ! <-> ()", "\\", "%", "_", "row\x00lock", "\x00", "\ud800", "''' :* &", "$$", "🔥", "²", "e\u0301",
     "x" * 10_000, "row " * 2_500, '"' * 10_000, "(" * 10_000, "a." * 5_000, "İ", "--", "; DROP TABLE search_words"],
)  # fmt: skip
def test_whatever_is_typed_is_looked_for_and_nothing_else(sign_in, owner, locked, odd):
    list(word_search.holding(odd))
    matches(owner, odd)
    answer = sign_in(owner).get("/", {"q": odd.encode("utf-8", "replace").decode()})
    assert answer.status_code in (200, 400)  # 400: more of an address than is taken


def test_operators_of_either_database_are_words(owner, locked):
    assert matches(owner, "NOT row") == []
    assert matches(owner, '"row lock"*') == [locked]
    assert matches(owner, '"') == []
    assert [one.comparison_id for one in word_search.holding("row*lock")] == [locked.pk]
    assert not word_search.holding("row OR nothing")


def test_only_what_one_may_read_is_found(owner, colleague, guest, stranger, locked):
    assert matches(colleague, "row lock") == [locked]
    assert matches(stranger, "row lock") == []
    assert matches(guest, "row lock") == []
    guest_access.show(owner, locked, guest.membership)
    assert matches(guest, "row lock") == [locked]
    assert matches(guest, "row olivia") == []  # who works on it is the team's


def test_of_a_copy_for_outsiders_nothing_is_indexed(owner, comparison):
    link, _ = redacted_link(owner, comparison)
    assert [one.comparison_id for one in Indexed.objects.all()] == [comparison.pk]
    assert link.nameless.copy_of_id == comparison.pk


def test_the_task_writes_it_once_however_often_it_runs(owner, comparison):
    before = Indexed.objects.get(comparison=comparison)
    assert before.text
    for _ in range(2):
        Comparison.objects.filter(pk=comparison.pk).update(state=State.PENDING)
        compute_now(comparison.pk)
    after = Indexed.objects.get(comparison=comparison)
    assert (after.line, after.text) == (before.line, before.text)


def test_a_result_and_its_index_are_written_together_or_not_at_all(owner, comparison, monkeypatch):
    Indexed.objects.update(text="as it was")
    Comparison.objects.filter(pk=comparison.pk).update(state=State.PENDING)
    monkeypatch.setattr("awrdiff.comparisons.tasks._tell_its_maker", lambda *_: 1 / 0)
    compute_now(comparison.pk)
    assert Indexed.objects.get().text == "as it was"
    assert [one.pk for one in word_search.holding("as it was")] == [Indexed.objects.get().pk]


def test_another_result_is_found_by_its_own_words(owner, locked):
    search_index.write(locked, search_index.Words("a line", "latch: shared pool"))
    assert matches(owner, "latch") == [locked]
    assert matches(owner, "bsw76") == []


def test_what_is_deleted_is_found_no_more(owner, locked):
    services.delete(owner, locked)
    assert not Indexed.objects.exists()
    with connection.cursor() as cursor:
        table = "search_words WHERE search_words MATCH 'row'" if connection.vendor == "sqlite" else "search_indexed"
        cursor.execute(f"SELECT count(*) FROM {table}")
        assert cursor.fetchone() == (0,)


def test_older_results_are_indexed_some_at_a_time(owner, reports, locked):
    stored = [store_comparison(owner, reports, row_locks("0abcdefgh1234")) for _ in range(4)]
    unreadable = store_comparison(owner, reports)
    Comparison.objects.filter(pk=unreadable.pk).update(overview=b"x")
    waiting = store_comparison(owner, reports)
    Comparison.objects.filter(pk=waiting.pk).update(state=State.PENDING)
    Indexed.objects.exclude(comparison=locked).delete()
    assert matches(owner, "0abcdefgh1234") == []
    assert [search_index.write_missing(2), search_index.write_missing(2), search_index.write_missing(2)] == [2, 2, 1]
    assert search_index.write_missing() == 0
    assert set(matches(owner, "0abcdefgh1234")) == set(stored)
    assert not Indexed.objects.filter(comparison=waiting).exists()


def test_the_command_indexes_all_again(owner, locked, capsys):
    text = Indexed.objects.get().text
    Indexed.objects.update(text="", line="")
    call_command("index_comparisons")
    assert "0 comparisons indexed" in capsys.readouterr().out
    call_command("index_comparisons", "--again")
    assert "1 comparisons indexed" in capsys.readouterr().out
    assert Indexed.objects.get().text == text


def test_an_index_that_is_there_is_left_and_one_that_went_is_made(owner, locked):
    connection.check_constraints()  # PostgreSQL makes no index while some wait to be checked
    word_search.make(connection)
    assert matches(owner, "row lock") == [locked]
    word_search.drop(connection)
    word_search.make(connection)
    assert matches(owner, "row lock") == [locked]


@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_a_table_that_was_made_anew_without_its_triggers_is_indexed_again(owner, locked):
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER search_changed")
    Indexed.objects.update(text="latch free")
    word_search.make(connection)
    assert matches(owner, "latch") == [locked]
    assert matches(owner, "bsw76") == []


def test_each_entry_has_its_verdict_in_a_line(sign_in, owner, locked):
    html = sign_in(owner).get("/").content.decode()
    check_markup(html)
    assert escape(f"2.8 → 9.3 active sessions · {LOCKS} · bsw76f0d1g2hk") in html
    Comparison.objects.filter(pk=locked.pk).update(state=State.FAILED)
    assert "9.3 active sessions" not in sign_in(owner).get("/").content.decode()
