"""What a change is worth: priced in DB time, or by the rule of its kind; one threshold for all."""

from __future__ import annotations

import math

import pytest

from awrdiff.analysis.export import document
from awrdiff.analysis.model.comparison import Delta
from awrdiff.analysis.report.side import Bases, Basis
from awrdiff.analysis.rows.material import (
    ALWAYS,
    NO_YARDSTICK,
    STEPS,
    Scale,
    Yardstick,
    nearest,
    significance,
    weight_of_section,
)
from awrdiff.analysis.rows.sections import compare_section
from parsers.model import Column, Value
from tests.unit.analysis.builders import column, events, exact, near, parameters, section, statements

HOUR = Bases(Basis(near(3600, 0.005), 100.0), Basis(near(3600, 0.005), 100.0))
TEN = Yardstick(10.0, {})  # active sessions: 1 % is 0.1, or 360 s in an hour


def weights(first, second, yardstick=TEN):
    found = compare_section(first, second, HOUR, yardstick)
    return {next(iter(r.key.values())): r for r in found.rows}


def weight(unit, a, b, measure="total", *, section_id="some_table", yardstick=TEN, **names):
    """Of one row with one figure, by the rule of its kind."""
    one = Column("figure", "Figure", unit, "neither", measure)
    sides = [None if v is None else Value(v, names.get("half", 0.0)) for v in (a, b)]
    significant = None in sides or abs(b - a) > 2 * names.get("half", 0.0)
    delta = Delta(sides[0], sides[1], significant=significant)
    return Scale.of(section_id, [one], yardstick).weight("changed", {}, {"figure": delta})


def test_time_has_a_price_in_percent_of_db_time():
    found = weights(events({"a": (1, 10), "b": (1, 10)}), events({"a": (1, 3610), "b": (1, 370)}))
    assert found["a"].weight == pytest.approx(10.0, rel=1e-3)
    assert found["b"].weight == pytest.approx(1.0, rel=1e-3)
    assert found["b"].counts(0.5)
    assert not found["b"].counts(2.0)
    assert found["b"].counts(0.0)


def test_less_than_the_threshold_is_minor_and_keeps_its_status():
    found = weights(events({"a": (1, 10)}), events({"a": (1, 300)}))["a"]
    assert (found.status, found.minor, found.matters) == ("changed", True, False)


def test_a_database_with_less_than_one_session_counts_as_one():
    class Idle:
        active_sessions, foreground, background = 0.02, {}, {}

    assert Yardstick.of(Idle(), Idle()).sessions == 1.0


def test_a_row_of_one_side_weighs_its_whole_time():
    assert weights(events({}), events({"a": (1, 720)}))["a"].weight == pytest.approx(2.0, rel=1e-3)


def test_idle_waits_never_count():
    found = weights(events({"rdbms ipc message": (1, 10)}), events({"rdbms ipc message": (1, 90_000)}))
    assert found["rdbms ipc message"].weight == 0.0


def test_statements_are_priced_by_their_time_in_whatever_order_they_are_listed():
    a, b = (statements({"a": (seconds, 1)}) for seconds in (10, 730))
    assert weights(a, b)["a"].weight == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1e6, 1.1e6, 0.9),  # a tenth of the larger: not quite 1 %
        (1e6, 1.2e6, 1.6),
        (1e6, 2e6, 5.0),
        (0, 4, 0.0),  # by chance
        (0, 9, 3.3),
        (10, 14, 0.0),
        (100, 200, 3.27),
        (1e6, 0, 10.0),
    ],
)
def test_counts_have_to_move_by_ten_times_as_much_beyond_chance(a, b, expected):
    assert weight("count", a, b) == pytest.approx(expected, abs=0.06)


def test_whichever_side_is_the_first_a_change_is_worth_the_same():
    longer = Bases(Basis(near(3600, 0.005), 100.0), Basis(near(7000, 0.005), 300.0))
    shorter = Bases(longer.second, longer.first)
    sides = [section("latches", (Column("name", "Name"), column("gets")), [("a", near(n))]) for n in (900, 4_000)]
    there = compare_section(sides[0], sides[1], longer, TEN).rows[0].weight
    back = compare_section(sides[1], sides[0], shorter, TEN).rows[0].weight
    assert there == pytest.approx(back)
    assert 5.0 < there < 6.0


def test_levels_have_no_chance_in_them_but_the_print_has():
    assert weight("ratio", 4, 5, "level") == pytest.approx(2.0)
    assert weight("ratio", 4, 5, "level", half=0.25) == pytest.approx(1.0)


def test_sizes_have_to_move_by_a_megabyte_too():
    assert weight("bytes", 1024, 900_000, "level") == 0.0
    assert weight("bytes", 2.0**30, 2.0**31, "level") == pytest.approx(5.0, abs=0.01)


def test_shares_count_by_points():
    assert weight("percent", 90, 92.5, "share") == pytest.approx(2.5)


def test_a_text_always_counts_but_not_beside_a_share():
    text, share = Column("host", "Host"), Column("pct", "Pct", "percent", "neither", "share")
    delta = {"host": Delta("a", "b", significant=True), "pct": Delta(Value(1, 0), Value(1, 0))}
    assert Scale.of("x", [text], TEN).weight("changed", {}, delta) == ALWAYS
    assert Scale.of("x", [text, share], TEN).weight("changed", {}, delta) == 0.0
    changed = weights(parameters({"a": "1", "b": "1"}), parameters({"a": "2", "b": "1"}))
    assert (changed["a"].weight, changed["b"].weight) == (ALWAYS, 0.0)


