"""Exports as the page hands them out."""

from __future__ import annotations


def without_address(written: bytes) -> bytes:
    """An export without the line that says where it is from, which no writer knows by itself."""
    text, found, _ = written.rpartition(b"This comparison: <http")
    if not found and written.rpartition(b"\n")[0].rpartition(b"\n")[2].startswith(b"http"):  # of a ticket the last line
        return written.rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n"
    return text if found else written
