"""Checklists in a section's text: lines `- [ ]`, ticked `- [x]`."""

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
    """`at`: line number in the text; `text`: Markdown."""

    at: int
    is_ticked: bool
    text: str


def lines_of(text: str) -> list[Task]:
    """Tasks outside code and links."""
    return [task for task, _ in _tasks(texts.tokens(text))] if _BOX.search(text) else []


def _tasks(tokens: Iterable[Token]) -> Iterator[tuple[Task, list[Token]]]:
    """Tasks with their paragraph's tokens, the first of which has the box."""
    is_first = False
    for token in tokens:
        if token.type == "inline" and is_first and token.map and _BOX.match(token.content):
            first = token.content.split("\n")[0]
            children = token.children or []
            if (task_text := first[3:].strip()) and children[0].type == "text":
                yield Task(token.map[0], first[1] != " ", task_text), children
        is_first = token.type == "list_item_open" or (is_first and token.type == "paragraph_open")


def tick(text: str, line: str, *, ticked: bool) -> str | None:
    """Text with this line (un)ticked, of equal ones the first; None without such a line."""
    same = [task for task in lines_of(text) if task.text == line]
    wanted = next((task for task in same if task.is_ticked != ticked), None)
    if wanted is None:
        return text if same else None
    rows = text.split("\n")
    rows[wanted.at] = _BOX.sub("[x]" if ticked else "[ ]", rows[wanted.at], count=1)
    return "\n".join(rows)


def ticked_by(
    before: Mapping[str, Any], old: str, new: str, user: int | None, at: datetime
) -> dict[str, dict[str, Any]]:
    """Ticks by line after `new` was saved over `old` with ticks `before`."""
    were = {task.text for task in lines_of(old) if task.is_ticked}
    mine = {"by": user, "at": at.isoformat(timespec="seconds")}
    now = [task.text for task in lines_of(new) if task.is_ticked]
    return {text: before[text] if text in were and text in before else mine for text in now}


def begun_with(prompt: str) -> str:
    """Lists of a prompt as checklist lines."""
    rows = (_PROMPT.match(row) for row in prompt.split("\n"))
    return "\n".join(f"- [ ] {match.string[match.end() :].rstrip()}" for match in rows if match)


def without_lists(prompt: str) -> str:
    return "\n".join(row for row in prompt.split("\n") if not _PROMPT.match(row)).strip()


def tokens_of(text: str) -> list[Token]:
    """Tokens with placeholder elements for each box (`BOX`) and line end (`END`), line number in `meta`."""
    all_tokens = texts.tokens(text)
    for number, (_, children) in enumerate(_tasks(all_tokens)):
        children[0].content = _BOX.sub("", children[0].content, count=1)
        end = next((at for at, child in enumerate(children) if child.type.endswith("break")), len(children))
        children[end:end] = _empty(END, "del", number)
        children[:0] = _empty(BOX, "ins", number)
    return all_tokens


def _empty(name: str, tag: str, number: int) -> list[Token]:
    return [Token(f"{name}_open", tag, 1, meta={"line": number}), Token(f"{name}_close", tag, -1)]
