"""Peak inside a window, by samples of active sessions or by ADDM analyses of its parts.

Source: Oracle Database Performance Tuning Guide, Active Session History: one sample each 10 s is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import number, percent
from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.activity_over_time_slots import SLOTS, samples_of
from awrdiff.analysis.report.activity_over_time_slots import slots_of as printed_slots
from awrdiff.analysis.report.addm_analyses import SECTION as ANALYSES
from awrdiff.analysis.report.addm_analyses import Stretch, analyses_of, periods_of, stretch_around
from awrdiff.analysis.report.ash_and_addm_load import sample_s
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.rows.align import slot_anchor
from awrdiff.analysis.verdict.rule_inputs import LEAST_OF_CPUS, LEAST_SESSIONS, Facts
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes

TIMES_MEAN = 1.5  # beyond twice the scatter of so few samples no accident
_PART = 0.9  # of the window: what takes more is the window
_SAMPLED = 0.9  # of a stretch, for samples to deny it
_HALF = 0.5
_HALF_THE_RISE = (1 + TIMES_MEAN) / 2
NOT_PRINTED = Unknown("activity over time (ASH) and ADDM's analyses")
_LEAST_SLOT_S = 60.0  # shorter slots stand at the ends of a window and hold few samples
_LEAST_SAMPLES = 30
_DAY_S = 86_400.0


class Slot(Struct, frozen=True):
    """Part of the window. `event`: most waited for."""

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
        """Sessions less twice the scatter of so few samples."""
        return max(self.samples - 2 * sqrt(self.samples), 0.0) * self.sample_s / self.length_s


class Peak(Struct, frozen=True):
    """`mean`: of the window. `brief`: text beside a larger peak."""

    sessions: float
    mean: float
    length_s: Range
    text: str
    brief: str
    rows: tuple[Evidence, ...]

    def adds(self, side: Side) -> Range:
        """Active sessions above the window's mean."""
        whole = side.elapsed.number if side.elapsed else self.length_s.high
        more = self.sessions - self.mean
        return Range(*(more * min(length_s / whole, 1.0) for length_s in (self.length_s.low, self.length_s.high)))


def peak_inside(facts: Facts) -> RuleResult:
    """Samples or ADDM's analyses give a part of the window {TIMES_MEAN} times its mean active sessions."""
    peaks = [(side, peak_of(side)) for side in facts.sides]
    observed = []
    for side, peak in peaks:
        if isinstance(peak, Peak):
            whose = "The" if len(peaks) == 1 else "First's" if side is facts.sides[0] else "Second's"
            sessions = finding_sizes.of_sides([peak.adds(side) if s is side else None for s in facts.sides])
            title, subject = f"{whose} mean hides a peak.", Subject("work", "activity over time")
            observed.append(Observation(title, peak.text, peak.rows, sessions, subject))
    denied = next((p for _, p in reversed(peaks) if isinstance(p, Contradicted)), QUIET)
    return tuple(observed) or (denied if any(map(is_printed, facts.sides)) else NOT_PRINTED)


def is_printed(side: Side) -> bool:
    return side.has(SLOTS) or side.has(ANALYSES)


def peak_of(side: Side) -> Peak | Contradicted | None:
    mean = side.active_sessions
    if mean is None or side.elapsed is None:
        return None
    by_samples, by_analyses = _of_slots(side, mean), _of_analyses(side, mean)
    if by_samples is None or not isinstance(by_analyses, Peak):
        return by_samples or by_analyses
    first, then = sorted((by_samples, by_analyses), key=lambda p: -p.adds(side).low)
    return replace(first, text=f"{first.text} {then.brief}", rows=(*first.rows, *then.rows))


def slots_of(side: Side) -> list[Slot]:
    section, each_s = side.report.section(SLOTS), sample_s(side)
    long = {s.printed: s for s in printed_slots(section) if s.length_s >= _LEAST_SLOT_S}
    slots: dict[str, Slot] = {}
    for printed, event, own, total in samples_of(section):
        of, previous = long.get(printed), slots.get(printed)
        if of is not None and (previous is None or own > previous.event_samples):
            slots[printed] = Slot(of.clock[:5], of.length_s, total, event, own, printed, each_s)
    return list(slots.values())


def _of_slots(side: Side, active: float) -> Peak | None:
    slots = slots_of(side)
    covered = sum(s.length_s for s in slots)
    if len(slots) < 2:
        return None
    mean = max(active, sum(s.samples for s in slots) * sample_s(side) / covered)
    highest = max(slots, key=lambda s: s.sessions)
    if highest.samples < _LEAST_SAMPLES or highest.at_least < TIMES_MEAN * mean:
        return None
    sessions = number(round(highest.sessions, 1))
    at = f"from {highest.clock} on ({number(round(highest.length_s / 60, 1))} min)"
    text = f"{sessions} active sessions were sampled {at}, {number(round(highest.sessions / mean, 1))} times the mean"
    text += f" of {number(mean)}"
    waited = f"{percent(highest.event_samples / highest.samples)} of them in {highest.event}"
    in_event = [waited] if highest.event_samples > 0 else []
    missing = [f"from {a} to {b}" for a, b in gaps(slots)]
    text = "; ".join([text, *in_event])
    text += "".join(f". Nothing was sampled {each}" for each in missing)
    brief = "; ".join(
        [f"{sessions} active sessions were sampled {at}", *in_event, *(f"nothing {each}" for each in missing)]
    )
    section = side.report.section(SLOTS)
    row_id = slot_anchor(section, highest.printed, highest.event) if section is not None else None
    row = Evidence(SLOTS, highest.printed, "slot_samples", row_id)
    return Peak(highest.sessions, mean, Range(highest.length_s, highest.length_s), f"{text}.", f"{brief}.", (row,))


