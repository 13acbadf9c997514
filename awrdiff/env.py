"""Kinds of environment variables, read strictly: nonsense stops the start instead of meaning something else.

Which variables there are: `awrdiff/variables.py`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_FILE = "_FILE"


class Given(NamedTuple):
    """What stands in the environment, stripped; empty where nothing does."""

    value: str
    source: str  # "environment", or the file that it was read from


@dataclass(frozen=True, kw_only=True)
class Variable(Generic[T]):
    """A variable of the environment; a secret one may also stand in the file that `<name>_FILE` names."""

    name: str
    default: T
    means: str  # in Markdown, as docs/reference/settings.md has it
    unset: str = ""  # what holds where it is not given, as far as the default does not say it
    is_secret: bool = False

    def given(self) -> Given:
        """Raises ImproperlyConfigured where two places have it, or its file cannot be read."""
        value = os.environ.get(self.name, "").strip()
        path = os.environ.get(self.name + _FILE, "").strip() if self.is_secret else ""
        if not path:
            return Given(value, "environment")
        if value:
            raise ImproperlyConfigured(f"{self.name} and {self.name}{_FILE} are both set: one of them says it.")
        try:
            return Given(Path(path).read_text(encoding="utf-8").strip(), path)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no text"
            raise ImproperlyConfigured(f"{self.name}{_FILE}: {path} cannot be read: {why}.") from None

    def read(self, default: T | None = None) -> T:
        """Raises ImproperlyConfigured for a value that is none. A default given here stands for the declared one."""
        value = self.given().value
        return self.parsed(value) if value else self.default if default is None else default

    def parsed(self, value: str) -> T:
        raise NotImplementedError

    @property
    def names(self) -> list[str]:
        return [self.name, self.name + _FILE] if self.is_secret else [self.name]

    def refusal(self, wanted: str, value: str) -> ImproperlyConfigured:
        shown = "what is given" if self.is_secret else repr(value)
        return ImproperlyConfigured(f"{self.name} must {wanted}, not {shown}.")


@dataclass(frozen=True, kw_only=True)
class Text(Variable[str]):
    default: str = ""

    def parsed(self, value: str) -> str:
        return value


@dataclass(frozen=True, kw_only=True)
class Boolean(Variable[bool]):
    """True or False (also 1/0, yes/no, on/off)."""

    default: bool = False

    def parsed(self, value: str) -> bool:
        if value.lower() not in _BOOLEANS:
            raise self.refusal("be True or False", value)
        return _BOOLEANS[value.lower()]


@dataclass(frozen=True, kw_only=True)
class Integer(Variable[int]):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def parsed(self, value: str) -> int:
        if not value.isascii() or not value.isdigit() or not self.low <= int(value) <= self.high:
            raise self.refusal(f"be a whole number from {self.low} to {self.high}", value)
        return int(value)


@dataclass(frozen=True, kw_only=True)
class Names(Variable[tuple[str, ...]]):
    """A comma-separated list."""

    default: tuple[str, ...] = ()

    def parsed(self, value: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in value.split(",") if part.strip())


class Place(NamedTuple):
    """Whoever is of the `group` is this on the team."""

    group: str
    team: str
    role: str


@dataclass(frozen=True, kw_only=True)
class Places(Variable[tuple[Place, ...]]):
    """A list of `group=team:role` between semicolons: a group may be named `cn=dba,ou=people`, and a team have a colon
    in its name."""

    default: tuple[Place, ...] = ()
    roles: tuple[str, ...]
    longest: int  # name of a team

    def parsed(self, value: str) -> tuple[Place, ...]:
        found: dict[tuple[str, str], Place] = {}
        for part in filter(None, map(str.strip, value.split(";"))):
            one = self._place(part)
            if found.setdefault(one[:2], one) != one:
                raise ImproperlyConfigured(f"{self.name} gives {one.group!r} two roles on the team {one.team!r}.")
        return tuple(found.values())

    def _place(self, part: str) -> Place:
        left, _, role = part.rpartition(":")
        group, _, team = left.rpartition("=")
        one = Place(group.strip(), " ".join(team.split()), role.strip().lower())
        if not all(one) or len(one.team) > self.longest or one.role not in self.roles:
            wanted = f"have group=team:role between semicolons, the role being {' or '.join(self.roles)}"
            raise self.refusal(wanted, part)
        return one


@dataclass(frozen=True, kw_only=True)
class Choice(Variable[str]):
    others: tuple[str, ...]

    def parsed(self, value: str) -> str:
        if value.lower() not in (self.default, *self.others):
            raise self.refusal(f"be {', '.join(self.others)} or {self.default}", value)
        return value.lower()


@dataclass(frozen=True, kw_only=True)
class Header(Text):
    """The name of an HTTP header."""

    def parsed(self, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", value):
            raise self.refusal("be the name of an HTTP header", value)
        return value


@dataclass(frozen=True, kw_only=True)
class Token(Text):
    """What a machine proves itself by: nothing that is soon guessed."""

    is_secret: bool = True
    shortest: int = 16

    def parsed(self, value: str) -> str:
        if len(value) < self.shortest or not value.isascii() or not value.isprintable() or " " in value:
            raise self.refusal(f"have {self.shortest} characters or more, no spaces", value)
        return value


@dataclass(frozen=True, kw_only=True)
class Url(Text):
    """An address with one of `schemes`."""

    schemes: tuple[str, ...]

    def parsed(self, value: str) -> str:
        if urlsplit(value).scheme not in self.schemes:
            schemes = " or ".join(f"{one}://" for one in self.schemes)
            raise ImproperlyConfigured(f"{self.name} must start with {schemes}.")
        return value


@dataclass(frozen=True, kw_only=True)
class Below(Text):
    """A path that all addresses begin with, without a slash at its end; "" where they begin with none."""

    def parsed(self, value: str) -> str:
        path = value.strip("/")
        if not re.fullmatch(r"(?:[A-Za-z0-9_~][A-Za-z0-9._~-]*/?)*", path) or "//" in value:
            raise self.refusal("be a path of letters, digits, . _ ~ and -, such as /awr", value)
        return path and f"/{path}"


@dataclass(frozen=True, kw_only=True)
class Directory(Url):
    """A directory, `ldaps://host:port` (ldap+tls:// with StartTLS; ldap:// without, on this machine only)."""

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


@dataclass(frozen=True, kw_only=True)
class EntryName(Text):
    """Below which entry of a directory something is: `ou=people,dc=example,dc=com`."""

    def parsed(self, value: str) -> str:
        part = r"[A-Za-z][A-Za-z0-9.-]*\s*=(?:[^,\\]|\\.)+"
        if not re.fullmatch(rf"{part}(?:,\s*{part})*", value):
            raise self.refusal("be such as ou=people,dc=example,dc=com", value)
        return value


@dataclass(frozen=True, kw_only=True)
class Filter(Text):
    """A filter of a directory that finds somebody by the name that they type, which stands for `%(user)s`."""

    def parsed(self, value: str) -> str:
        plain = value.replace("%(user)s", "x")
        depths = list(accumulate((sign == "(") - (sign == ")") for sign in plain))
        whole = plain[0] == "(" and depths[-1] == 0 and 0 not in depths[:-1] and min(depths) == 0
        if not whole or not self.attributes(value) or "%" in plain:
            raise self.refusal("be one filter that has (attribute=%(user)s) in it", value)
        return value

    @staticmethod
    def attributes(value: str) -> list[str]:
        """In which it looks for the name, in small letters."""
        return [name.lower() for name in re.findall(r"\(([A-Za-z][A-Za-z0-9;.-]*)=%\(user\)s\)", value)]


_SMTP: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"starttls": True}),
    "smtps": (465, {"tls": True}),
}


@dataclass(frozen=True, kw_only=True)
class Smtp(Url):
    """A mail server, `smtps://user:password@host:port` (smtp:// without, smtp+tls:// with STARTTLS)."""

    schemes: tuple[str, ...] = tuple(_SMTP)

    def server(self) -> dict[str, Any]:
        """Taken apart: host, port, user, password, and starttls or tls. Empty when unset."""
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
