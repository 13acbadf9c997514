"""Causes that only two reports can tell: other sockets, another parallelism of the log."""

from __future__ import annotations

import pytest

from tests.unit.analysis.commit_builders import DEFAULT, SET, between, sockets


def test_numa():
    work = {"db block changes": 1000, "user commits": 100, "session logical reads": 5000}
    first = {
        "lfs": (36_000, 18.0),
        "waits": {"buffer busy waits": (100, 1.0)},
        "statistics": work,
        "more": [sockets(4)],
    }
    second = {**first, "lfs": (36_000, 200.0), "waits": {"buffer busy waits": (100, 30.0)}}
    assert between(first, second)["numa"].confidence == "low"
    assert between(first, {**second, "host": "db2"})["numa"].confidence == "medium"
    for same in ("db1.shop.example", None):  # the domain beside it; not printed
        assert between(first, {**second, "host": same})["numa"].confidence == "low"
    assert "numa" not in between(first, {**second, "more": [sockets(2)]})
    assert "numa" not in between(first, {**second, "statistics": {k: 2 * v for k, v in work.items()}})


@pytest.mark.parametrize("busy", [((0, 0.0), (0, 0.0)), ((100, 0.2), (100, 0.3))])
def test_numa_is_not_seen_in_a_rise_of_nothing(busy):
    """0 s is not twice 0 s; 0.2 and 0.3 s are the same as far as their rounding tells."""
    first = {"lfs": (36_000, 18.0), "waits": {"buffer busy waits": busy[0]}, "more": [sockets(4)],
             "statistics": {"user commits": 100, "db block changes": 0}}  # fmt: skip
    assert "numa" not in between(first, {**first, "lfs": (36_000, 200.0), "waits": {"buffer busy waits": busy[1]}})


@pytest.mark.parametrize("back", [False, True])
def test_the_parallelism_of_the_log_changed_and_so_did_the_wait(back):
    before, after = {"more": [DEFAULT]}, {"lfs": (36_000, 72.0), "more": [SET]}
    cause = between(*((after, before) if back else (before, after)))["log-parallelism-changed"]
    way, waits = (
        ("from 2 to its default", "2.00 ms → 10.0 ms") if back else ("from its default to 2", "10.0 ms → 2.00 ms")
    )
    assert cause.text == f"_log_parallelism_max went {way}, and a commit waited {waits}."
    assert cause.confidence == "medium"
    assert cause.explains_s.value == pytest.approx(0.008)
    assert ("init_parameters", "_log_parallelism_max") in {(e.section, e.key) for e in cause.evidence}


def test_a_little_after_a_changed_parallelism_is_said_with_little_confidence():
    cause = between({"more": [DEFAULT]}, {"lfs": (36_000, 300.0), "more": [SET]})["log-parallelism-changed"]
    assert (cause.confidence, "10.0 ms → 8.33 ms" in cause.text) == ("low", True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"more": [DEFAULT]}, {"lfs": (36_000, 72.0), "more": [DEFAULT]}),
        ({"more": [DEFAULT]}, {"lfs": (36_000, 340.0), "more": [SET]}),  # 10.0 → 9.4 ms
        ({}, {"lfs": (36_000, 72.0), "more": [SET]}),  # First prints no parameters: unknown, not the default
    ],
)
def test_no_changed_parallelism(first, second):
    assert "log-parallelism-changed" not in between(first, second)
