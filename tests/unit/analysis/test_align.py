"""Rows are matched by what they are, not by how they are spelled."""

from __future__ import annotations

import pytest

from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.names.names_across_releases import canonical_name
from awrdiff.analysis.names.section_families import family_of
from awrdiff.analysis.names.wait_events import is_idle_event, subject_of
from awrdiff.analysis.report.activity_over_time_slots import slots_of
from awrdiff.analysis.rows.align import (
    align_rows,
    anchor,
    cell_text,
    common_key,
    keyed_rows,
    merged_order,
    nothing_in_common,
    shown_key,
    slot_anchor,
    sort_by_slot,
)
from awrdiff.analysis.rows.section_comparison import compare_section
from parsers.model import Column, Row
from tests.unit.analysis.builders import NO_BASES, column, exact, section


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Redo size", "Redo size (bytes):"),
        ("Logical reads", "Logical read (blocks):"),
        ("W/A MB processed", "SQL Work Area (MB):"),
        ("User logons:", "Logons"),
        ("DB Time(s):", "db time(s)"),
    ],
)
def test_load_profile_names_across_releases(one, other):
    assert canonical_name("load_profile", one) == canonical_name("load_profile", other)


def test_renames_belong_to_their_section():
    assert canonical_name("instance_activity", "Redo size") == "redo size"
    assert canonical_name("top_timed_events", "CPU time") == canonical_name("top_timed_events", "DB CPU")


def test_case_tells_objects_apart():
    assert canonical_name("segments_by_logical_reads", "Orders") != canonical_name(
        "segments_by_logical_reads", "ORDERS"
    )


def test_row_id_is_stable_and_short():
    assert row_id("foreground_wait_events", ("log file sync",)) == anchor("foreground_wait_events", "Log file  sync:")
    assert len(row_id("x", ("a",))) == 12
    assert row_id("x", ("a", "b")) != row_id("x", ("a b",))
    assert row_id("x", ("a",)) != row_id("y", ("a",))


def test_row_id_does_not_move_between_versions():
    """Links and comments hold these: a change here breaks them."""
    assert anchor("foreground_wait_events", "log file sync") == "cda8017b4bc7"


def test_every_row_of_both_sides_occurs_once():
    columns = (Column("event", "Event"), column("waits"))
    a = section("foreground_wait_events", columns, [("x", exact(1)), ("y", exact(2))])
    b = section("foreground_wait_events", columns, [("z", exact(3)), ("Y", exact(4))])
    found = [(p.key, p.first is not None, p.second is not None) for p in align_rows(a, b)]
    assert found == [(("x",), True, False), (("y",), True, True), (("z",), False, True)]


def test_true_duplicates_by_their_order():
    columns = (Column("name", "Name"), column("waits"))
    a = section("other", columns, [("x", exact(1)), Row(("x", exact(2)), ordinal=1)])
    pairs = list(align_rows(a, a))
    assert [p.key for p in pairs] == [("x",), ("x", "#2")]
    assert all(p.first is p.second for p in pairs)


def test_sides_that_identify_rows_differently_share_what_both_print():
    wide = section(
        "tablespace_io",
        (Column("tablespace", "T"), Column("pdb_name", "P")),
        [("A", "P1")],
        key=("tablespace", "pdb_name"),
    )
    narrow = section("tablespace_io", (Column("tablespace", "T"),), [("A",)])
    assert common_key(wide, narrow) == ("tablespace",)
    assert [(p.first is not None, p.second is not None) for p in align_rows(wide, narrow)] == [(True, True)]


def test_sections_without_a_key_match_by_order():
    one = section("host_cpu", (column("cpus"),), [(exact(4),)], key=())
    assert [p.key for p in align_rows(one, one)] == [()]


