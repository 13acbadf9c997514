"""Kinds of lines, and registers of what was written or read. An unchanged row has one line, under its old id.

Rows are made without their models' clocks, so that times stay.
"""

from __future__ import annotations

import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any
from uuid import UUID

from django.db import models

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team, User
from awrdiff.transfer.jsonl_column_types import NotImported, Value, damage, id_of, is_person, values_of

MOST_PEOPLE = 5_000


@dataclass(slots=True)
class WrittenRegister:
    """No line refers to what is not in the file.

    `files`: those whose bytes are there. `pins_of`: None for everybody's. Only `kinds` are remembered.
    """

    kinds: frozenset[str]
    files: set[UUID]
    pins_of: User | None = None
    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, kind: str, pk: object) -> None:
        if kind in self.kinds:
            self.ids[kind].add(str(pk))

    def has(self, kind: str, pk: object) -> bool:
        return str(pk) in self.ids[kind]


@dataclass(slots=True)
class LineRegister:
    kinds: frozenset[str]
    packed: zipfile.ZipFile
    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    people: set[str] = field(default_factory=set)

    def add(self, kind: str, own: str) -> None:
        if kind not in self.kinds:
            return
        if own in self.ids[kind]:
            raise damage(f"two lines describe the same {kind}")
        self.ids[kind].add(own)

    def refer(self, kind: str, to: str, own: str) -> None:
        if own not in self.ids[to]:
            raise damage(f"a line ({kind}) belongs to a {to} that no line before it describes")

    def count(self, kind: str, of: str, most: int, many: str) -> None:
        self.counts[kind, of] += 1
        if self.counts[kind, of] > most:
            raise NotImported(f"The file holds more than {most:,} {many} of one thing, the most that is taken in.")

    def name(self, people: Iterable[str]) -> None:
        self.people.update(filter(None, people))
        if len(self.people) > MOST_PEOPLE:
            raise NotImported(f"The file names more than {MOST_PEOPLE:,} people, the most that is taken in.")


@dataclass(slots=True)
class ImportRegister:
    """Ids here by ids in the file, people, omissions."""

    kinds: frozenset[str]
    access: AccessContext
    packed: zipfile.ZipFile
    people: dict[str, int]
    ids: defaultdict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    counts: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)  # of something that is left out itself
    of_nobody: Counter[str] = field(default_factory=Counter)  # of people who are not here
    of_others: Counter[str] = field(default_factory=Counter)  # of people who are not the team's owner
    doubles: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    unique_keys: set[int] = field(default_factory=set)  # their hashes

    def add(self, kind: str, own: str, pk: Any) -> None:
        if kind in self.kinds:
            self.ids[kind][own] = pk

    def by(self, name: str, who: str) -> dict[str, int]:
        """Known author; else the row stays the importer's."""
        return {name: self.people[who]} if who in self.people else {}

    def takes(self, key: tuple[object, ...]) -> bool:
        """True the first time a unique key comes."""
        is_new = hash(key) not in self.unique_keys
        self.unique_keys.add(hash(key))
        return is_new


def people_here(names: Iterable[str]) -> dict[str, int]:
    """Ids by sign-in name, of existing accounts."""
    wanted = sorted(names)
    ids: dict[str, int] = {}
    for at in range(0, len(wanted), 500):
        ids.update(User.objects.filter(username__in=wanted[at : at + 500]).values_list("username", "pk"))
    return ids


_AT_ONCE = 50  # rows read from the database: one may be megabytes


