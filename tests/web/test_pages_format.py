"""Numbers as a reader sees them."""

from __future__ import annotations

import re

import pytest

from awrdiff.analysis.report_time_windows import duration, window, windows
from awrdiff.web import value_formatting as fmt


@pytest.mark.parametrize(
    ("number", "unit", "half", "expected"),
    [
        (0.00331, "s", 5e-6, "3.31 ms"),
        (5.65, "s", 0.005, "5.65 s"),
        (33.0, "s", 0.5, "33 s"),  # printed to the second: no decimals are made up
        (0.000174, "s", 5e-9, "174 µs"),
        (1.85e-7, "s", 5e-12, "185 ns"),
        (94.0, "s", 0.5, "94 s"),
        (143_822.25, "s", 0.005, "143,822 s"),
        (1024.0, "bytes", 0, "1.00 kB"),
        (2_130_255_134_720, "bytes", 0, "1.94 TB"),
        (182_739, "count", 0, "182,739"),
        (81_100, "count", 50, "81,100"),
        (0, "count", 0, "0"),
        (0, "s", 0, "0 s"),
        (-0.5, "s", 5e-4, "−500 ms"),
        (0.3, "s", 0.05, "0.3 s"),
        (0.01, "s", 0.005, "0.01 s"),
        (0, "s", 0.005, "0 s"),
        (0, "s", 5e-6, "0 ms"),
        (32.4, "percent", 0.05, "32.4 %"),
    ],
)
def test_quantity(number, unit, half, expected):
    assert fmt.quantity(number, unit, half) == expected


@pytest.mark.parametrize(
    ("number", "decimals", "expected"),
    [(1234.5, 1, "1,234.5"), (-3, 0, "−3"), (0.004, 2, "<0.01"), (0, 2, "0.00"), (-0.001, 2, "<0.01")],
)
def test_plain(number, decimals, expected):
    assert fmt.plain(number, decimals) == expected


def test_a_column_has_one_unit_and_decimals_in_line():
    form = fmt.column_format("s", [0.0021, 0.0033, 0.0099])
    assert form.suffix == "ms"
    assert form.cell(0.0021, 5e-6) == "2.10"
    assert form.cell(0.0033, 5e-5) == "3.3" + fmt.FIGURE_SPACE
    assert form.cell(0.003, 5e-4) == "3" + fmt.POINT_SPACE + fmt.FIGURE_SPACE * 2


def test_a_column_that_spans_too_much_gives_each_cell_its_unit():
    form = fmt.column_format("s", [0.00331, 0.16, 33.0])
    assert form.suffix == ""
    assert form.cell(0.00331, 5e-6) == "3.31 ms"
    assert form.cell(33.0, 0.05) == "33.0 s"


def test_an_exact_count_has_no_decimals_beside_rates():
    form = fmt.column_format("count", [12.0, 180_000.0])
    assert form.cell(180_000.0) == "180,000"


def test_an_empty_column_still_formats():
    assert fmt.column_format("s", []).cell(0.0) == "0"


@pytest.mark.parametrize(
    ("first", "second", "error", "expected"),
    [
        (0.77, 4.82, 0, "×6.3"),
        (1.54, 16.2, 0.004, "×10.5"),
        (1.54, 16.2, 0.03, "×11"),
        (3.8, 830, 0, "×218"),
        (3.31e-3, 5.65, 0, "×1,707"),
        (2.07, 2.45, 0, "+18 %"),
        (27.5, 21.5, 0, "−22 %"),
        (100, 102.14, 0, "+2.1 %"),
        (100, 102.14, 0.01, "+2 %"),
        (100, 0, 0, "−100 %"),
        (100, 0.3, 0, "−99.7 %"),
    ],
)
def test_relative(first, second, error, expected):
    assert fmt.relative(first, second, error) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(27.18, "+27.2"), (-0.371, "−0.37"), (0.0026, "<0.01"), (1234.5, "+1,234")]
)
def test_signed(number, expected):
    assert fmt.signed(number) == expected


def test_percentages_are_compared_in_points():
    assert fmt.points(43.6, 0.05) == "+43.6 pt"
    assert fmt.points(-0.04, 0.005) == "−0.04 pt"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (45.0, "45.0 s"),
        (901.55, "15.0 min"),
        (3614.4, "60.2 min"),
        (26_000, "7.2 h"),
        (600_000, "6 d 23 h"),
        (None, "–"),
    ],
)
def test_duration(seconds, expected):
    assert duration(seconds) == expected


