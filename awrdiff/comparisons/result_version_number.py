"""Version of a stored comparison: one number growing with parsers' and engine's."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.analysis import ENGINE_VERSION
from awrdiff.reports import parser_version as reports
from awrdiff.reports.models import Report

_ENGINES = 1000  # more than the engine will ever have


def number(parser: int, engine: int) -> int:
    return parser * _ENGINES + engine


def in_words(version: int) -> str:
    """5006 is “5.6”: parsers 5, engine 6."""
    return "{}.{}".format(*divmod(version, _ENGINES))


def current() -> int:
    """Version made from up-to-date reports."""
    return number(reports.PARSER_VERSION, ENGINE_VERSION)


def made_of(compared: Iterable[Report]) -> int:
    """Unrenewable old reports (file gone) do not count."""
    mine = reports.PARSER_VERSION
    parser = min(mine if r.renewal_tried >= mine else min(r.parser_version, mine) for r in compared)
    return number(parser, ENGINE_VERSION)
