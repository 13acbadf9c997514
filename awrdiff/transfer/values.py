"""The values of a document: each is declared once, and written and read by what it is declared to be.

Reading trusts nothing: what is no such value, or more than a person here could have typed, raises NotImported.
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
    """`name` is only for the sentence of a refusal."""

    def written(self, value: Any) -> Any: ...
    def read(self, found: Any, name: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Text:
    longest: int
    empty: bool = True

    def written(self, value: str) -> str:
        return value

    def read(self, found: Any, name: str) -> str:
        text = "" if found is None else found
        if not isinstance(text, str) or len(text) > self.longest:
            raise damage(f"“{name}” is not a text, or too long")
        if not self.empty and not text.strip():
            raise damage(f"“{name}” is empty")
        return storable_text(text)


@dataclass(frozen=True, slots=True)
class Person(Text):
    """The name somebody signs in with. `needed`: nothing is made without a person of the name here."""

    longest: int = LONGEST_PERSON
    needed: bool = False

    def written(self, value: Any) -> str:
        return str(value.get_username()) if value else ""


@dataclass(frozen=True, slots=True)
class Number:
    most: int = _INTEGER
    least: int = 0
    optional: bool = False

    def written(self, value: int | None) -> int | None:
        return value

    def read(self, found: Any, name: str) -> int | None:
        if found is None and self.optional:
            return None
        if not isinstance(found, int) or isinstance(found, bool) or not self.least <= found <= self.most:
            raise damage(f"“{name}” is not a number, or out of range")
        return found


@dataclass(frozen=True, slots=True)
class Flag:
    """`optional`: it may be neither."""

    optional: bool = False

    def written(self, value: bool | None) -> bool | None:  # noqa: FBT001
        return value

    def read(self, found: Any, name: str) -> bool | None:
        return None if self.optional and not isinstance(found, bool) else found is True


@dataclass(frozen=True, slots=True)
class Choice:
    of: type[models.Choices]

    def written(self, value: Any) -> Any:
        return value

    def read(self, found: Any, name: str) -> Any:
        if isinstance(found, bool) or not isinstance(found, str | int) or found not in self.of.values:
            raise damage(f"“{name}” must be one of {', '.join(map(str, self.of.values))}")
        return found


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened. `made`: when a row was, which is never later than now."""

    optional: bool = False
    made: bool = True

    def written(self, value: datetime | None) -> str | None:
        return value.astimezone(UTC).isoformat() if value else None

    def read(self, found: Any, name: str) -> datetime | None:
        if found is None and self.optional:
            return None
        try:
            moment = datetime.fromisoformat(found if len(found) <= 40 else "")
        except (TypeError, ValueError):
            raise damage(f"“{name}” is not a time") from None
        if moment.tzinfo is None or not 1980 <= moment.year <= 2200:
            raise damage(f"“{name}” has no time zone, or lies outside the years 1980 to 2200")
        return min(moment, timezone.now()) if self.made else moment


@dataclass(frozen=True, slots=True)
class Day:
    def written(self, value: date | None) -> str:
        return value.isoformat() if value else ""

    def read(self, found: Any, name: str) -> date | None:
        day: date | None = _as_typed(fields.day, Text(10).read(found, name))
        return day


@dataclass(frozen=True, slots=True)
class Zone(Text):
    longest: int = 64

    def read(self, found: Any, name: str) -> str:
        return str(_as_typed(fields.zone, Text.read(self, found, name)))


@dataclass(frozen=True, slots=True)
class Address(Text):
    """Elsewhere, by http or https, or none; `reference`: one of a ticket too."""

    longest: int = 500
    reference: bool = False

    def read(self, found: Any, name: str) -> str:
        text = Text.read(self, found, name)
        try:
            return fields.ticket(text) if self.reference else fields.link(text)
        except IncidentRefused as refusal:
            if text.lower().startswith(("https://", "http://")):
                return ""  # taken once, when less was asked of it: the team moves without it
            raise damage(str(refusal).rstrip(".")) from refusal


@dataclass(frozen=True, slots=True)
class Anchor(Text):
    """Of a place in a comparison. It may match nothing: that is for whoever shows it."""

    longest: int = LONGEST
    finding: bool = False

    def read(self, found: Any, name: str) -> str:
        anchor = Text.read(self, found, name)
        if self.finding and not anchor.startswith(FINDING):
            raise damage(f"“{name}” names no finding")
        return anchor


@dataclass(frozen=True, slots=True)
class View(Text):
    """Several reports of a comparison as the baseline of another (comparisons/baseline_anchors.py), or none."""

    longest: int = 120

    def read(self, found: Any, name: str) -> str:
        view = Text.read(self, found, name)
        if view and view_of(view) is None:
            raise damage(f"“{name}” is not a view of several reports")
        return view


@dataclass(frozen=True, slots=True)
class Figures:
    """Pairs of a label and a text."""

    def written(self, value: Any) -> Any:
        return value

    def read(self, found: Any, name: str) -> list[list[str]]:
        if not isinstance(found, list) or len(found) > MOST_FIGURES or not all(map(_is_figure, found)):
            raise damage(f"“{name}” holds something that is not a figure")
        return [[storable_text(text) for text in one] for one in found]


def _is_figure(one: Any) -> bool:
    pair = isinstance(one, list) and len(one) == 2
    return pair and all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in one)


@dataclass(frozen=True, slots=True)
class Names:
    """Of people, as they were found in a text."""

    most: int

    def written(self, value: Any) -> Any:
        return value

    def read(self, found: Any, name: str) -> list[str]:
        if not isinstance(found, list) or len(found) > self.most:
            raise damage(f"“{name}” is not a list of names, or too long")
        return [Text(LONGEST_PERSON).read(one, name) for one in found]


@dataclass(frozen=True, slots=True)
class Changes:
    """By field, its text before and after."""

    longest: int
    most: int = 20

    def written(self, value: Any) -> Any:
        return value

    def read(self, found: Any, name: str) -> dict[str, list[str]]:
        if not isinstance(found, dict) or len(found) > self.most:
            raise damage(f"“{name}” holds no changes, or too many")
        made = {}
        for field, texts in found.items():
            if not isinstance(texts, list) or len(texts) != 2:
                raise damage(f"“{name}” holds something that is not a change")
            made[Text(60).read(field, name)] = [Text(self.longest).read(text, name) for text in texts]
        return made


@dataclass(frozen=True, slots=True)
class Outside:
    """Whether it came from somebody who held a link. The id of their browser stays where the link is: a new one stands
    for it."""

    def written(self, value: UUID | None) -> bool:
        return value is not None

    def read(self, found: Any, name: str) -> UUID | None:
        return uuid4() if found is True else None


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


def id_of(found: Any, name: str) -> str:
    """Of a row in the file: a UUID or a number."""
    if isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) <= 19:
        return found
    return uuid_of(found, name)


def uuid_of(found: Any, name: str) -> str:
    try:
        return str(UUID(found))
    except (ValueError, AttributeError, TypeError):
        raise damage(f"“{name}” is not an id") from None


def _as_typed(taken: Any, text: str) -> Any:
    """By the rules for what people type."""
    try:
        return taken(text)
    except IncidentRefused as refusal:
        raise damage(str(refusal).rstrip(".")) from refusal
