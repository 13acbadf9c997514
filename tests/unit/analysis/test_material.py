"""What a change is worth: priced in DB time, or by the rule of its kind; one threshold for all."""

from __future__ import annotations

import math

import pytest

from awrdiff.analysis.export import comparison_json
from awrdiff.analysis.model.comparison import Delta, SectionWeight
from awrdiff.analysis.report.figures_by_name import Bases, Basis, Side
from awrdiff.analysis.rows.materiality import (
    ALWAYS,
    NO_YARDSTICK,
    STEPS,
    Scale,
    Whole,
    Yardstick,
    significance,
    weight_of_section,
)
from awrdiff.analysis.rows.section_comparison import compare_section
from parsers.model import Column, Value
from tests.unit.analysis.builders import (
    column,
    events,
    exact,
    loaded,
    near,
    parameters,
    report,
    section,
    statements,
    time_model,
)

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


def test_an_event_is_worth_what_it_moved_by_in_foreground_or_background_whichever_is_more():
    sides = [
        Side(loaded(waits={"a": (9, a), "b": (9, b), "Gone": (9, gone)}, background={"a": (9, 36.0), "b": (9, back)}))
        for a, b, gone, back in ((360.0, 360.0, 180.0, 36.0), (720.0, 324.0, 0.0, 1116.0))
    ]
    assert Yardstick.of(*sides).events == pytest.approx({"a": 0.1, "b": 0.3, "gone": 0.05})
    of_the_second_alone = Yardstick.of(Side(report(time_model(db_time=9.0))), sides[1])
    assert of_the_second_alone.events == pytest.approx({"a": 0.2, "b": 0.31, "gone": 0.0})
    endless = Side(report(events({"a": (9, 360.0)}), elapsed=None))
    assert Yardstick.of(endless, endless) == Yardstick(None, {"a": 0.0})  # rates of no known time
    assert NO_YARDSTICK.percent(5.0) == 0.0


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
    assert weight("bytes", None, 4.0 * 2**20, "level") == pytest.approx(7.5)  # 3 of 4 MB are left


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


@pytest.mark.parametrize(
    ("sums", "first", "second", "part"),
    [
        ((1_000.0, 500.0), exact(250), exact(100), 25.0),
        ((1_000.0, 500.0), exact(-250), None, 25.0),
        ((1_000.0, 0.0), exact(250), exact(0), 25.0),
        ((1.0, 0.0), exact(1), None, 100.0),
        ((0.0, 0.0), exact(0), exact(0), 100.0),
        ((1_000.0, 500.0), None, "n/a", 100.0),
        (None, exact(3), "n/a", 3.0),
        (None, None, None, 100.0),
    ],
)
def test_a_row_without_the_figure_is_as_much_as_all(sums, first, second, part):
    whole = Whole("figure", sums)
    assert whole.part({"figure": Delta(first, second)}) == part
    assert whole.part({}) == 100.0


def test_a_whole_is_what_its_parts_add_up_to_on_each_side():
    columns = (Column("name", "Name"), column("gets"), column("hits", "ratio", "level"))
    rows = [
        ("a", exact(1), None),
        ("b", exact(7), None),
        ("c", exact(-100), None),
        ("d", "n/a", None),
        ("e", None, None),
    ]
    listed, other = section("latches", columns, rows), section("latches", columns[:1], [("a",)])
    assert Whole.of("latches", columns, (None, listed)) == Whole("gets", (0.0, 8.0))
    assert Whole.of("latches", columns, (listed, other)) == Whole("gets", (8.0, 0.0))
    assert Whole.of("latches", columns, (other, other)) is None
    assert Whole.of("latches", columns, ()) is None
    assert Whole.of("instance_activity", columns, (listed, listed)) is None  # of many kinds, which add up to nothing
    assert Whole.of("latches", (columns[0], columns[2]), (listed, listed)) is None


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


