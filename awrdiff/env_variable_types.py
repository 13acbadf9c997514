"""Kinds of environment variables, read strictly: nonsense stops the start."""

from __future__ import annotations

import os
import re
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from msgspec import Struct

from awrdiff.whole_number_input import whole_number

T = TypeVar("T")
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_FILE = "_FILE"


class Variable(Struct, Generic[T], frozen=True, kw_only=True):
    """A secret may be in the file that `<name>_FILE` names."""

    name: str
    default: T
    means: str  # in Markdown, as docs/reference/settings.md has it
    unset: str = ""  # the meaning of its absence, as far as the default does not say it
    is_secret: bool = False

    def setting(self) -> tuple[str, str]:
        """Stripped value, "" if unset; and `environment` or its file. Raises ImproperlyConfigured if set twice."""
        value = os.environ.get(self.name, "").strip()
        path = os.environ.get(self.name + _FILE, "").strip() if self.is_secret else ""
        if not path:
            return value, "environment"
        if value:
            raise ImproperlyConfigured(f"{self.name} and {self.name}{_FILE} are both set: one of them says it.")
        try:
            return Path(path).read_text(encoding="utf-8").strip(), path
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no text"
            raise ImproperlyConfigured(f"{self.name}{_FILE}: {path} cannot be read: {why}.") from None

    def read(self, default: T | None = None) -> T:
        """Raises ImproperlyConfigured."""
        value, _ = self.setting()
        return self.parsed(value) if value else self.default if default is None else default

    def parsed(self, value: str) -> T:
        raise NotImplementedError

    @property
    def names(self) -> list[str]:
        return [self.name, self.name + _FILE] if self.is_secret else [self.name]

    def refusal(self, wanted: str, value: str) -> ImproperlyConfigured:
        text = "what is given" if self.is_secret else repr(value)
        return ImproperlyConfigured(f"{self.name} must {wanted}, not {text}.")


class Text(Variable[str], frozen=True, kw_only=True):
    """`wanted` ends the refusal."""

    default: str = ""
    pattern: str = ".*"
    wanted: str = "be one line"

    def parsed(self, value: str) -> str:
        if not re.fullmatch(self.pattern, value, re.DOTALL):
            raise self.refusal(self.wanted, value)
        return value


class Boolean(Variable[bool], frozen=True, kw_only=True):
    """True or False (1/0, yes/no, on/off)."""

    default: bool = False

    def parsed(self, value: str) -> bool:
        if value.lower() not in _BOOLEANS:
            raise self.refusal("be True or False", value)
        return _BOOLEANS[value.lower()]


class Integer(Variable[int], frozen=True, kw_only=True):
    low: int
    high: int

    def parsed(self, value: str) -> int:
        if (number := whole_number(value, self.high, self.low)) is None:
            raise self.refusal(f"be a whole number from {self.low} to {self.high}", value)
        return number


class Names(Variable[tuple[str, ...]], frozen=True, kw_only=True):
    """Comma-separated list."""

    default: tuple[str, ...] = ()

    def parsed(self, value: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in value.split(",") if part.strip())


class Place(NamedTuple):
    group: str
    team: str
    role: str


class Places(Variable[tuple[Place, ...]], frozen=True, kw_only=True):
    """Semicolon list of `group=team:role`; groups may hold `=`, teams colons."""

    default: tuple[Place, ...] = ()
    roles: tuple[str, ...]
    longest: int  # name of a team

    def parsed(self, value: str) -> tuple[Place, ...]:
        places: dict[tuple[str, str], Place] = {}
        for part in filter(None, map(str.strip, value.split(";"))):
            mapping, _, role = part.rpartition(":")
            group, _, team = mapping.rpartition("=")
            place = Place(group.strip(), " ".join(team.split()), role.strip().lower())
            if not all(place) or len(place.team) > self.longest or place.role not in self.roles:
                wanted = f"have group=team:role between semicolons, the role being {' or '.join(self.roles)}"
                raise self.refusal(wanted, part)
            if places.setdefault(place[:2], place) != place:
                raise ImproperlyConfigured(f"{self.name} gives {place.group!r} two roles on the team {place.team!r}.")
        return tuple(places.values())


class Choice(Variable[str], frozen=True, kw_only=True):
    beside: tuple[str, ...]  # the default

    def parsed(self, value: str) -> str:
        if value.lower() not in (self.default, *self.beside):
            raise self.refusal(f"be {', '.join(self.beside)} or {self.default}", value)
        return value.lower()


