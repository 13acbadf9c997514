"""Verdict, pins and addresses as text to paste: Markdown, plain, HTML. Text out of a report is inert in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape as in_html

from awrdiff.analysis.export.markdown import escape as in_markdown


@dataclass(frozen=True, slots=True)
class WrittenPin:
    """`url` leads to the pin; `note`: what became of it."""

    title: str
    place: str
    figures: Sequence[tuple[str, str]]
    url: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    title: str
    url: str
    verdict: str
    pins: Sequence[WrittenPin]


def markdown(sheet: Sheet) -> Iterator[str]:
    """Only the server's own addresses are links."""
    yield f"**{in_markdown(sheet.title)}**\n\n{in_markdown(sheet.verdict)}\n\n"
    for pin in sheet.pins:
        yield f"- **{in_markdown(pin.title)}**{_rest(pin, in_markdown)} <{pin.url}>\n"
    yield f"\n<{sheet.url}>\n"


def plain(sheet: Sheet) -> Iterator[str]:
    yield f"{sheet.title}\n\n{sheet.verdict}\n\n"
    for pin in sheet.pins:
        yield f"- {pin.title}{_rest(pin, str)}\n  {pin.url}\n"
    yield f"\n{sheet.url}\n"


def html(sheet: Sheet) -> Iterator[str]:
    """A fragment for a mail or a wiki."""
    yield f"<p><strong>{_link(sheet.url, sheet.title)}</strong></p>\n<p>{in_html(sheet.verdict)}</p>\n<ul>\n"
    for pin in sheet.pins:
        yield f"<li>{_link(pin.url, pin.title)}{_rest(pin, in_html)}</li>\n"
    yield "</ul>\n"


def _link(url: str, text: str) -> str:
    return f'<a href="{in_html(url)}">{in_html(text)}</a>'


def _rest(pin: WrittenPin, inert: Callable[[str], str]) -> str:
    """Place, note and figures."""
    beside = "".join(f" ({inert(text)})" for text in (pin.place, pin.note) if text)
    figures = "; ".join(f"{label} {text}" if label else text for label, text in pin.figures)
    return f"{beside}: {inert(figures)}" if figures else beside


FORMATS: dict[str, tuple[Callable[[Sheet], Iterator[str]], str]] = {
    "md": (markdown, "text/markdown; charset=utf-8"),
    "txt": (plain, "text/plain; charset=utf-8"),
    "html": (html, "text/html; charset=utf-8"),
}
