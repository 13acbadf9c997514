"""A comparison as one self-contained HTML file.

Report text is escaped, and the file's policy forbids everything but its own styles.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from unicodedata import category

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.document_blocks import (
    Block,
    Changed,
    Chart,
    Heading,
    Item,
    Line,
    Paragraph,
    Section,
    Table,
)
from awrdiff.analysis.export.document_blocks import Items as List
from awrdiff.analysis.export.outline import outline
from awrdiff.analysis.export.report_headers import comparison_title
from awrdiff.analysis.figures_in_words import between, number
from awrdiff.analysis.model.comparison import Comparison, Range
from awrdiff.analysis.verdict.db_time_bars import Bars, fills_of
from parsers.version import VERSION

STYLE = Path(__file__).with_name("html.css").read_text(encoding="utf-8")
POLICY = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
_ZERO = "A figure that a report does not print is never shown as 0."
_CHOICE = "show rows that did not change, too"


def html_pieces(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> Iterator[str]:
    """Sections are iterated once, the rows of each twice."""
    yield from page(comparison_title(comparisons[0]), outline(comparisons, slas, every_row=True), _CHOICE)


def page(name: str, blocks: Iterable[Block], choice: str) -> Iterator[str]:
    """`choice` labels the tick that shows `quiet` rows."""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(name)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<p class="choice"><label><input type="checkbox" id="all"> {choice}</label></p>\n'
    )
    anchors = _Anchors()
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1:
            anchors.pair += 1
        for line in _lines(block, anchors):
            yield f"{line}\n"
    yield f'<p class="dim">Written by awrdiff {VERSION}. {_ZERO}</p>\n</body>\n</html>\n'


def as_html(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> str:
    return "".join(html_pieces(comparisons, slas))


class _Anchors:
    """Row ids with pair number: every pair has the same."""

    pair = -1

    def of(self, row_id: str) -> str:
        return _text(f"p{max(self.pair, 0)}-{row_id}")


def _lines(block: Block, anchors: _Anchors) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"<h{block.level}>{_text(block.text)}</h{block.level}>"
    elif isinstance(block, Paragraph):
        yield f"<p><strong>{_text(block.text)}</strong></p>" if block.strong else f"<p>{_text(block.text)}</p>"
    elif isinstance(block, List):
        yield f"<ul>{''.join(_item(item, anchors) for item in block.items)}</ul>"
    elif isinstance(block, Section):
        unfolded = " open" if block.changed else ""
        yield f"<details{unfolded}><summary><h2>{_text(block.title)}</h2> <small>{_text(block.note)}</small></summary>"
        if block.table is not None:
            yield '<div class="scroll">'
            yield from _table(block.table, anchors)
            yield "</div>"
        yield "</details>"
    elif isinstance(block, Chart):
        yield from chart(block.bars)
    else:
        yield '<div class="card scroll">'
        yield from _table(block, anchors)
        yield "</div>"


def chart(bars: Bars) -> Iterator[str]:
    """Drawing without inline styles, which the file's policy forbids."""
    parts = [next(p for p in sides if p is not None) for sides in bars.names]
    fills = {part.name: fill for part, fill in zip(parts, fills_of(parts), strict=True)}
    yield '<div class="bars">'
    for bar in bars.bars:
        spoken = _text(f"{bar.side}, {number(bar.sessions)} active sessions: {', '.join(p.text for p in bar.parts)}")
        yield f'<b>{_text(bar.side)}</b><b class="figure">{number(bar.sessions)}</b>'
        yield f'<svg role="img" aria-label="{spoken}">'
        offset = 0.0
        for part in bar.parts:
            width = 100 * part.sessions / bars.scale
            yield (
                f'<rect class="{fills[part.name]}" x="{offset:.2f}%" width="{width:.2f}%" height="24">'
                f"<title>{_text(part.text)}</title></rect>"
            )
            offset += width
        yield "</svg>"
    keys = (
        f'<svg class="key"><rect class="{fills[p.name]}" width="10" height="10"/></svg>{_text(p.name)}' for p in parts
    )
    yield f'<p class="dim">{" ".join(keys)}</p></div>'


def _item(item: Item, anchors: _Anchors) -> str:
    strong = f"<strong>{_text(item.strong)}</strong> " if item.strong else ""
    strong = f"<s>{strong.strip()}</s> " if item.struck else strong
    under = f"<ul>{''.join(f'<li>{_text(text)}</li>' for text in item.under)}</ul>" if item.under else ""
    if item.finding is None:
        return f"<li>{strong}{_text(item.text)}{under}</li>"
    rests_on = " · ".join(
        f'<a href="#{anchors.of(e.row_id)}">{_text(e.key or e.section)}</a>' for e in item.finding.evidence if e.row_id
    )
    sessions = item.finding.sessions
    size = f"active sessions: {printed_range(sessions.first)} → {printed_range(sessions.second)}" if sessions else ""
    beside = " · ".join(part for part in (size, rests_on) if part)
    return f'<li class="{item.finding.severity}">{strong}{_text(item.text)}<br><small>{beside}</small>{under}</li>'


def printed_range(side: Range | None) -> str:
    return "not printed" if side is None else between(side.low, side.high)


def _table(table: Table, anchors: _Anchors) -> Iterator[str]:
    kinds = [
        ("" if at < table.names else ' class="text"' if at in table.texts else ' class="figure"')
        for at in range(len(table.head))
    ]
    heads = (f"<th{kind}>{_text(label)}</th>" for kind, label in zip(kinds, table.head, strict=True))
    yield f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>"
    yield from (_row(line, table.names, kinds, anchors) for line in table.lines)
    yield "</tbody></table>"


def _row(line: Line, names: int, kinds: Sequence[str], anchors: _Anchors) -> str:
    anchor = f' id="{anchors.of(line.row_id)}"' if line.row_id else ""
    quiet = ' class="quiet"' if line.quiet else ""
    name_cells = "".join(f"<th>{_cell_content(cell)}</th>" for cell in line.cells[:names])
    rest = (
        f"<td{kind}>{_cell_content(cell)}</td>" for kind, cell in zip(kinds[names:], line.cells[names:], strict=True)
    )
    return f"<tr{anchor}{quiet}>{name_cells}{''.join(rest)}</tr>"


def _cell_content(cell: str | Changed) -> str:
    if not isinstance(cell, Changed):
        return _text(cell)
    tone = f' class="{cell.tone}"' if cell.tone else ""
    return f"{_text(cell.text)} <span{tone}>{_text(cell.change)}</span>"


def _text(text: str) -> str:
    return escape(text if text.isprintable() else "".join("\ufffd" if _unshown(c) else c for c in text))


def _unshown(character: str) -> bool:
    return category(character).startswith("C") and character not in "\n\t"