def test_parts_of_a_whole_have_to_be_as_much_of_it():
    figure = column("gets", "count")
    made = [
        section("segments_by_gets", (Column("name", "Name"), figure), [("big", exact(big)), ("small", exact(small))])
        for big, small in ((100_000, 500), (400_000, 1_500))
    ]
    found = weights(*made)
    assert found["big"].matters
    assert not found["small"].matters  # 0.5 and 0.4 % of the whole
    assert found["small"].counts(0.1)


@pytest.mark.parametrize("back", [False, True])
def test_a_part_of_a_whole_is_what_it_is_on_its_larger_side(back):
    """A segment that was next to nothing and is a tenth of all now; and the other way round."""
    sides = [
        section("segments_by_gets", (Column("name", "Name"), column("gets", "count")), rows)
        for rows in (
            [("big", exact(1_000_000)), ("grown", exact(2_000))],
            [("big", exact(900_000)), ("grown", exact(100_000))],
        )
    ]
    assert weights(*(reversed(sides) if back else sides))["grown"].weight == pytest.approx(9.7, abs=0.2)


@pytest.mark.parametrize(("first", "second"), [(0.2, 12.0), (12.0, 0.2)])
def test_so_is_a_share_that_is_printed(first, second):
    columns = [column("gets", "count"), Column("pct_total", "%Total", "percent", "neither", "share")]
    gets = [Value(1000.0 * share, 0.5) for share in (first, second)]
    shares = [Value(share, 0.05) for share in (first, second)]
    values = {"gets": Delta(*gets, significant=True), "pct_total": Delta(*shares, significant=True)}
    assert Scale.of("segments_by_gets", columns, TEN).weight("changed", {}, values) == pytest.approx(11.8)


def test_what_repeats_a_total_per_transaction_does_not_count_again():
    columns = [
        Column("total", "Total", "count", "neither", "total"),
        Column("per_transaction", "per Trans", "per_txn", "neither", "average"),
    ]
    values = {
        "total": Delta(Value(1000, 0), Value(1000, 0)),
        "per_transaction": Delta(Value(1, 0.05), Value(9, 0.05), significant=True),
    }
    assert Scale.of("instance_activity", columns, TEN).weight("changed", {}, values) == 0.0
    rate = Column("per_second", "per s", "per_s", "neither", "rate")  # the load profile prints no totals
    values["per_second"] = Delta(Value(5, 0.5), Value(5, 0.5))
    assert Scale.of("load_profile", [rate, columns[1]], TEN).weight("changed", {}, values) == 0.0


def test_a_histogram_has_the_price_of_its_event():
    yardstick = Yardstick(10.0, {"log file sync": 0.5})
    columns = [Column("pct_lt_1ms", "<1ms", "percent", "neither", "share")]
    scale = Scale.of("wait_event_histogram", columns, yardstick)
    values = {"pct_lt_1ms": Delta(Value(90, 0.05), Value(20, 0.05), significant=True)}
    assert scale.weight("changed", {"event": "log file sync"}, values) == pytest.approx(5.0)
    assert scale.weight("changed", {"event": "other"}, values) == 0.0


def test_without_db_time_a_time_is_a_level_as_any_other():
    found = weights(events({"a": (1, 100)}), events({"a": (1, 200)}), NO_YARDSTICK)["a"]
    assert found.weight == pytest.approx(5.0, rel=0.05)


def test_a_section_says_how_many_rows_count_from_each_step_on():
    a = events({"a": (1, 10), "b": (1, 10), "same": (1, 10)})
    b = events({"a": (1, 3700), "b": (1, 80), "same": (1, 10)})
    made = weight_of_section(compare_section(a, b, HOUR, TEN), TEN)
    assert dict(zip(STEPS, made.counts, strict=True)) == {0.0: 2, 0.1: 2, 0.5: 1, 1.0: 1, 2.0: 1, 5.0: 1, 10.0: 1}
    assert made.sessions == pytest.approx(3690 / 3600, rel=1e-3)
    unpriced = compare_section(parameters({"a": "1"}), parameters({"a": "2"}), HOUR, TEN)
    assert weight_of_section(unpriced, TEN).sessions is None


def test_weights_are_stored_and_an_older_section_keeps_what_it_said():
    made = compare_section(events({"a": (1, 10)}), events({"a": (1, 300)}), HOUR, TEN)
    stored = document.dump_section(made)
    assert document.load_section(stored).rows[0].weight == pytest.approx(made.rows[0].weight)
    del stored["weighed"]
    older = document.load_section(stored).rows[0]
    assert (older.counts(0.0), older.counts(0.1), older.matters) == (True, False, False)


def test_significance_weighs_the_factor_by_the_size():
    def of(a, b):
        return significance(Delta(Value(a, 0), Value(b, 0), significant=True))

    assert of(1e6, 5e6) > of(1e6, 2e6) > of(10, 20) > 0
    assert of(1e6, 5e6) > of(1, 60) > of(1, 2)
    assert of(5, 0) == pytest.approx(math.log(6) * math.log10(7))
    assert significance(Delta("a", "b", significant=True)) == 0.0


def test_only_the_steps_can_be_chosen():
    assert [nearest(t) for t in ("1", "0.5", "0", "3", "nan", "x", "", None)] == [1.0, 0.5, 0.0, *[None] * 5]


def test_activity_stands_by_significance_and_never_by_name():
    columns = (Column("statistic", "Statistic"), Column("total", "Total", "count", "neither", "total"))
    a = section("instance_activity", columns, [("a", exact(100)), ("b", exact(1000)), ("c", exact(50))])
    b = section("instance_activity", columns, [("a", exact(101)), ("b", exact(9000)), ("c", exact(90))])
    found = compare_section(a, b, HOUR, TEN)
    assert [r.key["statistic"] for r in found.rows] == ["b", "c", "a"]
