"""Moments in the local user's clock, else UTC by name."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings


def local(at: datetime) -> datetime:
    return at.astimezone(machine_zone() if settings.AWRDIFF_LOCAL_USER else UTC)


def zone_text() -> str:
    """` UTC`, or "" for the local clock."""
    return "" if settings.AWRDIFF_LOCAL_USER and machine_zone() is not UTC else " UTC"


def moment(at: datetime) -> str:
    """`22 Nov 2026 12:23 UTC`"""
    local_time = local(at)
    return f"{local_time.day} {local_time:%b %Y %H:%M}{zone_text()}"


@cache
def machine_zone() -> tzinfo:
    """UTC if unnamed. Ignores TZ, which Django sets."""
    name = str(Path("/etc/localtime").resolve()).partition("/zoneinfo/")[2].removeprefix("posix/")
    try:
        return ZoneInfo(name) if name not in ("", "UTC", "Etc/UTC") else UTC
    except (KeyError, ValueError, OSError):
        return UTC
