"""LGWR trace files: slow writes and switches of the adaptive log file sync."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import UnsupportedReport, parse_report
from parsers.model import Report, Value
from parsers.text.lgwr_trace import _lines

_HEAD = """Trace file /u01/app/oracle/diag/rdbms/shop/shop1/trace/shop1_{process}_4711.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Build label:    RDBMS_19.9.0.0.0DBRU_LINUX.X64_200930
System name:    Linux
Node name:      node-a
Instance name: shop1
Redo thread mounted by this instance: 1
Oracle process number: 18
Unix process pid: 4711, image: oracle@node-a ({name})


"""
OLD = (
    _HEAD.format(process="lgwr", name="LGWR")
    + """*** 2024-03-05 10:00:03.205
*** SESSION ID:(10.1) 2024-03-05 10:00:03.205
*** CLIENT ID:() 2024-03-05 10:00:03.205

Warning: log write elapsed time 861ms, size 4KB

*** 2024-03-05 10:20:17.642
Warning: log write elapsed time 749ms, size 0KB
Warning: log write elapsed time 749ms, size 0KB
"""
)
NEW = (
    _HEAD.format(process="lg00", name="LG00")
    + """*** 2024-03-05T10:00:00.031166-06:00 (CDB$ROOT(1))
kcrfw_alfs_update_mode: post->poll long#=28 sync#=213 sync=1759 poll=1872 rw=936

*** 2024-03-05T10:00:52.031269-06:00 (CDB$ROOT(1))
Log file sync switching to polling
Current scheduling delay is 1 usec
Current approximate redo synch write rate is 71 per sec

*** 2024-03-05T11:00:00.000001-06:00 (CDB$ROOT(1))
Log file sync switching to post/wait
Current approximate redo synch write rate is 10286 per sec

