"""Who and when."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import UnsupportedReport, parse_report
from parsers.identity.awr import read_minutes, read_moment
from parsers.model import Value
from tests.unit.parsers.reports import DATABASE, HOST, report, section, snapshots, table


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("23-Apr-14 18:30:05", datetime(2014, 4, 23, 18, 30, 5)),
        ("05-Jul-25 00:52", datetime(2025, 7, 5, 0, 52)),
        ("05-DEZ-2025 00:52:01", datetime(2025, 12, 5, 0, 52, 1)),
        ("01-févr.-24 10:00:00", datetime(2024, 2, 1, 10)),
        ("01-2月 -24 10:00:00", datetime(2024, 2, 1, 10)),
        ("31-Feb-24 10:00:00", None),
        ("23-Xyz-14 18:30:05", None),
        ("08-Ноя-17 16:11", datetime(2017, 11, 8, 16, 11)),
        ("20-МАР-2010 09:50:21", datetime(2010, 3, 20, 9, 50, 21)),
        ("", None),
    ],
)
def test_moments(text: str, moment: datetime | None) -> None:
    assert read_moment(text) == moment


def test_minutes() -> None:
    assert read_minutes("25,198.74 (mins)") == Value(pytest.approx(1_511_924.4), pytest.approx(0.3))
    assert read_minutes("1,234 (mins)") == Value(74_040, 30)
    assert read_minutes("soon") is None
    with pytest.raises(UnsupportedReport, match="decimal commas"):
        read_minutes("1.234,5 (mins)")


def test_header() -> None:
    read = parse_report(report())
    assert (read.database.name, read.database.dbid, read.database.rac, read.release) == (
        "INVENT",
        "42",
        False,
        "12.1.0.2.0",
    )
    (instance,) = read.instances
    assert (instance.number, instance.name, instance.startup) == (1, "invent1", datetime(2024, 2, 1, 8, 15))
    assert (read.host.name, read.host.cpus, read.host.cores, read.host.sockets) == ("box1", 8, 4, None)
    assert (read.period.begin.id, read.period.end.id, read.period.begin.sessions) == (10, 11, 61)
    assert read.period.elapsed_s
    assert read.period.elapsed_s.number == pytest.approx(3600, abs=0.3)


def test_two_header_tables_from_12_2() -> None:
    first = table(["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
                  ["INVENT", "42", "invent_a", "PRIMARY", "EE", "19.24.0.0.0", "YES", "NO"])  # fmt: skip
    second = table(["Instance", "Inst Num", "Startup Time", "User Name"], ["invent2", "2", "05-Jul-25 00:52", "SYS"])
    read = parse_report(report(header="<h1>WORKLOAD REPOSITORY report for</h1>" + first + second + HOST + snapshots()))
    assert (read.database.unique_name, read.database.role, read.database.cdb) == ("invent_a", "PRIMARY", False)
    assert (read.instances[0].name, read.instances[0].number) == ("invent2", 2)


def test_elapsed_is_narrowed_by_large_statistics() -> None:
    activity = section(
        "Instance Activity Stats",
        table(["Statistic", "Total", "per Second", "per Trans"], ["bytes moved", "9,015,500,000", "10,000,000.00", "1"],
              ["wrapped", "5,000", "1,000.00", "1"]),
    )  # fmt: skip
    header = DATABASE + HOST + snapshots(elapsed="15.03 (mins)").replace("11:00:00", "10:15:01")
    read = parse_report(report(activity, header=header))
    assert read.period.elapsed_s
    assert read.period.elapsed_s.number == pytest.approx(901.55, abs=0.001)
    assert read.period.elapsed_s.half < 0.001


def test_db_time_of_the_time_model_where_it_agrees() -> None:
    def model(seconds: str) -> str:
        return section(
            "Time Model Statistics", table(["Statistic Name", "Time (s)", "% of DB Time"], ["DB time", seconds, ""])
        )

    assert parse_report(report(model("7,200.12"))).period.db_time_s == Value(7200.12, pytest.approx(0.005))
    read = parse_report(report(model("9,999.00")))
    assert read.period.db_time_s == Value(7200, pytest.approx(0.3))


def test_header_without_its_tables() -> None:
    read = parse_report(
        report(
            section("Foreground Wait Events", table(["Event", "Waits"], ["a", "1"])),
            header="<h1>WORKLOAD REPOSITORY report for</h1>",
        )
    )
    assert (read.database.name, read.release, read.instances, read.period.elapsed_s) == (None, None, (), None)
    assert {i.code for i in read.issues} == {"no-database", "no-snapshots"}
