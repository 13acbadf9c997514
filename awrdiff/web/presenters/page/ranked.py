"""What got worse and what got better, as rows to print: the list of the analysis with links, marks and bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import KINDS as ENTITIES
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export import ranked as words
from awrdiff.analysis.model.comparison import Comparison, Finding
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.ranked import Mover, Range, Ranked, Setting, Subject
from awrdiff.analysis.rows.material import STEPS
from awrdiff.analysis.verdict.movers import KINDS, bounds, change_text, label
from awrdiff.web import format as fmt

MOST = 12  # of a list; the others open
MOST_SETTINGS = 8
BAR = 100.0


@dataclass(frozen=True, slots=True)
class LinkView:
    """Where a name leads: a row of the tables below, or nowhere (`target` is empty)."""

    text: str
    target: str
    path: str = ""  # of the panel with all that is printed of it, where it has one


@dataclass(frozen=True, slots=True)
class ConnectedView:
    """Subjects that a row is connected with in one way."""

    links: tuple[LinkView, ...]
    said: str


@dataclass(frozen=True, slots=True)
class MoverView:
    mark: str  # ▲ or ▼
    cls: str  # worse, better or neutral
    change: str
    kind: str
    name: LinkView
    row: LinkView  # the row that its figures are from
    first: str
    second: str
    first_width: float  # of a bar, in percent of the largest level in the lists
    second_width: float
    again: bool
    how: str
    about: str
    connected: tuple[ConnectedView, ...]
    findings: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class ListView:
    id: str
    cls: str  # which way, and whether that is worse or better
    heading: str
    rows: tuple[MoverView, ...]
    more: tuple[MoverView, ...]
    nothing: str


@dataclass(frozen=True, slots=True)
class SettingView:
    name: LinkView
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class RankedView:
    lists: tuple[ListView, ...]
    second_heading: str  # of the second list, inside a sentence
    said: str  # what the threshold is
    left_out: int
    lower: float | None  # the step that shows what is left out
    added_up: str
    settings: tuple[SettingView, ...]
    more_settings: int


def present(comparison: Comparison, sections: Mapping[str, str]) -> RankedView | None:
    """`sections`: those of the comparison by their titles, whose rows a name can lead to."""
    ranked = comparison.ranked
    if ranked is None:
        return None
    shown = _Printer(ranked, comparison.findings, sections)
    lists = tuple(
        _list(comparison, ranked, shown, heading, rising=rising)
        for heading, rising in zip(words.headings(comparison), (True, False), strict=True)
    )
    left_out = words.left_out(ranked, comparison.step)
    settings = tuple(shown.setting(s) for s in ranked.settings[:MOST_SETTINGS])
    return RankedView(
        lists=lists,
        second_heading=lists[1].heading[0].lower() + lists[1].heading[1:],
        said=words.threshold_said(ranked, comparison.step),
        left_out=left_out,
        lower=STEPS[1] if left_out else None,
        added_up=words.ADDED_UP if any(m.view == "again" for m in ranked.movers) else "",
        settings=settings,
        more_settings=len(ranked.settings) - len(settings),
    )


def _list(comparison: Comparison, ranked: Ranked, shown: _Printer, heading: str, *, rising: bool) -> ListView:
    rows = tuple(shown.row(m) for m in ranked.from_step(comparison.step, rising=rising))
    nothing = words.nothing_said(ranked, rising=rising)
    name, way = ("worse", "up") if rising else ("better", "down")
    cls = way if comparison.unrelated else f"{way} {name}"
    return ListView(name, cls, heading, rows[:MOST], rows[MOST:], nothing)


class _Printer:
    """What all rows share: the largest level, the findings, and where each subject's own row is."""

    def __init__(self, ranked: Ranked, findings: Sequence[Finding], sections: Mapping[str, str]) -> None:
        self.largest = max((_level(r) for m in ranked.movers for r in _sides(m)), default=0.0) or 1.0
        self.findings = findings
        self.sections = sections
        self.rows = {m.subject: m.evidence for m in ranked.movers}

    def row(self, mover: Mover) -> MoverView:
        first, second = (BAR * min(_level(side) / self.largest, 1.0) for side in _sides(mover))
        return MoverView(
            mark=fmt.ARROWS["up" if mover.change > 0 else "down"],
            cls=mover.tone,
            change=change_text(mover),
            kind=KINDS[mover.subject.kind],
            name=self.link(mover.subject),
            row=self.source(mover.evidence),
            first=bounds(mover.sessions.first),
            second=bounds(mover.sessions.second),
            first_width=round(first, 1),
            second_width=round(second, 1),
            again=mover.view == "again",
            how=mover.how,
            about=mover.about,
            connected=tuple(self.connected(mover)),
            findings=tuple(LinkView(self.findings[at].title, f"finding-{at + 1}") for at in mover.findings),
        )

    def connected(self, mover: Mover) -> Iterator[ConnectedView]:
        ways: dict[str, list[LinkView]] = {}
        for one in mover.connected:
            ways.setdefault(one.said, []).append(self.link(one.subject))
        for said, links in ways.items():
            yield ConnectedView(tuple(links), said)

    def link(self, subject: Subject) -> LinkView:
        target = self.target(self.rows.get(subject))
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

    def setting(self, setting: Setting) -> SettingView:
        name = LinkView(setting.name, self.target(setting.evidence))
        return SettingView(name, words.setting_said(setting.first), words.setting_said(setting.second))


def _sides(mover: Mover) -> tuple[Range | None, Range | None]:
    return mover.sessions.first, mover.sessions.second


def _level(side: Range | None) -> float:
    if side is None:
        return 0.0
    return side.high if side.low > 0 else 0.0
