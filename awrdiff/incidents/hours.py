"""Which hour of each comparison is the incident's.

First and Second are words of a comparison's page. An incident knows its own hour and others for comparison, wherever
they stand in the pair: an outage that comes before the recovery is First there. The hour is that of the place `bad` of
the comparison's reports: suggested by the comparison, or chosen by a person, or None while it is open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.worse import SideName, rename_sides
from awrdiff.comparisons import baseline_anchors
from awrdiff.comparisons.anchors import FINDING, Anchored, Standing, standings
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.pairs import TURNED, latest_pair, other_way, places_of_pair
from awrdiff.incidents.comparison_events import UNREADABLE
from awrdiff.incidents.models import Evidence, IncidentComparison, Verdict

OWN = SideName("the incident's hour", "the incident hour's")
OTHER = SideName("the hour for comparison", "the comparison hour's")
OPEN = (SideName("one hour", "one hour's"), SideName("the other hour", "the other hour's"))
NOWHERE = -1  # of several reports at once: no place
Figures: TypeAlias = Sequence[tuple[str, str]]
_Key: TypeAlias = tuple[UUID, int, str]  # comparison, pair, anchor


@dataclass(frozen=True, slots=True)
class Sides:
    """Of two of a comparison's reports, by their places: which of them is the incident's hour, if either is. `begin`:
    when the two begin, `1 Jan 10:00`, as far as that is printed."""

    first: int
    second: int
    bad: int | None
    begin: tuple[str, str] = ("", "")

    @property
    def is_turned(self) -> bool:
        """Whether it is told of the hour for comparison: its Second is that, and First the incident's."""
        return self.bad is not None and self.first == self.bad

    @property
    def is_known(self) -> bool:
        return self.bad is not None and self.bad in (self.first, self.second)

    @property
    def names(self) -> tuple[SideName, SideName]:
        if not self.is_known:
            first, second = (_hour_from(at) if at else unnamed for at, unnamed in zip(self.begin, OPEN, strict=True))
            return first, second
        return (OWN, OTHER) if self.is_turned else (OTHER, OWN)

    @property
    def arrow(self) -> str:
        """`For comparison → the incident's hour`"""
        first, second = (_SHORT.get(one, one.name) for one in self.names)
        return f"{first[:1].upper()}{first[1:]} → {second}"

    def said(self, text: str) -> str:
        """What the engine says of the two, without First and Second."""
        return rename_sides(text, *self.names)


_SHORT = {OTHER: "for comparison"}
_ROW_OF_ONE = re.compile(r"\(not in (?:First|Second)[^()]*\)")  # beside a row's name, as export/outline.py has it


@dataclass(frozen=True, slots=True)
class Told:
    """A finding as the incident tells it. `said_of`: the hour it speaks of, where that is not the incident's, or open.
    `is_turned`: what was kept is said of the hour for comparison, and this is the same from the incident's.
    `pair`: in which it stands."""

    title: str
    text: str
    pair: int
    said_of: str = ""
    is_turned: bool = False

    @property
    def of_other(self) -> bool:
        """From the incident's hour nothing is known to be said."""
        return self.said_of == OTHER.name

    @property
    def named(self) -> str:
        return f"{self.title} (said of {self.said_of})" if self.said_of else self.title


