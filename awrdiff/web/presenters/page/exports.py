"""Downloads, by the writers of `manage.py compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.text import get_text_list, slugify

from awrdiff.analysis.export.brief import as_brief
from awrdiff.analysis.export.formats import FORMATS
from awrdiff.analysis.export.ticket import ticket_pieces
from awrdiff.analysis.model.comparison import Comparison

TICKET = "txt"


@dataclass(frozen=True, slots=True)
class Export:
    label: str
    said: str
    content_type: str
    write: Callable[[Sequence[Comparison]], Iterator[str]]
    brief: Callable[[Sequence[Comparison]], str] | None = None  # what stands for it without the sections
    for_people: bool = False  # the pair that is looked at comes first
    tells_sections: bool = True

    def written(self, comparisons: Sequence[Comparison], *, sections: bool) -> Iterator[str]:
        if sections or self.brief is None:
            return self.write(comparisons)
        return iter((self.brief(comparisons),))


# By the ending of the file.
EXPORTS = {
    "txt": Export(
        "Ticket",
        "both hours, verdict, who and what, the link: at most 12 lines",
        "text/plain; charset=utf-8",
        ticket_pieces,
        for_people=True,
        tells_sections=False,
    ),
    "md": Export(
        "Markdown",
        "everything that counts, as text",
        "text/markdown; charset=utf-8",
        FORMATS["markdown"],
        as_brief,
        for_people=True,
    ),
    "html": Export(
        "HTML",
        "one page to send: opens without network or script",
        "text/html; charset=utf-8",
        FORMATS["html"],
        for_people=True,
    ),
    "json": Export("JSON", "everything, for scripts", "application/json", FORMATS["json"]),
    "csv": Export("CSV", "every figure on a line, for a spreadsheet", "text/csv; charset=utf-8", FORMATS["csv"]),
}


ENDINGS = get_text_list(list(EXPORTS), "or")


def menu(url_of: Callable[[str], str], pair_parameters: str) -> list[tuple[str, str, str]]:
    """Address, label, content. `pair_parameters`: the pair's query."""
    return [
        (f"{url_of(ending)}{pair_parameters if export.for_people else ''}", export.label, export.said)
        for ending, export in EXPORTS.items()
    ]


def file_name(title: str, ending: str) -> str:
    """`awrdiff-receipt-11-jan-2018-0930-1030-1130-1231.md`"""
    return f"awrdiff-{slugify(title)[:80].strip('-') or 'comparison'}.{ending}"
