"""Columns of a line, each declared once: a msgspec type, and what JSON cannot say.

Anything else, or more than a person could have typed, raises NotImported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import msgspec
from django.db import models
from django.utils import timezone
from msgspec import UNSET, Meta

from awrdiff.accounts.models import User
from awrdiff.comparisons.anchors import FINDING, LONGEST, LONGEST_TEXT, view_of
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import REVERSE
from awrdiff.incidents import field_validation
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.processing.storable_values import storable, storable_text
from awrdiff.whole_number_input import whole_number

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


def _only(fits: Callable[[Any], object], otherwise: str) -> Callable[[Any], Any]:
    """`clean` of a value that `fits`; `otherwise` ends the refusal."""

    def clean(raw: Any) -> Any:
        if not fits(raw):
            raise ValueError(otherwise)
        return storable(raw)

    return clean


def text(longest: int, *, empty: bool = True, clean: Callable[[str], Any] = storable_text) -> Value:
    string = Annotated[str, Meta(max_length=longest)]
    if empty:
        return Value(string, "is not a text, or too long", "", clean)
    return Value(string | None, "is not a text, or too long", clean=_only(lambda raw: raw and raw.strip(), "is empty"))


_NO_NUMBER = "is not a number, or out of range"


def number(most: int = _INTEGER, least: int = 0, *, optional: bool = False) -> Value:
    return Value(Annotated[int, Meta(ge=least, le=most)], _NO_NUMBER, None if optional else UNSET)


def choice(*of: str | int) -> Value:
    return Value(Literal[of], f"must be one of {', '.join(map(str, of))}")


def _time(moment: datetime, *, is_past: bool) -> datetime:
    if not field_validation.YEARS[0] <= moment.year <= field_validation.YEARS[1]:
        raise ValueError(f"lies outside the years {field_validation.YEARS[0]} to {field_validation.YEARS[1]}")
    return min(moment, timezone.now()) if is_past else moment


def _moment(absent: Any, *, is_past: bool) -> Value:
    return Value(
        Annotated[datetime, Meta(tz=True)],
        "is not a time, or has no time zone",
        absent,
        clean=partial(_time, is_past=is_past),
        dump=lambda moment: moment.astimezone(UTC).isoformat() if moment else None,
    )


MOMENT, MOMENT_OR_NONE = _moment(UNSET, is_past=True), _moment(None, is_past=True)
TYPED, TYPED_OR_NONE = _moment(UNSET, is_past=False), _moment(None, is_past=False)  # they may lie ahead


def _flag(absent: bool | None) -> Value:  # noqa: FBT001
    return Value(bool, "is neither true nor false", absent)


FLAG, FLAG_OR_NONE = _flag(absent=False), _flag(absent=None)


_PERSON_NAME = Annotated[str, Meta(max_length=LONGEST_PERSON)]
PERSON = replace(text(LONGEST_PERSON), dump=lambda person: person.get_username() if person else "")


def names(most: int) -> Value:
    some = Annotated[list[_PERSON_NAME], Meta(max_length=most)]
    return Value(some, "is not a list of names, or too long", clean=storable)


DAY = Value(
    Annotated[str, Meta(max_length=10)],
    "is not a day",
    None,
    field_validation.day,
    lambda day: day.isoformat() if day else "",
)
ZONE = replace(text(64, clean=field_validation.zone), absent=UNSET)


def _address(typed: str, *, rule: Callable[[str], str]) -> str:
    try:
        return rule(storable_text(typed))
    except IncidentRefused:
        if typed.lower().startswith(("https://", "http://")):
            return ""  # taken once, when less was asked of it: the team moves without it
        raise


ADDRESS = text(500, clean=partial(_address, rule=field_validation.link))  # http or https, or none
TICKET = text(500, clean=partial(_address, rule=field_validation.ticket))  # or a reference


ANCHOR = text(LONGEST)  # a place in a comparison; it may match nothing
_names_finding = _only(lambda anchor: anchor.startswith(FINDING), "names no finding")
FINDING_ANCHOR = replace(text(LONGEST, clean=_names_finding), absent=UNSET)
# Several reports as the baseline of another (comparisons/anchors.py), or none.
VIEW = text(120, clean=_only(lambda view: not view or view_of(view) is not None, "is not a view of several reports"))
_is_pair = _only(lambda pair: not MOST_REPORTS <= pair < REVERSE, _NO_NUMBER)
PAIR = Value(Annotated[int, Meta(ge=0, lt=REVERSE + MOST_REPORTS)], _NO_NUMBER, clean=_is_pair)
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
    values = {}
    for name in columns.split():
        match field := model._meta.get_field(name):
            case models.Field() if field.choices:
                values[name] = choice(*(key for key, _ in field.choices))
            case models.ForeignKey() if is_person(field):
                values[name] = PERSON
            case models.DateTimeField():
                values[name] = MOMENT_OR_NONE if field.null else MOMENT
            case models.BooleanField():
                values[name] = FLAG_OR_NONE if field.null else FLAG
            case models.IntegerField():
                values[name] = number(optional=field.null)
            case models.CharField():
                values[name] = text(field.max_length or 0)
            case _:
                raise TypeError(f"{field} does not say enough: give its value")
    return values | special


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
