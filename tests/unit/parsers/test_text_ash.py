"""ASH as text: reports of its own, and the lists an AWR report quotes; repeats that are left blank are filled in."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest

from fixtures.samples.from_ash import TEXT
from parsers import UnsupportedReport, parse_report
from parsers.files.split import split_reports
from parsers.model import Report, Section, Value
from parsers.text.awr_and_statspack_reader import read_text
from tests.harness.cost import is_linear
from tests.unit.parsers.listings import chapter, section

PARAMETERS = (
    "",
    "Event                          % Event  P1 Value, P2 Value, P3 Value % Activity",
    "------------------------------ ------- ----------------------------- ----------",
    "Parameter 1                Parameter 2                Parameter 3",
    "-------------------------- -------------------------- --------------------------",
    'log file parallel write           4.10                   "1","9","1"       2.05',
    "files                      blocks                     requests",
    "",
    '                                                        "1","64","4"       1.10',
    "",
    "",
    'direct path read                  1.77             "5","1046094","1"       0.02',
    "file number                first dba                  block cnt",
    "",
)


def read(text: str = TEXT) -> Report:
    return parse_report(text.encode())


def part(section_id: str, report: Report | None = None) -> Section:
    found = (report or read()).section(section_id)
    assert found is not None, section_id
    return found


def texts(found: Section, *columns: str) -> list[tuple[str, ...]]:
    return [tuple(found.text(r, c) for c in columns) for r in found.records]


def test_the_report_is_known() -> None:
    report = read()
    assert (report.kind, report.format, report.release, report.issues) == ("ash", "text", "11.2.0.4.0", ())
    assert [s.id for s in report.sections if not s.known] == []
    assert (report.database.name, report.host.name, report.host.cpus) == ("SHOP", "node-a", 16)


def test_the_period_is_the_analysis_period() -> None:
    period = read().period
    assert (period.begin.time, period.end.time) == (datetime(2020, 2, 3, 10), datetime(2020, 2, 3, 10, 15))
    assert (period.begin.id, period.elapsed_s, period.db_time_s) == (None, Value(900, 3), None)
    facts = texts(part("ash_period"), "metric", "value", "data_source")
    assert facts[0] == (
        "Analysis Begin Time", "03-Feb-20 10:00:00", "DBA_HIST_ACTIVE_SESS_HISTORY in AWR snapshot 101",
    )  # fmt: skip
    assert ("Sample Count", "1,854", "") in facts
    assert not any("Data Source" in metric for metric, _, _ in facts)


def test_a_session_s_second_event_is_the_session_s() -> None:
    sessions = part("top_sessions")
    assert texts(sessions, "session", "event", "user", "program", "samples_active") == [
        ("160, 47", "enq: TX - row lock contention", "SHOP", "JDBC Thin Client", "193/900 [ 21%]"),
        ("160, 47", "CPU + Wait for CPU", "SHOP", "JDBC Thin Client", "79/900 [ 9%]"),
    ]
    assert [sessions.number(r, "pct_activity") for r in sessions.records] == [Value(4.35, 0.005)] * 2


def test_an_empty_line_may_be_half_a_row() -> None:
    objects = part("top_db_objects")
    assert texts(objects, "object_id", "event", "object") == [
        ("43487", "enq: TX - row lock contention", "SHOP.CART (TABLE)"),
        ("43487", "db file sequential read", "SHOP.CART (TABLE)"),
        ("43498", "db file sequential read", "SHOP.CART_PK (INDEX)"),
    ]
    assert [objects.number(r, "pct_event") for r in objects.records] == [
        Value(12.48, 0.005), Value(3.06, 0.005), Value(4.81, 0.005),
    ]  # fmt: skip


def test_modules_and_actions_repeat_what_is_above() -> None:
    assert texts(part("top_service_module"), "service", "module", "action") == [
        ("shop.example.o", "cart", "pay"),
        ("shop.example.o", "cart", "browse"),
        ("shop.example.o", "stock", "UNNAMED"),
        ("SYS$BACKGROUND", "UNNAMED", "UNNAMED"),
    ]


def test_what_stands_in_an_awr_report_reads_alike() -> None:
    """The number of requests of a log write is its third value: COMMIT latency's rules look for it."""
    found = section("top_event_parameters", chapter("Top Event P1/P2/P3 Values", *PARAMETERS))
    rows = texts(found, "event", "values", "parameter_3")
    assert [r[0] for r in rows] == ["log file parallel write", "log file parallel write", "direct path read"]
    assert [re.findall(r"\d+", r[1])[2] for r in rows] == ["1", "4", "1"]
    assert [r[2] for r in rows] == ["requests", "requests", "block cnt"]
    assert [found.number(r, "pct_activity") for r in found.records] == [
        Value(2.05, 0.005), Value(1.1, 0.005), Value(0.02, 0.005),
    ]  # fmt: skip


