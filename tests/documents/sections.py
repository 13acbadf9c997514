"""What is read: every declared section, and how the reports of a folder were read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from parsers import UnsupportedReport, parse_report
from parsers.sections.registry import REGISTRY
from parsers.tables.section_declarations import Declaration


def declared_row(declaration: Declaration) -> str:
    columns = "by their labels"
    if declaration.columns is not None:
        columns = ", ".join(s.id + (f" ({s.column.unit})" if s.column.unit else "") for s in declaration.columns)
    key = ", ".join(k for k in declaration.key if k != "-") or "leading text columns"
    cells = (f"`{declaration.id}`", declaration.title, declaration.family, declaration.coverage, key, columns)
    return "| " + " | ".join(cells) + " |"


def report_rows(folder: Path) -> Iterator[str]:
    """A line for each file of the folder, by name; what is not read says why."""
    for path in sorted(p for p in folder.iterdir() if p.suffix.lower() in (".html", ".htm", ".txt", ".trc")):
        data = path.read_bytes()
        start = time.process_time()
        try:
            report = parse_report(data)
        except UnsupportedReport as refusal:
            yield f"| {path.name} | not read: {refusal} | | | | | | |"
            continue
        ms = 1000 * (time.process_time() - start)
        known, ours = sum(s.known for s in report.sections), sum(i.ours for i in report.issues)
        yield (
            f"| {path.name} | {report.kind} | {report.release or ''} | {len(report.sections)} | {known} "
            f"| {len(report.issues)} | {ours} | {ms:.0f} |"
        )


def sections() -> str:
    head = ["| id | title | family | coverage | row identity | columns |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *map(declared_row, REGISTRY.by_id.values())])


def reports_read(folder: Path) -> str:
    head = ["| file | kind | release | kept | known | issues | ours | ms |", "|---|---|---|---:|---:|---:|---:|---:|"]
    return "\n".join([*head, *report_rows(folder)])