class Header(Text, frozen=True, kw_only=True):
    pattern: str = "[A-Za-z][A-Za-z0-9-]*"
    wanted: str = "be the name of an HTTP header"


class Token(Text, frozen=True, kw_only=True):
    """Proof of a machine: nothing soon guessed."""

    is_secret: bool = True
    shortest: int = 16

    def parsed(self, value: str) -> str:
        if len(value) < self.shortest or not value.isascii() or not value.isprintable() or " " in value:
            raise self.refusal(f"have {self.shortest} characters or more, no spaces", value)
        return value


class Url(Text, frozen=True, kw_only=True):
    schemes: tuple[str, ...]

    def parsed(self, value: str) -> str:
        if urlsplit(value).scheme not in self.schemes:
            schemes = " or ".join(f"{scheme}://" for scheme in self.schemes)
            raise ImproperlyConfigured(f"{self.name} must start with {schemes}.")
        return value


class Below(Text, frozen=True, kw_only=True):
    """Path prefix without final slash; "" for none."""

    def parsed(self, value: str) -> str:
        path = value.strip("/")
        if not re.fullmatch(r"(?:[A-Za-z0-9_~][A-Za-z0-9._~-]*/?)*", path) or "//" in value:
            raise self.refusal("be a path of letters, digits, . _ ~ and -, such as /awr", value)
        return path and f"/{path}"


class Directory(Url, frozen=True, kw_only=True):
    """`ldaps://host:port`; ldap+tls:// for StartTLS, ldap:// on this machine only."""

    schemes: tuple[str, ...] = ("ldaps", "ldap+tls", "ldap")

    def parsed(self, value: str) -> str:
        parts = urlsplit(super().parsed(value))
        try:
            port = parts.port
        except ValueError:
            port = 0
        if not parts.hostname or port == 0 or value.rstrip("/") != f"{parts.scheme}://{parts.netloc}" or "@" in value:
            raise self.refusal("be such as ldaps://ldap.example.com", value)
        if parts.scheme == "ldap" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise self.refusal("start with ldaps:// or ldap+tls://, or passwords could be read on their way", value)
        return value.rstrip("/")


_PART = r"[A-Za-z][A-Za-z0-9.-]*\s*=(?:[^,\\]|\\.)+"


class EntryName(Text, frozen=True, kw_only=True):
    """Directory entry: `ou=people,dc=example,dc=com`."""

    pattern: str = rf"{_PART}(?:,\s*{_PART})*"
    wanted: str = "be such as ou=people,dc=example,dc=com"


class Filter(Text, frozen=True, kw_only=True):
    """LDAP filter with `%(user)s` for the typed name."""

    def parsed(self, value: str) -> str:
        plain = value.replace("%(user)s", "x")
        depths = list(accumulate((sign == "(") - (sign == ")") for sign in plain))
        whole = plain[0] == "(" and depths[-1] == 0 and 0 not in depths[:-1] and min(depths) == 0
        if not whole or not self.attributes(value) or "%" in plain:
            raise self.refusal("be one filter that has (attribute=%(user)s) in it", value)
        return value

    @staticmethod
    def attributes(value: str) -> list[str]:
        return [name.lower() for name in re.findall(r"\(([A-Za-z][A-Za-z0-9;.-]*)=%\(user\)s\)", value)]


_SMTP: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"starttls": True}),
    "smtps": (465, {"tls": True}),
}


class Smtp(Url, frozen=True, kw_only=True):
    """`smtps://user:password@host:port` (smtp:// without, smtp+tls:// with STARTTLS)."""

    schemes: tuple[str, ...] = tuple(_SMTP)

    def server(self) -> dict[str, Any]:
        """Host, port, user, password, starttls or tls; empty if unset."""
        value = self.read()
        if not value:
            return {}
        parts = urlsplit(value)
        port, how = _SMTP[parts.scheme]
        try:
            port = parts.port or port
        except ValueError:
            raise ImproperlyConfigured(f"{self.name}: the port must be a number from 1 to 65535.") from None
        if not parts.hostname or parts.path.strip("/"):
            raise ImproperlyConfigured(f"{self.name} must be such as smtps://user:password@mail.example.com:465.")
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return {"host": parts.hostname, "port": port, "user": user, "password": password, **how}
