"""DB time per second and what its change is made of."""

from __future__ import annotations

from math import log

import pytest
from msgspec.structs import replace

from awrdiff.analysis.report.figures_by_name import Side, narrow_total
from awrdiff.analysis.verdict.active_sessions_attribution import attribute, split_change
from tests.unit.analysis.builders import events, exact, loaded, near, report, time_model


def both(a, b):
    found = attribute(Side(a), Side(b))
    assert found is not None
    return found


def test_parts_and_residual_make_up_the_change():
    a = loaded(waits={"x": (100, 100.0), "y": (10, 50.0)}, cpu=200, db_time=400)
    b = loaded(waits={"x": (300, 600.0), "z": (10, 90.0)}, cpu=300, db_time=1200)
    found = both(a, b)
    assert sum(p.diff_per_s for p in found.parts) + found.residual_per_s == pytest.approx(
        found.second_per_s - found.first_per_s
    )
    assert found.first_per_s == pytest.approx(400 / 3600)
    assert found.first_covered == pytest.approx(350 / 400)
    assert found.second_covered == pytest.approx(990 / 1200)


def test_count_and_latency_add_up_and_mirror():
    there = split_change(10.0, 25.0, 0.002, 0.008)
    back = split_change(25.0, 10.0, 0.008, 0.002)
    assert there[0] + there[1] == pytest.approx(25 * 0.008 - 10 * 0.002)
    mean = (0.2 - 0.02) / log(10)
    assert there[0] == pytest.approx(mean * log(2.5))
    assert there[1] == pytest.approx(mean * log(4))
    assert back == (pytest.approx(-there[0]), pytest.approx(-there[1]))
    assert split_change(None, 1, 1, 1) == (None, None)
    assert split_change(10.0, 0.0, 0.002, 0.0) == (
        pytest.approx(-0.01),
        pytest.approx(-0.01),
    )  # no logarithm of nothing


@pytest.mark.parametrize("zero", range(4))
def test_of_nothing_the_split_is_the_middle_of_both_orders(zero):
    rates_and_averages = [10.0, 25.0, 0.002, 0.008]
    rates_and_averages[zero] = 0.0
    a, b, x, y = rates_and_averages
    assert split_change(a, b, x, y) == (pytest.approx((b - a) * (x + y) / 2), pytest.approx((y - x) * (a + b) / 2))


@pytest.mark.parametrize("factors", [(1.2, 900.0), (900.0, 1.2), (0.9, 0.001), (1.0, 3.0), (1.00001, 1.00001)])
def test_what_moved_the_same_way_has_no_part_beyond_the_whole(factors):
    count, latency = split_change(10.0, 10.0 * factors[0], 0.002, 0.002 * factors[1])
    whole = 0.02 * (factors[0] * factors[1] - 1)
    assert count + latency == pytest.approx(whole)
    assert count * whole >= 0
    assert latency * whole >= 0
    assert abs(log(factors[0])) < abs(log(factors[1])) or abs(count) >= abs(latency) * (1 - 1e-6)


def test_a_wait_that_lengthened_far_more_than_its_count_grew_is_of_latency():
    """The middle of both orders made 250 % of the count's own growth out of the longer waits."""
    count, latency = split_change(10.0, 13.0, 0.001, 1.0)
    assert latency > 20 * count


def test_an_event_that_begins_is_a_change_of_count():
    part = next(p for p in both(loaded(waits={}), loaded(waits={"new": (36, 360.0)})).parts if p.key == "new")
    assert part.first_per_s is None
    assert part.diff_per_s == part.by_count_per_s == pytest.approx(0.1)
    assert part.by_latency_per_s == 0


def test_outside_a_top_list_the_change_is_a_lower_bound_and_not_split():
    a = report(time_model(db_time=1000), events({"x": (10, 360.0)}, coverage="top"))
    b = report(time_model(db_time=2000), events({"x": (10, 360.0), "new": (10, 1080.0)}, coverage="top"))
    part = next(p for p in both(a, b).parts if p.key == "new")
    assert part.diff_per_s == pytest.approx(0.3 - 0.1)
    assert part.by_count_per_s is part.by_latency_per_s is None


def test_idle_events_are_no_part():
    a = loaded(waits={"SQL*Net message from client": (10, 5000.0), "odd": (1, -100.0)}, db_time=2000)
    assert [p.key for p in both(a, a).parts] == ["DB CPU"]


def test_background_waits_of_a_combined_list_are_no_part():
    """Statspack and Oracle's compare report do not tell whose waits they are: the log writer's are no DB time."""
    waits = {"x": (10, 100.0), "log file parallel write": (10, 50.0), "db file parallel write": (10, 50.0)}
    listed = events(waits)
    combined = report(time_model(db_time=1000), replace(listed, id="wait_events"))
    for a, b in ((combined, combined), (combined, loaded(waits=waits)), (loaded(waits=waits), combined)):
        assert [p.key for p in both(a, b).parts if p.key != "DB CPU"] == ["x"]
    kept = {p.key for p in both(loaded(waits=waits), loaded(waits=waits)).parts}
    assert kept == {"DB CPU", *waits}  # a list of foreground events counts what foreground sessions waited for


def test_no_db_time_no_attribution():
    assert attribute(Side(report()), Side(loaded())) is None
    assert attribute(Side(loaded(elapsed=None)), Side(loaded())) is None


def test_total_and_average_narrow_each_other():
    """94 s and .52 ms of 182,739 waits: together within a third of a second."""
    found = narrow_total(near(94), near(0.00052, 0.000005), exact(182_739))
    assert found is not None
    assert found.low == pytest.approx(94.111, abs=0.001)
    assert found.high == pytest.approx(94.5)
    assert narrow_total(near(94), near(0.9, 0.1), exact(182_739)) == near(94)
    assert narrow_total(near(94), None, exact(1)) == near(94)
    assert narrow_total(None, near(1), exact(1)) is None
