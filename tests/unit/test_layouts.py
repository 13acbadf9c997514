"""Which figures of a section are shown first."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Delta
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Column, Value

COLUMNS = (
    Column("metric", "Metric"),
    Column("per_second", "Per Second", "as_labelled", "neither", "rate"),
    Column("per_exec", "Per Exec", "as_labelled", "neither", "rate"),
)


def load_profile(rows: int) -> ComparedSection:
    """Only the first row is printed per execution."""
    made = tuple(
        ComparedRow(
            f"r{n}",
            {"metric": f"metric {n}"},
            "changed",
            {
                "per_second": Delta(Value(1, 0.5), Value(2, 0.5)),
                "per_exec": Delta(Value(3, 0.5), None) if n == 0 else Delta(None, None),
            },
        )
        for n in range(rows)
    )
    return ComparedSection("load_profile", "Load Profile", True, "load", "all", COLUMNS, ("metric",), made)


def columns(section: ComparedSection, *, everything: bool = False) -> list[str]:
    return [f.column for f in layout_of(section, "s", everything=everything).figures]


def test_a_column_that_hardly_any_row_has_is_folded_and_counted() -> None:
    assert columns(load_profile(20)) == ["per_second"]
    assert layout_of(load_profile(20), "s").left_out == 1
    assert columns(load_profile(20), everything=True) == ["per_second", "per_exec"]


def test_in_a_short_table_every_column_is_worth_its_room() -> None:
    assert columns(load_profile(4)) == ["per_second", "per_exec"]
