"""Typed Markdown made safe and portable: unsupported text is escaped, links are http(s), nothing stays open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from awrdiff.analysis.export.markdown import escape
from awrdiff.threads import comment_rendering

_BOX = re.compile(r"\[[ xX]\](?=\s)")
_PROMPT = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?(?=\S)(?!\[[ xX]\]\s*$)")
BOX, END = "box", "box_end"


@dataclass(frozen=True, slots=True)
class Task:
    """`at`: line number; `text`: Markdown."""

    at: int
    is_ticked: bool
    text: str


def lines_of(text: str) -> list[Task]:
    """Tasks outside code and links."""
    return [task for task, _ in _tasks(comment_rendering.tokens(text))] if _BOX.search(text) else []


def _tasks(tokens: Iterable[Token]) -> Iterator[tuple[Task, list[Token]]]:
    """With their paragraph's tokens; the first has the box."""
    is_first = False
    for token in tokens:
        if token.type == "inline" and is_first and token.map and _BOX.match(token.content):
            first = token.content.split("\n")[0]
            children = token.children or []
            if (task_text := first[3:].strip()) and children[0].type == "text":
                yield Task(token.map[0], first[1] != " ", task_text), children
        is_first = token.type == "list_item_open" or (is_first and token.type == "paragraph_open")


def tick(text: str, line: str, *, ticked: bool) -> str | None:
    """First of equal lines (un)ticked; None if missing."""
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
    """By line, after `new` replaced `old` with ticks `before`."""
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
    """Adds an element per box (`BOX`) and end (`END`)."""
    all_tokens = comment_rendering.tokens(text)
    for number, (_, children) in enumerate(_tasks(all_tokens)):
        children[0].content = _BOX.sub("", children[0].content, count=1)
        end = next((at for at, child in enumerate(children) if child.type.endswith("break")), len(children))
        children[end:end] = _empty(END, "del", number)
        children[:0] = _empty(BOX, "ins", number)
    return all_tokens


def _empty(name: str, tag: str, number: int) -> list[Token]:
    return [Token(f"{name}_open", tag, 1, meta={"line": number}), Token(f"{name}_close", tag, -1)]


_BREAK = "  \n"
_MARKS, _MARKS_OR_SLASH = tuple("*_~"), tuple("*_~\\")
_AROUND = {"em": "*", "strong": "**", "s": "~~"}
_EMPTY = re.compile(r"<(ins|del)></\1>")
_SIGN = {
    True: '<span class="tick" role="img" aria-label="ticked">☑</span>',
    False: '<span class="tick" role="img" aria-label="not ticked">☐</span>',
}


def as_html(text: str, box: Callable[[int], str] | None = None, remark: Callable[[int], str] | None = None) -> str:
    """Safe HTML; `box` and `remark` per checklist line."""
    lines = lines_of(text)
    numbers = {"ins": count(), "del": count()}

    def put(match: re.Match[str]) -> str:
        number = next(numbers[match[1]])
        if match[1] == "del":
            return remark(number) if remark else ""
        return box(number) if box else _SIGN[lines[number].is_ticked]

    page_html = comment_rendering.html_of(tokens_of(text), numbers) if lines else comment_rendering.html(text)
    page_html = re.sub(r"(</?h)([456])>", lambda m: f"{m[1]}{int(m[2]) - 1}>", page_html)
    return _EMPTY.sub(put, page_html)


def as_markdown(text: str, remarks: Sequence[str] = ()) -> Iterator[str]:
    """Lines; `remarks` follow the checklist lines."""
    signs = {True: "[x]", False: "[ ]"}
    boxes = [signs[task.is_ticked] for task in lines_of(text)]
    ends = [f" ({escape(remark)})" if remark else "" for remark in remarks]
    texts_by_type = {BOX: boxes, END: ends + [""] * len(boxes)}
    root = SyntaxTreeNode(tokens_of(text))
    for node in root.walk():
        if node.type in texts_by_type:
            node.meta["written"] = texts_by_type[node.type][node.meta["line"]]
    yield from _blocks(root.children)


def _blocks(nodes: Sequence[SyntaxTreeNode]) -> Iterator[str]:
    for at, node in enumerate(nodes):
        if at:
            yield ""
        yield from _block(node)