def test_two_windows_side_by_side_are_told_in_one_unit():
    assert [duration(21_582, 86_400), duration(86_400, 21_582)] == ["6.0 h", "24.0 h"]
    assert duration(900, 86_400) == "15.0 min"  # in hours nothing would be left of it
    assert duration(21_582, None) == "359.7 min"


def test_a_window_names_its_day_once():
    assert window("2018-01-11T09:30:05", "2018-01-11T10:30:19") == "11 Jan 2018 09:30 – 10:30"
    assert window("2018-01-11T23:30:05", "2018-01-12T00:30:19") == "11 Jan 2018 23:30 – 12 Jan 00:30"
    assert window(None, None) == window("not a time", "") == "–"


def test_a_share_loses_decimals_from_ten_percent_on():
    assert [fmt.share(x) for x in (0.14, 5.25, 32.4, 0, None)] == ["0.1 %", "5.2 %", "32 %", "0 %", "–"]


def test_two_windows_of_one_day_name_it_once():
    first, second = ("2018-01-11T09:30:05", "2018-01-11T10:30:19"), ("2018-01-11T11:30:44", "2018-01-11T12:31:13")
    assert windows(first, second) == "11 Jan 2018 09:30 – 10:30 → 11:30 – 12:31"
    other_day = ("2018-01-12T11:30:44", "2018-01-12T12:31:13")
    assert windows(first, other_day) == "11 Jan 2018 09:30 – 10:30 → 12 Jan 2018 11:30 – 12:31"


@pytest.mark.parametrize(
    ("size", "expected"), [(0, "0 B"), (999, "999 B"), (1536, "1.5 kB"), (64 << 20, "64 MB"), (1_234_567, "1.2 MB")]
)
def test_file_size(size, expected):
    assert fmt.file_size(size) == expected


@pytest.mark.parametrize(
    ("printed", "unit", "expected"),
    [
        ("Avg wait (ms)", "s", "Avg wait"),
        ("Tun Ret (mins)", "s", "Tun Ret"),
        ("CPU(s) per Eval", "s", "CPU per Eval"),
        ("CR Avg Time (us) 2hop", "s", "CR Avg Time 2hop"),
        ("Physical Reads (K)", "count", "Physical Reads"),
        ("Estimated Phys Reads (thousands)", "count", "Estimated Phys Reads"),
        ("SGA Target Size (M)", "bytes", "SGA Target Size"),
        ("Begin MB", "bytes", "Begin"),
        ("W/A MB Processed", "bytes", "W/A Processed"),
        ("MB", "bytes", "Data"),
        ("IO MB/s Average", "bytes_per_s", "IO Average"),
        ("MB per Sec", "bytes_per_s", "Data"),
        ("%Total", "percent", "%Total"),
        ("Waits", "count", "Waits"),
        ("Sessions (K)", None, "Sessions (K)"),
    ],
)
def test_a_heading_gives_up_the_unit_its_figures_no_longer_have(printed, unit, expected):
    assert fmt.label(printed, unit) == expected


@pytest.mark.parametrize(
    ("text", "unit", "suffix", "expected"),
    [
        ("Elapsed Time per Exec", "s", "s", "Elapsed Time per Exec, s"),  # although an s is in its words
        ("Reads: Data per s", "bytes", "MB", "Reads: Data, MB per s"),
        ("Misses", "per_s", "", "Misses, per s"),
        ("Reads/s", "per_s", "", "Reads/s"),
        ("Write Reqs per Sec", "per_s", "", "Write Reqs per Sec"),
        ("active sessions", "ratio", "", "active sessions"),
    ],
)
def test_a_head_names_the_unit_of_its_cells(text, unit, suffix, expected):
    assert fmt.head(text, unit, suffix).replace(fmt.FIXED, " ") == expected
    assert not re.search(r", \S", fmt.head(text, unit, suffix))  # the unit is not torn off


def test_a_percent_sign_stands_by_its_number():
    form = fmt.column_format("percent", [1.7, 12.0])
    assert form.cell(1.7, 0.05) == "1.7 %"
    assert form.suffix == ""


def test_a_data_rate_says_that_it_is_one():
    assert fmt.quantity(1_909_236_695.04, "bytes_per_s") == "1.78 GB/s"
    assert fmt.column_format("bytes_per_s", [2.0**20, 2.0**21]).suffix == "MB/s"
