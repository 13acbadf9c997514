"""bin/bench measures what it says: a report that was not seen before meets empty memos."""

from __future__ import annotations

import json
from functools import _lru_cache_wrapper

from bench.line import line, medians, own_work_s
from bench.memos import forget
from bench.reading import SAID, _measure, _numbers
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


def test_a_time_is_also_said_in_what_the_machine_does_by_itself() -> None:
    of_s, of_ms, of_bytes = (json.loads(line("read", v, u)) for v, u in ((2.0, "s"), (2000.0, "ms"), (10, "bytes")))
    assert of_s["machine"] == of_ms["machine"] == float(f"{2 / own_work_s():.4g}")
    assert of_bytes["machine"] is None


def test_figures_are_counted_and_blanks_are_none() -> None:
    report = parse_report(big(0.05))
    printed = sum(str(cell) != "None" for s in report.sections for row in s.records for cell in row.cells)
    assert 0 < _numbers(report) < printed


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
