"""One event has one average: the table shows the one that the waterfall uses, marked where it is derived."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.active_sessions_attribution import attribute
from awrdiff.web.presenters.section.columns_and_cells import THERE, ColumnGroup, format_figures
from parsers.model import Value
from tests.unit.analysis.builders import EVENT_COLUMNS, near, report, section, time_model

AVERAGE = ColumnGroup("avg_wait_s", "average wait", "s", "lower", of_waits=True)


def row(average: Value | None, total: Value, waits: Value | None) -> ComparedRow:
    cells = {"avg_wait_s": average, "total_wait_time_s": total, "waits": waits}
    return ComparedRow("x", {"event": "log file sync"}, "changed", {c: Delta(v, v) for c, v in cells.items()})


def test_a_coarse_average_is_worked_out_and_marked():
    coarse = row(near(0.0, 0.0005), near(10.0), Value(29_762, 0.0))
    shown, _ = AVERAGE.pair(coarse)
    assert AVERAGE.is_derived(coarse, shown, 0)
    assert round(shown.number * 1e6) == 336
    (made,) = format_figures([AVERAGE], [coarse])
    cell, _, _ = made.cells(coarse, (THERE, THERE))
    assert cell["c"] == "derived"
    assert cell["h"] == "total wait time ÷ waits: the report prints the average more coarsely"


def test_an_average_that_is_printed_finely_stays_as_printed():
    fine = row(near(0.000516, 0.0000005), near(94.0), Value(182_739, 0.0))
    shown, _ = AVERAGE.pair(fine)
    assert shown == Value(0.000516, 0.0000005)
    assert not AVERAGE.is_derived(fine, shown, 0)
    assert AVERAGE.pair(row(near(0.5, 0.0005), near(1.0), None))[0] == Value(0.5, 0.0005)


def test_it_is_the_waterfalls():
    def printed(total: float) -> object:
        cells = ("log file sync", Value(29_762, 0.0), near(total), near(0.0, 0.0005), None)
        return report(
            time_model(db_time=100), section("foreground_wait_events", EVENT_COLUMNS, [(*cells[:4], near(9))])
        )

    found = attribute(Side(printed(10.0)), Side(printed(11.0)))
    part = next(p for p in found.parts if p.key == "log file sync")
    shown, _ = AVERAGE.pair(row(near(0.0, 0.0005), near(10.0), Value(29_762, 0.0)))
    assert part.first_avg_s == shown.number