@pytest.mark.parametrize(
    ("columns", "looked_at"),
    [
        ([("per_exec", "per_exec", "average"), ("total", "count", "total")], ["total"]),
        ([("gets", "count", "total"), ("gets_per_s", "per_s", "rate")], ["gets"]),
        ([("gets", "count", "level"), ("gets_per_s", "per_s", "rate")], ["gets", "gets_per_s"]),
        ([("gets", "count", "total"), ("hits_per_s", "per_s", "rate")], ["gets", "hits_per_s"]),
        ([("gets", "count", "total"), ("waits_per_txn", "ratio", "average")], ["gets"]),
        ([("gets", "count", "level"), ("per_second", "per_s", "rate")], ["gets", "per_second"]),
        ([("name", None, "text"), ("per_second", "per_s", "rate")], ["name", "per_second"]),
    ],
)
def test_a_figure_is_looked_at_in_one_basis(columns, looked_at):
    assert [c.id for c in Scale.of("x", [column(*c) for c in columns], TEN).columns] == looked_at


A, B, NONE = exact(360), exact(1080), None


@pytest.mark.parametrize(
    ("delta", "priced"),
    [
        (Delta(A, B, first_per_s=0.1, second_per_s=0.3, significant=True), 2.0),
        (Delta(A, B, first_per_s=0.1, second_per_s=0.3, significant_per_s=True), 2.0),
        (Delta(A, B, first_per_s=0.1, second_per_s=0.3), 0.0),  # the print tells no difference
        (Delta(NONE, B, second_per_s=0.3), 3.0),
        (Delta(A, NONE, first_per_s=0.1), 1.0),
        (Delta(A, B, second_per_s=0.3, significant=True), None),  # the length of one report is not known
        (Delta(A, B, first_per_s=0.1, significant=True), None),
        (Delta(A, B, significant=True), None),
        (Delta(NONE, NONE), None),
        (NONE, None),
    ],
)
def test_what_a_time_costs_takes_the_length_of_each_report_that_prints_it(delta, priced):
    scale = Scale.of("x", [column("time_s", "s")], TEN)
    assert scale.price is not None
    found, values = scale.price({}, {"time_s": delta}), {"time_s": delta} if delta else {}
    assert found == (None if priced is None else pytest.approx(priced / 10))
    if priced is not None:
        assert scale.weigh("changed", {}, values) == (pytest.approx(priced), False)
    else:
        assert scale.weigh("changed", {}, values)[1] is bool(delta and delta.significant)


@pytest.mark.parametrize(
    ("first", "second", "significant", "price"),
    [
        (exact(0.5), exact(2), True, 1.5),
        (exact(2), exact(0.5), True, 1.5),
        (exact(0.5), exact(2), False, 0.0),
        (None, exact(2), False, 2.0),
        (exact(2), None, False, 2.0),
        (None, None, False, None),
        ("n/a", exact(2), True, None),
        (exact(2), "n/a", True, None),
    ],
)
def test_a_column_of_active_sessions_is_a_price_as_it_stands(first, second, significant, price):
    scale = Scale.of("ash_x", [column("sessions", "sessions", "level")], TEN)
    assert scale.price({}, {"sessions": Delta(first, second, significant=significant)}) == price
    assert scale.price({}, {}) is None


@pytest.mark.parametrize(
    ("section_id", "unit", "moved_to", "found"),
    [
        ("latches", "ratio", 2.0, (5.0, True)),
        ("latches", "ratio", 1.02, (pytest.approx(0.196, abs=0.001), True)),
        ("latches", "ratio", 1.0, (0.0, False)),
        ("latches", None, "b", (ALWAYS, False)),  # a setting is no matter of size
        ("load_profile", "ratio", 2.0, (5.0, False)),  # the work itself
        ("instance_efficiency", "ratio", 2.0, (5.0, False)),
    ],
)
def test_what_has_no_price_is_told_from_what_is_the_work_itself(section_id, unit, moved_to, found):
    one = column("figure", unit, "level")
    sides = ("a", moved_to) if unit is None else (exact(1.0), exact(moved_to))
    values = {"figure": Delta(*sides, significant=sides[0] != sides[1])}
    assert Scale.of(section_id, [one], TEN).weigh("changed", {}, values) == found
    assert Scale.of(section_id, [one], NO_YARDSTICK).weigh("changed", {}, values) == (found[0], False)
    assert Scale.of(section_id, [one], TEN).weight("same", {}, values) == 0.0