def test_a_side_alone_has_its_own_key_and_all_its_rows():
    alone = section("other", (Column("name", "N"), column("waits")), [("x", exact(1)), ("y", exact(2))], key=("name",))
    assert common_key(alone, None) == common_key(None, alone) == shown_key(alone, None) == ("name",)
    assert common_key(None, None) == ()
    assert [(p.key, p.second) for p in align_rows(alone, None)] == [(("x",), None), (("y",), None)]
    assert [(p.key, p.first) for p in align_rows(None, alone)] == [(("x",), None), (("y",), None)]
    assert list(align_rows(None, None)) == []


def test_sides_that_identify_rows_by_nothing_in_common_stand_apart():
    old = section("sql", (Column("hash_value", "H"), column("gets")), [("77", exact(1))], key=("hash_value",))
    new = section("sql", (Column("sql_id", "S"), column("gets")), [("77", exact(2))], key=("sql_id",))
    assert nothing_in_common(old, new)
    assert common_key(old, new) == ()
    assert shown_key(old, new) == ("hash_value", "sql_id")
    found = [(p.key, p.first is not None, p.second is not None) for p in align_rows(old, new)]
    assert found == [(("77", "hash_value"), True, False), (("77", "sql_id"), False, True)]


def test_the_instance_alone_is_nothing_in_common():
    columns = (Column("instance_number", "I#"), Column("hash_value", "H"), column("gets"))
    cluster = section("sql", columns, [("*", "77", exact(1))], key=("instance_number", "hash_value"))
    single = section("sql", (Column("sql_id", "S"), column("gets")), [("77", exact(2))], key=("sql_id",))
    assert nothing_in_common(cluster, single)
    assert nothing_in_common(single, cluster)
    assert [p for p in align_rows(cluster, single) if p.first and p.second] == []


def test_a_side_without_a_key_shares_none_and_is_no_contradiction():
    named = section("other", (Column("name", "N"),), [("x",)], key=("name",))
    by_order = section("other", (column("cpus"),), [(exact(4),)], key=())
    assert not nothing_in_common(named, by_order)
    assert not nothing_in_common(by_order, named)
    assert shown_key(named, by_order) == common_key(named, by_order) == ()
    assert [p.key for p in align_rows(named, by_order)] == [()]


INSTANCES = (Column("instance_number", "I#"), Column("event", "Event"), column("waits"))
BY_INSTANCE = ("instance_number", "event")


def test_of_a_global_report_the_whole_cluster_is_matched_with_one_instance():
    rows = [("*", "log file sync", exact(9)), (exact(1), "log file sync", exact(5)), (exact(2), "*", exact(4))]
    cluster = section("events", INSTANCES, rows, key=BY_INSTANCE)
    single = section("events", INSTANCES[1:], [("log file sync", exact(3))], key=("event",))
    for first, second in ((cluster, single), (single, cluster)):
        assert common_key(first, second) == BY_INSTANCE
    assert list(keyed_rows(cluster, BY_INSTANCE)) == [
        ("log file sync",),
        ("1", "log file sync"),
        ("2", "*"),  # a star elsewhere is a name
    ]
    assert [p.key for p in align_rows(cluster, single) if p.first and p.second] == [("log file sync",)]


def test_a_star_is_a_name_where_the_instance_is_no_part_of_the_key():
    found = section("events", INSTANCES, [("*", "x", exact(1)), (exact(2), "x", exact(1))], key=("event",))
    assert list(keyed_rows(found, ("event",))) == [("x",), ("x", "#2")]
    named = section("events", (Column("event", "E"), column("waits")), [("*", exact(1))], key=("event",))
    assert list(keyed_rows(named, BY_INSTANCE)) == [("*",)]


@pytest.mark.parametrize(
    ("cell", "text"),
    [(exact(4), "4"), (exact(12345678), "12345678"), (exact(-3), "-3"), (exact(1.5), "1.5"), (None, ""), (" x", " x")],
)
def test_a_cell_as_part_of_a_key(cell, text):
    assert cell_text(cell) == text


