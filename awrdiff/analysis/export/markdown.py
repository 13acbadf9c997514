"""A comparison as Markdown: the verdict, then what changed, section by section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.document_blocks import (
    Block,
    Changed,
    Chart,
    Heading,
    Items,
    Own,
    Paragraph,
    Section,
    Table,
)
from awrdiff.analysis.export.outline import outline
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.comparison import Comparison

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_WORD = re.compile(r"[^\s`|<>]+")
_BEGINS_BLOCK = re.compile(r"^(?:[-+=]|\d+(?=[.)](?:\s|$)))")
_LIVE = re.compile(
    r"""//  | (?<!\w)www\.  | [@＠]  | [#!]\w  | \bGH-\d
      | \b(?:mailto|tel|sms|xmpp|callto|skype|javascript|vbscript|data):\S
      | \w\.[^\W\d_]{2}          # a host's name, or what looks like one
      | (?<!\w):[a-z+][\w+-]*:   # a picture by its name
      | \b(?=[0-9a-f]*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b
    """,
    re.I | re.X,
)
_AROUND = "\"'()[]{}.,;?*_"


def escape(text: str) -> str:
    """Text on one line, for paragraph, heading or table cell."""
    line = " ".join(text.split())
    pieces, at = [], 0
    for word in _WORD.finditer(line):
        end = word.start() + len(word[0].rstrip(_AROUND))
        start = end - len(line[word.start() : end].lstrip(_AROUND))
        if _LIVE.search(line, start, end):
            pieces += [_escape(line[at:start]), f"`{line[start:end]}`"]
            at = end
    pieces.append(_escape(line[at:]))
    return _BEGINS_BLOCK.sub(lambda m: rf"\{m[0]}" if not m[0].isdigit() else f"{m[0]}\\", "".join(pieces))


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def markdown_pieces(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> Iterator[str]:
    """Sections are iterated once, the rows of each twice."""
    for block in outline(comparisons, slas, every_row=False):
        yield from (f"{line}\n" for line in _lines(block))
        yield "\n"
    if address := comparisons[0].address:
        yield f"This comparison: <{address}>\n"


def as_markdown(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> str:
    return "".join(markdown_pieces(comparisons, slas))


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"{'#' * block.level} {escape(block.text)}"
    elif isinstance(block, Paragraph):
        yield f"**{escape(block.text)}**" if block.strong else escape(block.text)
    elif isinstance(block, Chart):
        for bar in block.bars.bars:
            yield f"- {bar.side} {number(bar.sessions)} active sessions: {escape(', '.join(p.text for p in bar.parts))}"
    elif isinstance(block, Items):
        for item in block.items:
            strong = f"**{escape(item.strong)}** " if item.strong else ""
            yield f"- {f'~~{strong.strip()}~~ ' if item.struck else strong}{escape(item.text)}"
            yield from (f"  - {escape(text)}" for text in item.under)
    elif isinstance(block, Section):
        yield f"## {escape(block.title)}"
        yield ""
        yield block.note
        if block.table is not None:
            yield ""
            yield from _table(block.table)
    else:
        yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    yield _row([escape(label) for label in table.head])
    yield _row(["---", *("---:" for _ in table.head[1:])])
    for line in table.lines:
        yield _row([_cell(cell) for cell in line.cells])


def _cell(cell: str | Changed) -> str:
    if isinstance(cell, Changed):
        return f"{_cell(cell.text)} ({cell.change})"
    return cell if isinstance(cell, Own) else escape(cell)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
