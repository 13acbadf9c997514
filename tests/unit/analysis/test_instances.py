"""Global reports: the cluster's rows stand for it, and one instance can be looked at."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.single_rac_instance import numbers_of, one_instance
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.comparability_warnings import warnings_of
from parsers.model import Column, Instance, Kind, Report
from tests.unit.analysis.builders import BEGIN, STARTED, column, exact, loaded, parameters, report, section, time_model

NUMBER = Column("instance_number", "I#")
EVENT = Column("event", "Event")


def top(*rows: tuple[str, str, float], section_id: str = "top_timed_events"):
    columns = (NUMBER, EVENT, column("waits"), column("total_wait_time_s", "s"))
    cells = [(i, n, exact(10), exact(s)) for i, n, s in rows]
    return section(section_id, columns, cells, key=("instance_number", "event"), coverage="top")


def by_instance(section_id: str, **columns: tuple[float, ...]):
    names = ("1", "2", "Sum")
    cells = [(n, *(exact(v[i]) for v in columns.values())) for i, n in enumerate(names)]
    return section(section_id, (NUMBER, *(column(c, "s") for c in columns)), cells)


def cluster(**facts: object) -> Report:
    base = report(
        by_instance("instances_in_report", elapsed_s=(3600.0, 3000.0, 0.0)),
        top(("*", "log file sync", 30.0), ("1", "log file sync", 10.0), ("2", "log file sync", 20.0)),
        by_instance("time_model_by_instance", db_time_s=(100.0, 300.0, 400.0), db_cpu_s=(40.0, 50.0, 90.0)),
        by_instance("system_statistics_by_instance", user_calls=(1.0, 2.0, 3.0)),
        by_instance("os_statistics_by_instance", cpus=(4.0, 6.0, 10.0), busy_time_s=(1.0, 1.0, 2.0), idle_time_s=(3.0, 1.0, 4.0)),
        section(
            "init_parameters",
            (Column("parameter", "Name"), NUMBER, Column("begin_value", "Begin")),
            [("a", "*", "x"), ("thread", "1", "1"), ("thread", "2", "2")],
            key=("parameter", "instance_number"),
        ),
        section("sql_by_gets", (Column("sql_id", "SQL Id"), column("buffer_gets")), [("x", exact(1))], coverage="top"),
        **facts,  # type: ignore[arg-type]
    )  # fmt: skip
    both = (Instance(1, "A1", STARTED, "h1"), Instance(2, "A2", STARTED, "h2"))
    return replace(base, kind="awr_global", instances=both, host=replace(base.host, name=None))


def test_the_cluster_is_its_own_rows_alone():
    side = Side(cluster())
    assert [(e.name, e.total.number) for e in side.foreground.values()] == [("log file sync", 30.0)]
    assert side.value("top_timed_events", "total_wait_time_s", "log file sync") == exact(30.0)


def test_the_row_of_the_cluster_meets_that_of_a_single_instance():
    single = report(section("top_timed_events", (EVENT, column("waits")), [("log file sync", exact(10))]), dbid="2")
    for pair in ((cluster(), single), (single, cluster())):
        rows = next(s for s in compare_reports(*pair).sections if s.id == "top_timed_events").rows
        assert sorted(r.status for r in rows) == sorted(
            ["same", *(["only_first"] * 2 if pair[1] is single else ["only_second"] * 2)]
        )
        assert {r.key["instance_number"] for r in rows if r.status != "same"} == {"1", "2"}


def test_identity_says_the_cluster():
    c = compare_reports(cluster(), report(dbid="2"))
    assert c.identity[0].instance == "cluster of 2: A1, A2"
    assert c.identity[0].host == "h1, h2"
    assert any("active sessions are those of the cluster" in w.text for w in c.warnings)


def test_one_instance():
    two = one_instance(cluster(), 2)
    assert numbers_of(cluster()) == (1, 2)
    side = Side(two)
    assert two.kind == "awr"
    assert [i.name for i in two.instances] == ["A2"]
    assert (side.db_time, side.db_cpu) == (exact(300.0), exact(50.0))
    assert side.statistic("user calls") == exact(2.0)
    assert side.foreground["log file sync"].total == exact(20.0)
    assert side.elapsed == exact(3000.0)
    assert (side.cpus, side.host_busy_pct) == (6, 50.0)
    assert [(r["parameter"], r["begin_value"]) for r in two.by_id["init_parameters"].rows] == [
        ("a", "x"),
        ("thread", "2"),
    ]
    assert two.section("sql_by_gets") is None  # the cluster's


def test_host_times_are_in_centiseconds_as_a_report_of_one_instance_prints_them():
    side = Side(one_instance(cluster(), 2))
    assert side.value("os_statistics", "value", "BUSY_TIME") == exact(100.0)
    assert side.value("os_statistics", "value", "IDLE_TIME") == exact(100.0)
    assert side.statistic("user calls") == exact(2.0)  # a count stays what it is


def test_one_instance_against_a_report_of_one():
    other = loaded(more=[parameters({"a": "x"})], begin=BEGIN + timedelta(hours=3), begin_snap=200, instance=2)
    c = compare_reports(one_instance(cluster(), 2), other)
    codes = [w.code for w in c.warnings]
    assert "instance-of-cluster" in codes
    assert "different-kind" not in codes
    assert c.attribution is not None


@pytest.mark.parametrize("left", [(), cluster().instances])
def test_a_damaged_report_that_does_not_say_which_instance_it_is_of_is_no_chosen_one(left):
    damaged = replace(cluster(), kind="awr", instances=left)
    assert "instance-of-cluster" not in [w.code for w in compare_reports(damaged, cluster()).warnings]


def test_what_a_global_report_does_not_hold():
    with pytest.raises(LookupError, match="instances: 1, 2"):
        one_instance(cluster(), 3)
    with pytest.raises(LookupError, match="none to choose from"):
        one_instance(report(), 1)


def test_restarts_are_looked_for_in_each_instance():
    later = cluster(begin=BEGIN + timedelta(hours=30), begin_snap=200)
    again = replace(later.instances[1], startup=BEGIN + timedelta(hours=20))
    texts = [w.text for w in warnings_of(Side(cluster()), Side(replace(later, instances=(later.instances[0], again))))]
    assert len(texts) == 1
    assert texts[0].startswith("Instance 2 was restarted between")


@pytest.mark.parametrize("kind", ["awr_sql", "awr_compare", "ash", "addm", "lgwr_trace"])
def test_what_is_not_about_an_interval_is_not_weighed(kind: Kind):
    odd = replace(loaded(), kind=kind)
    c = compare_reports(loaded(begin=BEGIN + timedelta(hours=3)), odd)
    assert "cannot be weighed" in c.summary
    assert c.findings == ()
    assert "different-kind" in {w.code for w in c.warnings}
    alike = compare_reports(odd, replace(odd, name="b"))
    assert "not-weighable" in {w.code for w in alike.warnings}


def test_sides_that_name_rows_by_different_things_are_not_matched():
    ours = section("sql_by_gets", (Column("sql_id", "SQL Id"), column("buffer_gets")), [("7", exact(1))])
    theirs = section("sql_by_gets", (Column("old_hash_value", "Hash"), column("buffer_gets")), [("7", exact(1))])
    c = compare_reports(replace(report(theirs), kind="statspack"), report(ours))
    assert [r.status for r in c.sections[0].rows] == ["only_first", "only_second"]
    assert len({r.row_id for r in c.sections[0].rows}) == 2
    assert any("old hash value" in w.text for w in c.warnings)


def test_active_sessions_of_a_cluster_are_those_of_its_instances():
    """One instance ran for an hour, the other for six minutes: DB time over one elapsed time would say 1.2."""
    columns = (Column("instance_number", "I#"), column("elapsed_s", "s"), column("db_time_s", "s"))
    rows = [("1", exact(3600), exact(3600)), ("2", exact(360), exact(720))]
    listed = section("instances_in_report", columns, rows)
    cluster = replace(report(time_model(db_time=4320), listed), kind="awr_global")
    assert Side(cluster).active_sessions == pytest.approx(1.0 + 2.0, rel=1e-4)
    alike = section("instances_in_report", columns, [rows[0], ("2", exact(3600), exact(720))])
    same = replace(report(time_model(db_time=4320), alike), kind="awr_global")
    assert Side(same).active_sessions == pytest.approx(1.2)
    assert Side(same).elapsed == same.period.elapsed_s


@pytest.mark.parametrize(
    ("started", "said"),
    [
        ((-10, -10), "First began 10 minutes after the start of instances A1 and A2: blocks are read"),
        ((20, 20), "Instances A1 and A2 were started inside First: blocks are read"),
        ((20, -900), "Instance A1 was started inside First: blocks are read"),
        ((-10, -900), "First began 10 minutes after the start of instance A1: blocks are read"),
    ],
)
def test_a_cold_start_cites_the_rows_of_the_instances_that_were_started(started, said):
    """Minutes from the beginning of the window on."""
    base = cluster()
    begun = [BEGIN + timedelta(minutes=m) for m in started]
    cold = replace(base, instances=tuple(replace(i, startup=b) for i, b in zip(base.instances, begun, strict=True)))
    (found,) = [f for f in compare_reports(cold, base).findings if f.rule == "cold-start"]
    assert found.text.startswith(said)
    rows = {anchor("instances_in_report", str(n)) for n, m in enumerate(started, 1) if m > -30}
    assert {(e.section, e.row_id) for e in found.evidence} == {("instances_in_report", row) for row in rows}
    assert {e.column for e in found.evidence} == {"startup_time"}