class LineKind:
    """`name`: first key of its lines; `of`: kinds they refer to."""

    name: str
    many: str
    of: Mapping[str, str] = {}
    if_any: Mapping[str, str] = {}
    values: Mapping[str, Value]
    has_files: bool = False
    columns: Mapping[str, str] = {}  # of values that are called otherwise in the file

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        raise NotImplementedError

    def values_in(self, row: Any) -> dict[str, Any]:
        return {name: v.dump(getattr(row, self.columns.get(name, name))) for name, v in self.values.items()}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Raises NotImported."""
        own = {self.name: id_of(document.get(self.name), self.name)}
        return own | {name: value.read(document.get(name), name) for name, value in self.values.items()}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        """Checks it against the lines before. Raises NotImported."""

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        """None where it is left out."""


@dataclass(eq=False)
class Rows(LineKind):
    """`plain` columns are as the model has them, `special` ones have a value of their own. `of`: earlier kinds that
    foreign keys refer to; `most` rows of the first.

    A row has one of `one_of`, all others, perhaps those of `if_any`. `new`: fields filled anew. `left_out`: fields that
    do not move, and why. `has_files`: bytes lie beside the lines.
    """

    name: str
    many: str
    model: type[models.Model]
    most: int
    plain: str = ""
    special: Mapping[str, Value] = field(default_factory=dict)
    values: Mapping[str, Value] = field(init=False)
    _: KW_ONLY
    of: Mapping[str, str] = field(default_factory=dict)
    team: str = "team"
    one_of: tuple[str, ...] = ()
    if_any: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    order: tuple[str, ...] = ("pk",)
    has_files: bool = False

    def __post_init__(self) -> None:
        self.values = values_of(self.model, self.plain, **self.special)

    def documents(self, team: Team, register: WrittenRegister) -> Iterator[dict[str, Any]]:
        """Omits rows that refer to what is not there."""
        rows = self.model._default_manager.filter(**{self.team: team}).order_by(*self.order)
        for row in rows.select_related(*self.people()).iterator(chunk_size=_AT_ONCE):
            if all(register.has(self.of[name], pk) for name, pk in self._of(row).items()):
                register.add(self.name, row.pk)
                yield self.document(row)

    def document(self, row: Any) -> dict[str, Any]:
        of = {name: str(pk) for name, pk in self._of(row).items()}
        of |= {name: str(pk) for name in self.if_any if (pk := getattr(row, f"{name}_id")) is not None}
        return {self.name: str(row.pk), **of, **self.values_in(row)}

    def read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        of = [name for name in self.of if name not in self.one_of or name in document]
        if self.one_of and len(set(of) & set(self.one_of)) != 1:
            raise damage(f"a line ({self.name}) does not belong to one of {', '.join(self.one_of)}")
        of += [name for name in self.if_any if name in document]
        return LineKind.read(self, document) | {name: id_of(document.get(name), name) for name in of}

    def check(self, values: Mapping[str, Any], register: LineRegister) -> None:
        of = {name: values[name] for name in self.of if name in values}
        for name, own in of.items():
            register.refer(self.name, self.of[name], own)
        register.count(self.name, next((f"{name} {own}" for name, own in of.items()), ""), self.most, self.many)
        register.add(self.name, values[self.name])
        register.name(values[name] for name in self.people())

    def make(self, values: Mapping[str, Any], register: ImportRegister) -> Any:
        """None where it is left out."""
        of = {f"{name}_id": register.ids[kind].get(values[name]) for name, kind in self.of.items() if name in values}
        people = {f"{name}_id": register.people.get(values[name]) for name in self.people()}
        if None in of.values():
            register.without[self.many] += 1
            return None
        if any(people[f"{name}_id"] is None and not column.null for name, column in self.people().items()):
            register.of_nobody[self.many] += 1
            return None
        optional = {f"{name}_id": register.ids[to].get(values.get(name, "")) for name, to in self.if_any.items()}
        ids = of | optional | people
        plain = {name: values[name] for name in self.values if f"{name}_id" not in ids}
        row = self.model(**plain, **ids, **{name: make() for name, make in self.new.items()})
        if self.team == "team":
            row.team_id = register.access.team.pk  # type: ignore[attr-defined]
        if not all(register.takes(key) for key in _unique_keys(row)) and not self._makes_room(row):
            register.doubles[self.many] += 1
            return None
        row.save_base(raw=True, force_insert=True)
        register.add(self.name, values[self.name], row.pk)
        register.counts[self.many] += 1
        return row

    def _makes_room(self, row: Any) -> bool:
        """True if a row whose unique key is taken may come in all the same."""
        return False

    def _of(self, row: Any) -> dict[str, Any]:
        keys = {name: getattr(row, f"{name}_id") for name in self.of}
        return {name: pk for name, pk in keys.items() if pk is not None or name not in self.one_of}

    def people(self) -> dict[str, Any]:
        """Columns of people; a required one, unknown, drops its row."""
        columns = {name: self.model._meta.get_field(name) for name in self.values}
        return {name: column for name, column in columns.items() if is_person(column)}


def _unique_keys(row: models.Model) -> Iterator[tuple[object, ...]]:
    """Checked before the database would refuse them."""
    for constraint in row._meta.constraints:
        if not isinstance(constraint, models.UniqueConstraint):
            continue
        # Conditions of the models here are plain equalities.
        condition: dict[str, Any] = dict(constraint.condition.children) if constraint.condition else {}  # type: ignore[arg-type]
        columns = {column.name: column.attname for column in row._meta.concrete_fields}
        values = tuple(getattr(row, columns[name]) for name in constraint.fields)
        if None not in values and all(getattr(row, name) == value for name, value in condition.items()):
            yield constraint.name, *values
    for column in row._meta.concrete_fields:
        if column.unique and not column.primary_key:
            yield f"{row._meta.label}.{column.name}", getattr(row, column.attname)
