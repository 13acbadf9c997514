"""Columns of a line, each declared once: a msgspec type, and what JSON cannot say.

Anything else, or more than a person could have typed, raises NotImported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import msgspec
from django.db import models
from django.utils import timezone
from msgspec import UNSET, Meta

from awrdiff.accounts.models import User
from awrdiff.comparisons.anchors import FINDING, LONGEST, LONGEST_TEXT
from awrdiff.comparisons.baseline_anchors import view_of
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.pairs import TURNED
from awrdiff.incidents import fields
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.numbers import whole_number
from awrdiff.processing.storable import storable, storable_text

LONGEST_PERSON = 150
MOST_FIGURES = 50
_INTEGER, _HIGHEST_ID = 2**31 - 1, 2**63 - 1


class NotImported(ValueError):
    """No export, damaged, or over a limit; says which."""


def damage(what: str) -> NotImported:
    return NotImported(f"The file is damaged: {what}.")


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Value:
    """`type` in the file; `wrong` ends a refusal. `absent` stands for null.

    `clean` makes the row's value or raises ValueError with the sentence's end; `dump` is its inverse.
    """

    type: Any
    wrong: str
    absent: Any = UNSET
    clean: Callable[[Any], Any] = _unchanged
    dump: Callable[[Any], Any] = _unchanged

    def read(self, raw: Any, name: str) -> Any:
        """Raises NotImported."""
        if raw is None and self.absent is not UNSET:
            return self.absent
        try:
            return self.clean(msgspec.convert(raw, self.type))
        except msgspec.ValidationError:
            raise damage(f"“{name}” {self.wrong}") from None
        except IncidentRefused as refusal:
            raise damage(str(refusal).rstrip(".")) from refusal
        except ValueError as error:
            raise error if isinstance(error, NotImported) else damage(f"“{name}” {error}") from error


def text(longest: int, *, empty: bool = True, clean: Callable[[str], Any] = storable_text) -> Value:
    string = Annotated[str, Meta(max_length=longest)]
    if empty:
        return Value(string, "is not a text, or too long", "", clean)
    return Value(string | None, "is not a text, or too long", clean=_filled)


def _filled(raw: str | None) -> str:
    if not (raw or "").strip():
        raise ValueError("is empty")
    return storable_text(raw or "")


def number(most: int = _INTEGER, least: int = 0, *, optional: bool = False) -> Value:
    within, absent = Annotated[int, Meta(ge=least, le=most)], None if optional else UNSET
    return Value(within, "is not a number, or out of range", absent)


_NO_PAIR = "is not a number, or out of range"


def _pair(pair: int) -> int:
    if MOST_REPORTS <= pair < TURNED:
        raise ValueError(_NO_PAIR)
    return pair


def choice(*of: str | int) -> Value:
    return Value(Literal[of], f"must be one of {', '.join(map(str, of))}")


def _time(moment: datetime, *, is_past: bool) -> datetime:
    if not fields.YEARS[0] <= moment.year <= fields.YEARS[1]:
        raise ValueError(f"lies outside the years {fields.YEARS[0]} to {fields.YEARS[1]}")
    return min(moment, timezone.now()) if is_past else moment


def _time_text(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _moment(absent: Any, *, is_past: bool) -> Value:
    zoned, wrong = Annotated[datetime, Meta(tz=True)], "is not a time, or has no time zone"
    return Value(zoned, wrong, absent, partial(_time, is_past=is_past), _time_text)


MOMENT, MOMENT_OR_NONE = _moment(UNSET, is_past=True), _moment(None, is_past=True)
TYPED, TYPED_OR_NONE = _moment(UNSET, is_past=False), _moment(None, is_past=False)  # they may lie ahead


def _flag(absent: bool | None) -> Value:  # noqa: FBT001
    return Value(bool, "is neither true nor false", absent)


FLAG, FLAG_OR_NONE = _flag(absent=False), _flag(absent=None)


def _name(person: User | None) -> str:
    return str(person.get_username()) if person else ""


_PERSON_NAME = Annotated[str, Meta(max_length=LONGEST_PERSON)]
PERSON = Value(_PERSON_NAME, "is not a text, or too long", "", storable_text, _name)


def names(most: int) -> Value:
    some = Annotated[list[_PERSON_NAME], Meta(max_length=most)]
    return Value(some, "is not a list of names, or too long", clean=storable)


def _day_text(day: date | None) -> str:
    return day.isoformat() if day else ""


DAY = Value(Annotated[str, Meta(max_length=10)], "is not a day", None, fields.day, _day_text)
ZONE = replace(text(64, clean=fields.zone), absent=UNSET)


def _address(typed: str, *, rule: Callable[[str], str]) -> str:
    try:
        return rule(storable_text(typed))
    except IncidentRefused:
        if typed.lower().startswith(("https://", "http://")):
            return ""  # taken once, when less was asked of it: the team moves without it
        raise


ADDRESS = text(500, clean=partial(_address, rule=fields.link))  # http or https, or none
TICKET = text(500, clean=partial(_address, rule=fields.ticket))  # or a reference


def _finding(anchor: str) -> str:
    if not anchor.startswith(FINDING):
        raise ValueError("names no finding")
    return storable_text(anchor)


def _view(view: str) -> str:
    if view and view_of(view) is None:
        raise ValueError("is not a view of several reports")
    return view


ANCHOR = text(LONGEST)  # a place in a comparison; it may match nothing
FINDING_ANCHOR = replace(text(LONGEST, clean=_finding), absent=UNSET)
VIEW = text(120, clean=_view)  # several reports as the baseline of another (comparisons/baseline_anchors.py), or none
PAIR = Value(Annotated[int, Meta(ge=0, lt=TURNED + MOST_REPORTS)], _NO_PAIR, clean=_pair)
_FIGURE = tuple[Annotated[str, Meta(max_length=LONGEST_TEXT)], Annotated[str, Meta(max_length=LONGEST_TEXT)]]
_FIGURES = Annotated[list[_FIGURE], Meta(max_length=MOST_FIGURES)]
# A place of a comparison, and what stood there.
STANDING: Mapping[str, Value] = {
    "anchor": ANCHOR,
    "pair": PAIR,
    "baseline": VIEW,
    "title": text(LONGEST_TEXT),
    "place": text(LONGEST_TEXT),
    "figures": Value(_FIGURES, "holds something that is not a figure", clean=storable),
}
# True for a link's guest. Their browser's id stays in the old place; a new one stands for it.
OUTSIDE = replace(FLAG_OR_NONE, clean=lambda is_guest: uuid4() if is_guest else None, dump=lambda pk: pk is not None)


def changes(longest: int, most: int = 20) -> Value:
    """Texts before and after, by field."""
    field, typed = Annotated[str, Meta(max_length=60)], Annotated[str, Meta(max_length=longest)]
    fields_changed = Annotated[dict[field, tuple[typed, typed]], Meta(max_length=most)]  # type: ignore[valid-type]
    return Value(fields_changed, "holds no changes, or too many, or something that is not a change", clean=storable)


def values_of(model: type[models.Model], columns: str = "", **special: Value) -> dict[str, Value]:
    """Types come from the model; `special` for the rest."""
    return {name: _value_of(model._meta.get_field(name)) for name in columns.split()} | special


def _value_of(field: Any) -> Value:
    if field.choices:
        return choice(*(key for key, _ in field.choices))
    if is_person(field):
        return PERSON
    if isinstance(field, models.DateTimeField):
        return MOMENT_OR_NONE if field.null else MOMENT
    if isinstance(field, models.BooleanField):
        return FLAG_OR_NONE if field.null else FLAG
    if isinstance(field, models.IntegerField):
        return number(optional=field.null)
    if isinstance(field, models.CharField):
        return text(field.max_length or 0)
    raise TypeError(f"{field} does not say enough: give its value")


def is_person(field: Any) -> bool:
    return isinstance(field, models.ForeignKey) and field.related_model is User


def id_of(raw: Any, name: str) -> str:
    """UUID or number in the file."""
    if isinstance(raw, str) and whole_number(raw, _HIGHEST_ID) is not None:
        return raw
    return uuid_of(raw, name)


def uuid_of(raw: Any, name: str) -> str:
    try:
        return str(UUID(raw))
    except (ValueError, AttributeError, TypeError):
        raise damage(f"“{name}” is not an id") from None
