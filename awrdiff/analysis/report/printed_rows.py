"""Rows of a printed section, read by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.rows.align import anchor
from parsers.model import Row, Section, Value


class PrintedRow(NamedTuple):
    """A row with its section."""

    section: Section
    record: Row

    def text(self, column: str) -> str:
        return self.section.text(self.record, column)

    def number(self, column: str) -> Value | None:
        return self.section.number(self.record, column)

    def evidence(self, key: str, column: str) -> Evidence:
        return Evidence(self.section.id, key, column, anchor(self.section.id, *self.section.key_of(self.record)))


def printed_rows(section: Section | None) -> Iterator[PrintedRow]:
    return (PrintedRow(section, record) for record in section.records) if section is not None else iter(())
