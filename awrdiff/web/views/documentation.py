"""Documents and export script, open to anyone: no team's data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from os.path import normpath
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from awrdiff.accounts.access import NotFound
from awrdiff.collecting.sqlplus_script import BadChoice, Wanted, script_of
from awrdiff.paths import ASSETS
from awrdiff.web.views.errors import answer
from awrdiff.whole_number_input import whole_number


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All documents by chapter, or with `q` a search."""
    text = request.GET.get("q", "")[:_LONGEST].strip()
    matches = find(text)
    context = {"text": text, "matches": matches[:_MOST_FOUND], "total": len(matches), "document": document(INDEX)}
    return render(request, "web/documents.html", context)


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    shown_document = document(name) if name != INDEX else None
    if shown_document is None and (now := _NEW_ADDRESSES.get(name, f"reference/{name}")) and document(now):
        return redirect("document", name=now, permanent=True)
    if shown_document is None:
        raise NotFound("There is no such document.")
    return render(request, "web/document.html", {"document": shown_document, "name": name, "chapters": chapters()})


@require_safe
def script(request: HttpRequest) -> HttpResponse:
    """`awrdiff script` without the command line: its options as parameters."""
    try:
        text = script_of(_wanted(request.GET))
    except BadChoice as bad:
        return answer(request, 400, str(bad))
    headers = {"Content-Disposition": 'attachment; filename="awrdiff_reports.sql"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)


def _wanted(parameters: QueryDict) -> Wanted:
    options: dict[str, Any] = {name: parameters[name] == "yes" for name in _YES if name in parameters}
    for name in ("hours", "instance"):
        if parameter := parameters.get(name):
            options[name] = whole_number(parameter, 999_999)
            if options[name] is None:
                raise BadChoice(f"“{name}” must be a number.")
    return Wanted(**options)


# Documents that were put together with others; what is looked up moved to reference/ under its own name.
_NEW_ADDRESSES = {
    "team-reference": "reference/team",
    **dict.fromkeys(("notices", "sharing"), "reference/team"),
    **dict.fromkeys(("incidents", "people", "review", "threads"), "team"),
}
_MOST_FOUND = 40
_LONGEST = 200  # characters of what is looked for
_YES = ("statspack", "is_global", "text", "ash", "addm")


FOLDER = ASSETS / "docs"
INDEX = "README"
_NAME = re.compile(r"(?:reference/)?[a-z-]{1,40}")
_NUMBERED = re.compile(r"(\d+)\.\s")
_AMONG = re.compile(r"((?:\.\./|reference/)?[a-z-]+|(?:\.\./)?README)\.md(#[\w-]+)?")
_LISTED = re.compile(r"- \[(?P<title>[^]]+)\]\((?P<name>[a-z/-]+)\.md\)")
_COMMENT = re.compile(r"^<!-- .+ -->\n", re.MULTILINE)
_HEADING = re.compile(r"#{1,6} (.*)")
_RULER = re.compile(r"\|[\s:|-]+\|")  # below the head of a table
_LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
_AROUND = 110  # characters on each side of what is found


@dataclass(frozen=True, slots=True)
class Heading:
    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    html: str  # raw HTML in the source is shown as text
    headings: tuple[Heading, ...]  # of its second level


@dataclass(frozen=True, slots=True)
class Entry:
    title: str
    name: str


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    document: str
    name: str
    heading: str
    text: str
    headed: str  # both titles, in small letters
    words: str  # of these and the text


@dataclass(frozen=True, slots=True)
class Match:
    document: str
    heading: str  # empty: what stands above the first
    url: str
    before: str
    hit: str
    after: str


@lru_cache(maxsize=64)
def document(name: str) -> Document | None:
    """None if missing."""
    path = FOLDER / f"{name}.md"
    if not (name == INDEX or _NAME.fullmatch(name)) or not path.is_file():
        return None
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_source(path))
    title = next((t.content for t in tokens if t.type == "inline"), name)
    headings = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = Heading(_plain(tokens[at + 1].content), anchor(tokens[at + 1].content))
            token.attrSet("id", heading.anchor)
            headings += [heading] if token.tag == "h2" else []
        elif token.type == "table_open":
            token.attrSet("class", "mini")
            token.attrSet("tabindex", "0")  # on a phone it scrolls sideways: by keys too
        elif token.type == "th_open" and not tokens[at + 1].content:
            token.tag = tokens[at + 2].tag = "td"  # a head without words is none
        elif token.type == "inline":
            token.children = _links(token.children or [], path.parent)
    return Document(title, str(markdown.renderer.render(tokens, markdown.options, {})), tuple(headings))


