"""Blocks at the head of a text report: underlined headings, pairs of label and value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers.tables.rawtable import collapse
from parsers.text.column_heads import phrases
from parsers.text.ruler_column_cutting import Slot

_HOST_CPU = re.compile(r"\s*(Host CPU)\s*\(([^)]{0,200})\)")
_IN_BRACKETS = re.compile(r"(CPUs|Cores|Sockets):\s*(\d+)")
_VALUE = re.compile(r":\s+(?=[-+]?[\d.#]|N/A)")
_MINUTES = re.compile(r"([A-Za-z][A-Za-z ]{1,30}):\s+([\d,.]+(?: \(mins?\))?)")
_MOST_PAIRS = 3  # of a line; the most seen are 2
_HOST = ["", "Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (G)"]


def split_heading(line: str, tildes: str) -> tuple[str, str]:
    """Heading over the tildes, and labels beside it."""
    match = _HOST_CPU.match(line)
    if match:
        return collapse(match[0]), ""
    parts = phrases(line)
    if not parts:
        return "", ""
    begin = len(tildes) - len(tildes.lstrip())
    inside = [(span, text) for span, text in parts if span[0] <= begin + 1] or parts[:1]
    end = inside[-1][0][1]
    # Some headings have wider gaps inside ("Top 5 Timed Events" has not): the tildes run under all of it.
    run = begin + len(tildes.strip()) - len(tildes.strip().lstrip("~"))
    for span, _ in parts:
        if span[0] < run and span[1] <= run + 1:
            end = max(end, span[1])
    return collapse(line[:end]), " " * end + line[end:]


def read_pairs(lines: Sequence[str]) -> list[list[str]]:
    """A row per line of one or two `label: value`."""
    rows: list[list[str]] = []
    for line in lines:
        first, *rest = _VALUE.split(line, maxsplit=_MOST_PAIRS)
        if not rest:
            continue
        row = [collapse(first)]
        for part in rest:
            value, _, label = part.strip().partition(" ")
            row.extend((value, collapse(label)))
        rows.append(row[:-1] if not row[-1] else row)
    return rows


def read_labelled(lines: Sequence[str], ends: Sequence[int]) -> list[list[str]]:
    """Values go to the label with the nearest right end."""
    rows: list[list[str]] = []
    for line in lines:
        first, *rest = _VALUE.split(line, maxsplit=1)
        if not rest:
            continue
        row = [collapse(first), *[""] * len(ends)]
        for (_, end), value in _words_from(line, len(line) - len(rest[0])):
            nearest = min(range(len(ends)), key=lambda i: abs(ends[i] - end))
            row[nearest + 1] = value
        rows.append(row)
    return rows


def _words_from(line: str, begin: int) -> list[tuple[Slot, str]]:
    return [((m.start(), m.end()), m[0]) for m in re.finditer(r"\S+", line) if m.start() >= begin]


def pad(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows), default=0)
    return [row if len(row) == width else [*row, *[""] * (width - len(row))] for row in rows]


def host_cpu_columns(heading: str) -> tuple[list[str], list[str]]:
    """`Host CPU (CPUs: 8 Cores: 8)` to 11.2.0.3 and in Statspack."""
    pairs = _IN_BRACKETS.findall(heading)
    return [name for name, _ in pairs], [value for _, value in pairs]


def minute_rows(line: str) -> list[list[str]]:
    """`Elapsed: 15.00 (mins) Av Act Sess: 7.1`, below the snapshots."""
    return [[name.strip(), "", value] for name, value in _MINUTES.findall(line)[:_MOST_PAIRS]]


def is_host(tildes: str, header: Sequence[str]) -> bool:
    """Statspack's host labels wrap into each other in 12.1."""
    return tildes.startswith("~~~~ --") and " ".join(" ".join(header).split()).startswith(" ".join(_HOST[1:4]))


def host_labels(count: int) -> list[str]:
    return [*_HOST, *[""] * count][:count]
