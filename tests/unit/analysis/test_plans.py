"""Plans that reports print, and the alignment of their steps."""

from __future__ import annotations

import random
import time

import pytest

from awrdiff.analysis.plans import MOST_STEPS, Step, align, counts, plans_of
from fixtures.diagnosed.one_statement import PlanRun, sql_report
from parsers import parse_report


def steps(*lines: str) -> tuple[Step, ...]:
    """`depth operation|object`."""
    made = []
    for number, line in enumerate(lines):
        depth, _, rest = line.partition(" ")
        operation, _, name = rest.partition("|")
        made.append(Step(str(number), int(depth), operation, name))
    return tuple(made)


LOOPS = steps(
    "0 SELECT STATEMENT", "1 NESTED LOOPS", "2 INDEX RANGE SCAN|IX_CUSTOMER", "2 TABLE ACCESS BY INDEX ROWID|ORDERS"
)


def outline(pairs) -> list[tuple[str, str, str]]:
    return [(p.status, p.first.step if p.first else "", p.second.step if p.second else "") for p in pairs]


def test_a_plan_is_the_same_as_itself():
    pairs = align(LOOPS, LOOPS)
    assert {pair.status for pair in pairs} == {"same"}
    assert not any(pair.differs for pair in pairs)


def test_another_way_to_the_same_table_is_a_changed_step():
    scan = steps("0 SELECT STATEMENT", "1 HASH JOIN", "2 TABLE ACCESS FULL|ORDERS")
    assert outline(align(LOOPS, scan)) == [
        ("same", "0", "0"),
        ("gone", "1", ""),
        ("gone", "2", ""),
        ("new", "", "1"),
        ("changed", "3", "2"),
    ]


def test_another_index_at_the_same_place_is_a_changed_step():
    other = steps(
        "0 SELECT STATEMENT", "1 NESTED LOOPS", "2 INDEX RANGE SCAN|IX_STATE", "2 TABLE ACCESS BY INDEX ROWID|ORDERS"
    )
    pair = align(LOOPS, other)[2]
    assert (pair.status, pair.differs) == ("changed", ("object",))
    deeper = steps("0 SELECT STATEMENT", "1 NESTED LOOPS", "3 INDEX RANGE SCAN|IX_STATE")
    assert [p.status for p in align(LOOPS, deeper)] == ["same", "same", "gone", "gone", "new"]


def test_what_is_put_around_a_tree_leaves_the_tree_matched():
    around = steps(
        "0 SELECT STATEMENT", "1 PX COORDINATOR", *(f"{s.depth + 1} {s.operation}|{s.object_name}" for s in LOOPS[1:])
    )
    pairs = align(LOOPS, around)
    assert counts(pairs) == {"changed": 0, "gone": 0, "new": 1, "same": 4}


def test_of_equal_steps_those_of_one_depth_are_paired():
    first, second = steps("1 SORT JOIN", "2 SORT JOIN"), steps("2 SORT JOIN")
    assert outline(align(first, second)) == [("gone", "0", ""), ("same", "1", "0")]


@pytest.mark.parametrize(
    ("rows", "half", "differs"), [(468e6, 5e5, ()), (469e6, 5e5, ()), (470e6, 5e5, ("rows",)), (None, 0, ("rows",))]
)
def test_an_estimate_differs_beyond_its_print_alone(rows, half, differs):
    a = Step("1", 1, "HASH JOIN", "", 468e6, 5e5)
    (pair,) = align([a], [Step("1", 1, "HASH JOIN", "", rows, half)])
    assert (pair.status, pair.differs) == ("same", differs)


def test_every_step_stands_once_and_in_its_order():
    choose = random.Random(7)
    for _ in range(100):
        first, second = (
            steps(
                *(
                    f"{choose.randint(0, 4)} {choose.choice(['SORT', 'HASH JOIN', 'INDEX SCAN'])}|{choose.choice(['', 'A', 'B'])}"
                    for _ in range(choose.randint(0, 12))
                )
            )
            for _ in range(2)
        )
        pairs = align(first, second)
        assert [p.first for p in pairs if p.first] == list(first)
        assert [p.second for p in pairs if p.second] == list(second)


def test_endless_plans_take_little_time():
    long = steps(*["1 UNION-ALL"] * (MOST_STEPS * 3))
    begin = time.process_time()
    assert len(align(long, long)) == MOST_STEPS
    assert time.process_time() - begin < 5


def test_a_report_says_what_one_execution_took_by_each_plan():
    usual, scanned = PlanRun("1110000001", 100, 200.0, 150.0), PlanRun("2220000002", 10, 2_000.0, 500.0, gets=9_000_000)
    plans = plans_of(parse_report(sql_report(usual, scanned)))
    assert [(p.plan_hash, p.elapsed_s, p.executions, len(p.steps)) for p in plans] == [
        ("2220000002", 2_000.0, 10, 3),
        ("1110000001", 200.0, 100, 3),
    ]
    figures = {f.name: (f.per_execution, f.unit) for f in plans[0].figures}
    assert (figures["elapsed time"], figures["buffer gets"]) == ((200.0, "s"), (900_000.0, "count"))


def test_without_an_execution_nothing_is_said_of_one():
    (plan,) = plans_of(parse_report(sql_report(PlanRun("1110000001", 0, 200.0, 150.0))))
    assert plan.executions == 0
    assert {figure.per_execution for figure in plan.figures} == {None}