def test_a_list_goes_on_over_pages() -> None:
    page = "          -------------------------------------------------------------\n\n\f"
    heading = next(line for line in TEXT.splitlines() if line.startswith("Top DB Objects"))
    at = TEXT.index("          43498")
    begin = TEXT.index("      Object ID %")
    head = TEXT[begin : TEXT.index("          43487")]
    for between in ("\n\f", page):
        paged = TEXT[:at] + f"{between}{heading}\n\n{head}" + TEXT[at:]
        assert part("top_db_objects", read(paged)).records == part("top_db_objects").records


def test_a_heading_may_touch_the_page_s() -> None:
    glued = TEXT.replace("Top SQL with Top Events    DB/Inst", "Top SQL with Top EventsDB/Inst")
    assert texts(part("top_sql_with_top_events", read(glued)), "sql_id")[0] == ("a1b2c3d4e5f6g",)


def test_statements_without_a_plan_and_of_old_reports() -> None:
    statements = part("top_sql_with_top_events")
    assert texts(statements, "sql_id", "plan_hash", "event", "sql_text") == [
        ("a1b2c3d4e5f6g", "", "enq: TX - row lock contention", "update cart set items = :1 where customer_id = :2"),
        ("0a1b2c3d4e5f6", "1234567890", "CPU + Wait for CPU", "select name from customer"),
        ("9z8y7x6w5v4u3", "1234567890", "CPU + Wait for CPU", "select count(*) from orders where status = :1"),
        ("9z8y7x6w5v4u3", "1234567890", "db file scattered read", "select count(*) from orders where status = :1"),
        ("8y7x6w5v4u3t2", "2345678901", "CPU + Wait for CPU", "select 1 from stock"),
    ]


def test_several_reports_in_one_file() -> None:
    pieces = split_reports((TEXT + "\n" + TEXT.replace("11.2.0.4.0", "12.1.0.2.0")).encode())
    assert [parse_report(p).release for p in pieces] == ["11.2.0.4.0", "12.1.0.2.0"]


def test_quoted_in_a_mail() -> None:
    quoted = "\n".join("> " + line for line in TEXT.splitlines())
    assert [s.as_dict()["rows"] for s in read(quoted).sections] == [s.as_dict()["rows"] for s in read().sections]


def test_damaged_reports_end_in_a_report_or_a_refusal() -> None:
    chance = random.Random(11)
    data = TEXT.encode()
    lines = data.split(b"\n")
    cases = [data[:end] for end in range(0, len(data), 211)]
    for _ in range(150):
        begin = chance.randrange(len(lines))
        cases.append(b"\n".join([*lines[:begin], *lines[begin + chance.randrange(1, 9) :]]))
    for case in cases:
        survives(case)


def survives(data: bytes) -> None:
    with suppress(UnsupportedReport):
        parse_report(data).as_dict()


@pytest.mark.hostile
def test_lines_in_any_order_cost_what_their_number_does() -> None:
    lines = TEXT.encode().splitlines(keepends=True)
    head = b"".join(lines[:3])
    assert is_linear(lambda size: head + b"".join(random.Random(7).choices(lines, k=size)), survives, 10_000)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "unit", ["          43487      15.54 db file read      1.1\n", "a\n\n", "Analysis Begin Time: x\n"]
)
def test_cost_is_linear(unit: str) -> None:
    at = TEXT.index("          43487")

    assert is_linear(lambda size: TEXT[:at] + unit * (size // len(unit)) + TEXT[at:], read_text, 500_000)


@pytest.mark.corpus
def test_text_and_html_have_the_same_sections(corpus: Path) -> None:
    """The two reports are about the same time but not the same samples: shapes and identity are compared."""
    for path in sorted(corpus.glob("*-ash-*.txt")):
        text, html = parse_report(path.read_bytes()), parse_report(path.with_suffix(".html").read_bytes())
        assert text.issues == ()
        ours, theirs = text.header(), html.header()
        assert {k: v for k, v in ours.items() if k != "format"} == {k: v for k, v in theirs.items() if k != "format"}
        # HTML prints the whole statements in a list of their own
        assert [s.id for s in text.sections] == [s.id for s in html.sections if s.id != "sql_text"]
        for found in text.sections:
            other = html.by_id[found.id]
            assert [(c.id, c.unit) for c in found.columns] == [(c.id, c.unit) for c in other.columns], found.id
            assert found.key == other.key
            empty = {c.id for c in found.columns if any(found.cell(r, c.id) is None for r in found.records)}
            assert empty <= {"data_source", "plan_hash"}, found.id
