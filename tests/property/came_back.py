"""The rows of a model, each with the row that was read of it."""

from __future__ import annotations

from collections.abc import Iterator

from fixtures.writer import Model, Row
from parsers import Report
from parsers.model import Section


def rows_with(report: Report, model: Model) -> Iterator[tuple[Section, Row, dict[str, object]]]:
    """Section, row as it was told, row as it was read. Asserts that every section and row is there."""
    for section_id, written in model.sections.items():
        section = report.section(section_id)
        assert section is not None, (section_id, [s.id for s in report.sections])
        read = list(section.rows)
        assert len(read) == len(written.rows)
        for told, got in zip(written.rows, read, strict=True):
            yield section, told, dict(got)
