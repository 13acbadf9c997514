"""Columns of texts whose runs of blanks became one, by the section's labels and column types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import Final

from msgspec import Struct

from parsers.sections.registry import REGISTRY
from parsers.tables.rawtable import RawTable, normal_label, normal_labels, normal_title
from parsers.tables.section_builder import reader_of
from parsers.tables.section_declarations import ColumnSpec, Declaration

_DIGITS = "0123456789"
_FEW_LABELS = 3  # that name a section without its title
_LONGEST_TITLE = 120


@cache
def known_labels() -> frozenset[str]:
    """Normalized labels, without the empty one."""
    return frozenset(label for d in REGISTRY.by_id.values() for label in d.by_label if label)


def is_figure(cell: str) -> bool:
    return cell.lstrip("-+.")[:1] in _DIGITS if cell.strip("-+.") else False


def is_header(cells: Sequence[str]) -> bool:
    """True if most cells, at least two, are known labels."""
    printed = [cell for cell in cells if cell]
    label_count = sum(normal_label(cell) in known_labels() for cell in printed)
    return label_count > 1 and 4 * label_count >= 3 * len(printed)


@lru_cache(maxsize=4096)
def titled(line: str) -> tuple[Declaration, ...]:
    return REGISTRY.titled(normal_title(line[:_LONGEST_TITLE]))


@cache
def untitled() -> tuple[Declaration, ...]:
    """Sections without title: database, host, snapshots."""
    return tuple(d for d in REGISTRY.by_id.values() if "" in d.titles)


def has_labels(section: Declaration, labels: Sequence[str]) -> bool:
    """True if all are its labels, each once; at least three without title.

    Columns unlabelled in some release are missing: cut off their neighbours.
    """
    normal = list(map(normal_label, labels))
    if len(normal) < (_FEW_LABELS if "" in section.titles else 2) or not section.by_label.keys() >= set(normal):
        return False
    columns = [section.by_label[label].id for label in normal]
    unnamed = section.by_label.get("")
    return len(set(columns)) == len(columns) and (unnamed is None or unnamed.id in columns)


@lru_cache(maxsize=1024)
def by_labels(labels: tuple[str, ...]) -> Declaration | None:
    normal, shape = normal_labels(labels)
    printed = normal - {""}
    if len(printed) < _FEW_LABELS:
        return None
    fitting = [d for d in REGISTRY.by_id.values() if d.fits(normal, shape) and printed <= d.by_label.keys()]
    return fitting[0] if len(fitting) == 1 else None


def declared(heading: str, caption: str, labels: tuple[str, ...]) -> Declaration | None:
    """Section under this heading; untitled, by at least three labels."""
    section = REGISTRY.find(RawTable(heading, caption, "", labels, []))
    if section is None or section in titled(heading) or section in titled(caption):
        return section
    return section if len(normal_labels(labels)[0] - {""}) >= _FEW_LABELS else None


_NUMBER: Final = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?(?:[KMGTPkmgt]|ns|us|ms|s|%)?")
_NOT_PRINTED: Final = ("N/A", "null")
_UNIT_APART: Final = re.compile(r"(?<=\d) (ns|us|ms|s)(?= [\d.]|$)")
_SQL_ID: Final = re.compile(r"[0-9a-z]{13}")
_MOST_WORDS: Final = 60  # of a row; texts of statements have more
_MOST_STEPS: Final = 5_000
_ONE_WORD: Final = ("host", "sql_id", "database")  # texts that have no blank inside
# Sections that leave cells blank at a row's end alone: how many figures such a row may have, the first columns'.
_FIRST_FIGURES: Final[dict[str, tuple[int, ...]]] = {
    "load_profile": (1, 2),
    "time_model": (1,),
    "os_statistics": (1,),
}
# CPU time stands among the events with seconds and a share alone.
_CPU: Final = ("DB CPU", "CPU time")
_CPU_COLUMNS: Final = (("total_wait_time_s", "pct_db_time"), ("total_wait_time_s", "pct_call_time"))


@lru_cache(maxsize=256)
def _beginnings(declaration: Declaration) -> frozenset[str]:
    return frozenset(label[:end] for label in declaration.by_label for end in range(len(label) + 1))


@lru_cache(maxsize=256)
def _all_labels(declaration: Declaration) -> str:
    return "\n".join(declaration.by_label)


def is_of_labels(text: str, declaration: Declaration) -> bool:
    """True if each word is part of a label."""
    return all(normal_label(word) in _all_labels(declaration) for word in text.split())


@lru_cache(maxsize=1024)
def split_labels(declaration: Declaration, header: tuple[str, ...], columns: int | None) -> tuple[str, ...] | None:
    """Labels by column; None unless exactly one way uses every word.

    `columns`: their number, if a ruler gives it.
    """
    lines = [line.split() for line in header]
    words = [word for line in lines for word in line]
    if len(words) > _MOST_WORDS or not is_of_labels(" ".join(words), declaration):
        return None
    ways: set[tuple[str, ...]] = set()
    steps = 0
    stack: list[tuple[tuple[int, ...], tuple[str, ...]]] = [((0,) * len(lines), ())]
    while stack and len(ways) < 2 and steps < _MOST_STEPS:
        at, labels = stack.pop()
        steps += 1
        if all(a == len(line) for a, line in zip(at, lines, strict=True)):
            if columns in (None, len(labels)):
                ways.add(labels)
            continue
        if columns is not None and len(labels) >= columns:
            continue
        column_ids = {declaration.by_label[normal_label(label)].id for label in labels}
        for ends, label in _labels_from(lines, at, _beginnings(declaration)):
            spec = declaration.by_label.get(normal_label(label))
            if label and spec and spec.id not in column_ids:
                stack.append((ends, (*labels, label)))
    return ways.pop() if len(ways) == 1 and steps < _MOST_STEPS else None


def _labels_from(
    lines: list[list[str]], at: tuple[int, ...], beginnings: frozenset[str]
) -> Iterator[tuple[tuple[int, ...], str]]:
    partial: list[tuple[tuple[int, ...], str]] = [((), "")]
    for line, begin in zip(lines, at, strict=True):
        longer = []
        for ends, text in partial:
            longer.append(((*ends, begin), text))
            joined = text
            for end in range(begin, len(line)):
                joined = f"{joined} {line[end]}".strip()
                if normal_label(joined) not in beginnings:
                    break
                longer.append(((*ends, end + 1), joined))
        partial = longer
    return iter([(ends, text) for ends, text in partial if ends != at])


class Columns(Struct, frozen=True, dict=True):
    """Columns of one squeezed table; rows fit one way or not."""

    declaration: Declaration
    labels: tuple[str, ...]

    @cached_property
    def specs(self) -> list[ColumnSpec]:
        return [self.declaration.by_label[normal_label(label)] for label in self.labels]

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        kinds = ["([na])" if s.column.unit else "([xna])" if is_word(s) else "(x(?:[xna]*x)?)" for s in self.specs]
        longest = "".join(kinds)
        return re.compile(longest), re.compile(longest.replace("*x)?)", "*?x)??)"))

    def cells(self, line: str) -> list[str] | None:
        """None if the row fits in no way, or several."""
        words = _UNIT_APART.sub(r"\1", line).split(" ", _MOST_WORDS)
        if len(words) > _MOST_WORDS:
            return None
        kinds = "".join(map(kind_of_word, words))
        longest, shortest = (pattern.fullmatch(kinds) for pattern in self._patterns)
        if longest and shortest and longest.regs == shortest.regs:
            cells = [" ".join(words[a:b]) for a, b in longest.regs[1:]]
        else:
            cells = self._known_case(words, kinds) or []
        return cells if cells and self._is_readable(cells) else None

    def _known_case(self, words: list[str], kinds: str) -> list[str] | None:
        name = kinds.rstrip("na")
        text, figures = " ".join(words[: len(name)]), words[len(name) :]
        if text in _CPU and len(figures) == 2:
            return self._cpu_cells(text, figures)
        first, *rest = self.specs
        if not text or first.column.unit or any(spec.column.unit is None for spec in rest):
            return None
        if len(figures) < len(rest) and len(figures) in _FIRST_FIGURES.get(self.declaration.id, ()):
            return [text, *figures, *[""] * (len(rest) - len(figures))]
        return None

    def _cpu_cells(self, name: str, figures: list[str]) -> list[str] | None:
        ids = [s.id for s in self.specs]
        pair = next((p for p in _CPU_COLUMNS if set(p) <= set(ids)), None)
        if pair is None or "waits" not in ids:
            return None
        cells = [""] * len(ids)
        cells[0] = name
        cells[ids.index(pair[0])], cells[ids.index(pair[1])] = figures
        return cells

    def _is_readable(self, cells: list[str]) -> bool:
        for spec, label, cell in zip(self.specs, self.labels, cells, strict=True):
            if spec.column.unit and cell and cell not in _NOT_PRINTED and reader_of(spec, label)[cell] is None:
                return False
            if spec.id == "sql_id" and not _SQL_ID.fullmatch(cell):
                return False
        return True


def is_word(spec: ColumnSpec) -> bool:
    return spec.column.holds in _ONE_WORD or spec.id in ("instance_number", "dbid")


def kind_of_word(word: str) -> str:
    """`n`: number, `a`: not printed, `x`: others."""
    return "n" if _NUMBER.fullmatch(word) else "a" if word in _NOT_PRINTED else "x"
