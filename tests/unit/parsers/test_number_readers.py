"""The shared readers of cells: what they remember, what they forget, and signs, suffixes and scales in one place."""

from __future__ import annotations

import pytest

from parsers.model import Value
from parsers.tables import number_parsing
from parsers.tables.number_parsing import NumberReader, is_overflow, number_reader, read_number


@pytest.mark.parametrize(
    ("text", "unit", "scale", "exact", "value"),
    [
        ("-5", "count", 1.0, True, Value(-5, 0)),
        ("+5", "count", 1.0, True, Value(5, 0)),
        ("-5", "count", 1.0, False, Value(-5, 0.5)),
        ("5", "count", 2.0, True, Value(10.0, 1.0)),
        ("1.5", "count", 1.5, False, Value(2.25, 0.075)),
        ("3", "count", 1.0, False, Value(3, 0.5)),
        ("2E2", "count", 1.0, True, Value(200.0, 50.0)),
        ("3K", "s", 2.0, False, Value(6000.0, 1000.0)),
        ("3K", "count", 2.0, False, Value(6000.0, 1000.0)),
        ("3M", "count", 0.5, False, Value(1.5e6, 2.5e5)),
        ("3K", "bytes", 7.0, False, Value(3072.0, 512.0)),
        ("3KB", "bytes", 7.0, False, Value(3072.0, 512.0)),
        ("3B", "bytes", 7.0, False, Value(3.0, 0.5)),
        ("3b", "bytes_per_s", 7.0, False, Value(3.0, 0.5)),
        ("3k", "s", 1.0, False, None),
        ("3bK", "bytes", 1.0, False, None),
        ("3X", "bytes", 1.0, False, None),
        ("3X", "count", 1.0, False, None),
        ("3 K", "count", 1.0, False, Value(3000.0, 500.0)),
        ("3K K", "count", 1.0, False, None),
        ("3,27K", "count", 1.0, False, None),
        ("1,327K", "count", 1.0, False, Value(1327000.0, 500.0)),
        ("1E126", "count", 1.0, False, Value(1e126, 5e125)),
        ("1E127", "count", 1.0, False, None),
        (".", "count", 1.0, False, None),
        ("7", "s", 1e-3, False, Value(0.007, 0.0005)),
        ("0.3", "s", 1e-3, False, Value(0.0003, 5e-5)),
    ],
)
def test_one_cell(text, unit, scale, exact, value):
    found = read_number(text, unit, scale, exact=exact)
    if value is None:
        assert found is None
    else:
        assert found is not None
        assert (found.number, found.half) == (pytest.approx(value.number), pytest.approx(value.half))


def printed_numbers():
    wholes = ("", "0", "7", "007", "12", "1,234", "1,23", "1234,567", ",123", "0,000", "12,345,678", "999999999999999")
    wholes += ("1234567890123456", "1,234,567,890,123,456", "1,,234", "\u0663", "1_0", "1 2", "-1", "1e3", "\u00b2")
    decimals = (
        "",
        ".",
        ".0",
        ".5",
        ".05",
        ".50",
        ".12345678901234",
        ".123456789012345",
        ".5e1",
        ".5K",
        ".-1",
        ".1,0",
        ".1.2",
    )
    return [whole + rest for whole in wholes for rest in decimals]


@pytest.mark.parametrize("scale", [1.0, 2.0, 1024.0, 1e-3, 1e-6, 1.5])
@pytest.mark.parametrize("exact", [True, False])
def test_the_quick_way_reads_what_the_slow_way_does(scale, exact):
    for text in printed_numbers():
        quick, slow = (
            repr(v)
            for v in (
                read_number(text, "count", scale, exact=exact),
                number_parsing._read_any(text, "count", scale, exact=exact),
            )
        )
        assert quick == slow, text


@pytest.mark.parametrize(
    ("text", "number"), [("3", 0.003), ("7", 0.007), ("29", 0.029), ("58", 0.058), ("1.1", 0.0011), ("4.35", 0.00435)]
)
def test_thousandths_are_divided_so_that_they_read_as_printed(text, number):
    """0.001 is no binary fraction: 29 × 0.001 is 0.029000000000000001."""
    assert read_number(text, "s", 1e-3).number == number


def test_a_whole_number_stays_whole():
    found = read_number(f"{2**60 + 1}", "count", exact=True)
    assert found == Value(2**60 + 1, 0)
    assert isinstance(found.number, int)
    assert read_number(f"-{2**60 + 1}", "count").number == -(2**60 + 1)


@pytest.mark.parametrize(("text", "wide"), [("####", True), ("#", True), ("", False), ("#1", False), ("X#X", False)])
def test_too_wide_for_its_column(text, wide):
    assert is_overflow(text) is wide


def test_percent_signs_belong_to_shares_alone():
    assert NumberReader("percent", 1.0, exact=False)["12.5%"] == Value(12.5, 0.05)
    assert NumberReader("percent", 1.0, exact=False)["%12"] is None
    reader = NumberReader("count", 1.0, exact=False)
    assert reader["12.5%"] is None
    assert reader.unreadable == {"12.5%"}


def test_a_reader_has_its_own_unit_scale_and_exactness():
    assert NumberReader("s", 1e-3, exact=False)["5"] == Value(0.005, 0.0005)
    assert NumberReader("s", 1.0, exact=False)["5ms"] == Value(0.005, 0.0005)
    assert NumberReader("count", 1.0, exact=True)["5"] == Value(5, 0)
    assert NumberReader("count", 1.0, exact=False)["5"] == Value(5, 0.5)


def test_it_remembers_what_it_has_read(monkeypatch):
    reader = NumberReader("count", 1.0, exact=True)
    assert reader["5"] == Value(5, 0)
    assert reader["n/a"] is None
    monkeypatch.setattr(number_parsing, "read_number", lambda *_a, **_k: pytest.fail("read again"))
    assert reader["5"] == Value(5, 0)
    assert reader["n/a"] is None


@pytest.mark.parametrize(("length", "kept"), [(39, True), (40, True), (41, False)])
def test_long_texts_are_not_kept(length, kept):
    reader = NumberReader("count", 1.0, exact=True)
    text = "1".rjust(length, "0")
    reader[text]
    assert (text in reader) is kept


@pytest.mark.parametrize("texts", [[str(n) for n in range(12)], [f"no number {n}" * 9 for n in range(12)]])
def test_it_forgets_before_it_grows_without_bound(monkeypatch, texts):
    """Numbers that are kept, and texts too long to be kept that are no numbers."""
    monkeypatch.setattr(number_parsing, "_MEMO_LIMIT", 5)
    reader = NumberReader("count", 1.0, exact=True)
    sizes = []
    for text in texts:
        reader[text]
        sizes.append(max(len(reader), len(reader.unreadable)))
    assert sizes == [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]


def test_columns_of_one_kind_share_a_reader():
    one = number_reader("s", 0.25, exact=False)
    assert number_reader("s", 0.25, exact=False) is one
    assert (one.unit, one.scale, one.exact) == ("s", 0.25, False)
    others = [number_reader("s", 0.5, exact=False), number_reader("count", 0.25, exact=False)]
    others.append(number_reader("s", 0.25, exact=True))
    assert len({id(r) for r in (one, *others)}) == 4
    assert [(r.unit, r.scale, r.exact) for r in others] == [
        ("s", 0.5, False),
        ("count", 0.25, False),
        ("s", 0.25, True),
    ]
