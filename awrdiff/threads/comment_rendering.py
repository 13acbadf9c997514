"""Comments as HTML: Markdown without HTML, images and guessed links, cleaned by nh3. `@name` counts in prose only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from awrdiff.redaction.free_text import is_word

_NAME = re.compile(r"(?<![\w.@+/-])@([\w.@+-]+)")  # the characters a name may have
_TAGS = {
    "p", "br", "hr", "b", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h4", "h5", "h6",
}  # fmt: skip
_SHORT = 2_000  # characters: what is made of no more is remembered


def _safe(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _smaller(state: StateCore) -> None:
    """Headings in comments rank below the page's."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 3)}"


def _mentions(state: StateCore) -> None:
    """Names in `state.env["names"]` have lower-case keys."""
    names: Mapping[str, str] = state.env.get("names", {})
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = [new for child in token.children for new in _split_mentions(child, names, state.env)]


def _split_mentions(token: Token, names: Mapping[str, str], env: Any) -> list[Token]:
    if token.type != "text" or "@" not in token.content:
        return [token]
    parts: list[Token] = []
    display_names: Mapping[str, str] = env.get("shown", {})
    at = 0
    for match in _NAME.finditer(token.content):
        name = _longest(match[1], names)
        if name is None:
            continue
        end = match.start() + 1 + len(name)
        person = names[name.casefold()]
        mention = token.content[match.start() : end]
        parts += [
            _text(token.content[at : match.start()], token.level),
            Token("at_open", "b", 1, attrs={"class": "at"}),
            _text(f"@{display_names[person]}" if person in display_names else mention, 1),
            Token("at_close", "b", -1),
        ]
        env.setdefault("meant", {})[person] = None
        at = end
    return [*parts, _text(token.content[at:], token.level)]


def _longest(candidate: str, names: Mapping[str, str]) -> str | None:
    """`ana.` ending a sentence is ana, unless somebody is called `ana.`."""
    while candidate:
        if candidate.casefold() in names:
            return candidate
        if candidate[-1] not in ".-+@_":
            return None
        candidate = candidate[:-1]
    return None


def _text(content: str, level: int) -> Token:
    return Token("text", "", 0, content=content, level=level)


def _markdown() -> MarkdownIt:
    # No tables: ten thousand characters can make half a megabyte of empty cells.
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    parser.enable("strikethrough").disable(["image", "html_block", "html_inline", "entity"])
    parser.validateLink = _safe  # type: ignore[method-assign]
    parser.core.ruler.push("smaller", _smaller)
    parser.core.ruler.push("mentions", _mentions)
    return parser


_MARKDOWN = _markdown()


def names_mentioned(body: str, names: Iterable[str]) -> list[str]:
    """As spelt in `names`, in order."""
    env = _env(names, ())
    _MARKDOWN.parse(body, env)
    return list(env.get("meant", {}))


def html(body: str, mentions: Sequence[str] = (), display_names: Mapping[str, str] | None = None) -> str:
    """Safe HTML with `mentions` marked."""
    return (_remembered if len(body) <= _SHORT else _html)(body, tuple(mentions), _of_those(mentions, display_names))


def _of_those(mentions: Sequence[str], display_names: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, display_names[name]) for name in mentions if name in display_names) if display_names else ()


def _env(mentions: Iterable[str], display_names: Iterable[tuple[str, str]]) -> dict[str, Any]:
    return {"names": {name.casefold(): name for name in mentions}, "shown": dict(display_names)}


def _html(body: str, mentions: tuple[str, ...], display_names: tuple[tuple[str, str], ...]) -> str:
    return _clean(_MARKDOWN.render(body, _env(mentions, display_names)), _TAGS)


def html_of(parsed: Sequence[Token], extra_tags: Iterable[str]) -> str:
    """`extra_tags` are our own elements."""
    return _clean(_MARKDOWN.renderer.render(parsed, _MARKDOWN.options, {}), _TAGS.union(extra_tags))


def _clean(unsafe: str, tags: set[str]) -> str:
    return nh3.clean(
        unsafe,
        tags=tags,
        attributes={"a": {"href"}, "*": set()},
        allowed_classes={"b": {"at"}},
        url_schemes={"http", "https"},
        link_rel="nofollow noopener",
    )


_remembered = lru_cache(maxsize=2048)(_html)


def without_names(body: str, mentions: Collection[str], instead: str, also: Collection[str] = ()) -> str:
    """In code too. `also`: display names."""
    words = {name for name in also if is_word(name) and name.lower() != name.upper()}.difference(mentions)
    targets = {*mentions, *also} - words
    targets |= {name.casefold() for name in targets}  # Strauß is mentioned by @STRAUSS too
    as_names = {form: f"(?-i:{re.escape(form)})" for word in words for form in (word, word.title(), word.upper())}
    forms = {form: name for form, name in as_names.items() if form != form.lower()}
    forms |= {name: re.escape(name) for name in targets}
    names = "|".join(forms[name] for name in sorted(forms, key=len, reverse=True))
    return re.sub(rf"(?<!\w)@?(?:{names})(?!\w)", instead, body, flags=re.IGNORECASE) if names else body


def tokens(body: str) -> list[Token]:
    """For writers other than HTML."""
    return _MARKDOWN.parse(body, {})


def excerpt(
    body: str, mentions: Sequence[str] = (), display_names: Mapping[str, str] | None = None, longest: int = 140
) -> str:
    """Beginning in one line of plain text."""
    env = _env(mentions, _of_those(mentions, display_names))
    line = " ".join(" ".join(_plain(_MARKDOWN.parse(body[: 4 * longest], env))).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _plain(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children:
            yield "".join(
                child.content if child.content else " " * child.type.endswith("break") for child in token.children
            )
        elif token.type in ("fence", "code_block"):
            yield token.content
