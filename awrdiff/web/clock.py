"""Moments by the reader's clock: this machine's where its one user reads, else UTC by name."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings


def local(at: datetime) -> datetime:
    return at.astimezone(machine_zone() if settings.AWRDIFF_LOCAL_USER else UTC)


def zone_text() -> str:
    """` UTC` behind a time of day; "" where it is that of the reader's own clock."""
    return "" if settings.AWRDIFF_LOCAL_USER and machine_zone() is not UTC else " UTC"


def moment(at: datetime) -> str:
    """`22 Nov 2026 12:23 UTC`"""
    shown = local(at)
    return f"{shown.day} {shown:%b %Y %H:%M}{zone_text()}"


@cache
def machine_zone() -> tzinfo:
    """UTC where the machine names no zone. Not of TZ, which Django sets to its own."""
    name = str(Path("/etc/localtime").resolve()).partition("/zoneinfo/")[2].removeprefix("posix/")
    try:
        return ZoneInfo(name) if name not in ("", "UTC", "Etc/UTC") else UTC
    except (KeyError, ValueError, OSError):
        return UTC
