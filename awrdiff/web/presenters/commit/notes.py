"""What is worth knowing of each report, or missing in it (not printed, or not to be believed): each line once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.words import listing


@dataclass(frozen=True, slots=True)
class Notes:
    """What holds for the same reports; `lead` says which, and whether it is worth knowing or missing."""

    lead: str
    lines: tuple[str, ...]


def notes(what: str, labels: Sequence[str], found: Sequence[Sequence[str]]) -> tuple[Notes, ...]:
    """The lines of all reports, each once, together with the others that hold for the same reports."""
    places: dict[str, list[int]] = {}
    for at, lines in enumerate(found):
        for line in dict.fromkeys(lines):
            places.setdefault(line, []).append(at)
    grouped: dict[tuple[int, ...], list[str]] = {}
    for line, where in places.items():
        grouped.setdefault(tuple(where), []).append(line)
    return tuple(Notes(_which(where, labels, what), tuple(grouped[where])) for where in sorted(grouped))


def _which(where: tuple[int, ...], labels: Sequence[str], what: str) -> str:
    if len(labels) == 1:
        return what.capitalize()
    if len(where) == len(labels):
        return f"{'Both' if len(labels) == 2 else f'All {len(labels)}'} reports: {what}"
    return f"{listing([labels[at] for at in where])}: {what}"
