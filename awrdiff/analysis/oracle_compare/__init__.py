"""Oracle's own compare period report: its two periods, and a check of its differences."""

from awrdiff.analysis.oracle_compare.difference_check import check_of
from awrdiff.analysis.oracle_compare.period_reports import is_compare, is_period, period_of

__all__ = ["check_of", "is_compare", "is_period", "period_of"]
