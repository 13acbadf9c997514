"""A post-mortem as a file: Markdown for a repository or a wiki. As HTML it is templates/postmortems/export.html."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.export.blocks import Line, Own, Paragraph, Table
from awrdiff.analysis.export.inert import escape
from awrdiff.analysis.export.markdown import written
from awrdiff.postmortems.markdown import as_markdown
from awrdiff.web.presenters.postmortem.page import SectionView, ShownCell, ShownTable

NOTHING = "Nothing was written here."


def markdown(title: str, said: str, url: str, sections: Sequence[SectionView]) -> Iterator[str]:
    """Line after line. `url` is the page's, `said` whether it is reviewed."""
    yield f"# Post-mortem: {escape(title)}\n\n{escape(said)} <{url}>\n\n"
    for one in sections:
        yield f"## {escape(one.title)}\n\n"
        if one.text:
            yield from (f"{line}\n" for line in as_markdown(one.text))
            yield "\n"
        for table in one.tables:
            yield from _table(table)
        if not one.text and not one.tables:
            yield f"{NOTHING}\n\n"


def _table(found: ShownTable) -> Iterator[str]:
    address = f" <{found.caption.url}>" if found.caption.url else ""
    yield f"**{escape(found.caption.text)}**{address}\n\n"
    if found.note:
        yield from written([Paragraph(found.note)])
    if found.rows:
        lines = (Line(tuple(_cell(cell) for cell in row)) for row in found.rows)
        yield from written([Table(found.head, lines)])


def _cell(found: ShownCell) -> str:
    """The server's own addresses are links, and those of tickets as far as they are web addresses."""
    if not found.url:
        return found.text
    link = f"<{found.url.replace('|', '%7C').replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}>"
    return Own(link if found.text == found.url else f"{escape(found.text)} {link}")
