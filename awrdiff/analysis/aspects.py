"""Which part of a report is looked at: all of it, one instance of a global report, one period of a compare report.

An aspect is a short text that is stored with a comparison: "" for the whole, `instance:2`, `first`, `second`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison, Warning_
from awrdiff.analysis.oracle_compare import check_of, period_of
from awrdiff.analysis.oracle_compare.figures import PERIODS
from awrdiff.analysis.report.instances import one_instance
from parsers.model import Report

WHOLE = ""
FIRST, SECOND = PERIODS
_INSTANCE = re.compile(r"instance:(\d{1,11})")


def instance_aspect(number: int) -> str:
    return f"instance:{number}"


def choices(kind: str, instances: Iterable[int | None]) -> tuple[str, ...]:
    """What a report of this kind, with these instances, can be looked at as; nothing where there is no choice."""
    if kind == "awr_global":
        numbers = dict.fromkeys(n for n in instances if n is not None)
        return (WHOLE, *map(instance_aspect, numbers)) if numbers else ()
    return (WHOLE, FIRST, SECOND) if kind == "awr_compare" else ()


def seen_as(report: Report, aspect: str) -> Report:
    """The report as far as `aspect` goes; raises LookupError where it has no such part."""
    if aspect == WHOLE:
        return report
    if aspect in PERIODS:
        return period_of(report, aspect)
    match = _INSTANCE.fullmatch(aspect)
    if match is None:
        raise LookupError(f"“{aspect}” is no part of a report")
    return one_instance(report, int(match[1]))


def aspect_text(aspect: str, kind: str = "") -> str:
    """As people say it: `instance 2`, `first period`; the whole by the report's kind."""
    if aspect in PERIODS:
        return f"{aspect} period"
    whole = {"awr_global": "cluster", "awr_compare": "both periods"}
    return aspect.replace(":", " ") if aspect else whole.get(kind, "whole report")


def ready_comparison(report: Report, traces: Sequence[Report] = ()) -> Comparison:
    """Oracle's compare report as a comparison of its first period with its second. Raises LookupError."""
    return with_check(report, compare_all([seen_as(report, FIRST), seen_as(report, SECOND)], traces)[0])


def with_check(report: Report, computed: Comparison) -> Comparison:
    """The comparison with what became of Oracle's own differences."""
    check = check_of(report)
    warning = Warning_("oracle-check", check.sentence)
    return replace(computed, oracle_check=check, warnings=(*computed.warnings, warning))