*** 2024-03-05T11:30:14.917824-06:00 (CDB$ROOT(1))
Warning: log write broadcast wait time 2331ms (SCN 0xa50c01d75d8)
"""
)


def read(text: str) -> Report:
    return parse_report(text.encode())


def test_the_header_names_the_instance() -> None:
    report = read(OLD)
    assert (report.kind, report.format, report.release) == ("lgwr_trace", "text", "19.0.0.0.0")
    assert [(i.name, i.host) for i in report.instances] == [("shop1", "node-a")]
    assert report.period.begin.time == datetime(2024, 3, 5, 10, 0, 3, 205_000)
    assert report.period.end.time == datetime(2024, 3, 5, 10, 20, 17, 642_000)
    assert report.period.elapsed_s is None
    assert report.issues == ()
    assert [s.id for s in report.sections if not s.known] == []


def test_slow_writes() -> None:
    writes = read(OLD).by_id["lgwr_slow_writes"]
    rows = list(writes.rows)
    assert rows[0] == {
        "time": "2024-03-05 10:00:03.205",
        "zone": None,
        "elapsed_s": Value(0.861, 0.0005),
        "size_bytes": Value(4096, 512),
    }
    assert [writes.key_of(r)[-1] for r in writes.records[1:]] == ["2024-03-05 10:20:17.642", "#2"]


def test_switches_with_their_figures() -> None:
    report = read(NEW)
    polling, posting = report.by_id["lgwr_switches"].rows
    assert (polling["time"], polling["zone"]) == ("2024-03-05 10:00:52.031269", "-06:00")
    assert (polling["mode"], posting["mode"]) == ("polling", "post/wait")
    assert (polling["redo_synch_writes_per_s"], posting["redo_synch_writes_per_s"]) == (
        Value(71, 0.5),
        Value(10_286, 0.5),
    )
    assert polling["scheduling_delay_s"] == Value(1e-6, 5e-7)
    assert posting["scheduling_delay_s"] is None
    broadcast = next(report.by_id["lgwr_slow_broadcasts"].rows)
    assert (broadcast["wait_s"], broadcast["scn"]) == (Value(2.331, 0.0005), "0xa50c01d75d8")


def test_what_a_switch_was_decided_on_takes_the_stamp_that_follows() -> None:
    decisions = read(NEW).by_id["lgwr_mode_decisions"]
    found = decisions.find("2024-03-05 10:00:52.031269", "post->poll", "sync#")
    assert found is not None
    assert decisions.number(found, "value") == Value(213, 0.5)


def test_a_polling_interval_is_kept() -> None:
    text = NEW.replace("Current scheduling delay is 1 usec", "Current polling interval is 900 usec")
    assert next(read(text).by_id["lgwr_switches"].rows)["polling_interval_s"] == Value(9e-4, 5e-7)


def test_a_quiet_trace_is_a_report_without_events() -> None:
    report = read(_HEAD.format(process="lgwr", name="LGWR"))
    assert [s.id for s in report.sections] == ["lgwr_trace_header"]
    assert report.period.begin.time is None


def test_lines_of_any_length_and_broken_stamps_do_no_harm() -> None:
    noise = "*** " + "9" * 100_000 + "\nWarning: log write elapsed time " + "9" * 5000 + "ms, size 1KB\n"
    broken = "*** 2024-99-99 99:99:99.999\nWarning: log write elapsed time 501ms, size 1KB\n"
    report = read(OLD + noise + broken)
    assert len(report.by_id["lgwr_slow_writes"].records) == 4
    assert report.period.end.time == datetime(2024, 3, 5, 10, 20, 17, 642_000)


def test_a_decision_of_thousands_of_figures_is_kept_as_far_as_a_real_trace_goes() -> None:
    decision = "kcrfw_alfs_update_mode: post->poll" + " a=1" * 90 + "\n"
    report = read(OLD + decision * 1000 + "Warning: log write elapsed time 999ms, size 1KB\n")
    assert len(report.by_id["lgwr_mode_decisions"].records) == 20_000 - 3
    assert len(report.by_id["lgwr_slow_writes"].records) == 3
    assert [(i.code, "Adaptive log file sync decisions" in i.text) for i in report.issues] == [("table-cut", True)]
    assert report.by_id["lgwr_mode_decisions"].coverage == "top"
    assert read(OLD + decision).by_id["lgwr_mode_decisions"].coverage == "all"


def test_lines_are_those_of_the_whole_text_however_it_is_taken() -> None:
    unit = "x" * 50 + "\v" + "\x0c" + "y\x85" + "\n\n"
    text = unit * 4000 + "*** end"
    assert len(text) > 3 * 65_536
    assert list(_lines(text)) == text.splitlines()


def test_other_trace_files_are_refused() -> None:
    with pytest.raises(UnsupportedReport):
        read("Trace file /u01/app/trace/shop1_dbw0_4711.trc\n" + "Unix process pid: 1, image: oracle@node-a (DBW0)\n")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SAMPLE_TIME,EVENT,P3\n2024-03-05 10:00:00,log file parallel write,2\n", 1),
        ('"P3";"SAMPLE_TIME";"EVENT"\n2;"05-MAR-24 10.00.00.5 AM";"log file parallel write"\n', 1),
        ("event\tp3\tsample_time\ndb file sequential read\t1\t2024-03-05 10:00:00\n", 0),
        ("SAMPLE_TIME,EVENT,P3\n\n,,\n2024-03-05 10:00:00,log file parallel write\n" + '"' * 99, 1),
    ],
)
def test_samples_as_csv_are_read_whatever_their_order_and_marks(text: str, rows: int) -> None:
    report = read(text)
    assert report.kind == "lgwr_trace"
    found = report.by_id.get("lgwr_samples")
    assert len(found.records if found else ()) == rows
    if rows:
        assert report.period.begin.time is not None
        assert report.period.begin.time.replace(microsecond=0) == datetime(2024, 3, 5, 10)


def test_a_sample_names_the_process_and_not_its_host() -> None:
    """Host names stand in columns that are known to hold them."""
    report = read("SAMPLE_TIME,PROGRAM,EVENT,P3\n2024-03-05 10:00:00,oracle@db-host-1 (LG00),LGWR intra group sync,0\n")
    assert next(report.by_id["lgwr_samples"].rows)["process"] == "LG00"
    assert report.host.name == "db-host-1"


def test_a_statement_about_samples_is_no_file_of_them() -> None:
    with pytest.raises(UnsupportedReport):
        read("SELECT 1 FROM dual;\nSELECT sample_time, event, p3 FROM v$active_session_history;\n")
