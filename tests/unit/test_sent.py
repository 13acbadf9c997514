"""Of tests that send the same to the database some are enough."""

from __future__ import annotations

import pytest

from tests.harness.sent import Sent, enough, to_leave_out


def test_those_that_are_enough_send_everything_and_the_cheapest_are_taken():
    known = {
        "slow": (9.0, ["one", "two", "three"]),
        "quick": (0.1, ["one", "two"]),
        "same": (0.2, ["one", "two"]),
        "other": (0.1, ["three"]),
        "rare": (5.0, ["one", "four"]),
        "of Python alone": (0.0, []),
    }
    assert enough(known) == {"quick", "other", "rare"}
    assert enough({}) == set()
    assert to_leave_out(known) == {"slow", "same"}


def sent(*statements: tuple[str, object], failing: str = "") -> list[str]:
    def execute(sql: str, params: object, many: bool, context: object) -> None:
        if sql == failing:
            raise ValueError(sql)

    heard = Sent()
    with heard.by("a test"):
        for sql, params in statements:
            if sql == failing:
                with pytest.raises(ValueError, match=failing):
                    heard(execute, sql, params, False, None)
            else:
                heard(execute, sql, params, False, None)
    return heard.recording["a test"][1]


@pytest.mark.parametrize("other", [None, 7, 2**31, "", "é", "a\0b", "x" * 201, b"x"])
def test_what_the_databases_tell_apart_is_another_statement(other):
    assert len(sent(("SELECT %s", ["a"]), ("SELECT %s", ["b"]))) == 1
    assert len(sent(("SELECT %s", ["a"]), ("SELECT %s", [other]))) == 2


def test_a_list_of_any_length_is_the_same():
    assert len(sent(("SELECT 1 IN (%s, %s)", [1, 2]), ("SELECT 1 IN (%s)", [1]))) == 1
    assert len(sent(("SELECT 1 IN (%s)", [1]), ("SELECT 2 IN (%s)", [1]))) == 2


def test_what_follows_a_failure_is_another_until_it_is_rolled_back():
    """PostgreSQL refuses it, SQLite does not."""
    last = ("SELECT %s", [1])
    assert len(sent(last, ("bad", []), last, failing="bad")) == 3
    assert len(sent(last, ("bad", []), ("ROLLBACK TO SAVEPOINT a", None), last, failing="bad")) == 2
