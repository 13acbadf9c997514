"""Whether two changes are made of the same parts."""

from __future__ import annotations

import random

import pytest

from awrdiff.analysis.change_similarity import EVERYDAY, LEAST, LEAST_TELLING, Change, change_of, likeness
from awrdiff.analysis.model.ranked_changes import Mover, Range, Ranked, Sessions, Subject

LOCKS, CPU, READS = "event enq: TX - row lock contention", "cpu DB CPU", "event db file sequential read"
LOCKED = Change({LOCKS: 5.0, CPU: 1.0, READS: 0.5}, {"sql bsw76f0d1g2hk": 4.8, "object APP.ORDERS": 4.0})


def test_an_hour_twice_as_bad_is_alike():
    worse = Change({key: 2 * v for key, v in LOCKED.parts.items()}, {key: 2 * v for key, v in LOCKED.names.items()})
    found = likeness(LOCKED, worse)
    assert found is not None
    assert (found.overlap, found.is_reversed, found.mine, found.theirs) == (1.0, False, (), ())
    assert (found.shared[0].key, found.shared[0].mine, found.shared[0].other) == (LOCKS, 5.0, 10.0)


def test_a_recovery_is_like_its_outage():
    found = likeness(LOCKED, LOCKED.reversed())
    assert found is not None
    assert (found.overlap, found.is_reversed, found.shared[0].other) == (1.0, True, -5.0)


def test_what_rose_in_one_and_fell_in_the_other_is_not_alike():
    mixed = Change({LOCKS: 5.0, "event log file sync": -5.0}, {})
    assert likeness(mixed, Change({LOCKS: 5.0, "event log file sync": 5.0}, {})) is None


def test_more_cpu_and_reads_with_a_telling_wait_that_fell_in_one_are_not_alike():
    commits = "event log file sync"
    rose, fell = ({CPU: 5.0, READS: 3.0, commits: change} for change in (3.0, -3.0))
    assert likeness(Change(rose, {}), Change(rose, {})) is not None
    assert likeness(Change(rose, {}), Change(fell, {})) is None


def test_what_is_alike_and_what_is_not():
    other = Change(
        {LOCKS: 3.0, CPU: 1.0, "event log file sync": 2.0}, {"sql bsw76f0d1g2hk": 2.0, "sql 0abcdefgh1234": 1.0}
    )
    found = likeness(LOCKED, other)
    assert found is not None
    assert {one.key for one in found.shared} == {LOCKS, CPU, "sql bsw76f0d1g2hk"}
    assert dict(found.mine) == {READS: 0.5, "object APP.ORDERS": 4.0}
    assert dict(found.theirs) == {"event log file sync": 2.0, "sql 0abcdefgh1234": 1.0}


def test_more_cpu_and_more_reads_tell_nothing_without_statements_or_objects():
    busy, other = (
        Change({CPU: 3.0, READS: 5.0}, {"sql a": 2.0}),
        Change({CPU: 3.0, READS: 5.0}, {"sql b": 2.0}),
    )
    assert likeness(busy, other) is None
    assert likeness(busy, Change({CPU: 3.0, READS: 5.0}, {})) is None
    assert likeness(busy, Change({CPU: 3.0, READS: 5.0}, {"sql a": 9.0})) is not None


def test_one_statement_alone_makes_no_hour():
    """The same statement, in waits that have nothing to do with each other."""
    assert likeness(LOCKED, Change({"event log file sync": 5.0}, LOCKED.names)) is None


def test_changes_of_nothing_are_like_nothing():
    assert likeness(Change({LOCKS: 0.0}, {}), LOCKED) is None
    assert likeness(Change({}, {}), Change({}, {})) is None


def test_statements_named_by_hash_values_are_not_known_to_be_others():
    parts = {CPU: 3.0, READS: 5.0}
    awr = Change(parts, {"sql bsw76f0d1g2hk": 4.0, "object APP.ORDERS": 1.0})
    statspack = Change(parts, {"sql 3739063178": 4.0, "object APP.ORDERS": 1.0})
    found = likeness(awr, statspack)
    assert found is not None
    assert found.overlap == 1.0
    assert likeness(awr, Change(parts, {"sql 0abcdefgh1234": 4.0, "object APP.ORDERS": 1.0})) is None


def mover(kind: str, key: str, change: float, tone: str = "worse", view: str = "part") -> Mover:
    return Mover(Subject(kind, key), view, Sessions(Range(0, 0), Range(change, change)), change, tone)


def test_it_is_made_of_what_is_ranked_but_for_what_is_of_two_databases():
    movers = (
        mover("event", "log file sync", 2.0),
        mover("sql", "bsw76f0d1g2hk", 1.0, view="again"),
        mover("work", "parsing", 1.0, view="again"),
        mover("cpu", "DB CPU", 1.0, "neutral"),
    )
    made = change_of(Ranked(1.0, 4.0, 4.0, movers))
    assert made is not None
    assert (made.parts, made.names) == ({"event log file sync": 2.0}, {"sql bsw76f0d1g2hk": 1.0})
    assert Change(*made.dump()) == made
    assert change_of(None) is None
    assert change_of(Ranked(1.0, 4.0, 4.0, movers[1:])) is None


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_same_from_both_sides(seed):
    chance = random.Random(seed)
    keys = [*EVERYDAY, LOCKS, "event log file sync", "event library cache lock"]

    def made() -> Change:
        parts = {key: chance.uniform(-1, 1) for key in chance.sample(keys, 6)}
        return Change(parts, {f"sql {chance.randrange(4)}a": chance.random() for _ in range(3)})

    for _ in range(50):
        a, b = made(), made()
        there, back = likeness(a, b), likeness(b, a)
        assert (there is None) == (back is None)
        if there is not None and back is not None:
            assert there.overlap == pytest.approx(back.overlap)
            assert there.is_reversed == back.is_reversed
            assert LEAST <= there.overlap <= 1
            assert there.mine == back.theirs


def test_a_neighbour_with_every_part_half_or_twice_as_large_is_mostly_found():
    """As measured in docs/similar-hours.md, on built changes."""
    chance = random.Random(4711)
    found = 0
    for n in range(200):
        parts = {f"event e{i}": 2.0**-i for i in range(8)} | {CPU: 0.7, READS: 0.4}
        names = {f"sql {i}a": 2.0**-i for i in range(6)}
        other = Change(*({k: v * chance.lognormvariate(0, 0.5) for k, v in one.items()} for one in (parts, names)))
        found += likeness(Change(parts, names), other) is not None
        assert likeness(Change(parts, names), Change({f"event x{n}": 1.0, CPU: 1.0}, {})) is None
    assert found >= 190
    assert LEAST_TELLING < LEAST


def test_a_wait_that_fell_here_and_rose_there_is_shared_by_neither():
    """Beside enough that both have: the sign alone decides."""
    opposite = Change({**LOCKED.parts, CPU: -1.0}, {**LOCKED.names, "object APP.ORDERS": -4.0})
    alike = likeness(LOCKED, opposite)
    assert alike is not None
    assert {CPU, "object APP.ORDERS"}.isdisjoint(part.key for part in alike.shared)
    assert dict(alike.mine) == {CPU: 1.0, "object APP.ORDERS": 4.0}
    assert alike.overlap == pytest.approx(5.5 / 7.5)
