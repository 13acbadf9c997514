"""bin/bench measures what it says: a report that was not seen before meets empty memos."""

from __future__ import annotations

import json
from functools import _lru_cache_wrapper

from bench.line import medians
from bench.memos import forget
from bench.reading import SAID, _measure
from fixtures.writer import big
from parsers import parse_report
from parsers.tables import rawtable, values


def remembered() -> int:
    """Entries in the readers of numbers and in one module's caches."""
    caches = [f for f in vars(rawtable).values() if isinstance(f, _lru_cache_wrapper)]
    assert caches
    return sum(map(len, values._READERS.values())) + sum(c.cache_info().currsize for c in caches)


def test_forgetting_leaves_nothing_and_changes_nothing() -> None:
    data = big(0.05)
    first = json.dumps(parse_report(data).as_dict())
    assert remembered() > 100
    forget()
    assert remembered() == 0
    assert json.dumps(parse_report(data).as_dict()) == first


def test_before_each_turn() -> None:
    done: list[str] = []
    medians(lambda: done.append("a"), lambda: done.append("b"), 2, before=lambda: done.append("-"))
    assert "".join(done) == "-ab-ab"


def test_both_ways_are_measured() -> None:
    assert set(SAID) == {False, True}
    for seen in SAID:
        ours, bare = _measure(big(0.02), 1, seen=seen)
        assert ours > 0
        assert bare > 0
