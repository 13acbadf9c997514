"""Exports as the page hands them out."""

from __future__ import annotations


def without_address(export: bytes) -> bytes:
    """An export without the line that names its address."""
    text, marker, _ = export.rpartition(b"This comparison: <http")
    if not marker and export.rpartition(b"\n")[0].rpartition(b"\n")[2].startswith(b"http"):  # of a ticket the last line
        return export.rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n"
    return text if marker else export
