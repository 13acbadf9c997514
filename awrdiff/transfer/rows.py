"""A kind of row that moves unchanged: one line each, under its id in the old place.

One declaration serves writing and reading. Rows are made without their models' clocks, so that times stay as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.transfer.errors import damage
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines
from awrdiff.transfer.values import Person, Value, id_of

_AT_ONCE = 50  # rows read from the database: one may be megabytes


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Declaration of a kind. `name`: first key of its lines; `of`: kinds of lines, further up, that its foreign keys
    refer to; `most` rows of the first of these. A row has one of those in `one_of`, all others, and perhaps those of
    `if_any`. `team`: lookup of the team. `new`: fields filled anew.

    `left_out`: fields that do not move, and why. `has_files`: bytes lie beside the lines.
    """

    name: str
    many: str
    model: type[models.Model]
    of: Mapping[str, str]
    team: str
    most: int
    values: Mapping[str, Value]
    one_of: tuple[str, ...] = ()
    if_any: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    order: tuple[str, ...] = ("pk",)
    has_files: bool = False

    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]:
        """Lines, without rows that refer to what is not in the file."""
        rows = self.model._default_manager.filter(**{self.team: team}).order_by(*self.order)
        for row in rows.select_related(*self._people()).iterator(chunk_size=_AT_ONCE):
            if all(lines.has(self.of[name], pk) for name, pk in self._of(row).items()):
                lines.add(self.name, row.pk)
                yield self.document(row)

    def document(self, row: Any) -> dict[str, Any]:
        of = {name: str(pk) for name, pk in self._of(row).items()}
        of |= {name: str(pk) for name in self.if_any if (pk := getattr(row, f"{name}_id")) is not None}
        return {self.name: str(row.pk), **of, **{k: v.dump(getattr(row, k)) for k, v in self.values.items()}}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Raises NotImported."""
        of = [name for name in self.of if name not in self.one_of or name in document]
        if self.one_of and len(set(of) & set(self.one_of)) != 1:
            raise damage(f"a line ({self.name}) does not belong to one of {', '.join(self.one_of)}")
        of += [name for name in self.if_any if name in document]
        ids = {name: id_of(document.get(name), name) for name in (self.name, *of)}
        return ids | {name: value.read(document.get(name), name) for name, value in self.values.items()}

    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None:
        """Check it against the lines before it. Raises NotImported."""
        of = {name: values[name] for name in self.of if name in values}
        for name, own in of.items():
            lines.refer(self.name, self.of[name], own)
        lines.count(self.name, next((f"{name} {own}" for name, own in of.items()), ""), self.most, self.many)
        lines.add(self.name, values[self.name])
        lines.name(values[name] for name in self._people())

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        """The row, or None where it is left out."""
        of = {f"{name}_id": making.ids[kind].get(values[name]) for name, kind in self.of.items() if name in values}
        people = {f"{name}_id": making.people.get(values[name]) for name in self._people()}
        if None in of.values():
            making.without[self.many] += 1
        elif any(people[f"{name}_id"] is None for name, person in self._people().items() if person.needed):
            making.of_nobody[self.many] += 1
        else:
            optional = {f"{name}_id": making.ids[kind].get(values.get(name, "")) for name, kind in self.if_any.items()}
            return self._create(values, of | optional | people, making)
        return None

    def _create(self, values: Mapping[str, Any], ids: dict[str, Any], making: ImportedRows) -> Any:
        plain = {name: values[name] for name in self.values if f"{name}_id" not in ids}
        row = self.model(**plain, **ids, **{name: make() for name, make in self.new.items()})
        if self.team == "team":
            row.team_id = making.access.team.pk  # type: ignore[attr-defined]
        if not all(making.takes(key) for key in _once(row)):
            making.doubles[self.many] += 1
            return None
        row.save_base(raw=True, force_insert=True)
        making.add(self.name, values[self.name], row.pk)
        making.counts[self.many] += 1
        return row

    def _of(self, row: Any) -> dict[str, Any]:
        """Foreign keys of the row; of those in `one_of` the one it has."""
        keys = {name: getattr(row, f"{name}_id") for name in self.of}
        return {name: pk for name, pk in keys.items() if pk is not None or name not in self.one_of}

    def _people(self) -> dict[str, Person]:
        return {name: value for name, value in self.values.items() if isinstance(value, Person)}


def _once(row: models.Model) -> Iterator[tuple[object, ...]]:
    """Unique keys of the row, checked before the database would refuse them."""
    for constraint in row._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and _holds(constraint.condition, row):
            columns = {column.name: column.attname for column in row._meta.concrete_fields}
            values = tuple(getattr(row, columns[name]) for name in constraint.fields)
            if None not in values:
                yield constraint.name, *values
    for column in row._meta.concrete_fields:
        if column.unique and not column.primary_key:
            yield f"{row._meta.label}.{column.name}", getattr(row, column.attname)


def _holds(condition: models.Q | None, row: models.Model) -> bool:
    """Conditions of the models here are plain equalities."""
    wanted: dict[str, Any] = dict(condition.children) if condition else {}  # type: ignore[arg-type]
    return all(getattr(row, name) == value for name, value in wanted.items())
