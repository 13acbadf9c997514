"""The number formats print what real reports print, and say how coarse the print is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.writer import formats as f
from parsers.tables.number_parsing import EXACT_UNITS, read_number

GIB = 1 << 30


@pytest.mark.parametrize(
    ("show", "value", "text"),
    [
        (f.count, 1_104_312, "1,104,312"),
        (f.plain, 1_104_312, "1104312"),
        (f.decimal(2, width=10), 1234.5, "  1,234.50"),
        (f.decimal(0, unit=1e-3), 0.0024, "2"),
        (f.bare(1), 0.04, ".0"),
        (f.bare(1), 0.5, ".5"),
        (f.bare(1), 100.0, "100.0"),
        (f.time_with_unit, 185.48e-9, "185.48ns"),
        (f.time_with_unit, 174.98e-6, "174.98us"),
        (f.time_with_unit, 0.00099, ".99ms"),
        (f.time_with_unit, 0.94e-3, "940.00us"),
        (f.time_with_unit, 3.52427, "3524.27ms"),
        (f.time_with_unit, 52.86, "52.86 s"),
        (f.seconds_short(mega_from=1e6), 3414.4, "3414.4"),
        (f.seconds_short(mega_from=1e6), 1089.0, "1089"),
        (f.seconds_short(mega_from=1e6), 13_400.0, "13.4K"),
        (f.seconds_short(mega_from=1e6), 953_015.0, "953K"),
        (f.count_short(mega_from=1e6), 9_999, "9999"),
        (f.count_short(mega_from=1e6), 92_374, "92.4K"),
        (f.count_short(mega_from=1e6), 3_232_982, "3.2M"),
        (f.count_short(mega_from=1e7), 2_144_793, "2144.8K"),
        (f.bytes_short, 993 << 20, "993M"),
        (f.bytes_short, 2_130_255_134_720, "1.9T"),
        (f.bytes_short, 0, "0M"),
        (f.trimmed(3, unit=1 << 20, suffix="M"), 0.02 * (1 << 20), ".02M"),
        (f.memory(1 << 20, "M", 11), 24 * GIB, "    24,576M"),
    ],
)
def test_prints_as_oracle_does(show: f.Format, value: float, text: str) -> None:
    assert show(value).text == text


SHOWN = st.sampled_from(
    [
        ("s", f.time_with_unit, 1e4),
        ("s", f.seconds_short(mega_from=1e6), 1e9),
        ("s", f.decimal(2), 1e9),
        ("percent", f.bare(1), 100.0),
        ("count", f.count_short(mega_from=1e6), 1e11),
        ("bytes", f.bytes_short, 1e15),
        ("bytes", f.trimmed(3, unit=1 << 20, suffix="M"), 1e10),
    ]
)


@given(SHOWN, st.floats(0, 1))
def test_is_read_back_within_its_own_resolution(shown: tuple[str, f.Format, float], share: float) -> None:
    unit, show, top = shown
    exact = float(round(share * top)) if unit in ("count", "bytes") else share * top
    printed = show(exact)
    read = read_number(printed.text, unit, exact=unit in EXACT_UNITS)
    assert read is not None
    assert read.half >= printed.half * 0.999999  # trailing zeros are not printed: then the reader sees less
    assert abs(read.number - exact) <= read.half * 1.000001 + 1e-12 * exact
