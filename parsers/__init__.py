"""Reads Oracle AWR reports: bytes in, a `Report` out. Needs no Django, database or broker."""

from parsers.model import Report, UnsupportedReport
from parsers.reader import parse_report

__all__ = ["Report", "UnsupportedReport", "parse_report"]
