"""Comments as HTML: Markdown without HTML, pictures or guessed links, and then what nh3 lets through.

`@name` means somebody where it stands in prose: not in code, nor in a link's address.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from awrdiff.redaction.prose import is_word

_NAME = re.compile(r"(?<![\w.@+/-])@([\w.@+-]+)")  # the characters a name may have
_TAGS = {
    "p", "br", "hr", "b", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h4", "h5", "h6",
}  # fmt: skip
_SHORT = 2_000  # characters: what is made of no more is remembered


def _safe(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _smaller(state: StateCore) -> None:
    """A heading inside a comment stands below those of the page."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 3)}"


def _mentions(state: StateCore) -> None:
    """Splits texts at the names in `state.env["names"]`, by what they are in small letters; notes who was meant."""
    names: Mapping[str, str] = state.env.get("names", {})
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = [new for child in token.children for new in _split_mentions(child, names, state.env)]


def _split_mentions(token: Token, names: Mapping[str, str], env: Any) -> list[Token]:
    if token.type != "text" or "@" not in token.content:
        return [token]
    made: list[Token] = []
    shown: Mapping[str, str] = env.get("shown", {})
    at = 0
    for found in _NAME.finditer(token.content):
        name = _longest(found[1], names)
        if name is None:
            continue
        end = found.start() + 1 + len(name)
        meant = names[name.casefold()]
        written = token.content[found.start() : end]
        made += [
            _text(token.content[at : found.start()], token.level),
            *_mention_tokens(f"@{shown[meant]}" if meant in shown else written),
        ]
        env.setdefault("meant", {})[meant] = None
        at = end
    return [*made, _text(token.content[at:], token.level)]


def _longest(written: str, names: Mapping[str, str]) -> str | None:
    """`ana.` at the end of a sentence is ana, where nobody is called `ana.`."""
    while written:
        if written.casefold() in names:
            return written
        if written[-1] not in ".-+@_":
            return None
        written = written[:-1]
    return None


def _text(content: str, level: int) -> Token:
    return Token("text", "", 0, content=content, level=level)


def _mention_tokens(content: str) -> list[Token]:
    return [Token("at_open", "b", 1, attrs={"class": "at"}), _text(content, 1), Token("at_close", "b", -1)]


def _markdown() -> MarkdownIt:
    # No tables: ten thousand characters can make half a megabyte of empty cells.
    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    made.enable("strikethrough").disable(["image", "html_block", "html_inline", "entity"])
    made.validateLink = _safe  # type: ignore[method-assign]
    made.core.ruler.push("smaller", _smaller)
    made.core.ruler.push("mentions", _mentions)
    return made


_MARKDOWN = _markdown()


def names_mentioned(body: str, names: Iterable[str]) -> list[str]:
    """The names that the text means, as they are written in `names`, in the order of the text."""
    env = _env(names, ())
    _MARKDOWN.parse(body, env)
    return list(env.get("meant", {}))


def html(body: str, mentions: Sequence[str] = (), shown: Mapping[str, str] | None = None) -> str:
    """Safe to be shown as it is; `mentions` are marked, as those are called who are in `shown`."""
    return (_remembered if len(body) <= _SHORT else _html)(body, tuple(mentions), _of_those(mentions, shown))


def _of_those(mentions: Sequence[str], shown: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, shown[name]) for name in mentions if name in shown) if shown else ()


def _env(mentions: Iterable[str], shown: Iterable[tuple[str, str]]) -> dict[str, Any]:
    return {"names": {name.casefold(): name for name in mentions}, "shown": dict(shown)}


def _html(body: str, mentions: tuple[str, ...], shown: tuple[tuple[str, str], ...]) -> str:
    return _clean(_MARKDOWN.render(body, _env(mentions, shown)), _TAGS)


def html_of(found: Sequence[Token], also: Iterable[str]) -> str:
    """Of `tokens`, safe to be shown as it is; `also` are tags of some that no text makes."""
    return _clean(_MARKDOWN.renderer.render(found, _MARKDOWN.options, {}), _TAGS.union(also))


def _clean(made: str, tags: set[str]) -> str:
    return nh3.clean(
        made,
        tags=tags,
        attributes={"a": {"href"}, "*": set()},
        allowed_classes={"b": {"at"}},
        url_schemes={"http", "https"},
        link_rel="nofollow noopener",
    )


_remembered = lru_cache(maxsize=2048)(_html)


def without_names(body: str, mentions: Collection[str], instead: str, also: Collection[str] = ()) -> str:
    """The text without the names it mentions, wherever they stand by themselves, in code too. `also`: what else one is
    called: of these, words like any other go only where they are written as names."""
    words = {name for name in also if is_word(name) and name.lower() != name.upper()}.difference(mentions)
    written = {*mentions, *also} - words
    written |= {name.casefold() for name in written}  # Strauß is mentioned by @STRAUSS too
    as_names = {form: f"(?-i:{re.escape(form)})" for word in words for form in (word, word.title(), word.upper())}
    forms = {form: one for form, one in as_names.items() if form != form.lower()}
    forms |= {name: re.escape(name) for name in written}
    names = "|".join(forms[name] for name in sorted(forms, key=len, reverse=True))
    return re.sub(rf"(?<!\w)@?(?:{names})(?!\w)", instead, body, flags=re.IGNORECASE) if names else body


def tokens(body: str) -> list[Token]:
    """What stands in it, for whoever writes it otherwise than as HTML."""
    return _MARKDOWN.parse(body, {})


def excerpt(body: str, mentions: Sequence[str] = (), shown: Mapping[str, str] | None = None, longest: int = 140) -> str:
    """The beginning in one line, without what is Markdown."""
    env = _env(mentions, _of_those(mentions, shown))
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
