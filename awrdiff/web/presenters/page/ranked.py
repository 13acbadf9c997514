"""DB time by statement, object and kind of work; largest change first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from awrdiff.analysis.export import ranked as words
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.ranked import Mover, Setting
from awrdiff.analysis.rows.material import STEPS
from awrdiff.analysis.verdict.movers import KINDS, bounds, change_text
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page.movers import Links, LinkView, MoverView

MOST = 6  # lines; the others open
MOST_SETTINGS = 8
LONGEST_TEXT = 160
_SHORT = {"statement": "SQL"}


@dataclass(frozen=True, slots=True)
class RankedView:
    rows: tuple[MoverView, ...]
    more: tuple[MoverView, ...]
    nothing: str  # said where there are no rows
    left_out: int
    lower: float | None  # the step that shows what is left out
    threshold: str
    settings: tuple[tuple[LinkView, str, str], ...]  # with their values of both sides
    more_settings: int


def present(comparison: Comparison, sections: Mapping[str, str]) -> RankedView | None:
    """`sections`: titles by id, for links from names to rows."""
    ranked = comparison.ranked
    if ranked is None:
        return None
    links = Links(comparison, sections)
    again = [m for m in ranked.movers if m.view == "again"]
    significant = [m for m in again if ranked.share(m) >= comparison.step]
    rows = tuple(_row(m, links) for m in significant)
    settings = tuple(_setting(s, links) for s in ranked.settings[:MOST_SETTINGS])
    left_out = len(again) - len(significant)
    return RankedView(
        rows=rows[:MOST],
        more=rows[MOST:],
        nothing="" if rows else f"No statement, object or kind of work moved by {comparison.step:g} % of DB time.",
        left_out=left_out,
        lower=STEPS[1] if left_out else None,
        threshold=f"{comparison.step:g} %",
        settings=settings,
        more_settings=len(ranked.settings) - len(settings),
    )


def _row(mover: Mover, links: Links) -> MoverView:
    name = links.subject(mover.subject)
    what, _, rest = mover.how.partition("; ")
    return MoverView(
        way="up" if mover.change > 0 else "down",
        mark=fmt.ARROWS["up" if mover.change > 0 else "down"],
        cls=mover.tone,
        change=change_text(mover).replace("at least ", "≥ "),
        name=name,
        first=bounds(mover.sessions.first),
        second=bounds(mover.sessions.second),
        kind=_SHORT.get(KINDS[mover.subject.kind], KINDS[mover.subject.kind]),
        about=cut(mover.about),
        how=what.replace(" per execution", " each") or words.sides(mover),
        notes=tuple(n for n in (f"{words.sides(mover)} active sessions", mover.how if rest else "", mover.about) if n),
        row=links.source(mover.evidence),
        anchor=links.target(mover.evidence),
        connected=tuple(links.connected(mover)),
        findings=links.of_findings(mover),
        lies=links.lies(mover.evidence, mover.subject.key),
    )


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _setting(setting: Setting, links: Links) -> tuple[LinkView, str, str]:
    name = LinkView(setting.name, links.target(setting.evidence))
    return (name, words.setting_said(setting.first), words.setting_said(setting.second))