def gaps(slots: list[Slot]) -> Iterator[tuple[str, str]]:
    """Times of day around missing slots: idle or lost."""
    usual = sorted(s.length_s for s in slots)[len(slots) // 2]
    for a, b in pairwise(slots):
        end = _seconds(a.clock) + (usual if a.length_s < usual else a.length_s)
        missing = (_seconds(b.clock) - end) % _DAY_S
        if 2 * usual <= missing < 43_200:
            minutes = round(end / 60) % 1440
            yield f"{minutes // 60:02}:{minutes % 60:02}", b.clock


def _seconds(clock: str) -> float:
    return int(clock[:2]) * 3600.0 + int(clock[3:]) * 60.0


def _of_analyses(side: Side, mean: float) -> Peak | Contradicted | None:
    least = max(TIMES_MEAN * mean, mean + max(LEAST_SESSIONS, LEAST_OF_CPUS * (side.cpus or 0)))
    busy = [a for a in analyses_of(side.report) if a.sessions >= least]
    if not busy or side.elapsed is None or mean <= 0:  # a DB time of 0.0 is no mean to measure by
        return None
    stretch = stretch_around(max(busy, key=lambda a: a.sessions), busy, side.report.period)
    elapsed, whole = side.elapsed.number, side.db_time
    if stretch.length_s.high >= _PART * elapsed:
        return None
    low, high = (whole.low, whole.high) if whole is not None else (mean * elapsed, mean * elapsed)
    longest, shortest = stretch.length_s.high, stretch.length_s.low
    rest = Range(
        (low - stretch.sessions * longest) / (elapsed - longest),
        (high - stretch.sessions * shortest) / (elapsed - shortest),
    )
    if (denial := _denial(side, mean, stretch, rest)) is not None:
        return denial
    count = len(stretch.analyses)
    finding, share = stretch.main_finding
    text = f"ADDM has {number(round(stretch.sessions, 2))} active sessions {_between(stretch)}"
    text += f" ({count} analyses)" if count > 1 else ""
    text += f", {number(round(stretch.sessions / mean, 1))} times the mean of {number(mean)}"
    text += f", {percent(share)} of them in {finding}" if finding else ""
    elsewhere = _analysed_elsewhere(side, stretch)
    text += f"; the rest of the window had {_range(rest if elsewhere is None else Range(elsewhere, elsewhere))}."
    rows = tuple(a.evidence for a in stretch.analyses)
    sampled = _sampled_in(side, stretch)
    if sampled is not None and sampled[1] < _SAMPLED * stretch.length_s.low:
        sampled_share = sampled[0] / (stretch.sessions * stretch.length_s.low)
        text += f" ASH lost samples ({percent(sampled_share)} kept)." if sampled_share < _HALF else ""
    return Peak(stretch.sessions, mean, stretch.length_s, text, text, rows)


def _denial(side: Side, mean: float, stretch: Stretch, rest: Range) -> Contradicted | None:
    if not stretch.is_in(side.report.period):
        return Contradicted(f"ADDM's analysis {_between(stretch)} is of another window")
    if rest.high < 0:
        return Contradicted(f"DB time: a mean of {number(mean)} active sessions holds less than ADDM's analysis has")
    sampled = _sampled_in(side, stretch)
    if sampled is not None and sampled[1] >= _SAMPLED * stretch.length_s.low:
        sessions = sampled[0] / sampled[1]
        if sessions < _HALF_THE_RISE * mean:
            return Contradicted(f"{SLOTS}: {number(round(sessions, 2))} sessions were sampled {_between(stretch)}")
    return None


def _analysed_elsewhere(side: Side, stretch: Stretch) -> float | None:
    """Mean of ADDM's other analyses, where they cover the rest of the window."""
    rest_of_window = [
        a for a in periods_of(side.report) if not stretch.begin <= a.begin + (a.end - a.begin) / 2 < stretch.end
    ]
    covered = sum(a.length_s for a in rest_of_window)
    elapsed = side.elapsed.number if side.elapsed is not None else 0.0
    rest = elapsed - stretch.length_s.high
    printed = [a.sessions * a.length_s for a in rest_of_window if a.sessions is not None]
    if len(printed) < len(rest_of_window) or not _PART * rest <= covered <= rest / _PART or covered <= 0:
        return None
    return sum(printed) / covered


def _sampled_in(side: Side, stretch: Stretch) -> tuple[float, float] | None:
    """(session seconds, seconds of slots); None where times of day repeat."""
    begin = side.report.period.begin.time
    slots = slots_of(side)
    if begin is None or not slots or side.elapsed is None or side.elapsed.number >= _DAY_S:
        return None
    start, end = ((t - begin).total_seconds() for t in (stretch.begin, stretch.end))
    of_day = begin.hour * 3600.0 + begin.minute * 60.0 + begin.second
    inside = []
    for slot in slots:
        middle = (_seconds(slot.clock) + slot.length_s / 2 - of_day) % _DAY_S
        inside += [slot] if start <= middle < end else []
    return sum(s.sessions * s.length_s for s in inside), sum(s.length_s for s in inside)


def _between(stretch: Stretch) -> str:
    return f"from {stretch.begin:%H:%M} to {stretch.end:%H:%M}"


def _range(sessions: Range) -> str:
    low, high = (number(round(max(bound, 0.0), 2)) for bound in (sessions.low, sessions.high))
    middle = Range(max(sessions.low, 0.0), max(sessions.high, 0.0))
    return f"{low} to {high}" if middle.is_open and low != high else number(round(middle.middle, 2))