def test_a_share_of_the_time_counts_however_small_a_count_stands_beside_it():
    columns = (Column("session", "Session"), column("pct_activity", "percent", "share"), column("transactions"))
    rows = [("holds a mutex", exact(35.0), exact(0)), ("holds a row", exact(4.0), exact(3))]
    none, blockers = (section("top_blocking_sessions", columns, r) for r in ([], rows))
    assert {k: r.weight for k, r in weights(none, blockers).items()} == {"holds a mutex": 35.0, "holds a row": 4.0}


def test_points_of_the_time_itself_are_as_good_as_a_price():
    values = {"pct_activity": Delta(exact(1), exact(4), significant=True)}
    scale = Scale.of("ash_x", [column("pct_activity", "percent", "share")], TEN)
    assert scale.weigh("changed", {}, values) == (3.0, False)


@pytest.mark.parametrize(
    ("first", "second", "significant", "worth"),
    [
        ("a", "b", True, ALWAYS),
        ("a", "A", False, 0.0),
        ("a", exact(3), True, ALWAYS),
        (exact(3), "a", True, ALWAYS),
        (None, None, False, 0.0),
        (None, exact(5), False, 10.0),
        (exact(-5), None, False, 10.0),
        (None, near(5, 2.5), False, 5.0),
        (None, exact(0), False, 0.0),  # nothing there is not much of itself
        (exact(0), None, False, 0.0),
    ],
)
def test_a_figure_of_one_side_is_all_of_itself(first, second, significant, worth):
    scale = Scale.of("x", [column("figure", "ratio", "level")], TEN)
    assert scale.weight("changed", {}, {"figure": Delta(first, second, significant=significant)}) == worth


def test_a_text_counts_in_however_small_a_part():
    columns = [Column("state", "State"), column("gets")]
    listed = section("latches", columns, [("x", exact(1_000_000))])
    scale = Scale.of("latches", columns, TEN, (listed, listed))
    few = Delta(exact(1_000), exact(1_000))
    assert scale.weight("changed", {}, {"state": Delta("a", "b", significant=True), "gets": few}) == ALWAYS
    doubled = Delta(exact(1_000), exact(2_000), significant=True)
    assert scale.weight("changed", {}, {"gets": doubled}) == pytest.approx(0.2)
    assert scale.weight("only_second", {}, {"gets": Delta(exact(-3_000), None)}) == pytest.approx(0.3)


@pytest.mark.parametrize("seconds", [10.0, 1.0, 0.1])
def test_a_megabyte_is_one_in_however_long_a_report(seconds):
    sizes = [exact(n * 2**20) for n in (2, 4)]
    rates = [v.number / seconds for v in sizes]
    delta = Delta(*sizes, first_per_s=rates[0], second_per_s=rates[1], significant=True)
    scale = Scale.of("x", [column("size", "bytes")], TEN)
    assert scale.weight("changed", {}, {"size": delta}) == pytest.approx(2.5)  # 1 of 4 MB is left
    one_rate = delta._replace(second_per_s=None)
    assert scale.weight("changed", {}, {"size": one_rate}) == pytest.approx(2.5)


def test_a_histogram_has_the_price_of_its_event():
    yardstick = Yardstick(10.0, {"log file sync": 0.5})
    columns = [Column("pct_lt_1ms", "<1ms", "percent", "neither", "share")]
    scale = Scale.of("wait_event_histogram", columns, yardstick)
    values = {"pct_lt_1ms": Delta(Value(90, 0.05), Value(20, 0.05), significant=True)}
    assert scale.weight("changed", {"event": "log file sync"}, values) == pytest.approx(5.0)
    assert scale.weight("changed", {"event": "other"}, values) == 0.0
    assert scale.weight("changed", {}, values) == 0.0


def test_without_db_time_a_time_is_a_level_as_any_other():
    found = weights(events({"a": (1, 100)}), events({"a": (1, 200)}), NO_YARDSTICK)["a"]
    assert found.weight == pytest.approx(5.0, rel=0.05)


