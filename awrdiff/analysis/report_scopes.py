"""Aspect of a report: all of it, an instance of a global one, or a compared period.

Stored with a comparison as text: "", `instance:2`, `first`, `second`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison, Warning_
from awrdiff.analysis.oracle_compare import check_of, period_of
from awrdiff.analysis.oracle_compare.period_columns import PERIODS
from awrdiff.analysis.report.single_rac_instance import one_instance
from parsers.model import Report

WHOLE = ""
FIRST, SECOND = PERIODS
_INSTANCE = re.compile(r"instance:(\d{1,11})")


def seen_as(report: Report, aspect: str) -> Report:
    """Report reduced to `aspect`; raises LookupError without such a part."""
    if aspect == WHOLE:
        return report
    if aspect in PERIODS:
        return period_of(report, aspect)
    match = _INSTANCE.fullmatch(aspect)
    if match is None:
        raise LookupError(f"“{aspect}” is no part of a report")
    return one_instance(report, int(match[1]))


def aspect_text(aspect: str, kind: str = "") -> str:
    """`instance 2`, `first period`; "" by the kind of report."""
    if aspect in PERIODS:
        return f"{aspect} period"
    whole = {"awr_global": "cluster", "awr_compare": "both periods"}
    return aspect.replace(":", " ") if aspect else whole.get(kind, "whole report")


def ready_comparison(report: Report, traces: Sequence[Report] = ()) -> Comparison:
    """Oracle's compare report's two periods; raises LookupError for others."""
    return with_check(report, compare_all([seen_as(report, FIRST), seen_as(report, SECOND)], traces)[0])


def with_check(report: Report, computed: Comparison) -> Comparison:
    """Comparison with a check of Oracle's own differences."""
    check = check_of(report)
    warning = Warning_("oracle-check", check.sentence)
    return replace(computed, oracle_check=check, warnings=(*computed.warnings, warning))
