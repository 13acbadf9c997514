"""The incident's hour in each comparison: place `bad`, suggested, chosen, or None while open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.report_time_windows import SPAN_WORDS, SpanWord, length_s, moment, span_word
from awrdiff.analysis.worse_hour import SideName, rename_sides
from awrdiff.comparisons.anchors import FINDING, Anchored, Standing, standings, view_of
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.report_pairs import latest_pair, other_way, places_of_pair
from awrdiff.incidents.cached_comparison_answers import UNREADABLE
from awrdiff.incidents.models import Evidence, IncidentComparison, Verdict

OWN = {word: SideName(f"the incident's {word}", f"the incident {word}'s") for word in SPAN_WORDS}
OTHER = {word: SideName(f"the {word} for comparison", f"the comparison {word}'s") for word in SPAN_WORDS}
NOWHERE = -1  # of several reports at once: no place
Figures: TypeAlias = Sequence[tuple[str, str]]
_Key: TypeAlias = tuple[UUID, int, str]  # comparison, pair, anchor


@dataclass(frozen=True, slots=True)
class Sides:
    """Two places and the incident's. `begin`: `1 Jan 10:00`, or ""."""

    first: int
    second: int
    bad: int | None
    begin: tuple[str, str] = ("", "")
    word: SpanWord = "hour"

    @property
    def is_turned(self) -> bool:
        """True if Second is the hour for comparison."""
        return self.bad is not None and self.first == self.bad

    @property
    def is_known(self) -> bool:
        return self.bad is not None and self.bad in (self.first, self.second)

    @property
    def names(self) -> tuple[SideName, SideName]:
        if not self.is_known:
            unnamed = (f"one {self.word}", f"the other {self.word}")
            first, second = (
                SideName(f"the {self.word} from {at}", f"the {at} {self.word}'s") if at else SideName(name, f"{name}'s")
                for at, name in zip(self.begin, unnamed, strict=True)
            )
            return first, second
        own, other = OWN[self.word], OTHER[self.word]
        return (own, other) if self.is_turned else (other, own)

    @property
    def reversed(self) -> Sides:
        return replace(self, first=self.second, second=self.first, begin=self.begin[::-1])

    @property
    def arrow(self) -> str:
        """`For comparison → the incident's hour`"""
        first, second = ("for comparison" if side in OTHER.values() else side.name for side in self.names)
        return f"{first[:1].upper()}{first[1:]} → {second}"

    def rename(self, text: str) -> str:
        """Engine text without First and Second."""
        return rename_sides(text, *self.names)


_ROW_OF_ONE = re.compile(r"\(not in (?:First|Second)[^()]*\)")  # beside a row's name, as export/outline.py has it


@dataclass(frozen=True, slots=True)
class Reading:
    """Finding as the incident reads it. `hour_name`: another hour, or open. `is_turned`: reversed from stored."""

    title: str
    text: str
    pair: int
    hour_name: str = ""
    is_turned: bool = False

    @property
    def of_other(self) -> bool:
        """True if about the hour for comparison only."""
        return self.hour_name in [other.name for other in OTHER.values()]

    @property
    def heading(self) -> str:
        return f"{self.title} (said of {self.hour_name})" if self.hour_name else self.title


@dataclass(frozen=True, slots=True)
class Hours:
    """Attached comparisons by id, and reversed readings."""

    attached: Mapping[UUID, IncidentComparison]
    readings: Mapping[_Key, Standing]

    @classmethod
    def of(
        cls, attached: Sequence[IncidentComparison], verdicts: Sequence[Verdict] = (), evidence: Sequence[Evidence] = ()
    ) -> Hours:
        """Also reads the hour for comparison reversed."""
        return cls.of_each([(attached, verdicts, evidence)])[0]

    @classmethod
    def of_each(
        cls, material: Sequence[tuple[Sequence[IncidentComparison], Sequence[Verdict], Sequence[Evidence]]]
    ) -> list[Hours]:
        """Several incidents, in constant queries."""
        bare = [cls({link.comparison_id: link for link in attached}, {}) for attached, _, _ in material]
        wanted: set[_Key] = set()
        for hours, (_, verdicts, evidence) in zip(bare, material, strict=True):
            anchors: list[tuple[Verdict | Evidence, str]] = [(verdict, verdict.anchor) for verdict in verdicts]
            anchors += [(verdict, verdict.explained_by) for verdict in verdicts if verdict.explained_by]
            anchors += [(evidence_row, evidence_row.anchor) for evidence_row in evidence]
            wanted |= {_key(judgement, anchor) for judgement, anchor in anchors if hours._can_turn(judgement)}
        readings = _read(wanted)
        return [replace(hours, readings=readings) for hours in bare]

    def sides(self, judgement: Verdict | Evidence) -> Sides:
        """Baseline views have the baseline as First."""
        here = self.attached.get(judgement.comparison_id)
        bad = here.bad if here is not None else None
        if isinstance(judgement, Evidence) and (view := view_of(judgement.baseline)) is not None:
            first = bad if bad is not None and bad in view.members else NOWHERE
            return Sides(first, view.second, bad, word=_word(here, view.second) if here is not None else "hour")
        if here is None:
            return Sides(0, 1, None)
        return sides_of(here, judgement.pair)

    def verdict(self, verdict: Verdict) -> Reading:
        return self._as_read(verdict, verdict.anchor, verdict.title, verdict.text)

    def explaining(self, verdict: Verdict) -> str:
        return self._as_read(verdict, verdict.explained_by, verdict.explained_by_title, "").title

    def evidence(self, evidence: Evidence, standing: Standing) -> Reading:
        """Text for findings only."""
        if evidence.anchor.startswith(FINDING) and not evidence.baseline:
            text = standing.figures[0][1] if standing.figures else ""
            return self._as_read(evidence, evidence.anchor, standing.title, text)
        sides = self.sides(evidence)
        title = _ROW_OF_ONE.sub(lambda match: sides.rename(match[0]), standing.title)
        return Reading(title, "", evidence.pair)

    def figures(self, evidence: Evidence, stored_figures: Figures) -> tuple[str, Figures]:
        """Direction and figures, towards the incident's hour if read."""
        sides = self.sides(evidence)
        reading = self.readings.get(_key(evidence, evidence.anchor)) if self._can_turn(evidence) else None
        if reading is None or not _is_reverse(stored_figures, reading.figures):
            return self.arrow(evidence), stored_figures
        return sides.reversed.arrow, reading.figures

    def arrow(self, evidence: Evidence) -> str:
        view = view_of(evidence.baseline)
        if view is None:
            return self.sides(evidence).arrow
        here = self.attached.get(evidence.comparison_id)
        is_own = here is not None and here.bad == view.second
        word = self.sides(evidence).word
        return f"Baseline → {OWN[word].name if is_own else f'the {word} held against it'}"

    def place(self, evidence: Evidence, place: str) -> str:
        """Baseline views are about Second."""
        return self.sides(evidence).rename(place) if evidence.baseline else place

    def _as_read(self, judgement: Verdict | Evidence, anchor: str, title: str, text: str) -> Reading:
        sides = self.sides(judgement)
        reading = self.readings.get(_key(judgement, anchor)) if sides.is_turned else None
        if reading is None:
            of_second = sides.is_turned or (not sides.is_known and judgement.pair == REVERSE)
            hour_name = sides.names[1].name if of_second else ""
            return Reading(sides.rename(title), sides.rename(text), judgement.pair, hour_name)
        round_ = sides.reversed
        says = reading.figures[0][1] if reading.figures else ""
        return Reading(round_.rename(reading.title), round_.rename(says), _key(judgement, anchor)[1], is_turned=True)

    def _can_turn(self, judgement: Verdict | Evidence) -> bool:
        is_view = isinstance(judgement, Evidence) and bool(judgement.baseline)
        return self.sides(judgement).is_turned and not is_view and other_way(judgement.pair) is not None


