"""Checklists inside a section: lines of its text that begin with `- [ ]`, and with `- [x]` once they are ticked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markdown_it.token import Token

from awrdiff.threads import texts

_BOX = re.compile(r"\[[ xX]\](?=\s)")
_PROMPT = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?(?=\S)(?!\[[ xX]\]\s*$)")
BOX, END = "box", "box_end"


@dataclass(frozen=True, slots=True)
class Task:
    """`at` is where it stands among the lines of the text; `text` what is to be done, as Markdown."""

    at: int
    is_ticked: bool
    text: str


def lines_of(text: str) -> list[Task]:
    """In code there are none, nor where the box is a link."""
    return [task for task, _ in _tasks(texts.tokens(text))] if _BOX.search(text) else []


def _tasks(tokens: Iterable[Token]) -> Iterator[tuple[Task, list[Token]]]:
    """With what its paragraph is made of, the first of which begins with the box."""
    is_first = False
    for token in tokens:
        if token.type == "inline" and is_first and token.map and _BOX.match(token.content):
            first = token.content.split("\n")[0]
            children = token.children or []
            if (said := first[3:].strip()) and children[0].type == "text":
                yield Task(token.map[0], first[1] != " ", said), children
        is_first = token.type == "list_item_open" or (is_first and token.type == "paragraph_open")


def tick(text: str, line: str, *, ticked: bool) -> str | None:
    """With the line that says this ticked, or not ticked any more: of several the first that is not so yet. None where
    no line says it."""
    same = [one for one in lines_of(text) if one.text == line]
    wanted = next((one for one in same if one.is_ticked != ticked), None)
    if wanted is None:
        return text if same else None
    rows = text.split("\n")
    rows[wanted.at] = _BOX.sub("[x]" if ticked else "[ ]", rows[wanted.at], count=1)
    return "\n".join(rows)


def ticked_by(
    before: Mapping[str, Any], old: str, new: str, user: int | None, at: datetime
) -> dict[str, dict[str, Any]]:
    """Who ticked which line and when, after somebody saved `new` over `old`, of which it was `before`."""
    were = {one.text for one in lines_of(old) if one.is_ticked}
    mine = {"by": user, "at": at.isoformat(timespec="seconds")}
    now = [one.text for one in lines_of(new) if one.is_ticked]
    return {text: before[text] if text in were and text in before else mine for text in now}


def begun_with(prompt: str) -> str:
    """The lists of a prompt, as lines to be ticked."""
    rows = (_PROMPT.match(row) for row in prompt.split("\n"))
    return "\n".join(f"- [ ] {found.string[found.end() :].rstrip()}" for found in rows if found)


def without_lists(prompt: str) -> str:
    return "\n".join(row for row in prompt.split("\n") if not _PROMPT.match(row)).strip()


def tokens_of(text: str) -> list[Token]:
    """What stands in it, with elements that no text makes in place of each box (`BOX`) and at the end of its line
    (`END`): empty, in `meta` the number of the line."""
    found = texts.tokens(text)
    for number, (_, children) in enumerate(_tasks(found)):
        children[0].content = _BOX.sub("", children[0].content, count=1)
        end = next((at for at, one in enumerate(children) if one.type.endswith("break")), len(children))
        children[end:end] = _empty(END, "del", number)
        children[:0] = _empty(BOX, "ins", number)
    return found


def _empty(name: str, tag: str, number: int) -> list[Token]:
    return [Token(f"{name}_open", tag, 1, meta={"line": number}), Token(f"{name}_close", tag, -1)]
