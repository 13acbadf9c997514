"""The time model as releases print it: footnotes of 23ai, statistics left out because they are 0, sums of a cluster."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.rac_cluster_figures import where_printed
from awrdiff.analysis.report.single_rac_instance import one_instance
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.active_sessions_attribution import attribute
from awrdiff.analysis.verdict.rule_inputs import row
from parsers.model import Column, Value
from parsers.sections.registry import REGISTRY
from tests.unit.analysis.builders import column, exact, report, section
from tests.unit.analysis.test_instances import by_instance, cluster

ZERO = Value(0.0, 0.0)


def printed(*rows: tuple[str, float]):
    columns = (Column("statistic", "Statistic Name"), column("time_s", "s"))
    return section(
        "time_model", columns, [(n, exact(s)) for n, s in rows], coverage=REGISTRY.by_id["time_model"].coverage
    )


def test_a_footnote_is_no_part_of_the_name() -> None:
    old, new = (
        report(printed((name, 5.0), ("DB time", 100.0))) for name in ("parse time elapsed", "parse time elapsed [1]")
    )
    assert Side(new).time_model("parse time elapsed") == exact(5.0)
    (found,) = [s for s in compare_reports(old, new).sections if s.id == "time_model"]
    assert [(r.key["statistic"], r.status) for r in found.rows] == [("parse time elapsed", "same"), ("DB time", "same")]
    assert anchor("time_model", "parse time elapsed [1]") == anchor("time_model", "parse time elapsed")


@pytest.mark.parametrize("name", ["TABLE [1]", "A [2]"])
def test_names_of_users_keep_their_brackets(name: str) -> None:
    assert anchor("segments_by_logical_reads", name) != anchor("segments_by_logical_reads", name[:-4])


def test_what_every_release_counts_and_this_one_left_out_is_0() -> None:
    side = Side(report(printed(("parse time elapsed", 5.0), ("DB time", 100.0))))
    assert side.time_model("failed parse elapsed time") == ZERO
    assert side.time_model("parse time elapsed") == exact(5.0)
    assert side.time_model("hard parse (bind mismatch) elapsed time") is None
    assert side.time_model("DB CPU") is None


def test_a_list_cut_off_above_db_time_leaves_the_rest_unknown() -> None:
    assert Side(report(printed(("DB CPU", 50.0)))).time_model("failed parse elapsed time") is None
    assert Side(report()).time_model("failed parse elapsed time") is None


def test_what_was_not_counted_is_quiet_and_not_unchecked() -> None:
    side = report(printed(("DB CPU", 5000.0), ("DB time", 10_000.0)))
    states = {r.rule: r.state for r in compare_reports(side, side).rules}
    assert states["parse-failures"] == "quiet"
    assert {r.rule: r.state for r in assess(side).rules}["parse-failures"] == "quiet"


def test_a_cluster_has_the_sum_of_its_instances() -> None:
    whole = cluster()
    side = Side(whole)
    assert side.time_model("DB CPU") == exact(90.0)
    assert side.time_model("DB time") == exact(400.0)
    assert side.time_model("failed parse elapsed time") is None  # no column of it
    assert side.host_busy_pct is None  # of two hosts
    assert Side(one_instance(whole, 1)).time_model("DB CPU") == exact(40.0)


def test_evidence_of_a_cluster_is_the_row_it_prints() -> None:
    at = where_printed(row("time_model", "DB CPU", "time_s"))
    assert (at.section, at.key, at.column) == ("time_model_by_instance", "Sum", "db_cpu_s")
    assert at.row_id == anchor("time_model_by_instance", "Sum")
    assert where_printed(row("time_model", "DB CPU", "time_s"), report(printed())).section == "time_model"
    other = row("top_timed_events", "DB CPU", "total_wait_time_s")
    assert where_printed(other) == other
    of_all = by_instance("time_model_by_instance", db_time_s=(9e4, 9e4, 18e4), db_cpu_s=(8e4, 8e4, 16e4))
    busy = replace(cluster(), sections=tuple(of_all if s.id == of_all.id else s for s in cluster().sections))
    compared, alone = compare_reports(busy, busy), assess(busy)
    rows = {(s.id, r.row_id) for s in compared.sections for r in s.rows}
    assert any(e.section == "time_model_by_instance" for f in alone.findings for e in f.evidence)
    assert {(e.section, e.row_id) for f in (*compared.findings, *alone.findings) for e in f.evidence} <= rows


def test_the_ranked_list_of_a_cluster_leads_to_rows_it_prints() -> None:
    base = cluster()
    sides = []
    for cpu in (1e4, 8e4):
        of_all = by_instance("time_model_by_instance", db_time_s=(9e4, 9e4, 18e4), db_cpu_s=(cpu, cpu, 2 * cpu))
        sides.append(replace(base, sections=tuple(of_all if s.id == of_all.id else s for s in base.sections)))
    compared = compare_reports(*sides)
    rows = {(s.id, r.row_id) for s in compared.sections for r in s.rows}
    assert compared.ranked is not None
    found = [m.evidence for m in compared.ranked.movers if m.evidence is not None]
    assert ("time_model_by_instance", "db_cpu_s") in {(e.section, e.column) for e in found}
    assert {(e.section, e.row_id) for e in found} <= rows
    assert compared.attribution is not None
    assert {(p.section, p.row_id) for p in compared.attribution.parts} <= rows


@pytest.mark.parametrize("turned_round", [False, True])
def test_cpu_is_cited_where_a_single_instance_prints_it_beside_a_cluster(turned_round: bool) -> None:
    sides = [cluster(), report(printed(("DB CPU", 50.0), ("DB time", 100.0)))]
    found = attribute(*(Side(r) for r in (reversed(sides) if turned_round else sides)))
    assert found is not None
    assert {p.section for p in found.parts if p.key == "DB CPU"} == {"time_model"}


@pytest.mark.parametrize(
    ("elapsed", "cpu", "beside"), [(900.0, 100.0, 900.0), (100.0, 900.0, 900.0), (None, None, 0.0)]
)
def test_samples_are_of_background_processes_as_well(elapsed, cpu, beside):
    """Though their legend says of DB time: in a 12.2 report 58 % of DB time are 44 % of the samples."""
    rows = [("DB time", 3_600.0), ("background elapsed time", elapsed), ("background cpu time", cpu)]
    found = Side(report(printed(*((name, s) for name, s in rows if s is not None)))).sampled_sessions
    assert (found.low, found.high) == (pytest.approx(1.0), pytest.approx(1.0 + beside / 3_600))
