"""A peak inside a window: its mean then describes no time of it.

From two sources, where a report prints them: samples of active sessions by slots of the window (ASH kept on disk: one
sample each 10 s), and ADDM's analyses, one for each snapshot inside a longer window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.sampled import sample_s
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.slots import SLOTS
from awrdiff.analysis.report.slots import slots_of as printed_slots
from awrdiff.analysis.rows.align import anchor, slot_anchor
from awrdiff.analysis.verdict.answer import QUIET, Answer, Observation, Unknown
from awrdiff.analysis.verdict.facts import LEAST_OF_CPUS, LEAST_SESSIONS, FactsOfOne, FactsOfTwo
from awrdiff.analysis.words import number, percent

ADDM = "top_addm_findings"
TIMES_MEAN = 1.5
NOT_PRINTED = Unknown("activity over time (ASH) and ADDM's analyses")
_LEAST_SLOT_S = 60.0  # shorter slots stand at the ends of a window and hold few samples
_LEAST_SAMPLES = 30


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of the window and how many sessions were sampled active in it; `event`: most of them waited for it."""

    clock: str
    length_s: float
    samples: float
    event: str
    event_samples: float
    printed: str
    sample_s: float  # that one sample stands for

    @property
    def sessions(self) -> float:
        return self.samples * self.sample_s / self.length_s

    @property
    def at_least(self) -> float:
        """Less twice the scatter of so many samples."""
        return max(self.samples - 2 * sqrt(self.samples), 0.0) * self.sample_s / self.length_s


@dataclass(frozen=True, slots=True)
class Peak:
    """`length_s`: None of analyses, of which a report prints those with the largest findings alone."""

    sessions: float
    mean: float
    length_s: float | None
    text: str
    evidence: Evidence

    def adds(self, side: Side) -> Range | None:
        """To the mean of the whole window, in active sessions; None where it is not known how long it lasted."""
        if self.length_s is None:
            return None
        whole = side.elapsed.number if side.elapsed else self.length_s
        extra = (self.sessions - self.mean) * min(self.length_s / whole, 1.0)
        return Range(extra, extra)


def of_two(facts: FactsOfTwo) -> Answer:
    """A slot, or one of several analyses, with 1.5 times the active sessions of the whole window.

    Beyond twice the scatter that so few samples have: half as much again is then no accident, and the mean describes
    neither the peak nor the rest. A peak of ADDM's analyses has no size, as not all of them are printed.
    """
    sides = (("First", facts.first), ("Second", facts.second))
    peaks = {name: peak_of(side) for name, side in sides}
    said = tuple(_observation(name, side, p) for name, side in sides if (p := peaks[name]) is not None)
    if said:
        return said
    if not any(is_printed(side) for _, side in sides):
        return NOT_PRINTED
    return QUIET


def of_one(facts: FactsOfOne) -> Answer:
    """A slot of samples, or one of several ADDM analyses, with 1.5 times the active sessions of the whole window.

    Source: Oracle Database Performance Tuning Guide, Active Session History: one sample each 10 s is kept.
    """
    found = peak_of(facts.side)
    if found is None:
        return QUIET if is_printed(facts.side) else NOT_PRINTED
    subject = Subject("work", "activity over time")
    return Observation("The mean hides a peak.", found.text, (found.evidence,), found.adds(facts.side), subject)


def is_printed(side: Side) -> bool:
    return side.has(SLOTS) or side.has(ADDM)


def peak_of(side: Side) -> Peak | None:
    """The highest of one report, if it is one; samples tell the time of day more closely than analyses do."""
    if side.active_sessions is None or side.elapsed is None:
        return None
    return _of_slots(side, side.active_sessions) or _of_analyses(side, side.active_sessions)


def slots_of(side: Side) -> list[Slot]:
    """In the order of time; without those at the ends that are too short to tell anything."""
    section = side.report.section(SLOTS)
    if section is None:
        return []
    long = {s.printed: s for s in printed_slots(section) if s.length_s >= _LEAST_SLOT_S}
    found: dict[str, Slot] = {}
    each_s = sample_s(side)
    for record in section.records:
        of, samples = long.get(section.text(record, "slot")), section.number(record, "slot_samples")
        if of is None or samples is None:
            continue
        waiting = section.number(record, "event_samples")
        in_event = waiting.number if waiting else 0.0
        slot = Slot(
            of.clock[:5], of.length_s, samples.number, section.text(record, "event"), in_event, of.printed, each_s
        )
        held = found.get(of.printed)
        if held is None or slot.event_samples > held.event_samples:
            found[of.printed] = slot
    return list(found.values())


