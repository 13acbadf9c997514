"""DB time of several reports by CPU and event."""

from __future__ import annotations

import pytest

from awrdiff.analysis.baseline.stacked_db_time import MOST_EVENTS, change_between, stack_of
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.builders import events, instead, loaded, report

READ, SYNC = "db file sequential read", "log file sync"


def layers(*reports):
    found = stack_of([Side(r) for r in reports])
    return {layer.name: layer.sessions for layer in found.layers}, found


def test_the_layers_of_each_report_add_up_to_its_db_time():
    by_name, found = layers(loaded(waits={READ: (10, 720.0)}), loaded(waits={SYNC: (10, 360.0)}, db_time=1720.0))
    assert by_name["CPU"] == pytest.approx((1000 / 3600, 1000 / 3600))
    assert (by_name[READ], by_name[SYNC]) == ((0.2, 0.0), (0.0, 0.1))
    assert by_name["neither, or not listed"] == pytest.approx((0.0, 0.1))
    for n, whole in enumerate(found.sessions):
        assert sum(s[n] for s in by_name.values()) == pytest.approx(whole)


def test_what_a_top_list_leaves_out_is_unknown():
    cut = instead(loaded(), events({READ: (10, 500.0)}, coverage="top"))
    by_name, _ = layers(cut, loaded(waits={SYNC: (10, 360.0)}))
    assert by_name[SYNC] == (None, 0.1)


def test_the_smaller_events_are_others():
    waits = {f"event {n}": (10, 100.0 * (n + 1)) for n in range(MOST_EVENTS + 2)}
    by_name, _ = layers(loaded(waits=waits))
    assert by_name["other waits"] == pytest.approx((300 / 3600,))
    assert [*by_name][1] == f"event {MOST_EVENTS + 1}"


def test_a_layer_says_what_it_is_and_an_event_where_its_row_stands():
    _, found = layers(loaded(waits={f"event {n}": (10, 100.0) for n in range(MOST_EVENTS + 1)}, db_time=9_000.0))
    parts = [(layer.part, layer.section) for layer in found.layers]
    assert parts == [("cpu", ""), *[("event", "foreground_wait_events")] * MOST_EVENTS, ("others", ""), ("rest", "")]


def test_as_much_of_something_else_is_no_change_of_db_time():
    _, found = layers(loaded(waits={READ: (10, 720.0)}), loaded(waits={SYNC: (10, 721.0)}, db_time=1721.0))
    made = change_between(found, 0, 1)
    assert (made.change, made.layer, made.of_layer) == (0.0, SYNC, pytest.approx(721 / 3600))


def test_a_report_without_db_time_has_no_layers():
    by_name, found = layers(report(events({READ: (10, 500.0)})), loaded())
    assert found.sessions[0] is None
    assert {s[0] for s in by_name.values()} == {None}


def test_what_moved_most_is_named_with_what_it_moved_by():
    before, after = (
        loaded(waits={READ: (10, 720.0)}),
        loaded(waits={READ: (10, 1440.0), SYNC: (10, 360.0)}, db_time=2800.0),
    )
    _, found = layers(before, after)
    made = change_between(found, 0, 1)
    assert (made.layer, made.of_layer, made.change) == (READ, pytest.approx(0.2), pytest.approx(0.3))
    assert change_between(found, 1, 0).of_layer == pytest.approx(-0.2)


def test_less_than_a_hundredth_is_no_change_and_what_is_not_printed_no_zero():
    made = [loaded(waits={READ: (10, w)}, db_time=1720.0) for w in (720.0, 723.0)]
    cut = instead(loaded(), events({READ: (10, 500.0)}, coverage="top"))
    _, found = layers(*made, report(events({READ: (10, 500.0)})))
    assert change_between(found, 0, 1) is None
    assert change_between(found, 0, 2) is None
    _, found = layers(cut, loaded(waits={SYNC: (10, 900.0)}))
    assert change_between(found, 0, 1).layer != SYNC  # unknown in the first
