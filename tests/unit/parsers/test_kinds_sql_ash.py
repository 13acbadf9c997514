"""AWR SQL reports and ASH reports."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import parse_report
from parsers.model import Report, Value
from tests.unit.parsers.kind_pages import page, table


@pytest.fixture(scope="module")
def sql() -> Report:
    statistics = ["Stat Name", "Statement Total", "Per Execution", "% Snap Total"]
    plan = ["Id", "Operation", "Name", "Rows", "Bytes", "Cost (%CPU)", "Time"]
    indented = [
        ["0", "SELECT STATEMENT", "", "", "", "302K(100)", ""],
        ["1", "\u00a0\u00a0 NESTED LOOPS", "", "10", "88", "5 (1)", "00:00:01"],
        ["2", "\u00a0\u00a0\u00a0\u00a0 INDEX UNIQUE SCAN", "ORDERS_PK", "468M", "38G", "", ""],
        ["3", "\u00a0\u00a0\u00a0\u00a0 TABLE ACCESS FULL", "ORDERS", "1", "", "", ""],
    ]
    return parse_report(
        page(
            "AWR SQL Report for DB: SHOP, Inst: SHOP1, Snaps: 40-41, SQL Id: 7cw2n1pu4xh9s",
            "WORKLOAD REPOSITORY SQL Report",
            table(
                ["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"],
                [["SHOP", "77123", "SHOP1", "1", "01-Mar-24 06:00", "11.1.0.7.0", "NO"]],
                heading="Snapshot Period Summary",
                level="h2",
            ),
            table(
                ["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
                [["Begin Snap:", "40", "05-Mar-24 10:00:00", "45", "1.6"],
                 ["End Snap:", "41", "05-Mar-24 10:30:00", "46", "1.6"],
                 ["Elapsed:", "", "30.00 (mins)", "", ""],
                 ["DB Time:", "", "60.00 (mins)", "", ""]],
            ),
            table(
                ["SQL Id", "Elapsed Time (ms)", "Module", "Action", "SQL Text"],
                [["7cw2n1pu4xh9s", "42,957", "shop", "", "select ..."]],
                heading="SQL Summary",
            ),
            table(
                ["#", "Plan Hash Value", "Total Elapsed Time(ms)", "Executions", "1st Capture Snap ID",
                 "Last Capture Snap ID"],
                [["1", "111", "40,000", "4", "40", "41"], ["2", "222", "2,957", "1", "41", "41"]],
                heading="SQL ID: 7cw2n1pu4xh9s",
            ),
            "<h2>Plan 1(PHV: 111)</h2>",
            table(statistics, [["Elapsed Time (ms)", "40,000", "10,000.00", "96.73"], ["Executions", "4", "", ""]],
                  heading="Plan Statistics"),
            table(plan, indented, heading="Execution Plan"),
            "<h2>Plan 2(PHV: 222)</h2>",
            table(statistics, [["Elapsed Time (ms)", "2,957", "2,957.00", "3.00"]], heading="Plan Statistics"),
            table(plan, indented[:1], heading="Execution Plan"),
            table(["SQL Id", "SQL Text"], [["7cw2n1pu4xh9s", "select order_id from orders"]], heading="Full SQL Text"),
        )
    )  # fmt: skip


def test_the_sql_report_is_known(sql: Report) -> None:
    assert (sql.kind, sql.release, sql.period.begin.id) == ("awr_sql", "11.1.0.7.0", 40)
    assert [s.id for s in sql.sections if not s.known] == []
    assert sql.issues == ()


def test_statistics_of_each_plan_are_kept_apart(sql: Report) -> None:
    statistics = sql.by_id["sql_plan_statistics"]
    assert statistics.key == ("statistic", "plan_hash")
    first, second = statistics.find("Elapsed Time (ms)", "111"), statistics.find("Elapsed Time (ms)", "222")
    assert first is not None
    assert second is not None
    assert (statistics.number(first, "total"), first.unit) == (Value(40_000, 0.5), "ms")
    assert statistics.number(second, "total") == Value(2957, 0.5)


def test_the_plan_keeps_its_tree(sql: Report) -> None:
    plan = sql.by_id["sql_execution_plan"]
    depths = [plan.number(r, "depth") for r in plan.records]
    assert [d and d.number for d in depths] == [0, 1, 2, 2, 0]
    scan = plan.find("111", "2")
    assert scan is not None
    assert plan.text(scan, "operation") == "INDEX UNIQUE SCAN"
    assert plan.number(scan, "estimated_bytes") == Value(38 * 2**30, 2**29)


def test_the_text_is_the_statement_s(sql: Report) -> None:
    assert next(sql.by_id["sql_text"].rows)["sql_text"] == "select order_id from orders"


@pytest.fixture(scope="module")
def ash() -> Report:
    return parse_report(
        page(
            "ASH Report - From 05-Mar-24 10:00:00 To 05-Mar-24 10:15:00",
            "ASH Report For SHOP/SHOP1",
            table(
                ["DB Name", "DB Id", "Instance", "Inst num", "Release", "RAC", "Host"],
                [["SHOP", "77123", "SHOP1", "1", "11.2.0.3.0", "NO", "node-a"]],
            ),
            table(["CPUs", "SGA Size", "ASH Buffer Size"], [["8", "1,019M (100%)", "16.0M (1.6%)"]]),
            table(
                ["", "Sample Time", "Data Source"],
                [["Analysis Begin Time:", "05-Mar-24 10:00:00", "V$ACTIVE_SESSION_HISTORY"],
                 ["Analysis End Time:", "05-Mar-24 10:15:00", "V$ACTIVE_SESSION_HISTORY"],
                 ["Elapsed Time:", "15.0 (mins)", ""]],
            ),
            table(
                ["Event", "Event Class", "% Event", "Avg Active Sessions"],
                [["log file sync", "Commit", "67.23", "4.90"]],
                heading="Top User Events",
            ),
            table(
                ["Event", "% Event", "P1 Value, P2 Value, P3 Value", "% Activity", "Parameter 1"],
                [["log file sync", "1.68", '"869","100","0"', "0.15", "buffer#"]],
                heading="Top Event P1/P2/P3 Values",
            ),
            table(
                ["Service", "Module", "% Activity", "Action", "% Action"],
                [["shop", "cart", "98.17", "pay", "97.00"]],
                heading="Top Service/Module",
            ),
        )
    )  # fmt: skip


def test_the_ash_report_is_known(ash: Report) -> None:
    assert (ash.kind, ash.release, ash.host.name, ash.host.cpus) == ("ash", "11.2.0.3.0", "node-a", 8)
    assert [s.id for s in ash.sections if not s.known] == []
    assert ash.issues == ()


def test_the_period_is_the_analysis_period(ash: Report) -> None:
    assert ash.period.begin.time == datetime(2024, 3, 5, 10, 0)
    assert ash.period.end.time == datetime(2024, 3, 5, 10, 15)
    assert ash.period.elapsed_s == Value(900, 3)
    assert (ash.period.begin.id, ash.period.db_time_s) == (None, None)


def test_lists_are_top_lists(ash: Report) -> None:
    events = ash.by_id["top_user_events"]
    assert (events.coverage, events.key) == ("top", ("event",))
    assert events.number(events.records[0], "avg_active_sessions") == Value(4.9, 0.005)
    assert ash.by_id["top_service_module"].find("shop", "cart", "pay") is not None