@cache
def chapters() -> tuple[Chapter, ...]:
    _, *blocks = re.split(r"^## ", (FOLDER / f"{INDEX}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    chapter_list = (
        Chapter(block.partition("\n")[0], tuple(Entry(m["title"], m["name"]) for m in _LISTED.finditer(block)))
        for block in blocks
    )
    return tuple(chapter for chapter in chapter_list if chapter.entries)


def find(text: str) -> list[Match]:
    """Every word: headings first, then exact phrases, each in chapter order."""
    words = list(dict.fromkeys(text.casefold().split()))
    if not words:
        return []
    phrase = " ".join(words)
    matching = [p for p in _parts() if all(word in p.words for word in words)]
    matching.sort(key=lambda p: (not all(word in p.headed for word in words), phrase not in p.words))
    return [_match_of(part, (phrase, *words)) for part in matching]


def anchor(heading: str) -> str:
    """`section-4`, else its words, as Git hosts make them."""
    if numbered := _NUMBERED.match(heading):
        return f"section-{numbered[1]}"
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


@cache
def _parts() -> tuple[_Part, ...]:
    names = [entry.name for chapter in chapters() for entry in chapter.entries]
    return tuple(part for name in names for part in _parts_of(name))


def _source(path: Path) -> str:
    return _COMMENT.sub("", path.read_text(encoding="utf-8"))


def _parts_of(name: str) -> Iterator[_Part]:
    title, heading, lines, is_code = "", "", [], False
    for line in _source(FOLDER / f"{name}.md").splitlines():
        is_code ^= line.startswith("```")
        if _RULER.fullmatch(line):
            continue
        if is_code or not (headed := _HEADING.fullmatch(line)):
            lines.append(line)
            continue
        if title:
            yield _part(title, name, heading, lines)
        heading, lines = (headed[1] if title else ""), []
        title = title or _plain(headed[1])
    yield _part(title, name, heading, lines)


def _part(title: str, name: str, heading: str, lines: list[str]) -> _Part:
    text, headed = _plain(" ".join(lines)), f"{title} {heading}".casefold()
    return _Part(title, name, heading, text, headed, f"{headed} {text.casefold()}")


def _plain(text: str) -> str:
    text = re.sub(r"[`*]", "", _LINK.sub(r"\1", text))
    return " ".join(re.sub(r"(\s*\|\s*)+", " · ", text).split())


def _match_of(part: _Part, sought: tuple[str, ...]) -> Match:
    text = part.text.lower()
    at, length = next(((text.find(word), len(word)) for word in sought if word in text), (0, 0))
    begin, end = max(0, at - _AROUND), at + length + _AROUND
    url = reverse("document", args=[part.name]) + (f"#{anchor(part.heading)}" if part.heading else "")
    before = ("… " if begin else "") + part.text[begin:at]
    after = part.text[at + length : end] + (" …" if end < len(part.text) else "")
    return Match(part.document, _plain(part.heading), url, before, part.text[at : at + length], after)


def _links(tokens: list[Token], folder: Path) -> list[Token]:
    rewritten: list[Token] = []
    dropped = 0
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href") or ""), folder)
            if not address:
                dropped += 1
                continue
            token.attrSet("href", address)
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        rewritten.append(token)
    return rewritten


def _address(href: str, folder: Path) -> str:
    if among := _AMONG.fullmatch(href):
        path = Path(normpath(folder / f"{among[1]}.md"))
        if path.is_relative_to(FOLDER) and path.is_file():
            name = str(path.relative_to(FOLDER).with_suffix(""))
            return (reverse("documents") if name == INDEX else reverse("document", args=[name])) + (among[2] or "")
    return href if href.startswith(("https://", "#")) else ""
