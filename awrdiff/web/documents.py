"""The project's own documents (docs/*.md) as HTML, for links out of pages; a link among them stays among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.token import Token

from awrdiff.places import ASSETS

FOLDER = ASSETS / "docs"
_NAME = re.compile(r"[a-z-]{1,40}")
_NUMBERED = re.compile(r"(\d+)\.\s")
_AMONG = re.compile(r"([a-z-]+)\.md(#[\w-]+)?")


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    html: str  # raw HTML in the source is shown as text


@lru_cache(maxsize=32)
def document(name: str) -> Document | None:
    """None where there is no such document."""
    path = FOLDER / f"{name}.md"
    if not _NAME.fullmatch(name) or not path.is_file():
        return None
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = next((t.content for t in tokens if t.type == "inline"), name)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(tokens[at + 1].content))
        elif token.type == "table_open":
            token.attrSet("class", "mini")
        elif token.type == "inline":
            token.children = _links(token.children or [])
    return Document(title, str(markdown.renderer.render(tokens, markdown.options, {})))


def anchor(heading: str) -> str:
    """`section-4` of a numbered heading; else its words, as Git hosts make them."""
    if numbered := _NUMBERED.match(heading):
        return f"section-{numbered[1]}"
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def _links(tokens: list[Token]) -> list[Token]:
    """Links to other documents lead to their pages; those to files of the source are left as their text."""
    kept: list[Token] = []
    dropped = 0
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href") or ""))
            if not address:
                dropped += 1
                continue
            token.attrSet("href", address)
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        kept.append(token)
    return kept


def _address(href: str) -> str:
    among = _AMONG.fullmatch(href)
    if among and (FOLDER / f"{among[1]}.md").is_file():
        return reverse("document", args=[among[1]]) + (among[2] or "")
    return href if href.startswith(("https://", "#")) else ""