def test_slots_of_two_windows_belong_together_by_their_number():
    columns = (Column("slot", "Slot"), Column("event", "Event"), column("samples"))
    first = section(
        "activity_over_time",
        columns,
        [("10:00:20 (4.7 min)", "log file sync", exact(5)), ("10:05:00 (5.0 min)", "log file sync", exact(6))],
        key=("slot", "event"),
    )
    second = section(
        "activity_over_time",
        columns,
        [("14:05:00 (5.0 min)", "Log file sync", exact(7)), ("14:00:10 (4.8 min)", "log file sync", exact(8))],
        key=("slot", "event"),
    )
    pairs = sort_by_slot(align_rows(first, second))
    assert len(pairs) == len({p.key for p in pairs})
    for pair in pairs:
        for side, row in ((first, pair.first), (second, pair.second)):
            if row is not None:
                assert slot_anchor(side, side.text(row, "slot"), "log file  sync") == row_id(side.id, pair.key)
    assert slot_anchor(first, "no slot", "x") == row_id(first.id, ("no slot", "x"))


def test_rows_stand_in_the_order_of_their_slots():
    columns = (Column("slot", "Slot"), Column("event", "Event"), column("samples"))
    slots = [f"{10 + n // 12}:{n % 12 * 5:02d}:00 (5.0 min)" for n in (0, 1, 2, 10, 11, 13)]
    late = section("activity_over_time", columns, [(s, "x", exact(1)) for s in slots], key=("slot", "event"))
    shuffled = sorted(align_rows(late, None), key=lambda p: p.key)
    assert [late.text(p.first, "slot") for p in sort_by_slot(shuffled)] == slots


def test_slots_whose_times_are_lost_are_compared_by_what_is_left():
    """A damaged report can lose the column of the times."""
    lost = section(
        "activity_over_time", (Column("event", "Event"), column("samples")), [("x", exact(1))], key=("event",)
    )
    assert [r.key for r in compare_section(lost, lost, NO_BASES).rows] == [{"event": "x"}]


@pytest.mark.parametrize("length", [".", "1.2.3", "9" * 400, "-", ""])
def test_a_slot_of_no_length_is_left_out(length):
    columns = (Column("slot", "Slot"), Column("event", "Event"), column("samples"))
    rows = [(f"14:05:00 ({length} min)", "x", exact(1)), ("14:10:00 (5.0 min)", "x", exact(1))]
    damaged = section("activity_over_time", columns, rows, key=("slot", "event"))
    assert [s.clock for s in slots_of(damaged)] == ["14:10:00"]
    assert len(compare_section(damaged, damaged, NO_BASES).rows) == 2


def test_merged_order_keeps_neighbours():
    assert merged_order(["a", "b", "d"], ["a", "c", "d", "e"]) == ["a", "c", "b", "d", "e"]
    assert merged_order([], ["x", "y"]) == ["x", "y"]


@pytest.mark.parametrize(
    "event", ["SQL*Net message from client", "Data Guard: Timer", "Streams AQ: qmn slave idle wait", "VKRM Idle"]
)
def test_idle(event):
    assert is_idle_event(event)


@pytest.mark.parametrize(
    "event", ["SQL*Net message to client", "log file sync", "Streams AQ: enqueue blocked on low memory"]
)
def test_not_idle(event):
    assert not is_idle_event(event)


def test_families():
    assert family_of("foreground_wait_events") == "time"
    assert family_of("some_new_advisory") == "memory"
    assert family_of("never_heard_of") == "other"
    assert [family_of(f"compare_{i}") for i in ("wait_events", "host", "files_by_io")] == ["time", "summary", "io"]


def test_subjects():
    assert (
        subject_of("library cache: mutex X")
        == subject_of("cursor: pin S wait on X")
        == subject_of("latch: shared pool")
    )
    assert subject_of("never heard of") is None
