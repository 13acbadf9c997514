"""Ids and counts of the lines that went by, never their contents."""

from __future__ import annotations

import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.transfer.values import NotImported, damage

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