def _of_slots(side: Side, active: float) -> Peak | None:
    slots = slots_of(side)
    covered = sum(s.length_s for s in slots)
    if len(slots) < 2:
        return None
    mean = max(active, sum(s.samples for s in slots) * sample_s(side) / covered)
    highest = max(slots, key=lambda s: s.sessions)
    if highest.samples < _LEAST_SAMPLES or highest.at_least < TIMES_MEAN * mean:
        return None
    text = (
        f"{number(round(highest.sessions, 1))} active sessions were sampled from {highest.clock} on "
        f"({_minutes(highest.length_s)}), {number(round(highest.sessions / mean, 1))} times the mean of {number(mean)}"
    )
    if highest.event_samples > 0:
        text += f"; {percent(highest.event_samples / highest.samples)} of them in {highest.event}"
    text += "".join(f". Nothing was sampled from {a} to {b}" for a, b in gaps(slots))
    section = side.report.section(SLOTS)
    row_id = slot_anchor(section, highest.printed, highest.event) if section is not None else None
    row = Evidence(SLOTS, highest.printed, "slot_samples", row_id)
    return Peak(highest.sessions, mean, highest.length_s, f"{text}.", row)


def gaps(slots: list[Slot]) -> Iterator[tuple[str, str]]:
    """Times of day between which whole slots are missing: idle, or the samples were lost."""
    usual = sorted(s.length_s for s in slots)[len(slots) // 2]
    for a, b in pairwise(slots):
        end = _seconds(a.clock) + (usual if a.length_s < usual else a.length_s)
        missing = (_seconds(b.clock) - end) % 86_400
        if 2 * usual <= missing < 43_200:
            yield _clock(end), b.clock


def _seconds(clock: str) -> float:
    hours, minutes = clock.split(":")
    return int(hours) * 3600.0 + int(minutes) * 60.0


def _clock(seconds: float) -> str:
    minutes = round(seconds / 60) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _of_analyses(side: Side, mean: float) -> Peak | None:
    """The busiest of several ADDM tasks; each covers the time between two snapshots."""
    section = side.report.section(ADDM)
    tasks: dict[str, tuple[float, str, str]] = {}
    for record in section.records if section is not None else ():
        sessions = section.number(record, "task_avg_active_sessions") if section is not None else None
        if section is not None and sessions is not None:
            begin = section.text(record, "begin_time")
            tasks.setdefault(
                section.text(record, "task_name"), (sessions.number, begin, section.text(record, "finding"))
            )
    if len(tasks) < 2 or side.elapsed is None:
        return None
    task, (sessions_, begin, finding) = max(tasks.items(), key=lambda item: item[1][0])
    least = max(LEAST_SESSIONS, LEAST_OF_CPUS * (side.cpus or 0))
    if not mean or sessions_ < max(TIMES_MEAN * mean, mean + least):  # a DB time of 0.0 is no mean to measure by
        return None
    text = (
        f"ADDM's analysis from {begin} on has {number(sessions_)} active sessions, "
        f"{number(round(sessions_ / mean, 1))} times the mean of {number(mean)}."
    )
    row = Evidence(ADDM, task, "task_avg_active_sessions", anchor(ADDM, finding, task))
    return Peak(sessions_, mean, None, text, row)


def _minutes(length_s: float) -> str:
    return f"{number(round(length_s / 60, 1))} min"


def _observation(name: str, side: Side, peak: Peak) -> Observation:
    size = peak.adds(side)
    sessions = Sessions(size, None) if name == "First" else Sessions(None, size)
    return Observation(
        f"{name}'s mean hides a peak.",
        peak.text,
        (peak.evidence,),
        sessions=sessions if size is not None else None,
        subject=Subject("work", "activity over time"),
    )


__all__ = ["NOT_PRINTED", "Peak", "Slot", "gaps", "is_printed", "of_one", "of_two", "peak_of", "slots_of"]
