"""LGWR (or LGnn) trace file, as tables of the text front end."""

from __future__ import annotations

from parsers.tables.declare import Family, bytes_, number, seconds, text

LGWR = Family("time", text("time", "Time"), text("zone", "Zone"))
section = LGWR.section

section(
    "lgwr_trace_header",
    "LGWR trace",
    [
        text("release", "Release"),
        text("instance", "Instance name", holds="host"),
        text("node", "Node name", holds="host"),
        text("system", "System name"),
        text("thread", "Redo thread"),
        text("process", "Process"),
        text("process_id", "Unix process pid"),
        text("trace_file", "Trace file", holds="path"),
        text("machine", "Machine"),
        text("storage", "Storage"),
    ],
    key="-",
)
section(
    "lgwr_slow_writes",
    "Log write warnings",
    [
        "time zone",
        # Oracle warns from 500 ms on: writes below it are not in the file.
        seconds("elapsed_s", "Elapsed (ms)", measure="level"),
        bytes_("size_bytes", "Size (KB)", measure="level"),
    ],
    key="time",
    coverage="top",
)
section(
    "lgwr_slow_broadcasts",
    "Log write broadcast warnings",
    ["time zone", seconds("wait_s", "Wait (ms)", measure="level"), text("scn", "SCN")],
    key="time scn",
    coverage="top",
)
section(
    "lgwr_switches",
    "Log file sync switches",
    [
        "time zone",
        text("mode", "Switching to"),
        seconds("scheduling_delay_s", "Scheduling delay (usec)", measure="level", better="neither"),
        number("redo_synch_writes_per_s", "per_s", "Redo synch writes per sec", measure="rate"),
        seconds("polling_interval_s", "Polling interval (usec)", measure="level", better="neither"),
    ],
    key="time",
)
section(
    "lgwr_scalable",
    "Adaptive scalable log writer",
    [
        "time zone",
        text("mode", "Workers"),  # enabled: several log writers; disabled: one alone
        text("figures", "Figures"),
    ],
    key="time mode",
)
section(
    "lgwr_mode_decisions",
    "Adaptive log file sync decisions",
    [
        text("time", "Time"),
        text("change", "Change"),
        text("figure", "Figure"),
        number("value", "value", "Value", measure="level"),
    ],
    key="time change figure",
)
section(
    "lgwr_scheduling",
    "Log writer scheduling",
    [
        text("time", "Time"),
        text("process", "Process"),
        # Since the process began, as the kernel counts.
        seconds("cpu_s", "On CPU (ns)", measure="level", better="neither"),
        seconds("waited_s", "Waited for a CPU (ns)", measure="level", better="neither"),
        number("runs", "count", "Runs", measure="level"),
    ],
    key="time process",
)
section(
    "lgwr_samples",
    "Log writer samples",
    [
        text("time", "Time"),
        text("process", "Process"),
        text("event", "Event"),
        # Of log file parallel write: log files, blocks, I/O requests.
        *(number(f"p{n}", "value", f"P{n}", measure="level") for n in (1, 2, 3)),
    ],
    key="time process",
)
