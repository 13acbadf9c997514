"""Strict readers of environment variables: nonsense stops the start instead of meaning something else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def refuse_misspelt(known: Iterable[str]) -> None:
    """A variable that is nearly one of `known` is meant to be it; what is like none of them is somebody else's."""
    names = sorted(set(known))
    for name in sorted(os.environ):
        if name.startswith("AWRDIFF_") and name not in names and (near := get_close_matches(name, names, 1, 0.85)):
            raise ImproperlyConfigured(f"{name} is no setting of awrdiff: {near[0]} is.")


def boolean(name: str, *, default: bool) -> bool:
    """True or False (also 1/0, yes/no, on/off); anything else raises."""
    value = text(name)
    if not value:
        return default
    if value.lower() not in _BOOLEANS:
        raise ImproperlyConfigured(f"{name} must be True or False, not {value!r}.")
    return _BOOLEANS[value.lower()]


def integer(name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    value = text(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}, not {value!r}.")
    return int(value)


def names(name: str) -> list[str]:
    """A comma-separated list."""
    return [part.strip() for part in text(name).split(",") if part.strip()]


def choice(name: str, default: str, *others: str) -> str:
    """One of the words."""
    value = text(name, default).lower() or default
    if value not in (default, *others):
        raise ImproperlyConfigured(f"{name} must be {', '.join(others)} or {default}, not {value!r}.")
    return value


def header(name: str) -> str:
    """The name of an HTTP header, or an empty string when unset."""
    value = text(name)
    if value and not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", value):
        raise ImproperlyConfigured(f"{name} must be the name of an HTTP header, not {value!r}.")
    return value


def url(name: str, *schemes: str) -> str:
    """An address with one of `schemes`, or an empty string when unset."""
    value = text(name)
    if value and urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must start with {' or '.join(s + '://' for s in schemes)}.")
    return value


_SMTP = {"smtp": (25, {}), "smtp+tls": (587, {"starttls": True}), "smtps": (465, {"tls": True})}


def smtp(name: str) -> dict[str, Any]:
    """A mail server, `smtps://user:password@host:port` (smtp:// without, smtp+tls:// with STARTTLS), taken apart:
    host, port, user, password, and starttls or tls. Empty when unset."""
    value = url(name, *_SMTP)
    if not value:
        return {}
    parts = urlsplit(value)
    port, how = _SMTP[parts.scheme]
    try:
        port = parts.port or port
    except ValueError:
        raise ImproperlyConfigured(f"{name}: the port must be a number from 1 to 65535.") from None
    if not parts.hostname or parts.path.strip("/"):
        raise ImproperlyConfigured(f"{name} must be such as smtps://user:password@mail.example.com:465.")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return {"host": parts.hostname, "port": port, "user": user, "password": password, **how}
