"""A kind of row that goes along as it is: one line each, under its id in the old place.

What is declared here is both written and read, so the two ways cannot differ. Rows are made without their models'
clocks, so that times stay what they were.
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
    """`name` is the first key of its lines; `of` says which kinds of lines, further up, its foreign keys mean. `most`
    there are of the first of these. Of those in `one_of` a row has one, of the others all; it may do without those of
    `if_any`. `team`: the way to the team in a query. `new`: what every row gets anew.

    `left_out` names the fields that do not go along, and why. `has_files`: what a line means lies beside the lines.
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

    def documents(self, team: Team, written: WrittenLines) -> Iterator[dict[str, Any]]:
        """Without those that hang on what is not in the file."""
        found = self.model._default_manager.filter(**{self.team: team}).order_by(*self.order)
        for row in found.select_related(*self._people()).iterator(chunk_size=_AT_ONCE):
            if all(written.has(self.of[name], pk) for name, pk in self._of(row).items()):
                written.add(self.name, row.pk)
                yield self.document(row)

    def document(self, row: Any) -> dict[str, Any]:
        of = {name: str(pk) for name, pk in self._of(row).items()}
        of |= {name: str(pk) for name in self.if_any if (pk := getattr(row, f"{name}_id")) is not None}
        return {self.name: str(row.pk), **of, **{k: v.written(getattr(row, k)) for k, v in self.values.items()}}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Raises NotImported."""
        of = [name for name in self.of if name not in self.one_of or name in document]
        if self.one_of and len(set(of) & set(self.one_of)) != 1:
            raise damage(f"a line ({self.name}) does not belong to one of {', '.join(self.one_of)}")
        of += [name for name in self.if_any if name in document]
        ids = {name: id_of(document.get(name), name) for name in (self.name, *of)}
        return ids | {name: value.read(document.get(name), name) for name, value in self.values.items()}

    def check(self, values: Mapping[str, Any], seen: LinesRead) -> None:
        """That it fits to the lines before it. Raises NotImported."""
        of = {name: values[name] for name in self.of if name in values}
        for name, own in of.items():
            seen.refer(self.name, self.of[name], own)
        seen.count(self.name, next((f"{name} {own}" for name, own in of.items()), ""), self.most, self.many)
        seen.add(self.name, values[self.name])
        seen.name(values[name] for name in self._people())

    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any:
        """The row; None of one that is left out."""
        of = {f"{name}_id": making.ids[kind].get(values[name]) for name, kind in self.of.items() if name in values}
        people = {f"{name}_id": making.people.get(values[name]) for name in self._people()}
        if None in of.values():
            making.without[self.many] += 1
        elif any(people[f"{name}_id"] is None for name, one in self._people().items() if one.needed):
            making.of_nobody[self.many] += 1
        else:
            others = {f"{name}_id": making.ids[kind].get(values.get(name, "")) for name, kind in self.if_any.items()}
            return self._made(values, of | others | people, making)
        return None

    def _made(self, values: Mapping[str, Any], ids: dict[str, Any], making: ImportedRows) -> Any:
        plain = {name: values[name] for name in self.values if f"{name}_id" not in ids}
        row = self.model(**plain, **ids, **{name: make() for name, make in self.new.items()})
        if self.team == "team":
            row.team_id = making.access.team.pk  # type: ignore[attr-defined]
        if not all(making.takes(key) for key in _once(row)):
            making.doubles[self.many] += 1
            return None
        row.save_base(raw=True, force_insert=True)
        making.add(self.name, values[self.name], row.pk)
        making.made[self.many] += 1
        return row

    def _of(self, row: Any) -> dict[str, Any]:
        """Its foreign keys; of those in `one_of` the one it has."""
        found = {name: getattr(row, f"{name}_id") for name in self.of}
        return {name: pk for name, pk in found.items() if pk is not None or name not in self.one_of}

    def _people(self) -> dict[str, Person]:
        return {name: value for name, value in self.values.items() if isinstance(value, Person)}


def _once(row: models.Model) -> Iterator[tuple[object, ...]]:
    """What may be there once only, by the constraints of its model: told before the database would refuse it."""
    for one in row._meta.constraints:
        if isinstance(one, models.UniqueConstraint) and _holds(one.condition, row):
            columns = {known.name: known.attname for known in row._meta.concrete_fields}
            values = tuple(getattr(row, columns[name]) for name in one.fields)
            if None not in values:
                yield one.name, *values
    for known in row._meta.concrete_fields:
        if known.unique and not known.primary_key:
            yield f"{row._meta.label}.{known.name}", getattr(row, known.attname)


def _holds(condition: models.Q | None, row: models.Model) -> bool:
    """Conditions of the models here are plain equalities."""
    wanted: dict[str, Any] = dict(condition.children) if condition else {}  # type: ignore[arg-type]
    return all(getattr(row, name) == value for name, value in wanted.items())
