"""A comparison as Markdown: the verdict, then what changed, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.blocks import Block, Changed, Chart, Heading, Items, Own, Paragraph, Section, Table
from awrdiff.analysis.export.inert import escape
from awrdiff.analysis.export.outline import outline
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.words import number


def markdown_pieces(comparisons: Sequence[Comparison], slas: Sequence[Sla | None] = ()) -> Iterator[str]:
    """Lines; sections are iterated once, the rows of each twice."""
    yield from lines_of_blocks(outline(comparisons, slas, every_row=False))
    if address := comparisons[0].address:
        yield f"This comparison: <{address}>\n"


def lines_of_blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        for line in _lines(block):
            yield f"{line}\n"
        yield "\n"


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
        yield block.said
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
