"""DB time by CPU and event, and by statement, object and kind: largest change first, with links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.kinds import KINDS as ENTITIES
from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export import ranked_changes as export_words
from awrdiff.analysis.figures_in_words import number, seconds
from awrdiff.analysis.model.comparison import Attribution, Comparison, Consumer
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Mover, Subject
from awrdiff.analysis.rows.materiality import STEPS
from awrdiff.analysis.verdict.active_sessions_attribution import CPU
from awrdiff.analysis.verdict.db_time_bars import BarPart, Bars, fills_of
from awrdiff.analysis.verdict.ranked_changes import (
    CPU_SUBJECT,
    KINDS,
    LEAST,
    MEASURED,
    PER_WAIT,
    REST_SUBJECT,
    bounds,
    change_text,
    label,
)
from awrdiff.comparisons.anchors import UNACCOUNTED
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.baseline.spread_and_position import of_head

MOST = 6  # rows
LEAST_ROWS = 5  # of the time, filled up with the largest consumers, moved or not
MOST_MORE = 40
MOST_SETTINGS = 8
LONGEST_TEXT = 160
LEAST_PRINTED = 0.001  # sessions: less is told as less than this
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

    def of_mover(self, mover: Mover | None, evidence: Evidence | None, about: str | None) -> dict[str, Any]:
        """Details that open below a row. `about`: its name among several reports, None for none."""
        places, median = mover.findings if mover is not None else (), self.comparison.median
        return {
            "row": self.source(evidence),
            "connected": list(self._connected(mover)),
            "findings": [LinkView(self.findings[at].title, f"finding-{at + 1}") for at in places],
            "lies": of_head(median, evidence, about) if median and evidence and about is not None else None,
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


@dataclass(frozen=True, slots=True)
class TimePart:
    """A wait, CPU, or unaccounted time."""

    subject: Subject
    first: float | None
    second: float | None
    change: float
    consumer: Consumer | None

    @property
    def level(self) -> float:
        return max(self.first or 0.0, self.second or 0.0)


def present(comparison: Comparison, sections: Mapping[str, str]) -> dict[str, Any] | None:
    """`sections`: titles by id."""
    a = comparison.attribution
    if a is None:
        return None
    links, parts = Links(comparison, sections), parts_of(a)
    yardstick = comparison.ranked.yardstick if comparison.ranked is not None else max(a.first_per_s, a.second_per_s, 1)
    # Parts with enough change; if few, also the largest.
    least = yardstick * max(comparison.step, LEAST) / 100
    changed = [p for p in parts if abs(p.change) >= least][:MOST]
    unchanged = sorted((p for p in parts if p not in changed and p.level >= least), key=lambda p: -p.level)
    parts_shown = changed + unchanged[: max(LEAST_ROWS - len(changed), 0)]
    largest = max([a.first_per_s * 0.02, *(p.level for p in parts_shown)])
    rest = [p for p in parts if p not in parts_shown]
    listed = [p for p in rest if abs(p.change) >= yardstick * LEAST / 100][:MOST_MORE]
    return {
        "whole": a,
        "change": _change(a.second_per_s - a.first_per_s, neutral=comparison.unrelated),
        "rows": [_part_row(p, links, largest) for p in parts_shown],
        "rest": len(rest),
        "rest_change": _change(sum(p.change for p in rest), neutral=comparison.unrelated),
        "rest_rows": [_part_row(p, links, largest) for p in listed],
        "smaller": len(rest) - len(listed),
        "least": LEAST,
    }


def _change(change: float, *, neutral: bool) -> tuple[str, str, str]:
    """Class, arrow, text."""
    cls = "same" if not change else "neutral" if neutral else "worse" if change > 0 else "better"
    return cls, fmt.ARROWS[fmt.direction(change)], fmt.signed(change)


def parts_of(a: Attribution) -> list[TimePart]:
    """Largest change first."""
    parts = [
        TimePart(
            CPU_SUBJECT if p.key == CPU else Subject("event", p.key), p.first_per_s, p.second_per_s, p.diff_per_s, p
        )
        for p in a.parts
    ]
    if rest := a.unaccounted:
        parts.append(TimePart(REST_SUBJECT, *rest, None))
    return sorted((p for p in parts if p.level or p.change), key=lambda p: -abs(p.change))


def _part_row(part: TimePart, links: Links, largest: float) -> dict[str, Any]:
    mover, consumer = links.movers.get(part.subject), part.consumer
    evidence = _evidence(part, mover)
    # What is no mover changed by less than the print can tell, or by hardly anything.
    change = part.change if mover is not None or consumer is None or not links.movers else 0.0
    cls, mark, text = _change(change, neutral=links.comparison.unrelated)
    return {
        **links.of_mover(mover, evidence, consumer.key if consumer is not None else None),
        "way": fmt.direction(change),
        "mark": mark,
        "cls": cls,
        "change": text if change else "flat",
        "name": name_of(part, links),
        "first": _level(part.first, mover, 0),
        "second": _level(part.second, mover, 1),
        "first_width": width(part.first or 0.0, largest),
        "second_width": width(part.second or 0.0, largest),
        "how": _how(consumer, mover),
        "notes": _notes(part),
        "anchor": anchor_of(part, links),
    }


def name_of(part: TimePart, links: Links) -> LinkView:
    name = links.subject(part.subject, _evidence(part, links.movers.get(part.subject)))
    return LinkView(UNACCOUNTED, name.target) if part.consumer is None else name


def anchor_of(part: TimePart, links: Links) -> str:
    """Row of its figures; "" for none."""
    return UNACCOUNTED if part.consumer is None else links.target(_evidence(part, links.movers.get(part.subject)))


def _evidence(part: TimePart, mover: Mover | None) -> Evidence | None:
    if part.consumer is not None and part.consumer.row_id is not None:
        return Evidence(part.consumer.section, part.consumer.key, "total_wait_time_s", part.consumer.row_id)
    return mover.evidence if mover is not None else None


def _level(printed: float | None, mover: Mover | None, side: int) -> str:
    """Printed figure, or its upper bound."""
    if printed is not None:
        return number(printed) if printed >= LEAST_PRINTED or not printed else f"<{LEAST_PRINTED}"
    return bounds((mover.sessions.first, mover.sessions.second)[side]) if mover is not None else fmt.NONE


def _how(consumer: Consumer | None, mover: Mover | None) -> str:
    if consumer is None or consumer.key == CPU:
        return fmt.NONE
    averages = [consumer.first_avg_s, consumer.second_avg_s]
    if mover is not None and mover.how and not mover.how.endswith(PER_WAIT):
        return mover.how
    if averages == [None, None]:
        return fmt.NONE
    return " → ".join(fmt.quantity(v, "s") if v is not None else fmt.NONE for v in averages)


def _notes(part: TimePart) -> list[str]:
    """Change by more and longer waits, or why not split."""
    consumer = part.consumer
    if consumer is None:
        return ["DB time unaccounted for" if part.level else "waits and CPU come to more than DB time"]
    if consumer.key == CPU:
        return ["CPU: no wait count"]
    beside = [consumer.wait_class] if consumer.wait_class else []
    if consumer.by_count_per_s is None or consumer.by_latency_per_s is None:
        averages = {"First": consumer.first_avg_s, "Second": consumer.second_avg_s}
        missing = [side for side, average in averages.items() if average is None]
        return [*beside, f"no count on {missing[0] if len(missing) == 1 else 'either side'}"]
    count, latency = consumer.by_count_per_s, consumer.by_latency_per_s
    return [
        *beside,
        f"{fmt.signed(count)} by {'fewer' if count < 0 else 'more'} waits",
        f"{fmt.signed(latency)} by {'shorter' if latency < 0 else 'longer'} waits",
    ]


_MORE = 1.03  # times DB time: below it printed digits explain it


def bars_view(
    bars: Bars | None, cpus: Sequence[int | None], events: Mapping[str, LinkView], anchors: Mapping[str, str]
) -> dict[str, Any] | None:
    """Parts of a bar as key, class, part, width in percent of the frame, anchor of its row. `events`: links; `anchors`:
    of parts, by name.
    """
    if bars is None or not bars.scale:
        return None
    parts = [next(p for p in sides if p is not None) for sides in bars.names]
    by_name = {part.name: (str(at), cls) for at, (part, cls) in enumerate(zip(parts, fills_of(parts), strict=True))}
    cpu_text = " → ".join(dict.fromkeys(fmt.count_text(n, "CPU") for n in cpus if n))
    return {
        "bars": [
            (
                bar,
                [
                    (*by_name[p.name], p, f"{100 * p.sessions / bars.scale:.2f}", anchors.get(p.name, ""))
                    for p in bar.parts
                ],
            )
            for bar in bars.bars
        ],
        # How long one wait took on each side, beside its name.
        "keys": [
            (
                *by_name[part.name],
                events.get(part.name, LinkView(part.name, "")),
                _averages(sides),
                anchors.get(part.name, ""),
            )
            for part, sides in zip(parts, bars.names, strict=True)
        ],
        "scale": f"average active sessions{f' ({cpu_text})' if cpu_text else ''}{_overlap(bars)}",
    }


def _averages(sides: Sequence[BarPart | None]) -> str:
    averages = [seconds(p.avg_wait_s) if p is not None and p.avg_wait_s is not None else "–" for p in sides]
    if all(text == "–" for text in averages):
        return ""
    return " → ".join(averages)


def _overlap(bars: Bars) -> str:
    """Waits for CPU inside a wait count in both."""
    if all(bar.length <= _MORE * bar.sessions for bar in bars.bars):
        return ""
    return f"; CPU and waits add up to {' → '.join(number(bar.length) for bar in bars.bars)}, more than DB time"


def ranked_view(comparison: Comparison, sections: Mapping[str, str]) -> dict[str, Any] | None:
    """`sections`: titles by id."""
    ranked = comparison.ranked
    if ranked is None:
        return None
    links = Links(comparison, sections)
    again = [m for m in ranked.movers if m.view == "again"]
    rows = [_mover_row(m, links) for m in again if ranked.share(m) >= comparison.step]
    return {
        "rows": rows[:MOST],
        "more": rows[MOST:],
        "left_out": len(again) - len(rows),
        "lower": STEPS[1],  # shows what is left out
        "step": comparison.step,
        "settings": [
            (s, links.target(s.evidence), export_words.setting_text(s.first), export_words.setting_text(s.second))
            for s in ranked.settings[:MOST_SETTINGS]
        ],
        "all_settings": len(ranked.settings),
        "more_settings": len(ranked.settings[MOST_SETTINGS:]),
    }


def _mover_row(mover: Mover, links: Links) -> dict[str, Any]:
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
