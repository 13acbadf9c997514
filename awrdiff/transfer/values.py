"""Values of a document, each declared once for writing and reading.

Reading trusts nothing: anything else, or more than a person could have typed, raises NotImported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.db import models
from django.utils import timezone

from awrdiff.comparisons.anchors import FINDING, LONGEST, LONGEST_TEXT
from awrdiff.comparisons.baseline_anchors import view_of
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.incidents import fields
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.processing.storable import storable_text
from awrdiff.transfer.errors import damage

LONGEST_PERSON = 150
MOST_FIGURES = 50
_INTEGER = 2**31 - 1


class Value(Protocol):
    """`name` is for the refusal's sentence."""

    def dump(self, value: Any) -> Any: ...
    def read(self, raw: Any, name: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Text:
    longest: int
    empty: bool = True

    def dump(self, value: str) -> str:
        return value

    def read(self, raw: Any, name: str) -> str:
        text = "" if raw is None else raw
        if not isinstance(text, str) or len(text) > self.longest:
            raise damage(f"“{name}” is not a text, or too long")
        if not self.empty and not text.strip():
            raise damage(f"“{name}” is empty")
        return storable_text(text)


@dataclass(frozen=True, slots=True)
class Person(Text):
    """Sign-in name. `needed`: no row without a person of the name here."""

    longest: int = LONGEST_PERSON
    needed: bool = False

    def dump(self, value: Any) -> str:
        return str(value.get_username()) if value else ""


@dataclass(frozen=True, slots=True)
class Number:
    most: int = _INTEGER
    least: int = 0
    optional: bool = False

    def dump(self, value: int | None) -> int | None:
        return value

    def read(self, raw: Any, name: str) -> int | None:
        if raw is None and self.optional:
            return None
        if not isinstance(raw, int) or isinstance(raw, bool) or not self.least <= raw <= self.most:
            raise damage(f"“{name}” is not a number, or out of range")
        return raw


@dataclass(frozen=True, slots=True)
class Flag:
    """`optional`: may be neither."""

    optional: bool = False

    def dump(self, value: bool | None) -> bool | None:  # noqa: FBT001
        return value

    def read(self, raw: Any, name: str) -> bool | None:
        return None if self.optional and not isinstance(raw, bool) else raw is True


@dataclass(frozen=True, slots=True)
class Choice:
    of: type[models.Choices]

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> Any:
        if isinstance(raw, bool) or not isinstance(raw, str | int) or raw not in self.of.values:
            raise damage(f"“{name}” must be one of {', '.join(map(str, self.of.values))}")
        return raw


@dataclass(frozen=True, slots=True)
class Moment:
    """`is_past`: never later than now, such as the creation of a row."""

    optional: bool = False
    is_past: bool = True

    def dump(self, value: datetime | None) -> str | None:
        return value.astimezone(UTC).isoformat() if value else None

    def read(self, raw: Any, name: str) -> datetime | None:
        if raw is None and self.optional:
            return None
        try:
            moment = datetime.fromisoformat(raw if len(raw) <= 40 else "")
        except (TypeError, ValueError):
            raise damage(f"“{name}” is not a time") from None
        if moment.tzinfo is None or not 1980 <= moment.year <= 2200:
            raise damage(f"“{name}” has no time zone, or lies outside the years 1980 to 2200")
        return min(moment, timezone.now()) if self.is_past else moment


@dataclass(frozen=True, slots=True)
class Day:
    def dump(self, value: date | None) -> str:
        return value.isoformat() if value else ""

    def read(self, raw: Any, name: str) -> date | None:
        day: date | None = _as_typed(fields.day, Text(10).read(raw, name))
        return day


@dataclass(frozen=True, slots=True)
class Zone(Text):
    longest: int = 64

    def read(self, raw: Any, name: str) -> str:
        return str(_as_typed(fields.zone, Text.read(self, raw, name)))


@dataclass(frozen=True, slots=True)
class Address(Text):
    """http or https address, or none; `reference`: a ticket's too."""

    longest: int = 500
    reference: bool = False

    def read(self, raw: Any, name: str) -> str:
        text = Text.read(self, raw, name)
        try:
            return fields.ticket(text) if self.reference else fields.link(text)
        except IncidentRefused as refusal:
            if text.lower().startswith(("https://", "http://")):
                return ""  # taken once, when less was asked of it: the team moves without it
            raise damage(str(refusal).rstrip(".")) from refusal


@dataclass(frozen=True, slots=True)
class Anchor(Text):
    """Place in a comparison. It may match nothing."""

    longest: int = LONGEST
    finding: bool = False

    def read(self, raw: Any, name: str) -> str:
        anchor = Text.read(self, raw, name)
        if self.finding and not anchor.startswith(FINDING):
            raise damage(f"“{name}” names no finding")
        return anchor


@dataclass(frozen=True, slots=True)
class View(Text):
    """Several reports of a comparison as the baseline of another (comparisons/baseline_anchors.py), or none."""

    longest: int = 120

    def read(self, raw: Any, name: str) -> str:
        view = Text.read(self, raw, name)
        if view and view_of(view) is None:
            raise damage(f"“{name}” is not a view of several reports")
        return view


@dataclass(frozen=True, slots=True)
class Figures:
    """Pairs of a label and a text."""

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> list[list[str]]:
        if not isinstance(raw, list) or len(raw) > MOST_FIGURES or not all(map(_is_figure, raw)):
            raise damage(f"“{name}” holds something that is not a figure")
        return [[storable_text(text) for text in pair] for pair in raw]


def _is_figure(raw: Any) -> bool:
    is_pair = isinstance(raw, list) and len(raw) == 2
    return is_pair and all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in raw)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of people mentioned in a text."""

    most: int

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> list[str]:
        if not isinstance(raw, list) or len(raw) > self.most:
            raise damage(f"“{name}” is not a list of names, or too long")
        return [Text(LONGEST_PERSON).read(text, name) for text in raw]


@dataclass(frozen=True, slots=True)
class Changes:
    """Texts before and after, by field."""

    longest: int
    most: int = 20

    def dump(self, value: Any) -> Any:
        return value

    def read(self, raw: Any, name: str) -> dict[str, list[str]]:
        if not isinstance(raw, dict) or len(raw) > self.most:
            raise damage(f"“{name}” holds no changes, or too many")
        changes = {}
        for field, texts in raw.items():
            if not isinstance(texts, list) or len(texts) != 2:
                raise damage(f"“{name}” holds something that is not a change")
            changes[Text(60).read(field, name)] = [Text(self.longest).read(text, name) for text in texts]
        return changes


@dataclass(frozen=True, slots=True)
class Outside:
    """True for a link's guest. Their browser's id stays in the old place; a new one stands for it."""

    def dump(self, value: UUID | None) -> bool:
        return value is not None

    def read(self, raw: Any, name: str) -> UUID | None:
        return uuid4() if raw is True else None


PAIR = Number(MOST_REPORTS - 1)
# A place of a comparison, and what stood there.
STANDING: Mapping[str, Value] = {
    "anchor": Anchor(),
    "pair": PAIR,
    "swapped": Flag(),
    "title": Text(LONGEST_TEXT),
    "place": Text(LONGEST_TEXT),
    "figures": Figures(),
}


def id_of(raw: Any, name: str) -> str:
    """Id of a row in the file: a UUID or a number."""
    if isinstance(raw, str) and raw.isascii() and raw.isdecimal() and len(raw) <= 19:
        return raw
    return uuid_of(raw, name)


def uuid_of(raw: Any, name: str) -> str:
    try:
        return str(UUID(raw))
    except (ValueError, AttributeError, TypeError):
        raise damage(f"“{name}” is not an id") from None


def _as_typed(rule: Any, text: str) -> Any:
    """Apply a rule for typed text."""
    try:
        return rule(text)
    except IncidentRefused as refusal:
        raise damage(str(refusal).rstrip(".")) from refusal
