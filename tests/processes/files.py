"""Report files for the tests of real processes, written by the project's own report writer."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fixtures.writer import big

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"


def two_reports() -> tuple[bytes, bytes]:
    return (CASES / "before.html").read_bytes(), (CASES / "after.html").read_bytes()


def big_report(remark: str) -> bytes:
    """Large enough to be caught while it is read; `remark` makes the bytes differ, so that none is read only once."""
    return _big() + f"<!-- {remark} -->".encode()


@lru_cache(maxsize=1)
def _big() -> bytes:
    return big(15)
