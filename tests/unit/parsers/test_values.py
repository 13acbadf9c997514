"""Printed numbers: value, resolution, unit."""

from __future__ import annotations

import pytest

from parsers.model import Value
from parsers.tables.number_parsing import NumberReader, is_overflow, label_scale, read_number


def close(found: Value | None, number: float, half: float) -> bool:
    return found is not None and found.number == pytest.approx(number) and found.half == pytest.approx(half)


@pytest.mark.parametrize(
    ("text", "unit", "scale", "number", "half"),
    [
        ("1,234.5", "count", 1, 1234.5, 0.05),
        (".99ms", "s", 1e-3, 0.00099, 0.000005),
        ("174.98us", "s", 1e-3, 174.98e-6, 0.005e-6),
        ("185.48ns", "s", 1e-3, 185.48e-9, 0.005e-9),
        ("3524.27ms", "s", 1e-3, 3.52427, 0.000005),
        ("52.86 s", "s", 1e-3, 52.86, 0.005),
        ("13.4K", "s", 1, 13_400, 50),
        ("90.1K", "count", 1, 90_100, 50),
        ("8G", "bytes", 2**20, 8 * 2**30, 2**29),
        ("1.9T", "bytes", 1, 1.9 * 2**40, 0.05 * 2**40),
        ("4.53108", "bytes", 2**20, 4.53108 * 2**20, 0.000005 * 2**20),
        ("6,208M", "bytes", 1, 6208 * 2**20, 2**19),
        ("25,964K", "bytes", 1, 25964 * 2**10, 2**9),
        ("1.5E+07", "count", 1, 15_000_000, 500_000),
        ("-3,672", "count", 1000, -3_672_000, 500),
        ("94", "s", 1, 94, 0.5),
        ("5", "s", 1e-3, 0.005, 0.0005),
        (".0", "percent", 1, 0, 0.05),
        ("5.60538116591928251121076233183856502242", "percent", 1, 5.605381165919283, 0),
    ],
)
def test_number_and_resolution(text: str, unit: str, scale: float, number: float, half: float) -> None:
    assert close(read_number(text, unit, scale), number, half)


def test_a_full_count_is_exact() -> None:
    assert read_number("182,739", "count", exact=True) == Value(182_739, 0)
    assert read_number("182,739", "count") == Value(182_739, 0.5)
    assert read_number("182.7K", "count", exact=True) == Value(182_700, 50)


@pytest.mark.parametrize("text", ["", "N/A", "####", "abc", "1.2.3", "12,34", "--5", "1:30", "<1", "5 m", "1e999999"])
def test_what_is_no_number(text: str) -> None:
    assert read_number(text, "s") is None


def test_a_suffix_belongs_to_its_unit() -> None:
    assert read_number("5ms", "count") is None
    assert read_number("5ms", "bytes") is None
    assert read_number("5T", "s") == Value(5e12, 5e11)


@pytest.mark.parametrize(
    ("label", "unit", "scale"),
    [
        ("Avg wait (ms)", "s", 1e-3),
        ("Av Rd(ms)", "s", 1e-3),
        ("CR Avg Time (us) All", "s", 1e-6),
        ("Total Wait Time (s)", "s", 1),
        ("Tun Ret (mins)", "s", 60),
        ("Memory (GB)", "bytes", 2**30),
        ("W/A MB Processed", "bytes", 2**20),
        ("Beg Snap Pool Size Mb", "bytes", 2**20),
        ("Global Mem Bound(K)", "bytes", 2**10),
        ("Begin Size (Bytes)", "bytes", None),
        ("Sharable Mem (b)", "bytes", 1),
        ("Physical Reads (K)", "count", 1000),
        ("Estimated Phys Reads (thousands)", "count", 1000),
        ("Waits", "count", None),
        ("Avg wait", "s", None),
    ],
)
def test_scale_by_label(label: str, unit: str, scale: float | None) -> None:
    assert label_scale(label, unit) == scale


def test_reader_tells_unreadable_from_not_printed() -> None:
    reader = NumberReader("count", 1, exact=True)
    assert [reader[t] for t in ("", "N/A", "####", "oops", "7")] == [None, None, None, None, Value(7, 0)]
    assert reader.unreadable == {"####", "oops"}
    assert is_overflow("####")
    assert not is_overflow("")


@pytest.mark.parametrize(
    "text",
    [",234", "1234,567", "12,34", "1,2345", "1,234,56", "1,,234", "1,234,", ",", "1.2,345", "1,234.5,678", "1,234."],
)
def test_commas_that_stand_elsewhere_than_before_each_third_digit(text: str) -> None:
    found = read_number(text, "count")
    assert found == (Value(1234, 0.5) if text == "1,234." else None)
