"""The small tables inside ADDM's prose."""

from __future__ import annotations

from parsers.text.addm_head import find_grids

HEAD = [
    "Instances that were analyzed:",
    "-----------------------------",
    "Number  Name   Host Name  Active Sessions",
    "------  -----  ---------  ---------------",
]


def test_a_table_of_instances_is_found_with_its_rows() -> None:
    [grid] = find_grids([*HEAD, "1       shop1  till       1.26", "2       shop2  till       .4", "", "x"]).values()
    assert grid.labels == ("Number", "Name", "Host Name", "Active Sessions")
    assert [row[0] for row in grid.rows] == ["1", "2"]
    assert grid.whole


def test_rows_beyond_any_cluster_are_left_out_and_that_is_known() -> None:
    [grid] = find_grids([*HEAD, *["1       shop1  till       1.26"] * 10_001]).values()
    assert len(grid.rows) == 10_000
    assert not grid.whole
