"""Metrics: each is declared where a section prints it, is in its unit, and is absent where nothing is printed."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from awrdiff.analysis.metrics.binary_storage import dump_largest, figure_in, load_largest, pack_figures, unpack_figures
from awrdiff.analysis.metrics.catalogue import BY_ID, METRICS
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION, metrics_of
from awrdiff.analysis.metrics.top_events_and_statements import MOST
from awrdiff.analysis.normal.configuration_fingerprint import PARAMETER_LISTS, era_of
from fixtures.diagnosed.hour import hour
from fixtures.writer import LAYOUT_19, LAYOUT_112, STATSPACK, write
from fixtures.writer.layouts import LAYOUT_112_TEXT
from parsers import parse_report
from parsers.model import Section, Value
from parsers.sections.registry import REGISTRY
from tests.unit.analysis.builders import BEGIN, activity, column, exact, instead, loaded, near, parameters, section

ROOT = Path(__file__).resolve().parents[3]
DOCS, CASES = ROOT / "docs", ROOT / "fixtures" / "cases"
READ, LOCK = "db file sequential read", "enq: TX - row lock contention"
WAITS = {READ: (2_400_000, 1440.0), "log file sync": (140_000, 280.0)}
STATISTICS = {"redo size": 720_000_000.0, "redo writes": 90_000.0, "redo synch time": 100.0}


@pytest.fixture(scope="module")
def figures():
    made = hour(waits=WAITS, background={"log file parallel write": (90_000, 54.0)}, statistics=STATISTICS, switches=6)
    return metrics_of(parse_report(write(made, LAYOUT_19))).figures


def test_every_metric_stands_where_a_section_prints_it():
    for metric in METRICS:
        assert metric.cells, metric.id
        for printed in metric.cells:
            declared = REGISTRY.by_id[printed.section]
            column = next((s.column for s in declared.columns or () if s.id == printed.column), None)
            assert column is not None, f"{metric.id}: {printed.section} has no column {printed.column}"
            assert column.unit is not None, f"{metric.id}: {printed.column} is text"
            named = [k for k in declared.key if k not in ("-", "instance_number")] or printed.rows == ("Sum",)
            assert bool(printed.rows) == bool(named), f"{metric.id}: {printed.section} has rows by {named}"
            if metric.presentation == "per_second":
                assert column.measure in ("total", "rate") or column.unit == "as_labelled", metric.id


def test_ids_are_of_one_metric_each():
    assert len(BY_ID) == len(METRICS) >= 150


def test_what_is_declared_is_what_the_version_stands_for():
    """Stored metrics are made anew by their version alone."""
    declared = zlib.crc32(repr([(m.id, m.cells, m.unit, m.presentation) for m in METRICS]).encode())
    assert (METRICS_VERSION, declared) == (4, 0x6C84FDF7), (
        "move METRICS_VERSION, then write its number and the checksum here"
    )


def test_what_is_stored_is_what_was_read(figures):
    packed = pack_figures({**figures, "user_calls": Value(1e300, 0.0), "of_another_version": Value(1.0, 0.0)})
    found = unpack_figures(packed)
    assert found.keys() == figures.keys() - {"user_calls"}
    for name, value in found.items():
        assert figure_in(packed, name) == value
        assert value.number == pytest.approx(figures[name].number, rel=1e-6)
        assert value.half >= figures[name].half * 0.999
    assert figure_in(packed, "user_calls") is None
    assert len({zlib.crc32(m.id.encode()) for m in METRICS}) == len(METRICS)


def test_the_largest_are_stored_as_they_were_read():
    made = metrics_of(parse_report(min((CASES / "invented").glob("*.html")).read_bytes()))
    events, statements = load_largest(json.loads(json.dumps(dump_largest(made.events, made.statements))))
    assert [e.name for e in events] == [e.name for e in made.events]
    assert [s.sql_id for s in statements] == [s.sql_id for s in made.statements]
    assert events[0].average_s.number == pytest.approx(made.events[0].average_s.number, rel=1e-6)
    assert statements[0].gets_per_exec is None or statements[0].gets_per_exec.number > 0


def test_a_start_a_release_and_a_parameter_are_another_era_and_tuning_is_none():
    made = loaded(more=[parameters({"processes": "600", "__db_cache_size": "1"})])
    (instance,) = made.instances
    others = (
        replace(made, release="19.99.0.0.0"),
        replace(made, instances=(replace(instance, startup=BEGIN - timedelta(hours=3)),)),
        loaded(more=[parameters({"processes": "900", "__db_cache_size": "1"})]),
    )
    beside = replace(made, instances=(replace(instance, number=2, startup=None),))
    alone = replace(made, instances=(replace(instance, number=1, startup=None),))
    traced = replace(made, sections=(*made.sections, replace(parameters({"event": "10046"}), id=PARAMETER_LISTS[1])))
    assert len({era_of(r) for r in (made, *others, beside, alone, traced)}) == 7
    assert era_of(loaded(more=[parameters({"__db_cache_size": "2", "processes": "600"})])) == era_of(made)


def test_the_docs_say_how_much_is_kept_of_a_report():
    assert f"{len(METRICS)} figures; the {MOST}" in " ".join((DOCS / "reference" / "metrics.md").read_text().split())
    assert f"[{len(METRICS)} figures](reference/metrics.md)" in (DOCS / "fleet.md").read_text()


def test_what_accumulates_is_told_per_second(figures):
    near = lambda number: pytest.approx(number, rel=1e-3)  # noqa: E731
    assert figures["db_time"].number == near((2880 + 1440 + 280) / 3600)
    assert figures["db_cpu"].number == near(2880 / 3600)
    assert figures["event_sequential_read"].number == near(1440 / 3600)
    assert figures["background_redo_write"].number == near(54 / 3600)
    assert figures["parsing"].number == near(26 / 3600)
    assert figures["redo"].number == near(200_000)
    assert figures["transactions"].number == figures["user_commits"].number == near(40)
    assert figures["user_calls"].number == near(400)
    assert figures["log_switches"].number == near(6)


def test_averages_shares_and_levels_are_as_printed(figures):
    assert figures["average_sequential_read"].number == pytest.approx(0.0006, rel=1e-3)
    assert figures["commit_wait"].number == pytest.approx(0.002, rel=1e-3)
    assert figures["commit_overhead"].number == pytest.approx(0.0014, rel=1e-2)
    assert figures["redo_per_write"].number == pytest.approx(8000)
    assert figures["host_busy"].number == pytest.approx(25, abs=0.1)
    assert figures["sessions"].number == 204


def test_a_figure_keeps_the_resolution_it_is_printed_with():
    coarse, fine = (
        metrics_of(parse_report(write(hour(waits=WAITS), form))).figures for form in (LAYOUT_112, LAYOUT_19)
    )
    of_both = [f["event_sequential_read"] for f in (coarse, fine)]
    assert all(v.half > 0 for v in of_both)
    assert of_both[0].number == pytest.approx(of_both[1].number, abs=of_both[0].half + of_both[1].half)


def test_an_event_that_the_whole_list_leaves_out_is_zero_and_one_that_a_top_list_leaves_out_absent(figures):
    made = loaded()
    cut = tuple(replace(s, coverage="top") if s.id == "foreground_wait_events" else s for s in made.sections)
    for found in (figures["event_row_lock"], metrics_of(made).figures["event_row_lock"]):
        assert found == (0.0, pytest.approx(0.001 / 3600, rel=0.01)), "waited for less than a millisecond"
    assert "event_row_lock" not in metrics_of(replace(made, sections=cut)).figures


@pytest.mark.parametrize("layout", [STATSPACK, LAYOUT_112_TEXT])
def test_names_that_a_text_report_cuts_are_found_by_what_is_left_of_them(layout):
    waits = {**WAITS, LOCK: (900, 1800.0), "log file switch (checkpoint incomplete)": (40, 360.0)}
    statistics = {
        **STATISTICS,
        "data blocks consistent reads - undo records applied": 7_200.0,
        "bytes received via SQL*Net from dblink": 3_600.0,
    }
    report = parse_report(write(hour(waits=waits, statistics=statistics), layout))
    names = {r.cells[0] for s in report.sections if s.id == "foreground_wait_events" for r in s.records}
    assert not any(LOCK in n for n in names), "the writer has to cut"
    found = metrics_of(report)
    assert found.figures["event_row_lock"].number == pytest.approx(0.5, rel=0.01)
    assert found.figures["average_row_lock"].number == pytest.approx(2.0, rel=0.01)
    assert found.figures["event_log_switch_checkpoint"].number == pytest.approx(0.1, rel=0.01)
    assert found.figures["undo_applied"].number == pytest.approx(2.0, rel=0.01)
    assert LOCK in [e.name for e in found.events]
    assert found.figures["event_table_lock"].number == 0


def test_what_may_be_cut_from_two_names_is_neither():
    def executions(*printed: str) -> float | None:
        text = activity({"execute count": 1.0, **dict.fromkeys(printed, 3600.0)})
        columns = (replace(text.columns[0], cut_at=32), *text.columns[1:])
        made = instead(loaded(), replace(text, columns=columns))
        value = metrics_of(replace(made, format="text")).figures.get("net_received")
        return value.number if value is not None else None

    assert executions("bytes received via SQL*Net from client") == pytest.approx(1.0)
    assert executions("bytes received via SQL*Net from") is None


def test_what_every_release_counts_and_a_whole_list_leaves_out_is_0():
    made = instead(loaded(), activity({"execute count": 10.0}))
    found = metrics_of(made).figures
    assert found["deadlocks"] == (0.0, pytest.approx(0.5 / 3600, rel=0.01))
    assert "gc_cr_received" not in found, "counted by clusters alone"
    (statistics,) = [s for s in made.sections if s.id == "instance_activity"]
    assert "deadlocks" not in metrics_of(instead(made, replace(statistics, coverage="top"))).figures
    assert "deadlocks" not in metrics_of(instead(made, activity({"user calls": 10.0}))).figures


def test_a_unit_that_is_not_known_is_a_figure_that_is_not_known():
    def executions(unit: str | None) -> float | None:
        text = activity({"execute count": 3600.0})
        rows = tuple(r._replace(unit=unit) for r in text.records)
        value = metrics_of(instead(loaded(), replace(text, records=rows))).figures.get("executions")
        return value.number if value is not None else None

    assert executions("count") == pytest.approx(1.0)
    assert executions("KB") == pytest.approx(1024.0)
    assert executions("furlongs") is None


def test_calls_are_told_per_user_commit_and_transactions_with_rollbacks():
    made = instead(
        loaded(), activity({"execute count": 1.0, "user calls": 72e3, "user commits": 7200.0, "user rollbacks": 3600.0})
    )
    found = metrics_of(made).figures
    assert found["calls_per_commit"].number == pytest.approx(10)
    assert found["transactions"].number == pytest.approx(3)
    none = metrics_of(instead(made, activity({"execute count": 1.0, "user calls": 5.0, "user commits": 0.0}))).figures
    assert "calls_per_commit" not in none
    assert none["transactions"].number == 0


def test_transactions_of_a_load_profile_are_as_coarse_as_it_prints_them():
    profile = section(
        "load_profile",
        [column("metric", None), column("per_second", "per_s", "rate")],
        [("Transactions", near(40.0, 0.05))],
    )
    made = loaded()
    others = tuple(s for s in made.sections if s.id not in ("instance_activity", "load_profile"))
    assert metrics_of(replace(made, sections=(*others, profile))).figures["transactions"] == (40.0, 0.05)


def test_a_cluster_has_the_sums_of_its_instances():
    columns = [column("instance_number", None), column("user_io_s", "s"), column("commit_s", "s")]
    classes = section(
        "foreground_wait_classes_by_instance",
        columns,
        [("1", near(900.0), near(1.0)), ("2", near(900.0), near(2.0)), ("Sum", near(1800.0), near(3.0)),
         ("Avg", near(900.0), near(1.5))],
        key=("instance_number",),
    )  # fmt: skip
    cursors = section(
        "system_statistics_absolute_by_instance",
        [column("instance_number", None), column("open_cursors_end", measure="level")],
        [("1", exact(70.0)), ("2", exact(73.0)), ("Sum", exact(143.0))],
        key=("instance_number",),
    )
    made = loaded()
    others = tuple(s for s in made.sections if s.id != "foreground_wait_classes")
    found = metrics_of(replace(made, kind="awr_global", sections=(*others, classes, cursors))).figures
    assert found["waits_user_io"].number == pytest.approx(0.5, rel=0.01)
    assert found["waits_commit"].number == pytest.approx(3 / 3600, rel=0.01)
    assert "waits_network" not in found, "no such column"
    assert found["cursors_open"].number == 143


def test_what_is_not_printed_is_absent():
    made = loaded()
    nothing = metrics_of(replace(made, sections=()))
    assert not nothing.figures.keys() - {"db_time", "sessions"}
    assert not nothing.events
    assert not nothing.statements
    timeless = replace(made, period=replace(made.period, elapsed_s=None))
    of_time = {i for i in metrics_of(timeless).figures if BY_ID[i].unit in ("sessions", "per_s", "bytes_per_s")}
    assert not of_time
    assert not metrics_of(timeless).events


def test_a_report_of_no_interval_has_none():
    assert not metrics_of(replace(loaded(), kind="ash")).figures


def test_a_figure_that_is_no_finite_number_is_absent():
    made = loaded()

    def endless(section: Section) -> Section:
        rows = [r._replace(cells=(r.cells[0], r.cells[1]._replace(number=float("inf")))) for r in section.records]
        return replace(section, records=tuple(rows))

    sections = tuple(endless(s) if s.id == "instance_activity" else s for s in made.sections)
    found = metrics_of(replace(made, sections=sections)).figures
    assert "user_commits" not in found
    assert "transactions" not in found
    assert "db_time" in found


def test_statspack_has_its_metrics_from_its_own_tables():
    found = metrics_of(parse_report(write(hour(waits=WAITS, statistics=STATISTICS), STATSPACK)))
    assert found.figures["user_calls"].number == pytest.approx(400, rel=1e-3)
    assert found.figures["commit_wait"].number == pytest.approx(0.002, rel=1e-2)
    assert found.events[0].name == READ


def test_the_largest_events_and_statements_are_ranked_by_time():
    found = metrics_of(parse_report(sorted((CASES / "invented").glob("*.html"))[0].read_bytes()))
    for ranked in (found.events, found.statements):
        sessions = [one.sessions.number for one in ranked]
        assert 1 < len(sessions) <= 20
        assert sessions == sorted(sessions, reverse=True)
    first = found.statements[0]
    assert first.elapsed_per_exec_s is not None
    assert first.executions_per_s is not None
    assert first.elapsed_per_exec_s.number * first.executions_per_s.number == pytest.approx(
        first.sessions.number, rel=0.01
    )
