"""Visible rows as CSV, in page order and base units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from awrdiff.analysis.baseline.aligned_sections import SeriesRow
from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.export.json_encoding import plain
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.baseline.report_columns import NOT_LISTED, Each
from awrdiff.web.presenters.baseline.spread_and_position import text_of
from awrdiff.web.presenters.section import histogram, missing_rows
from awrdiff.web.presenters.section.columns_and_cells import Absent, Cell, ColumnGroup, Formatted, format_figures
from awrdiff.web.presenters.section.compared_section import Options, absent_of, either, order_rows, shown_rows
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.single import rows_shown
from parsers.model import Report, Section, Value

_UNITS = ("s", "bytes", "percent")  # of others the label says what is counted
SIDES = ("First", "Second", "change")
UNIT = "unit"


def section_csv(
    section: ComparedSection, parts: Iterable[ComparedSection], options: Options, texts: Mapping[str, str]
) -> Iterator[str]:
    """`parts`: thousands of rows at a time; `texts`: by SQL id."""
    if histogram.is_histogram(section):
        yield from _histogram(section, options)
    elif not section.key and len(section.rows) == 1:
        yield from _downwards(section, next(iter(section.rows)), options)
    else:
        yield from _table(section, parts, options, texts)


def _table(
    section: ComparedSection, parts: Iterable[ComparedSection], options: Options, texts: Mapping[str, str]
) -> Iterator[str]:
    layout = layout_of(section, options.basis, everything=options.everything)
    columns = format_figures(layout.figures, ())
    labels = {c.id: c.label or c.id for c in section.columns}
    beside = [c for c in (*layout.beside, layout.under) if c and c not in section.key]
    own_units = bool(columns) and any(row.unit for row in section.rows)
    absent = missing_rows.absent_sides(section)
    yield csv_line(
        [
            *(labels.get(key, key) for key in section.key),
            *([UNIT] if own_units else []),
            *(f"{_label(c.figure)} {side}" for c in columns for side in SIDES),
            *(labels.get(c, c) for c in beside),
        ]
    )
    for row in (row for part in parts for row in order_rows(shown_rows(part, options), layout, options.sort)):
        instead = absent_of(row, absent)
        yield csv_line(
            [
                *(row.key.get(key, "") for key in section.key),
                *([columns[0].figure.unit_of(row.unit) or ""] if own_units else []),
                *(cell for c in columns for cell in _cells(c, row, instead)),
                *((c == layout.under and texts.get(row.key.get("sql_id", ""))) or either(row, c) for c in beside),
            ]
        )


def _downwards(section: ComparedSection, row: ComparedRow, options: Options) -> Iterator[str]:
    yield csv_line(["Figure", *SIDES])
    absent = absent_of(row, missing_rows.absent_sides(section))
    for column in format_figures(layout_of(section, options.basis, everything=True).figures, ()):
        yield csv_line([_label(column.figure), *_cells(column, row, absent)])


def _histogram(section: ComparedSection, options: Options) -> Iterator[str]:
    buckets = histogram.buckets_of(section)
    yield csv_line(["Event", "side", "waits", *(f"{histogram.bucket_label(c)} [percent]" for c in buckets)])
    for row in shown_rows(section, options):
        for side in ("first", "second"):
            values = (getattr(row.values.get(c), side, None) for c in ("waits", *(b.id for b in buckets)))
            numbers = [plain(v.number) if isinstance(v, Value) else "" for v in values]
            yield csv_line([" / ".join(row.key.values()), side.title(), *numbers])


def single_csv(section: Section, parts: Iterable[Section], options: Options) -> Iterator[str]:
    order = sorted(range(len(section.columns)), key=lambda at: section.columns[at].id not in section.key)
    columns = [section.columns[at] for at in order]
    names = sum(c.id in section.key for c in columns)
    own_units = any(c.unit == "as_labelled" for c in columns)
    heads = [_headed(fmt.title_of(c.label, c.unit, c.id), c.unit) for c in columns]
    yield csv_line([*heads[:names], *([UNIT] if own_units else []), *heads[names:]])
    for row in (row for part in parts for row in rows_shown(part, options)):
        printed = (row.cells[at] for at in order)
        cells = [plain(cell.number) if isinstance(cell, Value) else cell or "" for cell in printed]
        yield csv_line([*cells[:names], *([row.unit or ""] if own_units else []), *cells[names:]])


def each_csv(series: Each) -> Iterator[str]:
    """One column per report, oldest first."""
    figure, section = series.figure, series.section
    labels = {c.id: c.label or c.id for c in section.columns}
    own_units = any(line.unit for line in series.lines)
    heads = [f"{_label(figure)} {_when(series.heads[n])}" for n in series.order] if figure else []
    yield csv_line([*(labels.get(key, key) for key in section.key), *([UNIT] if own_units else []), *heads])
    if figure is None:
        return
    for line in series.lines:
        unit = [figure.unit_of(line.unit) or ""]
        cells = (_of_report(series, figure, line, n) for n in series.order)
        yield csv_line([*(line.name.get(key, "") for key in section.key), *(unit if own_units else []), *cells])


def _of_report(series: Each, figure: ColumnGroup, line: SeriesRow, place: int) -> object:
    if line.values[place] is None:
        return NOT_LISTED
    if figure.text:
        return text_of(figure, line.values[place])
    value = series.values[line.row_id][place]
    return plain(value.number) if value is not None else ""


def _when(head: Report) -> str:
    begin = head.period.begin.time
    return f"{begin:%Y-%m-%d %H:%M}" if begin is not None else head.name


def _label(figure: ColumnGroup) -> str:
    return _headed(figure.label, figure.unit)


def _headed(label: str, unit: str | None) -> str:
    return f"{label} [{unit}]" if unit in _UNITS else label


def _cells(column: Formatted, row: ComparedRow, absent: tuple[Absent, Absent]) -> Iterable[object]:
    """Full precision; the page's words for missing figures."""
    cells = column.cells(row, absent)
    pair: tuple[Value | None, Value | None] = (None, None) if column.figure.text else column.figure.pair(row)
    sides = (plain(n.number) if n is not None else _csv_text(cell) for n, cell in zip(pair, cells[:2], strict=True))
    return (*sides, _csv_text(cells[2]))


def _csv_text(cell: Cell) -> str:
    """Cell text that no spreadsheet takes for a formula."""
    text = "same" if cell["t"] == "=" else cell["t"].removeprefix("= ")
    return "" if text == fmt.NONE else text
