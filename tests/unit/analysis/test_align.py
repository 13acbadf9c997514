"""Rows are matched by what they are, not by how they are spelled."""

from __future__ import annotations

import pytest

from awrdiff.analysis.names.events import is_idle_event, subject_of
from awrdiff.analysis.names.families import family_of
from awrdiff.analysis.names.renames import canonical_name
from awrdiff.analysis.rows.align import aligned, anchor, common_key, merged_order, row_id
from parsers.model import Column, Row
from tests.unit.analysis.builders import column, exact, section


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
    found = [(p.key, p.first is not None, p.second is not None) for p in aligned(a, b)]
    assert found == [(("x",), True, False), (("y",), True, True), (("z",), False, True)]


def test_true_duplicates_by_their_order():
    columns = (Column("name", "Name"), column("waits"))
    a = section("other", columns, [("x", exact(1)), Row(("x", exact(2)), ordinal=1)])
    pairs = list(aligned(a, a))
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
    assert [(p.first is not None, p.second is not None) for p in aligned(wide, narrow)] == [(True, True)]


def test_sections_without_a_key_match_by_order():
    one = section("host_cpu", (column("cpus"),), [(exact(4),)], key=())
    assert [p.key for p in aligned(one, one)] == [()]


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
