"""The bars of the first screen add up to DB time, with the same parts at the same places on both sides."""

from __future__ import annotations

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Attribution, Consumer
from awrdiff.analysis.verdict.db_time_bars import OTHER_WAITS, REST, Bars, bars_of
from awrdiff.web.presenters.page import db_time
from tests.unit.analysis.test_ash_pairs import compared


def event(name: str, first: float | None, second: float | None, avg_s: float = 0.01) -> Consumer:
    change = (second or 0.0) - (first or 0.0)
    return Consumer(name, "User I/O", first, second, change, None, None, avg_s, avg_s)


def bars(*parts: Consumer, first: float = 4.0, second: float = 10.0) -> Bars:
    whole = Attribution(first, second, parts, 0.0, 1.0, 1.0)
    made = bars_of(replace(compared(), sampled=None, attribution=whole))
    assert made is not None
    return made


CPU = Consumer("DB CPU", None, 3.0, 3.0, 0.0, None, None)


def test_parts_come_to_db_time_and_stand_in_the_same_order() -> None:
    made = bars(CPU, event("read", 0.5, 1.0), event("lock", 0.2, 5.0))
    for bar in made.bars:
        assert abs(sum(p.sessions for p in bar.parts) - bar.sessions) < 1e-9
        assert [p.name for p in bar.parts] == ["CPU", "lock", "read", REST]
    assert made.scale == 10.0


def test_a_part_that_one_side_does_not_print_is_no_zero() -> None:
    made = bars(CPU, event("read", None, 1.0))
    assert [p.name for p in made.bars[0].parts] == ["CPU", REST]
    assert made.names[1] == (None, made.bars[1].parts[1])


def test_small_events_are_one_part() -> None:
    small = [event(f"small {n}", 0.0, 0.1) for n in range(5)]
    made = bars(CPU, event("lock", 0.2, 5.0), *small)
    assert [p.name for p in made.bars[1].parts] == ["CPU", "lock", OTHER_WAITS, REST]
    assert abs(made.bars[1].parts[2].sessions - 0.5) < 1e-9


def test_waits_that_come_to_more_than_db_time_lengthen_the_bar_and_leave_no_rest() -> None:
    made = bars(CPU, event("lock", 0.2, 9.0))
    assert made.bars[1].length == 12.0
    assert made.bars[1].sessions == 10.0
    assert [p.name for p in made.bars[1].parts] == ["CPU", "lock"]


def test_why_a_bar_is_longer_than_its_figure_is_said() -> None:
    longer = db_time.bars_view(bars(CPU, event("lock", 0.2, 9.0)), (8, 8), {}, {})
    fitting = db_time.bars_view(bars(CPU, event("lock", 0.2, 7.2)), (8, 8), {}, {})
    assert longer is not None
    assert fitting is not None
    assert longer["scale"] == "average active sessions (8 CPUs); CPU and waits add up to 4 → 12, more than DB time"
    assert fitting["scale"] == "average active sessions (8 CPUs)"


def test_a_part_says_how_often_and_how_long() -> None:
    made = bars(CPU, event("lock", 0.2, 5.0, avg_s=0.5))
    assert made.bars[1].parts[1].text == "lock 5 = 10 a second × 500 ms"
    assert made.bars[1].parts[0].text == "CPU 3"


def test_sampled_sessions_have_bars_too() -> None:
    made = bars_of(compared())
    assert made is not None
    assert {"CPU", "enq: TX - row lock contention"} <= {p.name for p in made.bars[1].parts}
    assert abs(sum(p.sessions for p in made.bars[1].parts) - made.bars[1].sessions) < 0.05
