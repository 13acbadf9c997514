"""DB time by part, one bar per side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from awrdiff.analysis.verdict.bars import BarPart, Bars, fills_of
from awrdiff.analysis.words import number, seconds
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page.movers import LinkView

_MORE = 1.03  # times DB time: below it printed digits explain it


class Stretch(Struct, frozen=True):
    """`width` in percent of the frame; `key`: the same part in every bar; `anchor` of its row, "" where it has none."""

    key: str
    cls: str
    name: str
    size: str
    title: str
    width: str
    anchor: str


class BarView(Struct, frozen=True):
    side: str
    sessions: str
    spoken: str
    stretches: tuple[Stretch, ...]


class KeyView(Struct, frozen=True):
    """`averages`: how long one wait took on each side."""

    key: str
    cls: str
    name: LinkView
    averages: str
    anchor: str


class BarsView(Struct, frozen=True):
    bars: tuple[BarView, ...]
    keys: tuple[KeyView, ...]
    scale: str


def present(
    bars: Bars | None, cpus: Sequence[int | None], events: Mapping[str, LinkView], anchors: Mapping[str, str]
) -> BarsView | None:
    """`events`: links; `anchors`: of parts, by name."""
    if bars is None or not bars.scale:
        return None
    names = bars.names
    parts = [next(p for p in sides if p is not None) for sides in names]
    classes = fills_of(parts)
    by_name = {part.name: (str(at), cls) for at, (part, cls) in enumerate(zip(parts, classes, strict=True))}
    return BarsView(
        bars=tuple(
            BarView(
                side=bar.side,
                sessions=fmt.significant(bar.sessions),
                spoken=f"{number(bar.sessions)} active sessions: {', '.join(p.text for p in bar.parts)}",
                stretches=tuple(
                    Stretch(
                        *by_name[p.name],
                        p.name,
                        number(p.sessions),
                        f"{bar.side}: {p.text}" if bar.side else p.text,
                        f"{100 * p.sessions / bars.scale:.2f}",
                        anchors.get(p.name, ""),
                    )
                    for p in bar.parts
                ),
            )
            for bar in bars.bars
        ),
        keys=tuple(
            KeyView(
                *by_name[part.name],
                events.get(part.name, LinkView(part.name, "")),
                _averages(sides),
                anchors.get(part.name, ""),
            )
            for part, sides in zip(parts, names, strict=True)
        ),
        scale=f"{_scale(cpus)}{_overlap(bars)}",
    )


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


def _scale(cpus: Sequence[int | None]) -> str:
    cpu_texts = list(dict.fromkeys(f"{n} CPU{'s' if n != 1 else ''}" for n in cpus if n))
    return f"average active sessions ({' → '.join(cpu_texts)})" if cpu_texts else "average active sessions"
