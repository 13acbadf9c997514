"""Part of a comparison's page equal for readers with equal rights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from awrdiff.analysis.plans import STEPS
from awrdiff.comparisons.medians import ComparedView
from awrdiff.web.fragment_cache import SHEETS, Sheet
from awrdiff.web.presenters.incident.findings import with_verdicts
from awrdiff.web.presenters.page import overview, rail
from awrdiff.web.presenters.section.words import short_title

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
        view = with_verdicts(view, reader["verdicts"], reader["before"])
        scale = rail.Scale.of(computed, every_row=not reader["changed_only"], ranges=reader["ranges"])
        sections = rail.rail_of(lines, scale)
        has_plans = any(s.section_id == STEPS for s in lines)
        return {"overview": view, "rail": sections, "has_plans": has_plans}, _facts(view, sections)

    return SHEETS.sheet(TEMPLATES, version, context, result)


def _facts(view: overview.Overview, sections: rail.Rail) -> Mapping[str, Any]:
    findings, more = ([{"anchor": f.anchor, "title": f.title} for f in s] for s in (view.findings, view.more_findings))
    return {
        "default_basis": view.basis,
        "rail": {"hidden": sections.hidden},
        "overview": {"ranked": view.ranked is not None, "findings": findings, "more_findings": more},
    }