_CHANGE = re.compile(r" \([+−][^()]*%[^()]*\)$")


def _is_reverse(stored_figures: Figures, reversed_figures: Figures) -> bool:
    if [label for label, _ in stored_figures] != [label for label, _ in reversed_figures]:
        return False
    pairs = zip(stored_figures, reversed_figures, strict=True)
    return all(_ends(text) == _ends(other)[::-1] for (_, text), (_, other) in pairs)


def _ends(text: str) -> list[str]:
    ends = _CHANGE.sub("", text).split(" → ")
    return ends if len(ends) > 1 else [text.lstrip("+-")]


def reports_count(attached: IncidentComparison) -> int:
    """Places are prefetched."""
    return len(split_traces(attached.comparison.places.all())[0])


def sides_of(attached: IncidentComparison, pair: int) -> Sides:
    """`pair` may be of more reports than now."""
    try:
        first, second = places_of_pair(pair, reports_count(attached))
    except NotFound:
        return Sides(0, 1, None)
    begin = {event["side"]: event["at"] for event in attached.told if event["kind"] == "window"}
    minutes = _minute(begin.get(first)), _minute(begin.get(second))
    return Sides(first, second, attached.bad, minutes, _word(attached, first, second))


def _word(attached: IncidentComparison, *places: int) -> SpanWord:
    windows = [event for event in attached.told if event["kind"] == "window" and event["side"] in places]
    return span_word(*(length_s((moment(event["at"]), moment(event["end"]))) for event in windows))


def _minute(iso: str | None) -> str:
    at = datetime.fromisoformat(iso) if iso else None
    return f"{at.day} {at:%b %H:%M}" if at else ""


def is_turned(attached: IncidentComparison) -> bool:
    """True if the opening pair has the incident's hour as First."""
    return sides_of(attached, latest_pair(reports_count(attached))).is_turned


def own_pair(attached: IncidentComparison) -> int:
    """Opening pair, or First with the incident's hour."""
    count = reports_count(attached)
    opens = latest_pair(count)
    if attached.bad is None or count < 2 or attached.bad in places_of_pair(opens, count):
        return opens
    return max(attached.bad - 1, 0)


def _key(judgement: Verdict | Evidence, anchor: str) -> _Key:
    """Key of the reversed anchor; unchanged where compared one way."""
    other_pair = other_way(judgement.pair)
    return judgement.comparison_id, judgement.pair if other_pair is None else other_pair, anchor


def _read(wanted: set[_Key]) -> dict[_Key, Standing]:
    whole = Comparison.objects.in_bulk({pk for pk, _, _ in wanted})
    places = {(pk, pair, anchor): Anchored(whole[pk], anchor, pair) for pk, pair, anchor in wanted if pk in whole}
    places = {key: place for key, place in places.items() if place.comparison.is_ready}
    try:
        readings = _standing_at(places)
    except UNREADABLE:  # one of them: each by itself
        readings = {}
        for key, place in places.items():
            with suppress(*UNREADABLE):
                readings |= _standing_at({key: place})
    return readings


def _standing_at(places: Mapping[_Key, Anchored]) -> dict[_Key, Standing]:
    results = standings(list(places.values()))
    return {key: result for key, result in zip(places, results, strict=True) if result is not None}
