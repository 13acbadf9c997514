"""Room for cells: a row that has none is left out, and those behind it are not."""

from __future__ import annotations

from parsers.tables.rawtable import Room


def test_a_row_without_room_costs_those_behind_it_nothing() -> None:
    room = Room()
    assert [room.takes(400, 4) for _ in range(25)] == [True] * 25
    assert not room.takes(400, 4)
    assert room.takes(400, 800)
    assert room.takes(400, 4)
    assert not room.takes(505, 400)
