"""Everything that can be reached below a link: its pages are walked by their own links, then by all addresses there are."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import quote

from django.test import Client

from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.reports.models import Report, ReportSection
from tests.web.pages import body

_LINK = re.compile(r'(?:href|src|action|hx-get|hx-post|data-[a-z-]+|content)="([^"]*)"')
_HX = {"HX-Request": "true"}
_JSON = {"Accept": "application/json"}
ENDINGS = ("txt", "md", "csv", "json", "html")


def answers(client: Client, path: str, copy: Comparison | Report, *, most: int) -> Iterator[tuple[str, int, bytes]]:
    """Address, status, and every byte that is answered: headers, cookies and body. `most`: pages found by links."""
    yield from walked(client, path, most=most)
    listed = _of_report(path, copy) if isinstance(copy, Report) else _addresses(path, copy)
    for url, headers in listed:
        yield url, *asked(client, url, headers)


def walked(client: Client, path: str, *, most: int) -> Iterator[tuple[str, int, bytes]]:
    """The same of the pages below the link that its pages lead to, as a browser and as a script asks for them."""
    seen: dict[str, None] = {}
    waiting = [path]
    while waiting and len(seen) < most:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen[url] = None
        for headers in ({}, _HX, _JSON):
            status, data = asked(client, url, headers)
            yield url, status, data
            waiting += [u for u in _links(data, path, url) if u not in seen]


def asked(client: Client, url: str, headers: dict[str, str]) -> tuple[int, bytes]:
    answer = client.get(url, headers=headers)
    head = "\n".join(f"{k}: {v}" for k, v in answer.items()) + answer.cookies.output()
    return answer.status_code, head.encode() + b"\n\n" + body(answer)


def _links(data: bytes, path: str, at: str) -> list[str]:
    found = [html.unescape(u).partition("#")[0] for u in _LINK.findall(data.decode())]
    own = [at.partition("?")[0] + u if u.startswith("?") else u for u in found]
    return list(dict.fromkeys(u for u in own if u.startswith(path)))


def _of_report(path: str, copy: Report) -> Iterator[tuple[str, dict[str, str]]]:
    yield f"{path}commit/", _JSON
    for number, section in enumerate(ReportSection.objects.filter(report=copy).values_list("section_id", flat=True)):
        for headers in (_HX, _JSON, *([{}] if number % 8 == 0 else ())):  # the page around the rows is the same
            yield f"{path}sections/{quote(section)}/?all=1", headers
    yield from _searches(path)


def _addresses(path: str, copy: Comparison) -> Iterator[tuple[str, dict[str, str]]]:
    """What scripts ask for."""
    yield path, _JSON
    yield f"{path}commit/", _JSON
    yield f"{path}trend/", _JSON
    yield f"{path}?baseline=0,1&second=2", {}
    for ending in ENDINGS:
        for query in ("", "?part=summary", "?baseline=0,1&second=2"):
            yield f"{path}export.{ending}{query}", {}
    listed = ComparisonSection.objects.filter(comparison=copy, pair=0).values_list("section_id", flat=True)
    for number, section in enumerate(listed):
        own = f"{path}sections/{quote(section)}/"
        yield f"{own}?all=1", _HX
        for query in ("?columns=each", "?baseline=0,1&second=2", "?pair=1") if number % 8 == 0 else ():
            yield own + query, _HX
            yield own + query, _JSON
            yield f"{path}trend/?section={quote(section)}", _JSON
    yield from _searches(path)


def _searches(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    for word in ("log", "user", "host", "inst"):
        yield f"{path}search/?q={word}&found=1", _JSON
