"""Movers: links, and DB time by statement, object, kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import KINDS as ENTITIES
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export import ranked_changes as export_words
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Mover, Setting, Subject
from awrdiff.analysis.rows.materiality import STEPS
from awrdiff.analysis.verdict.ranked_changes import KINDS, MEASURED, bounds, change_text, label
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.baseline.spread_and_position import Lie, of_head

MOST = 6  # lines; the others open
MOST_SETTINGS = 8
LONGEST_TEXT = 160
_SHORT = {"statement": "SQL"}


@dataclass(frozen=True, slots=True)
class LinkView:
    """`target`: empty for none."""

    text: str
    target: str
    path: str = ""  # of the panel with all that is printed of it, where it has one


# Subjects connected with a row in one way, its text, and whether that stands before them: "measured by …".
Connected = tuple[list[LinkView], str, bool]


@dataclass(frozen=True, slots=True)
class MoverView:
    """`way`: up, down or same; `cls`: worse, better, neutral or same. Widths in percent of the largest level."""

    way: str
    mark: str
    cls: str
    change: str
    name: LinkView
    first: str
    second: str
    first_width: float = 0.0
    second_width: float = 0.0
    kind: str = ""
    about: str = ""  # beside the name: a statement's text
    how: str = ""  # what change_text, in a few words
    notes: tuple[str, ...] = ()  # what opens
    row: LinkView = LinkView("", "")  # the row that its figures are from
    anchor: str = ""  # by which it is pinned and talked about
    connected: tuple[Connected, ...] = ()
    findings: tuple[LinkView, ...] = ()
    lies: Lie | None = None  # where Second lies among several reports


class Links:
    """`sections`: titles by id."""

    def __init__(self, comparison: Comparison, sections: Mapping[str, str]) -> None:
        movers: Sequence[Mover] = comparison.ranked.movers if comparison.ranked is not None else ()
        self.comparison = comparison
        self.movers = {m.subject: m for m in movers}
        self.findings = comparison.findings
        self.sections = sections

    def subject(self, subject: Subject, evidence: Evidence | None = None) -> LinkView:
        mover = self.movers.get(subject)
        target = self.target(evidence or (mover.evidence if mover is not None else None))
        path = Ref(subject.kind, subject.key).path if target and subject.kind in ENTITIES else ""
        return LinkView(label(subject), target, path)

    def source(self, evidence: Evidence | None) -> LinkView:
        title = self.sections.get(evidence.section, "") if evidence else ""
        if title.startswith("by "):  # short for the rail, where the family stands above it
            title = f"{'Segments' if evidence and evidence.section.startswith('segments') else 'SQL'} {title}"
        return LinkView(title, self.target(evidence))

    def target(self, evidence: Evidence | None) -> str:
        if evidence is None or evidence.section not in self.sections:
            return ""
        return f"{evidence.section}/{evidence.row_id}" if evidence.row_id else evidence.section

    def lies(self, evidence: Evidence | None, about: str) -> Lie | None:
        median = self.comparison.median
        return of_head(median, evidence, about) if median is not None and evidence is not None else None

    def connected(self, mover: Mover | None) -> Iterator[Connected]:
        ways: dict[str, list[LinkView]] = {}
        for connection in mover.connected if mover is not None else ():
            ways.setdefault(connection.said, []).append(self.subject(connection.subject))
        for description, links in ways.items():
            yield links, description, description == MEASURED

    def of_findings(self, mover: Mover | None) -> tuple[LinkView, ...]:
        places = mover.findings if mover is not None else ()
        return tuple(LinkView(self.findings[at].title, f"finding-{at + 1}") for at in places)


def width(level: float, largest: float) -> float:
    return round(100.0 * min(level / largest, 1.0), 1) if largest else 0.0


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


def ranked_view(comparison: Comparison, sections: Mapping[str, str]) -> RankedView | None:
    """`sections`: titles by id."""
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
    (what, _, rest), sides = mover.how.partition("; "), export_words.sides(mover)
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
        how=what.replace(" per execution", " each") or sides,
        notes=tuple(filter(None, (f"{sides} active sessions", mover.how if rest else "", mover.about))),
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
    return (name, export_words.setting_said(setting.first), export_words.setting_said(setting.second))
