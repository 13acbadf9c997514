"""Reads Oracle AWR reports: bytes in, a `Report` out. Needs no Django, database or broker."""

from parsers.archive import open_reports
from parsers.files.split import split_reports
from parsers.model import Report, UnsupportedReport
from parsers.reader import parse_report

PARSER_VERSION = 15  # moves when a file would be read differently: stored reports are then read again
PARSER_DIGEST = "9d9c9bde70defb3c"  # of what it reads in the samples of all sections: `python -m tests.golden.digests`

__all__ = [
    "PARSER_DIGEST",
    "PARSER_VERSION",
    "Report",
    "UnsupportedReport",
    "open_reports",
    "parse_report",
    "split_reports",
]
