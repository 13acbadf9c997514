"""What is remembered of the lines that went by: ids and counts, never what they say."""

from __future__ import annotations

import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.transfer.errors import NotImported, damage

MOST_PEOPLE = 5_000


@dataclass(slots=True)
class WrittenLines:
    """While a team is written: what is in the file, so that nothing in it hangs on what is not. `files`: the reports
    and attached files whose bytes are. `pins_of`: whose pins are, None: everybody's. Only kinds that others name,
    or that have files (`named`), are remembered.
    """

    named: frozenset[str]
    files: set[UUID]
    pins_of: User | None = None
    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, kind: str, pk: object) -> None:
        if kind in self.named:
            self.ids[kind].add(str(pk))

    def has(self, kind: str, pk: object) -> bool:
        return str(pk) in self.ids[kind]


@dataclass(slots=True)
class LinesRead:
    """While a file is looked through, before anything is made of it."""

    named: frozenset[str]
    packed: zipfile.ZipFile
    ids: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    people: set[str] = field(default_factory=set)

    def add(self, kind: str, own: str) -> None:
        if kind not in self.named:
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
class ImportedRows:
    """While rows are made: what each id of the file is here, who is known by name, and what was left out."""

    named: frozenset[str]
    access: AccessContext
    packed: zipfile.ZipFile
    people: dict[str, int]
    ids: defaultdict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    made: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)  # of something that is left out itself
    of_nobody: Counter[str] = field(default_factory=Counter)  # of people who are not here
    of_others: Counter[str] = field(default_factory=Counter)  # of people who are not the team's owner
    doubles: Counter[str] = field(default_factory=Counter)  # said by another row already
    said: list[str] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)  # hashes of what may be there once

    def add(self, kind: str, own: str, pk: Any) -> None:
        if kind in self.named:
            self.ids[kind][own] = pk

    def by(self, name: str, who: str) -> dict[str, int]:
        """Who made it, where they are here: else it stays whoever takes it in."""
        return {name: self.people[who]} if who in self.people else {}

    def takes(self, key: tuple[object, ...]) -> bool:
        """Whether there is nothing of this key yet; from now on there is."""
        there = hash(key) in self.taken
        self.taken.add(hash(key))
        return not there


def people_here(names: Iterable[str]) -> dict[str, int]:
    """By name, the ids of those who sign in here by one of them."""
    wanted = sorted(names)
    found: dict[str, int] = {}
    for at in range(0, len(wanted), 500):
        found.update(User.objects.filter(username__in=wanted[at : at + 500]).values_list("username", "pk"))
    return found
