"""Redacts a parsed report; everything computed from it afterwards knows no names.

Dropped: undeclared tables (unless wanted), columns with an unknown heading word, typed texts, messages about the file
except what it lacks as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from awrdiff.redaction.allowed_words import PROSE, is_heading
from awrdiff.redaction.column_content_kinds import NUMBERS_THAT_NAME, Content, kind_of
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.text_redaction import Texts
from parsers.model import Cell, Column, Database, Host, Instance, Issue, Report, Row, Section, Value
from parsers.sections.registry import REGISTRY
from parsers.tables.rawtable import normal_label

Write = Callable[[Cell], Cell]
# Instead of messages that quote headings.
_LACKS = {
    "truncated": "The report ends early: what comes after that is missing, not zero.",
    "damaged-markup": "Parts of the page had lost their tags on the way and were put back together.",
    "left-out": "Part of the file could not be read and was left out.",
    "table-cut": "A table is too large to be kept whole: what is beyond the limit is missing.",
    "unreadable-time": "Times of this report cannot be read: order, overlap and restarts are not known by them.",
}


def redact(report: Report, rule: Redaction, name: str) -> Report:
    """`name`: the file's new name."""
    texts = Texts(rule)
    sections = (_section(section, texts) for section in report.sections)
    d = report.database
    names = (_maybe(texts, "database", d.name), _maybe(texts, "dbid", d.dbid), _maybe(texts, "database", d.unique_name))
    role, edition = (_maybe(texts, "edition", text) for text in (d.role, d.edition))
    return replace(
        report,
        database=Database(*names, role, edition, d.rac, d.cdb),
        instances=tuple(_instance(i, texts) for i in report.instances),
        host=_host(report.host, texts),
        sections=tuple(s for s in sections if s is not None),
        issues=tuple(Issue(c, _LACKS[c]) for c in dict.fromkeys(i.code for i in report.cautions)),
        name=name,
    )


def _instance(i: Instance, texts: Texts) -> Instance:
    return Instance(i.number, _maybe(texts, "instance", i.name), i.startup, _maybe(texts, "host", i.host))


def _host(h: Host, texts: Texts) -> Host:
    return replace(h, name=_maybe(texts, "host", h.name))


def _maybe(texts: Texts, kind: Content, text: str | None) -> str | None:
    return None if text is None else texts.of[kind](text)


def _section(section: Section, texts: Texts) -> Section | None:
    """None where nothing of it may be shown."""
    declared = section.id in REGISTRY.by_id
    if not declared and not texts.rule.undeclared:
        return None
    writers = [_writer(section, at, texts, declared=declared) for at in range(len(section.columns))]
    columns_kept = [at for at, write in enumerate(writers) if write is not None]
    columns = tuple(_column(section, section.columns[at], texts, declared=declared) for at in columns_kept)
    key = tuple(c.id for at, c in zip(columns_kept, columns, strict=True) if section.columns[at].id in section.key)
    if not key and section.key:
        return None
    rows = [_cells(section, record, columns_kept, writers, texts) for record in section.records]
    return replace(
        section,
        id=section.id if declared else f"table_{texts.names.tail(section.id)}",
        title=section.title if declared else _heading(section.title, texts),
        key=key,
        columns=columns,
        records=_with_ordinals(rows, section.records, [i for i, c in enumerate(columns) if c.id in key]),
        notes=tuple(texts.words(note, PROSE) for note in section.notes) if declared else (),
        line=None,
    )


def _writer(section: Section, at: int, texts: Texts, *, declared: bool) -> Write | None:
    """None: the column goes."""
    column = section.columns[at]
    kind = kind_of(section.id, column.id) if declared else None
    if column.unit is not None and column.id in NUMBERS_THAT_NAME:
        return _number(texts)
    if not _is_declared(section.id, column) and kind is None and not is_heading(column.label):
        return None if declared else _of_kind("name", texts)
    if column.unit is not None:
        return _as_it_is
    if kind == "drop" or (kind == "sql_text" and texts.rule.sql == "off"):
        return None
    return _of_kind(kind or "name", texts)


def _is_declared(section_id: str, column: Column) -> bool:
    declaration = REGISTRY.by_id.get(section_id)
    if declaration is None:
        return False
    spec = declaration.by_label.get(normal_label(column.label))
    return spec is not None and spec.id == column.id


def _as_it_is(cell: Cell) -> Cell:
    return cell if isinstance(cell, Value) else None


def _number(texts: Texts) -> Write:
    def write(cell: Cell) -> Cell:
        if not isinstance(cell, Value):
            return None
        return Value(float(texts.names.digits(f"{cell.number:.0f}"[:15])), 0.0)

    return write


def _of_kind(kind: Content, texts: Texts) -> Write:
    function = texts.of[kind]
    cache: dict[str, str | None] = {}

    def write(cell: Cell) -> Cell:
        if not isinstance(cell, str):
            return cell
        if cell not in cache:
            cache[cell] = function(cell)
        return cache[cell]

    return write


def _column(section: Section, column: Column, texts: Texts, *, declared: bool) -> Column:
    """Pseudonyms are never cut to a text report's width."""
    stays = declared and kind_of(section.id, column.id) == "oracle"
    cut = column.cut_at if stays else None
    if declared or is_heading(column.label):
        return replace(column, cut_at=cut)
    tail = texts.names.tail(column.label)
    return replace(column, id=f"column_{tail}", label=f"Column {tail}", cut_at=cut)


def _cells(
    section: Section, record: Row, columns_kept: Sequence[int], writers: Sequence[Write | None], texts: Texts
) -> tuple[Cell, ...]:
    return tuple(
        _dependent_cell(section, record, at, texts) or _write_cell(record.cells[at], writers[at]) for at in columns_kept
    )


def _dependent_cell(section: Section, record: Row, at: int, texts: Texts) -> Cell:
    """An object depends on its owner, a value on its parameter."""
    column, cell = section.columns[at].id, record.cells[at]
    if not isinstance(cell, str):
        return None
    if column == "object_name" and (owner := section.text(record, "owner")):
        return texts.owned(cell, owner)
    if column.startswith(("begin_value", "end_value")):
        return texts.value_of(section.text(record, "parameter"), cell)
    return None


def _write_cell(cell: Cell, write: Write | None) -> Cell:
    return None if write is None else write(cell)


def _with_ordinals(rows: Sequence[tuple[Cell, ...]], records: Sequence[Row], key: Sequence[int]) -> tuple[Row, ...]:
    """Numbers rows that became equal, like duplicates in a report."""
    counts: Counter[tuple[Cell, ...]] = Counter()

    def numbered() -> Iterator[Row]:
        for cells, record in zip(rows, records, strict=True):
            identity = tuple(cells[at] for at in key)
            yield Row(cells, record.unit, counts[identity])
            counts[identity] += 1

    return tuple(numbered())


def _heading(text: str, texts: Texts) -> str:
    return text if is_heading(text) else f"Table {texts.names.tail(text)}"
