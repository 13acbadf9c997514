"""A post-mortem as a file: Markdown for a repository or a wiki. As HTML it is templates/postmortems/export.html."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.export.inert import escape
from awrdiff.postmortems.markdown import as_markdown
from awrdiff.web.presenters.postmortem.page import SectionView, ShownCell, ShownTable

NOTHING = "None."
FILES = "Pictures and files of the timeline"


def markdown(
    title: str, said: str, url: str, sections: Sequence[SectionView], files: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """Line after line. `url` is the page's, "" where none is told; `said` whether it is reviewed; `files` names of
    those of the timeline, and addresses where they are told."""
    yield f"# Post-mortem: {escape(title)}\n\n{escape(said)}{f' <{url}>' if url else ''}\n\n"
    for one in sections:
        yield f"## {escape(one.title)}\n\n"
        if one.text:
            yield from (f"{line}\n" for line in as_markdown(one.text, [check.said for check in one.checks]))
            yield "\n"
        for table in one.tables:
            yield from _table(table, one.title)
        if not one.text and not one.tables:
            yield f"{NOTHING}\n\n"
    if files:
        yield f"## {FILES}\n\n"
        yield from (f"- {escape(name)}{f' <{address}>' if address else ''}\n" for name, address in files)


def _table(found: ShownTable, below: str) -> Iterator[str]:
    """`below` is the title it stands under: it is not said twice."""
    if found.caption.text != below:
        address = f" <{found.caption.url}>" if found.caption.url else ""
        yield f"**{escape(found.caption.text)}**{address}\n\n"
    if found.note:
        yield f"{escape(found.note)}\n\n"
    if found.rows:
        yield _row(map(escape, found.head))
        yield _row("---" for _ in found.head)
        yield from (_row(map(_cell, row)) for row in found.rows)
        yield "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(found: ShownCell) -> str:
    """The server's own addresses are links, and those of tickets as far as they are web addresses."""
    if not found.url:
        return escape(found.text)
    link = f"<{found.url.replace('|', '%7C').replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}>"
    return link if found.text == found.url else f"{escape(found.text)} {link}"