@dataclass(frozen=True, slots=True)
class Hours:
    """The comparisons of an incident by id, with their places at hand, and what stands in the pair the other way round
    (`turned`)."""

    attached: Mapping[UUID, IncidentComparison]
    turned: Mapping[_Key, Standing]

    @classmethod
    def of(
        cls, attached: Sequence[IncidentComparison], verdicts: Sequence[Verdict] = (), evidence: Sequence[Evidence] = ()
    ) -> Hours:
        """Reads what is told of the hour for comparison the other way round, too: nothing where all of it is told of
        the incident's."""
        return cls.of_each([(attached, verdicts, evidence)])[0]

    @classmethod
    def of_each(
        cls, told: Sequence[tuple[Sequence[IncidentComparison], Sequence[Verdict], Sequence[Evidence]]]
    ) -> list[Hours]:
        """The same of several incidents, with as few queries as of one."""
        bare = [cls({one.comparison_id: one for one in attached}, {}) for attached, _, _ in told]
        wanted: set[_Key] = set()
        for hours, (_, verdicts, evidence) in zip(bare, told, strict=True):
            kept: list[tuple[Verdict | Evidence, str]] = [(one, one.anchor) for one in verdicts]
            kept += [(one, one.explained_by) for one in verdicts if one.explained_by]
            kept += [(one, one.anchor) for one in evidence]
            wanted |= {_key(one, anchor) for one, anchor in kept if hours._can_turn(one)}
        turned = _read(wanted)
        return [replace(one, turned=turned) for one in bare]

    def sides(self, one: Verdict | Evidence) -> Sides:
        """Of the pair it is about; of a view, the baseline is First."""
        here = self.attached.get(one.comparison_id)
        bad = here.bad if here is not None else None
        if isinstance(one, Evidence) and (view := baseline_anchors.view_of(one.baseline)) is not None:
            return Sides(bad if bad is not None and bad in view.members else NOWHERE, view.second, bad)
        if here is None:
            return Sides(0, 1, None)
        return sides_of(here, one.pair)

    def verdict(self, one: Verdict) -> Told:
        """What was judged, as it reads from the incident's hour."""
        return self._told(one, one.anchor, one.title, one.text)

    def explaining(self, one: Verdict) -> str:
        """The title of the finding that explains it."""
        return self._told(one, one.explained_by, one.explained_by_title, "").title

    def evidence(self, one: Evidence, standing: Standing) -> Told:
        """The title of what was kept, and of a finding also what it says."""
        if one.anchor.startswith(FINDING) and not one.baseline:
            text = standing.figures[0][1] if standing.figures else ""
            return self._told(one, one.anchor, standing.title, text)
        sides = self.sides(one)
        title = _ROW_OF_ONE.sub(lambda found: sides.said(found[0]), standing.title)
        return Told(title, "", one.pair)

    def figures(self, one: Evidence, kept: Figures) -> tuple[str, Figures]:
        """What they go from and to, and `kept`; the same up to the incident's hour where that is read."""
        sides = self.sides(one)
        turned = self.turned.get(_key(one, one.anchor)) if self._can_turn(one) else None
        if turned is None or not _is_reverse(kept, turned.figures):
            return self.arrow(one), kept
        return Sides(sides.second, sides.first, sides.bad).arrow, turned.figures

    def arrow(self, one: Evidence) -> str:
        """What its figures go from and to as they were kept."""
        view = baseline_anchors.view_of(one.baseline)
        if view is None:
            return self.sides(one).arrow
        here = self.attached.get(one.comparison_id)
        is_own = here is not None and here.bad == view.second
        return f"Baseline → {OWN.name if is_own else 'the hour held against it'}"

    def place(self, one: Evidence, place: str) -> str:
        """Where it stands: the view of a baseline says what is unlike its Second."""
        return self.sides(one).said(place) if one.baseline else place

    def _told(self, one: Verdict | Evidence, anchor: str, title: str, text: str) -> Told:
        sides = self.sides(one)
        turned = self.turned.get(_key(one, anchor)) if sides.is_turned else None
        if turned is None:
            of_second = sides.is_turned or (not sides.is_known and one.pair == TURNED)
            said_of = sides.names[1].name if of_second else ""
            return Told(sides.said(title), sides.said(text), one.pair, said_of)
        round_ = Sides(sides.second, sides.first, sides.bad)
        says = turned.figures[0][1] if turned.figures else ""
        return Told(round_.said(turned.title), round_.said(says), _key(one, anchor)[1], is_turned=True)

    def _can_turn(self, one: Verdict | Evidence) -> bool:
        is_view = isinstance(one, Evidence) and bool(one.baseline)
        return self.sides(one).is_turned and not is_view and other_way(one.pair) is not None


_CHANGE = re.compile(r" \([+−][^()]*%[^()]*\)$")


def _is_reverse(kept: Figures, turned: Figures) -> bool:
    """Whether these are the same figures the other way round: what was kept may stand there no more."""
    if [label for label, _ in kept] != [label for label, _ in turned]:
        return False
    pairs = zip(kept, turned, strict=True)
    return all(_ends(text) == _ends(other)[::-1] for (_, text), (_, other) in pairs)


def _ends(text: str) -> list[str]:
    """What a figure goes from and to; of a difference its size."""
    ends = _CHANGE.sub("", text).split(" → ")
    return ends if len(ends) > 1 else [text.lstrip("+-")]


def reports_count(one: IncidentComparison) -> int:
    """How many it compares; its places are at hand."""
    return len(split_traces(one.comparison.places.all())[0])


def sides_of(one: IncidentComparison, pair: int) -> Sides:
    """Of a pair of the comparison; it may be of more reports than there are now."""
    try:
        first, second = places_of_pair(pair, reports_count(one))
    except NotFound:
        return Sides(0, 1, None)
    begin = {told["side"]: told["at"] for told in one.told if told["kind"] == "window"}
    return Sides(first, second, one.bad, (_minute(begin.get(first)), _minute(begin.get(second))))


def _minute(iso: str | None) -> str:
    at = datetime.fromisoformat(iso) if iso else None
    return f"{at.day} {at:%b %H:%M}" if at else ""


def _hour_from(at: str) -> SideName:
    return SideName(f"the hour from {at}", f"the {at} hour's")


def own_pair(one: IncidentComparison) -> int:
    """The pair that the incident tells of: the one that opens, or First's with the incident's hour."""
    count = reports_count(one)
    opens = latest_pair(count)
    if one.bad is None or count < 2 or one.bad in places_of_pair(opens, count):
        return opens
    return max(one.bad - 1, 0)


def _key(one: Verdict | Evidence, anchor: str) -> _Key:
    """Of the same the other way round; of what is compared one way, itself."""
    turned = other_way(one.pair)
    return one.comparison_id, one.pair if turned is None else turned, anchor


def _read(wanted: set[_Key]) -> dict[_Key, Standing]:
    """What stands there, where that is computed and can be read."""
    whole = Comparison.objects.in_bulk({pk for pk, _, _ in wanted})
    places = {(pk, pair, anchor): Anchored(whole[pk], anchor, pair) for pk, pair, anchor in wanted if pk in whole}
    places = {key: place for key, place in places.items() if place.comparison.is_ready}
    try:
        found = _standing_at(places)
    except UNREADABLE:  # one of them: each by itself
        found = {}
        for key, place in places.items():
            with suppress(*UNREADABLE):
                found |= _standing_at({key: place})
    return found


def _standing_at(places: Mapping[_Key, Anchored]) -> dict[_Key, Standing]:
    told = standings(list(places.values()))
    return {key: one for key, one in zip(places, told, strict=True) if one is not None}
