"""Two windows by their samples: slots by their distance from the beginning, and what ASH reports list, in sessions."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.brief_summary import as_brief
from awrdiff.analysis.export.comparison_json import dump_overview, load_overview
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.ash_activity import SampledRow
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.report.activity_over_time_slots import SLOTS, keys_of, slots_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.ash_activity import activity_of
from fixtures.stories.sampled import ash_pair
from parsers import parse_report
from parsers.model import Column, Report
from tests.unit.analysis.builders import section


@cache
def reports() -> tuple[Report, Report]:
    first, second = ash_pair()
    return parse_report(first, name="first.html"), parse_report(second, name="second.html")


@cache
def compared() -> Comparison:
    return compare_reports(*reports())


def row(kind: str, key: str) -> SampledRow:
    sampled = compared().sampled
    assert sampled is not None
    (found,) = [r for one in sampled.lists if one.kind == kind for r in one.rows if r.key == key]
    return found


def slots(*printed: str) -> list[str]:
    columns = [Column(c, c, None, "neither", "level") for c in ("slot", "event")]
    found = keys_of(section(SLOTS, columns, [(text, "CPU") for text in printed], key=("slot", "event")))
    return [found[text] for text in printed]


@pytest.mark.parametrize(
    ("printed", "keys"),
    [
        # windows begin seconds past the hour
        (
            ("09:30:36 (4.4 min)", "09:35:00 (5.0 min)", "09:40:00 (50 secs)"),
            ["0 of 300 s", "1 of 300 s", "2 of 300 s"],
        ),
        # whole from the start on, over midnight
        (("23:55:00 (5.0 min)", "00:00:00 (5.0 min)"), ["0 of 300 s", "1 of 300 s"]),
        # a clock that ran back, and slots in which nothing was sampled
        (
            ("11:30:05 (-5 secs)", "11:30:05 (4.9 min)", "11:35:00 (5.0 min)", "12:25:00 (5.0 min)"),
            ["-1 of 300 s", "0 of 300 s", "1 of 300 s", "11 of 300 s"],
        ),
        # a first slot of one second is one as well
        (("10:04:59 (1 secs)", "10:05:00 (5.0 min)"), ["0 of 300 s", "1 of 300 s"]),
    ],
)
def test_a_slot_is_known_by_its_number(printed: tuple[str, ...], keys: list[str]) -> None:
    assert slots(*printed) == keys


def test_rows_of_the_same_slot_stand_together_in_the_order_of_time() -> None:
    (table,) = [s for s in compared().sections if s.id == SLOTS]
    cpu = [r for r in table.rows if r.key["event"] == "CPU + Wait for CPU"]
    assert [r.status for r in cpu] == ["changed"] * 6
    assert cpu[0].key["slot"] == "10:00:00 (5.0 min) → 10:00:40 (4.3 min)"
    assert [r.key["slot"][:8] for r in table.rows] == sorted(r.key["slot"][:8] for r in table.rows)


def test_windows_of_the_same_length_are_one_time_line() -> None:
    activity = compared().activity
    assert activity is not None
    assert activity.joined
    assert [s.number for s in activity.second] == [0, 1, 2, 3, 4, 5]
    assert [s.begin_s for s in activity.second][:3] == [0, 260, 560]
    worst = max(activity.second, key=lambda s: s.sessions)
    assert (worst.number, worst.events[0][0]) == (3, "enq: TX - row lock contention")
    # 330 samples of 10 s in 300 s; the printed mean stands for the seconds of a sample
    assert worst.sessions == pytest.approx(330 * 10 / 300, rel=0.005)
    assert worst.events[0][1] == pytest.approx(301 * 10 / 300, rel=0.005)


def test_shares_become_sessions() -> None:
    locks = row("event", "enq: TX - row lock contention")
    assert locks.first is not None
    assert locks.second is not None
    assert locks.first.middle == pytest.approx(14 * 10 / 1800, rel=0.03)
    assert locks.second.middle == pytest.approx(594 * 10 / 1760, rel=0.005)
    assert locks.certain
    assert row("sql", "5pay0c4rt7m1x").beside == "mostly enq: TX - row lock contention"


def test_what_is_not_listed_is_unknown() -> None:
    stock = row("object", "SHOP.STOCK (TABLE)")
    assert (stock.first, stock.change, stock.certain) == (None, None, False)


def test_a_change_within_the_scatter_of_samples_is_none() -> None:
    """177 of 362 samples against 153 of 892: 1.01 and 0.89 sessions."""
    cpu = row("event", "CPU + Wait for CPU")
    assert cpu.first is not None
    assert cpu.second is not None
    assert cpu.first.low > cpu.second.high  # by the digits it would be one
    assert not cpu.certain


def test_the_verdict_names_what_changed_by_most() -> None:
    assert "enq: TX - row lock contention: 0.078 → 3.4 active sessions" in compared().summary
    said = as_markdown([compared()])
    assert "## Sessions sampled" in said
    assert "| `SHOP.STOCK` (TABLE) | not listed | 0.65 |  | mostly enq: TX" in said
    brief = as_brief([compared()])
    assert "- `SHOP.STOCK` (TABLE): not listed → 0.65 (mostly enq: TX - row lock contention)" in brief
    assert "- CPU + Wait for CPU: 1.0 → 0.89 (≈; CPU)" in brief
    assert len(brief.splitlines()) <= 60


def test_mean_sessions_stand_in_the_identity() -> None:
    assert [round(i.active_sessions or 0, 2) for i in compared().identity] == [2.01, 5.07]


def test_it_is_stored_and_read_back() -> None:
    again = load_overview(dump_overview(compared()))
    assert (again.activity, again.sampled) == (compared().activity, compared().sampled)


def test_plans_of_a_statement_are_added() -> None:
    first, second = ash_pair()
    split = first.replace(b"1234567890</td><td class='awrc'>140<", b"987654321</td><td class='awrc'>140<")
    assert split != first
    made = compare_reports(parse_report(split, name="first.html"), parse_report(second, name="second.html")).sampled
    assert made is not None
    (one,) = [r for r in made.of_kind("sql") if r.key == "9brw5e2list3q"]
    # each plan prints its share of all activity
    assert one.first is not None
    assert one.first.middle == pytest.approx(2 * 322 / 362 * 2.01, rel=0.01)


def test_an_awr_report_counts_one_sample_in_ten_seconds() -> None:
    first, second = (Side(replace(report, kind="awr")) for report in reports())
    activity = activity_of(first, second)
    assert activity is not None
    assert activity.first[0].sessions == pytest.approx(60 * 10 / 300)


def test_only_two_ash_reports_are_weighed_by_samples() -> None:
    first, second = reports()
    other = compare_reports(replace(first, kind="awr"), second)
    assert other.sampled is None
    assert slots_of(None) == ()
