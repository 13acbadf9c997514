"""One figure against another: nothing is claimed that the print does not allow."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Bases, Basis
from awrdiff.analysis.rows.deltas import compare_cells, significantly_apart, unit_factor
from parsers.model import Column, Value
from tests.unit.analysis.builders import NO_BASES, column, exact, near

HOURS = Bases(Basis(near(3600, 0.005), 1000.0), Basis(near(7200, 0.005), 4000.0))
COUNT = column("waits")
SHARE = column("pct_db_time", "percent", "share")
AVERAGE = column("avg_wait_s", "s", "average")
TEXT = Column("value", "Value")


def compare(a, b, col=COUNT, unit=None, bases=HOURS):
    return compare_cells(a, b, col, unit, bases)


def test_totals_have_rates_by_each_sides_own_time():
    d = compare(exact(3600), exact(14400))
    assert (d.diff, d.pct) == (10800, 300)
    assert (d.first_per_s, d.second_per_s, d.pct_per_s) == (1, 2, 100)
    assert (d.first_per_txn, d.second_per_txn, d.pct_per_txn) == (3.6, 3.6, 0)
    assert d.significant
    assert d.significant_per_s


def test_the_same_rate_is_no_change_per_second():
    d = compare(exact(3600), exact(7200))
    assert d.significant
    assert not d.significant_per_s


def test_only_totals_have_rates():
    for col in (AVERAGE, SHARE, column("size", "bytes", "level"), column("per_second", "per_s", "rate")):
        d = compare(near(1), near(5), col)
        assert d.first_per_s is d.second_per_s is d.first_per_txn is None


def test_shares_in_points():
    d = compare(near(10, 0.05), near(15, 0.05), SHARE)
    assert d.diff == 5
    assert d.pct is None


def test_a_row_that_is_a_share_by_its_label():
    d = compare(near(10, 0.05), near(15, 0.05), column("begin", "as_labelled", "level"), unit="percent")
    assert (d.diff, d.pct) == (5, None)


def test_no_percentage_of_nothing():
    assert compare(exact(0), exact(5)).pct is None
    assert compare(exact(0), exact(5)).diff == 5
    assert compare(None, exact(5)).pct is None


def test_a_missing_side_is_not_zero():
    d = compare(None, exact(7200))
    assert d.first is None
    assert d.diff is d.pct is d.first_per_s is d.pct_per_s is None
    assert d.second_per_s == 1
    assert not d.significant


def test_without_elapsed_time_there_are_no_rates():
    d = compare(exact(1), exact(2), bases=NO_BASES)
    assert d.first_per_s is d.pct_per_s is d.first_per_txn is None
    assert d.significant
    assert not d.significant_per_s


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        (exact(182739), exact(182740), True),
        (exact(2**60), exact(2**60), False),
        (near(94), near(95), False),  # 94.5 could be both
        (near(94), near(95.1), True),
        (near(1.1, 0.05), near(1.2, 0.05), False),
        (near(1.1, 0.05), near(1.3, 0.05), True),
        (near(13_400, 50), near(13_430, 0), False),
        (near(13_400, 50), exact(13_460), True),
    ],
)
def test_significance(a, b, apart):
    assert significantly_apart(a, b) is apart
    assert significantly_apart(b, a) is apart


def test_text():
    assert compare("EXACT", "FORCE", TEXT).significant
    assert not compare("a  b", "a b", TEXT).significant
    assert not compare(None, "", TEXT).significant
    assert compare(None, "x", TEXT).significant
    assert compare("EXACT", "FORCE", TEXT).diff is None


def test_a_statement_cut_at_another_length_is_the_same():
    col = Column("sql_text", "SQL Text", holds="sql_text")
    assert not compare("select a from...", "select a from b where c", col).significant
    assert compare("select a", "insert b", col).significant


def test_decimal_noise_is_gone():
    assert compare(near(1.1, 0.05), near(1.15, 0.005), AVERAGE).diff == 0.05


def test_units_convert():
    assert unit_factor("MB", "bytes") == 1024**2
    assert unit_factor("count", "bytes") == 1
    assert unit_factor(None, "MB") == 1


def test_negative_first():
    assert compare(Value(-10, 0), Value(-5, 0), AVERAGE).pct == 50
