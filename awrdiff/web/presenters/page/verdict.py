"""The verdict as the page has it: how much, what the time is in parts that add up, and who spent it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Attribution, Comparison
from awrdiff.analysis.model.ranked import Mover, Ranked
from awrdiff.analysis.verdict.movers import change_text
from awrdiff.analysis.words import listing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page import db_time
from awrdiff.web.presenters.page.movers import Links, LinkView
from awrdiff.web.presenters.page.ranked import cut

# Figures of the verdict stand out; a word is never emphasised, so the sentence stays the analysis' own.
FIGURE = re.compile(r"((?<![\w.])[+−±×<-]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:\s?(?:%|ms|µs|s|min|×))?(?!\w|\.\d))")
MOST_PARTS, MOST_WHO = 4, 2
LEAST_OF_CHANGE, LEAST_OF_TIME = 0.10, 0.05  # a part of less is of the rest
LEAST_WHO = 0.15  # of the change of DB time
STEADY = 0.10  # DB time that moved by less has no parts of its change, only of itself


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    strong: bool


@dataclass(frozen=True, slots=True)
class PartView:
    name: LinkView
    size: str
    cls: str


@dataclass(frozen=True, slots=True)
class WhoView:
    name: LinkView
    about: str
    size: str  # "at least 1.9 more"
    where: str  # the waits in which it was sampled


@dataclass(frozen=True, slots=True)
class VerdictView:
    """`load`, `also`: sentences of the analysis. `of`: what the parts add up to."""

    load: tuple[Piece, ...]
    parts: tuple[PartView, ...]
    of: str
    who: tuple[WhoView, ...]
    nobody: str
    also: tuple[Piece, ...]


def present(comparison: Comparison, sections: Mapping[str, str], time: db_time.DbTimeView | None) -> VerdictView | None:
    """None where nothing can be split, or an older engine wrote the verdict: then it is a paragraph."""
    a, links = comparison.attribution, Links(comparison, sections)
    if time is None or a is None or not comparison.verdict:
        return None
    said = {about: " ".join(s.text for s in comparison.verdict if s.about == about) for about in ("load", "also")}
    steady = abs(a.second_per_s - a.first_per_s) < STEADY * max(a.first_per_s, a.second_per_s)
    who, nobody = _who(comparison.ranked, a, links, steady=steady)
    parts, of = _parts(a, links, steady=steady, neutral=steady or comparison.unrelated)
    return VerdictView(pieces(said["load"]), parts, of, who, nobody, pieces(said["also"]))


def pieces(text: str) -> tuple[Piece, ...]:
    """The paragraph cut at its figures, so that a template can make them stand out."""
    parts = FIGURE.split(text)
    return tuple(Piece(part, bool(i % 2)) for i, part in enumerate(parts) if part)


def _parts(a: Attribution, links: Links, *, steady: bool, neutral: bool) -> tuple[tuple[PartView, ...], str]:
    """The largest parts of the change, or of Second's time where that hardly changed, and the rest of either."""
    if not a.parts:
        return (), ""
    whole = a.second_per_s if steady else a.second_per_s - a.first_per_s
    sized = [(p, (p.second or 0.0) if steady else p.change) for p in db_time.parts_of(a)]
    sized.sort(key=lambda one: -abs(one[1]))
    least = abs(whole) * (LEAST_OF_TIME if steady else LEAST_OF_CHANGE)
    shown = [(p, size) for p, size in sized[:MOST_PARTS] if abs(size) >= least]
    rest = whole - sum(size for _, size in shown)
    text = fmt.significant if steady else fmt.signed
    views = [PartView(db_time.name_of(p, links), text(size, 2), _cls(size, neutral=neutral)) for p, size in shown]
    if shown and abs(rest) >= 0.005 * abs(whole):
        views.append(PartView(LinkView("the rest", "time"), text(rest, 2), "neutral"))
    return tuple(views), f"{text(whole)} active sessions{' in Second' if steady else ''}" if shown else ""


def _cls(size: float, *, neutral: bool) -> str:
    return "neutral" if neutral or not size else "worse" if size > 0 else "better"


def _who(ranked: Ranked | None, a: Attribution, links: Links, *, steady: bool) -> tuple[tuple[WhoView, ...], str]:
    """The largest movers that went the way of DB time, of different kinds; each carries 15 % of its change, or of DB
    time where that hardly changed."""
    if ranked is None:
        return (), ""
    whole = a.second_per_s - a.first_per_s
    least = LEAST_WHO * (max(a.first_per_s, a.second_per_s) if steady else abs(whole))
    found: list[Mover] = []
    for mover in ranked.movers:
        if mover.view != "again" or abs(mover.change) < least or not (steady or mover.change * whole > 0):
            continue
        if mover.subject.kind not in {m.subject.kind for m in found}:
            found.append(mover)
    who = tuple(_one(m, links) for m in found[:MOST_WHO])
    return who, "" if who else _nobody(ranked, steady=steady)


def _nobody(ranked: Ranked, *, steady: bool) -> str:
    if not any(m.view == "again" for m in ranked.movers):
        return "No statement, object or kind of work moved."
    if steady:
        return f"No one statement, object or kind of work moved by {LEAST_WHO * 100:.0f} % of DB time."
    return f"No one statement, object or kind of work carries {LEAST_WHO * 100:.0f} % of the change."


def _one(mover: Mover, links: Links) -> WhoView:
    size = change_text(mover).replace("+", "").replace(fmt.MINUS, "")
    events = [c.subject.key for c in mover.connected if c.said.endswith("samples") and c.subject.kind == "event"]
    return WhoView(
        name=links.subject(mover.subject),
        about=cut(mover.about, 26),
        size=f"{size} {'more' if mover.change > 0 else 'fewer'}",
        where=f"sampled in {listing(events[:2])}" if events else "",
    )
