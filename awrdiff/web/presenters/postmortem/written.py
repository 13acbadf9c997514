"""A post-mortem as Markdown; its HTML file is templates/postmortems/export.html."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.export.markdown import escape
from awrdiff.postmortems.markdown import as_markdown

NOTHING = "None."
FILES = "Pictures and files of the timeline"


def markdown(
    title: str, review_text: str, url: str, sections: Sequence[SectionView], files: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """Lines. `url`: page address or ""; `said`: review status; `files`: names of the timeline's files, with addresses
    if known.
    """
    yield f"# Post-mortem: {escape(title)}\n\n{escape(review_text)}{f' <{url}>' if url else ''}\n\n"
    for section in sections:
        yield f"## {escape(section.title)}\n\n"
        if section.text:
            yield from (f"{line}\n" for line in as_markdown(section.text, [check.said for check in section.checks]))
            yield "\n"
        for table in section.tables:
            yield from _table(table, section.title)
        if not section.text and not section.tables:
            yield f"{NOTHING}\n\n"
    if files:
        yield f"## {FILES}\n\n"
        yield from (f"- {escape(name)}{f' <{address}>' if address else ''}\n" for name, address in files)


def _table(shown_table: ShownTable, below: str) -> Iterator[str]:
    """`below`: heading above, not repeated."""
    if shown_table.caption.text != below:
        address = f" <{shown_table.caption.url}>" if shown_table.caption.url else ""
        yield f"**{escape(shown_table.caption.text)}**{address}\n\n"
    if shown_table.note:
        yield f"{escape(shown_table.note)}\n\n"
    if shown_table.rows:
        yield _row(map(escape, shown_table.head))
        yield _row("---" for _ in shown_table.head)
        yield from (_row(map(_cell, row)) for row in shown_table.rows)
        yield "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(shown_cell: ShownCell) -> str:
    """Links to the server's own pages, and to tickets with web addresses."""
    if not shown_cell.url:
        return escape(shown_cell.text)
    link = f"<{shown_cell.url.replace('|', '%7C').replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}>"
    return link if shown_cell.text == shown_cell.url else f"{escape(shown_cell.text)} {link}"
