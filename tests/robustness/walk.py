"""All there is to see of a report, a comparison and a share link, some of it by chance."""

from __future__ import annotations

import random
import re
from typing import Any
from urllib.parse import quote

from tests.robustness.answers import HTMX, JSON, Visitor, Wrong

QUERIES = (
    "sync", "%", "_", "\\", "'\"", "\x00", "a\x00b", "<k7>", '"><k7>', "%_%\\%", "ﬀ", "İ", "𝕏", "\u202e", "\ud800",
    "x" * 5000, " " * 300, "\n\r\t", "{{ 7*7 }}", "; DROP TABLE", "🙂" * 90, "-1", "NaN",
)  # fmt: skip
OPTIONS = (
    "", "all=1", "all=1&columns=all", "basis=s", "basis=txn", "basis=nonsense", "from=10", "from=999999", "sort=0d",
    "sort=99a", "sort=-1", "pair=1", "pair=999999", "row=%00", "row=x", "all=1&sort=1d&basis=total", "columns=%FF",
)  # fmt: skip
SLAS = ("", "?sla=10ms", "?sla=1e309s", "?sla=%00", "?sla=-1", "?sla=NaN&same_work=1", "?pair=1&sla=5", "?pair=77")
SHARED_RATE = 429  # a link may be asked too often: that is said, and right
_EXPORT = re.compile(rb'href="(/[^"]+/export\.[a-z]+)')


class Walk:
    """One round. With `whole`, nothing is left to chance."""

    def __init__(self, visitor: Visitor, chance: random.Random, *, whole: bool) -> None:
        self.visitor, self.chance, self.whole = visitor, chance, whole

    def some(self, things: Any, number: int) -> list[Any]:
        found = list(things)
        return found if self.whole or len(found) <= number else self.chance.sample(found, number)

    def maybe(self, one_in: int) -> bool:
        return self.whole or self.chance.randrange(one_in) == 0

    def report(self, url: str) -> str:
        """Its JSON, page, some sections, its commit page and searches. The state it is in."""
        document = self._settled(url)
        self.visitor.get(url)
        if document["state"] == "ready":
            self.sections([f"{url}sections/{s['id']}/" for s in document["sections"]], 1)
            if self.maybe(3):
                self._looked_for(f"{url}search/")
            if self.maybe(4):
                several = bool(document["parts"])  # each of them has commits of its own
                self._commits(f"{url}commit/", *((302,) if several else ()))
        return str(document["state"])

    def comparison(self, url: str) -> str:
        """Its JSON, page, some sections, commit page, searches and exports. The state it is in."""
        document = self._settled(url)
        page = self._page(url, document)
        if document["state"] != "ready":
            return str(document["state"])
        self.sections([s["url"] for s in document["sections"]], 2)
        if self.maybe(2):
            self._looked_for(f"{url}search/")
        self.exports(page, 1)
        if self.maybe(3):
            self._commits(f"{url}commit/")
        if self.maybe(4):
            self._options(url, document)
        return "ready"

    def link(self, url: str) -> None:
        """What whoever holds the link sees."""
        document = self.visitor.json(url, SHARED_RATE)
        page = self._page(url, document, "", SHARED_RATE)
        if document.get("state") != "ready":
            return
        self.sections([s["url"] for s in document["sections"]], 1, SHARED_RATE)
        self.exports(page, 1, SHARED_RATE)
        self._commits(f"{url}commit/", SHARED_RATE)
        self._looked_for(f"{url}search/", SHARED_RATE)

    def _page(self, url: str, document: Any, way: str = "", *also: int) -> bytes:
        """Of three reports or more an address without a pair is sent on to the latest."""
        page = self.visitor.get(f"{url}?{way}", 302, *also)
        if self.visitor.status == 302:
            page = self.visitor.get(f"{url}?{way}&pair={len(document['reports']) - 1}", *also)
        return page

    def sections(self, urls: list[str], number: int, *also: int) -> None:
        """As the page loads them, as a page of their own, and as JSON."""
        for url in self.some(urls, number):
            for way in self.some(OPTIONS, 1):
                status = (404, *also) if "pair=" in way else also
                self.visitor.get(f"{url}?{way}", *status, **HTMX)
            for query in self.some(QUERIES, 1) if self.maybe(4) else ():
                self.visitor.get(f"{url}?q={_quoted(query)}", *also, **HTMX)
            if self.maybe(4):
                self.visitor.get(url, *also)
            if self.maybe(3):
                self.visitor.json(url, *also)

    def exports(self, page: bytes, number: int, *also: int) -> None:
        """Those that the page offers."""
        found = sorted({m.decode() for m in _EXPORT.findall(page)})
        if not found and not also:
            raise Wrong("the page offers no export")
        for path in self.some(found, number):
            self.visitor.get(path + ("?part=summary" if self.maybe(8) else ""), *also)

    def _settled(self, url: str) -> dict[str, Any]:
        """The JSON of a report or comparison that the workers are done with, without a fault of theirs."""
        found: dict[str, Any] = self.visitor.json(url)
        if found["state"] not in ("ready", "failed"):
            raise Wrong(f"{url} is left {found['state']}")
        if found.get("error_code") in ("gave-up", "too-long"):
            raise Wrong(f"{url}: {found['error_code']}")
        if found["state"] == "failed" and not str(found["error"]).endswith((".", ")", "”")):
            raise Wrong(f"{url}: no sentence: {found['error']!r}")
        return found

    def _commits(self, url: str, *also: int) -> None:
        for way in self.some(SLAS, 1):
            self.visitor.get(url + way, *also, *((404,) if "pair" in way else ()))
        if self.maybe(2):
            self.visitor.send("get", url, None, 200, *also, **JSON)

    def _looked_for(self, url: str, *also: int) -> None:
        for query in self.some(QUERIES, 1):
            self.visitor.json(f"{url}?q={_quoted(query)}", *also)

    def _options(self, url: str, document: Any) -> None:
        for way in self.some(OPTIONS, 1):
            if "pair=" in way:
                self.visitor.get(f"{url}?{way}", 404)
            else:
                self._page(url, document, way)


def _quoted(query: str) -> str:
    return quote(query.encode("utf-8", "surrogatepass"))
