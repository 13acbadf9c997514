"""Which versions of parsers and engine a stored comparison was made by, as one number that grows with both."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.analysis import ENGINE_VERSION
from awrdiff.reports import versions as reports
from awrdiff.reports.models import Report

_ENGINES = 1000  # more than the engine will ever have


def number(parser: int, engine: int) -> int:
    return parser * _ENGINES + engine


def in_words(version: int) -> str:
    """5006 is “5.6”: parsers 5, engine 6."""
    return "{}.{}".format(*divmod(version, _ENGINES))


def current() -> int:
    """What this process makes of up-to-date reports."""
    return number(reports.PARSER_VERSION, ENGINE_VERSION)


def made_of(compared: Iterable[Report]) -> int:
    """What this process makes of these: a report that an older version read makes an older comparison, unless this
    version could not read it again (its file is gone)."""
    mine = reports.PARSER_VERSION
    parser = min(mine if r.renewal_tried >= mine else min(r.parser_version, mine) for r in compared)
    return number(parser, ENGINE_VERSION)
