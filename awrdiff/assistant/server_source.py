"""Reports and comparisons of an awrdiff server, by /api/v1 and a token."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from uuid import UUID

from awrdiff.assistant.report_source import Document, Page
from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.http_client import Answer, Server, Unreachable

ROOT = "api/v1/"
PATIENCE_S = 20.0  # for a comparison to be computed; it goes on without somebody who waits
_LOOK_AGAIN_S = 0.5
_LOOKED_AT = 200  # comparisons of a report, for the one of these reports


class Remote:
    """Only `compare` writes, if the token may and no such comparison exists."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def databases(self, limit: int, cursor: str) -> Page:
        return self._listed("databases", {"limit": str(limit), "cursor": cursor})

    def reports(self, database: str, limit: int, cursor: str) -> Page:
        condition = {"database": str(_id(database, "database"))} if database else {}
        return self._listed("reports", {"limit": str(limit), "cursor": cursor, **condition})

    def comparisons(self, limit: int, cursor: str) -> Page:
        return self._listed("comparisons", {"limit": str(limit), "cursor": cursor})

    def compare(self, reports: list[str]) -> Document:
        ids = [str(_id(report, "report")) for report in reports]
        of_first = self._listed("comparisons", {"limit": str(_LOOKED_AT), "report": ids[0]})
        comparison_id = next(
            (str(comparison["id"]) for comparison in of_first.items if comparison["reports"] == ids), None
        )
        if comparison_id is None:
            try:
                new = _fine(lambda: self._server.post_json(f"{ROOT}comparisons", {"reports": ids}))
            except Refused as refused:
                why = "These reports were not compared yet, and they cannot be compared by this token"
                raise Refused(f"{why}: {refused}") from None
            comparison_id = str(new["id"])
        end = time.monotonic() + PATIENCE_S
        document = self.overview(comparison_id, 0)
        while document["state"] in ("pending", "running") and time.monotonic() < end:
            time.sleep(_LOOK_AGAIN_S)
            document = self.overview(comparison_id, 0)
        return document

    def overview(self, comparison: str, pair: int) -> Document:
        return self._document(f"comparisons/{_id(comparison, 'comparison')}", {"pair": str(pair)})

    def section(self, comparison: str, section: str, pair: int) -> Document:
        path = f"comparisons/{_id(comparison, 'comparison')}/sections/{quote(section, safe='')}"
        return self._document(path, {"pair": str(pair)})

    def entity(self, comparison: str, kind: str, key: str, pair: int) -> Document:
        where = f"{quote(kind, safe='')}/{quote(key, safe='')}"
        return self._document(f"comparisons/{_id(comparison, 'comparison')}/entities/{where}", {"pair": str(pair)})

    def _listed(self, path: str, query: Mapping[str, str]) -> Page:
        document = self._document(path, {name: value for name, value in query.items() if value})
        following = parse_qs(urlsplit(document.get("next") or "").query).get("cursor", [None])[0]
        return Page(document["items"], following)

    def _document(self, path: str, query: Mapping[str, str]) -> Document:
        return _fine(lambda: self._server.get(f"{ROOT}{path}?{urlencode(query)}"))


def _fine(ask: Callable[[], Answer]) -> Document:
    try:
        answer = ask()
    except Unreachable as away:
        raise Refused(str(away)) from None
    if not answer.is_fine:
        raise Refused(answer.reason)
    return answer.document


def _id(text: str, what: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Refused(f"“{text}” is not the id of a {what}: the lists say them.") from None