def test_a_section_says_how_many_rows_count_from_each_step_on():
    a = events({"a": (1, 10), "b": (1, 10), "same": (1, 10)})
    b = events({"a": (1, 3700), "b": (1, 80), "same": (1, 10)})
    of_events = compare_section(a, b, HOUR, TEN)
    made = weight_of_section(of_events, TEN)
    assert made == SectionWeight("foreground_wait_events", (2, 2, 1, 1, 1, 1, 1), pytest.approx(3690 / 3600, rel=1e-3))
    assert weight_of_section(of_events, NO_YARDSTICK).sessions is None
    assert weight_of_section(compare_section(events({}), events({}), HOUR, TEN), TEN).sessions == 0.0
    setting = compare_section(parameters({"a": "1"}), parameters({"a": "2"}), HOUR, TEN)
    assert weight_of_section(setting, TEN) == SectionWeight("init_parameters", (1,) * len(STEPS))
    counts = [section("latches", (Column("name", "Name"), column("gets")), [("a", near(n))]) for n in (900, 4_000)]
    unpriced = weight_of_section(compare_section(*counts, HOUR, TEN), TEN)
    assert unpriced == SectionWeight("latches", (1, *[0] * (len(STEPS) - 1)), unpriced=1)  # behind one line


def test_weights_are_stored_and_an_older_section_keeps_what_it_said():
    made = compare_section(events({"a": (1, 10)}), events({"a": (1, 300)}), HOUR, TEN)
    stored = comparison_json.dump_section(made)
    assert comparison_json.load_section(stored).rows[0].weight == pytest.approx(made.rows[0].weight)
    del stored["weighed"]
    older = comparison_json.load_section(stored).rows[0]
    assert (older.counts(0.0), older.counts(0.1), older.matters) == (True, False, False)


def test_significance_weighs_the_factor_by_the_size():
    def of(a, b):
        return significance(Delta(Value(a, 0), Value(b, 0), significant=True))

    assert of(1e6, 5e6) > of(1e6, 2e6) > of(10, 20) > 0
    assert of(1e6, 5e6) > of(1, 60) > of(1, 2)
    assert of(5, 0) == pytest.approx(math.log(6) * math.log10(7))
    assert of(-5, 0) == 0.0


FIVE, TWELVE = exact(5), exact(12)


@pytest.mark.parametrize(
    ("delta", "sides"),
    [
        (None, None),
        (Delta("a", "b", significant=True), None),
        (Delta("a", FIVE, significant=True), None),
        (Delta(FIVE, "b", significant=True), None),
        (Delta(FIVE, TWELVE), None),  # within the print
        (Delta(FIVE, TWELVE, significant_per_s=True), (5, 12)),
        (Delta(None, FIVE), (0, 5)),
        (Delta(FIVE, None), (5, 0)),
        (Delta(None, None), None),
        (Delta(FIVE, TWELVE, first_per_s=5.0, significant=True), (5, 12)),
        (Delta(FIVE, TWELVE, second_per_s=5.0, significant=True), (5, 12)),
        (Delta(FIVE, TWELVE, first_per_s=1.0, second_per_s=1.2, significant=True), (10, 12)),  # in as long a time
        (Delta(FIVE, TWELVE, first_per_s=-1.0, second_per_s=1.2, significant=True), (0, 12)),
    ],
)
def test_what_is_significant_of_two_figures(delta, sides):
    a, b = sides or (0, 0)
    assert significance(delta) == pytest.approx(abs(math.log((b + 1) / (a + 1))) * math.log10(2 + max(a, b)))


def test_activity_stands_by_significance_and_never_by_name():
    columns = (Column("statistic", "Statistic"), Column("total", "Total", "count", "neither", "total"))
    a = section("instance_activity", columns, [("a", exact(100)), ("b", exact(1000)), ("c", exact(50))])
    b = section("instance_activity", columns, [("a", exact(101)), ("b", exact(9000)), ("c", exact(90))])
    found = compare_section(a, b, HOUR, TEN)
    assert [r.key["statistic"] for r in found.rows] == ["b", "c", "a"]