def _block(node: SyntaxTreeNode) -> Iterator[str]:
    if node.type == "heading":
        yield f"{'#' * (int(node.tag[1]) - 1)} {_inline(node.children).replace(_BREAK, ' ')}"
    elif node.type in ("bullet_list", "ordered_list"):
        yield from _list(node)
    elif node.type == "blockquote":
        yield from (f"> {line}" if line else ">" for line in _blocks(node.children))
    elif node.type in ("fence", "code_block"):
        yield from _code(node.content)
    elif node.type == "hr":
        yield "---"
    else:
        yield from _inline(node.children).split("\n")


def _list(node: SyntaxTreeNode) -> Iterator[str]:
    numbers = count(int(node.attrs.get("start", 1)))
    for item in node.children:
        mark = "- " if node.type == "bullet_list" else f"{next(numbers)}. "
        for at, line in enumerate(_tight(item)):
            yield f"{' ' * len(mark) if at else mark}{line}" if line or not at else ""


def _tight(item: SyntaxTreeNode) -> Iterator[str]:
    """A nested list directly follows its item's text."""
    for at, node in enumerate(item.children):
        if at and not node.type.endswith("_list"):
            yield ""
        yield from _block(node)


def _code(content: str) -> Iterator[str]:
    """Fence longer than any inside."""
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", content) or [""]))
    yield fence
    yield from content.rstrip("\n").split("\n")
    yield fence


def _inline(
    nodes: Sequence[SyntaxTreeNode],
    around: frozenset[str] = frozenset(),
    outside: tuple[str, str] = ("", ""),
) -> str:
    """`outside`: neighbouring characters; `around`: open marks, not repeated inside."""
    written_text = ""
    for node, after in zip(nodes, _after_each(nodes, outside[1]), strict=True):
        before = written_text[-1:] or outside[0]
        node_text = _write(node, around, (before, after))
        written_text += (
            f" {node_text}" if written_text.endswith("`") and node_text.startswith("`") else node_text
        )  # they would be one
    return written_text


def _after_each(nodes: Sequence[SyntaxTreeNode], last: str) -> list[str]:
    following = [last]
    for node in reversed(nodes[1:]):
        following.append(_beginning(node) or following[-1])
    return following[::-1][: len(nodes)]


def _beginning(node: SyntaxTreeNode) -> str:
    if node.type == "link":
        return "["
    if node.type in _AROUND:
        return next(filter(None, map(_beginning, node.children)), "")
    return _leaf(node)[:1]


def _write(node: SyntaxTreeNode, around: frozenset[str], outside: tuple[str, str]) -> str:
    if node.type == "inline":
        return _inline(node.children)
    if node.type == "link":
        inside = _inline(node.children, around, ("[", "]"))
        return f"[{inside}](<{str(node.attrs['href']).replace('<', '%3C').replace('>', '%3E')}>)"
    mark = _AROUND.get(node.type)
    if mark is None:
        return _leaf(node)
    inside = _inline(node.children, around | {mark}, outside)
    return inside if mark in around else _mark(inside, mark, *outside)


def _leaf(node: SyntaxTreeNode) -> str:
    if node.type in (BOX, END):
        return str(node.meta["written"])
    if node.type == "code_inline":
        content = node.content
        ticks = "`" * (1 + max((len(run) for run in re.findall("`+", content)), default=0))
        return f"{ticks} {content} {ticks}" if "`" in content[:1] + content[-1:] else f"{ticks}{content}{ticks}"
    return _inert(node.content) if node.type == "text" else _BREAK  # the page breaks the line at soft and hard ones


def _mark(text: str, mark: str, before: str, after: str) -> str:
    """Plain where some Markdown reader rejects the marks."""
    space, inside, rest = _trim(text)
    ends = ((space or before, inside[:1]), (rest or after, inside[-1:]))
    return f"{space}{mark}{inside}{mark}{rest}" if all(_opens(*end) for end in ends) else text


def _opens(outside: str, inside: str) -> bool:
    if not inside or inside in _MARKS or outside[-1:] in _MARKS_OR_SLASH:
        return False
    return inside.isalnum() or not outside or not outside[-1:].isalnum()


def _inert(text: str) -> str:
    """`!` before a link would make an image."""
    before, inside, after = _trim(text)
    escaped = escape(inside)
    escaped = f"{escaped[:-1]}\\!" if escaped.endswith("!") else escaped
    return f"{' ' if before else ''}{escaped}{' ' if after else ''}"


def _trim(text: str) -> tuple[str, str, str]:
    inside = text.strip()
    at = text.index(inside)
    return text[:at], inside, text[at + len(inside) :]


__all__ = ["as_html", "as_markdown"]
