"""Oracle AWR reports: bytes in, a `Report` out. Needs no Django, database or broker."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parsers.archive import open_reports
    from parsers.files.split import split_reports
    from parsers.model import Report, UnsupportedReport
    from parsers.reader import parse_report

PARSER_VERSION = 18  # moves when a file would be read differently: stored reports are then read again
PARSER_DIGEST = "088c5de12aaddfe2"  # of what it reads in the samples of all sections: `python -m tests.golden.digests`

__all__ = [
    "PARSER_DIGEST",
    "PARSER_VERSION",
    "Report",
    "UnsupportedReport",
    "open_reports",
    "parse_report",
    "split_reports",
]

_HOMES = {
    "Report": "model",
    "UnsupportedReport": "model",
    "open_reports": "archive",
    "parse_report": "reader",
    "split_reports": "files.split",
}


def __getattr__(name: str) -> Any:
    """Lazy imports: `awrdiff --version` needs no reader."""
    if name not in _HOMES:
        raise AttributeError(f"module 'parsers' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"parsers.{_HOMES[name]}"), name)
    return value
