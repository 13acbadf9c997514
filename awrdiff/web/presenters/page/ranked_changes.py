"""Movers: links, and DB time by statement, object, kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.kinds import KINDS as ENTITIES
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export import ranked_changes as export_words
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Mover, Subject
from awrdiff.analysis.rows.materiality import STEPS
from awrdiff.analysis.verdict.ranked_changes import KINDS, MEASURED, change_text, label
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

    def _lies(self, evidence: Evidence | None, about: str) -> Lie | None:
        median = self.comparison.median
        return of_head(median, evidence, about) if median is not None and evidence is not None else None

    def of_mover(self, mover: Mover | None, evidence: Evidence | None, about: str | None) -> dict[str, Any]:
        """What opens below a row. `about`: its name among several reports, None for none."""
        places = mover.findings if mover is not None else ()
        return {
            "row": self.source(evidence),
            "connected": list(self._connected(mover)),
            "findings": [LinkView(self.findings[at].title, f"finding-{at + 1}") for at in places],
            "lies": self._lies(evidence, about) if about is not None else None,
        }

    def _connected(self, mover: Mover | None) -> Iterator[tuple[list[LinkView], str, bool]]:
        """Subjects connected in one way, its text, and whether that stands before them: "measured by …"."""
        ways: dict[str, list[LinkView]] = {}
        for connection in mover.connected if mover is not None else ():
            ways.setdefault(connection.said, []).append(self.subject(connection.subject))
        for description, links in ways.items():
            yield links, description, description == MEASURED


def width(level: float, largest: float) -> float:
    return round(100.0 * min(level / largest, 1.0), 1) if largest else 0.0


def ranked_view(comparison: Comparison, sections: Mapping[str, str]) -> dict[str, Any] | None:
    """`sections`: titles by id."""
    ranked = comparison.ranked
    if ranked is None:
        return None
    links = Links(comparison, sections)
    again = [m for m in ranked.movers if m.view == "again"]
    rows = [_row(m, links) for m in again if ranked.share(m) >= comparison.step]
    return {
        "rows": rows[:MOST],
        "more": rows[MOST:],
        "left_out": len(again) - len(rows),
        "lower": STEPS[1],  # shows what is left out
        "step": comparison.step,
        "settings": [
            (s, links.target(s.evidence), export_words.setting_said(s.first), export_words.setting_said(s.second))
            for s in ranked.settings[:MOST_SETTINGS]
        ],
        "all_settings": len(ranked.settings),
        "more_settings": len(ranked.settings[MOST_SETTINGS:]),
    }


def _row(mover: Mover, links: Links) -> dict[str, Any]:
    (what, _, rest), sides = mover.how.partition("; "), export_words.sides(mover)
    way: fmt.Direction = "up" if mover.change > 0 else "down"
    return {
        **links.of_mover(mover, mover.evidence, mover.subject.key),
        "way": way,
        "mark": fmt.ARROWS[way],
        "cls": mover.tone,
        "change": change_text(mover).replace("at least ", "≥ "),
        "name": links.subject(mover.subject),
        "kind": _SHORT.get(KINDS[mover.subject.kind], KINDS[mover.subject.kind]),
        "about": cut(mover.about),
        "how": what.replace(" per execution", " each") or sides,
        "notes": [*filter(None, (f"{sides} active sessions", mover.how if rest else "", mover.about))],
        "anchor": links.target(mover.evidence),
    }


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
