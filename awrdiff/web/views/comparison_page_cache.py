"""Part of a comparison's page equal for readers with equal rights, rendered once per process.

The key has the whole context and the results' version: nothing outside it can reach another reader.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.plans import STEPS
from awrdiff.comparisons.median_comparison import ComparedView
from awrdiff.web.presenters.page import overview, section_navigation
from awrdiff.web.presenters.page.section_navigation import short_title

MOST_BYTES = 16 << 20  # compressed: about 400 pages of 140 kB


class Sheet(Struct, frozen=True):
    """`packed`: HTML by template, with a placeholder for the CSRF token; `facts`: for the rest of the page."""

    packed: bytes
    facts: Mapping[str, Any]

    @property
    def size(self) -> int:
        return len(self.packed) + 2 * len(repr(self.facts)) + 1_000

    def html(self, request: HttpRequest) -> list[SafeString]:
        text = zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
        if _TOKEN in text:
            text = text.replace(_TOKEN, get_token(request))
        return [mark_safe(part) for part in text.split(_CUT)]  # noqa: S308 - a template of Django's made it


class Sheets:
    """Most recently used, at most `most_bytes`."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._bytes = 0
        self._sheets: OrderedDict[bytes, Sheet] = OrderedDict()
        self._lock = Lock()

    def clear(self) -> None:
        with self._lock:
            self._sheets.clear()
            self._bytes = 0

    def sheet(
        self,
        templates: Sequence[str],
        version: object,
        context: Mapping[str, Any],
        result: Callable[[], tuple[Mapping[str, Any], Mapping[str, Any]]],
    ) -> Sheet:
        """`context` is part of the key by repr; `result` is called on a miss only, and must follow from `version` and
        `context`.
        """
        key = hashlib.sha256(
            repr((templates, version, sorted(context.items()))).encode("utf-8", "surrogatepass")
        ).digest()
        with self._lock:
            if (cached_sheet := self._sheets.get(key)) is not None:
                self._sheets.move_to_end(key)
                return cached_sheet
        more, facts = result()
        whole = {**more, **context, "csrf_token": _TOKEN}
        text = _CUT.join(render_to_string(template, whole) for template in templates)
        cached_sheet = Sheet(zlib.compress(text.encode("utf-8", "surrogatepass"), 1), facts)
        self._put(key, cached_sheet)
        return cached_sheet

    def _put(self, key: bytes, new_sheet: Sheet) -> None:
        with self._lock:
            if (before := self._sheets.pop(key, None)) is not None:
                self._bytes -= before.size
            self._sheets[key] = new_sheet
            self._bytes += new_sheet.size
            while self._bytes > self.most_bytes:
                self._bytes -= self._sheets.popitem(last=False)[1].size


_TOKEN, _CUT = secrets.token_urlsafe(48), secrets.token_urlsafe(48)  # of this process alone: no report holds them
SHEETS = Sheets()


TEMPLATES = ("comparisons/_sheet.html", "web/_rail.html")
_OF_THE_READER = (
    "entities_url",
    "pair_query",
    "sections_url",
    "threads_url",
    "seen_url",
    "part_of_both",
    "parts",
    "parts_url",
    "traces",
    "commit_url",
    "plans_url",
    "report_links",
    "verdicts_url",
    "judged_at",
)


def sheet_of(viewed: ComparedView, version: object, page: Mapping[str, Any], reader: Mapping[str, Any]) -> Sheet:
    """`version`: of all that `viewed` depends on. `page`: context, for addresses; `reader`: `step`, `changed_only`,
    `ranges`, `is_shared`, `can_write`, `verdicts`, `before`.
    """
    context = {name: page[name] for name in _OF_THE_READER if name in page}
    access = {name: reader[name] for name in ("is_shared", "can_write")}
    context |= {"access": access, "top_links": True, "reader": dict(reader)}

    def result() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        lines = viewed.lines
        computed = replace(viewed.overview, step=reader["step"])
        view = overview.present(computed, {s.section_id: short_title(s.section_id, s.title) for s in lines})
        for finding in (*view["findings"], *view["more_findings"]):
            finding["verdict"], finding["before"] = (
                reader[name].get(finding["anchor"]) for name in ("verdicts", "before")
            )
        scale = section_navigation.Scale.of(computed, every_row=not reader["changed_only"], ranges=reader["ranges"])
        sections = section_navigation.rail_of(lines, scale)
        has_plans = any(s.section_id == STEPS for s in lines)
        return {"overview": view, "rail": sections, "has_plans": has_plans}, _facts(view, sections)

    return SHEETS.sheet(TEMPLATES, version, context, result)


def _facts(view: Mapping[str, Any], sections: Mapping[str, Any]) -> Mapping[str, Any]:
    findings, more = (
        [{name: finding[name] for name in ("anchor", "title")} for finding in view[listed]]
        for listed in ("findings", "more_findings")
    )
    return {
        "default_basis": view["basis"],
        "rail": {"hidden": sections["hidden"]},
        "overview": {"ranked": view["ranked"] is not None, "findings": findings, "more_findings": more},
    }
