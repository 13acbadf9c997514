"""A compared section as CSV: the rows and columns that its table shows, every figure in its base unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.export.document import plain
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.web import format as fmt
from awrdiff.web.presenters.section import histogram, words
from awrdiff.web.presenters.section.compared import Options, absent_of, either, is_shown
from awrdiff.web.presenters.section.figures import Absent, Cell, ColumnGroup, Formatted, Number, format_figures
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Value

_UNITS = ("s", "bytes", "percent")  # of others the label says what is counted
SIDES = ("First", "Second", "change")


def section_csv(section: ComparedSection, options: Options, texts: Mapping[str, str]) -> Iterator[str]:
    """Line after line; rows are walked through and never gathered. `texts`: whole statements by SQL id."""
    if histogram.is_histogram(section):
        yield from _histogram(section, options)
    elif not section.key and len(section.rows) == 1:
        yield from _downwards(section, next(iter(section.rows)), options)
    else:
        yield from _table(section, options, texts)


def _shown(section: ComparedSection, options: Options) -> Iterator[ComparedRow]:
    return (row for row in section.rows if is_shown(row, options))


def _table(section: ComparedSection, options: Options, texts: Mapping[str, str]) -> Iterator[str]:
    layout = layout_of(section, options.basis, everything=options.everything)
    columns = format_figures(layout.figures, ())
    labels = {c.id: c.label or c.id for c in section.columns}
    beside = [c for c in (*layout.beside, layout.under) if c and c not in section.key]
    own_units = bool(columns) and any(row.unit for row in section.rows)
    absent = (words.absent(section, first=True), words.absent(section, first=False))
    yield csv_line(
        [
            *(labels.get(key, key) for key in section.key),
            *(["unit"] if own_units else []),
            *(f"{_label(c.figure)} {side}" for c in columns for side in SIDES),
            *(labels.get(c, c) for c in beside),
        ]
    )
    for row in _shown(section, options):
        instead = absent_of(row, absent)
        yield csv_line(
            [
                *(row.key.get(key, "") for key in section.key),
                *([columns[0].figure.unit_of(row) or ""] if own_units else []),
                *(cell for c in columns for cell in _cells(c, row, instead)),
                *((c == layout.under and texts.get(row.key.get("sql_id", ""))) or either(row, c) for c in beside),
            ]
        )


def _downwards(section: ComparedSection, row: ComparedRow, options: Options) -> Iterator[str]:
    """A table of one row without a name is read downwards, as on the page."""
    yield csv_line(["Figure", *SIDES])
    absent = absent_of(row, (words.absent(section, first=True), words.absent(section, first=False)))
    for column in format_figures(layout_of(section, options.basis, everything=True).figures, ()):
        yield csv_line([_label(column.figure), *_cells(column, row, absent)])


def _histogram(section: ComparedSection, options: Options) -> Iterator[str]:
    buckets = histogram.buckets_of(section)
    yield csv_line(["Event", "side", "waits", *(f"{histogram.bucket_label(c)} [percent]" for c in buckets)])
    for row in _shown(section, options):
        for side in ("first", "second"):
            values = (getattr(row.values.get(c), side, None) for c in ("waits", *(b.id for b in buckets)))
            numbers = [plain(v.number) if isinstance(v, Value) else "" for v in values]
            yield csv_line([" / ".join(row.key.values()), side.title(), *numbers])


def _label(figure: ColumnGroup) -> str:
    return f"{figure.label} [{figure.unit}]" if figure.unit in _UNITS else figure.label


def _cells(column: Formatted, row: ComparedRow, absent: tuple[Absent, Absent]) -> Iterable[object]:
    """Numbers as closely as they are known; where there is none, and of the change, the words of the page."""
    shown = column.cells(row, absent)
    pair: tuple[Number | None, Number | None] = (None, None) if column.figure.text else column.figure.pair(row)
    sides = (plain(n.number) if n is not None else _said(cell) for n, cell in zip(pair, shown[:2], strict=True))
    return (*sides, _said(shown[2]))


def _said(cell: Cell) -> str:
    """An equals sign would be taken for the begin of a formula."""
    text = "same" if cell["t"] == "=" else cell["t"].removeprefix("= ")
    return "" if text == fmt.NONE else text
